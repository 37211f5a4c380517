"""Datatypes and facets of OWL as shapes."""

from kgnb.kg.terms import XSD, Literal
from kgnb.shapes.checking import holds
from kgnb.shapes.shape import Constraint, Shape
from tests.shapes.reading import read


def fits(shape: Shape, value: Literal) -> bool:
    def kept(constraint: Constraint) -> bool:
        return (
            any(fits(one, value) for one in constraint.shapes)
            if constraint.shapes
            else holds(constraint, value)
        )

    return all(map(kept, shape.constraints))


def faceted(base: str, facet: str, value: str) -> str:
    return f"[ a rdfs:Datatype ; owl:onDatatype {base} ; owl:withRestrictions ( [ xsd:{facet} {value} ] ) ]"


RANGES: dict[str, tuple[list[Literal], list[Literal]]] = {
    "owl:real": (
        [Literal("1", None, f"{XSD}integer"), Literal("1.5", None, f"{XSD}double")],
        [Literal("1")],
    ),
    "rdf:PlainLiteral": ([Literal("a"), Literal("a", "en")], [Literal("1", None, f"{XSD}integer")]),
    "rdfs:Literal": ([Literal("a"), Literal("1", None, f"{XSD}byte")], []),
    "schema:Text": ([Literal("a"), Literal("a", "en")], [Literal("1", None, f"{XSD}integer")]),
    "schema:Number": ([Literal("1", None, f"{XSD}integer")], [Literal("1")]),
    faceted("xsd:decimal", "totalDigits", "3"): (
        [Literal(text, None, f"{XSD}decimal") for text in ("123", "-0012.3", "1.20", "0.001")],
        [Literal(text, None, f"{XSD}decimal") for text in ("1234", "12.34")],
    ),
    faceted("xsd:decimal", "fractionDigits", "1"): (
        [Literal(text, None, f"{XSD}decimal") for text in ("7", "1234.5", "1.50")],
        [Literal("1.25", None, f"{XSD}decimal")],
    ),
    faceted("xsd:string", "length", "2"): (
        [Literal("ab"), Literal("a\n")],
        [Literal("a"), Literal("abc")],
    ),
    faceted("xsd:string", "maxLength", "2"): ([Literal("ab")], [Literal("abc")]),
    faceted("xsd:string", "pattern", '"[A-Z]+"'): ([Literal("AB")], [Literal("ABc")]),
    faceted("xsd:integer", "minInclusive", '"3"'): (
        [Literal("3", None, f"{XSD}integer")],
        [Literal("2", None, f"{XSD}integer"), Literal("3")],
    ),
}


def test_ranges_take_the_literals_of_their_datatype() -> None:
    for range_, (legal, illegal) in RANGES.items():
        _, shapes, _ = read(f":p a owl:DatatypeProperty ; rdfs:range {range_} .")
        assert shapes, range_
        for value in legal:
            assert all(fits(shape, value) for shape in shapes), (range_, value)
        for value in illegal:
            assert not all(fits(shape, value) for shape in shapes), (range_, value)


def test_what_no_shape_expresses_is_reported() -> None:
    _, _, warnings = read(
        ":p a owl:ObjectProperty, owl:TransitiveProperty ; owl:propertyChainAxiom ( :q :r ) . :A a owl:Class ; "
        "owl:hasKey () ; rdfs:subClassOf 'B', [ owl:onProperty [] ] . [] rdfs:subClassOf :A . "
        "[] a owl:NegativePropertyAssertion . :q a owl:DatatypeProperty ; rdfs:range "
        "[ owl:onDatatype xsd:string ; owl:withRestrictions ( [ xsd:unknown 1 ] ) ] . :n owl:imports <urn:other> ."
    )
    assert {warned.kind for warned in warnings} >= {
        "facet",
        "general class axiom",
        "import",
        "key",
        "malformed axiom",
        "negative assertion",
        "no range",
        "property chain",
        "property expression",
        "transitive property",
    }


def test_a_text_where_the_range_expects_another_datatype_is_typed() -> None:
    _, shapes, warnings = read(
        ":month a owl:DatatypeProperty ; rdfs:range xsd:gMonth . :Hut a owl:Class ; "
        "rdfs:subClassOf [ owl:onProperty :month ; owl:hasValue '--01' ] ."
    )
    (wanted,) = [
        c.terms[0] for shape in shapes for c in shape.constraints if c.component == "hasValue"
    ]
    assert wanted == Literal("--01", None, f"{XSD}gMonth")
    assert [warned.kind for warned in warnings if warned.kind == "value"] == ["value"]
