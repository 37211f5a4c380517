"""What a small file can do to a parser, refused before any parser sees it, in one pass over the text.

Entities that multiply, elements and JSON nested so deep that the engine takes minutes, quoted triples nested so deep
that it ends the process (pyoxigraph 0.5: a signal, nothing to catch). Every scan here is linear: where something that
was opened is never closed the scan ends, since the parser will not get past that place either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgnb.errors import DataError

MOST_CHARACTERS = 20_000_000
"""How much text the entities of one file may grow to; real ontologies use them for namespaces of some 50 characters."""

MOST_DEEP = {"RDF/XML": 10_000, "JSON-LD": 1_000, "quoted": 100}
"""How deep elements, JSON and quoted triples may nest. Measured with pyoxigraph 0.5.13: elements cost the square of
their depth (10,000: 0.5 s, 100,000: over 20 s), JSON-LD too (1,000: 0.1 s, 10,000: over 20 s), 100,000 quoted triples
overflow the stack. Lists written as nested elements are the deepest that real files hold: two levels a member."""

LONGEST_TERM = 16 << 20
"""Bytes of one term that pyoxigraph's parsers hold."""

_DECLARATION = re.compile(r"""<!ENTITY\s+(%\s+)?([\w.\-:]+)\s+(?:"([^"]*)"|'([^']*)'|(SYSTEM|PUBLIC)\b[^>]*)""")
_REFERENCE = re.compile(r"&([A-Za-z_][\w.\-:]*);")
_TAG = re.compile(r"""<[^<>"']*+(?:"[^"]*+"[^<>"']*+|'[^']*+'[^<>"']*+)*+>""")
_PARTS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"))
_DOCTYPE = re.compile(r"<!doctype", re.IGNORECASE)  # in any case: the engine takes it so
_SPACE = re.compile(r"\s*+")
_SUBSET_END = re.compile(r"\]\s*>")
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


def markup(text: str, begin: int = 0) -> Iterator[tuple[int, int]]:
    """Where each tag, comment, CDATA section, processing instruction and DOCTYPE of an XML text begins and ends.

    >>> text = "<a><!-- <b> --><c/></a>"
    >>> [text[begin:end] for begin, end in markup(text)]
    ['<a>', '<!-- <b> -->', '<c/>', '</a>']
    """
    at = text.find("<", begin)
    while at >= 0:
        end = _part_end(text, at)
        if end < 0:
            return
        yield at, end
        at = text.find("<", end)


def prolog_end(text: str, begin: int = 0) -> int:
    """Where the root element of an XML text must begin: after spaces, comments, instructions and the DOCTYPE."""
    for at, end in markup(text, begin):
        if text[begin:at].strip() or text[at + 1] not in "!?":
            break
        begin = end
    space = _SPACE.match(text, begin)
    return space.end() if space else begin


def refuse_deep(text: str, kind: str, where: str) -> None:
    """Raise DataError, with the line, where a text of this format nests deeper than ``MOST_DEEP`` has it."""
    if kind == "RDF/XML":
        most, what, depths = MOST_DEEP[kind], "elements", _elements(text) if text.count("<") > MOST_DEEP[kind] else ()
    elif kind == "JSON-LD":
        few = text.count("{") + text.count("[") <= MOST_DEEP[kind]
        most, what, depths = MOST_DEEP[kind], "objects and lists", () if few else _tokens(_JSON, text)
    else:
        few = text.count("<<") <= MOST_DEEP["quoted"]
        most, what, depths = MOST_DEEP["quoted"], "quoted triples", () if few else _tokens(TURTLE, text)
    depth = 0
    for step, at in depths:
        depth += step
        if depth > most:
            raise DataError(
                f"{what} nest deeper than {most:,}",
                where=f"{where}:{text.count(chr(10), 0, at) + 1}",
                fix="no ontology needs this; if the file is honest, write the structure flat, with named nodes",
            )


def long_term_line(text: str) -> int | None:
    """The line where the first string of more than ``LONGEST_TERM`` bytes begins in Turtle, N-Triples and their kin."""
    long = next((found for found in TURTLE.finditer(text) if len(found[0].encode()) > LONGEST_TERM), None)
    return text.count("\n", 0, long.start()) + 1 if long else None


def refuse_swelling(text: str, where: str) -> None:
    """Raise DataError where entities grow beyond ``MOST_CHARACTERS``, refer to themselves or to other files."""
    doctype = _DOCTYPE.search(text)
    if doctype is None:
        return
    begin, end = doctype.start(), text.find("]", doctype.start())
    while (found := text.find("<!ENTITY", end)) > 0 and end > 0:
        end = text.find("]", found)
    subset = text[begin : end if end > 0 else len(text)]
    values: dict[str, str] = {}
    for parameter, name, double, single, external in _DECLARATION.findall(subset):
        if parameter or (external and f"&{name};" in text):
            raise DataError(
                f"the entity {name} stands for another file or for markup, and kgnb fetches neither",
                where=where,
                fix="put the text itself in the file, or save it as Turtle",
            )
        values.setdefault(name, double or single)
    sizes: dict[str, int] = {}
    total = sum(_size(name, values, sizes, (), where) for name in _REFERENCE.findall(text, len(subset) + begin))
    if total > MOST_CHARACTERS or any(_size(name, values, sizes, (), where) > MOST_CHARACTERS for name in values):
        raise DataError(
            f"its entities would grow to more than {MOST_CHARACTERS:,} characters",
            where=where,
            fix="this looks like an attack on XML readers; take the file from somewhere else, or as Turtle",
        )


def _size(name: str, values: dict[str, str], sizes: dict[str, int], above: tuple[str, ...], where: str) -> int:
    """How many characters an entity stands for once all entities in it are replaced."""
    if name not in values:
        return 0
    if name not in sizes:
        if name in above or len(above) > 50:
            raise DataError(f"the entity {name} refers to itself", where=where, fix="mend the DOCTYPE of the file")
        inner = sum(_size(found, values, sizes, (*above, name), where) for found in _REFERENCE.findall(values[name]))
        sizes[name] = len(values[name]) + inner
    return sizes[name]


def _part_end(text: str, at: int) -> int:
    """Where the markup that begins at ``at`` ends, or -1 where it never does."""
    for opening, closing in _PARTS:
        if text.startswith(opening, at):
            end = text.find(closing, at + len(opening))
            return end + len(closing) if end >= 0 else -1
    if _DOCTYPE.match(text, at):
        end = text.find(">", at)
        subset = text.find("[", at, end if end >= 0 else len(text))
        if subset >= 0:
            closed = _SUBSET_END.search(text, subset)
            return closed.end() if closed else -1
        return end + 1 if end >= 0 else -1
    tag = _TAG.match(text, at)
    return tag.end() if tag else -1


def _elements(text: str) -> Iterator[tuple[int, int]]:
    for begin, end in markup(text):
        if text[begin + 1] == "/":
            yield -1, begin
        elif text[begin + 1] not in "!?" and text[end - 2] != "/":
            yield 1, begin


def _tokens(tokens: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    for token in tokens.finditer(text):
        if token["open"] or token["close"]:
            yield (1 if token["open"] else -1), token.start()
