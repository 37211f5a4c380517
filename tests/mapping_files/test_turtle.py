"""Turtle out and back: valid RDF that says no more than the mappings do."""

from dataclasses import replace
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given, settings

from kgnb.errors import DataError
from kgnb.mapping_files import load, save, turtle
from kgnb.mappings import Alignment, Mapping
from tests.mapping_files.strategies import alignments


def test_what_turtle_can_hold_comes_back(full: Alignment, tmp_path: Path) -> None:
    stated = tuple(
        replace(m, evidence=()) for m in full if m.relation not in {"different", "unsure"}
    )
    assert load(save(full, tmp_path / "huts.ttl")) == Alignment(
        tuple(sorted(stated, key=lambda mapping: mapping.pair)), full.source, full.target
    )


@given(alignments)
@settings(deadline=None, max_examples=60)
def test_any_alignment_is_valid_turtle(alignment: Alignment) -> None:
    text = turtle.write(alignment).encode()
    triples = list(ox.parse(text, format=ox.RdfFormat.TURTLE))
    stated = [mapping for mapping in alignment if mapping.relation not in {"different", "unsure"}]
    assert sum(t.predicate.value.endswith("annotatedSource") for t in triples) == len(stated)


def test_hostile_iris_cannot_leave_their_brackets() -> None:
    hostile = Mapping("http://a#x> a <http://evil> . <http://y", "http://b#\n.\n<x>", "different")
    text = turtle.write(Alignment((hostile, replace(hostile, relation="equivalent"))))
    subjects = {
        t.subject.value
        for t in ox.parse(text.encode(), format=ox.RdfFormat.TURTLE)
        if isinstance(t.subject, ox.NamedNode)
    }
    assert subjects == {"http://a#x%3E%20a%20%3Chttp://evil%3E%20.%20%3Chttp://y"}
    assert "<http://a#x%23y> owl:sameAs" in turtle.write(
        Alignment((Mapping("http://a#x#y", "http://b#z", kind="individual"),))
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("@prefix : <http://a#> .\n:x :y", r"x\.ttl:2"),
        ("<http://a#x> a <http://www.w3.org/2002/07/owl#Class> .", "no match in it"),
        (
            "@prefix o: <http://www.w3.org/2002/07/owl#> . <http://a#x> o:sameAs <http://b#x> ."
            "[] o:annotatedSource <http://a#x> ; o:annotatedProperty o:sameAs ; o:annotatedTarget <http://b#x> ;"
            " <https://w3id.org/sssom/confidence> 'high' .",
            "high",
        ),
    ],
)
def test_a_malformed_file_is_refused(text: str, what: str, tmp_path: Path) -> None:
    file = tmp_path / "x.ttl"
    file.write_text(text)
    with pytest.raises(DataError, match=what) as refused:
        turtle.read(file)
    assert refused.value.where.startswith(str(file))
    assert refused.value.fix


def test_matches_of_others_are_read_without_annotations(tmp_path: Path) -> None:
    text = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <http://a#x> skos:broadMatch <http://b#x> ."
    file = tmp_path / "x.ttl"
    file.write_text(text)
    assert turtle.read(file).mappings == (
        Mapping("http://a#x", "http://b#x", "broader", justification="semapv:UnspecifiedMatching"),
    )
