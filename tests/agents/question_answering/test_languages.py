from __future__ import annotations

import pytest

from kgnb.agents.question_answering.languages import in_english, language_of
from kgnb.agents.question_answering.phrases import tokens
from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.kg.terms import Iri
from tests.agents.question_answering.worlds import V, desk


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("Wer ist der Koch der Hütte?", "who is the Koch of the Hütte ?"),
        ("Zu welchem Land gehört das Tal, in dem er liegt?", "to which Land gehört the Tal , in which er liegt ?"),
        ("Où habite le gardien du refuge ?", "where habite the gardien of refuge ?"),
        ("Quelle est la langue d'Anne ?", "which is the langue of Anne ?"),
        ("Who lives in the Val de la Mer?", "Who lives in the Val de la Mer ?"),
        ("Was Ann born in a village?", "Was Ann born in a village ?"),
    ],
)
def test_only_little_words_change_and_only_where_the_language_is_plain(question: str, english: str) -> None:
    assert " ".join(in_english(tokens(question))) == english


def test_names_stay_as_they_are() -> None:
    sentence = tokens("Wer wohnt in Der Die Das?")
    assert in_english(sentence, [(3, 6)])[3:6] == ("Der", "Die", "Das")
    assert language_of(["La", "Paz"]) == ""


def test_a_verb_before_two_names_asks_for_yes_or_no() -> None:
    assert in_english(tokens("Spricht Anna Deutsch?"), [(1, 2), (2, 3)])[0] == "does"
    assert in_english(tokens("Spricht Anna Deutsch?"), [(1, 2)])[0] == "Spricht"
    assert in_english(tokens("Quel refuge est le plus haut ?"), [(1, 2), (5, 6)])[0] == "which"


def test_german_questions_find_what_english_labels_name() -> None:
    opened = desk()
    assert answer_question("Welche Hütte liegt am höchsten?", opened).values == (Iri(V + "upper"),)
    assert answer_question("Wer ist der Hüttenwart der Obere Hütte?", opened).values == (Iri(V + "ann"),)
