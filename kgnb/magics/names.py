"""Finding the entity that a person means by an IRI or a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import TypeVar

from kgnb.errors import DataError

T = TypeVar("T")


def named(
    word: str,
    among: Iterable[T],
    iri: Callable[[T], str],
    *names: Callable[[T], Iterable[str]],
) -> list[T]:
    """The things that a word refers to: by IRI, else by the first of these kinds of names that one
    of them has; case and blanks do not count.

    >>> named("beds", ["x:Beds", "y:beds"], str, lambda iri: [iri.partition(":")[2]])
    ['x:Beds', 'y:beds']
    """
    bare, things = word.strip().strip("<>"), list(among)
    if exact := [one for one in things if iri(one) == bare]:
        return exact
    for called in names:
        if found := [one for one in things if _plain(bare) in map(_plain, called(one))]:
            return found
    return []


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()


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
