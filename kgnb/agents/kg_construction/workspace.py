"""The workspace of a reader: it calls the tools for one document, limits retries, and records every
call.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kgnb.agents.kg_construction.documents import Passage
from kgnb.agents.kg_construction.hints import worded
from kgnb.agents.kg_construction.naming import normalised, slug
from kgnb.agents.kg_construction.tool_values import (
    WRITING,
    CallResult,
    Source,
    ToolAnswer,
    Violation,
)

if TYPE_CHECKING:
    from kgnb.agents.kg_construction.session import ConstructionSession


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
    answered: int | None = None  # the number of the outside tool's answer that it rests on
    document: str = ""  # that it was read in
    order: int = 0  # among the calls about documents that were read together

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
    written: bool = False  # it is in the graph all the same


@dataclass(frozen=True)
class DocumentEntity:
    """An entity of the document, as later steps see it."""

    iri: str
    term: str
    label: str
    document: str = ""


def about(said: Act | Doubt) -> tuple[str, str]:
    """What a call is about: the label of what it creates, the subject and the property."""
    if "label" in said.arguments:
        return "create", normalised(str(said.arguments["label"]))
    return said.tool, str(said.arguments.get("subject", ""))


_ID = re.compile(r"[^\W\d][\w.:' -]{0,59}")  # small models take an entity's name
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
        wish = wish.strip()
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

    A refused call that comes back unchanged is refused again without being read. A call about the
    same thing in a later reply is a repair of it; after ``repairs`` refusals of one thing the call
    becomes a doubt and the reader is told to go on. With ``feedback=False`` the reader is told only
    that a call was received, and its IRI if it has one: the paper's ablation.
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
    """What an extracting model noted about a passage."""
    answers: list[ToolAnswer] = field(default_factory=list)
    """What outside tools answered."""
    repaired: int = 0
    repeats: int = 0
    turn: int = 0
    """The reply that calls are made in; 0 for a reader that calls one by one and sees each result."""
    _first: int = 0  # the turn that the conversation about a passage began with
    _refused: set[str] = field(default_factory=set)
    _open: list[_Tries] = field(default_factory=list)
    _left: list[Act] = field(default_factory=list)  # given up

    def begin(self) -> None:
        """A passage begins: no call about it repairs one about an earlier passage."""
        self.turn += 1
        self._first = self.turn

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        passage: Passage,
        quote: str = "",
        step: str = "",
        *,
        quoting: bool = False,
    ) -> CallResult:
        """Call a tool about a passage; ``quote`` are the words of it that say so, or those of an
        outside tool's answer.

        A quote that is in neither is refused. ``quoting``: the reader was asked for quotes, so what
        is written without one, and does not occur in the text, is left to a person as well.
        """
        evidence = self._evidence(name, arguments, passage, quote)
        key = json.dumps([name, arguments, quote], sort_keys=True, default=str)
        if key in self._refused:
            self.repeats += 1
            return CallResult.refused(worded("refused before", name, "the same arguments"))
        if evidence is None:
            start, end, answered = passage.start, passage.end, None
            result = CallResult.refused(unquoted(quote, "the text"))
        else:
            start, end, answered = evidence.start, evidence.end, evidence.answered
            source = Source(passage.document, start, end, self.answered(answered))
            merge = self._of_another(name, arguments, passage)
            result = self.session.call(name, arguments, source, merge=merge)
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
            answered,
            passage.document,
            len(self.acts),
        )
        self.acts.append(act)
        if not result.ok:
            self._refused.add(key)
            return self._failed(act, result)
        self._succeeded(act)
        if quoting and act.writes and evidence and not evidence.shown:
            self.doubts.append(
                Doubt(passage.document, start, end, name, act.arguments, _UNSHOWN, written=True)
            )
        return result

    def _of_another(self, name: str, arguments: Mapping[str, Any], passage: Passage) -> bool:
        """Whether a creation names an entity of another document that is read together with this
        one: as when each is read alone, the two are taken for the same.
        """
        return (
            self._kind(name) == "create"
            and "entity" not in arguments
            and any(
                entity.document != passage.document
                for entity in self.labelled(str(arguments.get("label", "")))
            )
        )

    def answered(self, number: int | None) -> ToolAnswer | None:
        """The answer of an outside tool that a call rests on, if any."""
        return None if number is None else self.answers[number]

    def _evidence(
        self, name: str, arguments: Mapping[str, Any], passage: Passage, quote: str
    ) -> _Evidence | None:
        """What a call rests on: words of the passage, or an answer; None where its quote is in
        neither.
        """
        whole = _Evidence(passage.start, passage.end)
        if self._kind(name) not in ("create", "add", "replace"):
            return whole
        place = find_quote(passage.text, quote)
        if not place and quote.strip() and not find_quote(passage.header, quote):
            number = self._answer_with([quote])
            return None if number is None else replace(whole, answered=number, shown=True)
        said = [*map(_as_text, _stated(arguments))]
        unsaid = [text for text in said if not _in_words(text, passage.text)]
        if unsaid and (number := self._answer_with(unsaid)) is not None:
            return replace(whole, answered=number, shown=True)
        if not place:
            shown = bool(quote.strip()) or bool(said and not unsaid)
            place = find_quote(passage.text, said[-1]) if shown and said else None
            if not place:
                return replace(whole, shown=shown)
        start, end = passage.start + place[0], passage.start + place[1]
        if self._kind(name) == "create":  # an entity is where the text names it
            words = passage.text[place[0] : place[1]]
            if found := find_quote(words, str(arguments.get("label", ""))):
                start, end = start + found[0], start + found[1]
        return _Evidence(start, end, shown=True)

    def _answer_with(self, texts: Sequence[str]) -> int | None:
        """The number of the latest answer that has all of these texts."""
        for number in range(len(self.answers) - 1, -1, -1):
            answer = self.answers[number].text
            if all(_in_words(text, answer) for text in texts):
                return number
        return None

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
        act = Act(
            name,
            dict(arguments),
            False,
            *span(passage, quote),
            violations=why,
            document=passage.document,
            order=len(self.acts),
        )
        self.acts.append(act)
        self._failed(act, CallResult.refused(*why))

    def _succeeded(self, act: Act) -> None:
        if tries := self._repairable(act):
            self.repaired += 1
            self._open.remove(tries)
        if act.iri and act.iri not in self.entities and self._kind(act.tool) == "create":
            label = str(act.arguments.get("label", ""))
            self.entities[act.iri] = DocumentEntity(
                act.iri, self.session.pack.tool(act.tool).term, label, act.document
            )

    def _kind(self, tool: str) -> str:
        return self.session.pack.tool(tool).kind if tool in self.session.pack else ""

    def labelled(self, label: str) -> Sequence[DocumentEntity]:
        """The entities of the document that were created with this label, in order of creation."""
        return [entity for entity in self.entities.values() if entity.label == label]

    def _repairable(self, act: Act) -> _Tries | None:
        """The refused calls that a call repairs: about the same thing, in an earlier reply about
        the same passage.
        """
        for tries in self._open:
            earlier = self._first <= tries.turn < self.turn or not self.turn
            if earlier and tries.about == about(act):
                return tries
        return None

    def _failed(self, act: Act, result: CallResult) -> CallResult:
        if self._kind(act.tool) not in ("", *WRITING):
            return result
        tries = self._repairable(act)
        if tries is None:
            tries = _Tries(about(act))
            self._open.append(tries)
        tries.acts.append(act)
        tries.turn = self.turn
        if len(tries.acts) <= self.repairs:
            return result
        self._open.remove(tries)
        self._left += self._last(tries)
        times = len(tries.acts)
        over = worded("given up", act.tool, f"{times} refusals", times=times)
        return CallResult(False, violations=(*result.violations, over), retryable=False)

    def _last(self, tries: _Tries) -> list[Act]:
        """What a person sees of refused calls about one thing: the last try, or each value where
        nothing tells tries from further facts.
        """
        return tries.acts if not self.turn else tries.acts[-1:]

    def close(self) -> None:
        """Turns what was refused and never repaired into doubts."""
        for tries in self._open:
            self._left += self._last(tries)
        for act in self._left:
            reason = (
                act.violations[0].hint or act.violations[0].constraint
                if act.violations
                else "refused"
            )
            self.doubts.append(
                Doubt(
                    act.document,
                    act.start,
                    act.end,
                    act.tool,
                    act.arguments,
                    reason,
                    act.violations,
                )
            )


@dataclass
class _Tries:
    """Refused calls about one thing; ``turn`` is the reply of the last one."""

    about: tuple[str, str]
    acts: list[Act] = field(default_factory=list)
    turn: int = 0


@dataclass(frozen=True)
class _Evidence:
    """Characters of the document, or the number of an answer; ``shown``: the words were found
    there.
    """

    start: int
    end: int
    answered: int | None = None
    shown: bool = False


_UNSHOWN = "written, but no words of the text were given for it: is it there?"
_REFERRING = frozenset(("subject", "object", "entity", "within", "property", "unit", "language"))


def _stated(arguments: Mapping[str, Any]) -> list[Any]:
    """The literal values of a call, its label among them."""
    return [
        value
        for name, value in arguments.items()
        if name not in _REFERRING
        and isinstance(value, str | int | float)
        and value not in ("", True, False)
    ]


def _as_text(value: object) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)  # type: ignore[call-overload]  # it is a float


def _in_words(said: str, text: str) -> bool:
    return find_quote(text, said) is not None


def unquoted(quote: str, where: str) -> Violation:
    """The violation of a quote that is not in the text it is said to be from."""
    return worded("quote", "quote", quote[:120], where=where)


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
    """The characters of a text that a quote covers; None where it is not in the text.

    Case, spaces, marks of Markdown, and the ways to write quotation marks, dashes and small
    numbers do not matter, nor does a word that is divided at the end of a line. An ellipsis in a
    quote stands for words left out.

    >>> text = "Add CrCl₃ · 6 H₂O, “dried”, and stir it\\nfor 45 min."
    >>> find_quote(text, 'crcl3 · 6 H2O, "dried"'), find_quote(text, "Add CrCl3 ... for 45 min")
    ((4, 26), (0, 50))
    >>> find_quote("It has 112 beds.", "12 beds") is None
    True
    """
    exact = text.find(quote.strip()) if quote.strip() else -1
    if exact >= 0 and _whole_numbers(text, exact, exact + len(quote.strip())):
        return exact, exact + len(quote.strip())
    pieces = [plain_text(piece)[0].strip(" .,;:") for piece in _ELLIPSIS.split(quote)]
    pieces = [piece for piece in pieces if piece]
    if not pieces or (len(pieces) > 1 and min(map(len, pieces)) < _SHORTEST):
        return None
    plain, places = plain_text(text)
    begin = _piece(plain, pieces[0], 0)
    if begin < 0:
        return None
    end = begin + len(pieces[0])
    for piece in pieces[1:]:
        at = _piece(plain, piece, end)
        if at < 0 or at - end > _LEFT_OUT:
            return None
        end = at + len(piece)
    return places[begin], places[end - 1] + 1


_ELLIPSIS = re.compile(r"\s*(?:\[\s*)?(?:\.{3,}|…)(?:\s*\])?\s*")
_SHORTEST = 4  # characters of a piece of a quote with an ellipsis: shorter ones are everywhere
_LEFT_OUT = 600  # characters that an ellipsis may stand for
_ALIKE = str.maketrans(
    {c: "'" for c in '"‘’‚‛`´′“”„‟«»″‹›'}
    | {c: "-" for c in "‐‑‒–—―−"}
    | {c: " " for c in "*_|#"}
    | {"×": "x", "∕": "/", "˚": "°", "∙": "·", "⋅": "·"}
)
_FRACTION = re.compile(r"(?<![\d/])(?:\d{1,3} )?\d{1,2}/\d{1,2}(?![\d/])")


@lru_cache(maxsize=16)
def plain_text(text: str) -> tuple[str, tuple[int, ...]]:
    """A text as quotes are compared with it, and the place in the text of each of its characters."""
    joined = [False] * len(text)  # parts of a word divided at the end of a line
    for divided in re.finditer(r"(?<=\w)[-‐\u00ad]\n\s*(?=\w)|[\u00ad\u200b\u2060\ufeff]", text):
        joined[divided.start() : divided.end()] = [True] * len(divided[0])
    found: list[str] = []
    places: list[int] = []
    for at, raw in enumerate(text):
        if joined[at]:
            continue
        plain = unicodedata.normalize("NFKD", raw.translate(_ALIKE)).replace("⁄", "/").casefold()
        if "/" in plain and found and found[-1].isdigit():
            plain = plain if len(plain) == 1 else f" {plain}"  # 1½ is 1 1/2, not 11/2
        for char in plain:
            shown = " " if char.isspace() else char
            if shown == " " and found and found[-1] == " ":
                continue
            found.append(shown)
            places.append(at)
    return "".join(found), tuple(places)


def _piece(text: str, piece: str, start: int) -> int:
    at = text.find(piece, start)
    while at >= 0 and not _whole_numbers(text, at, at + len(piece)):
        at = text.find(piece, at + 1)
    return at


def _whole_numbers(text: str, start: int, end: int) -> bool:
    """Whether no number is cut at the ends of a stretch of text, nor a fraction such as 1 1/2."""
    before = start > 0 and _numeric(text[start]) and _numeric(text[start - 1])
    after = end < len(text) and _numeric(text[end - 1]) and _numeric(text[end])
    return not (before or after or _in_fraction(text, start) or _in_fraction(text, end))


def _numeric(char: str) -> bool:
    return char.isdigit() or unicodedata.category(char) == "No"  # ½ is no digit


def _in_fraction(text: str, place: int) -> bool:
    near = _FRACTION.finditer(text, max(0, place - 10), place + 10)
    return any(one.start() < place < one.end() for one in near)
