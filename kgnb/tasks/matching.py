"""Ontology matching: its task, and the function a script calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast
from typing import Literal as OneOf

from kgnb.agents.ontology_matching import AGENT
from kgnb.agents.ontology_matching.plan import planned
from kgnb.agents.ontology_matching.reviewed import (
    GivenDecisions,
    MatchDecisions,
    PairDecision,
    PairDecisions,
    honoured,
)
from kgnb.agents.ontology_matching.values import AS_USUAL, MatchQuestion, Options
from kgnb.backends import OntologySource, file_of
from kgnb.errors import ConfigError, DataError
from kgnb.evaluate.alignment import (
    Oriented,
    Score,
    Triple,
    oriented,
    score,
    scored_by_oaei,
    triples,
)
from kgnb.judging import Decisions, Judge, Verdict
from kgnb.kg.converting import SPREADSHEETS
from kgnb.kg.ontology import Kind, Ontology
from kgnb.llm.model import ChatModel
from kgnb.mapping_files import load_reference, reviews
from kgnb.mappings import Alignment
from kgnb.results.bundle import count
from kgnb.results.wording import bounds_of_few
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.task import SHARED_OPENS, Task
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.index import VectorIndex

PAPER = Options(k=3, fusion_constant=0.0, merge="both")
"""The settings of Agent-OM, for ``judge="paper"``; in the shell: ``--k 3 --merge both --judge paper``."""


def match_ontologies(
    source: OntologySource,
    target: OntologySource,
    *,
    judge: str | Judge[MatchQuestion] | Callable[[MatchQuestion], Verdict] = "auto",
    embedder: str | Embedder | None = None,
    index: str | VectorIndex | None = None,
    model: ChatModel | None = None,
    options: Options | None = None,
    preset: OneOf["", "paper"] = "",
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
            "oracle", a Judge, or any function from a question to a verdict.
        embedder: "local", "characters", "tiny", "openai:MODEL", "sentence-transformers:MODEL", or
            an Embedder.
        index: "memory", a folder, a Qdrant URL, or a VectorIndex.
        model: a chat model; by default the one the settings name, if any.
        preset: "paper" for the published settings: three candidates, the yes/no validator, and only
            what both directions found. Its similarity of 0.90 belongs to its embedder; ours is
            calibrated.
        reference: what the "oracle" judge answers from: an alignment, its file, or pairs of IRIs.
        error_rate: the share of questions the oracle gets wrong; ``seed`` decides which.
        decisions: a file of a person's decisions (.jsonl, or SSSOM), which override any judge.
        plan: "fixed", or "model" to let the model plan each kind of entity.
        run: records steps, judgements and calls; a new one by default.

    Raises:
        DataError: a file is missing, malformed or has no class or property.
        ConfigError: a backend or judge lacks a setting.
        BackendError: an endpoint, store or model server fails for good.

    >>> alignment = match_ontologies("huts:alpine", "huts:refuge", embedder="characters")
    >>> len(alignment) > 10
    True
    """
    if preset == "paper":
        if options is not None:
            raise ValueError("give options or preset, not both: a preset is a set of options")
        options = PAPER
        judge = "paper" if judge == "auto" else judge
    inputs = {"source": source, "target": target}
    known = reference_pairs(reference) if reference is not None else None
    return MatchingTask.of(
        AGENT,
        inputs,
        judge=judge,
        embedder=embedder,
        index=index,
        model=model,
        options=options or Options(),
        reference=known,
        error_rate=error_rate,
        seed=seed,
        decisions=decisions,
        plan=plan,
        run=run,
        settings=settings,
        on_event=on_event,
    ).run_through()


class MatchingTask(Task):
    """A match in progress; its alignment contains every decision of a person."""

    opens = {
        "pairs": lambda task: task.known_pairs(),
        "decided": lambda task: task.decided(),
        "writer": lambda task: task.writer(),
    }
    plan = AS_USUAL  # how each kind is matched, once a model has planned

    def open(self) -> dict[str, Any]:
        """Both ontologies; a reference that cannot be read is reported before any work is done."""
        if isinstance(self.option("reference"), str) and self.option("reference"):
            open_reference(self.option("reference"))
        individuals = self.option("individuals")
        return {
            side: self.opener.ontology(self.specs[side], individuals=individuals)
            for side in ("source", "target")
        }

    def known_pairs(self) -> frozenset[tuple[str, str]] | None:
        """The pairs that the reference holds as equivalent, in the direction of the ontologies;
        None without a reference.
        """
        if self.option("reference") == "":
            return None
        if not isinstance(self.option("reference"), str | Path):
            return reference_pairs(self.option("reference"))
        return frozenset(triple[:2] for triple in self.wanted() if triple[2] == "equivalent")

    def wanted(self) -> frozenset[Triple]:
        """The triples of the reference that a file holds, in the direction of the ontologies."""
        reference = self.option("reference")
        if not reference or not isinstance(reference, str | Path):
            return frozenset()
        found = open_reference(reference)
        return turned(found, self["source"], self["target"], str(reference)).triples

    def writer(self) -> ChatModel | None:
        """The model for texts; definitions are asked for by name: whoever judges, they are written.

        Raises:
            ConfigError: definitions are asked for, and there is no model.
        """
        if not (self.option("define") or any(plan.define for plan in self.plan.kinds)):
            usual: ChatModel | None = SHARED_OPENS["writer"](self)
            return usual
        model = self.given.get("model") or self.opener.model("write")
        if model is None:
            raise ConfigError(
                "--define lets a model write definitions, and none is set",
                fix="In a notebook: %llm use MODEL. Else set KGNB_MODEL, or leave out --define.",
            )
        return model

    def decided(self) -> PairDecisions | None:
        """What people have decided; None where no file is named."""
        decisions = self.option("decisions")
        return open_decisions(decisions) if decisions else None

    def keep(self, stage: str, value: Any) -> Any:
        """Sets the value of a stage; decisions also hold for pairs that were not candidates."""
        decisions: PairDecisions | None = self.decided() if stage == "merge" else None
        if decisions is not None:
            exclusive = self.option("cardinality") == "1:1"
            value = honoured(
                value, decisions.by_pair(), self["source"], self["target"], exclusive=exclusive
            )
        return super().keep(stage, value)

    def run_through(self) -> Alignment:
        """Runs all stages, in order or as a model plans; ValueError for a plan without a model."""
        self.plan = AS_USUAL
        if self.option("plan") == "model":
            model = self.given.get("model") or self.opener.model("plan")
            if model is None:
                raise ValueError(
                    "--plan model needs a model\nName one first: KGNB_MODEL, or %llm use MODEL."
                )
            self.plan = planned(
                self["source"], self["target"], self["options"], self.run.watch(model)
            )
        alignment: Alignment = super().run_through()
        return alignment

    def warnings(self) -> list[str]:
        """What was read otherwise than it stands, and what was left out."""
        tables = [
            f"{spec} is a table: its columns were matched; kgnb align (%ea) matches rows"
            for spec in (self.specs["source"], self.specs["target"])
            if isinstance(spec, str) and spec.lower().endswith((*SPREADSHEETS, ".csv", ".tsv"))
        ]
        left_out = self.exported().notes if "merge" in self.values else ()
        return [*super().warnings(), *tables, *left_out]

    def summary(self) -> list[str]:
        """The number of mappings, and their scores where there is a reference."""
        alignment, wanted = self.exported(), self.wanted()
        left = f"{len(alignment.unsure)} unsure, {len(alignment.dropped)} dropped"
        lines = [f"{count(len(alignment), 'mapping')}, {left}"]
        if wanted:
            relations = {triple[2] for triple in wanted}
            found = scored_by_oaei(triples(alignment, *relations))
            lines.append(scores_in_words(score(found, wanted)))
        return lines


def scores_in_words(measured: Score) -> str:
    """One line: ``precision 80.0 %, recall 60.0 %, F1 68.6 % (24 right of 30 found, 40 in the
    reference)``.
    """
    shares = (("precision", measured.precision), ("recall", measured.recall), ("F1", measured.f1))
    said = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares)
    found, wanted = measured.tp + measured.fp, measured.tp + measured.fn
    told = f"{said} ({measured.tp} right of {found} found, {wanted} in the reference)"
    few = bounds_of_few(measured.shares())
    return f"{told}; {few}" if few else told


def iris_of(source: Ontology, target: Ontology) -> tuple[set[str], set[str]]:
    """The IRIs of two ontologies' entities."""
    return {entity.iri for entity in source}, {entity.iri for entity in target}


def turned(reference: Alignment, source: Ontology, target: Ontology, where: str) -> Oriented:
    """A reference as the OAEI scores it, in the direction of the ontologies; DataError if it is not
    theirs.
    """
    try:
        return oriented(scored_by_oaei(triples(reference)), *iris_of(source, target))
    except ValueError as error:
        raise DataError(
            str(error), where=where, fix="Name the reference of these two ontologies."
        ) from error


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


def open_reference(spec: str | Path, *, plain: bool = False) -> Alignment:
    """The reference alignment in a file, or ``huts:reference``; ``plain`` as in ``load``.

    Raises:
        DataError: the file is missing, malformed, no alignment, or holds no mapping.
    """
    return load_reference(file_of(spec), plain=plain)


def reference_pairs(
    reference: Alignment | Iterable[tuple[str, str]] | str | Path,
) -> frozenset[tuple[str, str]]:
    """The pairs a reference holds as equivalent."""
    if isinstance(reference, str | Path):
        reference = open_reference(reference)
    if isinstance(reference, Alignment):
        return frozenset(mapping.pair for mapping in reference if mapping.relation == "equivalent")
    return frozenset(reference)
