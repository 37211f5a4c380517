"""The two sides of an entity alignment, opened: any RDF, an endpoint, or a folder in a benchmark's
layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from kgnb.agents.entity_alignment.comparison import across
from kgnb.agents.entity_alignment.graphs import EntityGraph, Value
from kgnb.agents.entity_alignment.names import (
    ANY_URI,
    from_graph,
    labels_in,
    local_names,
    named_by_labels,
)
from kgnb.backends import URL, GraphSource, file_of, open_graph
from kgnb.datasets.entity_folders import (
    EntityFolder,
    RawGraph,
    is_entity_folder,
    read_folder,
    read_links,
)
from kgnb.errors import DataError
from kgnb.files import from_json, no_file, read_input
from kgnb.kg.endpoint_graph import is_rdflib
from kgnb.kg.graph import Graph
from kgnb.kg.vocabulary import LABELS, NAMES
from kgnb.mapping_files import load as load_alignment
from kgnb.mapping_files.pairs import by_ending
from kgnb.mappings import Alignment
from kgnb.results.bundle import count

Links: TypeAlias = tuple[tuple[str, str], ...]
Source: TypeAlias = "GraphSource | EntityGraph"
Seeds: TypeAlias = "str | Path | Alignment | Iterable[tuple[str, str]] | None"
Names: TypeAlias = "str | Path | Mapping[str, str]"

MOST_TRIPLES = 5_000_000  # more does not fit a laptop's memory as Python values
ALIGNMENT_FILES = (".rdf", ".owl", ".xml", ".ttl", ".csv")


@dataclass(frozen=True, eq=False)
class Sides:
    """Two graphs, the pairs known beforehand, the pairs to be found (none where that is not known)."""

    left: EntityGraph
    right: EntityGraph
    seeds: Links = ()
    tests: Links = ()
    notes: tuple[str, ...] = ()

    def digests(self) -> dict[str, str]:
        """The digest of each side by its name, as a run records them."""
        same = self.left.name == self.right.name
        return {
            self.left.name: self.left.digest,
            self.right.name + " (2)" * same: self.right.digest,
        }


def open_sides(
    left: Source,
    right: Source | None = None,
    *,
    seeds: Seeds = None,
    names: Names = "native",
    labels: Iterable[GraphSource] = (),
) -> Sides:
    """Both sides with their seeds and names; ``left`` alone is a folder.

    ``labels`` are vocabularies with labels of properties and classes that the graphs themselves
    lack.

    Raises:
        DataError: an input is missing or malformed; seeds or names do not fit the graphs.
        ValueError: a single graph that is not a folder, or folder seeds without a folder.
    """
    folder: EntityFolder | None = None
    if right is None and not _holds_both(left):
        graph = open_entities(left)
        sides = Sides(graph, graph)
    elif right is None:
        folder = _folder(left)
        sides = Sides(from_raw(folder.left), from_raw(folder.right), (), folder.tests, folder.notes)
    else:
        sides = Sides(open_entities(left), open_entities(right))
    sides = _seeded(_labelled(sides, labels), folder, seeds)
    return _named(sides, names)


def _labelled(sides: Sides, vocabularies: Iterable[GraphSource]) -> Sides:
    """The sides with labels of the relations and classes they use; a graph's own labels come first."""
    words: dict[str, str] = {}
    for source in vocabularies:
        with _opened(source) as graph:
            words = labels_in(graph.triples()) | words
    if not words:
        return sides
    left, right = (
        replace(side, labels=used(words, side) | dict(side.labels))
        for side in (sides.left, sides.right)
    )
    return replace(sides, left=left, right=right)


def used(words: Mapping[str, str], graph: EntityGraph) -> dict[str, str]:
    """The labels of what a graph names: its relations, attributes and the IRIs among its values."""
    named = {
        *graph.relations,
        *graph.attributes,
        *(value.text for value in graph.values if value.datatype == ANY_URI),
    }
    return {iri: words[iri] for iri in sorted(named & words.keys())}


def _holds_both(source: Source) -> bool:
    """Whether one source is a folder, not a single table or graph that is searched for duplicates."""
    if not isinstance(source, str | Path):
        return False
    return Path(source).is_dir() or not (
        Path(source).exists() or str(source).startswith("huts:") or bool(URL.match(str(source)))
    )


def _folder(source: Source) -> EntityFolder:
    if not isinstance(source, str | Path):
        raise ValueError(
            "one graph alone cannot be aligned: give the other one as well, or a folder that holds both"
        )
    if not is_entity_folder(source) and not Path(source).is_dir():
        kind = "an endpoint" if isinstance(source, str) and URL.match(source) else "a file"
        if Path(source).exists() or kind == "an endpoint" or str(source).startswith("huts:"):
            raise ValueError(
                f"{source} is {kind}: name the other graph as well, or a folder that holds both"
            )
        raise DataError(
            "there is no such folder", where=source, fix="Name a folder, or two graphs."
        )
    return read_folder(source)


def from_raw(raw: RawGraph) -> EntityGraph:
    """The graph in a folder's arrays, named by its labels where there are any, else by its IRIs."""
    values = tuple(Value(*value) for value in raw.values)
    return named_by_labels(
        EntityGraph(
            raw.name,
            raw.entities,
            local_names(raw.entities),
            raw.relations,
            raw.triples,
            raw.attributes,
            values,
            raw.attribute_triples,
        )
    )


def open_entities(source: Source) -> EntityGraph:
    """The individuals of a graph given in any of the ways ``open_graph`` takes; an EntityGraph as
    it is.
    """
    if isinstance(source, EntityGraph):
        return source
    if isinstance(source, str | Path) and is_entity_folder(source):
        raise ValueError(f"{source} holds both graphs: give it alone")
    with _opened(source) as graph:
        number = graph.count()
        if number > MOST_TRIPLES:
            raise DataError(
                f"it holds {number:,} triples, and {MOST_TRIPLES:,} is the most that is read at once",
                where=graph.name,
                fix="Align a part of it: a file with the entities in question and their triples.",
            )
        found = from_graph(graph)
        if not len(found):
            fix = "To match classes: %om start, or kgnb match."
            raise DataError("there is no individual in it", where=graph.name, fix=fix)
        return found


@contextmanager
def _opened(source: GraphSource) -> Iterator[Graph]:
    """The graph, closed at the end if it was opened here."""
    graph = open_graph(source)
    try:
        yield graph
    finally:
        if graph is not source and not is_rdflib(source):
            graph.close()


def links_of(given: Alignment | Iterable[tuple[str, str]] | str | Path) -> Links:
    """Pairs of IRIs from pairs, an alignment, or a file: two columns (.tsv, .csv), SSSOM, Alignment
    RDF, Turtle.
    """
    if isinstance(given, Alignment):
        return tuple(mapping.pair for mapping in given if mapping.relation == "equivalent")
    if not isinstance(given, str | Path):
        return tuple((str(one), str(other)) for one, other in given)
    path = Path(file_of(given))
    if not path.is_file():
        raise no_file(path, "A line holds source IRI, TAB, target IRI; no header needed.")
    if path.suffix.lower() in ALIGNMENT_FILES or _is_sssom(path):
        return links_of(load_alignment(path, plain=True))
    return read_links(path)


def _is_sssom(path: Path) -> bool:
    with path.open("rb") as file:
        return path.suffix.lower() == ".tsv" and b"subject_id" in file.read(100_000)


def links_between(sides: Sides, given: Alignment | Iterable[tuple[str, str]] | str | Path) -> Links:
    """Pairs of entities of two graphs, as ``links_of``; the id of a row stands for the entity whose
    IRI ends in it.
    """
    found = links_of(given)
    if all(":" in one and ":" in other for one, other in found):
        return found
    left, right = by_ending(sides.left.entities), by_ending(sides.right.entities)
    return tuple((left.get(one, one), right.get(other, other)) for one, other in found)


def _seeded(sides: Sides, folder: EntityFolder | None, seeds: Seeds) -> Sides:
    """The sides with their seeds; seeds are removed from the tests."""
    if seeds is None:
        seeds = "folder" if folder is not None else "none"
    word = seeds if isinstance(seeds, str) else ""
    if word == "none":
        return sides
    if word == "folder":
        if folder is None:
            raise ValueError("there is no folder to take seeds from: name a file of pairs, or none")
        if not folder.seeds:
            raise DataError(
                "it has no seeds",
                where=folder.left.name,
                fix="Give --seeds none, or a file of pairs.",
            )
        return replace(sides, seeds=folder.seeds)
    if word == "stated":
        stated = stated_links(sides)
        if not stated:
            raise DataError(
                "neither graph states that something in it is the same as something in the other",
                where=f"{sides.left.name}, {sides.right.name}",
                fix="owl:sameAs, skos:exactMatch and schema:sameAs count. Give --seeds none, or a file of pairs.",
            )
        return replace(sides, seeds=stated)
    found = links_of(seeds)
    if (
        folder is not None
        and found
        and all(one.isdigit() and other.isdigit() for one, other in found)
    ):
        found = tuple((folder.iri(one) or one, folder.iri(other) or other) for one, other in found)
    found = links_between(sides, found)
    where = str(seeds) if isinstance(seeds, str | Path) else "the seeds"
    check_links(sides, found, where)
    known = set(found)
    used = {one for one, _ in known}, {other for _, other in known}
    tests = tuple(pair for pair in sides.tests if pair[0] not in used[0] and pair[1] not in used[1])
    return replace(sides, seeds=tuple(dict.fromkeys(found)), tests=tests)


def stated_links(sides: Sides) -> Links:
    """The pairs that either graph states to be the same thing, without those stated to be different."""
    left, right = sides.left, sides.right
    different = {*map(tuple, across(left, right, (*left.different, *right.different)).tolist())}
    same = across(left, right, (*left.same, *right.same)).tolist()
    return tuple(
        (left.entities[one], right.entities[other])
        for one, other in same
        if (one, other) not in different
    )


def check_reference(sides: Sides, links: Links, where: str) -> None:
    """DataError where no link of a reference is about these two graphs; some may be of others."""
    if not any(one in sides.left and other in sides.right for one, other in links):
        check_links(sides, links, where)


def check_links(sides: Sides, links: Sequence[tuple[str, str]], where: str) -> None:
    """DataError where links are not about these two graphs."""
    if not links:
        raise DataError(
            "it holds no pair", where=where, fix="A line holds source IRI, TAB, target IRI."
        )
    wrong = [pair for pair in links if pair[0] not in sides.left or pair[1] not in sides.right]
    if wrong:
        turned = sum(one in sides.right and other in sides.left for one, other in wrong)
        what = (
            f"{len(wrong):,} of {count(len(links), 'pair')} with an entity the graphs do not have, "
        )
        what += f"such as {wrong[0]}"
        fix = "The first column is an entity of the first graph, the second one of the second."
        if turned == len(links):
            what, fix = (
                "its pairs have the two graphs the other way round",
                "Swap the graphs, or the two columns.",
            )
        raise DataError(what, where=where, fix=fix)


def _named(sides: Sides, names: Names) -> Sides:
    """The sides with the names as they are, hidden, or replaced."""
    word = names if isinstance(names, str) else ""
    if word == "native":
        return sides
    if word == "hidden":
        return replace(sides, left=hidden(sides.left), right=hidden(sides.right))
    given = names if isinstance(names, Mapping) else _names_in(Path(file_of(names)))
    known = sum(iri in sides.left or iri in sides.right for iri in given)
    if not known:
        raise DataError(
            "it names no entity of either graph",
            where=names if isinstance(names, str | Path) else "names",
            fix='It maps IRIs to names, as in {"http://example.org/a": "Hut"}.',
        )
    note = f"names of {count(known, 'entity', 'entities')} were given"
    return replace(
        sides,
        left=sides.left.renamed(given),
        right=sides.right.renamed(given),
        notes=(*sides.notes, note),
    )


def _names_in(path: Path) -> dict[str, str]:
    fix = 'Choose native, hidden, or a JSON file such as {"http://example.org/a": "Hut"}.'
    try:
        content = from_json(read_input(path, fix))
    except ValueError as error:
        raise DataError(
            "the file of names is not JSON", where=path, fix=fix, details=str(error)
        ) from error
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content.values()):
        raise DataError("the file of names does not map IRIs to names", where=path, fix=fix)
    return content


def hidden(graph: EntityGraph) -> EntityGraph:
    """The graph without names: labels, name attributes, and values that spell the name are gone."""
    told = [
        {graph.names[at].casefold(), *(alias.casefold() for alias in graph.aliases.get(at, ()))}
        for at in range(len(graph))
    ]
    names = {at for at, iri in enumerate(graph.attributes) if iri in NAMES | LABELS}
    kept = [
        attribute not in names and graph.values[value].text.casefold() not in told[entity]
        for entity, attribute, value in graph.attribute_triples.tolist()
    ]
    rows = graph.attribute_triples[np.array(kept, dtype=bool)]
    return replace(graph.unnamed(), attribute_triples=rows)
