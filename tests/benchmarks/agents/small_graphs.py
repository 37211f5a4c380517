"""Small graphs, as people try first: how much of what is written is right, on many small samples of
real pairs.

KGNB_DATA=DIR python -m tests.benchmarks.agents.small_graphs [--samples 150] [--fit]

Each sample has 6 to 60 entities of one side and as many, fewer or more of the other, of which none
to all are counterparts; in half of them those without one look like somebody by name. ``--fit``
prints the weights that ``propose.BELIEF`` has from all pairs, and what is written under weights
learnt on the other pairs alone.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from scipy.optimize import minimize

from kgnb.agents.entity_alignment.candidates import CandidatePairs, precise
from kgnb.agents.entity_alignment.comparison import own_value
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.propose import BELIEF, propose
from kgnb.agents.entity_alignment.values import Options
from kgnb.datasets import huts
from kgnb.tasks.sides import links_of, open_sides
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.benchmarks.agents.entity_alignment import case

PAIRS = ("srprs/en_fr", "dbp15k/fr_en", "huts")
SIZES = (6, 8, 10, 14, 20, 30, 40, 60)
SHARED = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)


class Sample(NamedTuple):
    """What was written of one sample; ``features`` (one column a weight of ``BELIEF``) of all that
    was given.
    """

    size: int
    shared: int
    written: int
    right_written: int
    features: np.ndarray
    right: np.ndarray


def part(graph: EntityGraph, kept: Sequence[int]) -> EntityGraph:
    """The graph of these entities alone."""
    place = np.full(len(graph), -1, dtype=np.int32)
    place[list(kept)] = np.arange(len(kept))
    inside = (place[graph.triples[:, 0]] >= 0) & (place[graph.triples[:, 2]] >= 0)
    triples, said = graph.triples[inside].copy(), graph.attribute_triples
    said = said[place[said[:, 0]] >= 0].copy()
    triples[:, 0], triples[:, 2], said[:, 0] = (
        place[triples[:, 0]],
        place[triples[:, 2]],
        place[said[:, 0]],
    )
    aliases = {
        int(place[entity]): more for entity, more in graph.aliases.items() if place[entity] >= 0
    }
    entities, names = (tuple(all_[at] for at in kept) for all_ in (graph.entities, graph.names))
    return EntityGraph(
        graph.name,
        entities,
        names,
        graph.relations,
        triples,
        graph.attributes,
        graph.values,
        said,
        aliases,
        graph.labels,
    )


def opened(pair: str, data: Path) -> tuple[EntityGraph, EntityGraph, dict[int, int]]:
    """Both graphs and who is whom."""
    if pair == "huts":
        sides = open_sides("huts:hollenmark", "huts:corvane")
        links = links_of(huts.path("entity-reference"))
        return (
            sides.left,
            sides.right,
            {sides.left.index(one): sides.right.index(other) for one, other in links},
        )
    given = case(data / pair)
    return given.left, given.right, dict(np.vstack([given.seeds, given.tests]).tolist())


def around(graph: EntityGraph, number: int, draw: np.random.Generator) -> Iterator[int]:
    """Entities that hang together, as many as asked for."""
    waiting, seen = [int(draw.integers(len(graph)))], set[int]()
    while len(seen) < number:
        entity = waiting.pop(0) if waiting else int(draw.integers(len(graph)))
        if entity not in seen:
            seen.add(entity)
            waiting += draw.permutation([fact.other for fact in graph.facts(entity)] or [entity])[
                :6
            ].tolist()
            yield entity


def samples(pair: str, data: Path, number: int) -> Iterator[Sample]:
    """That many samples of a pair; the same ones every time."""
    left, right, link = opened(pair, data)
    spelt = CharacterEmbedder(256)
    names = spelt.embed([name.casefold() for name in right.names])
    few = len(link) < 1000
    for seed in range(number):
        draw = np.random.default_rng(1000 + seed)
        size = int(draw.choice(SIZES[:-1] if few else SIZES))
        other = int(size * draw.choice((1, 1, 1, 0.6, 1.5) if few else (1, 1, 1, 0.6, 1.5, 5)))
        wanted = size + other + 20 if few else 3 * size + other + 20
        anyone = (
            draw.permutation(sorted(link)).tolist()
            if draw.random() < 0.5
            else around(left, wanted, draw)
        )
        base = [entity for entity, _ in zip(anyone, range(wanted), strict=False) if entity in link]
        if len(base) < size + 4:
            continue
        base = draw.permutation(base).tolist()
        mine, rest = base[:size], base[size:]
        shared = min(round(size * float(draw.choice(SHARED))), size, other)
        strangers = [link[entity] for entity in rest]
        if draw.random() < 0.5:
            alike = (
                spelt.embed([left.names[entity].casefold() for entity in mine[shared:] or mine])
                @ names.T
            )
            known = {link[entity] for entity in mine}
            near = (
                [at for at in np.argsort(-row)[:12].tolist() if at not in known] for row in alike
            )
            strangers = draw.permutation(
                [at for found in near for at in draw.permutation(found)[:2]]
            ).tolist()
        yours = list(
            dict.fromkeys(
                [*(link[entity] for entity in mine[:shared]), *strangers[: other - shared]]
            )
        )
        if len(yours) > 2:
            yield told(
                left,
                right,
                link,
                draw.permutation(mine).tolist(),
                draw.permutation(yours).tolist(),
                shared,
            )


def told(
    left: EntityGraph,
    right: EntityGraph,
    link: dict[int, int],
    mine: list[int],
    yours: list[int],
    shared: int,
) -> Sample:
    """One sample: what is written at the defaults, and what speaks for each pair that was given."""
    graphs = part(left, mine), part(right, yours)
    # few entities have few links, and would be compared as records are
    with patch.object(sys.modules[propose.__module__], "are_records", return_value=False):
        found = propose(*graphs, CharacterEmbedder(), Options(k=100, confidence=0.0))
        usual = propose(*graphs, CharacterEmbedder())
    rows = np.flatnonzero(found.first >= 0)
    place = np.argmax(found.candidates[rows] == found.first[rows, None], axis=1)
    views = dict(zip(found.views, found.evidence[rows, place].T, strict=True))
    alone = {"chance": found.scores[rows, place], "margin": found.margin[rows]}
    views |= {name: values * views["spelling"] for name, values in alone.items()}
    views[""] = np.ones(len(rows), dtype=np.float32)
    views["own value"] = own_value(*graphs, CandidatePairs(rows, found.first[rows]))
    features = np.column_stack([views[view] for view in BELIEF])
    hits = np.array(
        [link[entity] == yours[at] for entity, at in zip(mine, found.first.tolist(), strict=True)]
    )
    kept = usual.first >= 0
    return Sample(
        len(mine), shared, int(kept.sum()), int((kept & hits).sum()), features, hits[rows]
    )


def fitted(given: Iterable[Sample]) -> np.ndarray:
    """The weights of a logistic regression, none below zero but that of nothing; a large sample
    counts for less.
    """
    some = [one for one in given if len(one.right)]
    x, y = np.vstack([one.features for one in some]), np.concatenate([one.right for one in some])
    counts = np.concatenate([np.full(len(one.right), len(one.right) ** -0.5) for one in some])
    free = np.array([not view for view in BELIEF])

    def loss(weights: np.ndarray) -> float:
        logits = x @ weights
        return float(
            counts @ (np.logaddexp(0, logits) - y * logits) + 0.15 * (weights[~free] ** 2).sum()
        )

    bounds = [(None, None) if one else (0, None) for one in free]
    return np.round(minimize(loss, np.zeros(x.shape[1]), bounds=bounds).x, 1)


def written_under(weights: np.ndarray, one: Sample) -> tuple[int, int]:
    """Written and right under other weights, down to the precision that is asked for."""
    sure = 1 / (1 + np.exp(-one.features @ weights))
    kept = sure >= max(precise(sure.astype(np.float32), Options().precision), 0.5)
    return int(kept.sum()), int(one.right[kept].sum())


def line(title: str, some: Sequence[Sample], counts: Sequence[tuple[int, int]]) -> str:
    """Precision and recall of what was written, and how much in lists that share nothing."""
    written, right = (sum(count[at] for count in counts) for at in (0, 1))
    shared = sum(one.shared for one in some)
    alone = [
        (count[0], one.size) for one, count in zip(some, counts, strict=True) if not one.shared
    ]
    nothing = f"{sum(number for number, _ in alone)} of {sum(size for _, size in alone)}"
    return f"| {title} | {written:,} | {right / max(1, written):.3f} | {right / max(1, shared):.3f} | {nothing} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("KGNB_DATA"))
    parser.add_argument("--pairs", nargs="+", default=PAIRS)
    parser.add_argument("--samples", type=int, default=150)
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args(arguments)
    found = {
        pair: list(samples(pair, Path(given.data or "."), given.samples)) for pair in given.pairs
    }
    print("| | written | precision | recall | of lists that share nothing |\n|---|---|---|---|---|")
    for pair, some in found.items():
        print(line(pair, some, [(one.written, one.right_written) for one in some]), flush=True)
    everything = [one for some in found.values() for one in some]
    for size in SIZES:
        some = [one for one in everything if one.size == size]
        print(line(f"{size} entities", some, [(one.written, one.right_written) for one in some]))
    if given.fit:
        print(dict(zip(BELIEF, fitted(everything).tolist(), strict=True)))
        for pair, some in found.items():
            weights = fitted(one for other in found if other != pair for one in found[other])
            print(
                line(
                    f"{pair}, weights of the others",
                    some,
                    [written_under(weights, one) for one in some],
                )
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
