"""A model with prepared answers, for tests, tutorials and simulations; its name says that it is
one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kgnb.errors import shown
from kgnb.llm.model import ModelError, Reply, Request
from kgnb.llm.prices import estimate_usage

Answers = Sequence[str | Reply] | Mapping[str, str | Reply] | Callable[[Request], str | Reply]


class ScriptedModel:
    """Answers from a list (in order), a mapping (by a piece of the last message) or a function of
    the request.

    ``asked`` keeps every request. Usage is estimated.

    >>> from kgnb.llm.model import Message, Request
    >>> model = ScriptedModel({"Reviewer": "A", "Chair": "none"})
    >>> model.ask(Request((Message("user", "Which of these is a Chair?"),))).text
    'none'
    >>> model
    ScriptedModel('scripted (simulation)', asked=1)
    """

    def __init__(self, answers: Answers, name: str = "scripted (simulation)") -> None:
        if isinstance(answers, str):
            raise TypeError(
                "answers is a list, a mapping or a function; for one answer write [answer]"
            )
        self._answers = answers
        self.name = name
        self._lock = threading.Lock()
        self.asked: list[Request] = []

    def __repr__(self) -> str:
        return f"ScriptedModel({self.name!r}, asked={len(self.asked)})"

    def ask(self, request: Request) -> Reply:
        """The answer prepared for this request; one that is a Reply is returned unchanged, usage
        included.

        Raises:
            ModelError: the list is used up, or no key of the mapping occurs in the last message.
        """
        with self._lock:
            number = len(self.asked)
            self.asked.append(request)
        answer = self._answer(request, number)
        if isinstance(answer, Reply):
            return answer if answer.model else replace(answer, model=self.name)
        return Reply(answer, usage=estimate_usage(request, answer), model=self.name)

    def _answer(self, request: Request, number: int) -> str | Reply:
        if callable(self._answers):
            return self._answers(request)
        if not isinstance(self._answers, Mapping):
            if number < len(self._answers):
                return self._answers[number]
            raise ModelError(
                f"the script has {len(self._answers)} answers and was asked a further time",
                service=self.name,
            )
        prompt = request.messages[-1].text
        for piece, answer in self._answers.items():
            if piece in prompt:
                return answer
        raise ModelError(f"the script has no answer to: {shown(prompt, 80)}", service=self.name)
