"""What the reports of all agents share: words, the run, costs, how to reproduce, and files of
figures.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from html import escape
from operator import add, sub
from time import perf_counter, process_time
from typing import Any, Protocol, TypeAlias

from kgnb.files import write_json
from kgnb.judging import UNSURE
from kgnb.reporting.session import ReportSession, tell
from kgnb.results.bundle import count
from kgnb.results.table import Column, Table, Value, numbers, percents, texts
from kgnb.results.wording import money, seconds
from kgnb.run import Run
from kgnb.run.record import Step, totals_of
from kgnb.settings import Settings
from kgnb.tasks.running import judge_and_model, new_run

SCORES = percents(precision="Precision", recall="Recall", f1="F1")
SOURCE = Column("source", "Where it is from")
UNMEASURED = "No reference was given, so nothing is measured."
SHOWN = 100  # rows of a table meant to be read from top to bottom
MOST = 24  # files listed one by one; the RO-Crate lists all
DIGITS = 6  # of a figure in metrics.json
Detail: TypeAlias = tuple[str, str]  # heading and text below a row that is opened


class HasRun(Protocol):
    """The results of a report that is one run."""

    @property
    def run(self) -> Run:
        """The run: steps, calls, queries."""


@dataclass(frozen=True)
class Fragment:
    """A piece of a page, as HTML and as text."""

    html: str
    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}


def words(*lines: str, look: str = "") -> Fragment:
    """A paragraph a line; ``look`` is the class of the first one in the page's style sheet."""
    starts = [f'<p class="{look}">' if look else "<p>", *["<p>"] * (len(lines) - 1)]
    body = "".join(f"{start}{escape(line)}</p>" for start, line in zip(starts, lines, strict=True))
    return Fragment(body, "\n".join(lines))


def absent(why: str) -> Fragment:
    """In place of a part that was not computed: the page leaves it out and names its heading at the
    end.
    """
    return words(why, look="off")


def folded(title: str, content: Any) -> Fragment:
    """Something long behind a line that opens it; it stays folded in print."""
    shown = content._repr_mimebundle_()
    body = f'<details class="long"><summary>{escape(title)}</summary>{shown["text/html"]}</details>'
    return Fragment(body, shown["text/plain"])


@dataclass(frozen=True)
class Cost:
    """What a part of a report took. Calls and tokens count cached replies too, so that they are the
    same every time.
    """

    seconds: float = 0.0
    cpu: float = 0.0  # seconds of this process
    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    queries: int = 0
    embedded: int = 0  # texts whose vector had to be computed
    reused: int = 0  # texts whose vector the cache had
    points: int = 0  # vectors that were needed in the index, written now or before
    written: int = 0

    @classmethod
    def so_far(cls, run: Run) -> Cost:
        """The clocks, and what a run has taken until now: that of a part is the difference of two."""
        totals = run.totals
        ledger = {
            name: totals[name]
            for name in ("calls", "cached", "prompt_tokens", "completion_tokens", "queries")
        }
        counts = {
            "embedded": "embedded",
            "reused": "from cache",
            "points": "points",
            "written": "written",
        }
        counted = {
            name: sum(int(step.counts.get(told, 0)) for step in run.steps)
            for name, told in counts.items()
        }
        return cls(perf_counter(), process_time(), **ledger, **counted)

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Cost) -> Cost:
        return Cost(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: Cost) -> Cost:
        return Cost(*map(sub, astuple(self), astuple(other)))


def stages(results: HasRun) -> Table:
    """The cost ledger: one row a stage, and their total."""
    run = results.run
    columns = [
        *texts(stage="Stage"),
        *numbers(
            times="Times", calls="Model calls", cached="of them cached", prompt="Prompt tokens"
        ),
        *numbers(
            completion="Completion tokens",
            usd="US dollars",
            queries="Graph queries",
            seconds="Time",
        ),
    ]
    steps = [step for step in run.steps if step.calls or step.queries or step.seconds is not None]
    rows = [
        _row(name, [step for step in steps if step.name == name])
        for name in dict.fromkeys(s.name for s in steps)
    ]
    notes = [
        "Tokens are what the models' servers counted, cached replies included; a cached reply costs nothing again.",
        "Money is reckoned from the prices in the file that the setting model.prices names.",
        f"Times are those of this run, begun {run.to_json()['started'] or 'never'}; they differ every time.",
    ]
    if days := run.totals["cached_on"]:
        notes.append(f"Replies from the cache are of {days}.")
    return Table(columns, [*rows, _row("all", steps)], caption="Cost ledger", notes=notes)


def _row(name: str, steps: Sequence[Step]) -> list[Value]:
    took = totals_of(steps)
    usd = took["usd"] if any(call.error is None for step in steps for call in step.calls) else 0.0
    return [
        name,
        len(steps),
        *(took[key] for key in ("calls", "cached", "prompt_tokens", "completion_tokens")),
        "price not set" if usd is None else money(usd),
        took["queries"],
        seconds(took["seconds"]),
    ]


def spent(totals: Mapping[str, Any]) -> dict[str, Any]:
    """The costs that go into the metrics: calls and tokens, cached replies included, and queries;
    no times.
    """
    tokens = {name: totals[name] for name in ("prompt_tokens", "completion_tokens")}
    return (
        {"calls": totals["calls"], "tokens": sum(tokens.values())}
        | tokens
        | {"queries": totals["queries"]}
    )


def requests(run: Run) -> str:
    """A digest of what its model was sent, in any order; empty where none was asked. Two reports of
    the same requests say nothing about what sets them apart.
    """
    sent = sorted({call.request for step in run.steps for call in step.calls})
    return hashlib.sha256("".join(sent).encode()).hexdigest()[:16] if sent else ""


def reproduce(results: HasRun, session: ReportSession) -> Table:
    """Everything that decides the result: command, run, versions, digests of the inputs and of what
    was read.
    """
    record = results.run.to_json()
    rows: list[list[Value]] = [
        ["command", session.command or "this notebook, opened by hand"],
        ["run", record["id"]],
    ]
    rows += [[f"version of {name}", version] for name, version in record["versions"].items()]
    if len(session.data) <= MOST:
        rows += [[f"SHA-256 of {name}", digest] for name, digest in session.data]
    else:
        listed = "".join(f"{digest}  {name}\n" for name, digest in session.data)
        label = f"SHA-256 of the list of {count(len(session.data), 'file')} and their SHA-256"
        rows.append([label, hashlib.sha256(listed.encode()).hexdigest()])
    rows += [
        [f"digest of what was read of {name}", digest]
        for name, digest in record["data"].items()
        if digest
    ]
    notes = [
        "As long as all of these and the cache are the same, metrics.json, the pictures and this page (but for the "
        "times under Cost) are the same, byte for byte. The whole record, with times, is ro-crate-metadata.json.",
    ]
    if "KGNB_DATA=DIR" in session.command:
        notes.append(
            "DIR is the folder of benchmark data: kgnb data list says what there is, kgnb data get gets it."
        )
    return Table(texts(what="What", value="Value"), rows, caption="How to reproduce", notes=notes)


def judging(session: ReportSession, judge: str, model: str = "") -> tuple[str, Settings]:
    """The judge and the settings that a report's parameters ``judge`` and ``model`` stand for."""
    return judge_and_model(
        judge, session.settings.with_(model=model) if model else session.settings
    )


def judge_in_words(judge: str, settings: Settings) -> str:
    """The judge by its name, and the model it asks."""
    name = ("cascade" if settings.model else "rule") if judge == "auto" else judge
    return (
        f"{name}, {settings.model}"
        if settings.model and name not in ("rule", "first", "oracle", "person")
        else f"{name} judge"
    )


SILENT = 0.5  # of a model's questions left without an answer: its rows say so


def heard(run: Run) -> dict[str, int]:
    """How many of the questions put to a model were answered, left unsure, and failed."""
    found = dict.fromkeys(("asked", "answered", "unsure", "failed"), 0)
    for judgement in (one for step in run.steps for one in step.judgements):
        if "model:" in judgement.judged_by:
            found["asked"] += 1
            unsure = judgement.decision == UNSURE
            state = "failed" if judgement.failed else "unsure" if unsure else "answered"
            found[state] += 1
    return found


def silence(run: Run) -> str:
    """What a row of figures says where a model was tried on known questions and then not heard, or
    answered less than half of what it was asked.
    """
    judgements = (one for step in run.steps for one in step.judgements)
    unheard = next((one.rationale for one in judgements if one.failed == "unfit"), "")
    if unheard:
        return unheard.rpartition("; ")[2]
    counts = heard(run)
    if not counts["asked"] or counts["answered"] >= (1 - SILENT) * counts["asked"]:
        return ""
    return f"the model answered {counts['answered']} of {count(counts['asked'], 'question')}"


def run_in(
    session: ReportSession,
    agent: str,
    data: Mapping[str, str],
    parameters: Mapping[str, Any],
    settings: Settings,
) -> Run:
    """A run that is kept in the report's folder and announces what it expects to spend."""
    folder = session.folder / "run"
    return new_run(
        agent, data, parameters=parameters, settings=settings, folder=folder, on_event=tell
    )


def write_numbers(
    session: ReportSession, metrics: Mapping[str, Any], timing: Mapping[str, Any]
) -> None:
    """Write ``metrics.json``, the same in every run, and ``timing.json``, different in every run."""
    write_json(session.folder / "metrics.json", rounded(metrics))
    write_json(session.folder / "timing.json", rounded(timing))


def rounded(value: Any) -> Any:
    """Plain data with every figure rounded to ``DIGITS``.

    >>> rounded({"f1": [2 / 3, 1]})
    {'f1': [0.666667, 1]}
    """
    if isinstance(value, Mapping):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return round(value, DIGITS) if isinstance(value, float) else value
