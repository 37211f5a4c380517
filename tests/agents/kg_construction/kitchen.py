"""A small T-Box that states every kind of axiom the compiler reads."""

from rdflib import Graph

from kgnb.agents.kg_construction.compile import compile
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.kg.rdflib_graph import RdflibGraph

K = "https://hut.example/kitchen#"
OM = "http://www.ontology-of-units-of-measure.org/resource/om-2/"
PREFIXES = """
@prefix : <https://hut.example/kitchen#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix om: <http://www.ontology-of-units-of-measure.org/resource/om-2/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix qudt: <http://qudt.org/schema/qudt/> .
"""
TBOX = (
    PREFIXES
    + """
<https://hut.example/kitchen> a owl:Ontology .
:Dish a owl:Class ; rdfs:comment "Something cooked and served." ;
  rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :hasStep ; owl:someValuesFrom :Step ] ,
    [ a owl:Restriction ; owl:onProperty :servedAs ; owl:maxCardinality 2 ] ,
    [ a owl:Restriction ; owl:onProperty :cookedBy ; owl:allValuesFrom :Cook ] .
:Soup a owl:Class ; rdfs:subClassOf :Dish ,
    [ a owl:Restriction ; owl:onProperty :servedAs ; owl:hasValue :starter ] .
:Cake a owl:Class ; rdfs:subClassOf :Dish ; owl:disjointWith :Soup ;
  rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :hasIngredient ; owl:minQualifiedCardinality 2 ;
    owl:onClass :Ingredient ] .
:VegetarianDish a owl:Class ; rdfs:subClassOf :Dish ,
    [ a owl:Class ; owl:complementOf
      [ a owl:Restriction ; owl:onProperty :hasIngredient ; owl:someValuesFrom :Meat ] ] .
:Step a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :hasOrder ; owl:cardinality 1 ] .
:Ingredient a owl:Class . :Meat a owl:Class ; rdfs:subClassOf :Ingredient .
:Herb a owl:Class ; rdfs:subClassOf :Ingredient .
:Person a owl:Class . :Cook a owl:Class ; rdfs:subClassOf :Person . :Guest a owl:Class ; rdfs:subClassOf :Person .
:Staff a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:unionOf ( :Cook :Waiter ) ] .
:Waiter a owl:Class ; rdfs:subClassOf :Person .
[] a owl:AllDisjointClasses ; owl:members ( :Dish :Step :Person :Ingredient ) .
:Course a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:oneOf ( :starter :main :dessert ) ] .
:starter rdfs:label "starter"@en . :main rdfs:label "main course"@en . :dessert rdfs:label "dessert"@en .
:hasStep a owl:ObjectProperty , owl:InverseFunctionalProperty ; rdfs:domain :Dish ; rdfs:range :Step ;
  owl:inverseOf :stepOf .
:stepOf a owl:ObjectProperty .
:hasFirstStep a owl:ObjectProperty , owl:FunctionalProperty ; rdfs:subPropertyOf :hasStep .
:hasIngredient a owl:ObjectProperty ; rdfs:domain [ a owl:Class ; owl:unionOf ( :Dish :Step ) ] ;
  rdfs:range :Ingredient .
:cookedBy a owl:ObjectProperty ; rdfs:domain :Dish ; rdfs:range :Person .
:helps a owl:ObjectProperty , owl:SymmetricProperty ; rdfs:domain :Person ; rdfs:range :Person .
:servedAs a owl:ObjectProperty ; rdfs:domain :Dish ; rdfs:range :Course .
:follows a owl:ObjectProperty , owl:AsymmetricProperty , owl:IrreflexiveProperty ; rdfs:domain :Step ;
  rdfs:range :Step .
:likes a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Dish .
:dislikes a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Dish ; owl:propertyDisjointWith :likes .
:hasTemperature a owl:ObjectProperty ; rdfs:domain :Step ; rdfs:range om:Temperature .
:hasOrder a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:domain :Step ;
  rdfs:range [ a rdfs:Datatype ; owl:onDatatype xsd:integer ;
    owl:withRestrictions ( [ xsd:minInclusive 1 ] [ xsd:maxInclusive 99 ] ) ] .
:difficulty a owl:DatatypeProperty ; rdfs:domain :Dish ; rdfs:range [ a rdfs:Datatype ; owl:oneOf ( "easy" "hard" ) ] .
:price a owl:DatatypeProperty ; rdfs:domain :Dish ; rdfs:range xsd:decimal .
:since a owl:DatatypeProperty ; rdfs:domain :Dish ; rdfs:range xsd:date .
:note a owl:DatatypeProperty .
:ancestor a owl:ObjectProperty , owl:TransitiveProperty ; rdfs:domain :Person ; rdfs:range :Person .
:uncle a owl:ObjectProperty ; owl:propertyChainAxiom ( :ancestor :helps ) .
:DishShape a sh:NodeShape ; sh:targetClass :Dish ;
  sh:property [ sh:path :note ; sh:maxLength 20 ; sh:minLength 2 ; sh:maxCount 1 ; sh:pattern "^[a-z ]+$" ] ;
  sh:property [ sh:path :price ; sh:minInclusive 0 ; sh:maxExclusive 1000 ] .
"""
)

HUTS = """
@prefix : <https://hut.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<https://hut.example> a owl:Ontology .
:Hut a owl:Class ; rdfs:label "hut" .
:beds a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:domain :Hut ; rdfs:range xsd:integer .
"""


def graph_of(turtle: str) -> RdflibGraph:
    """A kgnb graph of some Turtle."""
    return RdflibGraph(Graph().parse(data=turtle, format="turtle"))


def pack_of(turtle: str) -> ToolPack:
    """The tools of some Turtle, with the usual prefixes in front."""
    return compile(graph_of(PREFIXES + turtle))


def kitchen() -> ToolPack:
    """The tools of the small kitchen."""
    return compile(graph_of(TBOX))


def opened(pack: ToolPack, *, checked: bool = True) -> ConstructionSession:
    """A session over it."""
    return pack.session(namespace="https://hut.example/data/", checked=checked)


def made(turtle: str, **entities: str) -> tuple[ConstructionSession, dict[str, str]]:
    """A session over some Turtle with an entity for each name, of the class given, and their IRIs."""
    session, iris = opened(pack_of(turtle)), dict[str, str]()
    for name, kind in entities.items():
        result = session.call(f"create_{kind}", {"label": name})
        assert result.ok, result.violations
        iris[name] = result.iri
    return session, iris
