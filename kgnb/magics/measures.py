"""An alignment measured against a reference, as ``%om evaluate`` shows it."""

from __future__ import annotations

from kgnb.errors import DataError
from kgnb.evaluate.alignment import (
    Score,
    Triple,
    non_trivial,
    oriented,
    per_kind,
    per_relation,
    same_name,
    score,
    scored_by_oaei,
    triples,
)
from kgnb.kg.ontology import Entity, Ontology
from kgnb.mappings import Alignment
from kgnb.results.metrics import PRECISION_RECALL_F1, metrics
from kgnb.results.metrics import Score as Row
from kgnb.results.table import Column, Table

COUNTS = (
    Column("right", "Right", "number"),
    Column("found", "Found", "number"),
    Column("wanted", "Reference", "number"),
)


def measures(alignment: Alignment, reference: Alignment, source: Ontology, target: Ontology) -> Table:
    """Precision, recall and F1 over all, by relation, by kind of entity and over what names alone do not give away.

    Relations the reference has no example of are left out, and so are top entities, as the OAEI does. A reference that
    names the ontologies the other way round is turned.

    Raises:
        DataError: not one pair of the reference joins these two ontologies.
    """
    sides = [{entity.iri for entity in ontology} for ontology in (source, target)]
    try:
        turned = oriented(scored_by_oaei(triples(reference)), *sides)
    except ValueError as error:
        raise DataError(str(error), where="the reference", fix="Name the reference of these two ontologies.") from error
    wanted = turned.triples
    relations = sorted({relation for _, _, relation in wanted})
    given = scored_by_oaei(triples(alignment, *relations))
    kinds = {mapping.source: mapping.kind for mapping in alignment}
    kinds.update((entity.iri, entity.kind) for entity in source)
    rule = same_name({entity.iri: _names(entity) for ontology in (source, target) for entity in ontology})
    parts = [*_parts(per_kind(given, wanted, kinds)), *_parts(per_relation(given, wanted))]
    notes = [f"relations scored: {', '.join(relations)}", "trivial: the pair shares a label, synonym or local name"]
    notes += ["the reference named the ontologies the other way round: it was turned"] if turned.flipped else []
    notes += [_strangers(turned.strangers)] if turned.strangers else []
    summary = [_row("non-trivial", non_trivial(given, wanted, rule)), _row("all", score(given, wanted))]
    return metrics(
        (*PRECISION_RECALL_F1, *COUNTS), parts, summary=summary, caption="Against the reference", notes=notes
    )


def _parts(scores: dict[str, Score]) -> list[Row]:
    """The parts as rows; a single part would only repeat the whole."""
    return [_row(name, part) for name, part in scores.items()] if len(scores) > 1 else []


def _row(name: str, part: Score) -> Row:
    """One score; where there is nothing to find or nothing was found, a share stays empty rather than 0."""
    found, wanted = part.tp + part.fp, part.tp + part.fn
    values = {
        "precision": part.precision if found else None,
        "recall": part.recall if wanted else None,
        "f1": part.f1 if wanted else None,
    }
    return Row(name, values | {"right": part.tp, "found": found, "wanted": wanted})


def _names(entity: Entity) -> list[str]:
    return [entity.local_name, *(text.text for text in (*entity.labels, *entity.synonyms))]


def _strangers(strangers: frozenset[Triple]) -> str:
    return f"{len(strangers):,} pairs of the reference name an entity neither ontology has; they count as missed"
