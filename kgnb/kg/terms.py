"""RDF terms as small frozen values: the only RDF terms that leave the adapters.

They are our own because rdflib's literals rewrite what they read (``"01"^^xsd:integer`` becomes
``"1"``) and rdflib has no RDF 1.2 triple terms, and because adapters must not leak their types.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias


class Iri(str):
    """An absolute IRI; equal to the same plain string."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Iri({str(self)!r})"


@dataclass(frozen=True, slots=True)
class Blank:
    """A blank node, identified by its label within one graph."""

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


Node: TypeAlias = Iri | Blank
Term: TypeAlias = Iri | Blank | Literal | TripleTerm
Triple: TypeAlias = tuple[Node, Iri, Term]

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>\"{}|^`\\\ud800-\udfff]*")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*(--(ltr|rtl))?")
_LABEL = re.compile(r"[\w]([\w.\-]*[\w\-])?")
_ESCAPE = {
    "\t": "\\t",
    "\b": "\\b",
    "\n": "\\n",
    "\r": "\\r",
    "\f": "\\f",
    '"': '\\"',
    "\\": "\\\\",
}
_TO_ESCAPE = re.compile(r'\\[uU]|[\x00-\x1f\x7f"\\]')


def local_name(iri: str) -> str:
    """The part of an IRI after the last ``#``, ``/`` or ``:``; those at its end do not count.

    >>> local_name("http://huts.example/alpine#Hut"), local_name("urn:huts:Hut/")
    ('Hut', 'Hut')
    """
    return re.split(r"[#/:]", iri.rstrip("#/:"))[-1]


def is_iri(text: str) -> bool:
    """Whether this is an absolute IRI that can be written between angle brackets.

    >>> is_iri("http://example.org/hut"), is_iri("hut"), is_iri("http://example.org/a> . <b")
    (True, False, False)
    """
    return _IRI.fullmatch(text) is not None


def bare_text(term: Term) -> str:
    """A term as one string: an IRI as it is, a literal's text, anything else as N-Triples.

    >>> bare_text(Iri("http://huts.example/id/a")), bare_text(Literal("1908"))
    ('http://huts.example/id/a', '1908')
    """
    if isinstance(term, Iri):
        return str(term)
    return term.text if isinstance(term, Literal) else n3(term)


def n3(term: Term) -> str:
    r"""A term in N-Triples syntax (RDF 1.2 N-Triples, section 3), which is safe inside a SPARQL
    query too.

    A backslash before a ``u`` is written ``\\\U00000075``, because SPARQL (section 19.2) resolves
    code point escapes before it looks for strings and its engines disagree about ``\\u``. Eight
    digits, because rdflib takes eight after ``\u`` where it finds them. Raises ValueError for what
    RDF does not allow: an IRI that is relative or holds ``<>"{}|^`\`` or a space, a malformed
    language tag or blank node label, half a surrogate pair.

    >>> n3(Iri("http://example.org/hut")), n3(Literal('the "Alpine" hut', "en"))
    ('<http://example.org/hut>', '"the \\"Alpine\\" hut"@en')
    """
    if isinstance(term, Iri):
        return _bracketed(term)
    if isinstance(term, Blank):
        if not _LABEL.fullmatch(term.label):
            raise ValueError(f"not a blank node label: {term.label!r}")
        return f"_:{term.label}"
    if isinstance(term, TripleTerm):
        return f"<<( {n3(term.subject)} {n3(term.predicate)} {n3(term.object)} )>>"
    if not isinstance(term, Literal):
        raise TypeError(f"not an RDF term: {term!r}; make it an Iri, Blank, Literal or TripleTerm")
    quoted = f'"{_TO_ESCAPE.sub(_escape, _scalars(term.text))}"'
    if term.language is not None:
        if not _LANGUAGE.fullmatch(term.language):
            raise ValueError(f"not a language tag: {term.language!r}")
        return f"{quoted}@{term.language}"
    return quoted if term.datatype is None else f"{quoted}^^{_bracketed(term.datatype)}"


def _bracketed(iri: str) -> str:
    if not is_iri(iri):
        raise ValueError(f"not an absolute IRI: {str(iri)!r}")
    return f"<{iri}>"


def _scalars(text: str) -> str:
    """The text with surrogate pairs joined, which some JSON readers leave separate."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as error:
        raise ValueError(
            "half a surrogate pair is not a character and cannot be written"
        ) from error


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) == 2:
        return f"\\\\\\U{ord(found[1]):08X}"
    return _ESCAPE.get(found) or f"\\U{ord(found):08X}"


_ESCAPED = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_CONTROLS = {escaped[1:]: character for character, escaped in _ESCAPE.items()}


def unescaped(text: str) -> str:
    """What is written in a quoted text, without its backslashes."""
    return _ESCAPED.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _CONTROLS.get(code, code)


Key = tuple[int, str, str, str]


def term_key(term: Term | None) -> Key:
    """Sorts terms like SPARQL's ORDER BY: unbound, blank nodes, IRIs, literals (SPARQL 1.1, section
    15.1).
    """
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
    """Sorts triples by subject, predicate and object."""
    return term_key(triple[0]), term_key(triple[1]), term_key(triple[2])
