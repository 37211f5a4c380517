"""What other systems reached at entity alignment: constants with their source."""

from __future__ import annotations

from dataclasses import dataclass

PAPER = "EA-Agent paper, Qwen3-32B"


@dataclass(frozen=True, slots=True)
class Published:
    """One system on one pair; None where nothing is printed. Shares between 0 and 1."""

    system: str
    hits1: float
    mrr: float | None = None
    tokens: float | None = None  # per entity
    seconds: float | None = None  # per entity
    source: str = ""


BY_PAIR: dict[str, tuple[Published, ...]] = {
    "dbp15k/fr_en": (
        Published("EA-Agent", 0.9900, 0.996, 672, 3.88, PAPER),
        Published("UDCEA", 0.996, None, None, None, "as the EA-Agent paper prints it"),
        Published("M, no model", 0.9877, None, 0, None, "as the EA-Agent paper prints it; names machine-translated"),
    ),
    "srprs/en_fr": (
        Published("EA-Agent", 0.990, None, 672, 3.88, PAPER),
        Published("TEA", 0.985, None, None, None, "as the EA-Agent paper prints it"),
    ),
}
COST = (
    Published("EA-Agent", 0.0, None, 672, 3.88, PAPER),
    Published("Seg-Align", 0.0, None, 159, 0.89, "as the EA-Agent paper prints it"),
)
