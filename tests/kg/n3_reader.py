"""Reads back what ``kgnb.kg.terms.n3`` writes, to compare."""

import re

from kgnb.kg.terms import Blank, Iri, Literal, Term, TripleTerm, is_iri

_UNESCAPE = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)


def parse_term(text: str) -> Term:
    r"""Read back one term written by ``n3``; raises ValueError for anything else.

    >>> parse_term('"Hütte"@de')
    Literal(text='Hütte', language='de', datatype=None)
    """
    term, rest = _read(text.strip())
    if rest.strip():
        raise ValueError(f"unexpected text after an RDF term: {rest[:40]!r}")
    return term


def _unescape(match: re.Match[str]) -> str:
    if match[3] is None:
        return chr(int(match[1] or match[2], 16))
    if match[3] not in _UNESCAPE:
        raise ValueError(f"unknown escape: {match[0]!r}")
    return _UNESCAPE[match[3]]


_READ_IRI = re.compile(r"<([^<>\"\s]*)>")
_READ_BLANK = re.compile(r"_:([\w]([\w.\-]*[\w\-])?)")
_READ_LITERAL = re.compile(r'"((?:[^"\\\n\r]|\\.)*)"(?:@([A-Za-z0-9\-]+)|\^\^<([^<>"\s]*)>)?')


def _read(text: str) -> tuple[Term, str]:
    if text.startswith("<<("):
        subject, rest = _read(text[3:].lstrip())
        predicate, rest = _read(rest.lstrip())
        object_, rest = _read(rest.lstrip())
        rest = rest.lstrip()
        if not rest.startswith(")>>") or not isinstance(predicate, Iri) or not isinstance(subject, Iri | Blank):
            raise ValueError(f"not a triple term: {text[:80]!r}")
        return TripleTerm(subject, predicate, object_), rest[3:]
    if match := _READ_IRI.match(text):
        if not is_iri(match[1]):
            raise ValueError(f"not an absolute IRI: {match[1]!r}")
        return Iri(match[1]), text[match.end() :]
    if match := _READ_BLANK.match(text):
        return Blank(match[1]), text[match.end() :]
    if match := _READ_LITERAL.match(text):
        return Literal(_ESCAPED.sub(_unescape, match[1]), match[2], match[3]), text[match.end() :]
    raise ValueError(f"not an RDF term: {text[:80]!r}")
