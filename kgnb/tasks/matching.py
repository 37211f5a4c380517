"""Ontology matching for scripts: opens inputs, fills in defaults from the settings, runs the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast
from typing import Literal as OneOf

from kgnb.agents.ontology_matching import pipeline
from kgnb.agents.ontology_matching.judges import make_judge
from kgnb.agents.ontology_matching.retrieve import comparable
from kgnb.agents.ontology_matching.reviewed import GivenDecisions, MatchDecisions, PairDecision, PairDecisions, honoured
from kgnb.agents.ontology_matching.values import MatchQuestion, Options
from kgnb.backends import OntologySource, file_of, open_embedder, open_index, open_ontology
from kgnb.judging import Decisions, Judge, Verdict
from kgnb.judging.named import judge_of
from kgnb.kg.ontology import Kind, Ontology
from kgnb.llm.model import ChatModel
from kgnb.mapping_files import load_reference, reviews
from kgnb.mappings import Alignment
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.running import Role, answering_model, judge_and_model, remembering, within
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
        judge: "auto" (cascade if a model is set, else rule), "rule", "model", "cascade", "person", "oracle", a Judge,
            or any function from a question to a verdict.
        embedder: "local", "characters", "tiny", "openai:MODEL", "sentence-transformers:MODEL", or an Embedder.
        index: "memory", a folder, a Qdrant URL, or a VectorIndex.
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
    settings = settings or Settings.load()
    if isinstance(judge, str):
        judge, settings = judge_and_model(judge, settings)
    wanted = judge in ("auto", "model", "cascade") or plan == "model"
    chat = model or (answering_model(settings) if wanted else None)
    source = open_ontology(source, individuals=options.individuals)
    target = open_ontology(target, individuals=options.individuals)
    source, target = comparable(source, target)
    with within(run, "ontology_matching", digests(source, target), settings, on_event) as run:
        watched = run.watch(chat) if chat else None
        role: Role = "plan" if plan == "model" else "write"
        beside = watched
        if chat and not model and settings.of_role(role) != settings.of_role("judge"):
            found = answering_model(settings, role)
            beside = run.watch(found) if found else None
        path = decisions.path if isinstance(decisions, Decisions) else decisions
        decided = open_decisions(path) if path is not None else None
        asked = judge_of(
            judge,
            lambda name: make_judge(
                name,
                model=watched,
                reference=reference_pairs(reference) if reference is not None else None,
                error_rate=error_rate,
                seed=seed,
                decisions=decided,
                exclusive=options.cardinality == "1:1",
                context=options.context,
                relations=options.relations,
                ask=options.ask,
                width=settings.width,
                remember=lambda asked: remembering(asked, settings),
            ),
        )
        alignment = pipeline.match_ontologies(
            source,
            target,
            index=index if isinstance(index, VectorIndex) else open_index(index, settings),
            embedder=open_embedder(embedder, settings, many=True),
            judge=run.watch_judge(asked),
            options=options,
            model=beside,
            run=run,
            plan=plan,
        )
        return keep_decisions(alignment, decided, source, target, options)


def digests(*ontologies: Ontology) -> dict[str, str]:
    """The digest of every ontology by its name, as a run records them."""
    return {ontology.name or ontology.iri: ontology.digest for ontology in ontologies}


def keep_decisions(
    alignment: Alignment, decisions: PairDecisions | None, source: Ontology, target: Ontology, options: Options
) -> Alignment:
    """The alignment with all decisions of a person applied, also on pairs that were not candidates."""
    if decisions is None:
        return alignment
    return honoured(alignment, decisions.by_pair(), source, target, exclusive=options.cardinality == "1:1")


def open_decisions(path: str | Path) -> PairDecisions:
    """People's decisions in a file: our own of JSON Lines (which may not be there yet), or SSSOM (.tsv).

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
        yield PairDecision(m.source, m.target, cast(Kind, m.kind), m.relation, review.who, review.when, m.rationale)


def open_reference(spec: str | Path) -> Alignment:
    """The reference alignment in a file, or ``huts:reference``.

    Raises:
        DataError: the file is missing, malformed, no alignment, or holds no mapping.
    """
    return load_reference(file_of(spec))


def reference_pairs(reference: Alignment | Iterable[tuple[str, str]] | str | Path) -> frozenset[tuple[str, str]]:
    """The pairs a reference holds as equivalent."""
    if isinstance(reference, str | Path):
        reference = open_reference(reference)
    if isinstance(reference, Alignment):
        return frozenset(mapping.pair for mapping in reference if mapping.relation == "equivalent")
    return frozenset(reference)
