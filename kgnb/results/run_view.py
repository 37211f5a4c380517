"""The view of a run: its steps with their calls, judgements and queries, and the totals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgnb.results import columns, escaping, wording
from kgnb.results.bundle import HTML_ROWS, RUN_MIME, Bundled, Json, count
from kgnb.results.escaping import EDGE, escaped, fold, one_line
from kgnb.results.table import Column, Table


def title(run: Mapping[str, Any]) -> str:
    """Return the name of a run's agent as words.

    >>> title({"agent": "ontology_matching"})
    'ontology matching'
    """
    return escaping.one_line(str(run.get("agent") or "run")).replace("_", " ")


def state_of(thing: Mapping[str, Any]) -> str:
    """The state of a run or step, in words.

    A run without a step under way waits for its next stage; its state names the last stage done.

    >>> state_of({"state": "running", "steps": [{"name": "retrieve", "state": "done"}]})
    'up to retrieve'
    """
    state = escaping.one_line(str(thing.get("state") or "running"))
    if state == "running" and (reached := between_steps(thing)):
        return f"up to {reached}"
    return "stopped at a limit" if state == "limited" else state


def between_steps(run: Mapping[str, Any]) -> str:
    """The last step of an unfinished run that has no step under way, or ""."""
    steps = run.get("steps") or []
    if run.get("state") != "running" or any(step.get("state") == "running" for step in steps):
        return ""
    return escaping.one_line(str(steps[-1].get("name") or "")) if steps else ""


def cached_fact(totals: Mapping[str, Any]) -> str:
    """How many of a run's calls were answered from the cache, and of which days; "" if none."""
    if not (cached := totals.get("cached")):
        return ""
    days = totals.get("cached_on")
    return f" ({cached:,} cached{f', of {escaping.one_line(str(days))}' if days else ''})"


def totals_facts(totals: Mapping[str, Any]) -> list[str]:
    """What a run cost except time, leaving out zeros.

    >>> totals_facts({"calls": 3, "cached": 1, "cached_on": "2026-11-20", "prompt_tokens": 12, "usd": 0.1})
    ['3 calls (1 cached, of 2026-11-20)', '12 tokens in, 0 out', '$0.10']
    """
    facts = []
    if calls := totals.get("calls"):
        facts.append(count(calls, "call") + cached_fact(totals))
        read, written = totals.get("prompt_tokens") or 0, totals.get("completion_tokens") or 0
        if read or written:
            facts.append(f"{wording.number(read)} tokens in, {wording.number(written)} out")
        usd = totals.get("usd")
        facts.append("price not known" if usd is None else wording.money(usd))
    facts += _judgements_facts(totals.get("judgements") or 0, totals.get("unsure") or 0)
    if queries := totals.get("queries"):
        facts.append(count(queries, "query", "queries"))
    if retries := totals.get("retries"):
        facts.append(count(retries, "retry", "retries"))
    return facts


def step_facts(step: Mapping[str, Any]) -> list[str]:
    """What a step did, except its time: its error or note first, then its calls, judgements and
    queries.
    """
    facts = [str(step["error"])] if step.get("error") else []
    facts += [str(step["note"])] if step.get("note") else _counts(step.get("counts") or {})
    return facts + asked(step)


def asked(step: Mapping[str, Any]) -> list[str]:
    """Return how many calls, judgements and queries a step made, those left out of an excerpt
    included.
    """
    left_out = step.get("left_out") or {}
    calls, judgements, queries = (
        len(step.get(name) or []) + left_out.get(name, 0)
        for name in ("calls", "judgements", "queries")
    )
    unsure = sum(
        judgement.get("decision") == "unsure" for judgement in step.get("judgements") or []
    )
    unsure += left_out.get("unsure", 0)
    facts = [count(calls, "call")] if calls else []
    facts += _judgements_facts(judgements, unsure)
    return [*facts, count(queries, "query", "queries")] if queries else facts


def _judgements_facts(number: int, unsure: int) -> list[str]:
    return (
        [count(number, "judgement") + (f" ({unsure:,} unsure)" if unsure else "")] if number else []
    )


def _counts(counts: Mapping[str, Any]) -> list[str]:
    numbers = {
        name: wording.number(n) if isinstance(n, int | float) else n for name, n in counts.items()
    }
    return [", ".join(f"{name}: {number}" for name, number in numbers.items())] if numbers else []


_QUIET = "opacity: 0.75"
_MARKS = {
    "done": "✓",
    "failed": "✗",
    "cancelled": "⊘",
    "limited": "⊘",
    "waiting": "⊘",
    "running": "…",
}


def html(run: Mapping[str, Any]) -> str:
    """Return the HTML of a run that already fits (see ``run_excerpt``)."""
    totals = run.get("totals") or {}
    facts = totals_facts(totals)
    if (seconds := totals.get("seconds")) is not None:
        facts.append(wording.seconds(seconds))
    left_out = (run.get("left_out") or {}).get("steps", 0)
    more = f'<div style="{_QUIET}">and {count(left_out, "more step")}</div>' if left_out else ""
    return (
        '<div style="max-width: 100%; overflow-x: auto; line-height: 1.5; font-size: 13px">'
        f'<div style="font-weight: 600">{escaped(title(run))} <span style="{_QUIET}; font-weight: 400">'
        f"{_state(run)}</span></div>"
        f"{_partial(run)}"
        f'<div style="{_QUIET}; margin: 0 0 4px 0">{escaped(" · ".join(facts))}</div>'
        f"{''.join(_step(step) for step in run.get('steps') or [])}"
        f"{more}{_setting(run)}</div>"
    )


def _partial(run: Mapping[str, Any]) -> str:
    why = run.get("partial")
    return f"<div><b>Partial</b>: {escaped(one_line(str(why)))}</div>" if why else ""


def _step(step: Mapping[str, Any]) -> str:
    facts = step_facts(step)
    if (seconds := step.get("seconds")) is not None:
        facts.append(wording.seconds(seconds))
    heading = (
        f"<b>{escaped(one_line(str(step.get('name', ''))))}</b> "
        f'{_state(step)} <span style="{_QUIET}">{escaped(one_line(" · ".join(facts)))}</span>'
    )
    inner = "".join(_listed(step, name) for name in _LISTED)
    if not inner:
        return f'<div style="border-top: {EDGE}; padding: 3px 0 3px 15px">{heading}</div>'
    opened = " open" if step.get("error") else ""
    return (
        f'<details{opened} style="border-top: {EDGE}; padding: 3px 0">'
        f'<summary style="cursor: pointer">{heading}</summary>'
        f'<div style="padding: 2px 0 6px 15px">{inner}</div></details>'
    )


def _judgement(item: Mapping[str, Any]) -> Sequence[object]:
    confidence = wording.percent(float(item.get("confidence") or 0))
    return [
        item.get("text"),
        item.get("decision"),
        confidence,
        item.get("rationale"),
        item.get("judged_by"),
    ]


def _call(item: Mapping[str, Any]) -> Sequence[object]:
    outcome = (
        "cached"
        if item.get("cached")
        else f"failed: {item['error']}"
        if item.get("error")
        else "answered"
    )
    read, written = (
        wording.number(item.get(f"{kind}_tokens") or 0) for kind in ("prompt", "completion")
    )
    tries = [
        f"{one.get('status') or ''} {one.get('error') or ''}".strip()
        for one in item.get("attempts") or []
    ]
    return [item.get("model"), outcome, f"{read} in, {written} out", ", ".join(tries), _took(item)]


def _query(item: Mapping[str, Any]) -> Sequence[object]:
    return [item.get("graph"), item.get("query"), count(item.get("rows") or 0, "row"), _took(item)]


def _took(item: Mapping[str, Any]) -> str:
    return wording.seconds(item.get("seconds") or 0.0)


# What a step lists: its table's titles, the cells of an item, and what one is called.
_LISTED: Mapping[
    str, tuple[Sequence[str], Callable[[Mapping[str, Any]], Sequence[object]], str]
] = {
    "judgements": (
        ("Question", "Decision", "How sure", "Why", "Judged by"),
        _judgement,
        "judgement",
    ),
    "calls": (("Model", "Outcome", "Tokens", "Tries", "Time"), _call, "call"),
    "queries": (("Graph", "Query", "Rows", "Time"), _query, "query"),
}


def _listed(step: Mapping[str, Any], name: str) -> str:
    titles, cells, noun = _LISTED[name]
    left_out = (step.get("left_out") or {}).get(name, 0)
    more = f"and {count(left_out, f'more {noun}', f'more {name}')}"
    return _table(titles, [cells(item) for item in step[name]], more if left_out else "")


def _table(titles: Sequence[str], rows: Sequence[Sequence[object]], note: str = "") -> str:
    if not (rows or note):
        return ""
    shown = [["" if value is None else str(value) for value in row] for row in rows]
    return Table(
        [Column(title, title) for title in titles], shown, notes=[note] if note else ()
    ).html()


def _setting(run: Mapping[str, Any]) -> str:
    rows = [
        (heading, name, value)
        for heading in ("parameters", "data", "versions")
        for name, value in (run.get(heading) or {}).items()
    ]
    return (
        fold("parameters, data and versions", _table(("of", "name", "value"), rows)) if rows else ""
    )


def _state(thing: Mapping[str, Any]) -> str:
    mark = "" if between_steps(thing) else _MARKS.get(str(thing.get("state")), "")
    return escaped(f"{mark} {state_of(thing)}".strip())


LISTS = ("calls", "judgements", "queries")


@dataclass(frozen=True, slots=True)
class Room:
    """The most items of each kind that a form may hold, over all steps, and the most characters of
    a text.
    """

    steps: int
    calls: int
    judgements: int
    queries: int
    text: int


def excerpt(run: Mapping[str, Any], room: Room) -> Json:
    """The run cut to what fits, with the number of items left out of each list (``left_out``).

    Steps with few items keep them all; the others share what remains. Within a step
    the items that need attention (unsure, failed) are kept before others; the order stays.
    """
    steps: Sequence[Mapping[str, Any]] = run.get("steps") or []
    kept = [dict(step) for step in steps[: room.steps]]
    for name in LISTS:
        share = columns.fair_share(
            [len(step.get(name) or []) for step in kept], getattr(room, name)
        )
        for step in kept:
            items = step.get(name) or []
            step[name] = _first(items, share)
            left_out = {name: len(items) - len(step[name])}
            if name == "judgements":
                left_out["unsure"] = sum(map(needs_a_look, items)) - sum(
                    map(needs_a_look, step[name])
                )
            step["left_out"] = {**step.get("left_out", {}), **left_out}
    shown = {**run, "steps": kept, "left_out": {"steps": len(steps) - len(kept)}}
    cut: Json = _cut(shown, room.text)
    return cut


def _first(items: Sequence[Mapping[str, Any]], number: int) -> list[Mapping[str, Any]]:
    if len(items) <= number:
        return list(items)
    ranked = sorted(range(len(items)), key=lambda at: (not needs_a_look(items[at]), at))
    return [items[at] for at in sorted(ranked[:number])]


def needs_a_look(item: Mapping[str, Any]) -> bool:
    """Tell whether a call failed or a judgement is unsure."""
    return bool(item.get("error")) or item.get("decision") == "unsure"


def _cut(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return escaping.kept(value, length)
    if isinstance(value, Mapping):
        return {escaping.whole(str(key)): _cut(inner, length) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(inner, length) for inner in value]
    if isinstance(value, float) and value - value != 0:  # NaN and the infinities are not JSON
        return None
    return value


_JSON_ROOM = Room(steps=500, calls=1_000, judgements=1_000, queries=300, text=1_000)
_HTML_ROOM = Room(steps=60, calls=HTML_ROWS, judgements=HTML_ROWS, queries=HTML_ROWS, text=300)
_TEXT_STEPS = 40


@dataclass(frozen=True, repr=False)
class RunView(Bundled):
    """The view of a run given as JSON (``Run.to_json()``, or the ``run.json`` of a saved run).

    Raises:
        ValueError: if it is not a run of version 1.
    """

    run: Mapping[str, Any]
    mime = RUN_MIME

    def __post_init__(self) -> None:
        if self.run.get("version") != 1 or not isinstance(self.run.get("steps"), list):
            raise ValueError(
                f"not the JSON of a run in version 1: it begins with {', '.join(list(self.run)[:3])}"
            )

    def __repr__(self) -> str:
        return f"<RunView: {title(self.run)}, {state_of(self.run)}>"

    def json(self) -> Json:
        """Return the JSON the extension draws (``RunData`` in ``run.ts``): the run, capped, with
        what was left out.
        """
        return excerpt(self.run, _JSON_ROOM)

    def html(self) -> str:
        """Return the run as nested ``<details>`` that JupyterLab's sanitiser leaves as they are."""
        return html(excerpt(self.run, _HTML_ROOM))

    def text(self) -> str:
        """Return one line of totals and one line for each step, free of ids and times."""
        steps = self.run["steps"][:_TEXT_STEPS]
        names = [escaping.one_line(str(step.get("name", ""))) for step in steps]
        states = [state_of(step) for step in steps]
        lines = [f"{title(self.run)}: {state_of(self.run)}"]
        if partial := self.run.get("partial"):
            lines.append(columns.fit(f"partial: {escaping.one_line(str(partial))}", columns.WIDTH))
        if facts := totals_facts(self.run.get("totals") or {}):
            lines.append(", ".join(facts))
        for step, name, state in zip(steps, names, states, strict=True):
            parts = [
                columns.pad(str(step.get("number", "")), 4, right=True),
                columns.pad(columns.fit(name, 24), min(24, max(map(columns.width, names)))),
                columns.pad(state, max(map(len, states))),
                escaping.one_line("; ".join(step_facts(step))),
            ]
            lines.append(columns.fit("  ".join(parts).rstrip(), columns.WIDTH))
        if more := len(self.run["steps"]) - len(steps):
            lines.append(f"... and {more:,} more steps")
        return "\n".join(lines)
