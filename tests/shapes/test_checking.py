"""What the checker foresees."""

from kgnb.kg.terms import Iri, Triple
from kgnb.shapes.checking import Checker, ClassHierarchy
from kgnb.shapes.facts import Facts
from kgnb.shapes.shape import TYPE, Constraint, Shape, one
from tests.shapes.reading import BASE, read


def checker_of(turtle: str) -> Checker:
    tbox, shapes, _ = read(turtle)
    return Checker(shapes, ClassHierarchy(tbox.below, tbox.enumerated))


def iris(*names: str) -> list[Iri]:
    return [Iri(BASE + name) for name in names]


def test_classes_are_apart_where_they_or_their_superclasses_are_disjoint() -> None:
    checker = checker_of(
        ":A a owl:Class ; owl:disjointWith :B . :B a owl:Class . :C rdfs:subClassOf :B . :D a owl:Class . "
        ":E rdfs:subClassOf :A ."
    )
    a, b, c, d, e = iris("A", "B", "C", "D", "E")
    for first, second in ((a, b), (a, c), (e, b), (e, c)):
        assert (
            checker.apart([first], second)
            and checker.apart([second], first)
            and checker.clash(first, second)
        )
    for other in (a, b, c, e):
        assert not checker.apart([d], other) and not checker.clash(d, other)


def test_a_violation_is_final_where_no_fact_can_undo_it() -> None:
    node, p, q = iris("node", "p", "q")
    lost = Shape((Constraint("maxCount", number=0),), path=one(p))
    open_ = Shape((Constraint("minCount", number=1),), path=one(q))
    kept = Shape((Constraint("minCount", number=1),), path=one(p))
    passing = Shape((Constraint("maxCount", number=2),), path=one(p))
    facts = Facts([(node, p, node)])
    for component, shapes, final in (
        ("and", (kept, open_), False),
        ("and", (lost, open_), True),
        ("or", (lost, open_), False),
        ("or", (lost, lost), True),
        ("xone", (lost, open_), False),
        ("xone", (lost, lost), True),
        ("xone", (kept, passing), False),
        ("xone", (kept, kept), True),
        ("not", (kept,), True),
        ("not", (passing,), False),
    ):
        shape = Shape((Constraint(component, shapes=shapes),), nodes=(node,))
        (found,) = Checker([shape], ClassHierarchy({}, {})).everything(facts)
        assert found[1].final is final, (component, shapes)


def test_a_fact_that_makes_a_demand_impossible_is_found_at_once() -> None:
    checker = checker_of(
        ":Hut owl:disjointWith :Valley ; rdfs:subClassOf [ owl:onProperty :near ; owl:someValuesFrom :Hut ] ."
        ":Hut a owl:Class . :Valley a owl:Class . :near a owl:ObjectProperty, owl:FunctionalProperty ."
    )
    hut, near, valley, other, kind, place = iris("hut", "near", "valley", "other", "Hut", "Valley")
    facts = Facts([(hut, TYPE, kind), (valley, TYPE, place), (other, TYPE, kind)])
    for value, broken in ((other, False), (valley, True)):
        fact: Triple = (hut, near, value)
        facts.add(fact)
        assert bool(checker.at_once(facts, [fact])) is broken
        facts.remove(fact)
