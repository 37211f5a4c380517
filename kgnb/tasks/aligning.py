"""Entity alignment: its task, and the functions a script calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from kgnb.agents.agent import Agent
from kgnb.agents.entity_alignment import AGENT
from kgnb.agents.entity_alignment.fields import said_of_long_values
from kgnb.agents.entity_alignment.final_alignment import Settled, settle
from kgnb.agents.entity_alignment.judges import Decided, EntityDecisions
from kgnb.agents.entity_alignment.judging_values import (
    Aligned,
    AlignQuestion,
    LookOptions,
    Planned,
    PlanQuestion,
    Selected,
)
from kgnb.agents.entity_alignment.plan import ModelPlanner
from kgnb.agents.entity_alignment.provided import decisions_of
from kgnb.agents.entity_alignment.record_proposal import said_of_links
from kgnb.agents.entity_alignment.trajectories import (
    Trajectory,
    as_lines,
    training_lines,
    trajectories,
)
from kgnb.agents.entity_alignment.values import Options
from kgnb.backends import GraphSource
from kgnb.datasets.entity_folders import read_candidates
from kgnb.evaluate.ranking import measure
from kgnb.files import no_file
from kgnb.judging import Judge, Verdict
from kgnb.judging.cascade import KNOWN
from kgnb.llm.model import ChatModel
from kgnb.llm.scripted import ScriptedModel
from kgnb.mappings import Alignment
from kgnb.results.bundle import count
from kgnb.results.wording import bounds_of_few
from kgnb.run import Run
from kgnb.run.dask import dask_client
from kgnb.settings import Settings
from kgnb.tasks.running import answering_model
from kgnb.tasks.sides import (
    Links,
    Names,
    Seeds,
    Sides,
    Source,
    check_links,
    check_reference,
    links_between,
    links_of,
    open_sides,
)
from kgnb.tasks.task import Task
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
            f"{100 * self.share_looked_at:.1f} % of the entities were shown to a judge ({self.settled.aligned.judge}); "
            f"{self.tokens_per_entity:.1f} model tokens an entity"
        ]


def align_entities(
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
    decisions: EntityDecisions | str | Path | None = None,
    run: Run | None = None,
    settings: Settings | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> Alignment:
    """The alignment of the individuals of two graphs, or of a DBP15K, SRPRS or OpenEA folder (then
    without ``right``).

    Args:
        left: files, an endpoint's URL, ``huts:hollenmark``, an rdflib graph, a Graph or
            EntityGraph; or a folder; or opened ``Sides`` (which have their seeds and names already).
        right: the other graph.
        seeds: known pairs: "none", "folder" (those of the folder; the default there), a file, or
            pairs of IRIs.
        names: "native", "hidden" (structure and values only), a JSON file or mapping from IRI to
            name.
        labels: vocabularies with labels of properties and classes that the graphs lack; judges
            read them.
        universe: possible answers: the folder's "test" targets, or "all" entities (always, without
            tests).
        judge: "auto" (model if one is set, else rule), "first", "rule", "model", "person", "oracle"
            (a simulation that answers from ``reference``, wrong at ``error_rate``), a Judge, or a
            function from question to verdict.
        planner: "auto" (rule), "rule", "thorough", "model", "person" (who answers from the file
            ``plans``), or a Judge.
        embedder: "local", "characters", "tiny", "openai:MODEL", "sentence-transformers:MODEL", or
            an Embedder.
        model: a chat model; by default the one the settings name, if any.
        decisions: a file of a person's decisions, which override any judge.

    Raises:
        DataError: a file is missing or malformed, has no individual, or a seed names none.
        ConfigError: a backend or judge lacks a setting.
        BackendError: an endpoint or model server fails for good.

    >>> alignment = align_entities("huts:hollenmark", "huts:corvane", embedder="characters")
    >>> len(alignment) > 100, alignment.mappings[0].kind
    (True, 'individual')
    """
    return align(
        left,
        right,
        seeds=seeds,
        names=names,
        labels=labels,
        universe=universe,
        judge=judge,
        planner=planner,
        plans=plans,
        embedder=embedder,
        model=model,
        options=options,
        look=look,
        reference=reference,
        error_rate=error_rate,
        decisions=decisions,
        run=run,
        settings=settings,
        on_event=on_event,
    ).alignment


def align(left: Source | Sides, right: Source | None = None, **given: Any) -> AlignmentOutcome:
    """The alignment as ``align_entities`` gives it, with the two sides and what it took; the same
    arguments, whose types and defaults stand there.
    """
    named = {one.name: given.pop(one.name) for one in AGENT.inputs if one.name in given}
    if given.get("reference") is not None:
        given["reference"] = links_of(given["reference"])
    if given.get("judge") == "first":
        given["look"] = replace(given.get("look", LookOptions()), share=0.0)
    task = AligningTask.of(AGENT, {"left": left, "right": right, **named}, **given)
    task.run_through()
    return task.outcome()


class AligningTask(Task):
    """An alignment in progress; its result so far is computed once, and again after any change."""

    opens = {
        "planning_model": lambda task: task.planning_model(),
        "known": lambda task: KNOWN if task.cascades else 0,
        "pairs": lambda task: task.known,
        "seeds": lambda task: task.sides.seeds,
        "candidates": lambda task: task.listed(),
        "sources": lambda task: task.tested_ends(0),
        "targets": lambda task: task.tested_ends(1),
        "plans": lambda task: task.specs["plans"] or task.option("decisions"),
    }

    def __init__(
        self, agent: Agent, specs: Mapping[str, Any], options: Mapping[str, Any], *more: Any
    ) -> None:
        self._settled: Settled | None = None
        self._walked: list[Trajectory] | None = None
        if isinstance(specs.get("names"), str) and specs["names"] == "hidden":
            options = {**options, "options": replace(options["options"], names="hidden")}
        super().__init__(agent, specs, options, *more)

    def open(self) -> dict[str, Any]:
        """Both graphs, with their seeds, names and test pairs; or those of a folder that holds
        both.
        """
        given, source = self.specs, self.opener.source
        if isinstance(given["left"], Sides):
            self.sides: Sides = given["left"]
        else:
            left, right, *labels = map(source, (given["left"], given["right"], *given["labels"]))
            self.sides = open_sides(
                left, right, seeds=given["seeds"], names=given["names"], labels=labels
            )
        # a reference that cannot be read, or is of other graphs, is reported before any work is done
        reference = self.option("reference")
        named = isinstance(reference, str | Path) and str(reference)
        if self.known or named:
            check_reference(self.sides, self.known, named or "the reference")
        return {"left": self.sides.left, "right": self.sides.right}

    @property
    def cascades(self) -> bool:
        """Whether a model is asked what the rule leaves open."""
        judge = self.option("judge")
        return judge == "cascade" or (judge == "auto" and self["model"] is not None)

    def planning_model(self) -> ChatModel | None:
        """The model that plans: the one named, that of the role plan, or the one that was given."""
        planner = self.option("planner")
        if not isinstance(planner, str) or not planner.startswith("model"):
            return None
        if planner.startswith("model:"):
            return answering_model(self.opener.settings.with_(model=planner.removeprefix("model:")))
        given: ChatModel | None = self.given.get("model")
        return given if given is not None else self.opener.model("plan")

    def digests(self) -> dict[str, str]:
        """The digest of each side by its name."""
        return self.sides.digests()

    def check(self) -> None:
        """Opens what the stages need, and reaches the scheduler, if one is named."""
        super().check()
        if scheduler := self.option("scheduler"):
            with dask_client(scheduler):
                pass

    def begin_again(self) -> None:
        """Starts a new run."""
        super().begin_again()
        self._before = self.run.totals

    @property
    def known(self) -> Links:
        """The pairs to be found: those of the reference, else the folder's test pairs."""
        reference = self.option("reference")
        return links_between(self.sides, reference) if reference != "" else self.sides.tests

    @property
    def tested(self) -> bool:
        """Whether only the entities of the test pairs are aligned."""
        return self.specs["universe"] == "test" and bool(self.sides.tests)

    def tested_ends(self, end: int) -> list[str] | None:
        """The sources (0) or targets (1) of the test pairs; None where all entities are aligned."""
        ends = dict.fromkeys(pair[end] for pair in self.sides.tests)
        return list(ends) if self.tested else None

    def listed(self) -> Links | None:
        """The pairs in a file of candidates; None without one."""
        file = self.specs.get("candidates")
        if not file:
            return None
        if not Path(file).is_file():
            fix = "A line holds source IRI, TAB, target IRI, or the columns that --ranking writes."
            raise no_file(file, fix)
        links = read_candidates(file)
        check_links(self.sides, links, str(file))
        return links

    def settled(self) -> Settled:
        """The result of the stages so far: the first alignment, changed by the judge's answers."""
        if self._settled is None:
            proposal = self.need("propose")
            aligned = self.values.get("reflect") or self.values.get("align")
            if aligned is None:
                aligned = Aligned(
                    Selected(Planned(proposal, {}, {}, "nobody"), (), self["look"]), (), "nobody"
                )
            self._settled = settle(aligned, decided=self._decided())
        return self._settled

    def _decided(self) -> Mapping[str, Decided] | None:
        decisions = decisions_of(self)
        return decisions.by_entity() if decisions else None

    def keep(self, stage: str, value: Any) -> Any:
        """Sets the value of a stage."""
        self.forget()
        return super().keep(stage, value)

    def choose(self, given: Mapping[str, Any]) -> None:
        """Changes options for later stages."""
        self.forget()
        super().choose(given)

    def forget(self) -> None:
        """Something changed, so the result must be computed again."""
        self._settled = self._walked = None

    def exported(self) -> Settled:
        """The result of the stages so far."""
        return self.settled()

    def rankings(self) -> str:
        """The ten best targets of every test source in four columns: source, rank, target, score."""
        return "".join(
            f"{source}\t{rank}\t{target}\t{score:g}\n"
            for source, ranking in rankings_of(self.outcome()).items()
            for rank, (target, score) in enumerate(ranking, start=1)
        )

    def trajectories(self, tuning: bool = False) -> str:
        """Every path of every planned entity whose counterpart is known, walked with the judge; or
        lines to tune a planner on, with the best path of each.
        """
        if self._walked is None:
            planned: Planned = self.need("plan")
            rows = sorted(planned.verdicts)
            known = dict(self.known)
            self._walked = trajectories(
                self.need("propose"), rows, known, self["judge"], options=self["look"]
            )
        planner = ModelPlanner(ScriptedModel([]))
        lines = (training_lines if tuning else as_lines)(self._walked, planner)
        return "".join(f"{line}\n" for line in lines)

    def warnings(self) -> list[str]:
        """What was read otherwise than it stands, what the graphs state of their entities, and
        whether it is a simulation.
        """
        notes = super().warnings()
        if proposal := self.values.get("propose"):
            notes += said_of_links(proposal.left, proposal.right, proposal.seeds)
            if proposal.records:
                notes += said_of_long_values(proposal.left, proposal.right)
            if self.settled().simulation:
                notes.append("SIMULATION: the judge answers from the reference")
        return notes

    def summary(self) -> list[str]:
        """How many were matched, what that cost, and the scores where pairs are known."""
        outcome = self.outcome()
        return [*outcome.settled.summary(), *outcome.cost(), *self._scores(outcome)]

    def _scores(self, outcome: AlignmentOutcome) -> list[str]:
        settled = outcome.settled
        seeded = {source for source, _ in self.sides.seeds}
        tests = [pair for pair in self.known if pair[0] not in seeded]
        if not tests:
            return []
        pairs = [(one, other) for one, other, _ in settled.pairs() if one not in seeded]
        seeds = len(self.sides.seeds)
        measured = measure(settled.rankings(), pairs, tests, universe=outcome.universe, seeds=seeds)
        ranked, scored = measured.ranking, measured.chosen
        lines = [
            f"Hits@1 {ranked.hits1:.2%}, Hits@10 {ranked.hits10:.2%}, MRR {ranked.mrr:.3f} "
            f"over {count(ranked.tests, 'test pair')}, among {measured.universe}, "
            f"{count(measured.seeds, 'seed')} ({measured.seed_ratio:.0%})",
            f"precision {100 * scored.precision:.1f} %, recall {100 * scored.recall:.1f} %, F1 {100 * scored.f1:.1f} %",
        ]
        shares = {"Hits@1": (ranked.hits1, ranked.tests), **scored.shares()}
        if few := bounds_of_few(shares):
            lines.append(few)
        sources = {source for source, _ in tests}
        if beside := sum(source not in sources for source, _ in pairs):
            strangers = count(beside, "match", "matches")
            lines.append(f"{strangers} of entities that are not in the reference: not scored")
        return lines

    def result(self) -> Alignment:
        """The alignment; choosing it is a step of the run."""
        self._settled = self.run.do(settle, self.need("reflect"), decided=self._decided())
        return self.outcome().alignment

    def outcome(self) -> AlignmentOutcome:
        """The result so far, with what this alignment took."""
        calls, *tokens = (
            self.run.totals[name] - self._before[name]
            for name in ("calls", "prompt_tokens", "completion_tokens")
        )
        universe = "the test targets" if self.tested else "all entities"
        return AlignmentOutcome(self.settled(), self.sides, self.run, universe, calls, sum(tokens))


def rankings_of(outcome: AlignmentOutcome, k: int = 10) -> Mapping[str, list[tuple[str, float]]]:
    """The k best targets of each test source with their scores, in the order of the tests."""
    settled = outcome.settled
    proposal = settled.proposal
    rows = {proposal.left.entities[int(source)]: row for row, source in enumerate(proposal.sources)}
    wanted = list(dict.fromkeys(one for one, _ in outcome.sides.tests)) or list(rows)
    return {iri: settled.ranking(rows[iri])[:k] for iri in wanted if iri in rows}
