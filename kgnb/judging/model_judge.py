"""A language model as a judge: batches of questions, closed lists of answers, one repair, and never
a guess.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar
from typing import Literal as OneOf

from kgnb.errors import BackendError, KgnbError, LimitError, ReplyError, Waiting
from kgnb.judging.question import UNSURE, ClosedQuestion, Estimate, Verdict, unsure
from kgnb.judging.sheet import Sheet, one_line
from kgnb.llm.asking import Outcome, ask_many, raise_waiting
from kgnb.llm.model import ChatModel, Message, Reply, Request
from kgnb.llm.prices import estimate_usage
from kgnb.llm.reply import HOPELESS, LARGER

Q = TypeVar("Q", bound=ClosedQuestion)

REPAIR = """\
Some of your answers cannot be used:
{problems}
Answer these questions again, and only these: {numbers}. JSON only, in this form:
{form}"""

_ENDINGS = {  # of replies that asking again in the same way would not mend
    "context_overflow": "the question is too long for the model",
    "content_filter": "the server's content filter stopped the model",
}
_ANSWER_TOKENS = 50  # of one answer, for estimates
_PATIENCE = 5  # failed calls in a row after which the model is not asked any more


class _Patient:
    """A model that is not asked any more once ``_PATIENCE`` calls in a row have failed for good."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._failures = 0
        self._last: BackendError | None = None
        self._lock = threading.Lock()
        self.name = model.name

    def another_chance(self) -> None:
        with self._lock:
            self._failures = min(self._failures, _PATIENCE - 1)

    def ask(self, request: Request) -> Reply:
        """The model's reply.

        Raises:
            BackendError: the model failed, or was not asked because it has failed so often.
        """
        with self._lock:
            if self._last and self._failures >= _PATIENCE:
                raise BackendError(
                    f"not asked: {self._failures} calls in a row failed, the last one: {self._last.what}",
                    service=self._last.service,
                )
        try:
            reply = self._model.ask(request)
        except BackendError as error:
            with self._lock:
                self._failures, self._last = self._failures + 1, error
            raise
        with self._lock:
            self._failures = 0
        return reply


class ModelJudge(Generic[Q]):
    """Asks a chat model, several questions per call.

    An answer is only accepted if it is a letter from the question's own list, a word from
    ``decisions`` and a confidence from 0 to 1. Otherwise the model is asked once more, for the
    failing answers alone; what still cannot be used is "unsure" with the reason. So are the
    questions of a call that failed for good, those that a spent budget left unasked ("budget
    spent") and, after five failed calls in a row, the rest ("not asked"). These are marked as
    ``failed``, and so are questions whose reply, even the second one, held no answer at all.

    Args:
        model: the model; watch it with the run, so that its calls are recorded.
        instructions: what is judged, and by which standard. The form of questions and answers is
            added.
        decisions: the words that go with a chosen option; ``none_decision`` and "unsure" may be
            among them.
        none_decision: the word for "none of these". batch, width: questions per call, and calls at
            once.
        heading: what stands above questions on a sheet; those with the same heading stand together.
        duplicates: whether a second option may be right, because it duplicates the first.
        sheet: how a batch is put and its answers are read.

    Raises:
        ConfigError: on judging, if the key or the model's name is refused.
        BackendError: on judging, if the model failed on every question. Waiting: on judging, if
            some of the calls wait for their replies; all that can be asked is asked before.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        instructions: str,
        decisions: Sequence[str],
        none_decision: str,
        batch: int = 8,
        width: int = 8,
        heading: Callable[[Q], str] = lambda question: "",
        duplicates: bool = False,
        sheet: type[Sheet] = Sheet,
    ) -> None:
        choosing = tuple(
            word for word in dict.fromkeys(decisions) if word not in (none_decision, UNSURE)
        )
        if not choosing or none_decision == UNSURE:
            raise ValueError(
                f"decisions hold no word to choose an option with besides {none_decision!r} and {UNSURE!r}"
            )
        self._model = _Patient(model)
        self._instructions = instructions
        self._decisions = choosing
        self._none_decision = none_decision
        self._batch = batch
        self._width = width
        self._heading = heading
        self._duplicates = duplicates
        self._sheet = sheet
        self.name = f"model:{model.name}"

    @property
    def standard(self) -> str:
        """What the model is told besides the questions: the instructions and the words it may use."""
        return json.dumps([self._instructions, self._decisions, self._none_decision])

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The verdicts, in order, each signed by this judge."""
        self._model.another_chance()
        verdicts: dict[int, Verdict] = {
            number: Verdict(self._none_decision, None, 1.0, "there is nothing to choose from")
            for number, question in enumerate(questions)
            if not question.options
        }
        repairs: list[_Batch] = []
        errors: list[BackendError] = []
        waiting: list[Waiting] = []
        batches = self._batches(questions)
        while batches:
            smaller: list[_Batch] = []
            for batch, outcome in zip(batches, self._ask(batches), strict=True):
                errors += [outcome] if isinstance(outcome, BackendError) else []
                if (
                    isinstance(outcome, Reply)
                    and outcome.finish_reason == "context_overflow"
                    and len(batch) > 1
                ):
                    smaller += batch.halves()
                elif isinstance(
                    outcome, Waiting
                ):  # the others' repairs are asked in the same round
                    waiting.append(outcome)
                else:
                    found, again = batch.read(outcome)
                    verdicts |= found
                    repairs += [again] if again else []
            batches = smaller
        for batch, outcome in zip(repairs, self._ask(repairs), strict=True):
            if isinstance(outcome, Waiting):
                waiting.append(outcome)
            else:
                verdicts |= batch.read(outcome)[0]
        raise_waiting(waiting)
        asked = [verdicts[number] for number, question in enumerate(questions) if question.options]
        if asked and all(verdict.failed == "model" for verdict in asked):
            raise errors[0] if errors else self._nonsense(asked[0])
        return [replace(verdicts[number], judged_by=self.name) for number in range(len(questions))]

    def _nonsense(self, verdict: Verdict) -> BackendError:
        return BackendError(
            f"{self.name}: none of its replies could be used: {verdict.rationale}",
            service=self.name,
            fix=LARGER,
        )

    def requests(self, questions: Sequence[Q]) -> list[Request]:
        """The calls that ``questions`` would take, before any repair: to look at a prompt, or to
        count.
        """
        return [batch.request() for batch in self._batches(questions)]

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """The calls and tokens that ``questions`` would take (characters / 4)."""
        requests = self.requests(questions)
        asked = sum(bool(question.options) for question in questions)
        prompt = sum(estimate_usage(request).prompt_tokens for request in requests)
        return Estimate(len(requests), prompt, _ANSWER_TOKENS * asked)

    def _batches(self, questions: Sequence[Q]) -> list[_Batch]:
        headed: dict[str, list[int]] = {}
        for number, question in enumerate(questions):
            if question.options:
                headed.setdefault(self._heading(question), []).append(number)
        ordered = [
            number for asked in headed.values() for number in _neighbours_together(asked, questions)
        ]
        parts = [
            tuple(ordered[start : start + self._batch])
            for start in range(0, len(ordered), self._batch)
        ]
        return [
            _Batch(
                positions=part,
                sheet=self._sheet(
                    self._instructions,
                    tuple(questions[number].text for number in part),
                    tuple(questions[number].options for number in part),
                    self._decisions,
                    self._none_decision,
                    tuple(self._heading(questions[number]) for number in part),
                    self._duplicates,
                ),
            )
            for part in parts
        ]

    def _ask(self, batches: Sequence[_Batch]) -> list[Outcome]:
        return ask_many(self._model, [batch.request() for batch in batches], self._width)


@dataclass(frozen=True)
class _Batch:
    """Questions put to the model in one call, and their positions among all questions."""

    positions: tuple[int, ...]
    sheet: Sheet
    earlier: tuple[Message, ...] = ()  # the reply that needs a repair, and what is wrong with it
    open_numbers: tuple[int, ...] = ()  # in a repair: the numbers that are still to be answered

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def numbers(self) -> Sequence[int]:
        return self.open_numbers or self.sheet.numbers

    def request(self) -> Request:
        return Request((*self.sheet.messages(), *self.earlier), self.sheet.schema(self.numbers))

    def halves(self) -> list[_Batch]:
        middle, whole = len(self) // 2, self.sheet
        return [
            _Batch(
                self.positions[part],
                replace(
                    whole,
                    texts=whole.texts[part],
                    options=whole.options[part],
                    headings=whole.headings[part],
                ),
            )
            for part in (slice(middle), slice(middle, None))
        ]

    def read(self, outcome: Outcome) -> tuple[dict[int, Verdict], _Batch | None]:
        """The verdicts by position, and the batch to ask once more, if any.

        An error that is neither the server's nor the budget's is raised.
        """
        if isinstance(outcome, LimitError):
            return self._unsure(
                dict.fromkeys(self.numbers, f"budget spent: {outcome.what}"), "limit"
            ), None
        if isinstance(outcome, (BackendError, ReplyError)):
            return self._unsure(dict.fromkeys(self.numbers, outcome.what), "model"), None
        if isinstance(outcome, KgnbError):
            raise outcome
        if outcome.finish_reason == "thinking":
            return self._unsure(dict.fromkeys(self.numbers, HOPELESS["thinking"]), "model"), None
        if outcome.finish_reason in _ENDINGS:
            return self._unsure(
                dict.fromkeys(self.numbers, _ENDINGS[outcome.finish_reason]), "refused"
            ), None
        answers = self.sheet.read(outcome.text, self.numbers)
        verdicts = {
            self.positions[number - 1]: verdict for number, verdict in answers.verdicts.items()
        }
        if not answers.problems:
            return verdicts, None
        if self.earlier:
            still = {
                n: f"no usable answer, even when asked again: {why}"
                for n, why in answers.problems.items()
            }
            return verdicts | self._unsure(still, "" if answers.found else "model"), None
        complaint = REPAIR.format(
            problems="\n".join(
                f"- question {number}: {why}" for number, why in answers.problems.items()
            ),
            numbers=", ".join(map(str, answers.problems)),
            form=self.sheet.form,
        )
        earlier = (Message("assistant", one_line(outcome.text, 2000)), Message("user", complaint))
        return verdicts, replace(self, earlier=earlier, open_numbers=tuple(answers.problems))

    def _unsure(
        self, reasons: Mapping[int, str], failed: OneOf["", "model", "limit", "refused"]
    ) -> dict[int, Verdict]:
        return {
            self.positions[n - 1]: replace(unsure(one_line(why), ""), failed=failed)
            for n, why in reasons.items()
        }


def _neighbours_together(numbers: Sequence[int], questions: Sequence[ClosedQuestion]) -> list[int]:
    """The same numbers, with questions that share an option side by side: they compete for it."""
    offering: dict[str, list[int]] = {}
    for number in numbers:
        for option in questions[number].options:
            offering.setdefault(option.id, []).append(number)
    ordered: dict[int, None] = {}
    for first in numbers:
        waiting = [first]
        while waiting:
            number = waiting.pop(0)
            if number not in ordered:
                ordered[number] = None
                waiting += [
                    other
                    for option in questions[number].options
                    for other in offering.pop(option.id, ())
                ]
    return list(ordered)
