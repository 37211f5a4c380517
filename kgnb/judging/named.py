"""Judges by name, for every agent: which one a name stands for, and what it needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from kgnb.errors import ConfigError
from kgnb.judging.person import Oracle
from kgnb.judging.question import ClosedQuestion
from kgnb.llm.model import ChatModel

T = TypeVar("T")
Q = TypeVar("Q", bound=ClosedQuestion)


def chosen(name: str, judges: Sequence[str], model: ChatModel | None, with_model: str) -> str:
    """The name itself; "auto" means ``with_model`` if there is a model, and otherwise the rule.

    Raises:
        ValueError: it is none of ``judges``.
    """
    if name not in judges:
        raise ValueError(f"there is no judge {name!r}: choose {', '.join(judges)}")
    return name if name != "auto" else with_model if model else "rule"


def set_model(model: ChatModel | None, name: str) -> ChatModel:
    """The model that a judge needs.

    Raises:
        ConfigError: none is set.
    """
    if model is None:
        raise ConfigError(
            f"the {name} judge asks a model, and none is set",
            fix="In a notebook: %llm use MODEL. Else set KGNB_MODEL (and KGNB_BASE_URL), or choose --judge rule.",
        )
    return model


def given_reference(reference: T | None) -> T:
    """The reference that the oracle needs; ConfigError if it was not given."""
    if reference is None:
        raise ConfigError(
            "the oracle judge answers from a reference, and none was given",
            fix="Give --reference FILE.",
        )
    return reference


def given_decisions(decisions: T | None) -> T:
    """The file of decisions that the person judge needs; ConfigError if none was given."""
    if decisions is None:
        raise ConfigError(
            "the person judge needs a file to keep decisions in", fix="Give --decisions FILE."
        )
    return decisions


def reference_oracle(
    reference: Iterable[tuple[str, str]], *, error_rate: float = 0.0, seed: int = 0
) -> Oracle[Any]:
    """A simulation that knows the pairs (source IRI, target IRI) and picks the best ranked of
    several right candidates.

    It answers questions with a ``side``, an entity they are ``about`` and ``others`` to choose
    from.
    """
    pairs = frozenset(reference)

    def answer(question: Any) -> tuple[str, str | None]:
        iri, asked = question.about.iri, question.side == "source"
        right = (
            one.iri
            for one in question.others
            if ((iri, one.iri) if asked else (one.iri, iri)) in pairs
        )
        found = next(right, None)
        return ("equivalent", found) if found else ("different", None)

    return Oracle(answer, error_rate, seed)
