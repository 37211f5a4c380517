"""What went wrong, one row a mapping, each of which opens to what speaks for and against it."""

from __future__ import annotations

from collections.abc import Iterable

from kgnb.evaluate.alignment import Triple
from kgnb.kg.labels import readable
from kgnb.kg.ontology import Entity, Ontology
from kgnb.mappings import Mapping
from kgnb.reporting.ontology_matching.outcome import PairOutcome
from kgnb.reporting.ontology_matching.results import MatchingResults
from kgnb.reporting.sections import UNMEASURED
from kgnb.results.table import Column, Link, Table, Value, texts

Detail = tuple[str, str]


def wrong(results: MatchingResults) -> Table:
    """Mappings that were found and are not in the reference, surest first: the errors that hurt most."""
    rows = sorted(
        ((one, mapping) for one in results.scored for mapping in one.alignment if _is_wrong(one, mapping)),
        key=lambda item: (-item[1].confidence, item[0].name, item[1].pair),
    )
    return _mappings(
        rows, "Found, but not in the reference", "no mapping was found that is not in the reference", results
    )


def missed(results: MatchingResults) -> Table:
    """Mappings of the reference that were not found, and how far each of them got."""
    columns = texts(pair="Pair", source="Source", relation="Relation", target="Target", fate="What became of it")
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for one in results.scored:
        wanted = one.wanted.triples if one.wanted else frozenset()
        for triple in sorted(wanted - one.found):
            fate, more = _fate(one, triple)
            source, target = one.source.find(triple[0]), one.target.find(triple[1])
            rows.append([one.name, linked(triple[0], source), triple[2], linked(triple[1], target), fate])
            details.append(
                [*entity_details("source", source, one.source), *entity_details("target", target, one.target), *more]
            )
    notes = [] if results.scored else [UNMEASURED]
    return Table(columns, rows, caption=f"In the reference, but not found: {len(rows)}", details=details, notes=notes)


def unsure(results: MatchingResults) -> Table:
    """Mappings the judge could not decide: what a person should look at, likeliest first."""
    rows = sorted(
        ((one, mapping) for one in results.outcomes for mapping in one.alignment.unsure),
        key=lambda item: (-item[1].confidence, item[0].name, item[1].pair),
    )
    return _mappings(rows, "Unsure", "the judge decided everything it was asked", results)


def _mappings(rows: list[tuple[PairOutcome, Mapping]], title: str, none: str, results: MatchingResults) -> Table:
    columns = [
        *texts(pair="Pair", source="Source", relation="Relation", target="Target"),
        Column("confidence", "Confidence", "percent"),
        Column("judged_by", "Judged by"),
    ]
    shown: list[list[Value]] = [
        [
            one.name,
            linked(m.source, one.source.find(m.source), m.source_label),
            m.relation,
            linked(m.target, one.target.find(m.target), m.target_label),
            m.confidence,
            m.judged_by,
        ]
        for one, m in rows
    ]
    notes = [] if rows else [none if results.scored or title == "Unsure" else UNMEASURED]
    return Table(
        columns,
        shown,
        caption=f"{title}: {len(rows)}",
        details=[_reasons(one, mapping) for one, mapping in rows],
        notes=notes,
    )


def _is_wrong(one: PairOutcome, mapping: Mapping) -> bool:
    triple = (mapping.source, mapping.target, mapping.relation)
    return triple in one.found and one.wanted is not None and triple not in one.wanted.triples


def _reasons(one: PairOutcome, mapping: Mapping) -> list[Detail]:
    """What spoke for a mapping, and what the reference has for the two entities instead."""
    details = evidence_details(mapping)
    wanted = sorted(one.wanted.triples) if one.wanted else []
    for source, target, relation in wanted:
        if source == mapping.source or target == mapping.target:
            names_of = (_name(source, one.source.find(source)), _name(target, one.target.find(target)))
            details.append(("the reference has", f"{names_of[0]} {relation} {names_of[1]}"))
    for side, ontology, iri in (("source", one.source, mapping.source), ("target", one.target, mapping.target)):
        details += entity_details(side, ontology.find(iri), ontology)
    return details


def _fate(one: PairOutcome, triple: Triple) -> tuple[str, list[Detail]]:
    """How far a missed mapping got: dropped with a reason, unsure, another relation, or never accepted."""
    pair = triple[:2]
    for dropped in one.alignment.dropped:
        if dropped.mapping.pair == pair:
            return f"dropped: {dropped.reason}", evidence_details(dropped.mapping)
    for mapping in one.alignment.unsure:
        if mapping.pair == pair:
            return "unsure", evidence_details(mapping)
    for mapping in one.alignment:
        if mapping.pair == pair:
            return f"found as {mapping.relation}", evidence_details(mapping)
    rivals = [mapping for mapping in one.alignment if mapping.source == pair[0] or mapping.target == pair[1]]
    if rivals:
        taken = "; ".join(f"{m.source_label or m.source} = {m.target_label or m.target}" for m in rivals)
        return "another was chosen", [("chosen", taken)]
    if one.wanted and triple in one.wanted.strangers:
        return "the ontologies have no such entity", []
    return "never accepted", []


def evidence_details(mapping: Mapping) -> list[Detail]:
    """What spoke for a mapping, to be opened below its row."""
    said = [("why", mapping.rationale)] if mapping.rationale else []
    lines = [
        f"{item.kind}{'' if item.score is None else f' ({item.score:.2f})'}: {item.text}" for item in mapping.evidence
    ]
    return said + ([("evidence", "\n".join(["", *lines]))] if lines else [])


def entity_details(side: str, entity: Entity | None, ontology: Ontology) -> Iterable[Detail]:
    """What an entity is, in a line; nothing for one the ontology does not have."""
    if entity is None:
        return []
    parents = ", ".join(_name(iri, ontology.find(iri)) for iri in entity.parents)
    said = [
        f"{entity.kind} {_name(entity.iri, entity)}",
        *([f"also called {', '.join(text.text for text in entity.synonyms[:5])}"] if entity.synonyms else []),
        *([f"below {parents}"] if parents else []),
        *[text.text for text in (*entity.definitions, *entity.comments)[:1]],
    ]
    return [(side, "; ".join(said))]


def linked(iri: str, entity: Entity | None, label: str = "") -> Link:
    """An entity as a cell: its name, leading to its IRI."""
    return Link(iri, label or _name(iri, entity))


def _name(iri: str, entity: Entity | None) -> str:
    return readable(entity) if entity else iri
