"""The workspace of a reader: it calls the tools for one document, limits retries, and records every
call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from kgnb.agents.kg_construction.documents import Passage
from kgnb.agents.kg_construction.naming import slug
from kgnb.agents.kg_construction.tool_values import WRITING, CallResult, Source, Violation

if TYPE_CHECKING:
    from kgnb.agents.kg_construction.session import ConstructionSession

REPEATED = "repeated call"
GIVEN_UP = "given up"


@dataclass(frozen=True)
class Act:
    """One call and its result. ``start`` and ``end`` are characters of the document."""

    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    start: int
    end: int
    step: str = ""
    iri: str = ""
    created: bool = False
    triples: int = 0
    violations: tuple[Violation, ...] = ()

    @property
    def writes(self) -> bool:
        """Whether it has to be repeated to rebuild the same graph."""
        return self.ok and bool(self.triples or self.created)


@dataclass(frozen=True)
class Doubt:
    """Something that could not be written and is left to a person."""

    document: str
    start: int
    end: int
    tool: str
    arguments: Mapping[str, Any]
    reason: str
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True)
class DocumentEntity:
    """An entity of the document, as later steps see it."""

    iri: str
    term: str
    label: str


_ID = re.compile(r"[A-Za-z][\w.:-]{0,39}")
_NAMED = re.compile(r"<?((?:https?|urn):[^\s<>\"']*[^\s<>\"'.,;:)])>?")


class ShortIds:
    """Short ids for IRIs: chosen by whoever creates the entity, or made of its class, as in
    ``hut:h1``.
    """

    def __init__(self) -> None:
        self._iris: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def of(self, iri: str, kind: str = "", *, wish: str = "") -> str:
        """The id of an entity; a new one gets the id wished for, if nothing else has it."""
        free = bool(wish) and wish not in self._iris and bool(_ID.fullmatch(wish))
        if iri not in self._ids:
            self._ids[iri] = wish if free else self._next(kind)
            self._iris[self._ids[iri]] = iri
        elif free:
            self._iris[wish] = iri  # a second id for one entity does no harm
        return self._ids[iri]

    def _next(self, kind: str) -> str:
        name = slug(kind, 20) or "entity"
        while True:
            self._counts[name] = self._counts.get(name, 0) + 1
            found = f"{name}:{name[0]}{self._counts[name]}"
            if found not in self._iris:
                return found

    def refusal(self, wish: object, entity: object = "") -> str:
        """Why an entity cannot have the id that a call wishes for; "" where it can."""
        if isinstance(wish, str) and self._iris.get(wish) in (None, self.iri(str(entity))):
            return ""
        return f"the id {wish} is taken: if that one is meant, give it as entity; else choose another id"

    def iri(self, said: str) -> str:
        """The IRI of an id; any other text comes back unchanged."""
        return self._iris.get(said.strip(), said)

    def knows(self, said: object) -> bool:
        """Whether this is an id."""
        return isinstance(said, str) and said.strip() in self._iris

    def shorten(self, text: str, named: Callable[[str], str | None] = lambda iri: None) -> str:
        """A text with ids in place of IRIs; ``named`` may replace IRIs that have no id."""
        return _NAMED.sub(lambda m: self._ids.get(m[1]) or named(m[1]) or m[0], text)

    def shortened(self, value: Any, named: Callable[[str], str | None] = lambda iri: None) -> Any:
        """The same for every text in plain JSON."""
        if isinstance(value, str):
            return self.shorten(value, named)
        if isinstance(value, dict):
            return {key: self.shortened(inner, named) for key, inner in value.items()}
        return (
            [self.shortened(inner, named) for inner in value] if isinstance(value, list) else value
        )


@dataclass
class Workspace:
    """The tools over one session, for one document. Not thread-safe.

    A refused call that comes back unchanged is refused again without being read. After ``repairs``
    refusals in a row of one tool, the call becomes a doubt and the reader is told to go on. With
    ``feedback=False`` the reader is told only that a call was received, and its IRI if it has one:
    the paper's ablation.
    """

    session: ConstructionSession
    document: str
    repairs: int = 3
    feedback: bool = True
    acts: list[Act] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    entities: dict[str, DocumentEntity] = field(default_factory=dict)
    ids: ShortIds = field(default_factory=ShortIds)
    notes: list[str] = field(default_factory=list)
    """What an extracting model noted about a passage, and what outside tools answered."""
    repaired: int = 0
    repeats: int = 0
    _refused: set[str] = field(default_factory=set)
    _pending: dict[str, list[Act]] = field(
        default_factory=dict
    )  # refused since the tool last succeeded
    _left: list[Act] = field(
        default_factory=list
    )  # refused before that, of subjects it did not succeed for

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        passage: Passage,
        quote: str = "",
        step: str = "",
    ) -> CallResult:
        """Call a tool about a passage; ``quote`` are the words of it that say so."""
        start, end = span(passage, quote)
        if self._kind(name) == "create":  # an entity is where the text names it
            said = passage.text[start - passage.start : end - passage.start]
            if found := find_quote(said, str(arguments.get("label", ""))):
                start, end = start + found[0], start + found[1]
        key = json.dumps([name, arguments], sort_keys=True, default=str)
        if key in self._refused:
            self.repeats += 1
            hint = "This very call was refused before. Change what its violations name, or go on with another fact."
            same = Violation(name, REPEATED, "the same arguments", hint=hint)
            return CallResult.refused(same)
        result = self.session.call(name, arguments, Source(self.document, start, end))
        if result.repeated:
            self.repeats += 1
            return result
        act = Act(
            name,
            dict(arguments),
            result.ok,
            start,
            end,
            step,
            result.iri,
            result.created,
            result.triples,
            result.violations,
        )
        self.acts.append(act)
        if result.ok:
            self._succeeded(act)
            return result
        self._refused.add(key)
        return self._failed(act, result)

    def refuse(
        self,
        name: str,
        arguments: Mapping[str, Any],
        reasons: Sequence[str],
        quote: str,
        passage: Passage,
    ) -> None:
        """Notes a value that no tool could be called with: left to a person unless a later call
        states it.
        """
        why = tuple(
            Violation(name, "refused", str(arguments.get("object", "")), hint=reason)
            for reason in reasons
        )
        self._left.append(Act(name, dict(arguments), False, *span(passage, quote), violations=why))

    def _succeeded(self, act: Act) -> None:
        if tries := self._pending.pop(act.tool, None):
            self.repaired += 1
            self._left += tries
        self._left = [one for one in self._left if _place(one) != _place(act)]
        if act.iri and act.iri not in self.entities and self._kind(act.tool) == "create":
            label = str(act.arguments.get("label", ""))
            self.entities[act.iri] = DocumentEntity(
                act.iri, self.session.pack.tool(act.tool).term, label
            )

    def _kind(self, tool: str) -> str:
        return self.session.pack.tool(tool).kind if tool in self.session.pack else ""

    def labelled(self, label: str) -> Sequence[DocumentEntity]:
        """The entities of the document that were created with this label, in order of creation."""
        return [entity for entity in self.entities.values() if entity.label == label]

    def _failed(self, act: Act, result: CallResult) -> CallResult:
        if self._kind(act.tool) not in ("", *WRITING):
            return result
        tries = self._pending.setdefault(act.tool, [])
        tries.append(act)
        if len(tries) <= self.repairs:
            return result
        self._left += self._pending.pop(act.tool)
        hint = f"Refused {len(tries)} times. It is left to a person; go on with the next fact."
        over = Violation(act.tool, GIVEN_UP, f"{len(tries)} refusals", hint=hint)
        return CallResult(False, violations=(*result.violations, over), retryable=False)

    def close(self) -> None:
        """Turns what was refused and never repaired into doubts."""
        left = {
            _place(one): one for one in (*self._left, *chain(*self._pending.values()))
        }  # of one subject the last
        for last in left.values():
            reason = (
                last.violations[0].hint or last.violations[0].constraint
                if last.violations
                else "refused"
            )
            self.doubts.append(
                Doubt(
                    self.document,
                    last.start,
                    last.end,
                    last.tool,
                    last.arguments,
                    reason,
                    last.violations,
                )
            )


def _place(act: Act) -> tuple[str, str]:
    """What a call is about: one that succeeds repairs the earlier refused ones about the same
    thing.
    """
    return act.tool, str(
        next((act.arguments[n] for n in ("subject", "label", "value") if n in act.arguments), "")
    )


@lru_cache(maxsize=64)  # several calls about one sentence
def span(passage: Passage, quote: str) -> tuple[int, int]:
    """The characters of the document that a quote covers, whatever its case and spaces; else those
    of the passage.

    >>> span(Passage("note", 1, 100, 130, "Boil for  20 minutes, then go."), "boil for 20 MINUTES")
    (100, 120)
    """
    found = find_quote(passage.text, quote)
    if found is None:
        return passage.start, passage.end
    return passage.start + found[0], passage.start + found[1]


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """The characters of a text that a quote covers, whatever its case and spaces; None where it is
    not in the text.
    """
    wanted = quote.split()
    if not wanted:
        return None
    exact = text.find(quote.strip())
    if exact >= 0:
        return exact, exact + len(quote.strip())
    found = re.search(r"\s+".join(map(re.escape, wanted)), text, re.IGNORECASE)
    return found.span() if found else None
