"""Stage 3: a reader goes through documents, step by step of the plan, and what it writes becomes one graph.

Each document is read in a session of its own and its journal is written whole, so that a bad document stops no other
and a killed run goes on where it was. The graph is made of the journals, in the order of the documents, through the
same checks: what one document says against another is refused and left to a person.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgnb.agents.kg_construction.built import Built, Journal, journal_key, read_journal, write_journal
from kgnb.agents.kg_construction.documents import Document, Readable, passages, read_document
from kgnb.agents.kg_construction.generic_tools import BUDGET
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.plan import Plan, plan
from kgnb.agents.kg_construction.readers import ModelReader, Reader, Task, still_missing
from kgnb.agents.kg_construction.tool_values import Source, Violation
from kgnb.agents.kg_construction.workspace import Doubt, Workspace
from kgnb.agents.options import Field, options
from kgnb.errors import BackendError, DataError, LimitError, ReplyError, Waiting
from kgnb.judging import Estimate
from kgnb.llm.asking import Failure, do_many, raise_waiting
from kgnb.llm.prices import estimate_tokens, estimate_usage
from kgnb.llm.replay import MissingReply
from kgnb.run import Forecast, Run

if TYPE_CHECKING:
    from kgnb.agents.kg_construction.session import Session

_FAILURES = 3  # documents in a row that a backend fails on, before the batch is given up


@options
class Options:
    """How documents are cut and how much a reader may try."""

    passage: int = Field(default=6000, ge=200, le=200_000, description="characters a reader sees at once")
    overlap: int = Field(default=400, ge=0, le=20_000, description="characters two passages share")
    repairs: int = Field(
        default=3, ge=0, le=20, description="times a refused call may be mended before it is left to a person"
    )
    calls: int = Field(default=40, ge=1, le=500, description="replies of a model for one passage and step")
    feedback: bool = Field(default=True, description="tell the reader why a call is refused")
    tool_budget: int = Field(
        default=BUDGET,
        ge=0,
        le=1_000_000,
        description="tokens of tool schemas a passage may cost; above it a few generic tools take their place",
    )
    width: int = Field(default=8, ge=1, le=64, description="documents a model reads at once; the graph is the same")


def instantiate(
    documents: Sequence[Readable],
    pack: ToolPack,
    reader: Reader,
    plan: Plan,
    options: Options = Options(),
    *,
    session: Session | None = None,
    folder: Path | None = None,
    checked: bool = True,
    on_document: Callable[[int, int], object] | None = None,
) -> Built:
    """The graph that the documents make, with its journals and what was left to a person.

    Args:
        session: where the graph is built; a new one in memory by default.
        folder: where journals are kept; what lies there and was made alike is not read again.
        checked: False writes without asking the constraints: the ablation.
        on_document: told how many documents are done, and of how many.

    A model is asked about ``options.width`` documents at once, and the graph is the same; any other reader, which may
    be any function, gets one after the other, in the caller's own thread.

    Raises:
        BackendError: a model's server fails on three documents in a row; journals so far are kept.
    """
    target = session if session is not None else pack.session(checked=checked)

    def read(entry: Readable) -> Journal:
        return _one(entry, pack, reader, plan, options, target.namespace, folder, checked)

    width = options.width if isinstance(reader, ModelReader) else 1
    journals, limit = _journals(documents, read, reader.name, width, on_document)
    doubts = [doubt for journal in journals for doubt in journal.doubts]
    for journal in journals:
        doubts += _apply(journal, target)
    return Built(pack, target, journals, tuple(doubts), limit)


def _journals(
    documents: Sequence[Readable],
    read: Callable[[Readable], Journal],
    reader: str,
    width: int,
    on_document: Callable[[int, int], object] | None,
) -> tuple[tuple[Journal, ...], str]:
    """A journal for every document, in order, and which budget was spent, if one was; a bad document stops no other."""
    limits: list[str] = []
    failures, ended = 0, 0

    def one(entry: Readable) -> Journal:
        if limits:
            return Journal(entry.name, "", "", reader, error=f"not read: {limits[0]}")
        try:
            journal = read(entry)
        except MissingReply:
            raise
        except (DataError, ReplyError) as error:
            return Journal(entry.name, "", "", reader, error=error.what)
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
        outcome if isinstance(outcome, Journal) else Journal(entry.name, "", "", reader, error=outcome.what)
        for entry, outcome in zip(documents, found, strict=True)
    )
    return journals, limits[0] if limits else ""


def _in_turn(
    one: Callable[[Readable], Journal], documents: Sequence[Readable], heard: Callable[[int, Journal | Failure], None]
) -> list[Journal | Failure]:
    """One document after the other."""
    found: list[Journal | Failure] = []
    for index, entry in enumerate(documents):
        try:
            found.append(one(entry))
        except (BackendError, Waiting) as error:
            found.append(error)
        heard(index, found[-1])
    return found


def _one(
    entry: Readable, pack: ToolPack, reader: Reader, plan: Plan, options: Options, namespace: str,
    folder: Path | None, checked: bool,
) -> Journal:  # fmt: skip
    """The journal of one document: the one at hand, or a new one."""
    document = read_document(entry)
    key = journal_key(
        {
            "document": document.digest, "reader": reader.name, "options": _deciding(options), "namespace": namespace,
            "pack": pack.content_sha256, "prompts": [prompt.text for prompt in plan.prompts], "checked": checked,
        }
    )  # fmt: skip
    if folder is not None and (kept := read_journal(folder, document.name, key)):
        return kept.packed()
    journal = replace(_read(document, pack, reader, plan, options, namespace, checked), key=key)
    if folder is not None and not journal.error:
        write_journal(folder, journal)
    return journal.packed()


def _deciding(options: Options) -> dict[str, object]:
    """The options that decide what a reader does: not how many documents are read at once."""
    return {name: value for name, value in asdict(options).items() if name != "width"}


def _read(
    document: Document, pack: ToolPack, reader: Reader, plan: Plan, options: Options, namespace: str, checked: bool
) -> Journal:
    """One document, read in a session of its own; where a budget is spent, as far as it reached."""
    session = pack.session(namespace, checked=checked, stored=False)  # its journal is done again in the shared one
    workspace = Workspace(session, document.name, options.repairs, options.feedback)
    cut = passages(document, options.passage, min(options.overlap, options.passage // 2))
    tasks = [Task(passage, prompt, pack) for prompt in plan.prompts for passage in cut]
    spent = ""
    for task in [*tasks[:-1], *(replace(task, last=True) for task in tasks[-1:])]:
        try:
            reader.read(task, workspace)
        except LimitError as error:
            spent = error.what
            break
    workspace.close()
    doubts = list(workspace.doubts)
    if tasks:
        asked: dict[tuple[str, str, str], Violation] = {}  # two shapes may ask for the same
        for one in still_missing(replace(tasks[-1], last=True), workspace):
            asked.setdefault((one.focus, one.path, one.component), one)
        for one in asked.values():
            reason = one.hint or f"{one.constraint}: something required is missing"
            doubts.append(Doubt(document.name, 0, len(document.text), "missing", {"iri": one.focus}, reason, (one,)))
    return Journal(
        document.name, document.digest, "", reader.name, tuple(workspace.acts), tuple(doubts), workspace.repaired,
        workspace.repeats, len(document.text), tuple(workspace.notes), spent,
    )  # fmt: skip


def _apply(journal: Journal, session: Session) -> list[Doubt]:
    """Does again, in the shared session, what wrote something; what is refused there is for a person."""
    refused: list[Doubt] = []
    renamed: dict[str, str] = {}

    def mapped(value: Any) -> Any:
        return renamed.get(value, value) if isinstance(value, str) else value

    for act in journal.acts:
        if not act.writes:
            continue
        arguments = {name: mapped(value) for name, value in act.arguments.items()}
        result = session.call(act.tool, arguments, Source(journal.document, act.start, act.end), merge=True)
        if result.ok and act.iri and result.iri != act.iri:
            renamed[act.iri] = result.iri
        if not result.ok:
            reason = "another document says otherwise"
            refused.append(Doubt(journal.document, act.start, act.end, act.tool, arguments, reason, result.violations))
    return refused


def build_graph(
    documents: Sequence[Readable],
    pack: ToolPack,
    reader: Reader,
    *,
    options: Options = Options(),
    session: Session | None = None,
    folder: Path | None = None,
    checked: bool = True,
    run: Run | None = None,
) -> Built:
    """The graph of the documents: prompts planned, then every document read through the tools."""
    run = run or Run("kg_construction")
    prompts = run.do(plan, pack, options.tool_budget)
    if run.foretells:
        run.expect(expected_reading(documents, pack, reader, prompts, options))
    forecast = Forecast(run)

    def came(done: int, total: int) -> None:
        run.progress(done, total, "documents")
        forecast.done(done, total)

    return run.do(
        instantiate, documents, pack, reader, prompts, options, session=session, folder=folder, checked=checked,
        on_document=came,
    )  # fmt: skip


_WRITES = 4.5  # tokens of calls for a token of text


def expected_reading(
    documents: Sequence[Readable], pack: ToolPack, reader: Reader, plan: Plan, options: Options
) -> Estimate:
    """A reply of calls for every passage and step; a reply that mends, where one is needed, comes on top.

    How much a model writes hangs on how dense a text is: ``_WRITES`` is what recordings show, of recipes and of
    encyclopaedic sentences. Nothing for a reader that is no model. A document that cannot be read counts
    for nothing.
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
        cut = passages(document, options.passage, min(options.overlap, options.passage // 2))
        if least is None and cut:
            tasks = [Task(cut[0], prompt, pack) for prompt in plan.prompts]
            own = estimate_tokens(cut[0].text)
            least = [estimate_usage(reader.first_request(task, workspace)).prompt_tokens - own for task in tasks]
        text = sum(estimate_tokens(one.text) for one in cut)
        calls += len(cut) * len(plan.prompts)
        tokens += len(cut) * sum(least or ()) + len(plan.prompts) * text
        written += round(_WRITES * text)
    return Estimate(calls, tokens, written)
