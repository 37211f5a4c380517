"""The relations of a graph as a question may name them, and how well each phrase of a question fits each of them.

Nearness is of sentence vectors, each text embedded once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from kgnb.agents.question_answering.graph_reader import GraphReader
from kgnb.agents.question_answering.names import NAMING
from kgnb.agents.question_answering.segmentation import Phrase, says
from kgnb.kg.terms import OWL, RDF, RDFS, SKOS, Iri, Term
from kgnb.kg.words import plain, words
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
    """Vectors of texts, kept as long as the context: a second question about the same relations computes none."""

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


SPREAD = 0.15
"""Nearness that makes one relation e times as likely as another."""
BACKWARD = 0.3
"""What following a relation against its direction costs where the question reads "the ... of X"."""
_COMPARED = 300  # relations of one graph whose names are compared with a phrase
SHARP = 0.06
"""As SPREAD, where it is judged whether the question means something else altogether: mistakes cost more there."""
NOISE = 0.27
_ABSENT, _USUAL = 0.15, 0.05  # how likely it is, before a word is read, that one is meant that is not at hand
_COVERED = 0.6  # nearness from which a usual thing to ask for counts as a relation the graph has
_NAMED = 0.65  # and beyond which it makes no difference that it is named word for word
_PLAINLY = 0.5  # nearness from which a phrase says one of the rarer things to ask for, in whatever form
SYNONYM = 0.38
"""Nearness from which two names may mean the same although one of them is a word of its own: "job" and "profession"
do, "ISBN" and "publisher" do not."""

ASKED_FOR = (*USUAL, *ALSO_ASKED)

NO_RELATION = NAMING | {
    f"{RDF}type",
    f"{RDFS}comment",
    f"{RDFS}subClassOf",
    f"{RDFS}subPropertyOf",
    f"{RDFS}domain",
    f"{RDFS}range",
    f"{RDFS}isDefinedBy",
    f"{RDFS}seeAlso",
    f"{OWL}sameAs",
    f"{SKOS}definition",
    "http://schema.org/description",
    "http://schema.org/about",
    "http://schema.org/isPartOf",
    "http://schema.org/inLanguage",
    "http://schema.org/version",
    "http://schema.org/dateModified",
}
"""Predicates that name, describe or type things rather than relate them."""
_HIDDEN = (
    "http://wikiba.se/ontology#",
    "http://www.wikidata.org/prop/",
    "http://www.w3.org/2002/07/owl#",
    f"{RDF}_",
    "http://dbpedia.org/ontology/wikiPage",  # links, redirects, numbers and lengths of Wikipedia's pages
)
_SHOWN = ("http://www.wikidata.org/prop/direct/",)


def is_relation(predicate: str) -> bool:
    """Whether a predicate relates things: no name, no type, no bookkeeping of statements."""
    return predicate not in NO_RELATION and (predicate.startswith(_SHOWN) or not predicate.startswith(_HIDDEN))


@dataclass(frozen=True)
class Fit:
    """How well one phrase fits every relation: nearness from -1 to 1, and log likelihood among them all."""

    near: Mapping[Iri, float]
    likely: Mapping[Iri, float]
    usual: tuple[float, ...] = ()  # nearness of the usual things to ask for that the graph has no relation for
    named: frozenset[Iri] = frozenset()  # relations whose name is the phrase itself, word for word
    absent: bool = False  # the phrase itself is a usual thing to ask for that the graph has no relation for


@dataclass
class Lexicon:
    """What the relations of one graph are called; phrases already compared are kept."""

    reader: GraphReader
    wording: Wording
    learned: Mapping[tuple[str, Iri], float] = field(default_factory=dict)  # nearness that examples add, by phrase
    _names: dict[Iri, tuple[str, ...]] = field(default_factory=dict)
    _samples: dict[Iri, Term | None] = field(default_factory=dict)
    _fits: dict[tuple[str, int], Fit] = field(default_factory=dict)
    _uncovered: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _whole: bool = False
    _shared: Lexicon | None = None

    def own(self) -> Lexicon:
        """A lexicon for one question, which begins with the whole graph's.

        A phrase is judged among all relations that are known: were those kept that other questions have met, an answer
        would depend on what was asked before it, or beside it.
        """
        return replace(
            self, _names={}, _samples={}, _fits={}, _uncovered={}, _whole=False, _shared=self._shared or self
        )

    def meet(self, relations: Iterable[tuple[Iri, Term | None]] = ()) -> None:
        """Learn what relations are called, those of the whole graph the first time."""
        fresh = dict(relations)
        if not self._whole and self._shared is not None:
            self._whole = True
            self._shared.meet()
            self._names.update(self._shared._names)
            self._samples.update(self._shared._samples)
        elif not self._whole:
            self._whole = True
            common = sorted(self.reader.vocabulary(), key=lambda entry: (-entry[1], entry[0]))
            common = [entry for entry in common if is_relation(entry[0])][:_COMPARED]
            fresh = {iri: sample for iri, _, sample in common} | {
                iri: sample for iri, sample in fresh.items() if sample is not None or iri not in {c[0] for c in common}
            }
        new = [iri for iri in sorted(fresh) if iri not in self._names and is_relation(iri)]
        self.reader.names.fetch(new)
        for iri in new:
            self._names[iri] = self.reader.names.of(iri)[:6] or (iri,)
        for iri, sample in fresh.items():
            if sample is not None:
                self._samples.setdefault(iri, sample)

    def forget(self) -> None:
        """Compare phrases anew, because something was learned."""
        self._fits.clear()

    @property
    def relations(self) -> tuple[Iri, ...]:
        """The relations known so far."""
        return tuple(self._names)

    def name(self, relation: Iri) -> str:
        """What a relation is called."""
        return self._names[relation][0] if relation in self._names else self.reader.names.label(relation)

    def sample(self, relation: Iri) -> Term | None:
        """One object of a relation."""
        return self._samples.get(relation)

    def fit(self, phrase: Phrase) -> Fit:
        """How well a phrase fits every relation known so far."""
        return self.fits([phrase])[0]

    def fits(self, phrases: Sequence[Phrase]) -> list[Fit]:
        """How well each phrase fits every relation known so far; all vectors are computed in one go."""
        size = len(self._names)
        missing = list(dict.fromkeys(p.text for p in phrases if (p.text, size) not in self._fits))
        if missing:
            relations = [(iri, name) for iri, names in self._names.items() for name in names]
            near = self.wording.nearness(missing, [name for _, name in relations] + list(ASKED_FOR))
            uncovered = self._uncovered_by(relations)
            for text, row in zip(missing, near, strict=True):
                self._fits[text, size] = self._fit(text, relations, row, uncovered)
        return [self._fits[phrase.text, size] for phrase in phrases]

    def _uncovered_by(self, relations: Sequence[tuple[Iri, str]]) -> tuple[int, ...]:
        """The places of the usual things to ask for that the graph has no relation for."""
        size = len(self._names)
        if size not in self._uncovered:
            alike = self.wording.nearness([ASKED.format(name) for name in ASKED_FOR], [name for _, name in relations])
            places = range(len(ASKED_FOR))
            self._uncovered[size] = tuple(at for at in places if not relations or alike[at].max() < _COVERED)
        return self._uncovered[size]

    @staticmethod
    def _counts(at: int, near: float, said: tuple[str, ...]) -> bool:
        """Whether a usual thing to ask for may be what a phrase means; rarer ones only where it plainly says so."""
        if at < len(USUAL):
            return True
        return near >= _PLAINLY and not set(said) < set(_key(ASKED_FOR[at]))  # an address is no email address

    def _fit(self, text: str, relations: Sequence[tuple[Iri, str]], row: Vectors, uncovered: Sequence[int]) -> Fit:
        best: dict[Iri, float] = {}
        said = _key(text)
        named: set[Iri] = set()
        for (iri, name), value in zip(relations, row, strict=False):
            best[iri] = max(best.get(iri, -1.0), float(value))
            if said and _key(name) == said:
                named.add(iri)
        for iri in best:
            best[iri] = max(-1.0, min(1.0, best[iri] + self.learned.get((text, iri), 0.0)))
        for iri in named:
            best[iri] = 1.0
        values = np.array(list(best.values()), dtype=np.float64) / SPREAD
        total = float(np.log(np.exp(values - values.max()).sum()) + values.max()) if best else 0.0
        likely = {iri: value / SPREAD - total for iri, value in best.items()}
        # "job" may well mean "profession", word for word or not; but "how deep" is never how high
        measured = text.startswith("How ")
        near = [float(row[len(relations) + at]) for at in uncovered if self._counts(at, row[len(relations) + at], said)]
        usual = tuple(one + 0.07 if measured else min(one, _NAMED) for one in near)
        absent = said in _usual_keys() and not named and max(best.values(), default=0.0) < _COVERED
        return Fit(best, likely, usual, frozenset(named), absent)


def not_elsewhere(fit: Fit, relation: Iri, available: frozenset[Iri], backward: bool) -> float:
    """How sure a phrase means ``relation`` rather than something that is not at hand here (0 to 1).

    That may be a relation the graph has elsewhere, or one of the usual things to ask for that it has no relation for.
    """
    here = fit.near[relation] - (BACKWARD if backward else 0.0)
    rivals = [near for iri, near in fit.near.items() if iri != relation and iri not in available]
    if backward and relation not in available:
        rivals.append(fit.near[relation])
    if fit.named - available - {relation} and relation not in fit.named:
        rivals.append(1.0)
    if fit.absent and here < SYNONYM:
        rivals.append(1.0)
    absent = sum(_ABSENT * math.exp((near - here) / SHARP) for near in rivals)
    usual = sum(_USUAL * math.exp((near - here) / SHARP) for near in fit.usual)
    return 1.0 / (1.0 + absent + usual)


def above_noise(near: float, *, several: bool = False) -> float:
    """How sure it is that names so near on average mean the same (0 to 1); unrelated ones reach about 0.25.

    ``several`` names are seldom all near by chance: their average need not be so high.
    """
    return 1.0 / (1.0 + math.exp(-(near - (0.165 if several else NOISE)) / 0.03))


@cache
def _usual_keys() -> frozenset[tuple[str, ...]]:
    return frozenset(_key(name) for name in ASKED_FOR)


def _key(text: str) -> tuple[str, ...]:
    return tuple(sorted(plain(word) for word in words(text) if word != "x" and says(word)))
