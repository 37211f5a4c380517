"""The options of question answering."""

from __future__ import annotations

from typing import Literal as OneOf

from kgnb.agents.options import Field, options

_BREADTH, _KEEP = 50, 15  # N and K of the paper
BRIEF = 200
"""Tokens of the schema up to which everything else that a model is shown is brief as well."""
JudgeName = OneOf["auto", "rule", "model", "cascade", "person", "closed-book", "graph+knowledge"]
Reflection = OneOf["judge", "similarity", "random", "facts"]
Direction = OneOf["both", "outgoing"]
Tools = OneOf["all", "paper"]


@options
class Options:
    """User options; bounds and descriptions feed ``--form``, ``--help``, the command line and the
    report.
    """

    depth: int = Field(
        default=0,
        ge=0,
        le=6,
        description="turns of an observation (paper: D = 3); 0: 3 with tools=paper, else 1, briefly",
    )  # D
    breadth: int = Field(
        default=_BREADTH,
        ge=1,
        le=1000,
        description="triples an observation keeps per turn (paper: N = 50)",
    )  # N
    share: float = Field(
        default=0.1,
        ge=0.0,
        le=1.0,
        description="share of the kept triples observed from next (paper: P = 10 %)",
    )  # P
    keep: int = Field(
        default=_KEEP, ge=1, le=200, description="triples a reflection keeps (paper: K = 15)"
    )  # K
    rounds: int = Field(
        default=8, ge=1, le=50, description="rounds of observe, act, reflect (paper: 8)"
    )
    observation: bool = Field(
        default=True, description="observe the graph before acting (ablation: no)"
    )
    reflection: Reflection = Field(default="judge", description="how triples are chosen (ablation)")
    directions: Direction = Field(
        default="both", description="directions in which triples are followed (paper: outgoing)"
    )
    confidence: float = Field(
        default=0.6, ge=0.0, le=1.0, description="an interpretation below this confidence is unsure"
    )
    hops: int = Field(
        default=3, ge=1, le=4, description="relations that an interpretation may follow in a row"
    )
    links: int = Field(
        default=5, ge=1, le=50, description="entities shown for one mention in the question"
    )
    page: int = Field(default=1000, ge=10, le=100_000, description="most rows of one query")
    most: int = Field(
        default=10_000,
        ge=10,
        le=1_000_000,
        description="most rows of one answer, read page by page",
    )
    timeout: float = Field(
        default=30.0, ge=0.1, le=3600.0, description="time limit of one query in seconds"
    )
    own_knowledge: bool = Field(
        default=False,
        description="let the model answer from memory if the graph cannot (marked as such)",
    )
    tools: Tools = Field(
        default="all",
        description="what a model may call: all (queries, the schema), or paper (neighbours and paths)",
    )
    schema_tokens: int = Field(
        default=1500,
        ge=100,
        le=100_000,
        description="most tokens of the schema that a model is shown; up to 200: fewer facts and tools "
        "as well, for models that read little",
    )
    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="seed of sampling")

    @property
    def observes(self) -> bool:
        """Whether every round observes as the paper does: with its own tools, or where it is asked for."""
        return self.tools == "paper" or self.depth > 0 or self.breadth != _BREADTH

    @property
    def reflects(self) -> bool:
        """Whether what was remembered is chosen by a judge and shown to a model."""
        return self.tools == "paper" or self.reflection != "judge" or self.keep != _KEEP

    @property
    def brief(self) -> bool:
        """Whether a model is shown little, because it cannot read more."""
        return self.schema_tokens <= BRIEF


@options
class Judging:
    """Which judge decides, and which embedder compares words."""

    judge: JudgeName = Field(
        default="auto", description="who decides; auto: cascade with a model, rule without"
    )
    embedder: str = Field(
        default="",
        description="local, characters, tiny, fastembed:MODEL, openai:MODEL or sentence-transformers:MODEL",
    )
