"""Options are said once: bounds, words and schema come from one place."""

import pickle
from dataclasses import FrozenInstanceError, asdict, replace
from typing import Literal

import pytest

from kgnb.agents.options import Field, described, given_of, options


@options
class Knobs:
    """Knobs of a toy."""

    k: int = Field(default=5, ge=1, le=50, description="how many")
    similarity: float | None = Field(default=None, ge=0.0, le=1.0, description="threshold")
    cardinality: Literal["1:1", "n:m"] = Field(default="1:1", description="how often")
    deep: bool = Field(default=False, description="look deeper")


def test_options_are_frozen_values() -> None:
    knobs = Knobs(k=7)
    assert asdict(knobs) == {"k": 7, "similarity": None, "cardinality": "1:1", "deep": False}
    assert pickle.loads(pickle.dumps(knobs)) == knobs and hash(knobs) == hash(Knobs(k=7))
    with pytest.raises(FrozenInstanceError):
        knobs.k = 8  # type: ignore[misc]


def test_every_face_reads_the_same_description() -> None:
    k, similarity, cardinality, deep = described(Knobs)
    assert (k.flag, k.kind, k.least, k.most, k.default) == ("--k", int, 1, 50, 5)
    assert similarity.optional and similarity.kind is float
    assert cardinality.choices == ("1:1", "n:m")
    assert deep.kind is bool and deep.help == "look deeper"
    assert given_of(Knobs, {"k": 2, "other": 3}) == {"k": 2}


def test_what_is_out_of_bounds_or_unknown_is_refused_in_words() -> None:
    wrong: tuple[dict[str, object], ...] = (
        {"k": 0},
        {"k": 51},
        {"k": "many"},
        {"similarity": float("nan")},
        {"cardinality": "n"},
    )
    for given in wrong:
        for make in (Knobs, lambda **values: replace(Knobs(), **values)):
            with pytest.raises(ValueError, match=f"{next(iter(given))} must be"):
                make(**given)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="depth"):
        Knobs(depth=3)  # type: ignore[call-arg]
