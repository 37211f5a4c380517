"""A reference alignment made ready to measure against."""

from __future__ import annotations

from kgnb.errors import DataError
from kgnb.evaluate.alignment import Oriented, oriented, scored_by_oaei, triples
from kgnb.kg.ontology import Ontology
from kgnb.mappings import Alignment


def turned(reference: Alignment, source: Ontology, target: Ontology, where: str) -> Oriented:
    """A reference as the OAEI scores it, turned the way the ontologies are given; DataError if it is not theirs."""
    sides = ({entity.iri for entity in source}, {entity.iri for entity in target})
    try:
        return oriented(scored_by_oaei(triples(reference)), *sides)
    except ValueError as error:
        raise DataError(str(error), where=where, fix="Name the reference of these two ontologies.") from error
