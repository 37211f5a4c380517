import json

import pytest

from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.values import Described, Options
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.llm.scripted import ScriptedModel
from tests.agents.ontology_matching.small import HUT, REFUGE, alpine, refuge


def test_a_local_name_becomes_plain_words(described: Described) -> None:
    assert described.find("source", HUT + "hasElevation", "datatype property").syntactic == "has elevation"


def test_a_code_is_replaced_by_its_label(described: Described) -> None:
    keeper = described.find("target", REFUGE + "RF_0000003", "class")
    assert keeper.syntactic == "hut keeper"
    assert not any("rf" in name for name in keeper.names)


def test_synonyms_come_after_own_names(described: Described) -> None:
    keeper = described.find("target", REFUGE + "RF_0000003", "class")
    assert keeper.names[keeper.synonyms_from :] == (("warden",), ("guardian",))


def test_the_lexical_view_holds_names_and_comments_that_both_sides_have(described: Described) -> None:
    booking = described.find("source", HUT + "Booking", "class")
    assert booking.lexical == ("booking",) and booking.told == ("A place kept for somebody for a night",)
    booking = retrieve(alpine(), alpine()).find("target", HUT + "Booking", "class")
    assert booking.lexical == ("booking", "A place kept for somebody for a night")


def test_axioms_are_put_into_words(described: Described) -> None:
    warden = described.find("source", HUT + "Warden", "class")
    assert warden.semantic == "looks after some Mountain hut; disjoint with Mountain hut"
    looks_after = described.find("source", HUT + "looksAfter", "object property")
    assert looks_after.semantic == "domain: Warden; range: Mountain hut"


@pytest.mark.parametrize("name", ["عضو اللجنة", "会议成员", "член комитета"])
def test_names_in_any_script_survive(name: str) -> None:
    ontology = Ontology("x", "x", "x", (Entity("http://x.example/C0000001", "class", labels=(Text(name, "zz"),)),))
    assert retrieve(ontology, alpine()).descriptions[0].syntactic == name


def test_individuals_come_only_when_asked_for() -> None:
    person = Entity("http://x.example/anna", "individual", labels=(Text("Anna"),))
    ontology = Ontology("x", "x", "x", (*alpine().entities, person))
    assert len(retrieve(ontology, refuge()).of("source")) == len(alpine())
    assert len(retrieve(ontology, refuge(), options=Options(individuals=True)).of("source")) == len(alpine()) + 1


def test_an_ontology_without_entities_is_refused() -> None:
    with pytest.raises(ValueError, match="empty: there is no class, property or concept"):
        retrieve(Ontology("empty", "x", "x", ()), alpine())


def test_a_model_defines_what_has_no_definition_and_nothing_else() -> None:
    def answer(request: object) -> str:
        terms = json.loads(request.messages[-1].text)  # type: ignore[attr-defined]
        return json.dumps({"entries": [{"number": int(n), "meaning": f"what {name} is"} for n, name in terms.items()]})

    model = ScriptedModel(answer)
    described = retrieve(alpine(), refuge(), model=model, options=Options(define=True))
    assert "what Warden is" in described.find("source", HUT + "Warden", "class").lexical
    assert not any("what" in text for text in described.find("source", HUT + "Booking", "class").lexical)


def test_a_model_is_not_asked_for_definitions_unless_told_to() -> None:
    model = ScriptedModel(lambda request: "never asked")
    retrieve(alpine(), refuge(), model=model)
    assert not model.asked


def test_a_model_that_answers_nonsense_costs_only_the_definitions() -> None:
    nonsense = ScriptedModel(lambda request: "no idea")
    described = retrieve(alpine(), refuge(), model=nonsense, options=Options(define=True))
    assert described.descriptions == retrieve(alpine(), refuge()).descriptions


def test_what_many_entities_are_told_tells_none_of_them_apart() -> None:
    made_by = (Text("Made with SomeTool"),)
    many = [Entity(f"http://a.example/#C{n}", "class", comments=(*made_by, Text(f"Number {n}"))) for n in "abc"]
    pair = [Entity(f"http://b.example/#D{n}", "class", comments=(Text("Both ends of it"),)) for n in "ab"]
    described = retrieve(Ontology("a", "", "1", tuple(many)), Ontology("b", "", "2", tuple(pair)))
    assert [d.told for d in described.of("source")] == [("Number a",), ("Number b",), ("Number c",)]
    assert [d.told for d in described.of("target")] == [("Both ends of it",)] * 2
