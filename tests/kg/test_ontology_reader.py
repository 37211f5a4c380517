"""Ontologies read out of graphs."""

from pathlib import Path
from typing import Literal as OneOf

import pytest

from kgnb.errors import DataError
from kgnb.kg.graph import Solutions
from kgnb.kg.loading import load
from kgnb.kg.ontology import Entity, Kind, Ontology, Restriction, Text
from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Iri, Literal, Term, Triple

HEAD = """@prefix : <http://hut.example/onto#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix oboInOwl: <http://www.geneontology.org/formats/oboInOwl#> . @prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix dcterms: <http://purl.org/dc/terms/> . @prefix schema: <https://schema.org/> .
"""
ONTO = "http://hut.example/onto#"


def read(
    folder: Path,
    turtle: str,
    *,
    individuals: bool = False,
    concepts: OneOf["alone", "beside"] = "alone",
) -> Ontology:
    path = folder / "onto.ttl"
    path.write_text(HEAD + turtle, encoding="utf-8")
    graph = OxigraphGraph(name="onto")
    load(graph, path)
    return read_ontology(graph, individuals=individuals, concepts=concepts)


def entity(ontology: Ontology, name: str, kind: Kind | None = None) -> Entity:
    found = ontology.find(ONTO + name, kind)
    assert found is not None, name
    return found


def names(iris: tuple[str, ...]) -> list[str]:
    return [iri.removeprefix(ONTO) for iri in iris]


def test_reads_the_header_and_follows_no_import(tmp_path: Path) -> None:
    ontology = read(
        tmp_path,
        "<http://hut.example/onto> a owl:Ontology ; owl:imports <http://192.0.2.1/a>, <urn:b> .",
    )
    assert ontology.iri == "http://hut.example/onto"
    assert ontology.imports == ("http://192.0.2.1/a", "urn:b")
    assert dict(ontology.prefixes)[""] == ONTO


STRUCTURE: dict[str, tuple[str, dict[str, list[str]]]] = {
    "classes are declared or stand in subClassOf": (
        ":A a owl:Class . :B a rdfs:Class . :C rdfs:subClassOf :D . :E rdfs:subClassOf owl:Thing .",
        {"": ["A", "B", "C", "D", "E"], "D children": ["C"], "E parents": []},
    ),
    "members of an equivalent union are children": (
        ":A a owl:Class ; owl:equivalentClass [ owl:unionOf ( :B :C ) ] . :B a owl:Class . :C a owl:Class .",
        {"A children": ["B", "C"], "B parents": ["A"]},
    ),
    "unions in domain and range are flattened": (
        ":p a owl:ObjectProperty ; rdfs:range :D, owl:Thing ; rdfs:domain "
        "[ owl:unionOf ( :B [ owl:unionOf ( :A :C ) ] ) ] .",
        {"p domain": ["A", "B", "C"], "p range": ["D"]},
    ),
    "relations hold on both sides": (
        """:A a owl:Class ; owl:disjointWith :B ; owl:equivalentClass :C . :B a owl:Class . :C a owl:Class .
        [] a owl:AllDisjointClasses ; owl:members ( :C :D :E ) . :D a owl:Class . :E a owl:Class .
        :F a owl:Class ; owl:disjointUnionOf ( :G :H ) . :G a owl:Class . :H a owl:Class .
        :p a owl:ObjectProperty ; owl:inverseOf :q ; owl:propertyDisjointWith :r . :q a owl:ObjectProperty .
        :r a owl:ObjectProperty ; owl:equivalentProperty :q .""",
        {
            "B disjoint": ["A"],
            "C equivalents": ["A"],
            "D disjoint": ["C", "E"],
            "G disjoint": ["H"],
            "F children": ["G", "H"],
            "q inverse": ["p"],
            "r disjoint": ["p"],
            "q equivalents": ["r"],
        },
    ),
    "circles come to an end": (
        """:A rdfs:subClassOf :B . :B rdfs:subClassOf :A, :B . _:l rdf:first :A ; rdf:rest _:l .
        :C a owl:Class ; owl:equivalentClass [ owl:unionOf _:l ], _:x . _:x owl:intersectionOf ( _:x :A ) .
        :p a owl:AnnotationProperty ; rdfs:subPropertyOf :q . :q a owl:AnnotationProperty ; rdfs:subPropertyOf :p .""",
        {"A parents": ["B", "C"], "B parents": ["A"]},
    ),
}


def test_reads_how_entities_are_related(tmp_path: Path) -> None:
    for turtle, wanted in STRUCTURE.values():
        ontology = read(tmp_path, turtle)
        for place, expected in wanted.items():
            name, _, field = place.partition(" ")
            found = (
                getattr(entity(ontology, name), field)
                if name
                else tuple(e.iri for e in ontology.of_kind("class"))
            )
            assert names(found) == expected, place


def test_plain_properties_are_sorted_by_range(tmp_path: Path) -> None:
    ontology = read(
        tmp_path,
        """:p a rdf:Property ; rdfs:range :A . :q a rdf:Property ; rdfs:range xsd:int . :r a rdf:Property .
        :s a rdf:Property ; rdfs:subPropertyOf :p . :t a owl:FunctionalProperty ; rdfs:range rdfs:Literal .
        :u a rdf:Property ; schema:rangeIncludes schema:Text . :v a owl:TransitiveProperty .
        :w a rdf:Property, owl:ObjectProperty ; rdfs:range xsd:int . :x a owl:InverseFunctionalProperty .
        :y a rdf:Property ; rdfs:range [ a rdfs:Datatype ; owl:onDatatype xsd:int ] .""",
    )
    kinds = {e.local_name: e.kind for e in ontology}
    for kind, wanted in (
        ("object property", "psvwx"),
        ("datatype property", "qtuy"),
        ("annotation property", "r"),
    ):
        assert sorted(name for name in kinds if kinds[name] == kind) == list(wanted)


def test_one_iri_used_as_class_and_property_gives_two_entities(tmp_path: Path) -> None:
    ontology = read(
        tmp_path,
        ":Hut a owl:Class, owl:ObjectProperty ; rdfs:label 'hut' ; rdfs:subClassOf :Place ; rdfs:subPropertyOf :in . "
        ":in a owl:ObjectProperty . :Place a owl:Class .",
    )
    assert names(entity(ontology, "Hut", "class").parents) == ["Place"]
    assert names(entity(ontology, "Hut", "object property").parents) == ["in"]
    assert (
        entity(ontology, "Hut", "class").labels
        == entity(ontology, "Hut", "object property").labels
        != ()
    )


def test_reads_texts_of_every_vocabulary(tmp_path: Path) -> None:
    ontology = read(
        tmp_path,
        """:Hut a owl:Class ; rdfs:label "hut"@en, " Hütte "@de ; skos:prefLabel "hut"@en ; skos:altLabel "shelter"@en ;
            skos:hiddenLabel "hutt" ; oboInOwl:hasExactSynonym "refuge" ;
            oboInOwl:hasRelatedSynonym :gen1, [ rdfs:label "cabin" ] ;
            obo:IAO_0000118 "lodge" ; schema:name "Hut" ; skos:definition "A house in the mountains."@en ;
            obo:IAO_0000115 "House." ; oboInOwl:hasDefinition :gen2 ; dcterms:description "Warm." ;
            rdfs:comment "Bring a torch." ; skos:altLabel "hut"@en, "" .
        :gen1 rdfs:label "bothy" . :gen2 rdfs:label "High up." .
        :Bed a owl:Class ; schema:name "Bed" .""",
    )
    hut = entity(ontology, "Hut")
    assert hut.labels == (Text("Hütte", "de"), Text("hut", "en"))
    synonyms = ["Hut", "bothy", "cabin", "hutt", "lodge", "refuge", "shelter"]
    assert sorted(text.text for text in hut.synonyms) == synonyms
    assert [text.text for text in hut.definitions] == [
        "High up.",
        "House.",
        "Warm.",
        "A house in the mountains.",
    ]
    assert hut.comments == (Text("Bring a torch."),)
    assert entity(ontology, "Bed").labels == (Text("Bed"),)
    assert names(tuple(e.iri for e in ontology)) == ["Bed", "Hut"]


def test_understands_a_files_own_annotation_properties(tmp_path: Path) -> None:
    ontology = read(
        tmp_path,
        """:syn a owl:AnnotationProperty ; rdfs:subPropertyOf :alt .
        :alt a owl:AnnotationProperty ; rdfs:subPropertyOf skos:altLabel .
        :P90 a owl:AnnotationProperty ; rdfs:label "exact synonym" . :elucidation a owl:AnnotationProperty .
        :Hut a owl:Class ; :syn "shelter" ; :P90 "refuge" ; :elucidation "A house." .""",
    )
    hut = entity(ontology, "Hut")
    assert [text.text for text in hut.synonyms] == ["refuge", "shelter"]
    assert hut.definitions == (Text("A house."),)


def test_reads_restrictions_wherever_they_stand(tmp_path: Path) -> None:
    ontology = read(
        tmp_path,
        """:Hut a owl:Class ;
            rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom :Bed ],
                [ owl:onProperty :has ; owl:allValuesFrom [ owl:unionOf ( :Bed :Stove ) ] ],
                [ owl:onProperty :name ; owl:hasValue "Hut"@en ], [ owl:onProperty :knows ; owl:hasSelf true ],
                [ owl:onProperty [ owl:inverseOf :owns ] ; owl:minCardinality "1"^^xsd:nonNegativeInteger ] ;
            owl:equivalentClass [ owl:intersectionOf ( :House
                [ owl:onProperty :bed ; owl:maxQualifiedCardinality "90"^^xsd:nonNegativeInteger ; owl:onClass :Bed ]
                [ owl:intersectionOf ( :Place
                    [ owl:onProperty :warden ; owl:cardinality "1"^^xsd:nonNegativeInteger ] ) ] ) ] .
        :House a owl:Class . :Place a owl:Class .""",
    )
    hut = entity(ontology, "Hut")
    assert hut.restrictions == (
        Restriction(f"^{ONTO}owns", "min", "", 1),
        Restriction(f"{ONTO}bed", "max", f"{ONTO}Bed", 90),
        Restriction(f"{ONTO}has", "all", f"{ONTO}Bed"),
        Restriction(f"{ONTO}has", "all", f"{ONTO}Stove"),
        Restriction(f"{ONTO}has", "some", f"{ONTO}Bed"),
        Restriction(f"{ONTO}knows", "self"),
        Restriction(f"{ONTO}name", "value", "Hut"),
        Restriction(f"{ONTO}warden", "exactly", "", 1),
    )
    assert names(hut.parents) == ["House", "Place"]


def test_reads_characteristics_and_deprecation(tmp_path: Path) -> None:
    ontology = read(
        tmp_path,
        ":p a owl:ObjectProperty, owl:TransitiveProperty, owl:FunctionalProperty ; owl:deprecated true . "
        ":C a owl:DeprecatedClass . :D a owl:Class ; owl:deprecated false .",
    )
    assert entity(ontology, "p").characteristics == ("functional", "transitive")
    assert [e.local_name for e in ontology if e.deprecated] == ["C", "p"]


def test_reads_individuals_when_asked(tmp_path: Path) -> None:
    turtle = """<http://hut.example/onto> a owl:Ontology . :Hut a owl:Class . :near a owl:ObjectProperty .
        :a a :Hut ; rdfs:label "Alm"@de ; owl:sameAs :b . :b a owl:NamedIndividual . [] a :Hut ."""
    assert [e.local_name for e in read(tmp_path, turtle)] == ["Hut", "near"]
    ontology = read(tmp_path, turtle, individuals=True)
    assert [
        (e.local_name, names(e.types), names(e.equivalents)) for e in ontology.of_kind("individual")
    ] == [
        ("a", ["Hut"], ["b"]),
        ("b", [], ["a"]),
    ]


def test_leaves_built_in_terms_out_unless_the_graph_is_that_vocabulary(tmp_path: Path) -> None:
    turtle = "rdfs:label a owl:AnnotationProperty . skos:Concept a owl:Class . oboInOwl:Synonym a owl:Class ."
    assert len(read(tmp_path, turtle)) == 0
    own = read(tmp_path, turtle + "<http://www.w3.org/2004/02/skos/core> a owl:Ontology .")
    assert [e.local_name for e in own] == ["Concept"]


def test_the_digest_depends_on_content_alone(tmp_path: Path) -> None:
    one = ":A a owl:Class ; rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ] . :B a owl:Class ."
    other = ":B a owl:Class . _:r owl:someValuesFrom :B ; owl:onProperty :p . :A rdfs:subClassOf _:r ; a owl:Class ."
    assert read(tmp_path, one).digest == read(tmp_path, other).digest
    assert read(tmp_path, one).digest != read(tmp_path, one + ":B rdfs:label 'bed' .").digest
    assert read(tmp_path, one).entities == read(tmp_path, other).entities


def test_named_graphs_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "onto.trig"
    path.write_text(
        HEAD + ":g1 { :A a owl:Class . } :g2 { :A rdfs:label 'a' . :B rdfs:subClassOf :A . }"
    )
    graph = OxigraphGraph()
    load(graph, path)
    ontology = read_ontology(graph, name="mine")
    assert ontology.name == "mine"
    assert entity(ontology, "A").labels == (Text("a"),)
    assert names(entity(ontology, "A").children) == ["B"]


class CappedGraph(OxigraphGraph):
    """A store that, like some services, gives no more than 1,000 triples at once and does not say
    so.
    """

    def construct(self, query: str, **more: object) -> list[Triple]:
        return super().construct(query)[:1000]

    def select(self, query: str, **more: object) -> Solutions:
        return super().select(query)


def test_notices_that_the_service_cut_the_answer() -> None:
    graph = CappedGraph()
    label, kind = (
        Iri("http://www.w3.org/2000/01/rdf-schema#label"),
        Iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
    )
    owl_class: Term = Iri("http://www.w3.org/2002/07/owl#Class")
    triples: list[Triple] = []
    for number in range(700):
        triples += [
            (Iri(f"urn:{number}"), kind, owl_class),
            (Iri(f"urn:{number}"), label, Literal(str(number))),
        ]
    graph.add(triples)
    with pytest.raises(DataError, match="1,000 of the ontology's 1,400 triples"):
        read_ontology(graph)


def test_the_concepts_of_a_skos_vocabulary_are_its_classes(tmp_path: Path) -> None:
    ontology = read(
        tmp_path,
        """:all a skos:ConceptScheme .
        :hut a skos:Concept ; skos:prefLabel "hut"@en ; skos:altLabel "refuge"@en ; skos:broader :building .
        :building a skos:Concept ; skos:narrower :barn . :barn a skos:Concept ; skos:prefLabel "barn" .""",
    )
    assert [(e.kind, e.iri.removeprefix(ONTO)) for e in ontology] == [
        ("class", "barn"),
        ("class", "building"),
        ("class", "hut"),
    ]
    assert all(e.concept for e in ontology)
    assert names(entity(ontology, "building").children) == ["barn", "hut"]
    assert names(entity(ontology, "hut").parents) == ["building"]
    assert entity(ontology, "hut").synonyms == (Text("refuge", "en"),)


def test_concepts_beside_other_classes_are_read_when_wanted(tmp_path: Path) -> None:
    turtle = ':Hut a owl:Class . :alpine a skos:Concept ; skos:broader :all . :all skos:prefLabel "all" .'
    ontology = read(tmp_path, turtle)
    assert [e.iri.removeprefix(ONTO) for e in ontology] == ["Hut"]
    assert not entity(ontology, "Hut").concept
    both = read(tmp_path, turtle, concepts="beside")
    assert {e.iri.removeprefix(ONTO): e.concept for e in both} == {
        "Hut": False,
        "all": True,
        "alpine": True,
    }


def test_a_thesaurus_that_declares_skos_and_its_own_types_holds_concepts(tmp_path: Path) -> None:
    """As UNESCO's does: SKOS's classes are declared, groups are below its collections, schemes have
    labels.
    """
    ontology = read(
        tmp_path,
        """skos:Concept a owl:Class . skos:ConceptScheme a owl:Class . :MicroThesaurus rdfs:subClassOf skos:Collection .
        :scheme a skos:ConceptScheme ; skos:prefLabel "Thesaurus"@en ; skos:hasTopConcept :concept188 .
        :mt1.05 a :MicroThesaurus ; skos:prefLabel "Educational sciences"@en ; skos:member :concept188 .
        :concept188 a skos:Concept ; skos:prefLabel "Educational theory"@en, "Théorie de l’éducation"@fr ;
            skos:inScheme :scheme ; skos:narrower :concept7 ; skos:notation "1.05.01" .
        :concept7 a skos:Concept ; skos:prefLabel "Pedagogy"@en ; skos:altLabel "Didactics"@en ;
            skos:scopeNote "The art of teaching."@en ; skos:exactMatch <http://other.example/pedagogy> .""",
    )
    concepts = [e for e in ontology if e.concept]
    assert [e.iri.removeprefix(ONTO) for e in concepts] == ["concept188", "concept7"]
    assert names(concepts[1].parents) == ["concept188"]
    assert concepts[1].matches == ("http://other.example/pedagogy",)
    assert concepts[0].labels == (
        Text("Educational theory", "en"),
        Text("Théorie de l’éducation", "fr"),
    )


def test_concepts_of_a_class_below_skos_concept_and_without_a_type(tmp_path: Path) -> None:
    """As PACTOLS and iDAI's vocabularies have them: ark-like names, labels as nodes, generic and
    partitive parents.
    """
    ontology = read(
        tmp_path,
        """@prefix xl: <http://www.w3.org/2008/05/skos-xl#> . @prefix iso: <http://purl.org/iso25964/skos-thes#> .
        :Subject rdfs:subClassOf skos:Concept . :scheme a skos:ConceptScheme .
        :pcrtXk2Lw9 a :Subject ; xl:prefLabel [ xl:literalForm "amphore"@fr ] ; iso:broaderGeneric :pcrtQ8mT1v .
        :pcrtQ8mT1v skos:prefLabel "céramique"@fr ; skos:inScheme :scheme .
        :_a41b skos:inScheme :scheme ; skos:notation "A 41" .""",
    )
    assert [(e.iri.removeprefix(ONTO), e.concept) for e in ontology] == [
        ("pcrtQ8mT1v", True),
        ("pcrtXk2Lw9", True),
    ]
    assert entity(ontology, "pcrtXk2Lw9").labels == (Text("amphore", "fr"),)
    assert names(entity(ontology, "pcrtQ8mT1v").children) == ["pcrtXk2Lw9"]


def test_codes_are_told_from_names_by_the_whole_ontology(tmp_path: Path) -> None:
    labels = ["amphora", "beaker", "bowl", "cup", "dish", "ewer"]
    coded = [
        f":crt{n}xBq a skos:Concept ; skos:prefLabel '{label}' ." for n, label in enumerate(labels)
    ]
    ontology = read(tmp_path, "\n".join([*coded, ":crtkBq a skos:Concept ."]))
    assert len(ontology) == 7 and all(e.coded for e in ontology)
    named = [f":{label.title()}_2 a owl:Class ; rdfs:label '{label} two'@en ." for label in labels]
    spoken = read(tmp_path, "\n".join([*named, ":MA_0000270 a owl:Class ; rdfs:label 'jug' ."]))
    assert [e.local_name for e in spoken if e.coded] == ["MA_0000270"]
    foreign = [
        f":{label.title()} a owl:Class ; rdfs:label 'صحن {n}'@ar ."
        for n, label in enumerate(labels)
    ]
    assert not any(e.coded for e in read(tmp_path, "\n".join(foreign)))


def test_a_file_s_own_label_property_replaces_missing_labels(tmp_path: Path) -> None:
    ontology = read(
        tmp_path,
        """:label a owl:AnnotationProperty . :C1 a owl:Class ; :label "hut" .
        :C2 a owl:Class ; :label "lodge" ; rdfs:label "refuge" .""",
    )
    assert entity(ontology, "C1").labels == (Text("hut"),)
    assert (entity(ontology, "C2").labels, entity(ontology, "C2").synonyms) == (
        (Text("refuge"),),
        (Text("lodge"),),
    )
