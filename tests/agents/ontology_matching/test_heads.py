from __future__ import annotations

import pytest

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import MatchQuestion, Options, Validated
from kgnb.judging import CallableJudge, Judge, Verdict
from kgnb.kg.ontology import Entity, Kind, Ontology
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.index import MemoryIndex

RELATIONS = Options(relations=True)
RULE = RuleJudge()


def ontology(name: str, *names: str, kind: Kind = "class") -> Ontology:
    iri = f"http://{name}.example/"
    return Ontology(name, iri, name, tuple(Entity(iri + one, kind) for one in names))


def judged(source: Ontology, target: Ontology, judge: Judge[MatchQuestion]) -> Validated:
    stored = store(retrieve(source, target), MemoryIndex(), CharacterEmbedder())
    return validate(summarise(search(stored)), judge)


def told(
    source: Ontology, target: Ontology, options: Options = RELATIONS, judge: Judge[MatchQuestion] = RULE
) -> set[tuple[str, str, str]]:
    return {
        (m.source.rpartition("/")[2], m.relation, m.target.rpartition("/")[2])
        for m in merge(judged(source, target, judge), options=options)
        if m.relation != "equivalent"
    }


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("WinterRoom", "Room", "broader"),
        ("Room", "WinterRoom", "narrower"),
        ("LengthOfRoute", "Length", "broader"),
        ("WinterRooms", "Room", "broader"),
    ],
)
def test_a_name_that_ends_in_another_is_narrower(one: str, other: str, relation: str) -> None:
    assert told(ontology("a", one, "Glacier"), ontology("b", other, "Glacier")) == {(one, relation, other)}


def test_what_a_thing_is_of_is_not_what_it_is() -> None:
    assert told(ontology("a", "LengthOfRoute", "Glacier"), ontology("b", "Route", "Glacier")) == set()
    assert told(ontology("a", "RoomKey", "Glacier"), ontology("b", "Room", "Glacier")) == set()


def test_the_longest_head_is_offered_and_no_class_that_is_mapped() -> None:
    def same_name(question: MatchQuestion) -> Verdict:
        equal = [other.iri for other in question.others if other.name == question.about.name]
        return Verdict("equivalent", equal[0], 1.0) if equal else Verdict("different", None, 1.0)

    pair = ontology("a", "CosyWinterRoom", "Room"), ontology("b", "WinterRoom", "Room")
    assert told(*pair, judge=CallableJudge(same_name)) == {
        ("CosyWinterRoom", "broader", "WinterRoom"),
        ("Room", "narrower", "WinterRoom"),
    }


def test_only_on_request_only_classes_and_only_if_so_much_confidence_is_enough() -> None:
    pair = ontology("a", "WinterRoom", "Glacier"), ontology("b", "Room", "Glacier")
    assert told(*pair, options=Options()) == set()
    assert told(*pair, options=Options(relations=True, confidence=0.9)) == set()
    properties = (ontology(p.name, *(e.local_name for e in p), kind="object property") for p in pair)
    assert told(*properties) == set()


def elements(name: str, *sorts: str) -> Ontology:
    """Lead and iron, as they are and as each of the sorts."""
    iri = f"http://{name}.example/"
    plain = tuple(Entity(iri + one, "class", parents=(iri + "Substance",)) for one in ("Lead", "Iron"))
    further = tuple(
        Entity(iri + one + sort, "class", parents=(iri + sort,)) for one in ("Lead", "Iron") for sort in sorts
    )
    above = tuple(Entity(iri + one, "class") for one in ("Substance", *sorts))
    return Ontology(name, iri, name, (*above, *plain, *further))


def test_lead_has_both_lead_and_lead_atom_for_counterparts() -> None:
    def equal(options: Options, judge: RuleJudge) -> set[tuple[str, str, str]]:
        found = merge(judged(elements("a"), elements("b", "Atom"), judge), options=options)
        return {(m.source_label, m.relation, m.target_label) for m in found if m.source_label == "Lead"}

    plain = ("Lead", "equivalent", "Lead")
    assert equal(Options(), RULE) == {plain}
    assert equal(RELATIONS, RULE) == {plain, ("Lead", "related", "Lead atom")}
    assert equal(Options(cardinality="n:m"), RuleJudge(Weights(rivals=False))) == {
        plain,
        ("Lead", "equivalent", "Lead atom"),
    }


def test_a_thing_of_another_sort_is_not_related_by_its_name() -> None:
    keys = Entity("http://b.example/RoomKey", "class", parents=("http://b.example/Tool",))
    target = ontology("b", "Room", "Tool")
    pair = ontology("a", "Room", "Glacier"), Ontology("b", target.iri, "b", (*target.entities, keys))
    assert told(*pair) == set()
