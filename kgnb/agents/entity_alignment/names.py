"""Names as evidence: from an IRI or a label to a display name, and how alike two names are, whatever their script."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
from anyascii import anyascii
from numpy.typing import NDArray
from scipy import sparse

from kgnb.agents.entity_alignment.propagation import LARGE, SPREAD, in_blocks, narrowed, principal, sampled, unit
from kgnb.kg.labels import is_code, readable_name
from kgnb.vectors.character_embedder import hashed_grams
from kgnb.vectors.embedder import Embedder, Vectors
from kgnb.vectors.nearest import centred

_DIMENSIONS = 1 << 18  # of the sparse n-gram space: names of 100,000 entities hardly collide
_PROJECTED = 256
_ALIASES = 4  # further names of an entity that are compared
_ACCENTS = re.compile("[\u0300-\u036f]")  # only those of European scripts: elsewhere marks are vowels
_QUALIFIER = re.compile(r"\s*[(（\[].*[)）\]]\s*$|\s*,\s.*$")
_FOREIGN = 0.05  # share of names in other scripts from which on these are romanised: a few are not worth a change
_NUMBERS = re.compile(r"\d+")


def local_names(iris: Sequence[str]) -> tuple[str, ...]:
    """A readable name for each IRI: what follows its namespace, "" where most of these are codes.

    The namespace most IRIs share is taken off whole, so that a slash in a wiki title stays in the name.

    >>> local_names(["http://d.org/resource/Sun", "http://d.org/resource/Tea_bag", "http://d.org/resource/AC/DC"])
    ('Sun', 'Tea bag', 'AC/DC')
    """
    spaces = [iri[: max(iri.rfind("/"), iri.rfind("#"), iri.rfind(":") if "/" not in iri else 0) + 1] for iri in iris]
    usual = Counter(spaces).most_common(1)[0][0] if spaces else ""
    found = [
        (iri[len(usual) :] if usual and iri.startswith(usual) else "") or _last(iri, space)
        for iri, space in zip(iris, spaces, strict=True)
    ]
    titles = sum("_" in name or "%20" in name or "+" in name for name in found) >= len(found) / 100
    texts = [unquote(name) for name in found]
    codes = sum(map(is_code, texts)) > len(texts) / 2  # a few are the names of years, and say something
    return tuple("" if codes and is_code(text) else _title(text) if titles else readable_name(text) for text in texts)


def _last(iri: str, space: str) -> str:
    whole = iri.rstrip("/#")
    return whole[len(space) :] if len(whole) > len(space) else whole[max(whole.rfind("/"), whole.rfind("#")) + 1 :]


def _title(text: str) -> str:
    """A wiki title: underscores are spaces, capitals are as they should be."""
    return " ".join(unicodedata.normalize("NFC", text).replace("_", " ").split())


def folded(name: str) -> str:
    """A name for comparison: compatible forms, case and European accents folded, punctuation as spaces."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    text = unicodedata.normalize("NFC", _ACCENTS.sub("", text))
    words = "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in text).split()
    return " ".join(words or text.split())  # a name may be all punctuation


def bare(name: str) -> str:
    """A folded name without its qualifier: what stands in brackets, or after a comma, at its end.

    >>> bare("Self Portrait (album)"), bare("Saint-Joseph, Quebec"), bare("(album)")
    ('self portrait', 'saint joseph', 'album')
    """
    return folded(_QUALIFIER.sub("", name)) or folded(name)


def spelt(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Both sides' names as their spelling is compared, left then right: folded; romanised where only one side needs it.

    >>> spelt(["冯国璋", "Кинг"], ["Feng Guozhang", "King"])
    ['fengguozhang', 'king', 'feng guozhang', 'king']
    """
    shares = [sum(_foreign(name) for name in side) / max(len(side), 1) for side in (left, right)]
    names = [*left, *right]
    if min(shares) >= max(shares) / 2 or max(shares) < _FOREIGN:  # one script, or other scripts on both sides alike
        return [folded(name) for name in names]
    return [folded(anyascii(name).replace("'", "")) for name in names]


def _foreign(name: str) -> bool:
    return any(c.isalpha() and not unicodedata.name(c, "LATIN").startswith("LATIN") for c in name)


class Further(NamedTuple):
    """Every name of one side's entities, the display name first; entity ``e`` has those from ``starts[e]`` on."""

    starts: NDArray[np.int64]  # (entities + 1,)
    grams: sparse.csr_matrix  # (names, n-grams), unit rows
    vectors: Vectors  # (names, dimensions): meaning and n-grams
    meaning: Vectors  # (names, dimensions) unit rows: the embedder's alone
    whole: NDArray[np.int64]  # key of the folded name, -1 where there is none


class Named(NamedTuple):
    """One side's names, made ready to be compared with the other's."""

    grams: sparse.csr_matrix  # (entities, n-grams), unit rows
    vectors: Vectors  # (entities, dimensions) unit rows: what spreads over relations
    meaning: Vectors  # (entities, dimensions) unit rows: the embedder's alone
    whole: NDArray[np.int64]  # key of the folded name, -1 where there is none; equal names share it on both sides
    bare: NDArray[np.int64]  # the same without the qualifier
    numbers: NDArray[np.int64]  # key of the numbers in the name, -1 where there are none
    further: Further | None = None  # all names of each entity, where any entity of the two sides has several


def compare_ready(
    left: Sequence[str], right: Sequence[str], embedder: Embedder, *, seed: int = 0
) -> tuple[Named, Named]:
    """Both sides' names as n-grams, vectors and keys; rarity and centring are over both sides together."""
    size, number = len(left), len(left) + len(right)
    large = number > LARGE
    kept: type = np.float16 if large else np.float32
    centre = narrowed(*centred(embedder.embed(list(left)), embedder.embed(list(right))))
    meaning: list[Vectors] = [side.astype(kept, copy=False) for side in centre]
    del centre
    plain = [folded(name) for name in (*left, *right)]
    grams = _weighed(hashed_grams(spelt(left, right), _DIMENSIONS))
    whole, short = _keys(plain), _keys([bare(name) for name in (*left, *right)])
    numbers = _keys([" ".join(sorted(_NUMBERS.findall(name))) for name in plain])
    parts = [slice(0, size), slice(size, None)]
    project, sides = _projection(grams, seed), [grams[part] for part in parts]
    del grams

    def wide(side: int, rows: slice) -> Vectors:
        return unit(np.hstack([meaning[side][rows], project(sides[side][rows])]).astype(np.float32, copy=False))

    shrink = principal(np.vstack([wide(side, sampled(number)) for side in (0, 1)]), SPREAD) if large else None

    def narrow(side: int, rows: slice) -> Vectors:
        whole = wide(side, rows)
        return (whole if shrink is None else unit(whole @ shrink)).astype(kept, copy=False)

    one, other = (
        Named(grams_, in_blocks(partial(narrow, side), len(own)), own, whole[part], short[part], numbers[part])
        for side, (part, grams_, own) in enumerate(zip(parts, sides, meaning, strict=True))
    )
    return one, other


def all_names(
    left: Sequence[str],
    right: Sequence[str],
    aliases: tuple[Mapping[int, tuple[str, ...]], Mapping[int, tuple[str, ...]]],
    embedder: Embedder,
    *,
    seed: int = 0,
) -> tuple[Further, Further]:
    """Every name of both sides' entities, a few each, ready to be compared name by name."""
    every, meanings, starts = list[list[str]](), list[Vectors](), []
    for names, more in zip((left, right), aliases, strict=True):
        found = [(name, *more.get(entity, ())[:_ALIASES]) for entity, name in enumerate(names)]
        starts.append(np.concatenate([[0], np.cumsum([len(one) for one in found])]).astype(np.int64))
        every.append([text for one in found for text in one])
        meanings.append(embedder.embed(every[-1]))
    grams = _weighed(hashed_grams(spelt(*every), _DIMENSIONS))
    whole = _keys([folded(text) for texts in every for text in texts])
    meaning = narrowed(*centred(*meanings))
    vectors = unit(np.hstack([np.vstack(meaning), _projection(grams, seed)(grams)]))
    size = len(meanings[0])
    parts = [slice(0, size), slice(size, None)]
    one, other = (
        Further(start, grams[part], vectors[part], own, whole[part])
        for start, part, own in zip(starts, parts, meaning, strict=True)
    )
    return one, other


def _keys(texts: Sequence[str]) -> NDArray[np.int64]:
    """The same number for the same text, -1 for none."""
    numbers = {"": -1}
    for text in texts:
        numbers.setdefault(text, len(numbers) - 1)
    return np.fromiter(map(numbers.__getitem__, texts), dtype=np.int64, count=len(texts))


def _weighed(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Damped counts times rarity, unit rows."""
    rarity = np.log((1 + counts.shape[0]) / (1 + np.bincount(counts.indices, minlength=counts.shape[1]))) + 1
    weighed = counts.copy()
    weighed.data = ((1 + np.log(counts.data)) * rarity[counts.indices]).astype(np.float32)
    lengths = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
    weighed.data /= np.repeat(lengths, np.diff(weighed.indptr)).astype(np.float32)
    return weighed


def _projection(grams: sparse.csr_matrix, seed: int) -> Callable[[sparse.csr_matrix], Vectors]:
    """Puts rows of n-grams into few dimensions, cosines about kept (sparse random projection, Achlioptas 2003)."""
    used = np.bincount(grams.indices, minlength=grams.shape[1]) > 0
    place = np.cumsum(used) - 1
    draw = np.random.default_rng(seed).standard_normal((int(used.sum()), _PROJECTED), dtype=np.float32)

    def project(rows: sparse.csr_matrix) -> Vectors:
        narrow = sparse.csr_matrix((rows.data, place[rows.indices], rows.indptr), shape=(rows.shape[0], len(draw)))
        return unit(np.asarray(narrow @ draw, dtype=np.float32))

    return project
