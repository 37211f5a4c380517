"""Alignments in files: SSSOM TSV, OAEI Alignment RDF and Turtle, chosen by the file's suffix.

========================= ==========================================================================
suffix                    what comes back from :func:`load` after :func:`save`
========================= ==========================================================================
``.sssom.tsv``, ``.tsv``  everything, in standard SSSOM slots where SSSOM has one (``sssom.py``)
``.rdf``, ``.xml``        everything; what the format cannot express is kept in elements of our own
                          namespace, which evaluators skip (``alignment_rdf.py``)
``.ttl``                  source, target, relation, confidence, kind, labels, justification, judge
and
                          rationale; *lost*: evidence, dropped and unsure mappings, notes, mappings
                          that say "different" or "unsure" (``turtle.py``)
========================= ==========================================================================

``.rdf.gz``, ``.xml.gz`` and ``.tsv.gz`` are read as well, and so is a ``.tsv`` of pairs: two IRIs a
line, optionally a confidence, separated by tabs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from kgnb.errors import DataError
from kgnb.files import write_whole
from kgnb.kg.loading import file_bytes
from kgnb.mapping_files import alignment_rdf, sssom, turtle
from kgnb.mappings import Alignment, Mapping

__all__ = ["SUFFIXES", "WRITERS", "format_of", "load", "load_reference", "save", "writer_for"]

MAX_BYTES = 512 * 1024 * 1024  # of a file once unpacked; guards against a gzip bomb

_PAIR = re.compile(r"(\w[\w+.-]*:\S+)\t(\w[\w+.-]*:\S+)(?:\t(0?\.\d+|[01](?:\.0*)?))?")
Writer = Callable[[Alignment], str]
WRITERS: dict[str, Writer] = {
    "sssom": sssom.write,
    "rdf": alignment_rdf.write,
    "turtle": turtle.write,
}
SUFFIXES: dict[str, str] = {".tsv": "sssom", ".rdf": "rdf", ".xml": "rdf", ".ttl": "turtle"}
"""Suffix of a file name, and the format it stands for."""


def format_of(path: str | os.PathLike[str]) -> str:
    """The format of a file name: ``sssom``, ``rdf`` or ``turtle``; ValueError for any other suffix.

    >>> format_of("huts.sssom.tsv"), format_of("reference.RDF")
    ('sssom', 'rdf')
    """
    suffix = Path(Path(path).name.lower().removesuffix(".gz")).suffix
    if suffix not in SUFFIXES:
        raise ValueError(f"{Path(path).name}: an alignment file ends in .sssom.tsv, .rdf or .ttl")
    return SUFFIXES[suffix]


def writer_for(path: str | os.PathLike[str]) -> Writer:
    """The writer for a file name; ValueError for an unknown suffix and for gzipped files."""
    form = format_of(path)
    if Path(path).name.lower().endswith(".gz"):
        raise ValueError(f"{Path(path).name}: alignments are written unpacked; leave out .gz")
    return WRITERS[form]


def save(alignment: Alignment, path: str | os.PathLike[str]) -> Path:
    """Write an alignment in the format its suffix names, whole or not at all, and return the path.

    ValueError for an unknown suffix or a value the format cannot hold; DataError if the file cannot
    be written.
    """
    return write_whole(Path(path), writer_for(path)(alignment))


def load(path: str | os.PathLike[str]) -> Alignment:
    """Read an alignment in the format of its suffix; DataError gives the place of an error."""
    file = Path(path)
    form = format_of(file)
    content = file_bytes(file, MAX_BYTES)
    if form == "turtle":
        return turtle.read(file)
    if form == "sssom" and (found := _pairs(content)):
        return found
    return (sssom.read if form == "sssom" else alignment_rdf.read)(content, str(file))


def _pairs(content: bytes) -> Alignment | None:
    """The alignment in a table of pairs, as entity alignment writes it: two IRIs a line, optionally
    a confidence.
    """
    found = [
        _PAIR.fullmatch(line)
        for line in content.decode("utf-8-sig", "replace").splitlines()
        if line.strip()
    ]
    pairs = [one for one in found if one]
    if len(pairs) < len(found):
        return None
    return Alignment(
        tuple(
            Mapping(one[1], one[2], confidence=float(one[3] or 1), kind="individual")
            for one in pairs
        )
    )


def load_reference(path: str | os.PathLike[str]) -> Alignment:
    """Read an alignment to measure against; an empty one is refused."""
    alignment = load(path)
    if not alignment.mappings:
        raise DataError(
            "the reference holds no mapping",
            where=str(path),
            fix="Name a reference alignment with at least one mapping.",
        )
    return alignment
