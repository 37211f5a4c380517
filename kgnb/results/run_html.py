"""A run as HTML that needs no script and no style sheet: a tree of ``<details>``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kgnb.results import wording
from kgnb.results.bundle import count
from kgnb.results.escaping import escaped, one_line
from kgnb.results.frame import EDGE, ROW
from kgnb.results.run_words import between_steps, state_of, step_facts, title, totals_facts

_QUIET = "opacity: 0.75"
_MARKS = {"done": "✓", "failed": "✗", "cancelled": "⊘", "limited": "⊘", "waiting": "⊘", "running": "…"}


def html(run: Mapping[str, Any]) -> str:
    """Return the HTML of a run that already fits (see ``run_excerpt``)."""
    totals = run.get("totals") or {}
    facts = totals_facts(totals)
    if (seconds := totals.get("seconds")) is not None:
        facts.append(wording.seconds(seconds))
    left_out = (run.get("left_out") or {}).get("steps", 0)
    return (
        '<div style="max-width: 100%; overflow-x: auto; line-height: 1.5; font-size: 13px">'
        f'<div style="font-weight: 600">{escaped(title(run))} <span style="{_QUIET}; font-weight: 400">'
        f"{_state(run)}</span></div>"
        f"{_partial(run)}"
        f'<div style="{_QUIET}; margin: 0 0 4px 0">{escaped(" · ".join(facts))}</div>'
        f"{''.join(_step(step) for step in run.get('steps') or [])}"
        f"{_more(left_out, 'more step')}{_setting(run)}</div>"
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
    inner = _judgements(step) + _calls(step) + _queries(step)
    if not inner:
        return f'<div style="border-top: {EDGE}; padding: 3px 0 3px 15px">{heading}</div>'
    opened = " open" if step.get("error") else ""
    return (
        f'<details{opened} style="border-top: {EDGE}; padding: 3px 0">'
        f'<summary style="cursor: pointer">{heading}</summary>'
        f'<div style="padding: 2px 0 6px 15px">{inner}</div></details>'
    )


def _judgements(step: Mapping[str, Any]) -> str:
    rows = [
        (
            judgement.get("text"),
            judgement.get("decision"),
            f"{float(judgement.get('confidence') or 0):.2f}",
            judgement.get("rationale"),
            judgement.get("judged_by"),
        )
        for judgement in step["judgements"]
    ]
    return _table(("Question", "Decision", "Confidence", "Why", "Judged by"), rows, _left_out(step, "judgements"))


def _calls(step: Mapping[str, Any]) -> str:
    rows = [
        (
            call.get("model"),
            "cached" if call.get("cached") else f"failed: {call['error']}" if call.get("error") else "answered",
            _tokens(call),
            _tries(call.get("attempts") or []),
            wording.seconds(call.get("seconds") or 0.0),
        )
        for call in step["calls"]
    ]
    return _table(("Model", "Outcome", "Tokens", "Tries", "Time"), rows, _left_out(step, "calls"))


def _tokens(call: Mapping[str, Any]) -> str:
    read, written = (wording.number(call.get(f"{kind}_tokens") or 0) for kind in ("prompt", "completion"))
    return f"{read} in, {written} out"


def _tries(attempts: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{attempt.get('status') or ''} {attempt.get('error') or ''}".strip() for attempt in attempts)


def _queries(step: Mapping[str, Any]) -> str:
    rows = [
        (
            query.get("graph"),
            query.get("query"),
            count(query.get("rows") or 0, "row"),
            wording.seconds(query.get("seconds") or 0.0),
        )
        for query in step["queries"]
    ]
    return _table(("Graph", "Query", "Rows", "Time"), rows, _left_out(step, "queries"))


def _table(titles: Sequence[str], rows: Sequence[Iterable[object]], left_out: str) -> str:
    if not rows:
        return left_out
    cell = "padding: 2px 12px 2px 0; border: 0; text-align: left; vertical-align: top"
    head = "".join(f'<th scope="col" style="{cell}; {_QUIET}; font-weight: 600">{text}</th>' for text in titles)
    body = "".join(
        f'<tr style="{ROW}">'
        + "".join(f'<td style="{cell}">{escaped(one_line(str(value or ""))) or "<br>"}</td>' for value in row)
        + "</tr>"
        for row in rows
    )
    return (
        '<table style="border-collapse: collapse; table-layout: auto; font-size: 13px; margin: 2px 0; border: 0">'
        f'<thead><tr style="{ROW}">{head}</tr></thead><tbody>{body}</tbody></table>{left_out}'
    )


def _left_out(step: Mapping[str, Any], name: str) -> str:
    nouns = {"calls": "more call", "judgements": "more judgement", "queries": "more query"}
    return _more((step.get("left_out") or {}).get(name, 0), nouns[name], f"more {name}")


def _more(number: int, noun: str, plural: str = "") -> str:
    return f'<div style="{_QUIET}">and {count(number, noun, plural)}</div>' if number else ""


def _setting(run: Mapping[str, Any]) -> str:
    rows = [
        (heading, name, "" if value is None else str(value))
        for heading in ("parameters", "data", "versions")
        for name, value in (run.get(heading) or {}).items()
    ]
    if not rows:
        return ""
    table = _table(("", "", ""), rows, "")
    return (
        f'<details style="border-top: {EDGE}; padding: 3px 0"><summary style="cursor: pointer; {_QUIET}">'
        f'parameters, data and versions</summary><div style="padding: 2px 0 6px 15px">{table}</div></details>'
    )


def _state(thing: Mapping[str, Any]) -> str:
    mark = "" if between_steps(thing) else _MARKS.get(str(thing.get("state")), "")
    return escaped(f"{mark} {state_of(thing)}".strip())
