"""SSSOM TSV (https://mapping-commons.github.io/sssom): a YAML header in comment lines, then one
mapping a row.

Standard slots hold what SSSOM can express; evidence, unusual kinds and justifications go into
extension slots defined in the header; dropped and unsure mappings and notes go into header lines of
our own, so that no reader takes a rejected mapping for a valid one.
"""

from __future__ import annotations

import csv
import io
import json
import re
import textwrap
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import yaml

from kgnb.errors import DataError
from kgnb.files import from_yaml
from kgnb.mapping_files import plain
from kgnb.mapping_files.plain import KGNB, KNOWN, NAMESPACES, kind_of, predicate_of, relation_of
from kgnb.mappings import Alignment, Dropped, Evidence, Mapping, which_concepts

MAX_FIELD = 2**31 - 1  # characters; csv stops at 131,072 by default, and evidence may be longer
UNSPECIFIED_LICENSE = (
    "https://w3id.org/sssom/license/unspecified"  # prescribed by SSSOM when no licence was chosen
)
REQUIRED = ("subject_id", "predicate_id", "object_id")
_ALWAYS = (*REQUIRED, "mapping_justification", "confidence")
_COLUMNS = (
    "subject_id",
    "subject_label",
    "subject_type",
    "predicate_id",
    "predicate_modifier",
    "object_id",
    "object_label",
    "object_type",
    "mapping_justification",
    "reviewer_label",
    "mapping_tool",
    "confidence",
    "comment",
    "kgnb_kind",
    "kgnb_justification",
    "kgnb_evidence",
)
_EXTENSIONS = ("kind", "justification", "evidence", "time")
_TYPES = {
    "class": "owl class",
    "object property": "owl object property",
    "datatype property": "owl data property",
    "annotation property": "owl annotation property",
    "individual": "owl named individual",
}
_KINDS = {name: kind for kind, name in _TYPES.items()} | {
    "rdfs class": "class",
    "skos concept": "class",
}
_CONCEPT = "skos concept"
_JUSTIFICATION = re.compile(r"semapv:\w+")
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")  # YAML 1.2, section 5.1


def write(
    alignment: Alignment,
    license: str = UNSPECIFIED_LICENSE,
    further: Dict[str, Sequence[str]] | None = None,
) -> str:
    """The alignment as SSSOM TSV text; ``license`` is the IRI of the mappings' licence.

    ``further`` are columns by their SSSOM slot, with one value a mapping; they come last.
    The set's identifier is a digest of its content: equal alignments give equal files.
    """
    curies = Curies.of(
        [mapping.source for mapping in alignment] + [alignment.source],
        [mapping.target for mapping in alignment] + [alignment.target],
    )
    found = [_row(plain.checked(mapping), curies) for mapping in alignment]
    columns = [
        column for column in _COLUMNS if column in _ALWAYS or any(row[column] for row in found)
    ]
    for slot, values in (further or {}).items():
        for row, value in zip(found, values, strict=True):
            row[slot] = value
        columns.append(slot)
    body = _line(columns) + "".join(_line(row[column] for column in columns) for row in found)
    header = "".join(f"#{entry}\n" for entry in _header(alignment, curies, columns, license))
    identifier = uuid.uuid5(uuid.NAMESPACE_URL, KGNB + header + body)
    return f'#mapping_set_id: "urn:uuid:{identifier}"\n{header}{body}'


def for_screen(text: str) -> str:
    """The table without the header's lists of dropped and unsure mappings, which fill a screen."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(('#- "{', "#kgnb_")))


def _header(alignment: Alignment, curies: Curies, columns: list[str], license: str) -> list[str]:
    lines = [f"license: {_text(license)}", "curie_map:"]
    lines += [f"  {prefix}: {_text(namespace)}" for prefix, namespace in curies.prefixes.items()]
    for slot, own, iri in (
        ("subject_source", "kgnb_source", alignment.source),
        ("object_source", "kgnb_target", alignment.target),
    ):
        if iri:
            curie = curies.shorten(iri)
            lines.append(f"{slot}: {_text(curie)}" if curie else f"{own}: {_text(iri)}")
    used = [name for name in _EXTENSIONS if f"kgnb_{name}" in columns]
    if used:
        lines.append("extension_definitions:")
    for name in used:
        lines += [
            f"- slot_name: kgnb_{name}",
            f"  property: kgnb:{name}",
            "  type_hint: xsd:string",
        ]
    for key, values in (
        ("notes", list(alignment.notes)),
        (
            "unsure",
            [
                plain.dumps(plain.mapping_json(plain.checked(mapping)))
                for mapping in alignment.unsure
            ],
        ),
        ("dropped", [plain.dumps(plain.dropped_json(dropped)) for dropped in alignment.dropped]),
    ):
        if values:
            lines += [f"kgnb_{key}:", *(f"- {_text(value)}" for value in values)]
    return lines


def _text(value: str) -> str:
    """A text as a double-quoted YAML scalar on one line."""
    return _UNSAFE.sub(
        lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False)
    )


def _row(mapping: Mapping, curies: Curies) -> dict[str, str]:
    person = mapping.judged_by.split(":")[0] == "person"
    usual = bool(_JUSTIFICATION.fullmatch(mapping.justification))
    return {
        "subject_id": curies.must_shorten(mapping.source),
        "subject_label": mapping.source_label,
        "subject_type": _CONCEPT if mapping.is_concept("source") else _TYPES.get(mapping.kind, ""),
        "predicate_id": predicate_of(mapping),
        "predicate_modifier": "Not" if mapping.relation == "different" else "",
        "object_id": curies.must_shorten(mapping.target),
        "object_label": mapping.target_label,
        "object_type": _CONCEPT if mapping.is_concept("target") else _TYPES.get(mapping.kind, ""),
        "mapping_justification": mapping.justification if usual else "semapv:UnspecifiedMatching",
        "reviewer_label": mapping.judged_by if person else "",
        "mapping_tool": "" if person else mapping.judged_by,
        "confidence": repr(mapping.confidence),
        "comment": mapping.rationale,
        "kgnb_kind": "" if mapping.kind in _TYPES else json.dumps(mapping.kind, ensure_ascii=False),
        "kgnb_justification": ""
        if usual
        else json.dumps(mapping.justification, ensure_ascii=False),
        "kgnb_evidence": plain.dumps(plain.evidence_json(mapping)) if mapping.evidence else "",
    }


def read(content: bytes, where: str, sidecar: bytes | None = None) -> Alignment:
    """The alignment in SSSOM TSV bytes; DataError names file and line.

    Also accepts header slots that apply to every row, a header in a file of its own (``sidecar``),
    commas for tabs, full IRIs for CURIEs, and no header at all if every CURIE has a well-known
    prefix. A row without a mapping of ours ("no match", a literal, an unknown predicate or prefix)
    costs that row: it is left out, and counted in ``notes``. Only where no prefix of the whole table
    is declared, the first is an error.
    """
    header, rows = _table(content, where, sidecar)
    curies = Curies.read(header.get("curie_map"), where)
    sources, targets = (
        {name} if (name := str(header.get(slot) or "")) else set()
        for slot in ("subject_source", "object_source")
    )
    mappings: list[Mapping] = []
    left_out: Counter[str] = Counter()
    first: dict[str, str] = {}
    undeclared: list[DataError] = []
    for read_as, row in _mappings(header, rows, where):
        if isinstance(read_as, DataError):
            why = read_as.what.removeprefix(f"{read_as.where}: ")
            left_out[why] += 1
            undeclared += [read_as] if "is not declared" in why else []
            first.setdefault(why, f" (line {read_as.where.rpartition(':')[2]})")
            continue
        if isinstance(read_as, str):
            left_out[read_as] += 1
            continue
        mappings.append(read_as)
        sources |= {row["subject_source"]} if "subject_source" in row else set()
        targets |= {row["object_source"]} if "object_source" in row else set()
    if undeclared and len(undeclared) == left_out.total() and not mappings:
        # no row is odd here: the metadata of the whole table is missing
        raise undeclared[0]
    notes = [
        f"{number} row{'s' if number > 1 else ''} left out{first.get(why, '')}: {why}"
        for why, number in sorted(left_out.items())
    ]
    return Alignment(
        mappings=tuple(mappings),
        source=str(header.get("kgnb_source") or _only(sources, curies)),
        target=str(header.get("kgnb_target") or _only(targets, curies)),
        dropped=tuple(
            plain.loads(Dropped, text, where) for text in _texts(header, "kgnb_dropped", where)
        ),
        unsure=tuple(
            plain.loads(Mapping, text, where) for text in _texts(header, "kgnb_unsure", where)
        ),
        notes=(*_texts(header, "kgnb_notes", where), *notes),
    )


def read_rows(content: bytes, where: str) -> list[tuple[Mapping, dict[str, str]]]:
    """Every mapping with all fields of its row, for slots that an alignment does not keep.

    Skips the rows that say "no match"; an odd row is an error, for these are people's decisions.
    """
    kept: list[tuple[Mapping, dict[str, str]]] = []
    for mapping, row in _mappings(*_table(content, where), where):
        if isinstance(mapping, DataError):
            raise mapping
        if not isinstance(mapping, str):
            kept.append((mapping, row))
    return kept


_Rows: TypeAlias = list[tuple[int, dict[str, str]]]
_PROPAGATED = {*_COLUMNS, "subject_source", "object_source"}


def _mappings(
    header: dict[str, Any], rows: _Rows, where: str
) -> Iterator[tuple[Mapping | str | DataError, dict[str, str]]]:
    """The mapping of each row, or the reason it has none, with its fields; header slots apply to
    every row.
    """
    curies = Curies.read(header.get("curie_map"), where)
    spread = {slot: str(value) for slot, value in header.items() if slot in _PROPAGATED}
    for number, given in rows:
        row = spread | {slot: value for slot, value in given.items() if value}
        try:
            yield _mapping(row, curies, f"{where}:{number}"), row
        except DataError as error:
            yield error, row


def _table(
    content: bytes, where: str, sidecar: bytes | None = None
) -> tuple[dict[str, Any], _Rows]:
    """The header's slots, and the fields of every row with the row's line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            "is not UTF-8 text", where=f"{where}:{line}", fix="Save the file as UTF-8."
        ) from error
    header, body, lines = _split(text, where)
    if sidecar is not None:
        header = _values(sidecar.decode("utf-8-sig", "replace"), f"{where}'s sidecar") | header
    rows = _cells(body, where, lines + 1)
    number, columns = next(rows, (lines + 1, []))
    columns = [column.strip() for column in columns]
    missing = [column for column in REQUIRED if column not in columns and column not in header]
    if missing:
        raise DataError(
            f"the table has no column {', '.join(missing)}",
            where=f"{where}:{number}",
            fix="An SSSOM table is tab-separated and has at least subject_id, predicate_id and object_id.",
        )
    return header, [(at, _fields(at, columns, fields, where)) for at, fields in rows]


def _split(text: str, where: str) -> tuple[dict[str, Any], str, int]:
    """The header's values, the table's text, and how many lines the header had."""
    header, position = [], 0
    while text.startswith("#", position):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end + 1
        header.append(text[position:end].lstrip("#").rstrip())
        position = end
    written = textwrap.dedent("\n".join(header)) + "\n"
    return _values(written, where), text[position:], len(header)


def _values(written: str, where: str) -> dict[str, Any]:
    """The slots of a YAML text, all scalars as they are written: a prefix NO is no boolean."""
    try:
        values = from_yaml(written, texts=True)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise DataError(
            f"the header is not YAML: {getattr(error, 'problem', None) or error}",
            where=f"{where}:{line}",
            fix="Header lines begin with # and hold YAML, as in '#license: https://...'.",
        ) from error
    if values and not isinstance(values, dict):
        raise DataError(
            "the header holds no slots", where=f"{where}:1", fix="Write '#name: value' lines."
        )
    return values or {}


def _fields(at: int, columns: list[str], fields: list[str], where: str) -> dict[str, str]:
    if len(fields) > len(columns) and any(fields[len(columns) :]):
        raise DataError(
            f"the row has {len(fields)} fields, the table {len(columns)} columns",
            where=f"{where}:{at}",
            fix="Quote fields that hold tabs.",
        )
    return dict(zip(columns, fields, strict=False))


def _texts(header: Dict[str, Any], key: str, where: str) -> list[str]:
    value = header.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise DataError(
            f"{key} is not a list of texts", where=where, fix="Export the alignment again."
        )
    return list(value)


def _only(names: set[str], curies: Curies) -> str:
    return curies.expand_or_keep(names.pop()) if len(names) == 1 else ""


def _mapping(row: dict[str, str], curies: Curies, at: str) -> Mapping | str:
    """The mapping in a row, or the reason it has none."""
    if "rdfs literal" in (row.get("subject_type"), row.get("object_type")):
        return "they map a literal text, not an entity"
    ids = [row.get(slot, "").strip() for slot in REQUIRED]
    empty = [slot for slot, value in zip(REQUIRED, ids, strict=True) if not value]
    if empty:
        raise DataError(
            f"the row has no {', '.join(empty)}", where=at, fix="Fill it in or remove the row."
        )
    source, predicate, target = (curies.expand(value, at) for value in ids)
    if "https://w3id.org/sssom/NoTermFound" in (source, target):
        return "they say that there is no match"
    curie = KNOWN.get(predicate, "")
    relation = relation_of(curie)
    if relation is None:
        known = ", ".join(KNOWN.values())
        raise DataError(
            f"the predicate {ids[1][:80]!r} is unknown", where=at, fix=f"Use one of {known}."
        )
    if row.get("predicate_modifier", "").strip().lower() == "not":
        if relation != "equivalent":
            return "they deny a relation other than equivalence"
        relation = "different"
    justification = row.get("kgnb_justification")
    kind = row.get("kgnb_kind")
    return plain.read_mapping(
        {
            "source": source,
            "target": target,
            "relation": relation,
            "confidence": _confidence(row, at),
            "kind": plain.loads(str, kind, at)
            if kind
            else _KINDS.get(row.get("subject_type", ""), kind_of(curie)),
            "source_label": row.get("subject_label", ""),
            "target_label": row.get("object_label", ""),
            "justification": plain.loads(str, justification, at)
            if justification
            else row.get("mapping_justification", "").strip() or "semapv:UnspecifiedMatching",
            "judged_by": row.get("reviewer_label")
            or row.get("author_label")
            or row.get("mapping_tool", ""),
            "rationale": row.get("comment", ""),
            "concepts": which_concepts(
                row.get("subject_type") == _CONCEPT, row.get("object_type") == _CONCEPT
            ),
            "evidence": plain.loads(list[Evidence], row["kgnb_evidence"], at)
            if row.get("kgnb_evidence")
            else [],
        },
        at,
    )


def _confidence(row: dict[str, str], at: str) -> float:
    text = row.get("confidence", "").strip()
    try:
        return float(text) if text else 1.0
    except ValueError as error:
        raise DataError(
            f"the confidence {text[:40]!r} is not a number", where=at, fix="Write it as in 0.75."
        ) from error


_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_ADDRESS = re.compile(r"(https?|urn|tag|file|info):")


def namespace_of(iri: str) -> str:
    """The part of an absolute IRI up to its last ``#``, ``/`` or ``:``; "" if there is none.

    >>> namespace_of("http://example.org/huts#Hut"), namespace_of("http://cmt"), namespace_of("Hut")
    ('http://example.org/huts#', 'http://', '')
    """
    if not _ABSOLUTE.fullmatch(iri):
        return ""
    name = iri.rstrip("#/:")
    return iri[: max(name.rfind("#"), name.rfind("/"), name.rfind(":")) + 1]


@dataclass(frozen=True)
class Curies:
    """A prefix map: prefix to namespace."""

    prefixes: dict[str, str]

    @classmethod
    def of(cls, sources: Iterable[str], targets: Iterable[str]) -> Curies:
        """A map for these IRIs: the commonest namespace of a side is ``source`` or ``target``,
        others are numbered.
        """
        counted = [Counter(filter(None, map(namespace_of, iris))) for iris in (sources, targets)]
        known = {namespace: prefix for prefix, namespace in (*NAMESPACES.items(), ("kgnb", KGNB))}
        for prefix, counter in zip(("source", "target"), counted, strict=True):
            if counter:
                most = max(counter.values())
                commonest = min(name for name, times in counter.items() if times == most)
                known.setdefault(commonest, prefix)
        others = sorted(set().union(*counted) - set(known))
        known |= {namespace: f"ns{number}" for number, namespace in enumerate(others, start=1)}
        return cls({prefix: namespace for namespace, prefix in known.items()})

    @classmethod
    def read(cls, value: object, where: str) -> Curies:
        """The prefix map of a file's header, with the prefixes built into SSSOM."""
        if value is not None and not isinstance(value, dict):
            raise DataError(
                "curie_map is not a map",
                where=where,
                fix="Write '#curie_map:' and '#  prefix: namespace'.",
            )
        return cls(
            NAMESPACES
            | {str(prefix): str(namespace) for prefix, namespace in (value or {}).items()}
        )

    def shorten(self, iri: str) -> str:
        """The CURIE of an IRI, or "" if it has none."""
        namespace = namespace_of(iri)
        prefix = self._by_namespace.get(namespace, "")
        return f"{prefix}:{iri[len(namespace) :]}" if namespace and prefix else ""

    @cached_property
    def _by_namespace(self) -> dict[str, str]:
        return {
            namespace: prefix for prefix, namespace in reversed(self.prefixes.items())
        }  # the first one stays

    def must_shorten(self, iri: str) -> str:
        """The CURIE of an IRI; ValueError if it is not absolute."""
        curie = self.shorten(iri)
        if not curie:
            raise ValueError(f"{iri!r} is not an absolute IRI, so it cannot be in an SSSOM table")
        return curie

    def expand(self, curie: str, where: str) -> str:
        """The IRI of a CURIE; a full IRI is returned unchanged. DataError for an undeclared prefix."""
        prefix, colon, local = curie.partition(":")
        if colon and prefix in self.prefixes:
            return self.prefixes[prefix] + local
        if _ADDRESS.match(curie):
            return curie
        raise DataError(
            f"the prefix of {curie[:80]!r} is not declared",
            where=where,
            fix="Add it to the header: '#curie_map:' and below it '#  prefix: http://the/namespace#'.",
        )

    def expand_or_keep(self, text: str) -> str:
        """The IRI of a CURIE; any other text unchanged."""
        prefix, colon, local = text.partition(":")
        return self.prefixes[prefix] + local if colon and prefix in self.prefixes else text


def _line(fields: Iterable[str]) -> str:
    """One row with its line end; a field with a tab, line break or quote is quoted (RFC 4180 with
    tabs).

    A field that begins with ``=``, ``+``, ``-`` or ``@`` is kept, because escaping it would change
    the label.

    >>> _line(["Hut", 'the "old" hut'])
    'Hut\\t"the ""old"" hut"\\n'
    """
    return "\t".join(map(_quoted, fields)) + "\n"


def _quoted(field: str) -> str:
    if any(mark in field for mark in '\t\n\r"'):
        return '"' + field.replace('"', '""') + '"'
    return field


def _cells(text: str, where: str, first_line: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of every row; blank lines are skipped. Quotes count only where a field
    begins with one.
    """
    csv.field_size_limit(MAX_FIELD)
    first = text.partition("\n")[0]
    divider = "\t" if "\t" in first or "," not in first else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=divider, strict=True)
    started = first_line
    try:
        for fields in reader:
            if fields:
                yield started, fields
            started = first_line + reader.line_num
    except csv.Error as error:
        fix = 'Close the quote, and double quotes within a quoted field, as in "".'
        raise DataError(
            f"a quoted field is malformed: {error}", where=f"{where}:{started}", fix=fix
        ) from error
