"""Ontology matching: its task, and the function a script calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast
from typing import Literal as OneOf

from kgnb.agents.ontology_matching import AGENT
from kgnb.agents.ontology_matching.pipeline import run_as_planned
from kgnb.agents.ontology_matching.reviewed import (
    GivenDecisions,
    MatchDecisions,
    PairDecision,
    PairDecisions,
    honoured,
)
from kgnb.agents.ontology_matching.values import MatchQuestion, Options
from kgnb.backends import OntologySource, file_of
from kgnb.errors import ConfigError
from kgnb.judging import Decisions, Judge, Verdict
from kgnb.kg.ontology import Kind
from kgnb.llm.model import ChatModel
from kgnb.mapping_files import load_reference, reviews
from kgnb.mappings import Alignment
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.task import Listener, Task
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.index import VectorIndex


def match_ontologies(
    source: OntologySource,
    target: OntologySource,
    *,
    judge: str | Judge[MatchQuestion] | Callable[[MatchQuestion], Verdict] = "auto",
    embedder: str | Embedder | None = None,
    index: str | VectorIndex | None = None,
    model: ChatModel | None = None,
    options: Options = Options(),
    reference: Alignment | Iterable[tuple[str, str]] | str | Path | None = None,
    error_rate: float = 0.0,
    seed: int = 0,
    decisions: Decisions | str | Path | None = None,
    plan: OneOf["fixed", "model"] = "fixed",
    run: Run | None = None,
    settings: Settings | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> Alignment:
    """The alignment of two ontologies, given as paths, endpoint URLs, graphs or Ontology values.

    Args:
        judge: "auto" (cascade if a model is set, else rule), "rule", "model", "cascade", "person",
        "oracle", a Judge,
            or any function from a question to a verdict.
        embedder: "local", "characters", "tiny", "openai:MODEL", "sentence-transformers:MODEL", or
        an Embedder. index: "memory", a folder, a Qdrant URL, or a VectorIndex.
        model: a chat model; by default the one the settings name, if any.
        reference: what the "oracle" judge answers from: an alignment, its file, or pairs of IRIs.
        error_rate: the share of questions the oracle gets wrong; ``seed`` decides which.
        decisions: a file of a person's decisions (.jsonl, or SSSOM), which override any judge.
        plan: "fixed", or "model" to let the model choose each next stage.
        run: records steps, judgements and calls; a new one by default.

    Raises:
        DataError: a file is missing, malformed or has no class or property.
        ConfigError: a backend or judge lacks a setting.
        BackendError: an endpoint, store or model server fails for good.

    >>> alignment = match_ontologies("huts:alpine", "huts:refuge", embedder="characters")
    >>> len(alignment) > 10
    True
    """
    inputs = {"source": source, "target": target, "plan": plan}
    known = reference_pairs(reference) if reference is not None else None
    return MatchingTask.of(
        AGENT,
        inputs,
        judge=judge,
        embedder=embedder,
        index=index,
        model=model,
        options=options,
        reference=known,
        error_rate=error_rate,
        seed=seed,
        decisions=decisions,
        run=run,
        settings=settings,
        on_event=on_event,
    ).run_through()


class MatchingTask(Task):
    """A match in progress; its alignment contains every decision of a person."""

    more = {"plan": "fixed"}

    def open(self) -> dict[str, Any]:
        """Both ontologies; a reference that cannot be read is reported before any work is done."""
        self.lend("pairs")
        individuals = self.option("individuals")
        return {
            side: self.opener.ontology(self.specs[side], individuals=individuals)
            for side in ("source", "target")
        }

    def lend(self, name: str) -> Any:
        """What the judges read from files, and what every agent is lent."""
        match name:
            case "pairs":
                reference = self.option("reference")
                return reference_pairs(reference) if reference != "" else None
            case "decided":
                return (
                    open_decisions(self.option("decisions")) if self.option("decisions") else None
                )
            case "writer" if self.option("define"):
                # definitions are asked for by name: whoever judges, they are written
                model = self.given.get("model") or self.opener.model("write")
                if model is None:
                    raise ConfigError(
                        "--define lets a model write definitions, and none is set",
                        fix="In a notebook: %llm use MODEL. Else set KGNB_MODEL, or leave out --define.",
                    )
                return model
        return super().lend(name)

    def keep(self, stage: str, value: Any) -> Any:
        """Sets the value of a stage; decisions also hold for pairs that were not candidates."""
        decisions: PairDecisions | None = self["decided"] if stage == "merge" else None
        if decisions is not None:
            exclusive = self.option("cardinality") == "1:1"
            value = honoured(
                value, decisions.by_pair(), self["source"], self["target"], exclusive=exclusive
            )
        return super().keep(stage, value)

    def run_through(self, listener: Listener | None = None) -> Alignment:
        """Runs all stages, in order or as a model plans; ValueError for a plan without a model."""
        alignment: Alignment
        if self.specs["plan"] == "fixed":
            alignment = super().run_through(listener)
            return alignment
        model = self.given.get("model") or self.opener.model("plan")
        if model is None:
            raise ValueError(
                "--plan model needs a model\nName one first: KGNB_MODEL, or %llm use MODEL."
            )
        self.values.clear()
        self.check()
        with self.ending(), self.telling(listener):
            alignment = super().keep("merge", run_as_planned(self, self.run.watch(model)))
        return alignment


def open_decisions(path: str | Path) -> PairDecisions:
    """People's decisions in a file: our own of JSON Lines (which may not be there yet), or SSSOM
    (.tsv).

    Raises:
        DataError: an SSSOM file is missing, malformed, or holds no mapping that a person reviewed.
    """
    if Path(path).suffix.lower() != ".tsv":
        return MatchDecisions(path)
    return GivenDecisions(one for one in decisions_in(path) if one.relation != "unsure")


def decisions_in(path: str | Path) -> Iterator[PairDecision]:
    """What people decided in an SSSOM file."""
    for review in reviews.read(path):
        m = review.mapping
        yield PairDecision(
            m.source, m.target, cast(Kind, m.kind), m.relation, review.who, review.when, m.rationale
        )


def open_reference(spec: str | Path) -> Alignment:
    """The reference alignment in a file, or ``huts:reference``.

    Raises:
        DataError: the file is missing, malformed, no alignment, or holds no mapping.
    """
    return load_reference(file_of(spec))


def reference_pairs(
    reference: Alignment | Iterable[tuple[str, str]] | str | Path,
) -> frozenset[tuple[str, str]]:
    """The pairs a reference holds as equivalent."""
    if isinstance(reference, str | Path):
        reference = open_reference(reference)
    if isinstance(reference, Alignment):
        return frozenset(mapping.pair for mapping in reference if mapping.relation == "equivalent")
    return frozenset(reference)
