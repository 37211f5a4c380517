"""What ``kgnb evaluate`` does, beside its options."""

from __future__ import annotations

import json
from typing import Any

import click

from kgnb.datasets.questions import read_questions
from kgnb.errors import DataError
from kgnb.evaluate.alignment import Score, flipped, per_relation, score, scored_by_oaei, triples
from kgnb.evaluate.answers import WARNING, Item, measure
from kgnb.mapping_files import load
from kgnb.mapping_files.pairs import spelt_out
from kgnb.mappings import Alignment
from kgnb.results.escaping import unbroken
from kgnb.results.wording import bounds_of_few
from kgnb.tasks.asking import AnswerOutcome, found_rows, found_values, read_answers
from kgnb.tasks.matching import open_reference


def evaluate(found: str, reference: str, any_relation: bool, as_json: bool) -> None:
    """Print the figures of an alignment, or of answers."""
    if found.endswith(".jsonl"):
        _answers(found, reference, as_json)
        return
    expected, alignment = open_reference(reference, plain=True), load(found, plain=True)
    expected, alignment = spelt_out(expected, alignment), spelt_out(alignment, expected)
    for path, read in ((reference, expected), (found, alignment)):
        for note in read.notes:
            if "left out" in note:
                click.echo(unbroken(f"kgnb: {path}: {note}"), err=True)
    if _entities(alignment).isdisjoint(_entities(expected)) and len(alignment):
        raise DataError(
            f"it names no entity that {reference} names",
            where=found,
            fix="Name an alignment and a reference of the same two ontologies or tables.",
        )
    wanted, given = scored_by_oaei(triples(expected)), scored_by_oaei(triples(alignment))
    swapped = score(given, wanted, by_pair=True).tp < score(given, flipped(wanted), by_pair=True).tp
    wanted = flipped(wanted) if swapped else wanted
    if not any_relation:
        relations = {triple[2] for triple in wanted}
        given = frozenset(triple for triple in given if triple[2] in relations)
    parts = {"all": score(given, wanted, by_pair=any_relation)}
    if not any_relation:
        parts |= (
            per_relation(given, wanted) if len({triple[2] for triple in given | wanted}) > 1 else {}
        )
    if as_json:
        content: dict[str, Any] = {**parts.pop("all").to_json()}
        content |= (
            {"relations": {name: part.to_json() for name, part in parts.items()}} if parts else {}
        )
        click.echo(json.dumps(content))
    else:
        click.echo("\n".join(_lines(parts)))
    if swapped:
        click.echo(
            "kgnb: the reference names the ontologies in the other order; it was swapped", err=True
        )


def _entities(alignment: Alignment) -> set[str]:
    return {iri for mapping in alignment for iri in mapping.pair}


def _answers(found: str, reference: str, as_json: bool) -> None:
    """Print the scores of a file of answers: silence never scores, and is counted apart."""
    asked = [question for question in read_questions(reference) if question.values is not None]
    if not asked:
        raise DataError(
            "no question has values to compare with",
            where=reference,
            fix='Give lines "values": ["http://..."] (or names), or "table": {"rows": [...]}; [] for no answer.',
        )
    given = read_answers(found)
    known = {question.id for question in asked}
    if known.isdisjoint(given):
        raise DataError(
            f"it answers none of the questions of {reference}",
            where=found,
            fix="Their ids must be the same: name the file that kgnb ask --questions was given.",
        )
    missing = [question.id for question in asked if question.id not in given]
    outcomes = [given.get(one.id, AnswerOutcome(one.id)) for one in asked]
    measured = measure(
        [
            Item(
                found_values(outcome, one),
                one.reference,
                one.kind,
                rows=found_rows(outcome),
                table=one.table,
            )
            for one, outcome in zip(asked, outcomes, strict=True)
        ]
    )
    content = {
        "questions": measured.questions,
        "answered": measured.questions - measured.unsure,
        "exact": measured.exact,
        "f1": measured.f1,
        "strict": measured.strict,
        "lenient": measured.lenient,
        "precision": measured.precision,
        "not in the file": len(missing),
        "not asked": len(given.keys() - known),
    }
    if measured.tables:
        content |= {
            "tables": measured.tables,
            "cell precision": measured.cell_precision,
            "cell recall": measured.cell_recall,
            "cell F1": measured.cell_f1,
        }
    if as_json:
        click.echo(json.dumps(content))
        return
    shares = {
        "exact": (measured.exact, measured.answerable),
        "strict": (measured.strict, measured.answerable),
        "precision": (measured.precision, measured.answered),
    }
    for name, value in content.items():
        shown = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
        click.echo(f"{name:15} {shown}")
    if few := bounds_of_few(shares):
        click.echo(few)
    click.echo(f"kgnb: {WARNING}", err=True)


def _lines(parts: dict[str, Score]) -> list[str]:
    lines = [
        f"{'':12} {'precision':>9} {'recall':>9} {'F1':>9} {'right':>7} {'found':>7} {'reference':>9}"
    ]
    for name, part in parts.items():
        shares = " ".join(
            f"{f'{100 * share:.1f} %':>9}" for share in (part.precision, part.recall, part.f1)
        )
        lines.append(
            f"{name:12} {shares} {part.tp:>7} {part.tp + part.fp:>7} {part.tp + part.fn:>9}"
        )
    few = ((name, bounds_of_few(part.shares())) for name, part in parts.items())
    return [*lines, *(f"{name}, {told}" for name, told in few if told)]
