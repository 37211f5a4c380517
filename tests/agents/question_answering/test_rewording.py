"""What is read by another question: what a class lacks, sums and averages, what two things share."""

import pytest

from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.agents.question_answering.state import GraphContext
from kgnb.agents.question_answering.values import Answer, Question
from tests.agents.question_answering.worlds import context

TRAMS = """@prefix : <http://tram.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Harbour a :Stop ; :onLine :LineA ; :district :Oldtown ; :passengers 8200 ; :opened 1921 ; :hasLift false .
:Market a :Stop ; :onLine :LineA ; :district :Oldtown ; :passengers 5100 ; :opened 1921 ; :hasLift true .
:Theatre a :Stop ; :onLine :LineB ; :district :Centre ; :passengers 6700 ; :opened 1930 ; :hasLift false .
:Stadium a :Stop ; :onLine :LineB ; :district :Centre ; :passengers 3800 ; :opened 1978 ; :hasLift true .
:LineA a :Line ; rdfs:label "Line A" ; :depot :North . :LineB a :Line ; rdfs:label "Line B" ; :depot :South .
:LineC a :Line ; rdfs:label "Line C" ; :sponsor :Voss . :North a :Depot . :South a :Depot .
:Oldtown a :District ; :partOf :Waterside . :Centre a :District ; :partOf :Waterside .
:Waterside a :Borough . :Voss a :Maker . :Kallmet a :Maker . :Stolz a :Maker .
:t1 a :Tram ; rdfs:label "tram 1" ; :builtBy :Voss ; :seats 64 .
:t2 a :Tram ; rdfs:label "tram 2" ; :builtBy :Kallmet ; :seats 92 .
:t3 a :Tram ; rdfs:label "tram 3" ; :builtBy :Kallmet ."""


@pytest.fixture(scope="module")
def trams() -> GraphContext:
    return context(TRAMS)


def ask(text: str, on: GraphContext) -> Answer:
    return answer_question(Question("q", text), on)


def said(found: Answer) -> list[str]:
    return sorted(found.label(value) for value in found.values)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which stops are not on Line A?", ["Stadium", "Theatre"]),
        ("Which stops aren't in the Centre?", ["Harbour", "Market"]),
        ("How many trams were not built by Voss?", ["2"]),
        ("Name all lines that do not have a depot.", ["Line C"]),
        ("Which makers did not build any tram?", ["Stolz"]),
        ("Which stops have no lift?", ["Harbour", "Theatre"]),
    ],
)
def test_what_is_not_is_told_of_a_class(
    question: str, right: list[str], trams: GraphContext
) -> None:
    found = ask(question, trams)
    assert said(found) == right, found.rationale
    assert found.support
    assert found.sparql


def test_what_is_stated_of_few_says_nothing_of_the_rest(trams: GraphContext) -> None:
    found = ask("Which lines have no sponsor?", trams)
    assert found.status == "unsure"
    assert "stated of 1 of 3" in found.rationale
    one = ask("Which lines are not sponsored by Voss?", trams)
    assert one.status == "unsure", one.rationale
    silent = ask("Which lines have no depot?", trams)  # 2 of 3 have one: told, but not surely
    assert silent.confidence < 0.9


@pytest.mark.parametrize(
    ("question", "right", "surest"),
    [
        ("What is the total number of passengers of the stops on Line A?", 13300, 1.0),
        ("How many passengers do the stops on Line B have altogether?", 10500, 1.0),
        ("What is the average number of passengers of the stops in Oldtown?", 6650, 1.0),
        ("On average, how many passengers does a stop have?", 5950, 1.0),
        ("What is the total number of seats of the trams?", 156, 0.85),  # one has none stated
    ],
)
def test_sums_and_averages_are_computed(
    question: str, right: float, surest: float, trams: GraphContext
) -> None:
    found = ask(question, trams)
    assert [float(found.label(value)) for value in found.values] == [right], found.rationale
    assert found.confidence <= surest
    assert any(triple[1].endswith(("passengers", "seats")) for triple in found.support)
    assert "SUM" in found.sparql or "AVG" in found.sparql


def test_a_total_of_numbers_that_contradict_each_other_is_left_open() -> None:
    two = f"{TRAMS} :Market :passengers 5200 ."
    found = ask("What is the total number of passengers of the stops on Line A?", context(two))
    assert found.status == "unsure"
    assert "some have several" in found.rationale


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which stops are in the same district as the Theatre?", ["Stadium"]),
        ("Which stops share a line with the Harbour?", ["Market"]),
        ("Which trams were built by the same maker as tram 3?", ["tram 2"]),
        ("Which stops opened in the same year as the Harbour?", ["Market"]),
    ],
)
def test_what_two_things_have_in_common_leads_there_and_back(
    question: str, right: list[str], trams: GraphContext
) -> None:
    found = ask(question, trams)
    assert said(found) == right, found.rationale
    assert len(found.support) > 1


def test_one_of_several_in_common_may_not_be_what_is_meant() -> None:
    both = f"{TRAMS} :Market :onLine :LineB ."
    found = ask("Which stops are on the same line as the Market?", context(both))
    assert found.status == "unsure"
    shared = ask("Which stops share a line with the Market?", context(both))
    assert said(shared) == ["Harbour", "Stadium", "Theatre"]


BORDERS = """@prefix : <http://land.example/> .
:State a <http://www.w3.org/2000/01/rdf-schema#Class> .
:Maru a :State ; :borders :Newham . :Newham a :State ; :borders :Maru , :Velden .
:Velden a :State ; :borders :Newham ."""


def test_who_shares_a_border_borders_it() -> None:
    found = ask("Which states share a border with Newham?", context(BORDERS))
    assert found.status == "unsure" or said(found) == ["Maru", "Velden"], found.rationale


def test_a_path_to_nothing_but_its_own_start_is_no_answer() -> None:
    """Maine was next to what is next to it: the state whose largest city is in it, at .89."""
    towns = f"{BORDERS} :Port a :City ; :inState :Maru . :Maru :largestCity :Port ."
    found = ask("Which states are next to states next to Maru?", context(towns))
    assert "Maru" not in said(found), found.rationale


PARTS = """@prefix : <http://zoo.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:partOf rdfs:label "part of" . :e1 a :Enclosure ; rdfs:label "EL/01" ; :partOf :h1 .
:e2 a :Enclosure ; rdfs:label "CA/03" ; :partOf :h2 . :h1 a :House ; rdfs:label "Elephant House" ; :partOf :r1 .
:h2 a :House ; rdfs:label "Cat Terrace" ; :partOf :r1 . :r1 a :Area ; rdfs:label "North Park" .
:a1 a :Animal ; rdfs:label "Pip" ; :livesIn :e1 ; :sponsor [ rdfs:label "Tanner Motors" ] .
:a2 a :Animal ; rdfs:label "Suri" ; :livesIn :e1 ; :sponsor [ :name "Hollis Bakery" ; :city "Ulm" ] .
:a3 a :Animal ; rdfs:label "Kesi" ; :livesIn :e2 ; :sponsor [ :name "Hollis Bakery" ] ."""


def test_parts_of_parts_are_parts() -> None:
    zoo = context(PARTS)
    inside = ask("Which enclosures are part of North Park?", zoo)
    assert said(inside) == ["CA/03", "EL/01"], inside.rationale
    assert said(ask("Which area is EL/01 part of?", zoo)) == ["North Park"]
    assert said(ask("Which houses are part of North Park?", zoo)) == [
        "Cat Terrace",
        "Elephant House",
    ]


def test_a_blank_node_is_known_by_its_name() -> None:
    zoo = context(PARTS)
    for animal, name in (("Pip", "Tanner Motors"), ("Suri", "Hollis Bakery")):
        found = ask(f"Who is the sponsor of {animal}?", zoo)
        assert said(found) == [name]
        assert [found.label(end) for end in found.support[0]][2] == name
        assert found.df()["label"].tolist() == [name]
    by = ask("Which animals are sponsored by Hollis Bakery?", zoo)
    assert said(by) == ["Kesi", "Suri"], by.rationale


def test_a_letter_at_the_end_belongs_to_a_name(trams: GraphContext) -> None:
    assert said(ask("Which depot does Line A have?", trams)) == ["North"]
