"""Plain sentences without a model: little is written, and what a sentence takes back goes to a person."""

from __future__ import annotations

import pytest
import rdflib
from rdflib import RDFS

from kgnb.tasks.building import build_graph
from tests.agents.kg_construction.kitchen import pack_of

PACK = pack_of(
    ":Hut a owl:Class . :Person a owl:Class . :Village a owl:Class . :Firm a owl:Class . "
    ":keeper a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Person . "
    ":foundedBy a owl:ObjectProperty ; rdfs:domain :Firm ; rdfs:range :Person . "
    ":locatedIn a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Village . "
)


def facts(sentence: str) -> set[tuple[str, str, str]]:
    graph = build_graph({"note": sentence}, PACK, judge="rule").graph
    added = {rdflib.URIRef(tool.term): tool.term.rsplit("#")[-1] for tool in PACK.of_kind("add")}
    return {(str(graph.value(s, RDFS.label)), added[p], str(graph.value(o, RDFS.label)))
            for s, p, o in graph if p in added}  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("The keeper of the Ambre Hut is Mira Holt.", {("Ambre Hut", "keeper", "Mira Holt")}),
        ("Ambre Hut's keeper is Mira Holt.", {("Ambre Hut", "keeper", "Mira Holt")}),
        ("The Ambre Hut is located in Corvane.", {("Ambre Hut", "locatedIn", "Corvane")}),
        ("Brunn Optics was founded by Ida Lang.", {("Brunn Optics", "foundedBy", "Ida Lang")}),
        ("Rain. Brunn Optics was founded by Ida Lang. Sun.", {("Brunn Optics", "foundedBy", "Ida Lang")}),
        # a name that may go on, a subject that is another's, or a clause that is not the whole
        ("Ambre Hut is located in Corvane, Hollenmark.", set()),
        ("Ambre Hut is located in Corvane valley.", set()),
        ("Corvane, Hollenmark, is near. The roof of Ambre Hut is located in Corvane.", set()),
        ("Brunn Optics founded Lang.", set()),
        ("Ida Lang's company, Brunn Optics, was founded by chance.", set()),
        ("Partially located in Corvane.", set()),
        ("On 7 April 1905 Ambre Hut opened in Corvane.", set()),
    ],
)
def test_only_what_the_words_of_the_ontology_say_is_written(sentence: str, wanted: set[tuple[str, str, str]]) -> None:
    assert facts(sentence) == wanted


@pytest.mark.parametrize(
    "sentence",
    [
        "Brunn Optics was founded by Ida Lang, but not alone; who knows.",
        "The keeper of the Ambre Hut is Mira Holt; the former keeper left.",
        "Brunn Optics was founded by Ida Lang; it never moved from Graz to Wels.",
    ],
)
def test_what_may_be_taken_back_is_left_to_a_person(sentence: str) -> None:
    built = build_graph({"note": sentence}, PACK, judge="rule")
    assert len(built.session.facts) == 0
    assert [doubt.document for doubt in built.doubts] == ["note"]
    assert "taken back" in built.doubts[0].reason
    start, end = built.doubts[0].start, built.doubts[0].end
    assert sentence[start:end] == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Neither Petra Moser nor Karl Huber founded Brunn Optics; Ida Lang did.",
        "Karl Huber took over from Ida Lang as keeper of Ambre Hut.",
        "Ida Lang's company, Brunn Optics, has moved its headquarters from Graz to Wels.",
    ],
)
def test_sentences_that_were_misread_once_write_nothing(sentence: str) -> None:
    assert facts(sentence) == set()
