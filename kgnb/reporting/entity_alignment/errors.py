"""Known pairs that were not found: what was chosen instead, how far the right one got, and what spoke for both."""

from __future__ import annotations

from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.evaluate.alignment import risk_coverage
from kgnb.reporting.entity_alignment.aligning import AlignmentResults, Setting
from kgnb.reporting.plot import Plot
from kgnb.reporting.plots import risk_over_coverage
from kgnb.reporting.words import Words
from kgnb.results.table import Column, Link, Table, Value, texts

SHOWN = 100  # rows one reads through
Detail = tuple[str, str]


def errors(results: AlignmentResults) -> Table | Words:
    """Every known pair that the first row of the headline missed, the surest wrong choices first."""
    setting = results.headline[0]
    settled, proposal = setting.outcome.settled, setting.outcome.settled.proposal
    places = {proposal.left.entities[int(source)]: row for row, source in enumerate(proposal.sources)}
    missed = []
    for source, target in setting.tests:
        row = places.get(source)
        chosen = int(settled.targets[row]) if row is not None else -1
        if row is not None and (chosen < 0 or proposal.right.entities[chosen] != target):
            missed.append((-settled.confidence(row) if chosen >= 0 else 1.0, source, target, row, chosen))
    if not missed:
        return Words((f"All {len(setting.tests):,} known pairs were found.",))
    missed.sort()
    columns = [
        *texts(source="Entity", chosen="Chosen", right="Right"),
        Column("place", "Place of the right one", "number"),
        Column("confidence", "Confidence", "percent"),
        Column("what", "What happened"),
    ]
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for _, source, target, row, chosen in missed[:SHOWN]:
        ranked = [iri for iri, _ in settled.ranking(row)]
        rows.append(
            [
                Link(source, proposal.left.called(int(proposal.sources[row]))),
                _named(settled, chosen) if chosen >= 0 else None,
                _named(settled, _place(settled, target)),
                ranked.index(target) + 1 if target in ranked else None,
                settled.confidence(row) if chosen >= 0 else None,
                _what(settled, row, chosen, target in ranked),
            ]
        )
        details.append(_details(settled, row, chosen, target))
    wrong = sum(chosen >= 0 for *_, chosen in missed)
    told = (
        f"{len(missed):,} of {len(setting.tests):,} known pairs missed: {wrong:,} wrong, {len(missed) - wrong:,} left"
    )
    total = len(missed) if len(missed) > SHOWN else None
    notes = ["Place of the right one: among the candidates, where it is one."]
    return Table(columns, rows, caption=_labelled(setting, told), details=details, notes=notes, total=total)


def risk(results: AlignmentResults) -> Plot:
    """How many of the surest choices are wrong, among those about entities of known pairs."""
    setting = results.headline[0]
    known = {source for source, _ in setting.tests}, {target for _, target in setting.tests}
    found = [
        ((one, other, ""), confidence)
        for one, other, confidence in setting.outcome.settled.pairs()
        if one in known[0] or other in known[1]
    ]
    points = risk_coverage(found, [(one, other, "") for one, other in setting.tests])
    caption = f"Risk over coverage, {setting.name}: low on the left means the confidence can be trusted to sort."
    return risk_over_coverage([(point.coverage, point.risk) for point in points], _labelled(setting, caption), "pairs")


def _place(settled: Settled, target: str) -> int:
    return settled.proposal.right.entities.index(target)


def _named(settled: Settled, target: int) -> Link:
    right = settled.proposal.right
    return Link(right.entities[target], right.called(target))


def _what(settled: Settled, row: int, chosen: int, ranked: bool) -> str:
    if chosen < 0:
        return f"left: {settled.why(row)}"
    return "another was better" if ranked else "the right one was no candidate"


def _details(settled: Settled, row: int, chosen: int, target: str) -> list[Detail]:
    """What spoke for the chosen one, for the right one, and who decided."""
    proposal = settled.proposal
    found: list[Detail] = []
    for head, entity in (("for the chosen one", chosen), ("for the right one", _place(settled, target))):
        at = next((at for at, one in enumerate(proposal.candidates[row].tolist()) if one == entity), None)
        if entity >= 0 and at is not None:
            views = zip(proposal.views, proposal.evidence[row, at].tolist(), strict=True)
            said = ", ".join(f"{view} {score:.2f}" for view, score in views)
            found.append((head, f"score {float(proposal.scores[row, at]):.3f}; {said}"))
        elif entity >= 0:
            found.append((head, "not among the candidates that were kept"))
    choice = settled.choices.get(row)
    if choice is not None and choice.answer is not None:
        found.append((f"said {choice.by}", choice.answer.verdict.rationale or "no reason given"))
    return [*found, ("entity", proposal.left.entities[int(proposal.sources[row])]), ("right one", target)]


def _labelled(setting: Setting, text: str) -> str:
    return f"SIMULATION. {text}" if setting.simulation else text
