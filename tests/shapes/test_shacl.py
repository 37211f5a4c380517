"""SHACL read as shapes, and written again."""

from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.shapes.checking import ClassHierarchy
from kgnb.shapes.facts import Facts
from kgnb.shapes.shacl import has_shapes, read_shapes, shacl_turtle
from tests.shapes.reading import BASE, PREFIXES


def facts(turtle: str) -> Facts:
    graph = OxigraphGraph()
    graph.update(f"{PREFIXES} INSERT DATA {{ {turtle} }}")
    return Facts(graph.triples())


SHAPES = """
:Hut a rdfs:Class, sh:NodeShape ; sh:closed true ; sh:ignoredProperties ( rdf:type ) ; sh:property [ sh:path :name ;
  sh:datatype xsd:string ; sh:minCount 1 ; sh:maxCount 2 ; sh:pattern "^A" ; sh:flags "i" ; sh:message "a name" ] ,
  [ sh:path [ sh:inversePath ( :in [ sh:zeroOrMorePath :near ] ) ] ; sh:node :Other ; sh:severity sh:Warning ] ,
  [ sh:path [ sh:alternativePath ( :a :b ) ] ; sh:qualifiedValueShape [ sh:class :Bed ] ; sh:qualifiedMinCount 2 ] ,
  [ sh:path :label ; sh:uniqueLang true ; sh:languageIn ( "en" ) ] .
:Other sh:targetSubjectsOf :in ; sh:or ( [ sh:nodeKind sh:IRI ] [ sh:in ( 1 "x" :y ) ] ) ; sh:not [ sh:hasValue 3 ] .
:Off sh:targetNode :x ; sh:deactivated true ; sh:property [ sh:path :n ; sh:lessThan :m ; sh:minInclusive 0.5 ] .
"""


def test_written_shapes_are_read_back_the_same() -> None:
    shapes, named, warnings = read_shapes(facts(SHAPES))
    assert not warnings and {shape.id.removeprefix(BASE) for shape in shapes} == {
        "Hut",
        "Off",
        "Other",
    }
    assert named[BASE + "Hut"].classes == (BASE + "Hut",)  # an implicit class target
    turtle = shacl_turtle(shapes, named, ClassHierarchy({}, {}), {"h": BASE})
    graph = OxigraphGraph()
    prefixes, _, body = turtle.partition("\n\n")
    header = prefixes.replace("@prefix", "PREFIX").replace(" .\n", "\n").removesuffix(" .")
    graph.update(f"{header}\nINSERT DATA {{ {body} }}")
    again, _, _ = read_shapes(Facts(graph.triples()))
    assert shacl_turtle(again, {}, ClassHierarchy({}, {}), {"h": BASE}) == turtle


def test_what_cannot_be_read_is_reported() -> None:
    _, _, warnings = read_shapes(
        facts(
            ":S sh:targetClass :Hut, 'no class' ; sh:minCuont 1 ; sh:minCount 'many' ; sh:pattern '(' ; sh:class 'Bed' "
            "; sh:or () ; sh:sparql [] ; sh:property [ sh:maxCount 1 ] , [ sh:path [] ] . "
            "_:c sh:targetNode :x ; sh:not _:c ."
        )
    )
    kinds = {
        "SHACL beyond the core",
        "circular shape",
        "malformed shape",
        "number",
        "pattern",
        "unknown term",
    }
    assert {warned.kind for warned in warnings} == kinds
    assert "there is no sh:minCuont; sh:minCount?" in {warned.text for warned in warnings}
    assert has_shapes(facts(SHAPES)) and not has_shapes(facts(":a :b :c ."))
