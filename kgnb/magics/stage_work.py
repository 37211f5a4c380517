"""What each stage of ontology matching is called with in a notebook: the session's model, judge, embedder and index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from kgnb import tasks
from kgnb.agents.ontology_matching import pipeline
from kgnb.agents.ontology_matching.judges import make_judge
from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.reviewed import Reviewed
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import MatchQuestion
from kgnb.judging import Judge
from kgnb.llm.model import ChatModel
from kgnb.magics.matching import MatchingTask, OutOfOrder
from kgnb.magics.progress import Progress, announced
from kgnb.magics.session import Session
from kgnb.mappings import Alignment
from kgnb.run import Event, Run
from kgnb.vectors.cached_embedder import CachedEmbedder
from kgnb.vectors.embedder import Embedder


class StageWork:
    """Stages and their arguments, as the session has them set now."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def kept(self, task: MatchingTask) -> Alignment:
        """The alignment, with every decision of a person in it."""
        decisions = tasks.open_decisions(task.judging.decisions) if task.judging.decisions else None
        kept = tasks.keep_decisions(task.values["merge"], decisions, task.source, task.target, task.options)
        task.values["merge"] = kept
        return kept

    def of(self, stage: str, task: MatchingTask) -> tuple[Callable[..., Any], Sequence[Any], dict[str, Any]]:
        """A stage's function and what it is called with."""
        options = {"options": task.options}
        match stage:
            case "retrieve":
                return retrieve, (task.source, task.target), {**options, "model": self._model(task)}
            case "store":
                described = task.need("retrieve")
                return store, (described, self._session.index(task.storing.index), self._embedder(task)), {}
            case "search":
                return search, (task.need("store"),), options
            case "summarise":
                return summarise, (task.need("search"),), options
            case "validate":
                return validate, (task.need("summarise"), self._judge(task)), {}
            case _:
                return merge, (task.need("validate"),), options

    def new_run(self, task: MatchingTask, tell: Callable[[Event], None]) -> Run:
        """A run for this task, kept by the session."""
        parameters = {**asdict(task.options), **asdict(task.storing)}
        run = tasks.new_run(
            "ontology_matching",
            tasks.digests(task.source, task.target),
            parameters=parameters,
            settings=self._session.settings,
            on_event=tell,
        )
        self._session.runs.append(run)
        return run

    def _model(self, task: MatchingTask) -> ChatModel | None:
        """The session's model, watched by the run; none where the judge makes no use of one."""
        model = self._session.model() if task.judging.judge in ("auto", "model", "cascade") else None
        return task.run.watch(model) if model is not None else None

    def _embedder(self, task: MatchingTask) -> Embedder:
        embedder = self._session.embedder(task.storing.embedder)
        if isinstance(embedder, CachedEmbedder):
            embedder.on_progress = lambda done, total: task.run.progress(done, total, "texts embedded")
        return embedder

    def _judge(self, task: MatchingTask) -> Judge[MatchQuestion]:
        judging, exclusive = task.judging, task.options.cardinality == "1:1"
        decisions = tasks.open_decisions(judging.decisions) if judging.decisions else None
        judge = make_judge(
            judging.judge,
            model=self._model(task),
            reference=tasks.reference_pairs(task.reference) if task.reference else None,
            error_rate=judging.error_rate,
            seed=judging.seed,
            decisions=decisions if judging.judge == "person" else None,
            exclusive=exclusive,
            context=task.options.context,
            ask=task.options.ask,
            width=self._session.settings.width,
            remember=lambda asked: tasks.remembering(asked, self._session.settings),
        )
        judge = announced(judge, task.run.progress)
        if decisions is not None and judging.judge != "person":
            judge = Reviewed(decisions, judge, exclusive=exclusive)
        return task.run.watch_judge(judge)

    def follow_the_model(self, task: MatchingTask, progress: Progress) -> None:
        """Lets the session's model choose the stages; the task then has an alignment and nothing on the way to it."""
        model = self._session.model()
        if model is None:
            raise OutOfOrder("--plan model needs a model", fix="Name one first: %llm use MODEL")
        with task.telling(progress):
            alignment = pipeline.match_ontologies(
                task.source,
                task.target,
                index=self._session.index(task.storing.index),
                embedder=self._embedder(task),
                judge=self._judge(task),
                options=task.options,
                model=task.run.watch(model),
                run=task.run,
                plan="model",
            )
        task.values = {"merge": alignment}
