"""A run that shows itself: its steps with their calls, judgements and queries, and what it all cost."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from kgnb.results import columns, escaping, run_html
from kgnb.results.bundle import RUN_MIME, Json, mimebundle
from kgnb.results.run_excerpt import Room, excerpt
from kgnb.results.run_words import state_of, step_facts, title, totals_facts

_JSON_ROOM = Room(steps=500, calls=1_000, judgements=1_000, queries=300, text=1_000)
_HTML_ROOM = Room(steps=60, calls=60, judgements=120, queries=40, text=300)
_TEXT_STEPS = 40


@dataclass(frozen=True, repr=False)
class RunView:
    """The view of a run given as JSON (``Run.to_json()``, or the ``run.json`` of a saved run).

    Raises:
        ValueError: if it is not a run of version 1.
    """

    run: Mapping[str, Any]

    def __post_init__(self) -> None:
        if self.run.get("version") != 1 or not isinstance(self.run.get("steps"), list):
            raise ValueError(f"not the JSON of a run in version 1: it begins with {', '.join(list(self.run)[:3])}")

    def __repr__(self) -> str:
        return f"<RunView: {title(self.run)}, {state_of(self.run)}>"

    def __str__(self) -> str:
        return self.text()

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, Any]:
        makers = {RUN_MIME: self.json, "text/html": self.html, "text/plain": self.text}
        return mimebundle(makers, include, exclude)

    def json(self) -> Json:
        """Return the JSON the extension draws (``RunData`` in ``run.ts``): the run, capped, with what was left out."""
        return excerpt(self.run, _JSON_ROOM)

    def html(self) -> str:
        """Return the run as nested ``<details>`` that JupyterLab's sanitiser leaves as they are."""
        return run_html.html(excerpt(self.run, _HTML_ROOM))

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
