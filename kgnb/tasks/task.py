"""A task: one use of an agent, with its inputs, its options, and the values of its stages so far.

Scripts, commands, reports, MCP clients and notebooks all run agents by it. They differ only in the
``Opener``: where models, embedders, indexes and inputs come from. A notebook's session is an opener
that keeps things open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from kgnb.agents.agent import SHARED, Agent, Input, OutOfOrder
from kgnb.agents.options import described, given_of, names_of
from kgnb.backends import file_of, open_embedder, open_graph, open_index, open_ontology
from kgnb.errors import BackendError, DataError
from kgnb.files import no_file
from kgnb.judging import CallableJudge, Decisions, Judge
from kgnb.kg.graph import reading_notes
from kgnb.kg.ontology import Ontology
from kgnb.llm.model import ChatModel
from kgnb.results.bundle import one_of
from kgnb.run import Event, Run, failures
from kgnb.settings import Settings
from kgnb.tasks.running import (
    Role,
    answering_model,
    digests_of,
    judge_and_model,
    new_run,
    remembering,
)
from kgnb.vectors.cached_embedder import CachedEmbedder
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.index import VectorIndex

PLACES = ("file", "folder")
DECIDED = ("decisions", "plans")  # options and inputs that name files of a person's decisions
# judges that may ask a model
ASKING = ("auto", "model", "cascade", "paper", "closed-book", "graph+knowledge")


class Opener:
    """Opens what tasks work with, as the settings say; a model and an index are opened once.

    Args:
        run: the run of its tasks, left open at the end; by default each task has its own.
        folder: where a task's own run is saved.
        on_event: called with every event of a task's own run.
    """

    watched = False
    """Whether a person watches who can run a stage again: what a model's server failed to answer is
    then an error of the stage.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        run: Run | None = None,
        folder: Path | None = None,
        on_event: Callable[[Event], Any] | None = None,
    ) -> None:
        self.settings = settings or Settings.load()
        self.run = run
        self.folder, self._on_event = folder, on_event
        self._models: dict[Settings, ChatModel | None] = {}
        self._indexes: dict[str, VectorIndex] = {}

    def model(self, role: Role = "judge") -> ChatModel | None:
        """The chat model that the settings name for this role; None if there is none."""
        settings = self.settings.of_role(role)
        if settings not in self._models:
            self._models[settings] = answering_model(settings)
        return self._models[settings]

    def embedder(self, name: str = "") -> Embedder:
        """The embedder of this name, or that of the settings."""
        return open_embedder(name or None, self.settings)

    def index(self, location: str = "") -> VectorIndex:
        """The index at this location, or that of the settings."""
        location = location or self.settings.index
        if location not in self._indexes:
            self._indexes[location] = open_index(location, self.settings)
        return self._indexes[location]

    def source(self, spec: Any) -> Any:
        """What a person means by a graph's name."""
        return spec

    def digests(self, spec: Any) -> Mapping[str, str]:
        """The digests of the files behind a graph that is open by name."""
        return {}

    def ontology(self, spec: Any, *, individuals: bool = False) -> Ontology:
        """The ontology given by a path, a URL, a data set or a Python object."""
        return open_ontology(spec, individuals=individuals)

    def opened(self, one: Input, spec: Any) -> Any:
        """An input, opened as its kind says and then read; a default, and what a script gives in
        place of a file, as it is.

        Raises:
            DataError: a file or folder is not there, or cannot be read.
        """
        if spec is one.default or (one.kind in PLACES and not isinstance(spec, str | Path)):
            return spec
        value = self._opened(one.kind, spec)
        return one.read(value) if one.read is not None else value

    def _opened(self, kind: str, spec: Any) -> Any:
        if kind == "graph":
            return open_graph(self.source(spec))
        if kind == "ontology":
            return self.ontology(spec)
        if kind in PLACES:
            path = Path(file_of(spec)).expanduser()
            if not (path.is_file() if kind == "file" else path.is_dir()):
                raise no_file(path, f"Name a {kind} that exists.", kind)
            return path
        return spec

    def new_run(self, agent: str, data: Mapping[str, str], parameters: Mapping[str, Any]) -> Run:
        """A run over this data (the digest of every input by its name)."""
        return self.run or new_run(
            agent,
            data,
            parameters=parameters,
            settings=self.settings,
            folder=self.folder,
            on_event=self._on_event,
        )


class Task:
    """An agent's inputs and options, and the values of its stages so far.

    A stage's value is kept only when the stage is finished: an error or Stop leaves the earlier
    values as they are.

    Args:
        specs: the inputs as given, by name.
        options: the options objects, by the agent's names for them.
        opener: opens the inputs, and whatever the agent does not have itself.
        given: what is open already, by name: a model, an embedder, an index; or a judge, a
            reference, decisions in
            place of the option that would name it.
    """

    opens: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    judged: ClassVar[bool] = True  # its judge answers questions; a function is made one
    """What this kind of task opens for stages, made from the task; it comes before what the agent
    provides and what all tasks open.
    """

    def __init__(
        self,
        agent: Agent,
        specs: Mapping[str, Any],
        options: Mapping[str, Any],
        opener: Opener,
        given: Mapping[str, Any] | None = None,
    ) -> None:
        self.agent, self.specs, self.options = agent, agent.specs(specs), dict(options)
        self.opener, self.given = opener, dict(given or {})
        self.values: dict[str, Any] = {}
        self.held = dict(self.parameters())  # what the start has set: it holds for every line
        self.by_stage: dict[str, dict[str, Any]] = {}  # what the line of a stage gave
        self.dropped: tuple[str, ...] = ()  # by the last stage: those built on an older value of it
        self.inputs = self._opened()
        self.begin_again()

    @classmethod
    def of(
        cls,
        agent: Agent,
        inputs: Mapping[str, Any],
        *,
        run: Run | None = None,
        settings: Settings | None = None,
        folder: Path | None = None,
        on_event: Callable[[Event], Any] | None = None,
        **told: Any,
    ) -> Self:
        """A task with these options, by name, or objects of the options classes; what is None is
        left out.

        What a name cannot say is given as it is: a model, an embedder, a judge (or a function from
        a question to a verdict), a reference. The judge ``recorded:NAME`` or ``batch:FOLDER`` is
        one that asks that model.

        Raises:
            TypeError: a name is no option, and nothing that the agent takes.
        """
        settings = settings or Settings.load()
        told = {name: _plain(value) for name, value in told.items() if value is not None}
        kinds = {
            one.name: one.kind for options in agent.options.values() for one in described(options)
        }
        if unknown := told.keys() - kinds.keys() - agent.options.keys() - {"model"}:
            raise TypeError(f"agent {agent.name} takes no {min(unknown)}")
        judge = told.get("judge")
        if isinstance(judge, str):
            told["judge"], settings = judge_and_model(judge, settings)
        elif cls.judged and callable(judge) and "judge" in kinds and not isinstance(judge, Judge):
            told["judge"] = CallableJudge(judge)
        named = {
            name: value
            for name, value in told.items()
            if name in kinds and (kinds[name] is not str or isinstance(value, str))
        }
        chosen = agent.chosen(named) | {name: told[name] for name in agent.options if name in told}
        given = {name: told[name] for name in told if name not in named and name not in chosen}
        opener = Opener(settings, run=run, folder=folder, on_event=on_event)
        return cls(agent, inputs, chosen, opener, given)

    def open(self) -> dict[str, Any]:
        """Every input, opened according to its kind."""
        return {
            one.name: self.opener.opened(one, self.specs[one.name]) for one in self.agent.inputs
        }

    def _opened(self) -> dict[str, Any]:
        opened = self.open()
        return self.agent.prepare(opened) if self.agent.prepare else opened

    def begin_again(self) -> None:
        """Starts a new run with the current budget; values stay until their stage is run again."""
        named = {
            name: [*map(_named, spec)] if isinstance(spec, list) else spec
            for name, spec in self.specs.items()
            if isinstance(spec, str | list | bool)
        }
        self.run = self.opener.new_run(self.agent.name, self.digests(), self.parameters() | named)

    def digests(self) -> dict[str, str]:
        """The digest of every input by its name, as a run records them."""
        return digests_of({one.name: self.inputs[one.name] for one in self.agent.inputs})

    def option(self, name: str) -> Any:
        """The value of one option, or what was given in its place."""
        if name in self.given:
            return self.given[name]
        return next(
            getattr(one, name) for one in self.options.values() if name in names_of(type(one))
        )

    def parameters(self) -> dict[str, Any]:
        """All options by name, as a run records them."""
        return {name: value for one in self.options.values() for name, value in asdict(one).items()}

    def choose(self, given: Mapping[str, Any]) -> None:
        """Changes options for later stages; inputs that depend on them are opened again.

        Raises:
            ValueError: a value is not allowed; then no option changes.
        """
        before = [*map(self.option, self.agent.reopens)]
        new = {key: replace(one, **given_of(type(one), given)) for key, one in self.options.items()}
        self.options = new
        if before != [*map(self.option, self.agent.reopens)]:
            self.inputs = self._opened()
            self.values.clear()

    def choose_for(self, stages: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
        """Chooses the options of a line that runs these stages, in order (none: it runs no stage).

        What the start has set holds, what the lines gave that made the values these stages build on,
        and what this line gives. An option of any other line does not: a line means the same
        whatever was tried before it.

        Returns: the options that hold because an earlier line gave them.

        Raises:
            ValueError: a value is not allowed; then no option changes.
        """
        order = self.agent.sequence
        own = {name: value for name, value in given.items() if name in self.held}
        below = order[: order.index(stages[0])] if stages else order
        inherited: dict[str, Any] = {}
        for stage in below:
            if stage in self.values:
                inherited |= self.by_stage.get(stage, {})
        self.choose({**self.held, **inherited, **own})
        for stage in stages:
            read = {*self.agent.stage(stage).options}
            if stage == order[0]:
                read |= {*self.agent.reopens}
            self.by_stage[stage] = {name: own[name] for name in own if name in read}
        return {
            name: value
            for name, value in inherited.items()
            if name not in own and value != self.held[name]
        }

    def hold(self, given: Mapping[str, Any]) -> None:
        """Changes options for every later line."""
        self.held |= {name: value for name, value in given.items() if name in self.held}
        self.choose(given)

    def __getitem__(self, name: str) -> Any:
        """The argument of a stage with this name; models and judges record on the run what they are
        asked.
        """
        if name in self.agent.sequence:
            return self.need(name)
        for known in (self.inputs, self.options):
            if name in known:
                return known[name]
        value = self.given[name] if name in self.given else self.opening(name)(self)
        if isinstance(value, Judge):
            return self.run.watch_judge(value)
        return self.run.watch(value) if isinstance(value, ChatModel) else value

    def opening(self, name: str) -> Callable[[Any], Any]:
        """What opens the argument of a stage with this name; KeyError if nothing does."""
        for known in (self.opens, self.agent.provides, SHARED_OPENS):
            if name in known:
                return known[name]
        raise KeyError(f"agent {self.agent.name}: nothing opens {name}")

    def need(self, stage: str) -> Any:
        """The value of a stage.

        Raises:
            OutOfOrder: it has not been run; the message says what to run first.
        """
        if stage in self.values:
            return self.values[stage]
        order, magic = self.agent.sequence, self.agent.magic
        last = order.index(stage)
        first = max(
            (at + 1 for at, name in enumerate(order[:last]) if name in self.values), default=0
        )
        lines = [f"%{magic} {name}" for name in order[first : last + 1]]
        raise OutOfOrder(
            f"the stage {stage} has not been run yet",
            fix=f"Run first, in a cell above: {', then '.join(lines)}"
            + (f", or all at once: %{magic} run" if last else ""),
        )

    def do(self, stage: str, **instead: Any) -> Any:
        """Runs one stage as a step of the run, keeps its value and drops those built on an older
        one.

        ``instead`` replaces arguments of the stage, by name.

        Raises:
            OutOfOrder: a stage that it builds on has not been run.
            BackendError: the model's server failed on some questions, and a person watches; the
                other answers are kept.
        """
        work = self.agent.stage(stage)

        def needed(name: str) -> Any:
            return instead[name] if name in instead else self[name]

        positional, keywords = (
            list(map(needed, work.needs)),
            {key: needed(name) for key, name in work.keywords.items()},
        )
        value = self.run.do(work.function, *positional, **keywords)
        self.keep(stage, value)
        if self.opener.watched and (failed := failures(self.run.steps[-1:])):
            again = self.run.steps[-1].name
            raise BackendError(
                failed,
                service="",
                fix=f"What was judged is kept. Run {again} again: it asks the rest.",
            )
        return value

    def keep(self, stage: str, value: Any) -> Any:
        """Sets the value of a stage."""
        order = self.agent.sequence
        later = order[order.index(stage) + 1 :] if stage in order else ()
        self.dropped = tuple(name for name in later if self.values.pop(name, None) is not None)
        self.values.pop(stage, None)
        self.values[stage] = value
        if order and stage == order[-1] and self.opener.run is None:
            self.run.finish()  # running a stage again reopens it
        return value

    def check(self) -> None:
        """Opens what the options and inputs name for the stages (judges, embedder, index, files), so
        that a name of nothing is reported before any work is done.

        Raises:
            DataError: decisions are to be saved in a folder that is not there.
        """
        for file in self.decided_in():
            if not Path(file).absolute().parent.is_dir():
                raise DataError(
                    "the folder of this file is not there",
                    where=file,
                    fix="Name a file of decisions in a folder that exists.",
                )
        opened = {*self.agent.judges, *self.opens, *SHARED_OPENS}
        stages = map(self.agent.stage, self.agent.sequence)
        needs = [name for one in stages for name in (*one.needs, *one.keywords.values())]
        for name in dict.fromkeys((*self.agent.judges, *needs)):
            if name in opened:
                self[name]

    def run_through(self) -> Any:
        """Runs all stages; returns the result."""
        self.check()
        with self.ending():
            for stage in self.agent.sequence:
                self.do(stage)
            return self.result()

    def result(self) -> Any:
        """What the agent is for, once all stages have run: the value of the last one."""
        return self.need(self.agent.sequence[-1])

    def exported(self) -> Any:
        """What the agent's exports write."""
        return self.need(self.agent.sequence[-1])

    def written(self, name: str) -> str:
        """What the agent exports as the text of a file with this name.

        Raises:
            ValueError: its suffix is none of the agent's.
        """
        suffix = next((one for one in self.agent.exports if name.lower().endswith(one)), None)
        if suffix is None:
            known = ", ".join(self.agent.exports) or "nothing"
            raise ValueError(f"{Path(name).name} has no known suffix: export to {known}")
        return self.agent.exports[suffix](self.exported())

    def warnings(self) -> list[str]:
        """What has to be known before the result is read: what was read otherwise than it stands in
        the inputs, or that the result is a simulation.
        """
        read = {id(value): value for value in self.inputs.values()}  # one table is both sides
        notes = [note for value in read.values() for note in reading_notes(value)]
        return [*notes, *self.unread()]

    def unread(self) -> list[str]:
        """Which files of decisions could not have decided anything."""
        said = "is not there yet: nobody's decisions were read from it"
        return [f"{file} {said}" for file in self.decided_in()]

    def decided_in(self) -> list[str]:
        """The files of a person's decisions that are named and not there yet."""
        named = {**self.specs, **self.parameters()}
        files = dict.fromkeys(map(named.get, DECIDED))
        return [one for one in files if one and isinstance(one, str) and not Path(one).exists()]

    def summary(self) -> list[str]:
        """What there is to say of the result, most important first; one line each."""
        return [counted(self.run.steps[-1].counts) or "done"]

    def failed(self) -> list[str]:
        """What could not be done, one line each; the result is of the rest."""
        return []

    def ending(self) -> Any:
        """Ends the run with the block; a run that was given stays open."""
        return self.run if self.opener.run is None else nullcontext()


def counted(counts: Mapping[str, float]) -> str:
    """Counts in words.

    >>> counted({"entities": 12, "classes": 1, "links": 1, "to review": 1})
    '12 entities, 1 class, 1 link, 1 to review'
    """
    return ", ".join(
        f"{number:,} {one_of(what) if number == 1 else what}" for what, number in counts.items()
    )


def _model(task: Task, role: Role) -> ChatModel | None:
    """The model that a task was given, else that of the settings, if its judge may ask one."""
    parameters = task.parameters()
    asks = "judge" not in parameters or task.option("judge") in ASKING
    if "model" in task.given or not (asks or "model" in parameters.values()):
        model: ChatModel | None = task.given.get("model")
        return model
    return task.opener.model(role)


def _embedder(task: Task) -> Embedder:
    chosen = task.parameters().get("embedder") or ""
    embedder = task.opener.embedder(chosen)
    if isinstance(embedder, CachedEmbedder):
        embedder.on_progress = lambda done, total: task.run.progress(done, total, "texts embedded")
    return embedder


SHARED_OPENS: Mapping[str, Callable[[Task], Any]] = {
    "model": lambda task: _model(task, "judge"),
    "writer": lambda task: _model(task, "write"),
    "embedder": _embedder,
    "index": lambda task: task.opener.index(task.parameters().get("index") or ""),
    "settings": lambda task: task.opener.settings,
    "remember": lambda task: partial(remembering, settings=task.opener.settings),
    "run": lambda task: task.run,
}
"""How what every agent's stages may ask for is opened."""
assert set(SHARED_OPENS) == set(SHARED)


def _named(value: Any) -> Any:
    """A value of a list as a run records it: a path as text, a function by its name."""
    if isinstance(value, str | int | float | bool | Path):
        return value
    return str(getattr(value, "__name__", type(value).__name__))


def _plain(value: Any) -> Any:
    """A path, or the path of a file of decisions, as text; anything else unchanged."""
    value = value.path if isinstance(value, Decisions) else value
    return str(value) if isinstance(value, Path) else value
