"""What a model is sent: short notes together, long documents in steps, and the ontology's words."""

import json
from pathlib import Path

import pytest
import rdflib

from kgnb.agents.kg_construction.generic_tools import schema_tokens
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.ontology_terms import OntologyTerms
from kgnb.agents.kg_construction.plan import LONG, MOST_STEPS, plan
from kgnb.errors import DataError
from kgnb.llm.model import Reply, Request
from kgnb.llm.prices import estimate_usage
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph, compile_ontology
from tests.agents.kg_construction.kitchen import pack_of
from tests.agents.kg_construction.test_instantiate import calls
from tests.agents.kg_construction.test_nothing_lost import provenance

CHOIRS = pack_of(
    ":Choir a owl:Class . :Person a owl:Class . :led a owl:ObjectProperty ; rdfs:label 'led by' ; "
    "rdfs:domain :Choir ; rdfs:range :Person . :voices a owl:DatatypeProperty ; rdfs:domain :Choir ; "
    "rdfs:range xsd:integer ."
)
NOTES = {
    "a.txt": "The Larks have 20 voices.",
    "b.txt": "Ida Renn leads the Larks.",
    "c.txt": "The Finches have 30 voices.",
}


def singing(request: Request) -> Reply:
    if any(message.role == "tool" for message in request.messages):
        return calls(("finish", {}))
    return calls(
        ("create_choir", {"label": "Larks", "id": "l", "voices": 20, "quote": "Larks have 20"}),
        ("create_person", {"label": "Ida Renn", "id": "i", "quote": "Ida Renn"}),
        ("add_led", {"subject": "l", "object": "i", "quote": "Ida Renn leads the Larks"}),
        ("create_choir", {"label": "Finches", "voices": 30, "quote": "The Finches have 30"}),
    )


def test_short_notes_share_a_request_and_each_fact_is_of_its_note(tmp_path: Path) -> None:
    model = ScriptedModel(singing)
    built = build_graph(NOTES, CHOIRS, judge="model", model=model, folder=tmp_path)
    assert len(model.asked) == 2 and built.counts()["refused"] == 0 and not built.doubts
    tokens = sum(estimate_usage(request).prompt_tokens for request in model.asked)
    assert tokens / len(NOTES) <= 1500
    graph = provenance(built.session.trig())
    rows = graph.query(
        """PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX k: <https://hut.example/kitchen#>
        SELECT ?p ?o ?d { GRAPH ?g { ?s ?p ?o } ?g prov:wasDerivedFrom ?d
        FILTER(?p IN (k:voices, k:led)) }"""
    )
    found = {(str(p).rsplit("#", 1)[-1], str(d).rsplit(":", 1)[-1]) for p, o, d in rows}
    assert found == {("voices", "a.txt"), ("led", "b.txt"), ("voices", "c.txt")}
    spans = [
        (one.document, NOTES[one.document][a.start : a.end])
        for one in built.journals
        for a in one.acts
    ]
    assert ("b.txt", "Ida Renn leads the Larks") in spans and ("c.txt", "Finches") in spans
    again = build_graph(
        NOTES,
        CHOIRS,
        judge="model",
        model=ScriptedModel(lambda request: pytest.fail("it was asked again")),
        folder=tmp_path,
    )
    assert again.session.trig() == built.session.trig() and again.counts()["resumed"] == 3
    alone = ScriptedModel(lambda request: calls(("finish", {})))
    build_graph(NOTES, CHOIRS, judge="model", model=alone, options=Options(together=0))
    assert len(alone.asked) == 3


def test_a_quote_of_none_of_several_notes_is_refused() -> None:
    model = ScriptedModel(
        lambda request: (
            calls(("finish", {}))
            if any(message.role == "tool" for message in request.messages)
            else calls(("create_choir", {"label": "Larks", "quote": "the Larks of the north"}))
        )
    )
    built = build_graph(NOTES, CHOIRS, judge="model", model=model)
    assert not built.session.facts and len(built.doubts) == 1


def wide() -> str:
    """An ontology whose typed tools take more than one request."""
    classes = " ".join(
        f":C{n} a owl:Class ; rdfs:label 'kind {n}' ; rdfs:comment '{'word ' * 150}end of {n}.' . "
        + " ".join(
            f":p{n}_{k} a owl:DatatypeProperty ; rdfs:label 'value {n} {k}' ; rdfs:domain :C{n} ; "
            "rdfs:range xsd:string ."
            for k in range(9)
        )
        for n in range(8)
    )
    return classes


WIDE = pack_of(wide())


def test_a_long_document_is_read_in_steps_with_typed_tools_and_a_short_one_in_one_request() -> None:
    steps = plan(WIDE, longest=LONG)
    assert 1 < len(steps) <= MOST_STEPS
    assert all(not one.generic and schema_tokens(WIDE, one.step.tools) <= 6000 for one in steps)
    made = [iri for one in steps for iri in one.step.classes]
    assert sorted(made) == sorted(tool.term for tool in WIDE.of_kind("create"))
    stated = {name for one in steps for name in one.step.tools}
    assert {tool.name for tool in WIDE.of_kind("add")} <= stated
    assert (
        plan(WIDE).prompts[0].generic and plan(WIDE, longest=LONG, no_plan=True).prompts[0].generic
    )
    assert len(plan(CHOIRS, longest=LONG)) == 1


@pytest.mark.parametrize("longest", [0, LONG])
def test_comments_reach_the_model_whole_or_by_describe(longest: int) -> None:
    told: list[str] = []

    def curious(request: Request) -> Reply:
        told.extend(m.text for m in request.messages)
        tools = {tool.name for tool in request.tools}
        asked = any(message.role == "tool" for message in request.messages)
        if "describe" in tools and not asked:
            return calls(*(("describe", {"name": f"kind {n}"}) for n in range(8)))
        return calls(("finish", {}))

    text = "Something long. " * (longest // 10 or 1)
    options = Options(passage=100_000)
    build_graph({"n": text}, WIDE, judge="model", model=ScriptedModel(curious), options=options)
    assert all(
        any(f"end of {n}." in text or f"end of {n}" in text for text in told) for n in range(8)
    )


def test_instructions_reach_the_steps_they_are_about(tmp_path: Path) -> None:
    file = tmp_path / "how.md"
    file.write_text("Use SI units.\n\n# kind 3\nOnly in gloves.\n\n# value 5 1\nIn italics.\n")
    prompts = plan(WIDE, longest=LONG, instructions=str(file)).prompts
    assert all("Use SI units." in one.text for one in prompts)
    having = [one for one in prompts if "Only in gloves." in one.text]
    assert len(having) == 1 and any("C3" in iri for iri in having[0].step.classes)
    assert "In italics." in plan(WIDE, instructions=str(file)).prompts[0].text
    file.write_text("# kind 33\nx")
    with pytest.raises(DataError, match="no class or property 'kind 33'"):
        plan(WIDE, instructions=str(file))
    model = ScriptedModel(lambda request: calls(("finish", {})))
    file.write_text("Be brief.")
    build_graph(
        {"n": "x"}, CHOIRS, judge="model", model=model, options=Options(instructions=str(file))
    )
    assert "Be brief." in model.asked[0].messages[1].text


def test_a_plan_of_ones_own_is_followed(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(
        '[{"name": "people", "goal": "Singers only.", "tool_groups": {"create": ["create_person"]}},'
        ' {"name": "choirs", "tool_groups": {"create": ["create_choir"], "add": ["add_led"]}}]'
    )
    model = ScriptedModel(lambda request: calls(("finish", {})))
    options = Options(plan=str(file))
    build_graph({"n": "x"}, CHOIRS, judge="model", model=model, options=options)
    told = ["Singers only." in request.messages[1].text for request in model.asked]
    offered = [{tool.name for tool in request.tools} for request in model.asked]
    assert told == [True, False] and offered == [
        {"create_person", "finish"},
        {"create_choir", "add_led", "finish"},
    ]
    file.write_text('[{"name": "people", "tool_groups": {"create": ["create_persn"]}}]')
    with pytest.raises(DataError, match="create_persn") as error:
        plan(CHOIRS, follow=str(file))
    assert "create_person" in str(error.value)


def test_an_edited_name_of_a_step_is_told(tmp_path: Path) -> None:
    CHOIRS.save(tmp_path / "pack")
    steps = json.loads((tmp_path / "pack" / "plan.json").read_text())
    model = ScriptedModel(lambda request: calls(("finish", {})))
    for name in (steps["steps"][0]["name"], "women who sing"):
        steps["steps"][0]["name"] = name
        (tmp_path / "plan.json").write_text(json.dumps(steps))
        options = Options(plan=str(tmp_path / "plan.json"))
        build_graph({"n": "x"}, CHOIRS, judge="model", model=model, options=options)
    told = [request.messages[1].text for request in model.asked]
    assert ["women who sing" in text for text in told] == [
        *[False] * len(steps["steps"]),
        True,
        *[False] * (len(steps["steps"]) - 1),
    ]
    assert not any("Find every" in text for text in told)  # the usual goal, which nobody wrote


def test_what_a_text_says_without_a_number_may_be_a_quantity() -> None:
    from tests.agents.kg_construction.test_instantiate import PACK

    session = PACK.session()
    assert session.call("create_temperature", {"label": "room temperature"}).ok
    for wrong in ({"value": 20}, {"label": "20 degrees"}, {}):
        assert not session.call("create_temperature", wrong).ok


TOLD = {"huts:dairy": "Zirm Dairy makes Brisette of 300 litres of milk, with rennet S-104-B."}
TOLD |= {
    "huts:kitchen": "Pancakes of the Ambre Hut, for four: 200 g flour, 2 eggs and 300 ml milk."
}


@pytest.mark.parametrize(("tbox", "note"), TOLD.items())
def test_a_short_note_takes_one_request_of_few_tokens_that_names_every_term(
    tbox: str, note: str
) -> None:
    pack = compile_ontology(tbox)

    def asked(options: Options = Options()) -> list[Request]:
        model = ScriptedModel(lambda request: calls(("finish", {})))
        build_graph({"n.txt": note}, pack, judge="model", model=model, options=options)
        return model.asked

    (request,) = asked()
    assert estimate_usage(request).prompt_tokens <= 1500
    prompt = request.messages[1].text
    for entry in (*OntologyTerms(pack).classes, *OntologyTerms(pack).properties):
        assert entry.name in prompt
    (usual,) = asked(Options(note_budget=0))
    assert estimate_usage(usual).prompt_tokens > 2000
    assert {tool.name for tool in request.tools} >= {"create", "add", "finish"}


def test_a_class_that_stands_for_a_datatype_is_told_and_filled_as_a_plain_value() -> None:
    """As ontologies made from triples have them: number and date are classes."""
    tbox = """@prefix : <urn:x#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Ferry a owl:Class . :Yard a owl:Class . :number a owl:Class . :date a owl:Class .
    :berths a owl:ObjectProperty ; rdfs:domain :Ferry ; rdfs:range :number .
    :launched a owl:ObjectProperty ; rdfs:domain :Ferry ; rdfs:range :date .
    :builder a owl:ObjectProperty ; rdfs:domain :Ferry ; rdfs:range :Yard .
    """
    note = {"n.txt": "The ferry Alma has 40 berths and was launched on 3 May 1971."}
    facts = {"berths": 40, "launched": "3 May 1971"}
    model = ScriptedModel(
        lambda request: calls(
            ("create", {"class": "Ferry", "label": "Alma", "facts": facts, "quote": "ferry Alma"}),
            ("finish", {}),
        )
    )
    for derive_types in (False, True):
        pack = compile_ontology(
            rdflib.Graph().parse(data=tbox, format="turtle"), derive_types=derive_types
        )
        built = build_graph(note, pack, judge="model", model=model)
        assert not built.doubts and built.counts()["refused"] == 0
        labels = set(built.session.graph.objects(None, rdflib.RDFS.label))
        assert {"Alma", "40", "1971-05-03"} == {str(label) for label in labels}
        prompt = model.asked[-1].messages[1].text
        for line in ("berths: number", "launched: date", "builder: -> Yard", '"berths": 12'):
            assert line in prompt
        assert "- number" not in prompt and "- date" not in prompt
        assert ("refused of what is not of that class" in prompt) != derive_types
        assert ("do not bind" in prompt) == derive_types


def test_a_short_note_is_told_what_its_words_call_for_of_a_large_ontology() -> None:
    many = pack_of(
        " ".join(
            f":C{n} a owl:Class ; rdfs:label '{name} {n}' . :p{n} a owl:DatatypeProperty ; "
            f"rdfs:label 'reading {name} {n}' ; rdfs:domain :C{n} ; rdfs:range xsd:integer ."
            for n, name in enumerate(["gauge", "valve", "pump"] * 60)
        )
        + " :Heron a owl:Class ; rdfs:label 'grey heron' ; rdfs:subClassOf :C0 . "
        ":nests a owl:DatatypeProperty ; rdfs:label 'nests' ; rdfs:domain :Heron ; rdfs:range xsd:integer ."
    )

    def heron(request: Request) -> Reply:
        assert estimate_usage(request).prompt_tokens <= 1500
        assert "- grey heron" in request.messages[1].text
        assert "nests (of grey heron)" in request.messages[1].text
        assert {"search", "describe"} <= {tool.name for tool in request.tools}
        facts = {"nests": 3}
        return calls(
            ("create", {"class": "grey heron", "label": "Bill", "facts": facts, "quote": "Bill"}),
            ("finish", {}),
        )

    model = ScriptedModel(heron)
    note = {"n.txt": "Bill the grey heron has 3 nests."}
    built = build_graph(note, many, judge="model", model=model)
    assert len(model.asked) == 1 and not built.doubts
    assert any(p.endswith("nests") for _, p, _ in built.session.facts)


def test_a_short_note_is_read_at_once_beside_a_long_document_unless_a_plan_is_given(
    tmp_path: Path,
) -> None:
    documents = {"long.txt": "There are many values here. " * 200, "short.txt": "Value 3 4 is x."}

    def asked(options: Options) -> list[set[str]]:
        model = ScriptedModel(lambda request: calls(("finish", {})))
        build_graph(documents, WIDE, judge="model", model=model, options=options)
        short = (one for one in model.asked if "Value 3 4 is x." in one.messages[1].text)
        return [{tool.name for tool in request.tools} for request in short]

    steps = len(plan(WIDE, longest=LONG))
    assert steps > 1 and len(asked(Options(note_budget=0))) == steps
    (tools,) = asked(Options())
    assert "create" in tools
    WIDE.save(tmp_path)
    assert all("create" not in one for one in asked(Options(plan=str(tmp_path / "plan.json"))))
