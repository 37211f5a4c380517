"""Store: put every description into the hybrid store, one point per text, a named vector per view
(Agent-OM, 4.1).

A collection belongs to one ontology and one embedder, whatever it is matched with: for the
twenty-one pairs of the seven conference ontologies, seven are embedded and not forty-two.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import numpy as np

from kgnb.agents.ontology_matching.values import SIDES, VIEWS, Described, Description, Stored
from kgnb.kg.words import normal
from kgnb.vectors.cached_embedder import CachedEmbedder
from kgnb.vectors.embedder import Embedder, Vectors
from kgnb.vectors.index import Point, VectorIndex

AT_ONCE = 4096  # entities whose vectors are held in memory beside the index


def store(described: Described, index: VectorIndex, embedder: Embedder) -> Stored:
    """Both sides in the index; collections that exist already are neither embedded nor written
    again.
    """
    before = _counters(embedder)
    points = written = 0
    collections: list[str] = []
    for side in SIDES:
        descriptions = described.of(side)
        collection = _collection(descriptions, embedder)
        expected = sum(len(_texts(d)) + bool(d.related) for d in descriptions)
        if (
            not expected or index.count(collection) != expected
        ):  # codes without labels have no text at all
            index.create(collection, dict.fromkeys(VIEWS, embedder.dimensions))
            for start in range(0, len(descriptions), AT_ONCE):
                index.add(collection, _points(descriptions[start : start + AT_ONCE], embedder))
            written += expected
        points += expected
        collections.append(collection)
    after = _counters(embedder)
    return Stored(
        described=described,
        embedder=embedder.name,
        index=index.name,
        collections=(collections[0], collections[1]),
        points=points,
        written=written,
        computed=after[0] - before[0],
        reused=after[1] - before[1],
        vectors=index,
    )


def _points(descriptions: Sequence[Description], embedder: Embedder) -> list[Point]:
    names = {text for d in descriptions for text in d.related}
    texts = sorted({text for d in descriptions for _, text in _texts(d)} | names)
    vectors = embedder.embed(texts)
    row = {text: position for position, text in enumerate(texts)}
    points: list[Point] = []
    for d in descriptions:
        about: dict[str, str] = {
            "iri": d.iri,
            "kind": d.kind,
            "name": d.name,
            "embedder": embedder.name,
        }
        for number, (view, text) in enumerate(_texts(d)):
            sort = "meaning" if view == "lexical" and text in d.gists else "name"
            payload = {
                **about,
                "view": view,
                "sort": sort,
                "text": text,
                "language": _language(d, text),
            }
            points.append(
                Point(f"{d.kind} {d.iri} {view} {number}", view, vectors[row[text]], payload)
            )
        if d.related:
            together = _together(vectors[[row[text] for text in d.related]])
            payload = {**about, "view": "semantic", "text": d.semantic, "language": ""}
            points.append(Point(f"{d.kind} {d.iri} semantic", "semantic", together, payload))
    return points


def _texts(description: Description) -> list[tuple[str, str]]:
    return [(view, text) for view in ("syntactic", "lexical") for text in description.texts(view)]


def _together(vectors: Vectors) -> Vectors:
    """The direction of the mean of several vectors.

    The semantic view is embedded from the names in its axioms, which are embedded anyway: a tenth
    of the text of verbalised axioms, and siblings do not look equal because they share a long
    sentence.
    """
    mean = vectors.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else mean, dtype=np.float32)


def _language(description: Description, text: str) -> str:
    entity = description.entity
    for one in (*entity.labels, *entity.synonyms, *entity.definitions, *entity.comments):
        if one.language and text in (normal(one.text), " ".join(one.text.split())):
            return one.language
    return ""


def _collection(descriptions: Sequence[Description], embedder: Embedder) -> str:
    said = [[d.iri, d.kind, d.syntactic, d.lexical, d.related] for d in descriptions]
    text = json.dumps([embedder.name, said], ensure_ascii=False)
    return f"ontology-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:24]}"


def _counters(embedder: Embedder) -> tuple[int, int]:
    return (embedder.computed, embedder.reused) if isinstance(embedder, CachedEmbedder) else (0, 0)
