"""What feedback is worth with a model that errs: the hut kitchens, read by a scripted stub.

``python -m tests.benchmarks.agents.feedback [--errs 0.2] [--mends 0.8] [--seeds 3]`` prints refused
and repaired calls, constraints that the graph breaks in the end, precision, recall and F1: with the
checks and their reasons, with the reasons withheld, and with unchecked writes (only what is no
value at all is refused), the paper's ablation.

Simulation: the stub makes the calls of the reader without a model, a share of them with a mistake
as models make them (a number in words, a unit that is none, a value outside a list, an entity of
another class, and in one of five a wrong number that no ontology can know). Told why a call was
refused, it makes a share of them again, right. What it shows is how much of a model's mistakes the
checks and their reasons can undo, not how often a model errs.

``--model [--notes 12]`` has the model of the settings read twelve notes of one or two sentences
(``data/short-notes``), each with at most ``--calls`` replies, and prints a line a note and way, then
the sums: what a model does that errs by itself. ``python -m tests.benchmarks.llm.small_model serve``
serves one. ``--recorded`` has the recorded strong model read the kitchen notes, in the ways that it
has replies for.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

from rdflib import RDF, RDFS, Literal

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.documents import find_documents, read_document
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.workspace import Act
from kgnb.backends import file_of, open_model
from kgnb.datasets import huts
from kgnb.evaluate.alignment import Score
from kgnb.evaluate.extraction import normalised
from kgnb.llm.model import ChatModel, Reply, Request, ToolCall
from kgnb.llm.scripted import ScriptedModel
from kgnb.reporting.kg_construction import micro, records, reference_graph, scored
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.building import build_graph, compile_ontology

TBOX, SHAPES, NOTES = "huts:kitchen", "huts:kitchen-shapes", "huts:kitchen-notes"
_TYPED = Options(
    together=0, note_budget=0, tool_budget=100_000, no_plan=True
)  # one request a note, all tools
WAYS = {
    "checks and their reasons": _TYPED,
    "checks, reasons withheld": replace(_TYPED, feedback=False),
    "unchecked writes": replace(_TYPED, unchecked=True),
    "unchecked writes, reasons withheld": replace(_TYPED, unchecked=True, feedback=False),
}
_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 12: "a dozen"}


@dataclass
class ErringModel:
    """The calls of a careful reader, some of them wrong; ``mends`` of the refused ones are made
    again, right.
    """

    acts: Mapping[str, list[Act]]  # by the text they were read from
    errs: float
    mends: float
    seed: int
    right: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    """What the wrong calls should have been, by the call."""

    def __call__(self, request: Request) -> Reply:
        calls = {call.id: call for message in request.messages for call in message.tool_calls}
        answers = [one for one in request.messages if one.role == "tool"]
        if not answers:
            return self.opening(request.messages[-1].text)
        again = []
        for answer in answers:
            said = json.loads(answer.text)
            call = calls.get(answer.tool_call_id or "")
            if call is None or said.get("ok") is not False or not said.get("refused"):
                continue
            mended = self.right.pop(_key(call.name, call.arguments), None)
            if mended and self.chance(_key(*mended)).random() < self.mends:
                again.append(mended)
        made = [ToolCall(f"again{at}", *one) for at, one in enumerate(again)]
        return Reply("", (*made, ToolCall("end", "finish", {})))

    def chance(self, what: str) -> random.Random:
        """The same chances for the same thing in every run."""
        return random.Random(f"{self.seed} {what}")

    def opening(self, asked: str) -> Reply:
        """All calls of a document, some of them wrong."""
        text = next(text for text in self.acts if text.strip() in asked)
        made = []
        for number, act in enumerate(self.acts[text]):
            right = dict(act.arguments) | {"quote": text[act.start : act.end]}
            chance = self.chance(f"{text} {number}")
            given = self.wrong(right, chance) if chance.random() < self.errs else right
            if given != right:
                self.right[_key(act.tool, given)] = act.tool, right
            made.append(ToolCall(f"c{number}", act.tool, given))
        return Reply("", tuple(made))

    @staticmethod
    def wrong(right: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
        """A call with a mistake, where it has something to get wrong."""
        value = right.get("value")
        if isinstance(value, int | float):
            unseen = chance.random() < 0.2  # a number that fits, and is not what the text says
            return {**right, "value": value * 10 if unseen else _WORDS.get(int(value), "some")}
        if isinstance(value, str):
            return {**right, "value": f"a kind of {value}"}
        if "object" in right:
            unit = not str(right["object"]).startswith("https://example.org/kg/")
            return {**right, "object": "handful" if unit else right["subject"]}
        return dict(right)


def _key(tool: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([tool, arguments], sort_keys=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--errs", type=float, default=0.2)
    parser.add_argument("--mends", type=float, default=0.8)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--model", action="store_true", help="that of the settings, in place of the stub"
    )
    parser.add_argument("--recorded", action="store_true", help="recorded:huts, in its place")
    parser.add_argument("--notes", type=int, default=12)
    parser.add_argument("--calls", type=int, default=3)
    given = parser.parse_args()
    if given.model:
        model = open_model(Settings.load())
        if model is None:
            parser.error("no model is set: KGNB_MODEL, KGNB_BASE_URL")
        read_short_notes(model, given.notes, given.calls)
        return
    found = recorded() if given.recorded else measured(given.errs, given.mends, given.seeds)
    for row in found:
        print(json.dumps(row))


def measured(errs: float, mends: float, seeds: int, notes: int = 0) -> list[dict[str, Any]]:
    """A row for each way of reading the notes, or the first of them: means over the seeds."""
    pack = compile_ontology(TBOX, SHAPES)
    documents = [read_document(one) for one in find_documents(file_of(NOTES))][: notes or None]
    careful = build_graph(documents, pack, judge="rule")
    texts = {one.name: one.text for one in documents}
    acts = {texts[one.document]: [a for a in one.acts if a.ok] for one in careful.journals}
    wanted = reference_graph(Path(file_of("huts:kitchen-reference")))
    rows = []
    for name, options in WAYS.items():
        found = []
        for seed in range(seeds):
            model = ScriptedModel(ErringModel(acts, errs, mends, seed))
            built = build_graph(documents, pack, judge="model", model=model, options=options)
            total = micro(scored(records(built.graph, wanted, huts.KITCHEN_QUERIES)))
            counts = built.counts()
            scores = (total.precision, total.recall, total.f1)
            broken = len(built.session.validate())
            mended = sum(row[-1] == "yes" for row in built.violations().rows)
            found.append((counts["refused"], counts["repaired"], mended, broken, *scores))
        means = [round(fmean(column), 3) for column in zip(*found, strict=True)]
        heads = ("refused", "repaired", "called mended", "broken", "precision", "recall", "F1")
        rows.append({"read with": name, **dict(zip(heads, means, strict=True))})
    return rows


def recorded() -> Iterator[dict[str, Any]]:
    """A row for each way of reading the notes with the recorded strong model."""
    pack = compile_ontology(TBOX, SHAPES)
    documents = [read_document(one) for one in find_documents(file_of(NOTES))]
    wanted = reference_graph(Path(file_of("huts:kitchen-reference")))
    model = open_model(Settings.load().with_(model="recorded:huts"))
    for name, way in WAYS.items():
        options = Options(feedback=way.feedback, unchecked=way.unchecked)
        built = build_graph(documents, pack, judge="model", model=model, options=options)
        total = micro(scored(records(built.graph, wanted, huts.KITCHEN_QUERIES)))
        counts = {key: built.counts()[key] for key in ("calls", "refused", "repaired")}
        yield {"read with": name, **counts, "F1": round(total.f1, 3)}


SHORT_NOTES = Path(__file__).parents[1] / "data" / "short-notes"
Triple = tuple[str, str, str]


def read_short_notes(model: ChatModel, notes: int, calls: int) -> None:
    """Print what the model makes of each of the first notes, in each way, and the sums so far."""
    pack = compile_ontology(SHORT_NOTES / "tbox.ttl")
    lines = (SHORT_NOTES / "notes.jsonl").read_text(encoding="utf-8").splitlines()
    sums = {way: Counter[str]() for way in WAYS}
    for number, line in enumerate(lines[:notes], 1):
        note = json.loads(line)
        for way, options in WAYS.items():
            limited = replace(options, calls=calls)
            counts = read_note(model, pack, f"note-{number:02}", note, limited)
            sums[way].update(counts)
            print(json.dumps({"note": number, "read with": way, **counts}), flush=True)
    for way, counts in sums.items():
        score = Score(counts["hits"], counts["false"], counts["missed"])
        figures = {"precision": score.precision, "recall": score.recall, "F1": score.f1}
        rounded = {name: round(value, 3) for name, value in figures.items()}
        print(json.dumps({"read with": way, **counts, **rounded}))


def read_note(
    model: ChatModel, pack: ToolPack, name: str, note: Mapping[str, Any], options: Options
) -> Counter[str]:
    """Counts of what became of one note."""
    run, begun = Run("kg_construction"), perf_counter()
    built = build_graph(
        {name: note["text"]}, pack, judge="model", model=model, options=options, run=run
    )
    found = statements(built, pack)
    wanted = {tuple(map(normalised, fact)) for fact in note["facts"]}
    counts, totals = built.counts(), run.totals
    return Counter(
        {
            "calls": counts["calls"],
            "refused": counts["refused"],
            "repaired": counts["repaired"],
            "broken": len(built.session.validate()),
            "unread": counts["failed"] + counts["stopped"],
            "hits": len(found & wanted),
            "false": len(found - wanted),
            "missed": len(wanted - found),
            "replies": int(totals["calls"]),
            "tokens": int(totals["prompt_tokens"] + totals["completion_tokens"]),
            "seconds": round(perf_counter() - begun),
        }
    )


def statements(built: Built, pack: ToolPack) -> set[Triple]:
    """The facts of a graph in words: the names of both ends and of the property."""

    def said(term: object) -> str:
        if isinstance(term, Literal):
            return normalised(str(term))
        return normalised(str(built.graph.value(term, RDFS.label) or term))  # type: ignore[arg-type]

    return {
        (said(subject), normalised(pack.tbox.label(str(predicate))), said(value))
        for subject, predicate, value in built.graph
        if predicate not in (RDF.type, RDFS.label)
    }


if __name__ == "__main__":
    main()
