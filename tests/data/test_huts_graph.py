"""The catalogue of the huts: as large as said, as WORLD.md has it, its questions answered by their SPARQL."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyoxigraph as ox
import pytest

from kgnb.datasets import huts
from kgnb.datasets.questions import Asked

HUTS = Path(__file__).parents[2] / "data" / "huts"
NETWORK, ID = "http://huts.example/network#", "http://huts.example/id/"
LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
KINDS = {"single", "list", "count", "yes/no", "superlative", "two-hop", "two-hop inverse", "filter", "unanswerable"}
QUESTIONS = huts.questions().questions


@pytest.fixture(scope="module")
def store() -> ox.Store:
    store = ox.Store()
    store.load((HUTS / "graph.ttl").read_bytes(), format=ox.RdfFormat.TURTLE)
    return store


def value(store: ox.Store, subject: str, prop: str) -> set[str]:
    found = store.quads_for_pattern(ox.NamedNode(ID + subject), ox.NamedNode(NETWORK + prop), None)
    return {quad.object.value for quad in found}  # type: ignore[union-attr]


def test_the_file_is_what_its_script_writes(tmp_path: Path) -> None:
    script = tmp_path / "build_graph.py"
    script.write_text((HUTS / "build_graph.py").read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run([sys.executable, str(script)], check=True)
    assert (tmp_path / "graph.ttl").read_bytes() == (HUTS / "graph.ttl").read_bytes()


def test_it_is_as_large_as_source_says(store: ox.Store) -> None:
    row = next(line for line in (HUTS / "SOURCE.md").read_text().splitlines() if line.startswith("| `graph.ttl`"))
    said = re.search(r"([\d,]+) triples, (\d+) individuals, (\d+) classes, (\d+) properties", row)
    assert said is not None
    subjects = {quad.subject.value for quad in store}  # type: ignore[union-attr]
    kinds = Counter(
        quad.object.value.rpartition("#")[2]
        for quad in store.quads_for_pattern(None, ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), None)
        if quad.object.value.startswith("http://www.w3.org/2002/07/owl#")  # type: ignore[union-attr]
    )
    found = [
        len(store),
        sum(subject.startswith(ID) for subject in subjects),
        kinds["Class"],
        kinds["ObjectProperty"] + kinds["DatatypeProperty"],
    ]
    assert found == [int(number.replace(",", "")) for number in said.groups()]


def test_everything_spoken_of_has_a_label_in_three_languages(store: ox.Store) -> None:
    named = {
        term.value
        for quad in store
        for term in (quad.subject, quad.predicate, quad.object)
        if isinstance(term, ox.NamedNode) and term.value.startswith((NETWORK, ID))
    }
    for iri in named:
        labels = store.quads_for_pattern(ox.NamedNode(iri), LABEL, None)
        assert {label.object.language for label in labels} == {"en", "de", "fr"}, iri  # type: ignore[union-attr]


def test_huts_are_as_the_table_of_the_world_has_them(store: ox.Store) -> None:
    world = (HUTS / "WORLD.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ([^|]+) \| (?:staffed|bivouac|rescue hut) \| [^|]+ \| ([\d,]+) m \| (\d+) \| ([^|]+) \|", world, re.M
    )
    assert len(rows) == 9
    by_label = {
        quad.object.value: quad.subject.value.removeprefix(ID)  # type: ignore[union-attr]
        for quad in store.quads_for_pattern(None, LABEL, None)
    }
    for name, altitude, beds, warden in rows:
        hut = by_label[name]
        assert value(store, hut, "altitude") == {altitude.replace(",", "")}
        assert value(store, hut, "beds") == {beds}
        assert value(store, hut, "warden") == (set() if warden == "none" else {ID + by_label[warden]})


def test_rooms_add_up_to_the_beds_of_their_hut(store: ox.Store) -> None:
    query = f"""PREFIX : <{NETWORK}> SELECT ?beds (SUM(?n) AS ?sum)
        {{ ?hut :beds ?beds ; :hasRoom ?room . ?room :beds ?n }} GROUP BY ?hut ?beds"""
    rows = [(row[0].value, row[1].value) for row in store.query(query)]  # type: ignore[index, union-attr]
    assert len(rows) == 6 and all(beds == total for beds, total in rows)


def test_bookings_keep_to_the_seasons_and_to_the_wardens_word(store: ox.Store) -> None:
    query = f"""PREFIX : <{NETWORK}> SELECT ?hut ?day ?size ?word
        {{ ?b :forHut ?hut ; :arrival ?day ; :partySize ?size OPTIONAL {{ ?b :confirmedBy ?word }} }}"""
    rows = list(store.query(query))  # type: ignore[arg-type]
    assert len(rows) == 34
    for hut, day, size, word in rows:
        month_day, name = day.value[5:], hut.value.removeprefix(ID)
        season = "summer" if "06-20" <= month_day <= "09-30" else "winter"
        assert season == "summer" or month_day >= "12-20" or month_day <= "03-15"
        assert ID + season in value(store, name, "openDuring")
        assert (int(size.value) > 10) == (word is not None)
        assert word is None or {word.value} == value(store, name, "warden")


def test_there_are_thirty_questions_of_every_kind() -> None:
    assert len(QUESTIONS) == 30 and {asked.kind for asked in QUESTIONS} == KINDS
    row = next(line for line in (HUTS / "SOURCE.md").read_text().splitlines() if line.startswith("| `questions.jsonl`"))
    for kind, number in Counter(asked.kind for asked in QUESTIONS).items():
        assert f" {number} {kind}" in row


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.id)
def test_its_sparql_gives_the_reference_answer(asked: Asked, store: ox.Store) -> None:
    assert all(any(store.quads_for_pattern(ox.NamedNode(iri), None, None)) for iri in asked.entities)
    if asked.kind == "unanswerable":
        assert asked.values == () and not asked.sparql
        return
    found = store.query(asked.sparql)
    said = [str(bool(found)).lower()] if isinstance(found, ox.QueryBoolean) else [row[0].value for row in found]  # type: ignore[union-attr]
    assert said and sorted(said) == sorted(asked.values or ())
