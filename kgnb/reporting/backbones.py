"""The report ``backbones``: another report, judged by any number of models."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import combinations
from typing import Any

from kgnb.files import write_json
from kgnb.llm.asking import in_one_round
from kgnb.reporting.parameters import check
from kgnb.reporting.report import find_template
from kgnb.reporting.session import Figure, ReportSession, begin, costs, current, headline_figures
from kgnb.results.table import Column, Table, Value, numbers, texts
from kgnb.run import Run

RUNS = {
    "ontology-matching": ("run_cases", "cascade"),
    "question-answering": ("run_questions", "model"),
    "entity-alignment": ("run_pair", "model"),
    "kg-construction": ("run_report", "model"),
}
EXAMPLES = 20


@dataclass(frozen=True)
class ModelFigures:
    """One model's figures and costs, how much it left unsure, and its answer to each item."""

    model: str
    figures: Mapping[str, Figure]
    cost: Mapping[str, Figure]
    unsure: int
    answers: Mapping[str, str]

    @property
    def row(self) -> dict[str, Any]:
        """Its row of the headline."""
        return {"model": self.model, **self.figures, **self.cost, "unsure": self.unsure}


def run_models(*, of: str, about: str, models: str) -> list[ModelFigures]:
    """The report ``of`` once for each model (separated by commas), with the parameters in
    ``about``.

    A model is "rule", recorded:NAME, batch:FOLDER, or one of the server in the settings.

    Raises:
        ValueError: no model is named, or a parameter is not one of that report.
        Waiting: some wait for their replies; everything that can be asked has been asked.
    """
    names = list(dict.fromkeys(name.strip() for name in models.split(",") if name.strip()))
    if not names:
        raise ValueError("no model is named\nGive some: -p models=rule,recorded:huts")
    return in_one_round([partial(_judged, of, about, name) for name in names])


def _judged(of: str, about: str, name: str) -> ModelFigures:
    session, (function, asking) = current(), RUNS[of]
    parameters = find_template(of).parameters
    given: dict[str, object] = {
        one.name: False for one in parameters if one.name in ("ablation", "curve")
    }
    given |= dict(word.partition("=")[::2] for word in shlex.split(about))
    given["judge"] = "rule" if name == "rule" else asking
    folder = session.folder / "models" / re.sub(r"\W+", "-", name).strip("-")
    folder.mkdir(parents=True, exist_ok=True)
    own = ReportSession(
        folder, session.settings.with_(model="" if name == "rule" else name), session.command
    )
    module: Any = import_module(f"kgnb.reporting.{of.replace('-', '_')}")
    begin(own)  # for the report's functions that use the current session
    try:
        results = getattr(module, function)(**check(parameters, given))
        module.save(results, own)
    finally:
        begin(session)
    metrics, run = (
        json.loads((folder / "metrics.json").read_text(encoding="utf-8")),
        Run.load(folder / "run"),
    )
    answers = _answers(own, results, run)
    return ModelFigures(
        name, headline_figures(metrics), costs(metrics), int(run.totals["unsure"]), answers
    )


def _answers(session: ReportSession, results: Any, run: Run) -> dict[str, str]:
    """By item: the values of an answer, the facts about a thing, or the last verdict on a question."""
    answers = session.folder / "answers.jsonl"
    if answers.is_file():
        rows = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]
        return {
            str(row["id"]): ", ".join(sorted(map(str, row["values"]))) or "unsure" for row in rows
        }
    if built := getattr(results, "built", None):
        facts: dict[str, list[str]] = {}
        for subject, predicate, value in built.graph:
            facts.setdefault(f"{_short(subject)} {_short(predicate)}", []).append(_short(value))
        return {about: ", ".join(sorted(values)) for about, values in facts.items()}
    judgements = [one for step in run.steps for one in step.judgements]
    return {
        f"{one.question} {one.text}": f"{one.decision} {_short(one.choice or '')}".strip()
        for one in judgements
    }


def _short(term: object) -> str:
    return re.split(r"[#/]", str(term))[-1]


def save(found: list[ModelFigures], session: ReportSession) -> None:
    """Write ``metrics.json``: a headline row a model."""
    rows = [one.row for one in found]
    write_json(session.folder / "metrics.json", {"report": "backbones", "headline": rows})


def shown(found: list[ModelFigures]) -> Table:
    """A row a model: figures, cost, the number left unsure."""
    names = dict.fromkeys(
        name for part in ("figures", "cost") for one in found for name in getattr(one, part)
    )
    names |= {"unsure": None}
    columns = [
        Column("model", "Model"),
        *(Column(f"n{at}", name, "number") for at, name in enumerate(names)),
    ]
    rows: list[list[Value]] = [[one.model, *(one.row.get(name) for name in names)] for one in found]
    notes = [
        "recorded: replies of a strong model, each with a card that states their origin; no call is made."
    ]
    return Table(columns, rows, caption="Models side by side", notes=notes)


def differing(found: list[ModelFigures]) -> Table:
    """How often two models answer differently, among the items that both were asked."""
    rows: list[list[Value]] = []
    for one, other in combinations(found, 2):
        both = one.answers.keys() & other.answers.keys()
        differ = sum(one.answers[item] != other.answers[item] for item in both)
        rows.append(
            [
                one.model,
                other.model,
                len(both),
                differ,
                round(100 * differ / len(both), 1) if both else None,
            ]
        )
    columns = [
        *texts(one="Model", other="and"),
        *numbers(both="Judged by both", differ="Differently", share="%"),
    ]
    return Table(columns, rows, caption="Disagreement")


def examples(found: list[ModelFigures]) -> Table:
    """Items on which not all models agree, with the answer of each; evenly spread over all such
    items.
    """
    items = dict.fromkeys(item for one in found for item in one.answers)
    apart = [item for item in items if len({one.answers.get(item, "") for one in found}) > 1]
    chosen = apart[:: -(-len(apart) // EXAMPLES) or 1]
    columns = [
        Column("item", "Item"),
        *(Column(f"m{at}", one.model) for at, one in enumerate(found)),
    ]
    rows: list[list[Value]] = [
        [item, *(one.answers.get(item, "") for one in found)] for item in chosen
    ]
    return Table(columns, rows, caption=f"Where they differ: {len(chosen)} of {len(apart)}")
