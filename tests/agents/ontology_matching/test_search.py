"""Candidates that the views find, and those beside them."""

import pytest

from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.rule import RuleJudge
from kgnb.agents.ontology_matching.search import further, search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.values import Found, Options, Ranked, Stored
from kgnb.backends import open_ontology
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.settings import Settings
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.index import MemoryIndex
from tests.agents.ontology_matching.small import HUT, REFUGE


def test_an_equal_synonym_is_a_candidate_from_both_sides(found: Found) -> None:
    pair = (HUT + "Warden", REFUGE + "RF_0000003", "class")
    assert {r.direction for r in found.rankings if r.view == "exact" and r.pair == pair} == {"source", "target"}


def test_a_threshold_of_one_leaves_equal_names_and_equal_vectors_only(stored: Stored) -> None:
    strict = search(stored, options=Options(similarity=1.0))
    assert all(r.view == "exact" or r.score > 0.999 for r in strict.rankings)
    assert any(r.view == "exact" for r in strict.rankings)


def test_k_bounds_the_ranks(stored: Stored) -> None:
    few = search(stored, options=Options(k=1, similarity=0.0))
    assert all(r.rank == 1 for r in few.rankings if r.view != "exact")


def test_the_order_of_the_two_ontologies_changes_neither_candidates_nor_confidence() -> None:
    huts = [open_ontology(f"huts:{name}", Settings()) for name in ("alpine", "refuge")]
    there, back = (
        summarise(search(store(retrieve(*pair), MemoryIndex(), CharacterEmbedder()))) for pair in (huts, huts[::-1])
    )
    ours = {pair: case.probability for pair, case in RuleJudge().weigh(there.questions).items()}
    theirs = {pair: case.probability for pair, case in RuleJudge().weigh(back.questions).items()}
    assert ours == pytest.approx({(one, other, kind): value for (other, one, kind), value in theirs.items()}, abs=1e-9)


def test_a_few_definitions_are_not_opposites_of_each_other() -> None:
    sides = []
    for side, told in (("a", ("wood", "stone")), ("b", ("snow", "rope"))):
        named = [Entity(f"http://{side}.example/{text}", "class", comments=(Text(text),)) for text in told]
        more = [Entity(f"http://{side}.example/{text}", "class") for text in ("hut", "lake", "path", "guide", "key")]
        sides.append(Ontology(side, "", side, (*named, *more)))
    found = search(store(retrieve(*sides), MemoryIndex(), CharacterEmbedder()), options=Options(k=10))
    meant = [cosines.meaning for cosines in found.cosines.values() if cosines.meaning is not None]
    assert meant and all(meaning > -0.2 for meaning in meant)  # by themselves, four are at -1/3 on average


A, B = "http://a.example/", "http://b.example/"


def beside(ones: list[Entity], others: list[Entity], *rankings: Ranked) -> set[tuple[str, str]]:
    sides = (Ontology("a", A, "a", tuple(ones)), Ontology("b", B, "b", tuple(others)))
    found = further(retrieve(*sides), rankings, {})
    assert {(r.source, r.target, r.direction) for r in found} == {
        (r.source, r.target, side) for r in found for side in ("source", "target")
    }
    return {(r.source.removeprefix(A), r.target.removeprefix(B)) for r in found}


def test_the_parent_of_several_candidates() -> None:
    organs = [Entity(B + "Organ", "class", children=(B + "Liver", B + "Spleen"))]
    organs += [Entity(B + name, "class", parents=(B + "Organ",)) for name in ("Liver", "Spleen")]
    ranked = [Ranked(A + "Viscus", B + name, "class", "lexical", "source", 3, 0.4) for name in ("Liver", "Spleen")]
    assert ("Viscus", "Organ") in beside([Entity(A + "Viscus", "class")], organs, *ranked)
    assert ("Viscus", "Organ") not in beside([Entity(A + "Viscus", "class")], organs, ranked[0])


def test_the_inverse_of_a_property() -> None:
    there = [Entity(B + "keeps", "object property", inverse=(B + "keptBy",)), Entity(B + "keptBy", "object property")]
    ranked = Ranked(A + "looksAfter", B + "keeps", "object property", "lexical", "source", 1, 0.7)
    assert ("looksAfter", "keptBy") in beside([Entity(A + "looksAfter", "object property")], there, ranked)


def test_children_of_counterparts_and_properties_between_them() -> None:
    def side(space: str, *names: str) -> list[Entity]:
        child, prop = names
        return [
            Entity(space + "Hut", "class", children=(space + child,)),
            Entity(space + child, "class", parents=(space + "Hut",)),
            Entity(space + prop, "object property", domain=(space + "Hut",), range=(space + "Hut",)),
        ]

    equal = Ranked(A + "Hut", B + "Hut", "class", "exact", "source", 1, 1.0)
    found = beside(side(A, "Bothy", "near"), side(B, "Shelter", "closeTo"), equal)
    assert {("Bothy", "Shelter"), ("near", "closeTo")} <= found


def test_names_that_are_equal_but_for_a_qualifier() -> None:
    long = Entity(A + "x1", "class", labels=(Text("plexiform layer of the cerebral cortex"),))
    assert beside([long], [Entity(B + "PlexiformLayer", "class")]) == {("x1", "PlexiformLayer")}


def test_what_is_near_but_below_the_threshold_comes_last_the_nearest_first() -> None:
    ones = [Entity(A + "Encounter", "class")]
    others = [Entity(B + name, "class") for name in ("Bed", "Visit", "Ward")]
    sides = (Ontology("a", A, "a", tuple(ones)), Ontology("b", B, "b", tuple(others)))
    ranked = [Ranked(A + "Encounter", B + "Ward", "class", "lexical", "source", 1, 0.4)]
    near = {
        (A + "Encounter", B + name, "class"): score for name, score in (("Bed", 0.1), ("Visit", 0.2), ("Ward", 0.4))
    }
    found = [one for one in further(retrieve(*sides), ranked, near) if one.direction == "source"]
    assert [one.target for one in sorted(found, key=lambda one: one.rank)] == [B + "Visit", B + "Bed"]
    assert min(one.rank for one in found) > 1
