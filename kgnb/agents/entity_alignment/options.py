"""The options of entity alignment."""

from __future__ import annotations

from typing import Literal as OneOf

from kgnb.agents.options import Field, options

JudgeName = OneOf["auto", "first", "rule", "model", "cascade", "person", "oracle"]
Assignment = OneOf["sinkhorn", "hungarian", "stable", "argmax"]


@options
class Options:
    """The options of ``propose``."""

    k: int = Field(default=10, ge=1, le=100, description="candidates kept per entity (paper: 10)")
    assignment: Assignment = Field(
        default="sinkhorn",
        description="how entities share candidates; argmax decides each entity by itself, not one-to-one",
    )
    names: OneOf["native", "hidden"] = Field(
        default="native", description="hidden: compare structure and values only"
    )
    cardinality: OneOf["1:1", "n:1"] = Field(
        default="1:1",
        description="whether a target may be used once or several times (argmax always allows n:1)",
    )
    hops: int = Field(default=2, ge=0, le=5, description="how far evidence travels over relations")
    rounds: int = Field(
        default=3, ge=0, le=10, description="how often sure pairs become seeds for a next round"
    )
    temperature: float = Field(
        default=0.02, ge=0.001, le=1.0, description="Sinkhorn's temperature: lower is harder"
    )
    confidence: float | None = Field(
        default=None,
        ge=0.0,
        le=1.0,
        description="below this confidence an entity stays unmatched; none: chosen by precision",
    )
    precision: float = Field(
        default=0.95,
        ge=0.0,
        le=1.0,
        description="expected precision of the matches; 0: chosen for the highest expected F1",
    )
    seed: int = Field(
        default=0,
        ge=0,
        le=2**31,
        description="seed of the random vectors that label known pairs, and of the oracle's errors",
    )
    scheduler: str = Field(
        default="",
        description="a Dask scheduler, tcp://HOST:PORT, whose workers search for candidates",
    )


@options
class LookOptions:
    """The options of the closer look."""

    share: float | None = Field(
        default=None,
        ge=0.0,
        le=1.0,
        description="share of the entities that may be judged; none: the doubtful, up to 1,000; 1: all (paper)",
    )
    sure: float = Field(
        default=0.9,
        ge=0.0,
        le=1.0,
        description="first alignments at least this sure are not judged",
    )
    shown: int = Field(
        default=4, ge=1, le=20, description="candidates shown to a judge (paper: 10)"
    )
    attributes: int = Field(
        default=5, ge=0, le=20, description="attribute triples shown (paper: 5)"
    )
    relations: int = Field(default=5, ge=0, le=20, description="relation triples shown (paper: 5)")
    entropy: OneOf["high", "low", "none"] = Field(
        default="high",
        description="attributes whose values differ most among the candidates (high) or least (low, EA-Agent's); "
        "none: no selector, every triple as it comes",
    )
    both_orders: float = Field(
        default=0.02,
        ge=0.0,
        le=1.0,
        description="below this margin candidates are shown in both orders",
    )
    reflect_below: float = Field(
        default=0.75,
        ge=0.0,
        le=1.0,
        description="answers less sure than this are asked again; 1: all",
    )


@options
class Looking:
    """Who plans and who judges, and their files."""

    judge: JudgeName = Field(
        default="auto", description="who decides; auto: the model if one is set, else rule"
    )
    planner: str = Field(
        default="auto",
        description="who plans which tools look: rule (auto), thorough (all tools always), model (that of the role "
        "plan), model:NAME or person",
    )
    error_rate: float = Field(
        default=0.0,
        ge=0.0,
        le=1.0,
        description="share of wrong answers of the oracle, a simulation",
    )
    embedder: str = Field(
        default="",
        description="local, characters, tiny, fastembed:MODEL, openai:MODEL or sentence-transformers:MODEL",
    )
    decisions: str = Field(
        default="", description="file of a person's decisions; they override the judge"
    )
    reference: str = Field(default="", description="pairs to be found, for evaluate and the oracle")
