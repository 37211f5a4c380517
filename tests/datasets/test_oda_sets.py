"""The question sets of the ODA paper, in files of their form."""

import json
from pathlib import Path

import pytest

from kgnb.datasets.question_sets import question_set
from kgnb.errors import DataError
from kgnb.evaluate.answers import Item, measure

FILES = {
    "creak": (
        "creak.json",
        [{"sentence": "Huts float.", "label": "false", "topic_entity": {"Q1": "hut"}}],
    ),
    "trex": (
        "T-REX.json",
        [
            {
                "input": "Ann Berger [SEP] place of birth",
                "topic_entity": {"Q2": "Ann Berger"},
                "answer": "Deepvale",
                "alias": ["Deepvale", "The Vale"],
            }
        ],
    ),
    "zsre": (
        "Zero_Shot_RE.json",
        [
            {
                "input": "Ann Berger [SEP] employer",
                "topic_entity": {"Q2": "Ann Berger"},
                "template_questions": ["Who employs Ann Berger?"],
                "answer": "Upper Hut",
                "alias": [],
            }
        ],
    ),
    "qald10-oda": (
        "qald_10-en.json",
        [
            {
                "question": "who founded it?",
                "topic_entity": {"Q3": "it"},
                "answer": {"Q4": "Bo Lund"},
            }
        ],
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kgqa" / "oda").mkdir(parents=True)
    for name, content in FILES.values():
        (tmp_path / "kgqa" / "oda" / name).write_text(json.dumps(content))
    return tmp_path


def test_a_statement_is_asked_as_a_question_and_a_slot_by_its_template(folder: Path) -> None:
    (creak,) = question_set("creak", folder).questions
    assert creak.text == "Is it true that Huts float?" and creak.values == ("false",)
    (slot,) = question_set("zsre", folder).questions
    assert slot.text == "Who employs Ann Berger?"
    assert slot.entities == ("http://www.wikidata.org/entity/Q2",)


def test_labels_and_aliases_are_right_and_silence_is_not(folder: Path) -> None:
    (slot,) = question_set("trex", folder).questions
    right = [("http://www.wikidata.org/entity/Q9", "the vale")]
    for found, share in ((right, 1.0), ([], 0.0), ([("",)], 0.0), ([("e",)], 0.0)):
        measured = measure([Item(found, slot.reference)])
        assert (measured.exact or 0.0, measured.strict or 0.0) == (share, share)
    (asked,) = question_set("qald10-oda", folder).questions
    assert asked.reference == (("http://www.wikidata.org/entity/Q4", "Bo Lund"),)


def test_a_malformed_file_is_named(folder: Path) -> None:
    path = folder / "kgqa" / "oda" / "creak.json"
    path.write_text('[{"label": "true"}]')
    with pytest.raises(DataError, match="sentence"):
        question_set("creak", folder)
