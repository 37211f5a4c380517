"""Plain sentences read by patterns: who a fact is about, what it points at, and what is no list."""

from __future__ import annotations

import pytest
import rdflib
from rdflib import RDFS

from kgnb.agents.kg_construction.rule_sentences import mentions
from kgnb.tasks.building import build_graph
from tests.agents.kg_construction.kitchen import pack_of

PACK = pack_of(
    ":Hut a owl:Class . :Person a owl:Class . :Village a owl:Class . :Food a owl:Class . "
    ":keeper a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Person . "
    ":owner a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Person . "
    ":elevationAboveSea a owl:DatatypeProperty ; rdfs:domain :Hut ; rdfs:range xsd:integer . "
    ":birthPlace a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Village . "
    ":location a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Village . "
    ":ingredient a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Food . "
    ":numberOfBeds a owl:DatatypeProperty ; rdfs:domain :Hut ; rdfs:range xsd:integer . "
    ":openingDate a owl:DatatypeProperty ; rdfs:domain :Hut ; rdfs:range xsd:date . "
)


def facts(sentence: str) -> set[tuple[str, str, str]]:
    graph = build_graph({"note": sentence}, PACK, judge="rule").graph

    def said(term: object) -> str:
        return str(term) if isinstance(term, rdflib.Literal) else str(graph.value(term, RDFS.label))  # type: ignore[arg-type]

    added = {rdflib.URIRef(tool.term): tool.term.rsplit("#")[-1] for tool in PACK.of_kind("add")}
    return {(said(s), added[p], said(o)) for s, p, o in graph if p in added}


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("Mira Holt is the keeper of the Ambre Hut.", {("Ambre Hut", "keeper", "Mira Holt")}),
        ("The keeper of the Ambre Hut is Mira Holt.", {("Ambre Hut", "keeper", "Mira Holt")}),
        ("The Ambre Hut has 28 beds.", {("Ambre Hut", "numberOfBeds", "28")}),
        ("Ambre Hut is located in Corvane, Hollenmark.", {("Ambre Hut", "location", "Corvane")}),
        ("Mira Holt was born in Corvane.", {("Mira Holt", "birthPlace", "Corvane")}),
        ("Born in Corvane, Mira Holt likes tea.", {("Mira Holt", "birthPlace", "Corvane")}),
        ("Ambre Hut opened on 7 April 1905.", {("Ambre Hut", "openingDate", "1905-04-07")}),
        ("Ambre Hut has an ingredient called barley.", set()),
        ("Ambre Hut's ingredient is olive oil.", {("Ambre Hut", "ingredient", "olive oil")}),
        ("Ambre Hut stands above the valley.", set()),
        ("Sorne Hut is older than Ambre Hut, whose keeper is Mira Holt.", {("Ambre Hut", "keeper", "Mira Holt")}),
        ("Mira Holt owned the Ambre Hut.", {("Ambre Hut", "owner", "Mira Holt")}),
        ("Ambre Hut was owned by Mira Holt.", {("Ambre Hut", "owner", "Mira Holt")}),
        ("Mira B. Holt is the keeper of the Ambre Hut.", {("Ambre Hut", "keeper", "Mira B. Holt")}),
        (
            "Ambre Hut stands at an elevation of 1810 metres above the sea.",
            {("Ambre Hut", "elevationAboveSea", "1810")},
        ),
        ("The Keeper Museum is found in Corvane.", {("Keeper Museum", "location", "Corvane")}),
    ],
)
def test_reads_what_a_sentence_says_of_whom(sentence: str, wanted: set[tuple[str, str, str]]) -> None:
    assert facts(sentence) == wanted


def test_a_list_needs_an_and() -> None:
    found = facts("The keepers of the Ambre Hut are Mira Holt, Jon Arn and Ute Brand.")
    assert {end for _, name, end in found if name == "keeper"} == {"Mira Holt", "Jon Arn", "Ute Brand"}


def test_a_sentence_without_the_words_of_any_property_says_nothing() -> None:
    assert facts("It rained. Then <script>alert(1)</script> and '; DROP TABLE huts; --") == set()


def test_years_and_prepositions_are_no_part_of_a_name() -> None:
    assert [one.text for one in mentions("Mira Holt left Corvane in 1955 with the 2 Lakes Trail.")][:3] == [
        "Mira Holt", "Corvane", "1955",
    ]  # fmt: skip


def test_a_name_may_begin_with_a_number_where_a_sentence_does() -> None:
    assert mentions("412 Ambre was seen in 1955 Mira said.")[0].text == "412 Ambre"
    assert "1955" in [one.text for one in mentions("Ute left in 1955 Mira said.")]


def test_an_aside_is_no_part_of_a_name() -> None:
    assert [one.text for one in mentions("Ambre Hut (which is old) stands.")] == ["Ambre Hut"]
