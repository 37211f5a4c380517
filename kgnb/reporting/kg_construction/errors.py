"""Records of the built graph that are not as the reference has them, one row each, which opens to both sides."""

from __future__ import annotations

from collections.abc import Iterable

from kgnb.evaluate.extraction import Difference, Record
from kgnb.reporting.kg_construction.running import Results
from kgnb.reporting.words import Words
from kgnb.results.table import Column, Table, Value
from kgnb.results.wording import short_iri

SHOWN = 100  # rows one reads through


def errors(results: Results) -> Table | Words:
    """Every record that differs, is missing or is one too many, category by category."""
    if not results.records:
        return Words(("No reference was given, so nothing is measured.",), off=True)
    found = [(name, one) for name, compared in results.records.items() for one in compared.differences()]
    if not found:
        return Words(("Every record is as the reference has it.",))
    columns = [
        Column("category", "Category"),
        Column("what", "What"),
        Column("slot", "Where"),
        Column("found", "Found"),
        Column("wanted", "Reference"),
    ]
    rows: list[list[Value]] = []
    for name, one in found[:SHOWN]:
        kind = "differs" if one.found and one.wanted else "missing" if one.wanted else "not in the reference"
        shown = one.slots if one.found and one.wanted else one.slots[:3]
        rows.append([name, kind, ", ".join(map(short_iri, shown)), _said(one.found, shown), _said(one.wanted, shown)])
    return Table(
        columns,
        rows,
        caption=f"Not as the reference has it: {len(found):,} records",
        details=[list(_details(one)) for _, one in found[:SHOWN]],
        total=len(found) if len(found) > SHOWN else None,
    )


def refused(results: Results) -> Table | Words:
    """The calls that were refused while reading, and whether they were mended."""
    table = results.built.violations()
    return table if len(table) else Words(("No call was refused while the documents were read.",))


def _said(record: Record | None, slots: Iterable[str]) -> str:
    return "; ".join(", ".join(_values(record, slot)) or "nothing" for slot in slots) if record is not None else ""


def _details(one: Difference) -> Iterable[tuple[str, str]]:
    for head, record in (("found", one.found), ("reference", one.wanted)):
        if record is not None:
            filled = [f"{short_iri(slot)}: {', '.join(_values(record, slot))}" for slot in record if record[slot]]
            yield head, "; ".join(filled)


def _values(record: Record, slot: str) -> list[str]:
    given = record.get(slot, ())
    return [given] if isinstance(given, str) else list(given)
