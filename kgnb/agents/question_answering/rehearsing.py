"""Learning the wording of many questions from the questions alone, before any is answered.

A phrase that recurs over different entities must stand for a relation that all of them have. Every question is read
once over the relations around its entity; what its phrases likely stand for is then estimated over all questions
together, by expectation and maximisation (Dempster, Laird and Rubin, 1977). No answer is looked at, no order of the
questions counts, and a relation that nearly everything has gains nothing: that it is there says little.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kgnb.agents.question_answering.desk import Desk
from kgnb.agents.question_answering.lexicon import SPREAD, SYNONYM
from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.names import local_name
from kgnb.agents.question_answering.phrases import Phrase
from kgnb.agents.question_answering.reading import Hop, Reading
from kgnb.agents.question_answering.readings import read_question
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Options, Question
from kgnb.errors import BackendError, KgnbError, LimitError
from kgnb.kg.terms import Iri
from kgnb.llm.replay import MissingReply
from kgnb.results.cells import Link, Value
from kgnb.results.table import Column, Table

WEIGHT = 0.3
"""Nearness that a phrase gains with a relation it always stands for; as much as from examples with answers."""
_ROUNDS = 4
_SHARP = 4.0  # how far a better reading is believed over a worse one; anything from 2 to 8 came to the same
_PRIOR = 2.0  # questions' worth of doubt: what is asked once or twice teaches little
_RARE = 0.1  # share of its places below which a relation does not belong to a phrase
_DEAD = 3  # questions in a row that a service fails before reading ahead is given up
Place = tuple[Iri | None, tuple[Hop, ...]]  # where a relation is followed: an entity, and the way from it


@dataclass(frozen=True)
class Rehearsed:
    """What was learned: nearness added, by phrase and relation."""

    questions: int
    learned: tuple[tuple[str, Iri, float], ...] = ()

    def counts(self) -> dict[str, int]:
        """Questions read, and phrases learned."""
        return {"questions": self.questions, "phrases": len({phrase for phrase, _, _ in self.learned})}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        columns = [
            Column("phrase", "phrase"),
            Column("relation", "relation"),
            Column("gain", "nearness added", "number"),
        ]
        rows: list[list[Value]] = [
            [phrase, Link(relation, local_name(relation)), round(gain, 3)] for phrase, relation, gain in self.learned
        ]
        caption = f"What {self.questions} questions teach of their own wording"
        return Table(columns, rows, caption=caption)._repr_mimebundle_(include, exclude)


def rehearse(
    desk: Desk,
    questions: Sequence[Question],
    options: Options = Options(),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Rehearsed:
    """Teach the desk's lexicon what the phrases of these questions likely stand for; needs no answers."""
    cases: list[tuple[Reading, ...]] = []
    dead = 0
    ordered = sorted(questions, key=lambda question: (question.text, question.entities, question.id))
    for number, question in enumerate(ordered):
        progress(number, len(ordered))
        try:
            readings, _ = read_question(link(State(question, options, desk)))
            dead = 0
        except (LimitError, MissingReply):
            raise
        except BackendError:
            dead += 1
            if dead == _DEAD:
                break
            continue
        except (KgnbError, ValueError):
            continue  # said when the question itself is answered
        whole = tuple(r for r in readings if r.start is not None and r.hops and len(r.phrases) == len(r.hops))
        if whole:
            cases.append(whole)
    inverse = options.directions == "both"
    learned = estimate(cases, _shares(desk, cases, inverse=inverse))
    meant = _meant_elsewhere(desk, cases, inverse=inverse)
    sure = {
        (phrase, relation): gain
        for (phrase, relation), gain in learned.items()
        if desk.lexicon.fit(Phrase(phrase, 1)).near[relation] >= meant[phrase]
    }
    # the others only order the relations there are: that none of them is meant stays as likely as it was
    desk.lexicon.rehearsed = {key: gain for key, gain in learned.items() if key not in sure}
    taught = desk.lexicon.learned
    desk.lexicon.learned = {**taught, **{key: max(gain, taught.get(key, 0.0)) for key, gain in sure.items()}}
    desk.lexicon.forget()
    ranked = sorted(learned.items(), key=lambda entry: (-round(entry[1], 6), entry[0]))
    return Rehearsed(len(questions), tuple((phrase, relation, gain) for (phrase, relation), gain in ranked))


def estimate(cases: Sequence[Sequence[Reading]], shares: dict[Iri, float]) -> dict[tuple[str, Iri], float]:
    """Nearness to add by phrase and relation, from the readings of each question.

    ``shares`` says at what share of all places each relation is at hand: one that is there anyway proves nothing.
    """
    learned: dict[tuple[str, Iri], float] = {}
    for _ in range(_ROUNDS):
        mass: dict[str, dict[Iri, dict[Place, float]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(float)))
        for readings in cases:
            scores = [_score(reading, learned) for reading in readings]
            weights = [math.exp(_SHARP * (score - max(scores))) for score in scores]
            for reading, weight in zip(readings, weights, strict=True):
                for at, ((phrase, _), hop) in enumerate(zip(reading.phrases, reading.hops, strict=True)):
                    if phrase:  # a way back has no words of its own
                        mass[phrase][hop.relation][reading.start, reading.hops[:at]] += weight / sum(weights)
        learned = {}
        for phrase, relations in mass.items():
            # however many questions ask it of one entity, that entity speaks once
            counts = {relation: sum(min(1.0, one) for one in places.values()) for relation, places in relations.items()}
            total = sum(counts.values()) + _PRIOR
            for relation, count in counts.items():
                telling = 1.0 - shares.get(relation, 0.0) ** max(0.0, count - 1.0)
                gain = WEIGHT * telling * count / total
                if gain > 0.01:
                    learned[phrase, relation] = gain
    return learned


def _score(reading: Reading, learned: dict[tuple[str, Iri], float]) -> float:
    words = sum(number for _, number in reading.phrases) or 1
    gained = sum(
        number * learned.get((phrase, hop.relation), 0.0)
        for (phrase, number), hop in zip(reading.phrases, reading.hops, strict=True)
    )
    return reading.score + gained / SPREAD / words


def _shares(desk: Desk, cases: Sequence[Sequence[Reading]], *, inverse: bool) -> dict[Iri, float]:
    """The share of the places where something was looked for that each relation is at hand at."""
    places = {(r.start, r.hops[:at]) for readings in cases for r in readings for at in range(len(r.hops)) if r.start}
    have: dict[Iri, int] = defaultdict(int)
    for start, hops in places:
        for relation in {hop.relation for hop, _, _ in desk.hood.ways(start, hops, inverse=inverse).hops}:
            have[relation] += 1
    return {relation: count / len(places) for relation, count in have.items()}


def _meant_elsewhere(desk: Desk, cases: Sequence[Sequence[Reading]], *, inverse: bool) -> dict[str, float]:
    """How near each phrase is to what it is asked of in vain: relations that hardly any of its places has.

    What is there instead must not be believed in for it: a batch that has no answer at all would teach wrong ones.
    """
    places: dict[str, set[Place]] = defaultdict(set)
    for readings in cases:
        for reading in readings:
            for at, (phrase, _) in enumerate(reading.phrases):
                if phrase:
                    places[phrase].add((reading.start, reading.hops[:at]))
    found: dict[str, float] = {}
    for phrase, around in places.items():
        have: dict[Iri, int] = defaultdict(int)
        for start, hops in around:
            if start is not None:
                for relation in {
                    h.relation for h, _, _ in desk.hood.ways(start, hops, inverse=inverse).hops if not h.inverse
                }:
                    have[relation] += 1
        fit = desk.lexicon.fit(Phrase(phrase, 1))
        missing = [near for relation, near in fit.near.items() if have[relation] < _RARE * len(around)]
        found[phrase] = max(missing, default=-1.0)
        if fit.absent:
            found[phrase] = max(found[phrase], SYNONYM)
    return found
