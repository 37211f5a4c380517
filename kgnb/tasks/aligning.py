"""Entity alignment for scripts: opens inputs, fills in defaults from the settings, runs the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from kgnb.agents.entity_alignment import final_alignment as pipeline
from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.agents.entity_alignment.judges import EntityDecisions, make_judge, make_planner
from kgnb.agents.entity_alignment.judging_values import AlignQuestion, LookOptions, PlanQuestion
from kgnb.agents.entity_alignment.values import Options
from kgnb.backends import GraphSource, open_embedder
from kgnb.judging import Judge, Verdict
from kgnb.judging.named import judge_of
from kgnb.llm.model import ChatModel
from kgnb.mappings import Alignment
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.running import answering_model, judge_and_model, remembering, within
from kgnb.tasks.sides import Links, Names, Seeds, Sides, Source, links_of, open_sides
from kgnb.vectors.embedder import Embedder

Universe = OneOf["test", "all"]
JudgeGiven = str | Judge[AlignQuestion] | Callable[[AlignQuestion], Verdict]


@dataclass(frozen=True)
class AlignmentOutcome:
    """One alignment: the final choices, the two sides, and the run that records the costs."""

    settled: Settled
    sides: Sides
    run: Run
    universe: str
    calls: int = 0  # model calls and tokens of this alignment alone: a run may hold several
    tokens: int = 0

    @property
    def alignment(self) -> Alignment:
        """The alignment; its notes say what was left unmatched and what was asked."""
        return self.settled.alignment(self.cost())

    @property
    def tokens_per_entity(self) -> float:
        """Model tokens over all entities, asked or not."""
        number = len(self.settled.proposal)
        return self.tokens / number if number else 0.0

    @property
    def share_looked_at(self) -> float:
        """The share of the entities that a judge was asked about."""
        number = len(self.settled.proposal)
        return len(self.settled.aligned.answers) / number if number else 0.0

    def cost(self) -> list[str]:
        """The cost of judging, in a line."""
        return [
            f"{self.share_looked_at:.1%} of the entities were looked at by {self.settled.aligned.judge}; "
            f"{self.tokens_per_entity:.1f} model tokens per entity over all entities (EA-Agent: 672)"
        ]


def align_entities(left: Source, right: Source | None = None, **given: Any) -> Alignment:
    """The alignment of the individuals of two graphs; ``align`` takes the same arguments and returns more.

    >>> alignment = align_entities("huts:hollenmark", "huts:corvane", embedder="characters")
    >>> len(alignment) > 100, alignment.mappings[0].kind
    (True, 'individual')
    """
    return align(left, right, **given).alignment


def align(
    left: Source | Sides,
    right: Source | None = None,
    *,
    seeds: Seeds = None,
    names: Names = "native",
    labels: Iterable[GraphSource] = (),
    universe: Universe = "test",
    judge: JudgeGiven = "auto",
    planner: str | Judge[PlanQuestion] = "auto",
    plans: str | Path | None = None,
    embedder: str | Embedder | None = None,
    model: ChatModel | None = None,
    options: Options = Options(),
    look: LookOptions = LookOptions(),
    reference: Alignment | Links | Iterable[tuple[str, str]] | str | Path | None = None,
    error_rate: float = 0.0,
    seed: int = 0,
    decisions: EntityDecisions | str | Path | None = None,
    run: Run | None = None,
    settings: Settings | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> AlignmentOutcome:
    """Align the individuals of two graphs, or of a DBP15K, SRPRS or OpenEA folder (then without ``right``).

    Args:
        left: files, an endpoint's URL, ``huts:hollenmark``, an rdflib graph, a Graph or EntityGraph; or a folder; or
            opened ``Sides`` (which have their seeds and names already).
        right: the other graph.
        seeds: known pairs: "none", "folder" (those of the folder; the default there), a file, or pairs of IRIs.
        names: "native", "hidden" (structure and values only), a JSON file or mapping from IRI to name.
        labels: vocabularies with labels of properties and classes that the graphs lack; judges read them.
        universe: possible answers: the folder's "test" targets, or "all" entities (always, without tests).
        judge: "auto" (model if one is set, else rule), "first", "rule", "model", "person", "oracle" (a simulation that
            answers from ``reference``, wrong at ``error_rate``), a Judge, or a function from question to verdict.
        planner: "auto" (rule), "rule", "thorough", "model", "person" (who answers from the file ``plans``), or a Judge.
        embedder: "local", "characters", "tiny", "openai:MODEL", "sentence-transformers:MODEL", or an Embedder.
        decisions: a file of a person's decisions, which override any judge.

    Raises:
        DataError: a file is missing or malformed, has no individual, or a seed names none.
        ConfigError: a backend or judge lacks a setting.
        BackendError: an endpoint or model server fails for good.
    """
    settings = settings or Settings.load()
    if universe not in ("test", "all"):
        raise ValueError(f"universe is {universe!r}: choose test or all")
    if isinstance(judge, str):
        judge, settings = judge_and_model(judge, settings)
    wanted = judge in ("auto", "model") or planner == "model"
    chat = model or (answering_model(settings) if wanted else None)
    sides = left if isinstance(left, Sides) else open_sides(left, right, seeds=seeds, names=names, labels=labels)
    known = links_of(reference) if reference is not None else sides.tests or None
    ruled = decisions if isinstance(decisions, EntityDecisions) or decisions is None else EntityDecisions(decisions)
    with within(run, "entity_alignment", sides.digests(), settings, on_event) as run:
        before = run.totals
        watched = run.watch(chat) if chat else None
        asked = _judge(judge, watched, known, error_rate, seed, ruled, settings)
        planned_by = (
            make_planner(planner, model=watched, decisions=plans, width=settings.width)
            if isinstance(planner, str)
            else planner
        )
        tested = universe == "test" and bool(sides.tests)
        settled = pipeline.align_entities(
            sides.left,
            sides.right,
            embedder=open_embedder(embedder, settings),
            judge=run.watch_judge(asked),
            planner=run.watch_judge(planned_by),
            options=replace(options, names="hidden") if names == "hidden" else options,
            look=replace(look, share=0.0) if judge == "first" else look,
            seeds=sides.seeds,
            sources=list(dict.fromkeys(one for one, _ in sides.tests)) if tested else None,
            targets=list(dict.fromkeys(other for _, other in sides.tests)) if tested else None,
            decided=ruled.by_entity() if ruled is not None else None,
            run=run,
        )
    spent = {name: run.totals[name] - before[name] for name in ("calls", "prompt_tokens", "completion_tokens")}
    tokens = spent["prompt_tokens"] + spent["completion_tokens"]
    return AlignmentOutcome(
        settled, sides, run, "the test targets" if tested else "all entities", spent["calls"], tokens
    )


def _judge(
    judge: JudgeGiven,
    model: ChatModel | None,
    reference: Iterable[tuple[str, str]] | None,
    error_rate: float,
    seed: int,
    decisions: EntityDecisions | None,
    settings: Settings,
) -> Judge[AlignQuestion]:
    told: dict[str, Any] = {"model": model, "reference": reference, "error_rate": error_rate, "seed": seed}
    told |= {"decisions": decisions, "width": settings.width, "remember": lambda asked: remembering(asked, settings)}
    return judge_of(judge, lambda name: make_judge(name, **told))


def rankings_of(outcome: AlignmentOutcome, k: int = 10) -> Mapping[str, list[tuple[str, float]]]:
    """The k best targets of each test source with their scores, in the order of the tests."""
    settled = outcome.settled
    proposal = settled.proposal
    rows = {proposal.left.entities[int(source)]: row for row, source in enumerate(proposal.sources)}
    wanted = list(dict.fromkeys(one for one, _ in outcome.sides.tests)) or list(rows)
    return {iri: settled.ranking(rows[iri])[:k] for iri in wanted if iri in rows}
