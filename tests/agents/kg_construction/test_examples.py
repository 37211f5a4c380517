"""Examples for the model, and types derived from facts."""

import json
from pathlib import Path

import pytest
import rdflib
from rdflib import RDF, Namespace

from kgnb import compile_ontology
from kgnb.agents.kg_construction.examples import Example, Examples, read_examples
from kgnb.errors import ConfigError, DataError
from kgnb.llm.model import Reply, Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph
from tests.agents.kg_construction.test_instantiate import PACK, calls

HUT = Namespace("https://hut.example/")
TBOX = """@prefix : <https://hut.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Hut a owl:Class . :Person a owl:Class ; owl:disjointWith :Valley . :Valley a owl:Class . :Rock a owl:Class .
:warden a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Person .
:chief a owl:ObjectProperty ; rdfs:subPropertyOf :warden .
:near a owl:ObjectProperty ; rdfs:domain [ a owl:Class ; owl:unionOf (:Hut :Valley) ] ; rdfs:range :Valley ."""
EXAMPLES = [
    Example("The Ambre has 28 beds.", (("Ambre", "beds", "28"),)),
    Example("The Ambre has 28 beds now.", (("Ambre", "beds", "28"),)),
    Example("The Kar has a terrace.", (("Kar Hut", "altitude", "2100"),)),
]


def test_examples_are_similar_to_the_text_and_different_from_each_other() -> None:
    shown = Examples(EXAMPLES).like("The Klar has 28 beds, a room.", 2)
    assert shown == [EXAMPLES[0], EXAMPLES[2]]
    assert len(Examples(EXAMPLES).like("", 5)) == 3


def test_a_model_is_shown_the_examples_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "examples.jsonl"
    file.write_text(
        "\n".join(json.dumps({"text": one.text, "facts": one.facts}) for one in EXAMPLES) + "\n"
    )
    seen: list[str] = []

    def answering(request: Request) -> Reply:
        seen.append(request.messages[1].text)
        return calls(("finish", {}))

    model = ScriptedModel(answering)
    built = build_graph(
        {"note": "The Klar has beds."}, PACK, judge="model", model=model, examples=file
    )
    assert "Ambre | beds | 28" in seen[0] and seen[0].index("Ambre") < seen[0].index("The Klar")
    assert "3 examples" in built.journals[0].reader
    build_graph({"note": "The Klar has beds."}, PACK, judge="model", model=model)
    assert "Ambre" not in seen[-1]


def test_a_malformed_file_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "examples.jsonl"
    for line in (
        "[]",
        '{"text": "a"}',
        '{"text": "a", "facts": [["s", "p"]]}',
        "{",
        '{"facts": 3}',
    ):
        file.write_text(f"\n{line}\n")
        with pytest.raises(DataError, match="example") as caught:
            read_examples(file)
        assert caught.value.where.endswith(":2")
    with pytest.raises(DataError):
        read_examples(tmp_path / "none.jsonl")
    with pytest.raises(ConfigError, match="model"):
        build_graph({"note": "Beds: 3"}, PACK, judge="rule", examples=EXAMPLES)


def test_types_are_derived_from_domains_and_ranges_on_request() -> None:
    tbox = rdflib.Graph().parse(data=TBOX, format="turtle")
    for derived in (False, True):
        session = compile_ontology(tbox, derive_types=derived).session(
            namespace="https://hut.example/data/"
        )
        rock, other, valley = (
            session.call(f"create_{kind}", {"label": label}).iri
            for kind, label in (("rock", "One"), ("rock", "Two"), ("valley", "Kar"))
        )
        stated = session.call("add_chief", {"subject": rock, "object": other})
        assert stated.ok == derived, stated
        assert ((rdflib.URIRef(rock), RDF.type, HUT.Hut) in session.graph) == derived
        assert ((rdflib.URIRef(other), RDF.type, HUT.Person) in session.graph) == derived
        refused = session.call(
            "add_chief", {"subject": rock, "object": valley}
        )  # nothing is a valley and a person
        assert not refused.ok and (rdflib.URIRef(valley), RDF.type, HUT.Person) not in session.graph
        union = session.call(
            "add_near", {"subject": other, "object": valley}
        )  # a union derives nothing
        assert not union.ok
        assert session.shacl_report()[0]
