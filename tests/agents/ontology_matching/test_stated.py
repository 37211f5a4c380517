"""What the ontologies say themselves holds, whatever the names and whoever judges."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.retrieve import comparable
from kgnb.agents.ontology_matching.values import Options
from kgnb.backends import open_ontology
from kgnb.judging import Verdict
from kgnb.kg.ontology import Ontology
from kgnb.mappings import Alignment
from kgnb.tasks.matching import match_ontologies

HEAD = """@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix obo: <http://purl.obolibrary.org/obo/> . @prefix a: <http://a.example/o#> . @prefix b: <http://b.example/o#> .
@prefix x: <http://third.example/voc/> .
"""


def ontology(folder: Path, name: str, text: str) -> Ontology:
    path = folder / f"{name}.ttl"
    path.write_text(f"{HEAD}<http://{name}.example/o> a owl:Ontology .\n{text}", encoding="utf-8")
    return open_ontology(path)


def classes(space: str, *labels: str) -> str:
    return "\n".join(
        f'{space}:C{number} a owl:Class ; rdfs:label "{label}" .'
        for number, label in enumerate(labels)
    )


def pairs(alignment: Alignment) -> set[tuple[str, str]]:
    return {(m.source.rpartition("#")[2], m.target.rpartition("#")[2]) for m in alignment}


def yes(question: object) -> Verdict:
    """Whatever comes first is the same."""
    return Verdict("equivalent", question.others[0].iri, 0.9, "yes")  # type: ignore[attr-defined]


@pytest.mark.parametrize("judge", ["rule", yes])
def test_obsolete_terms_are_left_out_and_counted(tmp_path: Path, judge: object) -> None:
    one = ontology(
        tmp_path,
        "a",
        classes("a", "glacier", "bivouac", "ski route", "hut")
        + 'a:C0 owl:deprecated true . a:C2 owl:deprecated "true"@en . a:C9 a owl:DeprecatedClass .'
        + 'a:D0 a owl:Class ; rdfs:label "glacier" .',
    )
    two = ontology(tmp_path, "b", classes("b", "glacier", "bivouac", "ski route", "hut"))
    alignment = match_ontologies(one, two, judge=judge, embedder="tiny")  # type: ignore[arg-type]
    assert pairs(alignment) >= {("D0", "C0"), ("C1", "C1"), ("C3", "C3")}
    assert not {"C0", "C2", "C9"} & {source for source, _ in pairs(alignment)}
    assert "3 obsolete terms of" in alignment.notes[0]


@pytest.mark.parametrize("judge", ["rule", yes])
def test_a_term_that_both_have_is_itself_and_nothing_else(tmp_path: Path, judge: object) -> None:
    one = ontology(
        tmp_path,
        "a",
        'obo:X_3 a owl:Class ; rdfs:label "lead" . obo:X_4 a owl:Class ; rdfs:label "shelter" .',
    )
    two = ontology(
        tmp_path,
        "b",
        """obo:X_3 a owl:Class ; rdfs:label "plumbum" . b:Y_1 a owl:Class ; rdfs:label "lead" .
        obo:X_4 a owl:Class ; rdfs:label "refuge"@fr . b:Y_2 a owl:Class ; rdfs:label "iron" .""",
    )
    for ends in ((one, two), (two, one)):
        alignment = match_ontologies(*ends, judge=judge, embedder="tiny")  # type: ignore[arg-type]
        assert {(m.source[-3:], m.target[-3:]) for m in alignment} == {
            ("X_3", "X_3"),
            ("X_4", "X_4"),
        }
        assert min(m.confidence for m in alignment) > 0.99


@pytest.mark.parametrize("judge", ["rule", yes])
@pytest.mark.parametrize(
    "axiom",
    [
        "a:C0 owl:disjointWith b:C0 .",
        "[] a owl:AllDisjointClasses ; owl:members ( b:C0 a:C0 ) .",
        "a:C0 rdfs:subClassOf b:C2 .",
    ],
)
def test_what_is_said_to_be_disjoint_is_not_the_same(
    tmp_path: Path, judge: object, axiom: str
) -> None:
    one = ontology(tmp_path, "a", classes("a", "crane", "river") + axiom)
    two = ontology(
        tmp_path,
        "b",
        classes("b", "crane", "river", "machine", "bird")
        + "b:C0 rdfs:subClassOf b:C3 . b:C2 owl:disjointWith b:C3 .",
    )
    alignment = match_ontologies(one, two, judge=judge, embedder="tiny")  # type: ignore[arg-type]
    assert ("C0", "C0") not in pairs(alignment)
    assert ("C1", "C1") in pairs(alignment)
    reasons = {d.mapping.pair: d.reason for d in alignment.dropped}
    pair = ("http://a.example/o#C0", "http://b.example/o#C0")
    assert reasons[pair] == "the ontologies say that they are disjoint"


def test_a_term_that_a_vocabulary_only_mentions_is_not_its_own(tmp_path: Path) -> None:
    one = ontology(tmp_path, "a", classes("a", "document", "person"))
    two = ontology(
        tmp_path,
        "b",
        """b:Report a owl:Class ; rdfs:label "report" ; rdfs:subClassOf x:Document .
        x:Document a owl:Class . b:Human a owl:Class ; rdfs:label "person" .
        x:Hut a owl:Class ; rdfs:label "hut"@en .""",
    )
    assert [e.local_name for e in comparable(one, two)[1]] == ["Human", "Report", "Hut"]
    alignment = match_ontologies(one, two, judge="rule", embedder="tiny")
    assert {m.target_label for m in (*alignment, *alignment.unsure)} <= {"person", "report", "hut"}


def test_two_entities_of_one_name_are_told_apart_by_prefix(tmp_path: Path) -> None:
    one = ontology(tmp_path, "a", classes("a", "person", "glacier"))
    two = ontology(
        tmp_path,
        "b",
        classes("b", "person", "glacier") + 'x:Person a owl:Class ; rdfs:label "person" .',
    )
    options = Options(cardinality="n:m", one_sided=0.0, confidence=0.0)
    table = str(match_ontologies(one, two, judge=yes, embedder="tiny", options=options))
    assert "voc:person" in table
    assert "glacier" in table
    assert ":glacier" not in table
