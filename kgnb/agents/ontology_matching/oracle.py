"""The oracle judge: answers match questions from a reference, with errors at a chosen rate. A SIMULATION."""

from __future__ import annotations

from collections.abc import Iterable

from kgnb.agents.ontology_matching.values import MatchQuestion
from kgnb.judging import Oracle


def match_oracle(
    reference: Iterable[tuple[str, str]], *, error_rate: float = 0.0, seed: int = 0
) -> Oracle[MatchQuestion]:
    """Knows the reference pairs (source IRI, target IRI); where several candidates are right, the best ranked is it."""
    pairs = frozenset(reference)

    def answer(question: MatchQuestion) -> tuple[str, str | None]:
        about = question.about.iri
        for other in question.others:
            if ((about, other.iri) if question.side == "source" else (other.iri, about)) in pairs:
                return ("equivalent", other.iri)
        return ("different", None)

    return Oracle(answer, error_rate, seed)
