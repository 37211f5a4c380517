"""The options of graph construction."""

from __future__ import annotations

from typing import Literal

from kgnb.agents.options import Field, options

BUDGET = 6000
"""Tokens that the schemas of one tool per class and property may take, before the generic tools
replace them.
"""


@options
class Options:
    """How documents are cut and how much a reader may try."""

    passage: int = Field(
        default=6000, ge=200, le=200_000, description="characters a reader sees at once"
    )
    overlap: int = Field(
        default=400, ge=0, le=20_000, description="characters that two passages share"
    )
    repairs: int = Field(
        default=3,
        ge=0,
        le=20,
        description="times a refused call may be corrected before it is left to a person",
    )
    calls: int = Field(
        default=40, ge=1, le=500, description="model replies for each passage and step"
    )
    feedback: bool = Field(default=True, description="tell the reader why a call is refused")
    unchecked: bool = Field(
        default=False, description="write whatever is well-formed, unchecked: the paper's ablation"
    )
    tool_budget: int = Field(
        default=BUDGET,
        ge=0,
        le=1_000_000,
        description="most tokens of tool schemas for a passage; above that, a few generic tools are used",
    )
    plan: str = Field(
        default="", description="a plan.json to go through, instead of the pack's plan"
    )
    no_plan: bool = Field(default=False, description="one step instead of the plan: the ablation")
    instructions: str = Field(
        default="",
        description="a text file that tells a model more: for all, and below a heading for its class",
    )
    together: int = Field(
        default=3000,
        ge=0,
        le=100_000,
        description="characters of short notes that share a request of a model; 0: each has its own",
    )
    note_budget: int = Field(
        default=1500,
        ge=0,
        le=1_000_000,
        description="tokens that the one request for a short note, or a few, may take; 0: as for any text",
    )
    width: int = Field(
        default=8, ge=1, le=64, description="documents a model reads at once; the graph is the same"
    )
    scheduler: str = Field(
        default="",
        description="a Dask scheduler, tcp://HOST:PORT, whose workers read documents without a model",
    )


@options
class GroundOptions:
    """What decides whether two things are one."""

    similarity: float = Field(
        default=0.9, ge=0.5, le=1.0, description="least similarity of the name of a candidate"
    )
    margin: float = Field(
        default=0.05, ge=0.0, le=0.5, description="least lead of the best candidate over the next"
    )
    check_types: bool = Field(default=True, description="link only entities of compatible classes")
    map: str = Field(
        default="",
        description="classes that fit, CLASS=CLASS with the reference's on the right, separated by commas",
        json_schema_extra={"many": True},
    )
    page: int = Field(
        default=5000, ge=10, le=100000, description="rows requested from the reference at once"
    )


@options
class Reading:
    """Who reads the documents."""

    judge: Literal["auto", "rule", "model", "person"] = Field(
        default="auto", description="who reads; auto: the model if one is set, else rule"
    )
