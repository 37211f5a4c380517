"""How near a phrase of the question is to the name of a relation: sentence vectors, each text embedded once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from kgnb.vectors.embedder import Embedder, Vectors

ASKED = "What is the {} of X?"
"""A relation's name as the question for it: closer to how people ask than the bare name is."""

# What one may ask of anything. They keep the centre of the vectors in place where a graph has few relations, and stand
# for all that a question may ask for and the graph has no relation for. Not taken from any data set.
USUAL = tuple(
    """name age size colour price owner maker founder leader member part kind date year time place country city region
    language title number amount weight height depth width length speed
    duration temperature cause purpose result origin material shape friend enemy
    teacher pupil colleague neighbour successor predecessor author subject genre award event role employer school
    party religion family parent child spouse sex illness hobby food capital border currency population area
    climate""".split()  # noqa: SIM905 - a list of one word a line is a page long
)

# More that people ask of films, books, places, people, firms, teams and substances. They stand only for what a graph
# may have no relation for; the centre is where the words above put it.
ALSO_ASKED = tuple(
    " ".join(word.split())
    for word in """producer, cinematographer, composer, editor, screenwriter, director, translator, illustrator,
    narrator, budget, box office, rating, trailer, soundtrack, sequel, distributor, studio, designer, discoverer,
    supplier, dose, patent, isbn, publisher, number of pages, copyright, licence, elevation, postal code, mayor,
    time zone, national anthem, flag, motto, airport, area code, governor, official residence, founding date, blood
    type, eye colour, hair colour, net worth, salary, phone number, email address, home address, nickname,
    pseudonym, pet, degree, thesis, doctor, lawyer, burial place, chief executive, headquarters, revenue, profit,
    logo, slogan, website, customer, competitor, subsidiary, shareholder, stock symbol, ingredient, recipe, engine,
    warranty, coach, captain, stadium, sponsor, league, mascot, melting point, boiling point, density, atomic
    number, formula, habitat, lifespan, predator, symptom, treatment, vaccine, inventor, architect, painter, singer,
    instrument, voice type""".split(",")  # noqa: SIM905 - as above
)

BUNDLED = Path(__file__).with_name("usual_vectors.npz")
"""Vectors of these lists by the default embedder: a first question has not to wait for them (some ten CPU seconds)."""


@cache
def bundled(embedder: str) -> Mapping[str, Vectors]:
    """The vectors of the lists that come with the package, by text; none for another embedder than theirs."""
    with np.load(BUNDLED, allow_pickle=False) as kept:
        return dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True)) if kept["embedder"] == embedder else {}


class Wording:
    """Vectors of texts, kept for as long as the desk is: a second question about the same relations computes none."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors = dict(bundled(embedder.name))
        self._centres: dict[bool, Vectors] = {}
        self._units: dict[tuple[bool, str], Vectors] = {}
        self.computed = 0  # texts embedded so far

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """One row a text, as the embedder gives them."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self._embedder.embed(missing), strict=True))
            self.computed += len(missing)
        if not texts:
            return np.zeros((0, self._embedder.dimensions), dtype=np.float32)
        return np.stack([self._vectors[text] for text in texts])

    def nearness(self, phrases: Sequence[str], names: Sequence[str]) -> Vectors:
        """How near each phrase (a question about X) is to each name of a relation: shape (phrases, names), -1 to 1.

        The mean of two views: the phrase as it stands against the name as a question (twice), and both without their X.
        """
        asked = self._cosines(list(phrases), [ASKED.format(name) for name in names], sentence=True)
        bare = self._cosines([_bare(phrase) for phrase in phrases], list(names), sentence=False)
        return np.asarray((2 * asked + bare) / 3, dtype=np.float32)

    def likeness(self, texts: Sequence[str], others: Sequence[str]) -> Vectors:
        """Cosines of centred vectors of plain texts: shape (texts, others)."""
        return self._cosines(list(texts), list(others), sentence=False)

    def _cosines(self, left: list[str], right: list[str], *, sentence: bool) -> Vectors:
        return np.asarray(self._seen(left, sentence) @ self._seen(right, sentence).T, dtype=np.float32)

    def _seen(self, texts: Sequence[str], sentence: bool) -> Vectors:
        """The vectors as they are seen from the centre, one row a text."""
        missing = [text for text in dict.fromkeys(texts) if (sentence, text) not in self._units]
        if missing:
            rows = _around(self.vectors(missing), self._centre(sentence))
            self._units.update(((sentence, text), row) for text, row in zip(missing, rows, strict=True))
        if not texts:
            return np.zeros((0, self._embedder.dimensions), dtype=np.float32)
        return np.stack([self._units[sentence, text] for text in texts])

    def _centre(self, sentence: bool) -> Vectors:
        if sentence not in self._centres:
            texts = [ASKED.format(name) for name in USUAL] if sentence else list(USUAL)
            self._centres[sentence] = self.vectors(texts).mean(axis=0)
        return self._centres[sentence]


def _around(vectors: Vectors, centre: Vectors) -> Vectors:
    """The vectors seen from the centre, of unit length; what is no text stays zero."""
    filled = np.any(vectors != 0, axis=1, keepdims=True)
    shifted = np.where(filled, vectors - centre, 0.0)
    lengths = np.linalg.norm(shifted, axis=1, keepdims=True)
    return np.asarray(np.divide(shifted, lengths, out=np.zeros_like(shifted), where=lengths > 1e-6), dtype=np.float32)


def _bare(phrase: str) -> str:
    words = phrase.replace("'s", " ").replace("?", " ").split()
    if len(words) > 2 and words[:3] in (["what", "is", "the"], ["who", "is", "the"]):
        words = words[3:]
    if words[-2:] == ["of", "X"]:
        words = words[:-2]
    return " ".join(word for word in words if word != "X") or phrase
