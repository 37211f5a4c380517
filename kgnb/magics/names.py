"""Finding the entity that a person means by an IRI or a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from kgnb.errors import DataError


def local_name(iri: str) -> str:
    """What follows the namespace of an IRI.

    >>> local_name("http://huts.example/alpine#Hut"), local_name("http://huts.example/Hut/")
    ('Hut', 'Hut')
    """
    return iri.rstrip("/#").replace("#", "/").rpartition("/")[2]


def entity_called(
    item: str, iris: Sequence[str], *spellings: Iterable[str], where: str, listing: str
) -> str:
    """The IRI that ``item`` is, or else of the only entity that one of the ``spellings`` calls so,
    ignoring case.

    Args:
        spellings: lists of names, in the order of ``iris``; the last one is suggested from.
        where: what contains the entities, for the error.
        listing: a line that lists them.

    Raises:
        DataError: no entity, or several, are called that.
    """
    wanted = item.strip().strip("<>")
    if wanted in iris:
        return wanted
    plain = " ".join(wanted.split()).casefold()
    names: list[str] = []
    for spelling in spellings:
        names = list(spelling)
        found = [iri for iri, name in zip(iris, names, strict=True) if name.casefold() == plain]
        if len(found) > 1:
            raise DataError(f"{item!r} is ambiguous: {', '.join(found[:4])}", fix="Give its IRI.")
        if found:
            return found[0]
    near = [name for name in names if plain in name.casefold()][:3]
    near = near or get_close_matches(wanted, list(filter(None, names)), n=3, cutoff=0.5)
    fix = f"Did you mean {' or '.join(near)}?" if near else f"{listing} lists the entities."
    raise DataError(f"nothing in {where} is called {item!r}", fix=fix)
