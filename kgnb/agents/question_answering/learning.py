"""Learning how people word the relations of a graph, from questions with known answers (distant supervision).

A relation path that leads from the question's entity to exactly its answers is taken for what the question means; the
phrases on it then count as names of its relations. Nothing is learned unless examples are given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from kgnb.agents.question_answering.desk import Desk, Example
from kgnb.agents.question_answering.phrases import find, masked, tokens
from kgnb.agents.question_answering.search import path_readings, segmentations
from kgnb.agents.question_answering.values import Options
from kgnb.kg.terms import Iri, Literal, Term

WEIGHT = 0.3
"""Nearness that a phrase gains with a relation that examples always use it for."""


def learn(desk: Desk, examples: Sequence[Example], options: Options) -> dict[tuple[str, Iri], float]:
    """Teach the desk's lexicon the wording of the examples, and give what was learned by phrase and relation."""
    counts: dict[str, dict[Iri, int]] = defaultdict(lambda: defaultdict(int))
    for text, entities, answers in examples:
        for entity in entities:
            for phrase, relation in _explained(desk, text, Iri(entity), frozenset(answers), options):
                counts[phrase][relation] += 1
    learned = {
        (phrase, relation): WEIGHT * number / sum(relations.values())
        for phrase, relations in counts.items()
        for relation, number in relations.items()
    }
    desk.lexicon.learned = {**desk.lexicon.learned, **learned}
    desk.lexicon.forget()
    return learned


def _explained(desk: Desk, text: str, entity: Iri, answers: frozenset[str], options: Options) -> list[tuple[str, Iri]]:
    """The phrases of a question with the relations they must stand for, if one reading gives just its answers."""
    sentence = tokens(text)
    spans = (find(name, sentence) for name in desk.hood.names.of(entity))
    sentence = masked(sentence, next((span for span in spans if span), None))
    inverse = options.directions == "both"
    for reading in path_readings(entity, sentence, desk.lexicon, longest=options.hops, inverse=inverse):
        paths, _ = desk.hood.along(entity, reading.hops)
        last = reading.hops[-1]
        if {_text(path[-1][0] if last.inverse else path[-1][2]) for path in paths} == answers:
            cut = next((c for c in segmentations(sentence, options.hops) if len(c) == len(reading.hops)), ())
            return [(phrase.text, hop.relation) for phrase, hop in zip(cut, reading.hops, strict=False) if phrase.text]
    return []


def _text(term: Term) -> str:
    return str(term) if isinstance(term, Iri) else term.text if isinstance(term, Literal) else ""


__all__ = ["WEIGHT", "learn"]
