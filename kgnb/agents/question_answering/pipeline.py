"""Question answering from start to finish: from a question to an answer with its proof."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgnb.agents.question_answering.act import act
from kgnb.agents.question_answering.answer import answer
from kgnb.agents.question_answering.graph_reader import GraphReader
from kgnb.agents.question_answering.judges import RuleJudge
from kgnb.agents.question_answering.lexicon import Directory, Lexicon, Wording
from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.observe import observe
from kgnb.agents.question_answering.path_search import candidate_paths
from kgnb.agents.question_answering.reflect import reflect
from kgnb.agents.question_answering.segmentation import find, masked, segmentations, tokens
from kgnb.agents.question_answering.state import Example, GraphContext, Judges, State, TurnLock
from kgnb.agents.question_answering.values import Answer, Options, Question
from kgnb.errors import LimitError
from kgnb.judging import Judge
from kgnb.kg.graph import Graph
from kgnb.kg.terms import Iri, Literal, Term
from kgnb.llm.model import ChatModel
from kgnb.run import Run
from kgnb.vectors.embedder import Embedder

STALLED = 2
"""Consecutive rounds without progress before an answer is forced."""


def open_context(
    graph: Graph,
    *,
    embedder: Embedder,
    judge: Judge[Any] | Judges | None = None,
    options: Options = Options(),
    model: ChatModel | None = None,
    examples: Sequence[Example] = (),
    run: Run | None = None,
    turn: TurnLock | None = None,
    known: GraphContext | None = None,
    names: Path | None = None,
) -> GraphContext:
    """Open a context shared by many questions over one graph: names, relations and vectors are
    looked up once.

    With a ``run``, graph queries, judgements and model calls are recorded. ``examples`` teach the
    lexicon how people word this graph's relations; by default there are none. Pass the ``turn`` of
    a model that releases it during calls. What is ``known`` of the same graph is not looked up
    again; nobody else may be using it. The names of a large graph are kept in the file ``names``.
    """
    watched = run.watch_graph(graph) if run else graph
    judges, turn = Judges.all(judge or RuleJudge()), turn or TurnLock()
    if known is not None:
        known.reader.graph = watched
        context = replace(known, graph=watched, judges=judges, model=model, turn=turn)
    else:
        reader = GraphReader(watched, page=options.page, most=options.most, timeout=options.timeout)
        wording = Wording(embedder)
        lexicon, directory = Lexicon(reader, wording), Directory(reader, wording, kept=names)
        context = GraphContext(watched, judges, reader, wording, lexicon, directory, model, turn)
    if examples:
        learn(context, examples, options)
    return context.watched(run) if run else context


def begin(question: Question | str, context: GraphContext, options: Options = Options()) -> State:
    """The initial state, to be passed through ``link``, ``observe``, ``act``, ``reflect`` and
    ``answer``.
    """
    if isinstance(question, str):
        question = Question(hashlib.sha256(question.encode()).hexdigest()[:12], question)
    return State(question, options, replace(context, lexicon=context.lexicon.own()))


def answer_question(
    question: Question | str,
    graph: Graph | GraphContext,
    *,
    embedder: Embedder | None = None,
    judge: Judge[Any] | Judges | None = None,
    options: Options = Options(),
    model: ChatModel | None = None,
    examples: Sequence[Example] = (),
    run: Run | None = None,
) -> Answer:
    """Answer a question from a graph, with proof.

    A ``GraphContext`` instead of a graph supplies the embedder, the judges and everything earlier
    questions looked up. The default judge is the rule judge. ``model`` is asked for expected facts
    or for its own knowledge if ``options`` say so. When a budget runs out, the best-supported
    answer so far is returned.

    Raises:
        ValueError: there is no embedder, or an entity of the question is not an IRI.
    """
    run = run or Run("question_answering")
    if isinstance(graph, GraphContext):
        context = graph
    elif embedder is None:
        raise ValueError("an embedder is needed to compare words with relations")
    else:
        context = open_context(
            graph,
            embedder=embedder,
            judge=judge,
            options=options,
            model=model,
            examples=examples,
            run=run,
        )
    state = run.do(link, begin(question, context, options))
    try:
        while state.round < options.rounds and state.stalled < STALLED and not state.finished:
            state = run.do(observe, state)
            state = run.do(act, state)
            if not state.finished:
                state = run.do(reflect, state)
    except LimitError:  # answer from what was found within the budget
        state = _offline(state)
    state = run.do(answer, state)
    assert state.answered is not None
    return state.answered


def _offline(state: State) -> State:
    """Replace the judges with the rule judge, which costs nothing, and remove the model."""
    return replace(
        state, context=replace(state.context, judges=Judges.all(RuleJudge()), model=None)
    )


WEIGHT = 0.3
"""Nearness added to a phrase and relation if the examples always use the phrase for that relation.
"""


def learn(
    context: GraphContext, examples: Sequence[Example], options: Options
) -> dict[tuple[str, Iri], float]:
    """Teach the context's lexicon the wording of the examples; return the added nearness by phrase
    and relation.
    """
    counts: dict[str, dict[Iri, int]] = defaultdict(lambda: defaultdict(int))
    for text, entities, answers in examples:
        for entity in entities:
            for phrase, relation in _explained(
                context, text, Iri(entity), frozenset(answers), options
            ):
                counts[phrase][relation] += 1
    learned = {
        (phrase, relation): WEIGHT * number / sum(relations.values())
        for phrase, relations in counts.items()
        for relation, number in relations.items()
    }
    context.lexicon.learned = {**context.lexicon.learned, **learned}
    context.lexicon.forget()
    return learned


def _explained(
    context: GraphContext, text: str, entity: Iri, answers: frozenset[str], options: Options
) -> list[tuple[str, Iri]]:
    """The phrases of a question with their relations, from the first interpretation that gives
    exactly its answers.
    """
    sentence = tokens(text)
    spans = (find(name, sentence) for name in context.reader.names.of(entity))
    sentence = masked(sentence, next((span for span in spans if span), None))
    inverse = options.directions == "both"
    for candidate in candidate_paths(
        entity, sentence, context.lexicon, longest=options.hops, inverse=inverse
    ):
        paths, _ = context.reader.along(entity, candidate.hops)
        last = candidate.hops[-1]
        if {_text(path[-1][0] if last.inverse else path[-1][2]) for path in paths} == answers:
            cut = next(
                (c for c in segmentations(sentence, options.hops) if len(c) == len(candidate.hops)),
                (),
            )
            return [
                (phrase.text, hop.relation)
                for phrase, hop in zip(cut, candidate.hops, strict=False)
                if phrase.text
            ]
    return []


def _text(term: Term) -> str:
    return str(term) if isinstance(term, Iri) else term.text if isinstance(term, Literal) else ""
