"""The entity alignment a notebook is in the middle of: each stage's value, in order, and the run that records them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from kgnb.agents.entity_alignment.judges import JUDGES, PLANNERS
from kgnb.agents.entity_alignment.looking import Aligned, LookOptions, Planned, Selected
from kgnb.agents.entity_alignment.reviewed import EntityDecisions
from kgnb.agents.entity_alignment.settle import settle
from kgnb.agents.entity_alignment.settled import Settled
from kgnb.agents.entity_alignment.values import Options
from kgnb.magics.matching import OutOfOrder, summary
from kgnb.magics.progress import Progress
from kgnb.run import Event, Run
from kgnb.tasks.sides import Links, Sides

STAGES = ("propose", "plan", "select", "align", "reflect")


@dataclass(frozen=True)
class Looking:
    """Who plans and who judges, and from what."""

    judge: str = field(
        default="auto", metadata={"help": "who decides; auto: the model if one is set, else rule", "choices": JUDGES}
    )
    planner: str = field(
        default="auto", metadata={"help": "who plans; auto: the policy if given, else rule", "choices": PLANNERS}
    )
    policy: str = field(default="", metadata={"help": "file of a learned policy, as %ea optimise writes it"})
    error_rate: float = field(
        default=0.0, metadata={"help": "share of wrong answers of the oracle, a simulation", "min": 0.0, "max": 1.0}
    )
    oracle_seed: int = field(default=0, metadata={"help": "which answers of the oracle are wrong", "min": 0})
    embedder: str = field(
        default="", metadata={"help": "local, characters, tiny, openai:MODEL or sentence-transformers:MODEL"}
    )
    decisions: str = field(default="", metadata={"help": "file of a person's decisions; they override the judge"})


@dataclass
class AligningTask:
    """Two graphs and how far aligning their entities has come; a stage's value is kept once the stage is through."""

    sides: Sides
    options: Options
    look: LookOptions
    looking: Looking
    new_run: Callable[[AligningTask, Callable[[Event], None]], Run]
    reference: Links = ()
    universe: str = "test"
    values: dict[str, Any] = field(default_factory=dict)
    _progress: Progress | None = None
    _settled: Settled | None = None

    def __post_init__(self) -> None:
        self.run = self.new_run(self, self._tell)

    def begin_again(self) -> None:
        """Starts a new run; the values stay until their stage is run again."""
        self.run = self.new_run(self, self._tell)

    def need(self, stage: str) -> Any:
        """The value of a stage; OutOfOrder, saying which lines to run first, if it has not been run."""
        if stage in self.values:
            return self.values[stage]
        last = STAGES.index(stage)
        first = max((at + 1 for at, name in enumerate(STAGES[:last]) if name in self.values), default=0)
        lines = [f"%ea {name}" for name in STAGES[first : last + 1]]
        raise OutOfOrder(
            f"the stage {stage} has not been run yet",
            fix=f"Run first, in a cell above: {', then '.join(lines)}, or all at once: %ea run",
        )

    def do(self, stage: str, progress: Progress, function: Callable[..., Any], *inputs: Any, **options: Any) -> Any:
        """Runs one stage as a step of the run, keeps its value, drops what was built on an older one, and says so."""
        after = STAGES[STAGES.index(stage) + 1 :] if stage in STAGES else ()
        dropped = [name for name in after if name in self.values]
        with self.telling(progress):
            value = self.run.do(function, *inputs, **options)
        for name in after:
            self.values.pop(name, None)
        self.values[stage], self._settled = value, None
        line = summary(self.run.steps[-1])
        progress.say(line + (f"; dropped, to be run again: {', '.join(dropped)}" if dropped else ""))
        return value

    def settled(self) -> Settled:
        """What the stages so far come to: the first alignment, changed by what was answered."""
        if self._settled is None:
            proposal = self.need("propose")
            aligned = self.values.get("reflect") or self.values.get("align")
            if aligned is None:
                aligned = Aligned(Selected(Planned(proposal, {}, {}, "nobody"), (), self.look), (), "nobody")
            decisions = self.decisions()
            self._settled = settle(aligned, rulings=decisions.rulings() if decisions else None)
        return self._settled

    def decisions(self) -> EntityDecisions | None:
        """The file of a person's decisions, if one was named."""
        return EntityDecisions(self.looking.decisions) if self.looking.decisions else None

    def decided(self) -> None:
        """Somebody decided something: what was settled is out of date."""
        self._settled = None

    def asked(self) -> dict[str, Sequence[str] | None]:
        """Who is asked about and who may be an answer."""
        tests = self.sides.tests if self.universe == "test" else ()
        return {
            "sources": [one for one, _ in tests] or None,
            "targets": [other for _, other in tests] or None,
        }

    def tests(self) -> Links:
        """The pairs to measure against: the reference, else the folder's test pairs, without what was a seed."""
        seeded = {one for one, _ in self.sides.seeds}
        return tuple(pair for pair in self.reference or self.sides.tests if pair[0] not in seeded)

    def choose(self, **changes: Any) -> None:
        """Takes other options for the stages to come."""
        for name in ("options", "look", "looking"):
            if changes.get(name):
                setattr(self, name, replace(getattr(self, name), **changes[name]))
        self._settled = None

    @contextmanager
    def telling(self, progress: Progress) -> Iterator[None]:
        """While this lasts, the run's events are shown; the progress of what fails is taken away."""
        self._progress = progress
        try:
            yield
        except BaseException:
            progress.clear()
            raise
        finally:
            self._progress = None

    def _tell(self, event: Event) -> None:
        if self._progress is not None:
            self._progress.event(event)
