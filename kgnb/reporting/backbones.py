"""The report ``backbones``: another report, judged by any number of models."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import combinations
from pathlib import Path
from statistics import fmean, pstdev
from time import perf_counter
from typing import Any

from kgnb.backends import recording
from kgnb.files import from_json
from kgnb.llm.asking import in_one_round
from kgnb.llm.replay import MissingReply
from kgnb.reporting.parameters import arguments
from kgnb.reporting.report import find_template
from kgnb.reporting.sections import write_numbers
from kgnb.reporting.session import (
    OURS,
    Amount,
    ReportSession,
    begin,
    costs,
    current,
    headline_figures,
    marks,
)
from kgnb.results.cells import NoFigure
from kgnb.results.table import Column, Table, Value, numbers, texts
from kgnb.run import Run

RUNS = {
    "ontology-matching": "run_cases",
    "question-answering": "run_questions",
    "entity-alignment": "run_pair",
    "kg-construction": "run_report",
}
EXAMPLES = 20


@dataclass(frozen=True)
class ModelFigures:
    """One report judged by one model: figures and costs, how its questions were answered, and its
    answer to each item.
    """

    report: str
    model: str
    figures: Mapping[str, Amount]
    cost: Mapping[str, Amount]
    heard: Mapping[str, int]  # questions asked, answered, unsure, failed; tool calls refused
    seconds: float
    answers: Mapping[str, str]
    quality: Sequence[float] = ()  # the main figure of every run, where there are several
    why: str = ""  # why there is no figure
    remark: str = ""  # why the model was not heard, or how little it answered

    @property
    def main(self) -> str:
        """The name of the figure that says how good the result is."""
        return main_figure(self.figures)

    @property
    def row(self) -> dict[str, Any]:
        """Its row of the headline."""
        several = (
            {"runs": len(self.quality), "mean": fmean(self.quality), "sd": pstdev(self.quality)}
            if len(self.quality) > 1
            else {}
        )
        return {
            "report": self.report,
            "model": self.model,
            "figure": self.main,
            "value": self.figures.get(self.main),
            **self.figures,
            **self.cost,
            **self.heard,
            **several,
            **({"remark": self.remark} if self.remark else {}),
            **({"empty": self.why} if self.why else {"source": OURS}),
        }


def main_figure(figures: Mapping[str, Amount]) -> str:
    """The figure that a result is known by: F1, Hits@1 or exact sets."""
    wanted = ("f1", "hits1", "exact")
    known = {name.casefold(): name for name in figures}
    return next((known[name] for name in wanted if name in known), next(iter(known.values()), ""))


def run_models(
    *, of: str, about: str, models: str, judge: str = "auto", repeats: int = 1
) -> list[ModelFigures]:
    """The report ``of`` (or "all") once for each model (separated by commas), with the parameters
    in ``about``.

    A model is "rule", recorded:NAME, batch:FOLDER, or one of the server in the settings. A live
    model is asked ``repeats`` times, with another seed each time. ``judge`` says how models are
    asked; "auto": as the report does by itself.

    Raises:
        ValueError: no model is named, or a parameter is not one of that report.
        Waiting: some wait for their replies; everything that can be asked has been asked.
    """
    names = list(dict.fromkeys(name.strip() for name in models.split(",") if name.strip()))
    if not names:
        raise ValueError("no model is named\nGive some: -p models=rule,recorded:huts")
    if of == "all" and about:
        raise ValueError("about is for one report\nName it: -p of=ontology-matching")
    reports = list(RUNS) if of == "all" else [of]
    return in_one_round(
        [
            partial(_several, report, about, name, judge, repeats)
            for report in reports
            for name in names
        ]
    )


def _several(of: str, about: str, name: str, judge: str, repeats: int) -> ModelFigures:
    """One model's figures; of a live one, with the main figure of every run, of a recording with
    that of every reading that it holds.
    """
    live = name != "rule" and not name.startswith(("recorded:", "batch:"))
    asked = [name] * repeats if live else readings(name)
    found = [_judged(of, about, one, judge, seed) for seed, one in enumerate(asked)]
    main = found[0].main
    measured = [float(one.figures[main]) for one in found if main in one.figures]
    return replace(found[0], model=name, quality=measured)


def readings(name: str) -> list[str]:
    """The model, and what else of a recording answers the same requests once more: the recordings
    ``reading-2``, ``reading-3`` and so on in its folder.
    """
    if not name.startswith("recorded:"):
        return [name]
    folder = recording(name.partition(":")[2])
    further = sorted(path.parent for path in folder.glob("reading-*/replies.jsonl"))
    return [name, *(f"recorded:{path}" for path in further)]


def _judged(of: str, about: str, name: str, judge: str, seed: int) -> ModelFigures:
    session = current()
    parameters = find_template(of).parameters
    given: dict[str, object] = dict(word.partition("=")[::2] for word in shlex.split(about))
    choices = next(one.choices for one in parameters if one.name == "judge")
    given["judge"] = "rule" if name == "rule" else judge if judge in choices else "auto"
    short = Path(name).name if "reading-" in name else name
    place = [of, re.sub(r"\W+", "-", short).strip("-"), *([str(seed)] if seed else [])]
    folder = session.folder / "models" / Path(*place)
    folder.mkdir(parents=True, exist_ok=True)
    settings = session.settings.with_(model="" if name == "rule" else name)
    own = ReportSession(
        folder, settings.with_(seed=settings.seed + seed) if seed else settings, session.command
    )
    module: Any = import_module(f"kgnb.reporting.{of.replace('-', '_')}")
    called = arguments(parameters, given)
    begun = perf_counter()
    begin(own)  # for the report's functions that use the current session
    try:
        results = getattr(module, RUNS[of])(**called)
        module.save(results, own)
    except MissingReply:  # the other models have theirs
        return ModelFigures(of, name, {}, {}, {}, 0.0, {}, why="no reply recorded")
    finally:
        begin(session)
    taken = perf_counter() - begun
    metrics, run = (
        from_json((folder / "metrics.json").read_text(encoding="utf-8")),
        Run.load(folder / "run"),
    )
    counts = dict(metrics.get("judged", {})) | {"unsure": int(run.totals["unsure"])}
    if "built" in metrics:
        counts["refused"] = int(metrics["built"]["refused"])
    cost = dict(costs(metrics))
    tokens = metrics.get("cost_each", {}).get("tokens_each")
    cost |= {"tokens_each": tokens} if tokens is not None else {}
    answers = _answers(own, results, run)
    figures = headline_figures(metrics)
    empty = metrics["headline"][0].get("empty", {})
    why = "" if figures else next(iter(empty.values()), "")
    remark = "; ".join(marks(metrics))
    return ModelFigures(of, name, figures, cost, counts, taken, answers, why=why, remark=remark)


def _answers(session: ReportSession, results: Any, run: Run) -> dict[str, str]:
    """By item: the values of an answer, the facts about a thing, or the last verdict on a question."""
    answers = session.folder / "answers.jsonl"
    if answers.is_file():
        rows = [from_json(line) for line in answers.read_text(encoding="utf-8").splitlines()]
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
    """Write ``metrics.json``, a headline row a model, and the seconds to ``timing.json``."""
    rows = [one.row for one in found]
    timing = {f"{one.report} {one.model}": one.seconds for one in found}
    write_numbers(session, {"report": "backbones", "headline": rows}, timing)


def shown(found: list[ModelFigures]) -> Table:
    """A row a report and model: quality, costs, how its questions were answered."""
    several = any(len(one.quality) > 1 for one in found)
    remarks = any(one.remark for one in found)
    columns = [
        *texts(report="Report", model="Model", figure="Figure"),
        *numbers(value="Value"),
        *(numbers(sd="± (sd)", runs="Runs or readings") if several else ()),
        *numbers(calls="Calls", tokens="Tokens", each="Tokens an item", seconds="Seconds"),
        *numbers(asked="Asked", answered="Answered", unsure="Unsure", failed="Unreadable"),
        *numbers(refused="Calls refused"),
        *(texts(remark="Remark") if remarks else ()),
    ]
    rows: list[Mapping[str, Value]] = []
    for one in found:
        told = {**one.cost, **one.heard}
        value = fmean(one.quality) if one.quality and not one.why else one.figures.get(one.main)
        row: dict[str, Value] = {
            "report": one.report,
            "model": one.model,
            "figure": one.main,
            "value": NoFigure(one.why or "not measured") if value is None else round(value, 2),
            "seconds": round(one.seconds, 1) if one.seconds else NoFigure(one.why),
            "each": told.get("tokens_each", NoFigure("not counted")),
        }
        none = NoFigure(one.why) if one.why else 0
        counted = ("calls", "tokens", "asked", "answered", "unsure", "failed")
        row |= {name: told.get(name, none) for name in counted}
        row["refused"] = told.get("refused", NoFigure("no tools"))
        if remarks:
            row["remark"] = one.remark
        if several:
            single = NoFigure("one reading" if one.model.startswith("recorded:") else "one run")
            row["sd"] = round(pstdev(one.quality), 2) if len(one.quality) > 1 else single
            row["runs"] = len(one.quality)
        rows.append(row)
    notes = [
        "recorded: replies of a strong model, each with a card that states their origin; no call is made.",
        "Asked: questions put to the model by the report's judge. Unreadable: replies that could not be used, even "
        "after one repair, and calls that failed. Seconds are those of this machine, replies from the cache included.",
    ]
    return Table(columns, rows, caption="Models side by side", notes=notes)


def differing(found: list[ModelFigures]) -> Table:
    """How often two models answer differently, among the items that both were asked."""
    rows: list[list[Value]] = []
    for one, other in combinations(found, 2):
        if one.report != other.report:
            continue
        both = one.answers.keys() & other.answers.keys()
        differ = sum(one.answers[item] != other.answers[item] for item in both)
        rows.append(
            [
                one.report,
                one.model,
                other.model,
                len(both),
                differ,
                round(100 * differ / len(both), 1) if both else None,
            ]
        )
    columns = [
        *texts(report="Report", one="Model", other="and"),
        *numbers(both="Judged by both", differ="Differently", share="%"),
    ]
    return Table(columns, rows, caption="Disagreement")


def examples(found: list[ModelFigures]) -> Table:
    """Items on which not all models agree, with the answer of each; evenly spread over all such
    items.
    """
    answers: dict[tuple[str, str], dict[str, str]] = {}
    for one in found:
        for item, answer in one.answers.items():
            answers.setdefault((one.report, item), {})[one.model] = answer
    models = list(dict.fromkeys(one.model for one in found))
    apart = [
        item for item, told in answers.items() if len({told.get(model, "") for model in models}) > 1
    ]
    chosen = apart[:: -(-len(apart) // EXAMPLES) or 1]
    columns = [
        *texts(report="Report", item="Item"),
        *(Column(f"m{at}", model) for at, model in enumerate(models)),
    ]
    rows: list[list[Value]] = [
        [*item, *(answers[item].get(model, "") for model in models)] for item in chosen
    ]
    return Table(columns, rows, caption=f"Where they differ: {len(chosen)} of {len(apart)}")
