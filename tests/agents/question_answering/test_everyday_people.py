"""The first questions that people ask of a graph of people: plurals, ages, what somebody knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kgnb.agents.question_answering.answer import Answer
from kgnb.tasks.asking import answer_question

GRAPH = """
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix : <http://people.example/> .
:ada a foaf:Person ; foaf:name "Ada Byron" ; foaf:knows :bob, :cy ; foaf:age 36 .
:bob a foaf:Person ; foaf:name "Bob Ross" ; foaf:knows :cy ; foaf:age 52 .
:cy a foaf:Person ; foaf:name "Cy Young" ; foaf:age 41 .
:di a foaf:Person ; foaf:name "Di Prince" ; foaf:age 29 .
"""
Ask = Callable[[str], Answer]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    (tmp_path / "people.ttl").write_text(GRAPH)
    return lambda text: answer_question(text, tmp_path / "people.ttl", judge="rule")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("How many people are there?", ["4"]),
        ("What is the average age of people?", ["39.5"]),
        ("Who does Ada Byron know?", ["Bob Ross", "Cy Young"]),
        ("How many people does Ada Byron know?", ["2"]),
        ("Which people do you know?", ["Ada Byron", "Bob Ross", "Cy Young", "Di Prince"]),
        ("Who is the oldest person?", ["Bob Ross"]),
        ("Who is the youngest person?", ["Di Prince"]),
        ("Which people are older than 40?", ["Bob Ross", "Cy Young"]),
        ("Is Bob Ross older than Ada Byron?", ["true"]),
        ("Is Bob Ross younger than Ada Byron?", ["false"]),
    ],
)
def test_first_questions_of_people(ask: Ask, asked: str, told: list[str]) -> None:
    answer = ask(asked)
    assert [answer.label(value) for value in answer.values] == told


def test_a_first_name_is_somebodys_if_no_other_has_it_and_never_sure(ask: Ask) -> None:
    answer = ask("How old is Bob?")
    assert [answer.label(value) for value in answer.values] == ["52"]
    assert answer.confidence <= 0.85


def test_a_name_of_several_is_nobodys_but_says_who_could_be_meant(tmp_path: Path) -> None:
    (tmp_path / "two.ttl").write_text(
        GRAPH + ':al a foaf:Person ; foaf:name "Al Ross" ; foaf:age 7 .'
    )
    answer = answer_question("How old is Ross?", tmp_path / "two.ttl", judge="rule")
    assert answer.status == "unsure"
    assert "did you mean Al Ross or Bob Ross?" in answer.rationale
