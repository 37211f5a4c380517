"""From a model's text to a validated value: find the JSON, validate it, ask once more, and then say
what was wrong.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kgnb.errors import ReplyError, shown
from kgnb.llm.model import ChatModel, Message, Reply, Request, Usage

LARGER = "A larger model may do better, or a server that follows a JSON schema."
_LONGEST = 100_000  # characters of a reply that are searched
HOPELESS = {
    "context_overflow": "the prompt is longer than the model can read",
    "content_filter": "the provider's filter held it back",
    "refusal": "the model refused to answer",
    "thinking": "it was cut off while thinking, so raise model.max_tokens, or turn thinking off "
    "(model.reasoning_effort, or extra_body as the server's manual says)",
}
_START = re.compile(r'\{\s*+["}]|\[\s*+[{\["\]]')  # what prose in brackets seldom begins with
_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\n(.*?)```", re.S)
# drafts before the answer, as models of several makers mark them
_DRAFT = r"(?:\w+:)?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis)"
_MARK = re.compile(
    rf"<(?P<end>/?)(?P<name>{_DRAFT})>|\[(?P<end2>/?)(?P<name2>THINK)\]|◁(?P<end3>/?)(?P<name3>think)▷",
    re.I,
)
_END_OF_DRAFT = re.compile(rf"</{_DRAFT}>|\[/THINK\]|◁/think▷", re.I)
_FINAL = re.compile(r"<\|channel\|>\s*final\b[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>", re.I)
_END_OF_CHANNEL = re.compile(r"<\|(?:end|return|start|call)\|>")
_BARE_CHANNELS = re.compile(r"\s*analysis.*?assistant\s*final", re.DOTALL)
_SPARE_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+")|,(\s*+[}\]])', re.S)
_AGAIN = (
    "Your reply could not be used: {problem}\nAnswer the same question again with one JSON value that follows this "
    "JSON schema, and with nothing else:\n{schema}"
)

Value = TypeVar("Value", bound=BaseModel)


class UnusableReply(ReplyError):
    """A reply that cannot be used, with all the ``replies`` that were given and paid for."""

    def __init__(self, what: str, *, replies: tuple[Reply, ...], fix: str = "") -> None:
        super().__init__(what, reply=replies[-1].text, fix=fix)
        self.replies = replies

    @property
    def usage(self) -> Usage:
        """The tokens of all replies together."""
        return sum((reply.usage for reply in self.replies), Usage())


def structured(model: ChatModel, request: Request, kind: type[Value]) -> tuple[Value, list[Reply]]:
    """The reply to a request as a value of a pydantic model, and the one or two replies that it
    took.

    The request gets the model's JSON schema unless it has one. A reply that is not valid goes back
    to the model once, with what is wrong with it.

    Raises:
        UnusableReply (a ReplyError): the second reply is not valid either, or asking again would be
        no use.
    """
    if request.schema is None:
        request = replace(request, schema=kind.model_json_schema())
    first = model.ask(request)
    try:
        return parse(first.text, kind), [first]
    except ValueError as error:
        problem = str(error)
    if first.finish_reason in HOPELESS:
        raise UnusableReply(f"no answer: {HOPELESS[first.finish_reason]}", replies=(first,))
    if first.finish_reason == "length":
        problem = f"it was cut off at the length limit, so answer in fewer words ({problem})"
    schema = json.dumps(request.schema, ensure_ascii=False)
    again = (
        Message("assistant", first.text[:4000]),
        Message("user", _AGAIN.format(problem=problem, schema=schema)),
    )
    second = model.ask(replace(request, messages=request.messages + again))
    try:
        return parse(second.text, kind), [first, second]
    except ValueError as error:
        raise UnusableReply(
            f"the reply could not be used, nor could its repair: {error}",
            replies=(first, second),
            fix=LARGER,
        ) from None


def parse(text: str, kind: type[Value]) -> Value:
    """The one value of this kind in a model's text: bare, fenced or amid prose; trailing commas are
    forgiven.

    Raises:
        ValueError: there is none, or several that differ; its text is fit to be shown to the model.

    >>> class Answer(BaseModel):
    ...     choice: str
    >>> parse('Sure! ```json\\n{"choice": "A",}\\n``` Anything else?', Answer)
    Answer(choice='A')
    """
    problem = "it holds no JSON object"
    found: list[Value] = []
    for value in json_values(text):
        try:
            candidate = kind.model_validate(value)
        except ValidationError as error:
            problem = _problem(error)
            continue
        if candidate not in found:
            found.append(candidate)
    if len(found) > 1:
        raise ValueError("it holds several answers that differ")
    if not found:
        raise ValueError(problem)
    return found[0]


def json_values(text: str) -> list[Any]:
    """The outermost JSON objects and arrays in a text: those in fences if there are any, else those
    anywhere.

    If one of them breaks off or is malformed there are none at all: its parts are not what was
    meant.
    """
    text = final_text(text)[:_LONGEST]
    for form in (text, _SPARE_COMMA.sub(lambda match: match[1] or match[2], text)):
        for part in ("\n".join(_FENCE.findall(form)), form):
            values = _scan(part)
            if values:
                return values
    return []


def final_text(text: str) -> str:
    """A model's text without what it thought before it answered, however its server marks that.

    >>> final_text('<think>A? No.</think> {"choice": "B"}').strip()
    '{"choice": "B"}'
    >>> final_text('<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>')
    'B'
    """
    channels = list(_FINAL.finditer(text))
    if channels:
        return _END_OF_CHANNEL.split(text[channels[-1].end() :])[0]
    if bare := _BARE_CHANNELS.match(text):
        return text[bare.end() :]
    text = _without_drafts(text)
    # where the prompt's template has opened the draft, only its end is in the text
    ends = list(_END_OF_DRAFT.finditer(text))
    return text[ends[-1].end() :] if ends else text


def _without_drafts(text: str) -> str:
    """A text without what stands between the mark that opens a draft and the next that ends it, in
    one pass: a reply may hold a hundred thousand marks.
    """
    marks = [
        (mark, "".join(filter(None, mark.group("end", "end2", "end3"))))
        for mark in _MARK.finditer(text)
    ]
    ends: dict[str, list[int]] = {}
    for mark, end in marks:
        if end:
            ends.setdefault(_kind(mark), []).append(mark.end())
    kept: list[str] = []
    at = 0
    for mark, end in marks:
        if end or mark.start() < at:
            continue
        of_this_kind = ends.get(_kind(mark), [])
        number = bisect_right(of_this_kind, mark.end())
        if number < len(of_this_kind):
            kept.append(text[at : mark.start()])
            at = of_this_kind[number]
    return "".join([*kept, text[at:]])


def _kind(mark: re.Match[str]) -> str:
    return mark.group(0).replace("/", "").casefold()


def _scan(text: str) -> list[Any]:
    values: list[Any] = []
    at = 0
    while match := _START.search(text, at):
        try:
            value, at = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            return []
        values.append(value)
    return values


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without repeated keys: of two answers under one name, neither may be taken."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key is repeated")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_constant)


def _problem(error: ValidationError) -> str:
    """What is wrong, without the input: it may be long, and is the model's own."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    problems = [
        f"{'.'.join(map(str, each['loc'])) or 'the value'}: {each['msg']}" for each in found[:5]
    ]
    return shown("; ".join(problems), 600)
