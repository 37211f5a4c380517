"""RDF terms as small frozen values: the only RDF terms that travel through kgnb.

They are our own because rdflib's literals rewrite what they read (``"01"^^xsd:integer`` becomes ``"1"``)
and have no RDF 1.2 triple terms, and because adapters must not leak their types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


class Iri(str):
    """An absolute IRI; equal to the plain string it is made of."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Iri({str(self)!r})"


@dataclass(frozen=True, slots=True)
class Blank:
    """A blank node, known by its label within one graph."""

    label: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal: its text exactly as written, and a language tag or a datatype IRI."""

    text: str
    language: str | None = None
    datatype: str | None = None  # None means xsd:string, or rdf:langString with a language


@dataclass(frozen=True, slots=True)
class TripleTerm:
    """A triple used as a term (RDF 1.2, section 3.1)."""

    subject: Iri | Blank
    predicate: Iri
    object: Term


Term: TypeAlias = Iri | Blank | Literal | TripleTerm
Triple: TypeAlias = tuple[Iri | Blank, Iri, Term]
