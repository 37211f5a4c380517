"""The ontology matching a notebook is in the middle of: each stage's value, in order, and the run that records them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from kgnb.agents.ontology_matching.judges import JUDGES
from kgnb.agents.ontology_matching.values import Options
from kgnb.errors import KgnbError
from kgnb.kg.ontology import Ontology
from kgnb.magics.progress import Progress, duration
from kgnb.results.bundle import count, one_of
from kgnb.run import Call, Event, Run, Step

STAGES = ("retrieve", "store", "search", "summarise", "validate", "merge")


@dataclass(frozen=True)
class Judging:
    """Who judges the candidates, and how."""

    judge: str = field(
        default="auto", metadata={"help": "who decides; auto: cascade with a model, rule without", "choices": JUDGES}
    )
    error_rate: float = field(
        default=0.0, metadata={"help": "share of wrong answers of the oracle, a simulation", "min": 0.0, "max": 1.0}
    )
    seed: int = field(default=0, metadata={"help": "seed of the oracle's errors", "min": 0})
    decisions: str = field(default="", metadata={"help": "file of a person's decisions; they override the judge"})


@dataclass(frozen=True)
class Storing:
    """Where descriptions are kept, and what makes vectors of them."""

    embedder: str = field(
        default="", metadata={"help": "local, characters, tiny, openai:MODEL or sentence-transformers:MODEL"}
    )
    index: str = field(default="", metadata={"help": "memory, a folder or a Qdrant URL"})


class OutOfOrder(KgnbError):
    """A stage was asked for before the one it builds on."""


class MatchingTask:
    """Two ontologies and how far matching them has come.

    A stage's value is kept only once the stage is through: an error or Stop leaves the earlier ones as they were.

    Args:
        specs: what the ontologies were opened from, to read them again with other options.
        new_run: makes a run for this task that tells its events to a function.
    """

    def __init__(
        self,
        source: Ontology,
        target: Ontology,
        options: Options,
        *,
        specs: tuple[Any, Any],
        reference: str = "",
        judging: Judging = Judging(),
        storing: Storing = Storing(),
        new_run: Callable[[MatchingTask, Callable[[Event], None]], Run],
    ) -> None:
        self.source, self.target, self.options = source, target, options
        self.specs, self.reference, self.judging, self.storing = specs, reference, judging, storing
        self.values: dict[str, Any] = {}
        self._new_run = new_run
        self._progress: Progress | None = None
        self.run = new_run(self, self._tell)

    def begin_again(self) -> None:
        """Starts a new run, with the budget as it is set now; the values stay until their stage is run again."""
        self.run = self._new_run(self, self._tell)

    def choose(self, options: Options, read: Callable[..., Ontology]) -> None:
        """Takes other options; the ontologies are read again where individuals come in or fall out."""
        if options.individuals != self.options.individuals:
            self.source, self.target = (read(spec, individuals=options.individuals) for spec in self.specs)
            self.values.clear()
        self.options = options

    def need(self, stage: str) -> Any:
        """The value of a stage.

        Raises:
            OutOfOrder: it has not been run; the message says which lines to run first.
        """
        if stage in self.values:
            return self.values[stage]
        last = STAGES.index(stage)
        first = max((at + 1 for at, name in enumerate(STAGES[:last]) if name in self.values), default=0)
        lines = [f"%om {name}" for name in STAGES[first : last + 1]]
        raise OutOfOrder(
            f"the stage {stage} has not been run yet",
            fix=f"Run first, in a cell above: {', then '.join(lines)}" + (", or all at once: %om run" if last else ""),
        )

    def do(self, stage: str, progress: Progress, function: Callable[..., Any], *work: Any) -> Any:
        """Runs one stage, keeps its value, drops what was built on an older one, and says so in one line."""
        dropped = [name for name in STAGES[STAGES.index(stage) + 1 :] if name in self.values]
        value = self.step(stage, progress, function, *work)
        line = summary(self.run.steps[-1])
        progress.say(line + (f"; dropped, to be run again: {', '.join(dropped)}" if dropped else ""))
        return value

    def step(
        self,
        stage: str,
        progress: Progress,
        function: Callable[..., Any],
        inputs: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        """Runs one stage as a step of the run, with its progress shown, and keeps its value."""
        with self.telling(progress):
            value = self.run.do(function, *inputs, **options)
        for name in STAGES[STAGES.index(stage) :]:
            self.values.pop(name, None)
        self.values[stage] = value
        if stage == STAGES[-1]:
            self.run.finish()  # a stage run again opens it again
        return value

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


def summary(*steps: Step, name: str = "") -> str:
    """What one step did, or several together, in one line: counts of the last, calls, tokens, money, seconds.

    >>> summary(Step(1, "search", counts={"pairs": 1200}, seconds=0.52))
    'search: 1,200 pairs; 0 model calls; 0.5 s'
    """
    last = steps[-1]
    counts = ", ".join(f"{value:,} {one_of(what) if value == 1 else what}" for what, value in last.counts.items())
    calls = [call for step in steps for call in step.calls]
    parts = [": ".join(filter(None, (name or last.name, counts))), *spent(calls)]
    return "; ".join([*parts, duration(sum(step.seconds or 0.0 for step in steps))])


def spent(calls: Iterable[Call]) -> list[str]:
    """What model calls took: how many, tokens, money."""
    made = list(calls)
    cached = sum(call.cached for call in made)
    said = [count(len(made), "model call") + (f" ({cached:,} from cache)" if cached else "")]
    if made:
        tokens = sum(call.prompt_tokens + call.completion_tokens for call in made)
        known = [call.usd for call in made if call.usd is not None]
        said += [f"{tokens:,} tokens", money(sum(known) if len(known) == len(made) else None)]
    return said


def money(usd: float | None) -> str:
    """A sum of money, or that it is not known.

    >>> money(0.0123), money(None)
    ('$0.0123', 'price not known')
    """
    return "price not known" if usd is None else f"${usd:.4f}"
