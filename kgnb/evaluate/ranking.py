"""Metrics of entity rankings on plain values: Hits@k and MRR over test links, P/R/F1 of chosen
pairs.

Such scores depend on what was ranked: among the *test targets* a right answer has fewer rivals
than among *all entities* of the target graph, and seeds remove pairs from the test.
:class:`Measured` keeps both with the scores, and how they differ on pairs with equal names.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from kgnb.evaluate.alignment import Pair, Score

Rankings: TypeAlias = Mapping[str, Sequence[str]]  # source IRI -> target IRIs, best first

IDENTICAL, OTHER, UNNAMED = "identical names", "other names", "names hidden or missing"


@dataclass(frozen=True, slots=True)
class Ranking:
    """Shares between 0 and 1 over ``tests`` sources that have a counterpart.

    ``mrr`` counts a source whose counterpart is not in its list as 0, so a list cut after k gives a
    lower bound.
    """

    hits1: float
    hits10: float
    mrr: float
    tests: int

    def row(self) -> dict[str, float | int | None]:
        """A row of a table of scores."""
        return {"hits1": self.hits1, "hits10": self.hits10, "mrr": self.mrr}


@dataclass(frozen=True)
class Measured:
    """The scores of an alignment: rankings and chosen pairs over the test links, in total and by
    slice.
    """

    ranking: Ranking
    chosen: Score
    universe: str  # the candidates that were ranked
    seeds: int
    slices: Mapping[str, Ranking] = field(default_factory=dict)

    @property
    def seed_ratio(self) -> float:
        """Share of all known links that were given as seeds."""
        known = self.seeds + self.ranking.tests
        return self.seeds / known if known else 0.0


def rank_of(ranking: Sequence[str], right: Iterable[str]) -> int | None:
    """The 1-based rank of the first right answer, or None; repeated answers count once.

    >>> rank_of(["b#Inn", "b#Inn", "b#Refuge"], ["b#Refuge"])
    2
    """
    wanted = set(right)
    return next(
        (place for place, one in enumerate(dict.fromkeys(ranking), start=1) if one in wanted), None
    )


def ranking(rankings: Rankings, links: Iterable[Pair]) -> Ranking:
    """Hits@1, Hits@10 and MRR over the sources of ``links``; a source with several right targets
    needs one of them.

    >>> ranking({"a#Hut": ["b#Inn", "b#Refuge"]}, [("a#Hut", "b#Refuge"), ("a#Bed", "b#Lit")])
    Ranking(hits1=0.0, hits10=0.5, mrr=0.25, tests=2)
    """
    wanted = _by_source(links)
    places = [rank_of(rankings.get(source, ()), targets) for source, targets in wanted.items()]
    return Ranking(
        _mean(place == 1 for place in places),
        _mean(place is not None and place <= 10 for place in places),
        _mean(1 / place if place else 0.0 for place in places),
        len(places),
    )


def chosen(pairs: Iterable[Pair], links: Iterable[Pair], *, closed: bool = True) -> Score:
    """Precision, recall and F1 of the chosen pairs.

    The links of a benchmark are incomplete. With ``closed``, only pairs about a source or target of
    ``links`` count; without, every other pair is wrong.
    """
    right = set(links)
    sources, targets = {one for one, _ in right}, {other for _, other in right}
    ours = {pair for pair in pairs if not closed or pair[0] in sources or pair[1] in targets}
    return Score(len(ours & right), len(ours - right), len(right - ours))


def measure(
    rankings: Rankings,
    pairs: Iterable[Pair],
    links: Sequence[Pair],
    *,
    universe: str,
    seeds: int = 0,
    names: tuple[Mapping[str, str], Mapping[str, str]] | None = None,
) -> Measured:
    """All scores; ``names`` (source side, target side; by IRI) splits the links into slices."""
    cut = slices(links, *names) if names else {}
    return Measured(
        ranking(rankings, links),
        chosen(pairs, links),
        universe,
        seeds,
        {name: ranking(rankings, part) for name, part in cut.items()},
    )


def slices(
    links: Iterable[Pair], left: Mapping[str, str], right: Mapping[str, str]
) -> dict[str, list[Pair]]:
    """The links by their names: identical except for case and spaces, different, hidden or missing
    on a side.

    >>> slices([("a#1", "b#1"), ("a#2", "b#2")], {"a#1": "Hut", "a#2": "Bed"}, {"b#1": "hut", "b#2": "Lit"})
    {'identical names': [('a#1', 'b#1')], 'other names': [('a#2', 'b#2')]}
    """
    found: dict[str, list[Pair]] = {IDENTICAL: [], OTHER: [], UNNAMED: []}
    for source, target in links:
        one, other = _plain(left.get(source, "")), _plain(right.get(target, ""))
        found[UNNAMED if not one or not other else IDENTICAL if one == other else OTHER].append(
            (source, target)
        )
    return {name: part for name, part in found.items() if part}


def _by_source(links: Iterable[Pair]) -> dict[str, set[str]]:
    wanted: dict[str, set[str]] = {}
    for source, target in links:
        wanted.setdefault(source, set()).add(target)
    return wanted


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _plain(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).split()).casefold()
