"""``metrics.json`` and the other files of the report.

``metrics.json`` holds what the run found, and what it cost to find it: byte for byte the same for the same parameters,
data and cache. Costs that a cache saves are therefore those of the first time: the seconds measured when the results
were first computed are kept in the cache beside the replies and vectors, and a re-run repeats them, as it repeats the
tokens of replies it did not ask for again. What *this* run took is in ``timing.json``, which differs every time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kgnb.evaluate.alignment import Average, Score
from kgnb.files import write_whole
from kgnb.mapping_files import save as save_alignment
from kgnb.reporting.ontology_matching.experiments import WARNING, AtRate, by_share, curve, summed
from kgnb.reporting.ontology_matching.results import MatchingResults, PairCost, PairOutcome
from kgnb.reporting.ontology_matching.sections import figures
from kgnb.reporting.ontology_matching.stored import compared
from kgnb.reporting.session import ReportSession

DIGITS = 6


def save(results: MatchingResults, session: ReportSession) -> Path:
    """Write metrics, timing and the alignments (SSSOM and Alignment RDF) into the report's folder, and return it."""
    found = metrics(results, session)
    found["cost"] |= {"seconds": _first_seconds(found, results, session.settings.cache)}
    _write(session.folder / "metrics.json", found)
    _write(session.folder / "timing.json", timing(results))
    folder = session.folder / "alignments"
    folder.mkdir(exist_ok=True)
    for outcome in results.outcomes:
        for suffix in (".sssom.tsv", ".rdf"):
            save_alignment(outcome.alignment, folder / f"{_file_name(outcome.name)}{suffix}")
    return session.folder


def metrics(results: MatchingResults, session: ReportSession) -> dict[str, Any]:
    """What is the same every time: scores, counts, calls and tokens."""
    return {
        "report": "ontology-matching",
        "task": results.task,
        "simulation": results.simulation or None,
        "judge": results.judge,
        "embedder": results.embedder,
        "options": asdict(results.options),
        "data": dict(session.data) | {side.name: side.digest for side in results.ontologies},
        "headline": _headline(results),
        "micro": _score(results.micro) if results.scored else None,
        "mean": _average(results.mean) if results.mean else None,
        "non_trivial": _score(results.non_trivial) if results.scored else None,
        "per_kind": {name: _score(score) for name, score in results.per_kind.items()},
        "per_relation": {name: _score(score) for name, score in results.per_relation.items()},
        "pairs": [_pair(outcome) for outcome in results.outcomes],
        "cost": _cost(results.cost),
    } | _tried(results)


def timing(results: MatchingResults) -> dict[str, Any]:
    """What this run took, and what a cache saved it: different every time."""
    return {
        "note": "of this run alone; metrics.json has the costs of computing everything for the first time",
        "pairs": {outcome.name: asdict(outcome.cost) for outcome in results.outcomes},
        "all": asdict(results.cost),
    }


def _first_seconds(found: Mapping[str, Any], results: MatchingResults, cache: Path) -> dict[str, Any]:
    """The seconds of the first time these very results were computed with this cache."""
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    path = cache / "reports" / f"{digest[:32]}.json"
    if path.is_file():
        first: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return first
    seconds = {outcome.name: round(outcome.cost.seconds, 2) for outcome in results.outcomes}
    measured = {"note": "when first computed with this cache", "pairs": seconds, "all": round(sum(seconds.values()), 2)}
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, measured)
    return measured


def _headline(results: MatchingResults) -> list[dict[str, Any]]:
    """The rows ``kgnb report`` prints, in percent."""
    return [
        {"matcher": one.system, "covers": one.covers}
        | {name: round(100 * share, 1) for name, share in (("P", one.precision), ("R", one.recall), ("F1", one.f1))}
        | {"source": one.source}
        for one in figures(results)
    ]


def _pair(outcome: PairOutcome) -> dict[str, Any]:
    scored = _score(outcome.score) if outcome.score else {"found": len(outcome.alignment)}
    kept = {"unsure": len(outcome.alignment.unsure), "dropped": len(outcome.alignment.dropped)}
    simulated = {"simulated_answers": outcome.simulated} if outcome.simulated else {}
    return {"pair": outcome.name} | scored | kept | simulated | _cost(outcome.cost)


def _tried(results: MatchingResults) -> dict[str, Any]:
    """What was asked for besides the matching; nothing where it was not."""
    tried: dict[str, Any] = {}
    if results.draws:
        points = [_point(point) for point in curve(results.draws)]
        tried["simulation_curves"] = {"note": WARNING, "rates": points}
        tried["simulation_shares"] = [{"ask": ask} | _point(point) for ask, point in by_share(results.shares)]
    if results.prompts:
        tried["prompts"] = [
            {"judge": one.judge, "questions": one.questions, "entities": one.entities} | asdict(one.expected)
            for one in results.prompts
        ]
    if results.ablated:
        tried["ablation"] = [
            {"without": name} | _score(whole) | {"non_trivial": _score(part)}
            for name, whole, part in summed(results.ablated)
        ]
    if any(one.stored for one in results.scored):
        tried["stored_alignments"] = [
            {"system": name} | _score(whole) | {"non_trivial": _score(part)} for name, whole, part in compared(results)
        ]
    return tried


def _point(point: AtRate) -> dict[str, Any]:
    return {name: round(value, DIGITS) if isinstance(value, float) else value for name, value in asdict(point).items()}


def _score(score: Score) -> dict[str, Any]:
    shares = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    counts = {"found": score.tp + score.fp, "reference": score.tp + score.fn, "right": score.tp}
    return {name: round(share, DIGITS) for name, share in shares.items()} | counts


def _average(average: Average) -> dict[str, Any]:
    return {name: round(value, DIGITS) for name, value in asdict(average).items()}


def _cost(cost: PairCost) -> dict[str, Any]:
    tokens = {"prompt_tokens": cost.prompt_tokens, "completion_tokens": cost.completion_tokens}
    return {"calls": cost.calls, "tokens": cost.tokens} | tokens | {"vectors": cost.points}


def _file_name(name: str) -> str:
    kept = "".join(character if character.isalnum() or character in "-_." else "_" for character in name)
    return kept.strip(".")[:100] or "alignment"


def _write(path: Path, content: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
