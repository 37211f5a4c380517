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

``.gz`` files are read as well, and so are tables of pairs (``pairs.py``: DeepOnto, Bio-ML, LogMap,
CSV), SSSOM divided by commas, and plain triples (owl:sameAs, owl:equivalentClass, SKOS matches) in
any RDF file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from kgnb.errors import DataError
from kgnb.files import write_whole
from kgnb.kg.loading import file_bytes
from kgnb.mapping_files import alignment_rdf, pairs, sssom, turtle
from kgnb.mappings import Alignment

__all__ = ["SUFFIXES", "WRITERS", "format_of", "load", "load_reference", "save", "writer_for"]

MAX_BYTES = 512 * 1024 * 1024  # of a file once unpacked; guards against a gzip bomb

Writer = Callable[[Alignment], str]
WRITERS: dict[str, Writer] = {
    "sssom": sssom.write,
    "rdf": alignment_rdf.write,
    "turtle": turtle.write,
}
SUFFIXES: dict[str, str] = {".tsv": "sssom", ".rdf": "rdf", ".xml": "rdf", ".ttl": "turtle"}
"""Suffix of a file name, and the format it stands for."""
_TABLES = (".tsv", ".csv", ".txt")
_TRIPLES = (".ttl", ".nt", ".n3", ".nq", ".trig", ".owl", ".jsonld")
_ALIGNMENT = b"knowledgeweb.org/heterogeneity/alignment"


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

    Raises:
        ValueError: the suffix is unknown, or the format cannot hold a value.
        DataError: the file cannot be written.
    """
    return write_whole(Path(path), writer_for(path)(alignment))


def load(path: str | os.PathLike[str], *, plain: bool = False) -> Alignment:
    """Read an alignment in the format of its suffix and content.

    Args:
        plain: a table whose first two columns are no IRIs is read as pairs of ids.

    Raises:
        DataError: the file is missing or malformed; says where.
        ValueError: the suffix is unknown.

    Examples:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "pairs.csv").write_text("SrcEntity,TgtEntity,Score\\nhttp://a/x,http://b/y,0.9\\n")
        >>> table = save(load(folder / "pairs.csv"), folder / "pairs.sssom.tsv")
        >>> [(one.source, one.target, one.confidence) for one in load(table).mappings]
        [('http://a/x', 'http://b/y', 0.9)]
    """
    file = Path(path)
    suffix = Path(file.name.lower().removesuffix(".gz")).suffix
    if suffix in _TRIPLES:
        return turtle.read(file)
    if suffix not in _TABLES:
        format_of(file)
    content = file_bytes(file, MAX_BYTES)
    if suffix in _TABLES:
        if b"subject_id" not in content:
            if found := pairs.read(content, str(file), plain=plain):
                return found
            if not any(line and line[:1] != b"#" for line in content.splitlines()):
                raise DataError(
                    "it holds no pair", where=file, fix="Check that it was written to the end."
                )
            raise DataError(
                "no row holds two IRIs, and no column is named subject_id",
                where=file,
                fix="A table of pairs has a source IRI and a target IRI in its first two columns; an "
                "SSSOM table has the columns subject_id, predicate_id and object_id.",
            )
        return sssom.read(content, str(file), _sidecar(file))
    if _ALIGNMENT not in content and b"<Alignment" not in content and b"OWL" in content.upper():
        return turtle.read(file)
    return alignment_rdf.read(content, str(file))


def _sidecar(file: Path) -> bytes | None:
    """The metadata of an SSSOM table in a file beside it: ``x.sssom.yml`` or ``x.yml``."""
    stem = file.name.removesuffix(".gz")
    stem = stem[: stem.rfind(".")]
    names = [f"{stem}{suffix}" for suffix in (".yml", ".yaml")]
    names += [f"{stem.removesuffix('.sssom')}{suffix}" for suffix in (".yml", ".yaml")]
    found = next((file.with_name(name) for name in names if file.with_name(name).is_file()), None)
    return file_bytes(found, MAX_BYTES) if found is not None else None


def load_reference(path: str | os.PathLike[str], *, plain: bool = False) -> Alignment:
    """Read an alignment to measure against; an empty one is refused."""
    alignment = load(path, plain=plain)
    if not alignment.mappings:
        raise DataError(
            "; ".join(["the reference holds no mapping", *alignment.notes]),
            where=str(path),
            fix="Name a reference alignment with at least one mapping.",
        )
    return alignment
