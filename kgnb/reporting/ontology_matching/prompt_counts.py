"""What the questions would cost if a model were asked: the real prompts, written and counted, and sent to nobody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kgnb.agents.ontology_matching.judges import make_judge
from kgnb.agents.ontology_matching.values import MatchQuestion
from kgnb.errors import ConfigError
from kgnb.judging import Cascade
from kgnb.judging.estimating import Estimate, estimate
from kgnb.llm.model import Reply, Request
from kgnb.reporting.ontology_matching.prepared import Prepared
from kgnb.results.table import Column, Table, Value

AGENT_OM = 12_130_000 / (2744 + 3304)
"""Tokens for each class of anatomy that Agent-OM's authors report with gpt-4o (PVLDB 18(3)): about 2,010."""


class NeverAsked:
    """A model by name only."""

    name = "no model"

    def ask(self, request: Request) -> Reply:
        """Always refuses."""
        raise ConfigError("this model only counts prompts", fix="Set a model to ask one.")


@dataclass(frozen=True)
class Prompts:
    """What one judge would send for one pair: questions, calls, tokens; and the entities of both sides."""

    judge: str
    questions: int
    expected: Estimate
    entities: int


def count_prompts(prepared: Prepared) -> list[Prompts]:
    """The cascade, and a model that is asked everything."""
    context = prepared.options.context
    counted = []
    for name in ("cascade", "model"):
        judge = make_judge(
            name, model=NeverAsked(), context=context, relations=prepared.options.relations, ask=prepared.options.ask
        )
        asked: Sequence[MatchQuestion] = prepared.summarised.questions
        if isinstance(judge, Cascade):
            judge = replace(judge, cheap=prepared.rule)
            asked, expected = judge.open(asked), judge.estimate(asked)
        else:
            expected = estimate(judge, asked)
        counted.append(Prompts(name, len(asked), expected, prepared.entities))
    return counted


def table(prompts: Iterable[Prompts]) -> Table:
    """One row a judge, all pairs together, beside what the paper's system took."""
    columns = [
        Column("judge", "Judge"),
        Column("questions", "Questions", "number"),
        Column("calls", "Calls", "number"),
        Column("prompt", "Prompt tokens", "number"),
        Column("completion", "Reply tokens", "number"),
        Column("question", "Prompt tokens a question", "number"),
        Column("entity", "Prompt tokens an entity", "number"),
    ]
    kept = list(prompts)
    rows: list[list[Value]] = []
    for name in dict.fromkeys(one.judge for one in kept):
        ours = [one for one in kept if one.judge == name]
        questions, entities = sum(one.questions for one in ours), sum(one.entities for one in ours)
        calls = sum(one.expected.calls for one in ours)
        tokens = sum(one.expected.prompt_tokens for one in ours)
        replies = sum(one.expected.completion_tokens for one in ours)
        rows.append([name, questions, calls, tokens, replies, _over(tokens, questions), _over(tokens, entities)])
    if rows:
        rows.append(["Agent-OM on anatomy, all tokens (published)", *[None] * 5, round(AGENT_OM)])
    notes = [
        "Counted from the prompts as they would be sent (characters / 4), without asking anyone; replies are guessed "
        "at 50 tokens each. Entities are those of both sides, in every pair they take part in.",
    ]
    return Table(columns, rows, caption="What a model would be sent", notes=notes)


def _over(tokens: int, number: int) -> int | None:
    return round(tokens / number) if number else None
