"""The paper's yes/no validator, and no validator at all (Agent-OM, sections 4.2 and 6.1.5)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from kgnb.agents.ontology_matching.values import MatchQuestion
from kgnb.errors import Waiting
from kgnb.judging import Estimate, Verdict
from kgnb.judging.question import unsure
from kgnb.llm.asking import ask_many, raise_waiting
from kgnb.llm.model import ChatModel, Message, Reply, Request
from kgnb.llm.prices import estimate_usage


class FirstCandidate:
    """No validator: every entity's best candidate counts."""

    name = "first"

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        """The candidate of the first rank, with its fused score as far as that is a probability."""
        return [
            Verdict("equivalent", question.others[0].iri, 0.9, "the best candidate", self.name)
            for question in questions
        ]


ASKED = """Do these two mean the same{context}? Begin with yes or no, then say why in one short sentence.
1: {one}
2: {other}"""


class YesNoValidator:
    """The paper's validator: two names at a time from the first rank on, until one is accepted.

    A call a question and rank, where ``judge="model"`` takes one for a dozen questions.
    """

    def __init__(self, model: ChatModel, context: str = "", width: int = 8) -> None:
        self._model = model
        self._context = f" in the context of {' '.join(context.split())[:200]}" if context else ""
        self._width = width
        self.name = f"paper:{model.name}"

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        """The first candidate accepted, else "different"; "unsure" where a reply is neither."""
        verdicts: dict[int, Verdict] = {}
        rank = 0
        while left := [
            number
            for number, question in enumerate(questions)
            if number not in verdicts and rank < len(question.others)
        ]:
            requests = [self._request(questions[number], rank) for number in left]
            outcomes = ask_many(self._model, requests, self._width)
            raise_waiting([outcome for outcome in outcomes if isinstance(outcome, Waiting)])
            for number, outcome in zip(left, outcomes, strict=True):
                other = questions[number].others[rank]
                if isinstance(outcome, Reply):
                    said = _yes(outcome.text)
                    why = " ".join(outcome.text.split())[:300]
                    if said:
                        verdicts[number] = Verdict("equivalent", other.iri, 0.9, why, self.name)
                    elif said is None:
                        verdicts[number] = unsure(f"neither yes nor no: {why}", self.name)
                else:
                    verdicts[number] = unsure(str(outcome).splitlines()[0], self.name)
            rank += 1
        none = Verdict("different", None, 0.9, "no candidate was accepted", self.name)
        return [verdicts.get(number, none) for number in range(len(questions))]

    def estimate(self, questions: Sequence[MatchQuestion]) -> Estimate:
        """At most: as if nothing were accepted."""
        expected = Estimate()
        for question in questions:
            for rank in range(len(question.others)):
                usage = estimate_usage(
                    self._request(question, rank), "yes, they are the same thing"
                )
                expected += Estimate(1, usage.prompt_tokens, usage.completion_tokens)
        return expected

    def _request(self, question: MatchQuestion, rank: int) -> Request:
        one, other = (
            json.dumps(entity.name, ensure_ascii=False)
            for entity in (question.about, question.others[rank])
        )
        text = ASKED.format(context=self._context, one=one, other=other)
        return Request((Message("user", text),))


def _yes(text: str) -> bool | None:
    word = re.match(r"\W*(yes|no)\b", text.rpartition("</think>")[2], re.IGNORECASE)
    return word[1].lower() == "yes" if word else None
