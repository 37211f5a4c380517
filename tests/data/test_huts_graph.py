"""The graph of the huts: written by its script, as large as SOURCE.md says, its questions answered
by SPARQL.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyoxigraph as ox
import pytest

from kgnb.datasets import huts

HUTS = Path(__file__).parents[2] / "data" / "huts"
NETWORK, ID = "http://huts.example/network#", "http://huts.example/id/"
LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
KINDS = {
    "single",
    "list",
    "count",
    "yes/no",
    "superlative",
    "two-hop",
    "two-hop inverse",
    "filter",
    "unanswerable",
}
QUESTIONS = huts.questions().questions


@pytest.fixture(scope="module")
def store() -> ox.Store:
    store = ox.Store()
    store.load((HUTS / "graph.ttl").read_bytes(), format=ox.RdfFormat.TURTLE)
    return store


def test_the_file_is_what_its_script_writes(tmp_path: Path) -> None:
    script = tmp_path / "build_graph.py"
    script.write_text((HUTS / "build_graph.py").read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run([sys.executable, str(script)], check=True)
    assert (tmp_path / "graph.ttl").read_bytes() == (HUTS / "graph.ttl").read_bytes()


def test_it_is_as_large_as_source_says(store: ox.Store) -> None:
    row = next(
        line
        for line in (HUTS / "SOURCE.md").read_text().splitlines()
        if line.startswith("| `graph.ttl`")
    )
    said = re.search(r"([\d,]+) triples, (\d+) individuals, (\d+) classes, (\d+) properties", row)
    assert said is not None
    subjects = {quad.subject.value for quad in store}  # type: ignore[union-attr]
    kinds = Counter(
        quad.object.value.rpartition("#")[2]
        for quad in store.quads_for_pattern(
            None, ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), None
        )
        if quad.object.value.startswith("http://www.w3.org/2002/07/owl#")  # type: ignore[union-attr]
    )
    found = [
        len(store),
        sum(subject.startswith(ID) for subject in subjects),
        kinds["Class"],
        kinds["ObjectProperty"] + kinds["DatatypeProperty"],
    ]
    assert found == [int(number.replace(",", "")) for number in said.groups()]


def test_there_are_thirty_questions_of_every_kind() -> None:
    assert len(QUESTIONS) == 30 and {asked.kind for asked in QUESTIONS} == KINDS
    row = next(
        line
        for line in (HUTS / "SOURCE.md").read_text().splitlines()
        if line.startswith("| `questions.jsonl`")
    )
    for kind, number in Counter(asked.kind for asked in QUESTIONS).items():
        assert f" {number} {kind}" in row


def test_the_sparql_of_each_question_gives_its_reference_answer(store: ox.Store) -> None:
    for asked in QUESTIONS:
        assert all(
            any(store.quads_for_pattern(ox.NamedNode(iri), None, None)) for iri in asked.entities
        ), asked.id
        if asked.kind == "unanswerable":
            assert asked.values == () and not asked.sparql, asked.id
            continue
        found = store.query(asked.sparql)
        answers = (
            [str(bool(found)).lower()]
            if isinstance(found, ox.QueryBoolean)
            else [row[0].value for row in found]
        )  # type: ignore[union-attr]
        assert answers and sorted(answers) == sorted(asked.values or ()), asked.id
