import pytest
from rdflib import Graph

from kgnb.kg.rdflib_graph import from_rdflib
from kgnb.kg.terms import XSD, Iri, Literal
from kgnb.shapes.datatypes import compare, is_legal
from kgnb.shapes.facts import Facts
from kgnb.shapes.shape import Path, inverse, one
from tests.agents.kg_construction.kitchen import PREFIXES, opened, pack_of
from tests.conformance.agreement import differences


def iris(*names: str) -> list[Iri]:
    return [Iri(f"urn:{name}") for name in names]


@pytest.mark.parametrize(("properties", "values"), [(1, 1), (1, 30), (3, 3)])
def test_facts_of_a_node_are_the_same_however_many_there_are(properties: int, values: int) -> None:
    """A property of few values is stored in another form than one of many."""
    hub, (*names,) = Iri("urn:hub"), iris(*(f"p{at}" for at in range(properties)))
    ends = [*iris(*(f"e{at}" for at in range(values))), Literal("e", None, f"{XSD}string")]
    facts = Facts((hub, name, end) for name in names for end in ends)
    assert not facts.add((Iri("urn:hub"), names[0], ends[0])), "said already"
    assert len(facts) == len(list(facts)) == len(names) * len(ends)
    assert {name: list(found) for name, found in facts.about(hub).items()} == dict.fromkeys(
        names, ends
    )
    assert list(facts.pointing_at(ends[-1])) == names and facts.subjects(ends[-1], names[-1]) == [
        hub
    ]
    for end in ends[1:]:
        facts.remove((hub, names[-1], end))
    assert facts.objects(hub, names[-1]) == ends[:1] == [end for _, end in facts.pairs(names[-1])]
    facts.remove((hub, names[-1], ends[0]))
    assert not list(facts.pairs(names[-1])) and names[-1] not in facts.about(hub)
    assert facts.knows(hub) == (properties > 1) and facts.subjects(ends[0], names[0]) == [hub] * (
        properties > 1
    )


def test_paths_are_followed() -> None:
    a, b, c, p, q = iris("a", "b", "c", "p", "q")
    facts = Facts([(a, p, b), (b, p, c), (c, p, a), (c, q, a)])
    star = Path("zeroOrMore", parts=(one(p),))
    assert facts.follow(a, star) == [a, b, c]
    assert facts.follow(a, inverse(Path("sequence", parts=(one(p), one(p))))) == [b]
    assert facts.follow(a, Path("alternative", parts=(one(q), inverse(one(q))))) == [c]
    assert facts.follow(a, Path("oneOrMore", parts=(one(p),))) == [b, c, a]
    assert facts.follow(a, Path("zeroOrOne", parts=(one(p),))) == [a, b]


LEGAL = {"integer": "1", "double": "INF", "date": "2024-02-29", "duration": "PT2H"}
ILLEGAL = {
    "integer": "1.0",
    "nonNegativeInteger": "-1",
    "decimal": "1e3",
    "date": "2023-02-29",
    "boolean": "yes",
    "duration": "P",
    "time": "25:00:00",
    "anyURI": "a b",
}


def test_lexical_spaces() -> None:
    assert all(is_legal(text, f"{XSD}{datatype}") for datatype, text in LEGAL.items())
    assert not [one for one, text in ILLEGAL.items() if is_legal(text, f"{XSD}{one}")]


def test_values_compare_across_number_types_and_not_across_kinds() -> None:
    def typed(text: str, name: str) -> Literal:
        return Literal(text, None, f"{XSD}{name}")

    assert compare(typed("2", "integer"), typed("10", "decimal")) == -1
    assert compare(typed("2024-01-01", "date"), typed("2024-01-02", "date")) == -1
    assert compare(typed("2", "integer"), Literal("2")) is None
    assert compare(typed("NaN", "double"), typed("1", "double")) is None


SHAPES = [
    "sh:property [ sh:path :p ; sh:minCount 1 ; sh:maxCount 2 ]",
    "sh:property [ sh:path :p ; sh:or ( [ sh:datatype xsd:string ] [ sh:class :B ] ) ]",
    "sh:property [ sh:path ( :q :p ) ; sh:maxCount 1 ]",
    "sh:property [ sh:path [ sh:inversePath :q ] ; sh:class :B ; sh:maxCount 1 ]",
    "sh:property [ sh:path :q ; sh:qualifiedValueShape [ sh:class :B ] ; sh:qualifiedMaxCount 1 ]",
    "sh:property [ sh:path :q ; sh:node [ sh:property [ sh:path :p ; sh:maxCount 1 ] ] ]",
    "sh:not [ sh:property [ sh:path :p ; sh:hasValue 'x' ] ]",
    "sh:xone ( [ sh:property [ sh:path :p ; sh:minCount 1 ] ] [ sh:property [ sh:path :q ; sh:minCount 1 ] ] )",
    "sh:property [ sh:path :p ; sh:equals :r ]",
    "sh:property [ sh:path :p ; sh:disjoint :r ]",
    "sh:property [ sh:path :n ; sh:lessThan :m ]",
    "sh:property [ sh:path :p ; sh:uniqueLang true ; sh:languageIn ( 'en' 'de' ) ]",
    "sh:closed true ; sh:ignoredProperties ( rdf:type rdfs:label ) ; sh:property [ sh:path :p ]",
    "sh:property [ sh:path [ sh:zeroOrMorePath :q ] ; sh:class :A ]",
    "sh:property [ sh:path :p ; sh:in ( 'a' 'b' ) ; sh:pattern '^a' ; sh:flags 'i' ]",
]
DATA = """
:a a :A ; :p 'x' , 'y' , 'z' ; :q :b , :c ; :n 3 ; :m 2 . :b a :B ; :p 'x'@en , 'y'@en ; :q :a . :c a :B , :A ; :p :b ;
  :r 'a' . :d a :A ; :p 'A' ; :r 'A' ; :q :d . :e a :A ; :q :b . :f a :C .
"""


def test_agrees_with_pyshacl() -> None:
    classes = ":A a owl:Class . :C a owl:Class ; rdfs:subClassOf :A ."
    for shape in SHAPES:
        session = opened(
            pack_of(f"{classes} :S a sh:NodeShape ; sh:targetClass :A ; {shape} ."), checked=False
        )
        for triple in Graph().parse(data=PREFIXES + DATA, format="turtle"):
            session.facts.add(tuple(map(from_rdflib, triple)))
        session.version += 1
        assert not differences(session), shape
