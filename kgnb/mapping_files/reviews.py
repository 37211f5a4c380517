"""Reviewed mappings as SSSOM TSV: one decision of a person a row, with reviewer and time.

They use the standard slots ``mapping_justification`` (manual curation), ``reviewer_label`` and
``mapping_date``. Its dates have no time of day, so the full time is in a column of our own.
Rejected pairs are "not an exact match".
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from kgnb.errors import DataError
from kgnb.files import write_whole
from kgnb.kg.loading import file_bytes
from kgnb.mapping_files import sssom
from kgnb.mappings import Alignment, Mapping

CURATED = "semapv:ManualMappingCuration"
PERSON = "person"  # the reviewer where no name was given, as in ``judged_by``


@dataclass(frozen=True, slots=True)
class ReviewedMapping:
    """One decided mapping, who decided it, and when (ISO 8601, "" if unknown)."""

    mapping: Mapping
    who: str = ""
    when: str = ""


def write(reviews: Iterable[ReviewedMapping], source: str = "", target: str = "") -> str:
    """The reviews as SSSOM TSV text, between the ontologies of these IRIs."""
    kept = sorted(
        reviews, key=lambda one: (one.mapping.kind, one.mapping.source, one.mapping.target)
    )
    signed = tuple(
        replace(
            one.mapping,
            justification=CURATED,
            judged_by=f"{PERSON}:{one.who}" if one.who else PERSON,
        )
        for one in kept
    )
    dates = {
        "mapping_date": [one.when[:10] for one in kept],
        "kgnb_time": [one.when for one in kept],
    }
    further = {slot: values for slot, values in dates.items() if any(values)}
    return sssom.write(Alignment(signed, source, target), further=further)


def save(
    reviews: Iterable[ReviewedMapping],
    path: str | os.PathLike[str],
    source: str = "",
    target: str = "",
) -> Path:
    """Write reviews to a .tsv file, whole or not at all; ValueError for another suffix."""
    file = Path(path)
    if file.suffix.lower() != ".tsv":
        raise ValueError(
            f"{file.name}: reviewed mappings are written as SSSOM, to a file that ends in .sssom.tsv"
        )
    return write_whole(file, write(reviews, source, target))


def read(path: str | os.PathLike[str]) -> list[ReviewedMapping]:
    """The reviews in an SSSOM TSV file of any tool; rows that nobody reviewed are left out.

    A row counts as reviewed if it names a reviewer or an author, or is justified by manual
    curation.

    Raises:
        DataError: the file is missing or malformed, or nobody reviewed any of its mappings.
    """
    rows = sssom.read_rows(file_bytes(Path(path)), str(path))
    found = [_review(mapping, row) for mapping, row in rows if _reviewed(row)]
    if not found:
        raise DataError(
            "nobody has reviewed any mapping in it",
            where=str(path),
            fix=f"Reviewed rows have a reviewer_label, or {CURATED} as mapping_justification.",
        )
    return found


def _reviewed(row: dict[str, str]) -> bool:
    people = ("reviewer_label", "reviewer_id", "author_label", "author_id")
    return (
        any(row.get(slot) for slot in people)
        or row.get("mapping_justification", "").strip() == CURATED
    )


def _review(mapping: Mapping, row: dict[str, str]) -> ReviewedMapping:
    people = (
        row.get(slot, "") for slot in ("reviewer_label", "author_label", "reviewer_id", "author_id")
    )
    who = next(filter(None, people), "").removeprefix(PERSON).removeprefix(":")
    return ReviewedMapping(mapping, who, row.get("kgnb_time") or row.get("mapping_date", ""))
