"""Stage 3: a reader goes through documents, step by step of the plan, and what it writes becomes
one graph.

Each document is read in a session of its own and its journal is written atomically, so that a bad
document does not stop the others and a killed run resumes. The graph is made from the journals, in
the order of the documents, through the same checks: contradictions between documents are refused
and left to a person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kgnb.agents.kg_construction.built import (
    Built,
    Journal,
    journal_key,
    read_journal,
    write_journal,
)
from kgnb.agents.kg_construction.documents import (
    Document,
    DocumentFile,
    Passage,
    Readable,
    passages,
    read_document,
)
from kgnb.agents.kg_construction.options import Options as Options
from kgnb.agents.kg_construction.outside_checks import tokens_of
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.plan import LONG, SHORT, Plan, StepPrompt, plan
from kgnb.agents.kg_construction.readers import ModelReader, PassageTask, Reader, still_missing
from kgnb.agents.kg_construction.tool_values import Violation
from kgnb.agents.kg_construction.workspace import Doubt, Workspace
from kgnb.errors import (
    BackendError,
    ConfigError,
    DataError,
    KgnbError,
    LimitError,
    ReplyError,
    Waiting,
)
from kgnb.judging import Estimate
from kgnb.llm.asking import Failure, do_many, raise_waiting
from kgnb.llm.prices import estimate_tokens, estimate_usage
from kgnb.llm.replay import MissingReply
from kgnb.llm.tools import SameCall
from kgnb.run import Forecast, Run
from kgnb.run.dask import blocks_on

if TYPE_CHECKING:
    from kgnb.agents.kg_construction.session import ConstructionSession

_FAILURES = 3  # documents in a row that a backend fails on, before the batch is given up


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
            not read again.
        checked: False writes without checking the constraints: the ablation.
        on_document: called with the number of finished documents and of all.

    A model reads ``options.width`` documents at once, with the same graph; any other reader, which
    may be any function, reads one after the other in the caller's thread, or, with
    ``options.scheduler``, a cluster's workers do. Journals are kept here, not there.

    Raises:
        ConfigError: there is a scheduler, and a model is to read.
        BackendError: a model's server fails on three documents in a row and nothing was written.
            Where something was, it is kept, and the others count as not read.
    """
    target = session if session is not None else pack.session(checked=checked)
    reading = _Reading(pack, reader, plan, options, target.namespace, checked, folder)
    if options.scheduler and isinstance(reader, ModelReader):
        raise ConfigError(
            "workers read without a model: its calls, budget and cache are kept by one process",
            fix="Leave out --scheduler; --width says how many documents a model reads at once.",
        )
    width = options.width if isinstance(reader, ModelReader) else 1
    if options.scheduler:
        journals, limit = _on_workers(documents, reading, on_document), ""
    else:
        journals, limit = _journals(documents, reading, width, on_document)
    doubts = [doubt for journal in journals for doubt in journal.doubts]
    target.forget({journal.document for journal in journals if journal.acts or not journal.error})
    for group in _groups_of(journals):
        doubts += _apply(group, target)
    return Built(pack, target, journals, tuple(doubts), limit)


def _journals(
    documents: Sequence[Readable],
    reading: _Reading,
    width: int,
    on_document: Callable[[int, int], object] | None,
) -> tuple[tuple[Journal, ...], str]:
    """A journal for every document, in order, and the budget that was spent, if any."""
    limits: list[str] = []
    failures, ended, unread, written = 0, 0, reading.unread, False
    shares = isinstance(reading.reader, ModelReader)
    groups = _together(documents, reading.options if shares else None)

    def read(group: Group) -> list[Journal]:
        if limits:
            return [unread(entry, f"not read: {limits[0]}") for entry in group]
        try:
            journals = reading.journals(group)
        except MissingReply:
            raise
        except (DataError, ReplyError) as error:
            return [unread(entry, _why(error)) for entry in group]
        if journals[0].error and not journals[0].stopped:  # what the budget allowed is kept
            limits.append(journals[0].error)
        return journals

    def heard(index: int, outcome: list[Journal] | Failure) -> None:
        nonlocal failures, ended, written
        failures = failures + 1 if isinstance(outcome, BackendError) else 0
        written = written or (isinstance(outcome, list) and any(one.acts for one in outcome))
        if isinstance(outcome, BackendError) and failures >= min(_FAILURES, len(groups)):
            if not written:
                raise outcome
            limits.append(_why(outcome))  # what was written before is kept
        ended += len(groups[index])
        if on_document:
            on_document(ended, len(documents))

    found = do_many(read, groups, width, heard) if width > 1 else _in_turn(read, groups, heard)
    raise_waiting(found)
    by_name: dict[str, Journal] = {}
    for group, outcome in zip(groups, found, strict=True):
        if not isinstance(outcome, list):
            outcome = [unread(entry, _why(outcome)) for entry in group]
        by_name |= {journal.document: journal for journal in outcome}
    journals = tuple(by_name[entry.name] for entry in documents)
    return journals, limits[0] if limits else ""


def _why(error: KgnbError) -> str:
    """What went wrong with a document and how to mend it, on one line."""
    return ". ".join(part.rstrip(".") for part in (error.what, error.fix) if part)


_STOPPED = "the reading stopped here: {why}; what was written before is kept"
_BLOCK = 16  # documents that a worker reads at a time


def _on_workers(
    documents: Sequence[Readable],
    reading: _Reading,
    on_document: Callable[[int, int], object] | None,
) -> tuple[Journal, ...]:
    """The same journals, of documents that were opened here and read by a cluster's workers."""
    found: dict[str, Journal] = {}

    def opened() -> Iterator[list[Document]]:
        block: list[Document] = []
        for entry in documents:
            try:
                document = read_document(entry)
            except DataError as error:
                found[entry.name] = reading.unread(entry, _why(error))
                continue
            if kept := reading.kept((document,)):
                found[entry.name] = kept[0]
                continue
            block.append(document)
            if len(block) == _BLOCK:
                yield block
                block = []
        if block:
            yield block

    with blocks_on(reading.options.scheduler) as each:
        for journals in each(_read_block, opened(), replace(reading, folder=None)):
            for journal in journals:
                reading.keep([journal])
                found[journal.document] = journal
            if on_document:
                on_document(len(found), len(documents))
    return tuple(found[entry.name] for entry in documents)


def _read_block(documents: Sequence[Document], reading: _Reading) -> list[Journal]:
    """The journal of each document; on a worker."""
    journals: list[Journal] = []
    for document in documents:
        try:
            journals += reading.journals((document,))
        except (DataError, ReplyError) as error:
            journals.append(reading.unread(document, _why(error)))
    return journals


Group: TypeAlias = "tuple[Readable, ...]"


def _together(documents: Sequence[Readable], options: Options | None) -> list[Group]:
    """The documents in groups that share a request: short ones, up to ``together`` characters."""
    groups: list[list[Readable]] = []
    open_group, size = list[Readable](), 0
    for entry in documents:
        length = _short_length(entry) if options and options.together else 0
        if options is None or not length:
            groups.append([entry])
            continue
        if not open_group or size + length > options.together:
            open_group, size = [], 0
            groups.append(open_group)
        open_group.append(entry)
        size += length
    return [*map(tuple, groups)]


def _short_length(entry: Readable) -> int:
    """The length of a short document; 0 of a longer one, or one that cannot be read."""
    try:
        if isinstance(entry, DocumentFile) and entry.path.stat().st_size > 4 * SHORT:
            return 0
        length = len(read_document(entry).text)
    except (DataError, OSError):
        return 0
    return length if length <= SHORT else 0


def _groups_of(journals: Sequence[Journal]) -> list[list[Journal]]:
    """The journals, with those of documents that were read together in one list."""
    found: dict[str, list[Journal]] = {}
    for at, journal in enumerate(journals):
        found.setdefault(journal.key if journal.shared else str(at), []).append(journal)
    return list(found.values())


def _in_turn(
    one: Callable[[Group], list[Journal]],
    groups: Sequence[Group],
    heard: Callable[[int, list[Journal] | Failure], None],
) -> list[list[Journal] | Failure]:
    found: list[list[Journal] | Failure] = []
    for index, entry in enumerate(groups):
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

    def journals(self, group: Group) -> list[Journal]:
        """The journals of documents that are read together: those in the folder, or new ones."""
        documents = [*map(read_document, group)]
        if kept := self.kept(documents):
            return kept
        journals = self._read(documents, self._key(documents))
        self.keep(journals)
        return journals

    def unread(self, entry: Readable, why: str) -> Journal:
        """The journal of a document that could not be read."""
        return Journal(entry.name, "", "", self.reader.name, error=why)

    def kept(self, documents: Sequence[Document]) -> list[Journal]:
        """The journals in the folder, if it has one of every document."""
        if self.folder is None:
            return []
        key = self._key(documents)
        found = [read_journal(self.folder, one.name, key) for one in documents]
        return [journal for journal in found if journal] if all(found) else []

    def keep(self, journals: Sequence[Journal]) -> None:
        """Writes the journals of documents that were read to their end into the folder."""
        if self.folder is not None and not (journals[0].error or journals[0].stopped):
            for journal in journals:
                write_journal(self.folder, journal)

    def _prompts(self, documents: Sequence[Document]) -> tuple[StepPrompt, ...]:
        if not isinstance(self.reader, ModelReader):
            return self.plan.prompts
        return self.plan.prompts_for([one.text for one in documents])

    def _key(self, documents: Sequence[Document]) -> str:
        options = asdict(self.options)
        for name in ("width", "together", "scheduler"):
            del options[name]  # decide nothing but what is read together, and where
        return journal_key(
            {
                "document": [document.digest for document in documents],
                "reader": self.reader.name,
                "options": options,
                "namespace": self.namespace,
                "pack": self.pack.content_sha256,
                "prompts": [prompt.text for prompt in self._prompts(documents)],
                "checked": self.checked,
            }
        )

    def _read(self, documents: Sequence[Document], key: str) -> list[Journal]:
        """Documents read in a session of their own, or the part that the budget allowed."""
        document = documents[0]
        # without a store: its journal is done again in the shared session
        session = self.pack.session(self.namespace, checked=self.checked, stored=False)
        workspace = Workspace(session, document.name, self.options.repairs, self.options.feedback)
        cut = _cut(document, self.options)
        also = tuple(one for other in documents[1:] for one in passages(other, SHORT, 0))
        tasks = [
            PassageTask(passage, prompt, self.pack, also=also)
            for prompt in self._prompts(documents)
            for passage in cut
        ]
        spent, stopped = "", list[tuple[PassageTask, int, str]]()
        for task in [*tasks[:-1], *(replace(task, last=True) for task in tasks[-1:])]:
            try:
                self.reader.read(task, workspace)
            except LimitError as error:
                spent = error.what
                break
            except (ReplyError, BackendError) as error:
                # a function that fails is no server that went away: it is all or nothing
                away = isinstance(error, BackendError)
                if not workspace.acts or (away and not isinstance(self.reader, ModelReader)):
                    raise
                over = away or isinstance(error, SameCall)
                end = cut[-1].end if over else task.passage.end
                stopped.append((task, end, _why(error)))
                if over:
                    break
        workspace.close()
        missing: dict[tuple[str, str, str], Violation] = {}  # two shapes may ask for the same
        for one in still_missing(replace(tasks[-1], last=True), workspace) if tasks else ():
            missing.setdefault((one.focus, one.path, one.component), one)
        lengths = {one.name: len(one.text) for one in documents}
        places = {iri: entity.document for iri, entity in workspace.entities.items()}
        doubts = [
            Doubt(
                places.get(one.focus) or document.name,
                0,
                lengths[places.get(one.focus) or document.name],
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
                end,
                "",
                {"step": task.prompt.step.name},
                _STOPPED.format(why=why),
            )
            for task, end, why in stopped
        ]
        why_stopped = "; ".join(dict.fromkeys(why for _, _, why in stopped))
        doubts = [*workspace.doubts, *doubts]
        bare = not any(act.writes for act in workspace.acts)
        return [
            Journal(
                one.name,
                one.digest,
                key,
                self.reader.name,
                tuple(act for act in workspace.acts if act.document == one.name),
                tuple(doubt for doubt in doubts if doubt.document == one.name),
                # of several, all that cannot be told apart is the first one's
                workspace.repaired if one is document else 0,
                workspace.repeats if one is document else 0,
                tuple(workspace.notes) if one is document else (),
                spent or (why_stopped if bare else ""),
                answers=tuple(workspace.answers),
                stopped=why_stopped,
                shared=len(documents) > 1,
            )
            for one in documents
        ]


def _cut(document: Document, options: Options) -> tuple[Passage, ...]:
    return passages(document, options.passage, min(options.overlap, options.passage // 2))


def _apply(journals: Sequence[Journal], session: ConstructionSession) -> list[Doubt]:
    """Repeats in the shared session the calls that wrote something, of documents that were read
    together in the order of the calls; those that are refused there become doubts.
    """
    refused: list[Doubt] = []
    renamed: dict[Any, str] = {}
    acts = [(act, journal) for journal in journals for act in journal.acts if act.writes]
    for act, journal in sorted(acts, key=lambda one: one[0].order):
        arguments = {
            name: renamed.get(value, value) if isinstance(value, str) else value
            for name, value in act.arguments.items()
        }
        result = session.call(act.tool, arguments, journal.source(act), merge=True)
        if result.ok and act.iri and result.iri != act.iri:
            renamed[act.iri] = result.iri
        if not result.ok:
            refused.append(
                Doubt(
                    journal.document,
                    act.start,
                    act.end,
                    act.tool,
                    arguments,
                    "contradicts another document",
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
        note_budget=options.note_budget,
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
    least: dict[str, int] = {}  # of each prompt's first call, the passage aside
    workspace = Workspace(pack.session(stored=False), "")
    for group in _together(documents, options):
        try:
            read = [*map(read_document, group)]
        except DataError:
            continue
        cut = [one for document in read for one in _cut(document, options)]
        prompts = plan.prompts_for([document.text for document in read]) if cut else ()
        for prompt in prompts:
            if prompt.text not in least:
                task = PassageTask(cut[0], prompt, pack)
                asked = estimate_usage(reader.first_request(task, workspace)).prompt_tokens
                least[prompt.text] = asked - estimate_tokens(cut[0].text)
        text = sum(estimate_tokens(one.text) for one in cut)
        requests = 1 if len(group) > 1 else len(cut)
        calls += requests * len(prompts)
        tokens += sum(requests * least[prompt.text] + text for prompt in prompts)
        written += round(_WRITES * text)
    return Estimate(calls, tokens, written)
