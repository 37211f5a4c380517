"""One pair taken as far as the questions, once; what is tried on it then differs only from the judge onwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.rule import RuleJudge
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import MatchQuestion, Options, Summarised
from kgnb.evaluate.alignment import Score, non_trivial, score, scored_by_oaei, triples
from kgnb.judging import Cascade, Judge, Verdict
from kgnb.reporting.ontology_matching.outcome import PairOutcome
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.index import VectorIndex


class KnownVerdicts:
    """A judge whose verdicts on these very questions are known already, and are not worked out again."""

    def __init__(self, name: str, questions: Sequence[MatchQuestion], verdicts: Sequence[Verdict]) -> None:
        self.name = name
        self._verdicts = {question.id: verdict for question, verdict in zip(questions, verdicts, strict=True)}

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        """The verdicts, in order."""
        return [self._verdicts[question.id] for question in questions]


@dataclass(frozen=True)
class Tried:
    """What one judge made of a pair: the score, that of its non-trivial part, and how many mappings there were."""

    whole: Score
    part: Score


@dataclass(frozen=True)
class Prepared:
    """A pair's questions, and what is needed to try judges on them."""

    outcome: PairOutcome
    summarised: Summarised
    options: Options

    @property
    def sources(self) -> int:
        """The source entities there are to map."""
        return len(self.summarised.described.of("source"))

    @property
    def entities(self) -> int:
        """The entities of both sides."""
        return len(self.summarised.described.descriptions)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """The pairs the reference holds as equivalent."""
        wanted = self.outcome.wanted.triples if self.outcome.wanted else frozenset()
        return frozenset(triple[:2] for triple in wanted if triple[2] == "equivalent")

    @cached_property
    def rule(self) -> KnownVerdicts:
        """The rule judge; it judges these questions once, whatever comes after it."""
        return self.remember(RuleJudge())

    def remember(self, judge: Judge[MatchQuestion]) -> KnownVerdicts:
        """A judge that has answered all questions."""
        return KnownVerdicts(judge.name, self.summarised.questions, judge.judge(self.summarised.questions))

    def after_the_rule(self, judge: Judge[MatchQuestion]) -> Judge[MatchQuestion]:
        """A cascade, with the rule judge's part done already; any other judge as it is."""
        if isinstance(judge, Cascade) and isinstance(judge.cheap, RuleJudge):
            return replace(judge, cheap=self.rule)
        return judge

    def try_out(self, judge: Judge[MatchQuestion]) -> Tried:
        """Validate with this judge and merge; measured against the reference."""
        alignment = merge(validate(self.summarised, judge), options=self.options)
        relations = sorted(self.outcome.relations) or ["equivalent"]
        found = scored_by_oaei(triples(alignment, *relations))
        wanted = self.outcome.wanted.triples if self.outcome.wanted else frozenset()
        return Tried(score(found, wanted), non_trivial(found, wanted, self.outcome.trivial))


def prepare(outcome: PairOutcome, options: Options, embedder: Embedder, index: VectorIndex) -> Prepared:
    """Everything up to ``summarise``; what the run stored already is neither embedded nor written again."""
    described = retrieve(outcome.source, outcome.target, options=options)
    found = search(store(described, index, embedder), options=options)
    return Prepared(outcome, summarise(found, options=options), options)
