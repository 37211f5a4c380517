"""The options of ontology matching."""

from __future__ import annotations

from typing import Literal as OneOf

from kgnb.agents.options import Field, options

JudgeName = OneOf["auto", "rule", "model", "cascade", "person", "oracle", "paper", "first"]


@options
class Options:
    """The options of ontology matching."""

    k: int = Field(
        default=5, ge=1, le=50, description="candidates kept per entity and view (paper: k = 3)"
    )
    fusion_constant: float = Field(
        default=0.0,
        ge=0.0,
        le=100.0,
        description="c in 1 / (c + rank), reciprocal rank fusion (paper: 0)",
    )
    similarity: float | None = Field(
        default=None,
        ge=0.0,
        le=1.0,
        description="cosine below which a candidate is dropped; none: calibrated per view (paper: 0.90)",
    )
    confidence: float = Field(
        default=0.5, ge=0.0, le=1.0, description="least confidence of a mapping"
    )
    merge: OneOf["weighed", "both", "source", "target"] = Field(
        default="weighed",
        description="what both sides found and what one is sure of, or only what both, the source"
        " or the target side found (paper: both)",
    )
    one_sided: float = Field(
        default=0.7,
        ge=0.0,
        le=1.0,
        description="confidence needed if only one side found it; 1 drops all of these",
    )
    cardinality: OneOf["1:1", "n:m"] = Field(
        default="1:1", description="how often an entity may be mapped"
    )
    ask: float = Field(
        default=0.3,
        ge=0.0,
        le=2.0,
        description="questions per source entity in a cascade (1 for up to 50 entities)",
    )
    relations: bool = Field(
        default=False, description="also find broader and narrower classes by their names"
    )
    individuals: bool = Field(default=False, description="match individuals as well")
    define: bool = Field(
        default=False, description="let the model write missing definitions (costs calls)"
    )
    translate: bool = Field(
        default=True,
        description="let the model translate names if the two have no language in common",
    )
    context: str = Field(default="", description="what the ontologies are about, in a few words")


@options
class Storing:
    """Where descriptions are stored, and how they are embedded."""

    embedder: str = Field(
        default="",
        description="local, characters, tiny, fastembed:MODEL, openai:MODEL or sentence-transformers:MODEL",
    )
    index: str = Field(default="", description="memory, a folder or a Qdrant URL")


@options
class Judging:
    """Who judges the candidates, and how."""

    judge: JudgeName = Field(
        default="auto",
        description="who decides; auto: cascade with a model, rule without; paper: Agent-OM's"
        " yes/no validator; first: nobody, the best candidate counts",
    )
    error_rate: float = Field(
        default=0.0,
        ge=0.0,
        le=1.0,
        description="share of wrong answers of the oracle, a simulation",
    )
    seed: int = Field(default=0, ge=0, description="seed of the oracle's errors")
    decisions: str = Field(
        default="", description="file of a person's decisions; they override the judge"
    )
    reference: str = Field(
        default="",
        description="a reference alignment, for evaluate and the oracle; huts:reference is ours",
    )
    plan: OneOf["fixed", "model"] = Field(
        default="fixed", description="as the options say, or a model plans each kind of entity"
    )
