"""Grounding: exact before fuzzy, only where the classes fit, and near ties are left to a person."""

from pathlib import Path

import pytest
import rdflib

from kgnb.agents.kg_construction.ground import Options, ground, label_index, label_predicates
from kgnb.datasets import huts
from kgnb.kg.rdflib_graph import RdflibGraph

HEAD = """@prefix : <urn:k#> . @prefix n: <urn:new:> . @prefix r: <urn:ref:> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . """


def graph(turtle: str) -> RdflibGraph:
    return RdflibGraph(rdflib.Graph().parse(data=HEAD + turtle, format="turtle"))


KNOWN = graph("""
    r:celery a :Good ; rdfs:label "celery"@en , "Sellerie"@de . r:celeriac a :Good ; rdfs:label "celeriac" .
    r:sorne a :Stream ; rdfs:label "La Sorne" . r:hut a :Hut ; rdfs:label "Refuge de la Sorne" .
    r:a a :Good ; rdfs:label "mountain cheese" . r:b a :Good ; rdfs:label "Mountain  Cheese" .
    r:staffed rdfs:subClassOf :Hut . :Staffed rdfs:subClassOf :Hut .
""")


LINKS = [
    (
        'n:1 a :Good ; rdfs:label "SELLERIE" .',
        Options(),
        "exact",
        "urn:ref:celery",
    ),  # a label in any language
    ('n:1 a :Hut ; rdfs:label "La Sorne" .', Options(), "none", ""),  # of another class
    ('n:1 a :Hut ; rdfs:label "La Sorne" .', Options(check_types=False), "exact", "urn:ref:sorne"),
    (
        'n:1 a :Staffed ; rdfs:label "Refuge de la Sorne" .',
        Options(),
        "exact",
        "urn:ref:hut",
    ),  # of a subclass
    ('n:1 a :Hut ; rdfs:label "Refuge de la Sornne" .', Options(), "fuzzy", "urn:ref:hut"),
    (
        'n:1 a :Brook ; rdfs:label "La Sorne" .',
        Options(map="Brook=stream"),
        "exact",
        "urn:ref:sorne",
    ),
    ('n:1 a :Brook ; rdfs:label "La Sorne" .', Options(), "none", ""),
]


@pytest.mark.parametrize(("said", "why"), [("Brook", "CLASS=CLASS"), ("Brook=Lake", "Lake")])
def test_a_mapping_of_classes_that_there_are_not_is_refused(said: str, why: str) -> None:
    brook = graph('n:1 a :Brook ; rdfs:label "La Sorne" .')
    with pytest.raises(ValueError, match=why):
        ground(brook, KNOWN, Options(map=said))


def test_an_entity_is_linked_by_its_labels_and_class() -> None:
    for turtle, options, outcome, target in LINKS:
        (link,) = ground(graph(turtle), KNOWN, options).links
        assert (link.outcome, link.target) == (outcome, target), turtle


def test_a_tie_is_left_to_a_person_whose_decision_holds() -> None:
    new = graph('n:1 a :Good ; rdfs:label "mountain cheese" .')
    found = ground(new, KNOWN)
    assert [link.outcome for link in found.unsure] == ["unsure"]
    assert len(found) == 0
    decided = ground(new, KNOWN, decisions={"urn:new:1": "urn:ref:b"})
    assert decided.mapping == {"urn:new:1": "urn:ref:b"}
    assert decided.turtle() == "<urn:new:1> <http://www.w3.org/2002/07/owl#sameAs> <urn:ref:b> .\n"
    assert ground(new, KNOWN, decisions={"urn:new:1": None}).counts() == {"entities": 1, "none": 1}
    assert found.decided(1, 2).mapping == {"urn:new:1": found.unsure[0].candidates[1].target}
    assert found.decided(1, None).counts() == {"entities": 1, "none": 1}
    with pytest.raises(ValueError, match="no unsure link 2"):
        found.decided(2, 1)
    with pytest.raises(ValueError, match="no number 9"):
        found.decided(1, 9)


def test_label_properties_are_found_by_their_values() -> None:
    rows = "".join(
        f'n:{n} :bezeichnung "Ding Nummer {chr(65 + n)}" ; :text "{"ein langer Satz " * 9}{n}" ; :year {1990 + n} .'
        for n in range(12)
    )
    assert label_predicates(graph(rows)) == ("urn:k#bezeichnung",)
    named = rows + " ".join(f'n:{n} :hutName "Hut {chr(65 + n)}" .' for n in range(12))
    assert label_predicates(graph(named)) == (
        "urn:k#hutName",
    )  # what is named as a name comes before what looks so


class Counting:
    """A graph that counts what it is asked, and fails from a certain question on."""

    def __init__(self, inner: RdflibGraph, fails_at: int = 10**9) -> None:
        self.inner, self.asked, self.fails_at, self.name = inner, 0, fails_at, "counted"

    def select(self, query: str, **given: object) -> object:
        self.asked += 1
        if self.asked >= self.fails_at:
            raise ConnectionError
        return self.inner.select(query, **given)  # type: ignore[arg-type]


def test_an_interrupted_index_is_resumed(tmp_path: Path) -> None:
    pantry = RdflibGraph(rdflib.Graph().parse(huts.path("pantry")))
    whole = Counting(pantry)
    wanted = label_index(whole, page=20)  # type: ignore[arg-type]
    broken = Counting(pantry, fails_at=whole.asked - 3)
    with pytest.raises(ConnectionError):
        label_index(broken, page=20, cache=tmp_path)  # type: ignore[arg-type]
    again = Counting(pantry)
    found = label_index(again, page=20, cache=tmp_path)  # type: ignore[arg-type]
    assert found.entities == wanted.entities
    assert again.asked == 4
    label_index(again, page=20, cache=tmp_path)  # type: ignore[arg-type]
    assert again.asked == 4


def test_the_kitchens_are_linked_to_the_pantry() -> None:
    notes = rdflib.Graph()
    for subject, predicate, value, _ in (
        rdflib.Dataset().parse(huts.path("kitchen-reference")).quads()
    ):  # type: ignore[union-attr]
        notes.add((subject, predicate, value))
    renamed = rdflib.Graph().parse(
        data=notes.serialize(format="nt").replace("huts.example/id/", "new.example/")
    )
    found = ground(RdflibGraph(renamed), RdflibGraph(rdflib.Graph().parse(huts.path("pantry"))))
    links = {link.label: link.target.rsplit("/", 1)[-1] for link in found.links}
    assert links["Refuge de la Sorne"] == "refuge-de-la-sorne"
    assert links["Gerste"] == links["barley"] == "goods-barley"
    assert links["celery"] == "goods-celery"
    assert links["pomme de terre"] == "goods-potato"
    assert links["barley soup"] == ""


def test_the_terms_of_an_ontology_are_no_entities() -> None:
    owl = "@prefix owl: <http://www.w3.org/2002/07/owl#> . "
    mine = graph(
        owl
        + """:Boat a owl:Class ; rdfs:label "boat" . :length a owl:DatatypeProperty ; rdfs:label "length" .
        n:tern a :Boat ; rdfs:label "Tern" . n:loose rdfs:label "Loose" ."""
    )
    reference = graph(
        owl
        + """r:Boat a owl:Class ; rdfs:label "Tern" . r:length a owl:DatatypeProperty ; rdfs:label "Loose" .
        r:tern a :Boat ; rdfs:label "Tern" . r:loose a owl:Thing ; rdfs:label "Loose" ."""
    )
    grounding = ground(mine, reference)
    assert dict(grounding.mapping) == {
        "urn:new:tern": "urn:ref:tern",
        "urn:new:loose": "urn:ref:loose",
    }
    assert len(grounding) == 2
