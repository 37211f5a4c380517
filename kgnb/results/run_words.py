"""What is said of a run and of a step, in the same words in HTML and in plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kgnb.results import escaping, wording
from kgnb.results.bundle import count


def title(run: Mapping[str, Any]) -> str:
    """Return the name of a run's agent as words.

    >>> title({"agent": "ontology_matching"})
    'ontology matching'
    """
    return escaping.one_line(str(run.get("agent") or "run")).replace("_", " ")


def state_of(thing: Mapping[str, Any]) -> str:
    """Return the state of a run or step; "limited" says what it means.

    A run of which no step is under way waits for its next stage: it says how far it has come.

    >>> state_of({"state": "running", "steps": [{"name": "retrieve", "state": "done"}]})
    'up to retrieve'
    """
    state = escaping.one_line(str(thing.get("state") or "running"))
    if state == "running" and (reached := between_steps(thing)):
        return f"up to {reached}"
    return "stopped at a limit" if state == "limited" else state


def between_steps(run: Mapping[str, Any]) -> str:
    """Return the last step of a run that is not over while none of its steps is under way, or nothing."""
    steps = run.get("steps") or []
    if run.get("state") != "running" or any(step.get("state") == "running" for step in steps):
        return ""
    return escaping.one_line(str(steps[-1].get("name") or "")) if steps else ""


def totals_facts(totals: Mapping[str, Any]) -> list[str]:
    """Return what a run cost, but for its time: what is zero is not said.

    >>> totals_facts({"calls": 3, "cached": 1, "prompt_tokens": 1270, "completion_tokens": 18, "usd": 0.000114})
    ['3 calls (1 cached)', '1270 tokens in, 18 out', '$0.0001']
    """
    facts = []
    if calls := totals.get("calls"):
        cached = totals.get("cached")
        facts.append(count(calls, "call") + (f" ({cached:,} cached)" if cached else ""))
        read, written = totals.get("prompt_tokens") or 0, totals.get("completion_tokens") or 0
        if read or written:
            facts.append(f"{wording.number(read)} tokens in, {wording.number(written)} out")
        usd = totals.get("usd")
        facts.append("price not known" if usd is None else wording.money(usd))
    facts += _judgements(totals.get("judgements") or 0, totals.get("unsure") or 0)
    if queries := totals.get("queries"):
        facts.append(count(queries, "query", "queries"))
    if retries := totals.get("retries"):
        facts.append(count(retries, "retry", "retries"))
    return facts


def step_facts(step: Mapping[str, Any]) -> list[str]:
    """Return what a step did, but for its time: its error or its note first, then how much it asked."""
    facts = [str(step["error"])] if step.get("error") else []
    facts += [str(step["note"])] if step.get("note") else _counts(step.get("counts") or {})
    return facts + asked(step)


def asked(step: Mapping[str, Any]) -> list[str]:
    """Return how many calls, judgements and queries a step made, those left out of an excerpt included."""
    left_out = step.get("left_out") or {}
    calls, judgements, queries = (
        len(step.get(name) or []) + left_out.get(name, 0) for name in ("calls", "judgements", "queries")
    )
    unsure = sum(judgement.get("decision") == "unsure" for judgement in step.get("judgements") or [])
    unsure += left_out.get("unsure", 0)
    facts = [count(calls, "call")] if calls else []
    facts += _judgements(judgements, unsure)
    return [*facts, count(queries, "query", "queries")] if queries else facts


def _judgements(number: int, unsure: int) -> list[str]:
    return [count(number, "judgement") + (f" ({unsure:,} unsure)" if unsure else "")] if number else []


def _counts(counts: Mapping[str, Any]) -> list[str]:
    numbers = {name: wording.number(n) if isinstance(n, int | float) else n for name, n in counts.items()}
    return [", ".join(f"{name}: {number}" for name, number in numbers.items())] if numbers else []
