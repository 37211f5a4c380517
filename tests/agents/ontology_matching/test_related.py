"""Candidates beside those that the views find."""

from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.search import further
from kgnb.agents.ontology_matching.values import Ranked
from kgnb.kg.ontology import Entity, Ontology, Text

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
