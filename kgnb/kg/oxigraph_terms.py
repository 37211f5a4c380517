"""Terms to pyoxigraph's and back: the seam of the embedded store and of the file reader."""

from __future__ import annotations

import pyoxigraph as ox

from kgnb.kg.terms import RDF, XSD, Blank, Iri, Literal, Term, Triple, TripleTerm

OxTerm = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

_PLAIN = frozenset({f"{XSD}string", f"{RDF}langString", f"{RDF}dirLangString"})


def to_oxigraph(term: Term) -> OxTerm:
    """The pyoxigraph term; raises ValueError for an IRI or a language tag that RDF does not allow."""
    if isinstance(term, Iri):
        return ox.NamedNode(str(term))
    if isinstance(term, Blank):
        return ox.BlankNode(term.label)
    if isinstance(term, TripleTerm):
        return ox.Triple(*triple_to_oxigraph((term.subject, term.predicate, term.object)))
    if not isinstance(term, Literal):
        raise TypeError(f"not an RDF term: {term!r}; make it an Iri, Blank, Literal or TripleTerm")
    if term.language is not None:
        language, _, direction = term.language.partition("--")
        if direction:
            return ox.Literal(term.text, language=language, direction=ox.BaseDirection(direction))
        return ox.Literal(term.text, language=language)
    return ox.Literal(term.text, datatype=ox.NamedNode(term.datatype) if term.datatype else None)


def from_oxigraph(term: OxTerm) -> Term:
    """Our term for pyoxigraph's; ``xsd:string`` is written as no datatype."""
    if isinstance(term, ox.NamedNode):
        return Iri(term.value)
    if isinstance(term, ox.Literal):
        language = term.language
        if language is not None:
            direction = term.direction
            return Literal(term.value, f"{language}--{direction}" if direction else language)
        datatype = term.datatype.value
        return Literal(term.value, None, None if datatype in _PLAIN else datatype)
    if isinstance(term, ox.BlankNode):
        return Blank(term.value)
    return TripleTerm(*triple_from_oxigraph(term))


def triple_to_oxigraph(triple: Triple) -> tuple[ox.NamedNode | ox.BlankNode, ox.NamedNode, OxTerm]:
    """The three pyoxigraph terms; raises TypeError where a term is not allowed at its place."""
    subject, predicate, value = (to_oxigraph(term) for term in triple)
    if not isinstance(subject, ox.NamedNode | ox.BlankNode) or not isinstance(predicate, ox.NamedNode):
        raise TypeError(f"the subject of a triple is an IRI or a blank node and its predicate an IRI: {triple!r}")
    return subject, predicate, value


def triple_from_oxigraph(triple: ox.Triple | ox.Quad) -> Triple:
    """Our triple for pyoxigraph's triple or quad (without its graph)."""
    subject = triple.subject
    if isinstance(subject, ox.Triple):
        raise TypeError("RDF 1.2 allows a triple term as an object only")
    return (
        Iri(subject.value) if isinstance(subject, ox.NamedNode) else Blank(subject.value),
        Iri(triple.predicate.value),
        from_oxigraph(triple.object),
    )
