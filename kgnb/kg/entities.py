"""XML entity declarations counted before any parser expands them, so that a small file cannot fill the memory."""

from __future__ import annotations

import re

from kgnb.errors import DataError

MOST_CHARACTERS = 20_000_000
"""How much text the entities of one file may grow to; real ontologies use them for namespaces of some 50 characters."""

_DECLARATION = re.compile(r"""<!ENTITY\s+(%\s+)?([\w.\-:]+)\s+(?:"([^"]*)"|'([^']*)'|(SYSTEM|PUBLIC)\b[^>]*)""")
_REFERENCE = re.compile(r"&([A-Za-z_][\w.\-:]*);")


def refuse_swelling(text: str, where: str) -> None:
    """Raise DataError where entities grow beyond ``MOST_CHARACTERS``, refer to themselves or to other files."""
    doctype = re.search(r"<!DOCTYPE", text[:65536])
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
