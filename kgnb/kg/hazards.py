"""What a small file can do to a parser, refused before the parser sees it.

XML entities that multiply, elements and JSON nested so deep that the engine takes minutes, quoted triples nested so
deep that it ends the process (pyoxigraph 0.5: a signal, nothing to catch). Every scan is linear: a token that is never
closed reaches to the end of the text.
"""

from __future__ import annotations

import re
from contextlib import suppress
from xml.parsers import expat

from kgnb.errors import DataError

MOST_DEEP = {"RDF/XML": 10_000, "JSON-LD": 1_000, "quoted": 100}
"""How deep elements, JSON and quoted triples may nest. Measured with pyoxigraph 0.5.13: elements cost the square of
their depth (10,000: 0.5 s, 100,000: over 20 s), JSON-LD too (1,000: 0.1 s, 10,000: over 20 s), 100,000 quoted triples
overflow the stack. Lists written as nested elements are the deepest that real files hold: two levels a member."""

LONGEST_TERM = 16 << 20
"""Bytes of one term that pyoxigraph's parsers hold."""

_JSON = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|(?P<open>[\[{])|(?P<close>[\]}])', re.DOTALL)
TURTLE = re.compile(
    r'''(?P<skip>\#[^\n]*+|\\.)
    |(?P<string>
        """[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+(?:"""|\Z)
        |\'\'\'[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+(?:\'\'\'|\Z)
        |"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?
        |'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?
     )(?:@(?P<tag>[A-Za-z0-9][A-Za-z0-9_\-]*+))?
    |(?P<open><<)
    |(?P<iri><[^<>\n]*+>)
    |(?P<close>>>)''',
    re.VERBOSE | re.DOTALL,
)
"""The tokens of Turtle and its kin that hide others: comments, strings with their language, IRIs, quoted triples."""

_GROWS = (
    expat.errors.codes[expat.errors.XML_ERROR_RECURSIVE_ENTITY_REF],
    43,
)  # 43: amplification, of no name before 3.12


def check_xml(text: str, where: str) -> None:
    """Check with expat that an XML text is well-formed and harmless.

    Raises:
        SyntaxError: it is not well-formed; with line and column.
        DataError: its elements nest deeper than ``MOST_DEEP``, its entities grow without bounds or stand for other
            files; with the line.
    """
    parser = expat.ParserCreate()
    depth, most = 0, MOST_DEEP["RDF/XML"]

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > most:
            raise _too_deep("elements", most, where, parser.CurrentLineNumber)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def entity(name: str, parameter: bool, value: str | None, *external: str | None) -> None:
        if parameter or (value is None and f"&{name};" in text):
            raise DataError(
                f"the entity {name} stands for another file or for markup, and kgnb fetches neither",
                where=where,
                fix="put the text itself in the file, or save it as Turtle",
            )

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = begin, end, entity
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        if error.code in _GROWS:
            raise DataError(
                "its entities refer to themselves or grow without bounds",
                where=f"{where}:{error.lineno}",
                fix="this looks like an attack on XML readers: get the file from another source, or as Turtle",
            ) from error
        complaint = expat.ErrorString(error.code) or "not well-formed"
        if complaint == expat.errors.XML_ERROR_NO_ELEMENTS:
            complaint = "the file ends before its root element is closed; it looks cut off"
        raise SyntaxError(complaint, (where, error.lineno, error.offset + 1, None)) from error


def xml_root(head: str) -> tuple[str, dict[str, str]]:
    """The name and the attributes of the root element of a text that may be cut; an empty name where there is none.

    >>> xml_root("<!-- <b> --><h:huts xmlns:h='urn:h'><h:hut")
    ('h:huts', {'xmlns:h': 'urn:h'})
    """
    found: list[tuple[str, dict[str, str]]] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: found.append((name, attributes))
    with suppress(expat.ExpatError):
        parser.Parse(head.encode("utf-8"), False)
    return found[0] if found else ("", {})


def refuse_deep(text: str, kind: str, where: str) -> None:
    """Raise DataError, with the line, where JSON-LD or Turtle and its kin nest deeper than ``MOST_DEEP`` allows."""
    json = kind == "JSON-LD"
    most = MOST_DEEP["JSON-LD" if json else "quoted"]
    if (text.count("{") + text.count("[") if json else text.count("<<")) <= most:
        return
    depth = 0
    for token in (_JSON if json else TURTLE).finditer(text):
        depth += bool(token["open"]) - bool(token["close"])
        if depth > most:
            what = "objects and lists" if json else "quoted triples"
            raise _too_deep(what, most, where, text.count("\n", 0, token.start()) + 1)


def _too_deep(what: str, most: int, where: str, line: int) -> DataError:
    return DataError(
        f"{what} nest deeper than {most:,}",
        where=f"{where}:{line}",
        fix="no ontology needs this; if the file is honest, write the structure flat, with named nodes",
    )


def long_term_line(text: str) -> int | None:
    """The line where the first string of more than ``LONGEST_TERM`` bytes begins in Turtle, N-Triples and their kin."""
    long = next((found for found in TURTLE.finditer(text) if len(found[0].encode()) > LONGEST_TERM), None)
    return text.count("\n", 0, long.start()) + 1 if long else None
