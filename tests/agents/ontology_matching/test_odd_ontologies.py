"""Ontologies as they come: what a person who matches them sees, by the rule alone."""

from pathlib import Path

import pytest

from kgnb.kg.terms import OWL, RDFS
from kgnb.mappings import Alignment
from kgnb.tasks.matching import match_ontologies

PREFIXES = f"@prefix owl: <{OWL}> . @prefix rdfs: <{RDFS}> . "
CLASSES = ":Course a owl:Class . :Person a owl:Class . "


def matched(folder: Path, source: str, target: str) -> Alignment:
    for name, said in (("a", source), ("b", target)):
        turtle = f"{PREFIXES} @prefix : <http://{name}.example/> . {said}"
        (folder / f"{name}.ttl").write_text(turtle, encoding="utf-8")
    return match_ontologies(folder / "a.ttl", folder / "b.ttl", judge="rule", embedder="characters")


def told(one: str, domain: str, range: str) -> str:
    return f":{one} a owl:ObjectProperty ; rdfs:domain :{domain} ; rdfs:range :{range} . "


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("prerequisiteOf", "hasPrerequisite"),
        ("supervises", "supervisedBy"),
        ("cites", "isCitedBy"),
        ("ancestorOf", "ancestor"),
    ],
)
def test_a_relation_said_from_the_other_end_is_not_the_same(
    tmp_path: Path, one: str, other: str
) -> None:
    for ours, theirs in ((one, other), (other, one)):
        sides = (CLASSES + told(name, "Person", "Person") for name in (ours, theirs))
        assert not [m for m in matched(tmp_path, *sides) if m.kind == "object property"]


@pytest.mark.parametrize(
    ("one", "other"), [("teachesOf", "teaches"), ("taughtBy", "taughtBy"), ("creator", "createdBy")]
)
def test_ends_that_agree_one_way_round_alone_outweigh_such_names(
    tmp_path: Path, one: str, other: str
) -> None:
    sides = (CLASSES + told(name, "Course", "Person") for name in (one, other))
    assert [m for m in matched(tmp_path, *sides) if m.kind == "object property"]


def test_one_name_for_things_of_other_classes_waits_for_a_person(tmp_path: Path) -> None:
    sides = (
        CLASSES + f":{of} a owl:Class . " + told("frameNumber", of, of)
        for of in ("Velocipede", "Bike")
    )
    found = matched(tmp_path, *sides)
    assert [one.source_label for one in found.unsure if one.kind == "object property"] == [
        "frame number"
    ]
    assert "both are called" in found.unsure[0].rationale


def test_codes_without_labels_are_compared_as_they_are(tmp_path: Path) -> None:
    sides = (
        "".join(f":C00{n} a owl:Class . " for n in numbers) for numbers in ((1, 2, 3), (1, 2, 4))
    )
    assert {m.source[-4:] + m.target[-4:] for m in matched(tmp_path, *sides)} == {
        "C001C001",
        "C002C002",
    }


def test_a_page_of_text_for_a_label_is_no_trouble(tmp_path: Path) -> None:
    page = "a hut that stands high up " * 5_000
    found = matched(
        tmp_path,
        f":Hut a owl:Class ; rdfs:label '{page}' , 'hut' .",
        f":Hut a owl:Class ; rdfs:label '{page}' .",
    )
    assert [m.source for m in found] == ["http://a.example/Hut"] and len(
        found.mappings[0].source_label
    ) <= 300


def test_signs_that_spell_no_word_name_nothing(tmp_path: Path) -> None:
    sides = (
        f":{hut} a owl:Class ; rdfs:label '🏔️' . :{bed} a owl:Class ; rdfs:label '🛏️' ."
        for hut, bed in (("Hut", "Bed"), ("Hut", "Lit"))
    )
    assert {(m.source[-3:], m.target[-3:]) for m in matched(tmp_path, *sides)} == {("Hut", "Hut")}


def test_which_of_several_of_one_name_is_meant_is_not_shown_as_known(tmp_path: Path) -> None:
    found = matched(
        tmp_path,
        *("".join(f":{n} a owl:Class ; rdfs:label 'hut' . " for n in ns) for ns in ("ABC", "XYZ")),
    )
    assert len(found) == 3 and all(m.confidence == 0.5 for m in found)
