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
from kgnb.agents.kg_construction.options import Options as ConstructionOptions
from kgnb.agents.ontology_matching.values import Options
from kgnb.backends import open_ontology
from kgnb.datasets import huts
from kgnb.llm.model import Reply, ToolCall
from kgnb.llm.prices import estimate_usage
from kgnb.llm.scripted import ScriptedModel
from kgnb.settings import Settings
from kgnb.tasks.aligning import align
from kgnb.tasks.asking import answer_questions
from kgnb.tasks.building import build_graph, find_documents
from kgnb.tasks.matching import match_ontologies
from kgnb.tasks.running import new_run
from kgnb.tasks.sides import open_sides

SHORT_NOTES = Path(__file__).parents[1] / "data" / "short-notes" / "tbox.ttl"
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


LONE = {
    "huts:kitchen": "Pancakes of the Ambre Hut, for four: 200 g flour, 2 eggs and 300 ml milk. Fry for 5 minutes.",
    "huts:dairy": "Zirm Dairy makes Brisette of 300 litres of milk, and adds 40 ml of the rennet S-104-B to it.",
    str(
        SHORT_NOTES
    ): "Ansel Lodge lies in the Rivermark and has 24 beds. It opened in 1931, and is heated with wood.",
}
"""A note of a hundred characters for an ontology."""


def lone_note(tbox: str, note_budget: int) -> tuple[int, int]:
    """The requests that its lone note takes of a model, and tokens in of the first."""
    model = ScriptedModel(
        lambda request: Reply("", tool_calls=(ToolCall("1", "finish", {}),), model="scripted")
    )
    options = ConstructionOptions(note_budget=note_budget)
    build_graph({"note.txt": LONE[tbox]}, tbox, judge="model", model=model, options=options)
    return len(model.asked), estimate_usage(model.asked[0]).prompt_tokens


def main() -> None:
    """Print a line an agent, then one an ontology: what a lone short note takes."""
    with tempfile.TemporaryDirectory() as cache:
        settings = Settings.load().with_(model="recorded:huts", cache=Path(cache))
        for agent in AGENTS:
            print(took(agent, settings), flush=True)
    for tbox in LONE:
        calls, tokens = lone_note(tbox, ConstructionOptions().note_budget)
        _, usual = lone_note(tbox, 0)
        print(
            f"a lone note of 100 characters, {Path(tbox).name}: {calls} call, {tokens:,} tokens in; "
            f"with --note-budget 0 {usual:,}"
        )


if __name__ == "__main__":
    main()
