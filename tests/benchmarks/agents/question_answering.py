"""Question answering by the rule judge on real questions.

``python -m tests.benchmarks.agents.question_answering`` prints the full figures (KGNB_DATA names
the data folder); give a number to take that many questions of each set.
"""

import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgnb.agents.question_answering.pipeline import answer_question, open_context
from kgnb.agents.question_answering.values import Answer, Question
from kgnb.backends import open_embedder, open_graph
from kgnb.datasets.question_sets import pathquestion, slot_filling
from kgnb.datasets.questions import Asked, QuestionSet
from kgnb.evaluate.answers import set_score, strict
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Literal
from kgnb.settings import Settings
from kgnb.vectors.embedder import Embedder


@dataclass(frozen=True)
class Figures:
    """What a set of questions came to."""

    name: str
    questions: int
    hits: float  # strict Hits@1 over questions that have an answer
    f1: float  # of answer sets, over the same
    # share of "unsure" over questions that have none; 1 where there are no such questions
    unsure: float
    declined: float  # share of "unsure" over questions that have an answer
    seconds: float  # a question
    queries: float  # a question
    vectors: int  # computed in all

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.questions} questions, Hits@1 {self.hits:.3f}, F1 {self.f1:.3f}, declined "
            f"{self.declined:.3f}; unsure where there is no answer {self.unsure:.3f}; {self.seconds:.3f} s and "
            f"{self.queries:.1f} queries a question, {self.vectors} vectors in all"
        )


def figures(
    cases: QuestionSet, embedder: Embedder, most: int | None = None, seed: int = 0
) -> Figures:
    """Ask a sample of the questions, whole groups at a time, and score the answers."""
    if cases.triples:
        graph = OxigraphGraph(name=cases.name)
        graph.add(cases.triples)
    else:
        graph = open_graph(cases.graph)  # type: ignore[assignment]  # any Graph serves
    context = open_context(graph, embedder=embedder)
    asked = list(sample(cases.questions, most, seed))
    begun = time.perf_counter()
    questions = [Question(one.id, one.text, one.entities) for one in asked]
    answers = [answer_question(question, context) for question in questions]
    seconds = time.perf_counter() - begun
    known = [(one, found) for one, found in zip(asked, answers, strict=True) if one.values]
    none = [found for one, found in zip(asked, answers, strict=True) if not one.values]
    return Figures(
        cases.name,
        len(asked),
        sum(strict(texts(found), one.values or ()) for one, found in known) / len(known),
        sum(set_score(texts(found), one.values or ()).f1 for one, found in known) / len(known),
        sum(found.status == "unsure" for found in none) / len(none) if none else 1.0,
        sum(found.status == "unsure" for _, found in known) / len(known),
        seconds / len(asked),
        context.reader.queries / len(asked),
        context.wording.computed,
    )


def sample(questions: Sequence[Asked], most: int | None, seed: int) -> Iterator[Asked]:
    """Questions of groups drawn at random, all wordings of a group together, until there are
    enough.
    """
    groups: dict[str, list[Asked]] = {}
    for one in questions:
        groups.setdefault(one.group or one.id, []).append(one)
    names = sorted(groups)
    random.Random(seed).shuffle(names)
    taken = 0
    for name in names:
        if most is not None and taken >= most:
            return
        taken += len(groups[name])
        yield from groups[name]


def texts(answer: Answer) -> list[str]:
    """The values as a reference writes them."""
    return [term.text if isinstance(term, Literal) else str(term) for term in answer.values]


def main() -> None:
    """Print the figures."""
    data = Path(os.environ["KGNB_DATA"])
    most = int(sys.argv[1]) if len(sys.argv) > 1 else None
    embedder = open_embedder("local", Settings())
    for hops in (2, 3):
        print(figures(pathquestion(data / "pathquestion", hops), embedder, most), flush=True)
    print(figures(slot_filling(data / "codex", most=most or 400), embedder), flush=True)


if __name__ == "__main__":
    main()
