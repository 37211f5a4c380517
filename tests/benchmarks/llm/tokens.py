"""What a model takes for an item: all four agents on the huts, replayed from the recording; an aim
beside each.

``python -m tests.benchmarks.llm.tokens`` prints tokens in (messages, tools and schemas; characters
/ 4) for an entity, a question and a note, and what was estimated before anything was sent. It asks
nobody.
"""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgnb.agents.kg_construction.documents import read_document
from kgnb.agents.ontology_matching.values import Options
from kgnb.backends import open_ontology
from kgnb.datasets import huts
from kgnb.settings import Settings
from kgnb.tasks.aligning import align
from kgnb.tasks.asking import answer_questions
from kgnb.tasks.building import build_graph, find_documents
from kgnb.tasks.matching import match_ontologies
from kgnb.tasks.running import new_run
from kgnb.tasks.sides import open_sides

BEFORE = {
    "matching": 21,
    "alignment": 25,
    "questions": 7300,
    "construction": 50800,
}  # of daf2a73, an item
AIM = {"matching": 20, "alignment": 30, "questions": 8000, "construction": 8000}


@dataclass(frozen=True)
class Took:
    """What one agent took: calls and tokens in as counted, as estimated beforehand, and the items
    they were for.
    """

    agent: str
    item: str
    items: float
    calls: int
    tokens: int
    estimated_calls: int
    estimated_tokens: int
    cached: int
    result: Any

    @property
    def estimated(self) -> float:
        """What was estimated, as a share of what was sent."""
        return self.estimated_tokens / self.tokens

    @property
    def per_item(self) -> float:
        """Tokens in an item."""
        return self.tokens / self.items

    def __str__(self) -> str:
        return (
            f"{self.agent:13} {self.calls:4} calls {self.tokens:8,} tokens in: {self.per_item:8,.1f} {self.item} "
            f"(before {BEFORE[self.agent]:,}, aim {AIM[self.agent]:,}); estimated {self.estimated_calls} calls, "
            f"{self.estimated_tokens:,} tokens, {self.estimated:.2f} of what was sent"
        )


def took(agent: str, settings: Settings) -> Took:
    """One agent over the huts, with the model that the settings name."""
    estimates: list[Any] = []

    def heard(event: Any) -> None:
        if event["event"] == "estimate" and not event["bound"].startswith("for the rest"):
            estimates.append(event)

    run = new_run(agent, {}, settings=settings, on_event=heard)
    with run:
        items, item, result = AGENTS[agent](settings, run)
    calls, tokens = (sum(one[name] for one in estimates) for name in ("calls", "prompt_tokens"))
    totals = run.totals
    return Took(
        agent,
        item,
        items,
        totals["calls"],
        totals["prompt_tokens"],
        calls,
        tokens,
        totals["cached"],
        result,
    )


def _matching(settings: Settings, run: Any) -> tuple[float, str, Any]:
    sides = [open_ontology(name) for name in ("huts:alpine", "huts:refuge")]
    options = Options(context=huts.huts().context)
    found = match_ontologies(*sides, judge="cascade", options=options, settings=settings, run=run)
    return sum(map(len, sides)), "an entity", found


def _alignment(settings: Settings, run: Any) -> tuple[float, str, Any]:
    sides = open_sides("huts:hollenmark", "huts:corvane", labels=("huts:alpine", "huts:refuge"))
    found = align(sides, judge="model", settings=settings, run=run)
    return len(found.sides.left), "an entity", found


def _questions(settings: Settings, run: Any) -> tuple[float, str, Any]:
    rows = [
        json.loads(line) for line in huts.path("questions").read_text(encoding="utf-8").splitlines()
    ]
    asked = [{"id": row["id"], "question": row["question"]} for row in rows]
    found = answer_questions(asked, "huts:graph", judge="model", settings=settings, run=run)
    return len(asked), "a question", found


def _construction(settings: Settings, run: Any) -> tuple[float, str, Any]:
    notes = [read_document(one) for one in find_documents(str(huts.path("kitchen-notes")))]
    found = build_graph(
        notes,
        "huts:kitchen",
        shapes="huts:kitchen-shapes",
        judge="model",
        settings=settings,
        run=run,
    )
    mean = sum(len(one.text) for one in notes) / len(notes)
    return len(notes), f"a note of {mean:.0f} characters", found


AGENTS: dict[str, Callable[[Settings, Any], tuple[float, str, Any]]] = {
    "matching": _matching,
    "alignment": _alignment,
    "questions": _questions,
    "construction": _construction,
}


def main() -> None:
    """Print a line an agent."""
    with tempfile.TemporaryDirectory() as cache:
        settings = Settings.load().with_(model="recorded:huts", cache=Path(cache))
        for agent in AGENTS:
            print(took(agent, settings), flush=True)


if __name__ == "__main__":
    main()
