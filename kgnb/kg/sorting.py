"""One order for RDF terms, so that answers come out the same on every store."""

from __future__ import annotations

from kgnb.kg.terms import Blank, Iri, Literal, Term, Triple, TripleTerm

Key = tuple[int, str, str, str]


def term_key(term: Term | None) -> Key:
    """Orders terms as SPARQL's ORDER BY does: unbound, blank nodes, IRIs, literals (SPARQL 1.1, section 15.1)."""
    if term is None:
        return (0, "", "", "")
    if isinstance(term, Blank):
        return (1, term.label, "", "")
    if isinstance(term, Iri):
        return (2, term, "", "")
    if isinstance(term, Literal):
        return (3, term.text, term.language or "", term.datatype or "")
    if isinstance(term, TripleTerm):
        inner = [repr(term_key(part)) for part in (term.subject, term.predicate, term.object)]
        return (4, inner[0], inner[1], inner[2])
    raise TypeError(f"not an RDF term: {term!r}")


def triple_key(triple: Triple) -> tuple[Key, Key, Key]:
    """Orders triples by subject, predicate and object."""
    return term_key(triple[0]), term_key(triple[1]), term_key(triple[2])
