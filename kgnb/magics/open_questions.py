"""What a built graph and given answers leave to a person, as questions that a review shows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgnb.agents.agent import Review
from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.ground import Grounding
from kgnb.agents.kg_construction.tool_values import CallResult
from kgnb.agents.question_answering.values import Answer
from kgnb.errors import DataError, shown
from kgnb.judging import UNSURE, Decisions, Option, Verdict
from kgnb.judging.person import signature
from kgnb.kg.terms import n3
from kgnb.magics.reviewing import Queue
from kgnb.tasks.building import BuildingTask
from kgnb.widgets.review import Thing

OF_GRAPHS = Review(
    ("instantiate", "ground"),
    lambda answers: answers,
    file="graph-decisions.jsonl",
    relations={"accept": "accepted"},
    none="left out",
)
OF_ANSWERS = Review(
    ("answer",),
    lambda answers: answers,
    file="answer-decisions.jsonl",
    relations={"accept": "right"},
    none="wrong",
)


@dataclass(frozen=True)
class OpenQuestion:
    """A question about a thing, with the candidates for it."""

    id: str
    about: Thing
    others: tuple[Thing, ...] = ()

    @property
    def text(self) -> str:
        """What it is about, in short."""
        return self.about.in_short

    @property
    def options(self) -> tuple[Option, ...]:
        """The candidates."""
        return tuple(Option(other.iri, other.name) for other in self.others)


@dataclass(frozen=True)
class Answered:
    """A question with its verdict, and what it was made from."""

    question: OpenQuestion
    verdict: Verdict
    origin: Any = None


def _id(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "replace")).hexdigest()[:16]


def of_graph(built: Built | None, grounding: Grounding | None) -> list[Answered]:
    """What reading could not write, with the values that would be accepted; and links with several
    candidates.
    """
    found = []
    doubts, labels = (built.doubts, built.session.labels()) if built is not None else ((), {})
    for doubt in doubts:
        said = "; ".join(
            f"{name}: {labels.get(str(value), value)}" for name, value in doubt.arguments.items()
        )
        # the name of a datatype is no value
        fits = [one for one in doubt.violations[:1] if one.constraint != "datatype"]
        allowed = [value for one in fits for value in one.allowed]
        brief = shown(said, 80)
        short = f"{brief}\nread: {said}\ncharacters: {doubt.start}-{doubt.end}"
        about = Thing(brief, "", doubt.tool or "statement", doubt.document, short)
        question = OpenQuestion(
            _id(doubt.document, doubt.start, doubt.tool, said),
            about,
            tuple(Thing(value, value, in_short=value) for value in allowed),
        )
        found.append(Answered(question, Verdict(UNSURE, rationale=doubt.reason), doubt))
    for link in grounding.unsure if grounding is not None else ():
        others = tuple(
            Thing(one.label, one.target, in_short=f"{one.label}\nIRI: {one.target}")
            for one in link.candidates
        )
        short = f"{link.label}\nIRI: {link.entity}"
        about = Thing(link.label, link.entity, "link", "graph", short)
        also = tuple((one.target, one.score) for one in link.candidates)
        verdict = Verdict(UNSURE, also=also, rationale=link.reason)
        found.append(Answered(OpenQuestion(_id(link.entity), about, others), verdict, link))
    return found


def queue_of_graph(task: BuildingTask) -> Queue:
    """What reading and grounding left open."""
    answers = of_graph(task.values.get("instantiate"), task.values.get("ground"))
    return Queue(task.agent, OF_GRAPHS, answers, Decisions(OF_GRAPHS.file))


def decide_graph(
    task: BuildingTask,
    decisions: Decisions,
    call: Callable[[str, dict[str, Any], str], CallResult],
) -> Any:
    """Does what people decided: writes the statements they accepted, and takes their links.

    Raises:
        DataError: the graph refuses a statement all the same; the message says which.
    """
    standing = decisions.standing()
    built, grounding = task.values.get("instantiate"), task.values.get("ground")
    refused = []
    for answer in of_graph(built, grounding):
        decision = standing.get(answer.question.id)
        if decision is None:
            continue
        origin = answer.origin
        if answer.question.about.kind == "link":
            assert grounding is not None
            targets = [one.target for one in origin.candidates]
            place = targets.index(decision.choice) + 1 if decision.choice else None
            grounding = grounding.decided(grounding.unsure.index(origin) + 1, place)
            continue
        if decision.choice:
            arguments = {**origin.arguments, origin.violations[0].path: decision.choice}
            who = signature(decision.who).removeprefix("person:")
            if not call(origin.tool, arguments, who).ok:
                refused.append(answer.question.about.name)
                continue
        assert built is not None
        built = replace(built, doubts=tuple(one for one in built.doubts if one is not origin))
    new = {"instantiate": built, "ground": grounding}
    task.values |= {stage: value for stage, value in new.items() if value is not None}
    if refused:
        fix = "Reject them in the review, or write them by %kgc call."
        raise DataError(f"the graph still refuses: {'; '.join(refused)}", fix=fix)
    return built if grounding is None else grounding


def of_answers(answers: Sequence[Answer], graph: str) -> list[Answered]:
    """The last answer to each question, to be called right or wrong."""
    return [_of_answer(one, graph) for one in {one.question.text: one for one in answers}.values()]


def queue_of_answers(task: Any) -> Queue:
    """The last answer to each question, of which the unsure ones wait."""
    answers = of_answers(task.answers, task["graph"].name)
    decisions = Decisions(OF_ANSWERS.file)
    return Queue(task.agent, OF_ANSWERS, answers, decisions, on_a_line=False)


def _of_answer(answer: Answer, graph: str) -> Answered:
    text, values = answer.question.text, sorted(map(n3, answer.values))
    labels = ", ".join(map(answer.label, answer.values))
    given = Thing(labels[:200], _id(*values), in_short=labels)
    about = Thing(text, "", "question", graph, f"{text}\nquery: {answer.sparql}")
    question = OpenQuestion(_id(graph, text), about, (given,) if values else ())
    sure = bool(values) and answer.status == "answered"
    verdict = Verdict(
        OF_ANSWERS.relations["accept"] if sure else UNSURE,
        given.iri if sure else None,
        answer.confidence,
        answer.rationale,
        answer.judged_by,
    )
    return Answered(question, verdict, answer)


def by_people(answer: Answer, graph: str, decisions: Decisions) -> Answer:
    """The answer as people decided about it, if they did and it is still the same."""
    asked = _of_answer(answer, graph).question
    decision = decisions.standing().get(asked.id)
    if decision is None or set(decision.offered) != {one.iri for one in asked.others}:
        return answer
    who = signature(decision.who)
    if decision.choice:
        return replace(answer, status="answered", confidence=1.0, judged_by=who)
    return replace(
        answer, status="unsure", values=(), confidence=0.0, judged_by=who, rationale=f"{who}: wrong"
    )
