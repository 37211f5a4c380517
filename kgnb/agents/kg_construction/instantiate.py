"""Stage 3: a reader goes through documents, step by step of the plan, and what it writes becomes
one graph.

Each document is read in a session of its own and its journal is written atomically, so that a bad
document does not stop the others and a killed run resumes. The graph is made from the journals, in
the order of the documents, through the same checks: contradictions between documents are refused
and left to a person.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgnb.agents.kg_construction.built import (
    Built,
    Journal,
    journal_key,
    read_journal,
    write_journal,
)
from kgnb.agents.kg_construction.documents import (
    Document,
    Passage,
    Readable,
    passages,
    read_document,
)
from kgnb.agents.kg_construction.generic_tools import BUDGET
from kgnb.agents.kg_construction.outside_checks import tokens_of
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.plan import LONG, Plan, plan
from kgnb.agents.kg_construction.readers import ModelReader, PassageTask, Reader, still_missing
from kgnb.agents.kg_construction.tool_values import Violation
from kgnb.agents.kg_construction.workspace import Doubt, Workspace
from kgnb.agents.options import Field, options
from kgnb.errors import BackendError, DataError, LimitError, ReplyError, Waiting
from kgnb.judging import Estimate
from kgnb.llm.asking import Failure, do_many, raise_waiting
from kgnb.llm.prices import estimate_tokens, estimate_usage
from kgnb.llm.replay import MissingReply
from kgnb.run import Forecast, Run

if TYPE_CHECKING:
    from kgnb.agents.kg_construction.session import ConstructionSession

_FAILURES = 3  # documents in a row that a backend fails on, before the batch is given up


@options
class Options:
    """How documents are cut and how much a reader may try."""

    passage: int = Field(
        default=6000, ge=200, le=200_000, description="characters a reader sees at once"
    )
    overlap: int = Field(
        default=400, ge=0, le=20_000, description="characters that two passages share"
    )
    repairs: int = Field(
        default=3,
        ge=0,
        le=20,
        description="times a refused call may be corrected before it is left to a person",
    )
    calls: int = Field(
        default=40, ge=1, le=500, description="model replies for each passage and step"
    )
    feedback: bool = Field(default=True, description="tell the reader why a call is refused")
    tool_budget: int = Field(
        default=BUDGET,
        ge=0,
        le=1_000_000,
        description="most tokens of tool schemas for a passage; above that, a few generic tools are used",
    )
    plan: str = Field(
        default="", description="a plan.json to go through, instead of the pack's plan"
    )
    no_plan: bool = Field(default=False, description="one step instead of the plan: the ablation")
    instructions: str = Field(
        default="",
        description="a text file that tells a model more: for all, and below a heading for its class",
    )
    width: int = Field(
        default=8, ge=1, le=64, description="documents a model reads at once; the graph is the same"
    )


def instantiate(
    documents: Sequence[Readable],
    pack: ToolPack,
    reader: Reader,
    plan: Plan,
    options: Options = Options(),
    *,
    session: ConstructionSession | None = None,
    folder: Path | None = None,
    checked: bool = True,
    on_document: Callable[[int, int], object] | None = None,
) -> Built:
    """The graph that the documents make, with its journals and what was left to a person.

    Args:
        session: where the graph is built; a new one in memory by default.
        folder: where journals are kept; a document with a journal of the same reader and options is
        not read again. checked: False writes without checking the constraints: the ablation.
        on_document: called with the number of finished documents and of all.

    A model reads ``options.width`` documents at once, with the same graph; any other reader, which
    may be any function, reads one after the other in the caller's thread.

    Raises:
        BackendError: a model's server fails on three documents in a row; the journals so far are
        kept.
    """
    target = session if session is not None else pack.session(checked=checked)
    reading = _Reading(pack, reader, plan, options, target.namespace, checked, folder)
    width = options.width if isinstance(reader, ModelReader) else 1
    journals, limit = _journals(documents, reading, width, on_document)
    doubts = [doubt for journal in journals for doubt in journal.doubts]
    for journal in journals:
        doubts += _apply(journal, target)
    return Built(pack, target, journals, tuple(doubts), limit)


def _journals(
    documents: Sequence[Readable],
    reading: _Reading,
    width: int,
    on_document: Callable[[int, int], object] | None,
) -> tuple[tuple[Journal, ...], str]:
    """A journal for every document, in order, and the budget that was spent, if any."""
    limits: list[str] = []
    failures, ended = 0, 0

    def unread(entry: Readable, why: str) -> Journal:
        return Journal(entry.name, "", "", reading.reader.name, error=why)

    def one(entry: Readable) -> Journal:
        if limits:
            return unread(entry, f"not read: {limits[0]}")
        try:
            journal = reading.journal(entry)
        except MissingReply:
            raise
        except (DataError, ReplyError) as error:
            return unread(entry, error.what)
        if journal.error:  # what could be read of it within the budget is kept
            limits.append(journal.error)
        return journal

    def heard(index: int, outcome: Journal | Failure) -> None:
        nonlocal failures, ended
        failures = failures + 1 if isinstance(outcome, BackendError) else 0
        if isinstance(outcome, BackendError) and failures >= min(_FAILURES, len(documents)):
            raise outcome
        ended += 1
        if on_document:
            on_document(ended, len(documents))

    found = do_many(one, documents, width, heard) if width > 1 else _in_turn(one, documents, heard)
    raise_waiting(found)
    journals = tuple(
        outcome if isinstance(outcome, Journal) else unread(entry, outcome.what)
        for entry, outcome in zip(documents, found, strict=True)
    )
    return journals, limits[0] if limits else ""


def _in_turn(
    one: Callable[[Readable], Journal],
    documents: Sequence[Readable],
    heard: Callable[[int, Journal | Failure], None],
) -> list[Journal | Failure]:
    found: list[Journal | Failure] = []
    for index, entry in enumerate(documents):
        try:
            found.append(one(entry))
        except (BackendError, Waiting) as error:
            found.append(error)
        heard(index, found[-1])
    return found


@dataclass(frozen=True)
class _Reading:
    """How the documents are read."""

    pack: ToolPack
    reader: Reader
    plan: Plan
    options: Options
    namespace: str
    checked: bool
    folder: Path | None

    def journal(self, entry: Readable) -> Journal:
        """The journal of one document: the one in the folder, or a new one."""
        document, options = read_document(entry), asdict(self.options)
        del options["width"]  # decides nothing
        key = journal_key(
            {
                "document": document.digest,
                "reader": self.reader.name,
                "options": options,
                "namespace": self.namespace,
                "pack": self.pack.content_sha256,
                "prompts": [prompt.text for prompt in self.plan.prompts],
                "checked": self.checked,
            }
        )
        if self.folder is not None and (kept := read_journal(self.folder, document.name, key)):
            return kept
        journal = self._read(document, key)
        if self.folder is not None and not (journal.error or journal.stopped):
            write_journal(self.folder, journal)
        return journal

    def _read(self, document: Document, key: str) -> Journal:
        """One document read in a session of its own, or the part of it that the budget allowed."""
        # without a store: its journal is done again in the shared session
        session = self.pack.session(self.namespace, checked=self.checked, stored=False)
        workspace = Workspace(session, document.name, self.options.repairs, self.options.feedback)
        cut = _cut(document, self.options)
        tasks = [
            PassageTask(passage, prompt, self.pack)
            for prompt in self.plan.prompts
            for passage in cut
        ]
        spent, stopped = "", list[tuple[PassageTask, str]]()
        for task in [*tasks[:-1], *(replace(task, last=True) for task in tasks[-1:])]:
            try:
                self.reader.read(task, workspace)
            except LimitError as error:
                spent = error.what
                break
            except ReplyError as error:
                if not workspace.acts:
                    raise
                stopped.append((task, error.what))
        workspace.close()
        missing: dict[tuple[str, str, str], Violation] = {}  # two shapes may ask for the same
        for one in still_missing(replace(tasks[-1], last=True), workspace) if tasks else ():
            missing.setdefault((one.focus, one.path, one.component), one)
        doubts = [
            Doubt(
                document.name,
                0,
                len(document.text),
                "missing",
                {"iri": one.focus},
                one.hint or f"{one.constraint}: something required is missing",
                (one,),
            )
            for one in missing.values()
        ]
        doubts += [
            Doubt(
                document.name,
                task.passage.start,
                task.passage.end,
                "",
                {"step": task.prompt.step.name},
                f"the reading of this passage stopped: {why}; what was written before is kept",
            )
            for task, why in stopped
        ]
        return Journal(
            document.name,
            document.digest,
            key,
            self.reader.name,
            tuple(workspace.acts),
            (*workspace.doubts, *doubts),
            workspace.repaired,
            workspace.repeats,
            tuple(workspace.notes),
            spent,
            answers=tuple(workspace.answers),
            stopped="; ".join(dict.fromkeys(why for _, why in stopped)),
        )


def _cut(document: Document, options: Options) -> tuple[Passage, ...]:
    return passages(document, options.passage, min(options.overlap, options.passage // 2))


def _apply(journal: Journal, session: ConstructionSession) -> list[Doubt]:
    """Repeats in the shared session the calls that wrote something; those that are refused there
    become doubts.
    """
    refused: list[Doubt] = []
    renamed: dict[Any, str] = {}
    for act in (act for act in journal.acts if act.writes):
        arguments = {
            name: renamed.get(value, value) if isinstance(value, str) else value
            for name, value in act.arguments.items()
        }
        result = session.call(act.tool, arguments, journal.source(act), merge=True)
        if result.ok and act.iri and result.iri != act.iri:
            renamed[act.iri] = result.iri
        if not result.ok:
            reason = "contradicts another document"
            refused.append(
                Doubt(
                    journal.document,
                    act.start,
                    act.end,
                    act.tool,
                    arguments,
                    reason,
                    result.violations,
                )
            )
    return refused


def build_graph(
    documents: Sequence[Readable],
    pack: ToolPack,
    reader: Reader,
    *,
    options: Options = Options(),
    session: ConstructionSession | None = None,
    folder: Path | None = None,
    checked: bool = True,
    run: Run | None = None,
) -> Built:
    """The graph of the documents: prompts planned, then every document read through the tools."""
    run = run or Run("kg_construction")
    outside = reader.outside if isinstance(reader, ModelReader) else ()
    prompts = run.do(
        plan,
        pack,
        max(0, options.tool_budget - tokens_of(outside)),
        longest=_longest(documents) if isinstance(reader, ModelReader) else 0,
        no_plan=options.no_plan,
        follow=options.plan,
        instructions=options.instructions,
    )
    if run.foretells:
        run.expect(expected_reading(documents, pack, reader, prompts, options))
    forecast = Forecast(run)

    def came(done: int, total: int) -> None:
        run.progress(done, total, "documents")
        forecast.done(done, total)

    return run.do(
        instantiate,
        documents,
        pack,
        reader,
        prompts,
        options,
        session=session,
        folder=folder,
        checked=checked,
        on_document=came,
    )


def _longest(documents: Sequence[Readable]) -> int:
    """Characters of the longest document, as far as they can be read."""
    found = 0
    for entry in documents:
        try:
            found = max(found, len(read_document(entry).text))
        except DataError:
            continue
        if found >= LONG:
            break
    return found


_WRITES = 4.5  # tokens of calls for a token of text


def expected_reading(
    documents: Sequence[Readable], pack: ToolPack, reader: Reader, plan: Plan, options: Options
) -> Estimate:
    """An estimate of one reply for every passage and step; replies that repair refused calls come
    on top.

    How much a model writes depends on how dense a text is: ``_WRITES`` is what recordings of
    recipes and of encyclopaedic sentences show. A reader without a model, or a document that cannot
    be read, costs nothing.
    """
    if not isinstance(reader, ModelReader):
        return Estimate()
    calls = tokens = written = 0
    least: list[int] | None = None  # of each step's first call, the passage aside
    workspace = Workspace(pack.session(stored=False), "")
    for entry in documents:
        try:
            document = read_document(entry)
        except DataError:
            continue
        cut = _cut(document, options)
        if least is None and cut:
            tasks = [PassageTask(cut[0], prompt, pack) for prompt in plan.prompts]
            own = estimate_tokens(cut[0].text)
            least = [
                estimate_usage(reader.first_request(task, workspace)).prompt_tokens - own
                for task in tasks
            ]
        text = sum(estimate_tokens(one.text) for one in cut)
        calls += len(cut) * len(plan.prompts)
        tokens += len(cut) * sum(least or ()) + len(plan.prompts) * text
        written += round(_WRITES * text)
    return Estimate(calls, tokens, written)
