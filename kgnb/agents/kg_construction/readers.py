"""Who reads: a model that calls tools, a person or any function that does; the rule is in ``rule_reader``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from kgnb.agents.kg_construction.desk import Desk
from kgnb.agents.kg_construction.passages import Passage
from kgnb.agents.kg_construction.plan import SYSTEM, StepPrompt
from kgnb.agents.kg_construction.values import ToolPack, ToolSpec, Violation
from kgnb.llm.model import ChatModel, Message, Request
from kgnb.llm.model import ToolSpec as ModelTool
from kgnb.llm.tools import Tool, call_tools

_QUOTE = {"type": ["string", "null"], "description": "the exact words of the passage that say so"}
_FORGOTTEN = "passage"  # a call's quote, where the model gave none: the whole passage is the span
_MOST_KNOWN = 60  # entities of earlier steps that are listed


@dataclass(frozen=True)
class Task:
    """One passage in one step of the plan. ``last`` says that no step comes after it in this document."""

    passage: Passage
    prompt: StepPrompt
    pack: ToolPack
    last: bool = False

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools of the step, in order; finish is not among them."""
        names = self.prompt.step.tools
        return tuple(
            self.pack.tool(name) for name in names if name in self.pack and self.pack.tool(name).kind != "finish"
        )


class Reader(Protocol):
    """Reads passages and writes what they say through a desk."""

    @property
    def name(self) -> str:
        """Who reads: goes into the journal and the ledger."""
        ...

    def read(self, task: Task, desk: Desk) -> None:
        """Write what the passage says of the step's entities. Nothing need be returned: the desk keeps all."""
        ...


@dataclass(frozen=True)
class CallableReader:
    """A function of the task and the desk as a reader."""

    function: Callable[[Task, Desk], object]
    name: str = "function"

    def read(self, task: Task, desk: Desk) -> None:
        """Calls the function."""
        self.function(task, desk)


@dataclass(frozen=True)
class ModelReader:
    """A model in a loop of thought, call and answer, one for each passage and step.

    What a call is refused for comes back as the tool's answer. When the model finishes while something required is
    missing of what the step is about, it is told so, ``reminders`` times. ``emulate`` is as in ``call_tools``.
    """

    model: ChatModel
    calls: int = 40
    reminders: int = 1
    emulate: bool | None = None
    request: Request = field(default_factory=lambda: Request(()))

    @property
    def name(self) -> str:
        """The model's name."""
        return f"model {self.model.name}"

    def read(self, task: Task, desk: Desk) -> None:
        """Lets the model work until it finishes, for at most ``calls`` replies."""
        tools = {tool.name: _tool(tool, task, desk) for tool in task.tools}
        finish = ModelTool("finish", "End this step, when the passage holds nothing more for it.", _FINISH)
        messages: Sequence[Message] = (
            Message("system", SYSTEM.format(finish="finish")),
            Message("user", request_text(task, desk)),
        )
        left = self.calls
        for reminder in range(self.reminders + 1):
            talk = call_tools(
                self.model, messages, tools, left, finish=finish, emulate=self.emulate, checked=False,
                request=self.request,
            )  # fmt: skip
            left -= len(talk.replies)
            missing = still_missing(task, desk) if desk.feedback else []
            if talk.answer is None or not missing or left <= 0 or reminder == self.reminders:
                return
            told = {"ok": False, "violations": [one.as_json() for one in missing], "retryable": True}
            last = talk.messages[-1]
            answered = [Message("tool", json.dumps(told, ensure_ascii=False), tool_call_id=call.id)
                        for call in last.tool_calls if call.name == finish.name][:1]  # fmt: skip
            skipped = [Message("tool", "not called", tool_call_id=call.id)
                       for call in last.tool_calls if call.name != finish.name and call.id not in
                       {message.tool_call_id for message in talk.messages}]  # fmt: skip
            messages = (*talk.messages, *answered, *skipped)


_FINISH: Mapping[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": True}


def _tool(tool: ToolSpec, task: Task, desk: Desk) -> Tool:
    """A tool of the pack as a model sees it: the strict schema, and the words that say so."""
    schema = json.loads(json.dumps(tool.strict_schema))
    if tool.kind in ("create", "add"):
        schema["properties"]["quote"] = _QUOTE
        schema["required"] = [*schema.get("required", ()), "quote"]
    return Tool(ModelTool(tool.name, tool.description, schema), partial(_called, tool.name, task, desk))


def _called(name: str, task: Task, desk: Desk, /, **arguments: Any) -> dict[str, Any]:
    quote = arguments.pop("quote", None)
    given = {key: value for key, value in arguments.items() if value is not None}  # null stands for left out
    result = desk.call(name, given, task.passage, str(quote or ""), task.prompt.step.name)
    return desk.told(result)


def request_text(task: Task, desk: Desk) -> str:
    """What a step asks of a passage: the prompts, what is known, and the passage, marked off as material."""
    known = [
        f"- {entity.iri} ({task.pack.tbox.label(entity.term)}): {json.dumps(entity.arguments, ensure_ascii=False)}"
        for entity in list(desk.entities.values())[-_MOST_KNOWN:]
    ]
    parts = [task.prompt.extraction, task.prompt.building]
    if known:
        parts.append("Known entities of this document:\n" + "\n".join(known))
    fence = "=" * 8
    while fence in task.passage.text:
        fence += "="
    place = f"{task.passage.document}, passage {task.passage.number}"
    parts.append(f"The passage ({place}), between the lines of equals signs:\n{fence}\n{task.passage.text}\n{fence}")
    return "\n\n".join(parts)


def still_missing(task: Task, desk: Desk) -> list[Violation]:
    """What is required and missing of entities of this document, as far as this step can write it."""
    own = [one for one in desk.session.missing() if one.focus in desk.entities or not one.focus]
    if task.last:
        return own[:20]
    labels = {task.pack.tbox.label(iri) for iri in task.prompt.step.writes}
    return [one for one in own if one.path in labels or set(task.prompt.step.writes) & {one.path}][:20]


def scripted_reader(
    calls: Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]], name: str = "script"
) -> CallableReader:
    """A reader whose calls are written beforehand, by document; they are made in the last step. Simulation.

    An argument ``{"$": n}`` stands for the IRI that call ``n`` (from 0) gave.
    """

    def read(task: Task, desk: Desk) -> None:
        if not task.last:
            return
        given: list[str] = []
        for tool, arguments in calls.get(task.passage.document, ()):
            filled = {
                key: given[value["$"]] if isinstance(value, Mapping) else value for key, value in arguments.items()
            }
            given.append(desk.call(tool, filled, task.passage).iri)

    return CallableReader(read, f"{name} (simulation)")
