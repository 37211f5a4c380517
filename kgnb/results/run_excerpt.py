"""How much of a big run is shown: the steps, calls, judgements and queries that fit, and how many were left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgnb.results import escaping
from kgnb.results.bundle import Json

LISTS = ("calls", "judgements", "queries")


@dataclass(frozen=True, slots=True)
class Room:
    """How many of each a form of the run may hold, over all steps, and how long one text may be."""

    steps: int
    calls: int
    judgements: int
    queries: int
    text: int


def excerpt(run: Mapping[str, Any], room: Room) -> Json:
    """Return the run with no more than fits, and beside each list how many of its items were left out (``left_out``).

    Every step keeps an equal chance: steps with few items keep them all, the rest share what remains. Within a step
    the items that need a look (unsure, failed) are kept before others; the order stays.
    """
    steps: Sequence[Mapping[str, Any]] = run.get("steps") or []
    kept = [dict(step) for step in steps[: room.steps]]
    for name in LISTS:
        share = fair_share([len(step.get(name) or []) for step in kept], getattr(room, name))
        for step in kept:
            items = step.get(name) or []
            step[name] = _first(items, share)
            left_out = {name: len(items) - len(step[name])}
            if name == "judgements":
                left_out["unsure"] = sum(map(needs_a_look, items)) - sum(map(needs_a_look, step[name]))
            step["left_out"] = {**step.get("left_out", {}), **left_out}
    shown = {**run, "steps": kept, "left_out": {"steps": len(steps) - len(kept)}}
    cut: Json = _cut(shown, room.text)
    return cut


def fair_share(sizes: Sequence[int], room: int) -> int:
    """Return the most that each list may keep so that all together fit the room.

    >>> fair_share([2, 100, 100], 22)
    10
    """
    share, left = 0, sorted(sizes)
    while left:
        if left[0] * len(left) > room:
            return room // len(left)
        share = left.pop(0)
        room -= share
    return share


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
        return escaping.shortened(escaping.whole(value), length)
    if isinstance(value, Mapping):
        return {escaping.whole(str(key)): _cut(inner, length) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(inner, length) for inner in value]
    if isinstance(value, float) and value - value != 0:  # NaN and the infinities are not JSON
        return None
    return value
