"""Our own two catalogues: strict RDF, laid out from their tables, and what SOURCE.md says of them."""

import runpy
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib
from rdflib.namespace import RDF, RDFS

HUTS = Path(__file__).parents[2] / "data" / "huts"
SIDES = {"hollenmark": "de", "corvane": "fr"}


def graph(name: str) -> rdflib.Graph:
    return rdflib.Graph().parse(HUTS / f"{name}.ttl")


def links(name: str) -> list[tuple[str, str]]:
    lines = (HUTS / name).read_text(encoding="utf-8").splitlines()
    return [(line.split("\t")[0], line.split("\t")[1]) for line in lines]


@pytest.mark.parametrize("name", SIDES)
def test_a_catalogue_is_strict_turtle_with_one_name_in_one_language_each(name: str) -> None:
    read = graph(name)
    assert len(
        list(ox.parse((HUTS / f"{name}.ttl").read_bytes(), format=ox.RdfFormat.TURTLE))
    ) == len(read)
    things = set(read.subjects(RDF.type))
    assert 280 <= len(things) <= 320
    for thing in things:
        (label,) = read.objects(thing, RDFS.label)
        assert label.language == SIDES[name]
    row = next(
        line
        for line in (HUTS / "SOURCE.md").read_text().splitlines()
        if line.startswith(f"| `{name}.ttl`")
    )
    assert f"{len(things)} entities, {len(read):,} triples" in row


def test_the_files_are_what_the_tables_say(tmp_path: Path) -> None:
    written = runpy.run_path(str(HUTS / "write_entities.py"))
    written["main"].__globals__["HERE"] = tmp_path
    written["main"]()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["corvane.ttl", "entity-reference.tsv", "entity-seeds.tsv", "hollenmark.ttl"]
    for name in names:
        assert (tmp_path / name).read_bytes() == (HUTS / name).read_bytes()
