"""The neighbourhood of some entities, read from a SPARQL service into a file: an offline graph.

One round a hop, some entities a query, and the names of all that was met at the end. What was read
is on disk before it is noted as read, so that a run that broke off goes on where it was.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from kgnb.errors import BackendError, DataError
from kgnb.files import claimed, read_lines, refuse_link, write_whole
from kgnb.kg.graph import Graph
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.terms import RDF, RDFS, Blank, Iri, Literal, Term, is_iri, n3

AT_ONCE = 20  # entities of one query
_PAGE = 5000  # rows of one query
_NAMES = (f"{RDFS}label", "http://www.w3.org/2004/02/skos/core#altLabel", f"{RDF}type")
_CLAIM = "http://wikiba.se/ontology#directClaim"


@dataclass(frozen=True)
class Wanted:
    """What to read of each entity: triples whose relations begin with one of ``only`` (all by
    default), texts in these languages, at most ``most`` triples.
    """

    only: tuple[str, ...] = ()
    languages: tuple[str, ...] = ("en",)
    most: int = 1000

    def __post_init__(self) -> None:
        for begin in self.only:
            if not is_iri(begin):
                raise ValueError(
                    f"{begin!r} does not begin an IRI\nGive --only a namespace such as http://example.org/ns#"
                )
        for tag in self.languages:
            if not re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", tag):
                raise ValueError(f"{tag!r} is no language tag\nWrite it as in en or pt-BR.")

    @property
    def filters(self) -> str:
        """The conditions as SPARQL."""
        tags = ", ".join(n3(Literal(tag)) for tag in ("", *self.languages))
        found = f" FILTER (!isLiteral(?o) || LANG(?o) IN ({tags}))"
        if self.only:
            begins = (f"STRSTARTS(STR(?p), {n3(Literal(one))})" for one in self.only)
            named = ", ".join(f"<{name}>" for name in _NAMES)
            found += f" FILTER ({' || '.join(begins)} || ?p IN ({named}))"
        return found


@dataclass
class Read:
    """What has been read: triples, entities and hops, what could not be, and what was cut."""

    triples: int = 0
    entities: int = 0
    blank: int = 0  # triples left out because a blank node has no name outside its service
    cut: list[str] = field(default_factory=list)  # entities with more triples than wanted
    failed: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)  # entities given that have no triple


def read_subgraph(
    graph: Graph,
    entities: Sequence[Iri],
    out: Path,
    *,
    hops: int = 3,
    wanted: Wanted = Wanted(),  # noqa: B008 - frozen
    on_batch: Callable[[int, int, int], object] = lambda hop, done, total: None,
) -> Read:
    """Write the triples within ``hops`` of the entities, outgoing, to an N-Triples file.

    ``out`` with ``.progress`` behind its name says how far it came; it is there until all was read.
    ``on_batch`` is called with the hop, the entities read of it, and all of it; the names come last.

    Raises:
        BackendError: the service refuses every entity of a batch; run it again to go on.
        DataError: the file is there, and no progress beside it; its progress is of another run; or
            another process writes it.
    """
    with claimed([out]):
        return _read_into(graph, entities, out, hops, wanted, on_batch)


def _read_into(
    graph: Graph,
    entities: Sequence[Iri],
    out: Path,
    hops: int,
    wanted: Wanted,
    on_batch: Callable[[int, int, int], object],
) -> Read:
    only, languages = sorted(wanted.only), sorted(wanted.languages)
    run = json.dumps([graph.name, sorted(entities), hops, only, languages, wanted.most])
    progress = out.with_name(f"{out.name}.progress")
    refuse_link(progress)
    refuse_link(out)
    steps = _steps_done(out, progress, run)
    found, met = Read(), dict.fromkeys(entities)
    frontier = list(met)
    with out.open("ab") as file, progress.open("a", encoding="utf-8") as journal:
        if not steps:
            _note(journal, {"run": run})
        for hop in range(1, hops + 2):
            names = hop == hops + 1  # of what is at the last ends, and of the relations
            ends: dict[Iri, None] = {}
            for begin in range(0, len(frontier), AT_ONCE):
                step = steps.pop(0) if steps else None
                if step is None:
                    step = _step(graph, frontier[begin : begin + AT_ONCE], wanted, names, file)
                    _note(journal, step)
                ends |= dict.fromkeys(map(Iri, step["ends"]))
                found.triples += step["triples"]
                found.blank += step["blank"]
                found.cut += step["cut"]
                found.failed += step["failed"]
                on_batch(hop, min(begin + AT_ONCE, len(frontier)), len(frontier))
            fresh = sorted(end for end in ends if end not in met)
            met |= dict.fromkeys(fresh)
            frontier = fresh
            if hop == hops:  # relations are among the ends of every hop
                frontier = sorted({*fresh, *_relations(out), *map(Iri, found.cut)})
    found.entities = len(met)
    there = _subjects(out)
    found.empty = [one for one in entities if one not in there and one not in found.failed]
    if not found.failed:
        progress.unlink()
    return found


def _step(
    graph: Graph, entities: Sequence[Iri], wanted: Wanted, names: bool, file: IO[bytes]
) -> dict[str, Any]:
    """Read some entities, and write their triples; what one of them is too much for is halved."""
    step: dict[str, list[str]] = {"ends": [], "cut": [], "failed": []}
    reasons: list[str] = []
    lines: dict[str, None] = {}
    blank = 0
    for entity, rows, cut in _read(graph, entities, wanted, names, step["failed"], reasons):
        step["cut"] += [str(entity)] * cut
        for relation, end in rows:
            if isinstance(end, Blank) or not isinstance(relation, Iri) or end is None:
                blank += 1
                continue
            lines[f"{n3(entity)} {n3(relation)} {n3(end)} .\n"] = None
            if isinstance(end, Iri) and not names:
                step["ends"].append(str(end))
    if step["failed"] and len(step["failed"]) == len(entities):
        raise BackendError(
            f"no entity could be read, {entities[0]} among them: {reasons[-1]}",
            service=graph.name,
            fix="Check the endpoint's URL, or run the same command again later: what was read is kept.",
        )
    file.write("".join(lines).encode())
    file.flush()
    os.fsync(file.fileno())
    return {**step, "triples": len(lines), "blank": blank, "bytes": file.tell()}


_Rows = list[tuple[Term | None, Term | None]]


def _read(
    graph: Graph,
    entities: Sequence[Iri],
    wanted: Wanted,
    names: bool,
    failed: list[str],
    reasons: list[str],
) -> Iterator[tuple[Iri, _Rows, bool]]:
    """The triples of each entity, and whether there are more of them."""
    values = " ".join(map(n3, entities))
    where = f"VALUES ?s {{ {values} }} ?s ?p ?o"
    if names:
        kinds = ", ".join(f"<{name}>" for name in _NAMES)
        claimed = f"VALUES ?s {{ {values} }} ?e <{_CLAIM}> ?s ; ?p ?o"
        where = f"{{ {where} }} UNION {{ {claimed} }} FILTER (?p IN ({kinds}))"
    query = f"SELECT ?s ?p ?o WHERE {{ {where}{wanted.filters} }}"
    try:
        found = graph.select(query, limit=_PAGE)
        if found.truncated and len(entities) == 1:
            found = graph.select(f"{query} ORDER BY ?s ?p ?o", limit=wanted.most)
    except (BackendError, DataError) as error:
        reasons.append(error.what)
        if len(entities) == 1:
            failed.append(str(entities[0]))
            return
        found = None
    if found is None or (found.truncated and len(entities) > 1):
        half = len(entities) // 2
        for some in (entities[:half], entities[half:]):
            yield from _read(graph, some, wanted, names, failed, reasons)
        return
    rows: dict[Iri, _Rows] = {entity: [] for entity in entities}
    for subject, relation, end in sorted(found.rows, key=str):
        rows[Iri(str(subject))].append((relation, end))
    for entity, read in rows.items():
        yield entity, read[: wanted.most], found.truncated or len(read) > wanted.most


def _subjects(out: Path) -> set[str]:
    with out.open(encoding="utf-8") as lines:
        return {line.split(" ", 1)[0][1:-1] for line in lines}


def _relations(out: Path) -> set[Iri]:
    with out.open(encoding="utf-8") as lines:
        return {Iri(line.split(" ", 2)[1][1:-1]) for line in lines}


def _steps_done(out: Path, progress: Path, run: str) -> list[dict[str, Any]]:
    """The steps of an earlier run; what it wrote without noting it is cut off the file.

    Raises:
        DataError: there is a file without progress, or the progress is of another run.
    """
    if not progress.exists():
        if out.exists():
            raise DataError(
                "it is there already", where=out, fix="Name another file, or remove this one."
            )
        return []
    try:
        first, *steps = [line for _, line in read_lines(progress)] or [{}]
    except DataError as error:
        raise DataError(
            "it is no progress of kgnb subgraph",
            where=error.where,
            fix=f"Remove it and {out} to begin anew.",
        ) from error
    written = out.stat().st_size if out.exists() else 0
    if (first or written) and first.get("run") != run:
        raise DataError(
            "it is the progress of another run: other entities, hops, options or another endpoint",
            where=progress,
            fix=f"Repeat the command of that run, name another --out, or remove it and {out}.",
        )
    kept = next((at for at, step in enumerate(steps) if step.get("failed")), len(steps))
    steps = steps[:kept]  # from the first one that failed on, it is read again
    size = steps[-1].get("bytes") if steps else 0
    if not isinstance(size, int) or not 0 <= size <= written:
        raise DataError(
            "it does not fit the file that was written",
            where=progress,
            fix=f"Remove it and {out}, and say the same again.",
        )
    if out.exists():
        os.truncate(out, size)
    lines = [first, *steps] if steps else []
    write_whole(progress, "".join(json.dumps(line) + "\n" for line in lines))
    return steps


def _note(journal: IO[str], line: dict[str, Any]) -> None:
    journal.write(json.dumps(line) + "\n")
    journal.flush()
    os.fsync(journal.fileno())


def named_iri(text: str, where: str) -> Iri:
    """An IRI as people write it in lists: in full, in angle brackets, or with a known prefix.

    Raises:
        DataError: it is none.
    """
    bare = text.strip().strip("<>")
    prefix, colon, local = bare.partition(":")
    if colon and prefix in PREFIXES and re.fullmatch(r"[\w.\-]+", local):
        return Iri(PREFIXES[prefix] + local)
    if not is_iri(bare):
        raise DataError(f"not an IRI: {bare[:80]!r}", where=where, fix="Write one IRI a line.")
    return Iri(bare)
