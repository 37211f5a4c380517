"""What words may mean in one graph: how well phrases fit its relations, and which entities are
called so.

Nearness compares sentence vectors; each text is embedded once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Indel

from kgnb.agents.question_answering import name_file
from kgnb.agents.question_answering.everyday_words import everyday
from kgnb.agents.question_answering.graph_reader import GraphReader
from kgnb.agents.question_answering.names import NAMING, is_relation, local_name
from kgnb.agents.question_answering.segmentation import (
    AUXILIARIES,
    EMPTY,
    QUESTION_WORDS,
    Phrase,
    says,
)
from kgnb.agents.question_answering.text_search import TextSearch
from kgnb.agents.question_answering.values import How
from kgnb.errors import BackendError, DataError
from kgnb.kg.engine_results import without_collecting
from kgnb.kg.labels import is_code, readable_name
from kgnb.kg.terms import Iri, Literal, Term, n3
from kgnb.kg.words import key, normal, plain, words
from kgnb.vectors.embedder import Embedder, Vectors

ASKED = "What is the {} of X?"
"""A relation's name as a question, which is closer to how people ask than the bare name."""

# What can be asked of anything. These fix the centre of the vectors for graphs with few relations,
# and stand for whatever a question may ask for that the graph lacks. Not taken from any data set.
USUAL = tuple(
    """name age size colour price owner maker founder leader member part kind date year time place country city region
    language title number amount weight height depth width length speed
    duration temperature cause purpose result origin material shape friend enemy
    teacher pupil colleague neighbour successor predecessor author subject genre award event role employer school
    party religion family parent child spouse sex illness hobby food capital border currency population area
    climate""".split()  # noqa: SIM905 - one word per line would fill a page
)

# What else people ask of films, books, places, people, firms, teams and substances. These stand
# only for relations that a graph may lack; the centre depends on the words above alone.
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
"""Vectors of these lists by the default embedder, which saves the first question some ten CPU
seconds.
"""


@cache
def bundled(embedder: str) -> Mapping[str, Vectors]:
    """The bundled vectors by text; empty for any embedder but the one that made them."""
    with np.load(BUNDLED, allow_pickle=False) as kept:
        return (
            dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))
            if kept["embedder"] == embedder
            else {}
        )


class Wording:
    """Vectors of texts, cached as long as the context: later questions about the same relations
    need no new ones.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors = dict(bundled(embedder.name))
        self._centres: dict[bool, Vectors] = {}
        self._units: dict[tuple[bool, str], Vectors] = {}
        self.computed = 0  # texts embedded so far

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """One row per text, as returned by the embedder."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self._embedder.embed(missing), strict=True))
            self.computed += len(missing)
        if not texts:
            return np.zeros((0, self._embedder.dimensions), dtype=np.float32)
        return np.stack([self._vectors[text] for text in texts])

    def nearness(self, phrases: Sequence[str], names: Sequence[str]) -> Vectors:
        """Nearness of each phrase (a question about X) to each relation name: shape (phrases,
        names), -1 to 1.

        The mean of two comparisons: the full phrase with the name as a question (counted twice),
        and both without X.
        """
        asked = self._cosines(list(phrases), [ASKED.format(name) for name in names], sentence=True)
        bare = self._cosines([_bare(phrase) for phrase in phrases], list(names), sentence=False)
        return np.asarray((2 * asked + bare) / 3, dtype=np.float32)

    def likeness(self, texts: Sequence[str], others: Sequence[str]) -> Vectors:
        """Cosines of centred vectors of plain texts: shape (texts, others)."""
        return self._cosines(list(texts), list(others), sentence=False)

    def _cosines(self, left: list[str], right: list[str], *, sentence: bool) -> Vectors:
        return np.asarray(
            self._seen(left, sentence) @ self._seen(right, sentence).T, dtype=np.float32
        )

    def _seen(self, texts: Sequence[str], sentence: bool) -> Vectors:
        """Unit vectors relative to the centre, one row per text."""
        missing = [text for text in dict.fromkeys(texts) if (sentence, text) not in self._units]
        if missing:
            rows = _around(self.vectors(missing), self._centre(sentence))
            self._units.update(
                ((sentence, text), row) for text, row in zip(missing, rows, strict=True)
            )
        if not texts:
            return np.zeros((0, self._embedder.dimensions), dtype=np.float32)
        return np.stack([self._units[sentence, text] for text in texts])

    def _centre(self, sentence: bool) -> Vectors:
        if sentence not in self._centres:
            texts = [ASKED.format(name) for name in USUAL] if sentence else list(USUAL)
            self._centres[sentence] = self.vectors(texts).mean(axis=0)
        return self._centres[sentence]


def _around(vectors: Vectors, centre: Vectors) -> Vectors:
    """The vectors relative to the centre, at unit length; zero vectors (empty texts) stay zero."""
    filled = np.any(vectors != 0, axis=1, keepdims=True)
    shifted = np.where(filled, vectors - centre, 0.0)
    lengths = np.linalg.norm(shifted, axis=1, keepdims=True)
    return np.asarray(
        np.divide(shifted, lengths, out=np.zeros_like(shifted), where=lengths > 1e-6),
        dtype=np.float32,
    )


def _bare(phrase: str) -> str:
    words = phrase.replace("'s", " ").replace("?", " ").split()
    if len(words) > 2 and words[:3] in (["what", "is", "the"], ["who", "is", "the"]):
        words = words[3:]
    if words[-2:] == ["of", "X"]:
        words = words[:-2]
    return " ".join(word for word in words if word != "X") or phrase


SPREAD = 0.15
"""The difference in nearness that makes one relation e times as likely as another."""
BACKWARD = 0.3
"""Penalty for following a relation against its direction in a question for "the ... of X"."""
_COMPARED = 300  # relations of one graph that phrases are compared with
SHARP = 0.06
"""Like SPREAD, for deciding whether the question means something else altogether, where mistakes
cost more.
"""
NOISE = 0.27
_ABSENT, _USUAL = (
    0.15,
    0.05,
)  # prior weight of each relation, or usual thing to ask for, that is not available
_COVERED = 0.6  # nearness from which the graph has a relation for a usual thing to ask for
_NAMED = 0.65  # cap on nearness to a usual thing, so that naming it word for word adds nothing
_PLAINLY = 0.5  # nearness from which a phrase plainly means one of the rarer things to ask for
SYNONYM = 0.38
"""Nearness from which two different words may mean the same: "job" and "profession" do, "ISBN" and
"publisher" do not.
"""

_BLAND = frozenset(map(plain, ("people", "person", "someone", "anybody", "much", "many")))

ASKED_FOR = (*USUAL, *ALSO_ASKED)


@dataclass(frozen=True)
class Fit:
    """How well one phrase fits each relation: nearness from -1 to 1, and log likelihood among all
    of them.
    """

    near: Mapping[Iri, float]
    likely: Mapping[Iri, float]
    usual: tuple[float, ...] = ()  # nearness to usual things to ask for that the graph lacks
    named: frozenset[Iri] = frozenset()  # relations named word for word by the phrase
    absent: bool = False  # the phrase is itself a usual thing to ask for that the graph lacks


@dataclass
class Lexicon:
    """The names of one graph's relations, with a cache of phrases already compared."""

    reader: GraphReader
    wording: Wording
    learned: Mapping[tuple[str, Iri], float] = field(
        default_factory=dict
    )  # nearness added by examples
    _names: dict[Iri, tuple[str, ...]] = field(default_factory=dict)
    _samples: dict[Iri, Term | None] = field(default_factory=dict)
    _fits: dict[tuple[str, int], Fit] = field(default_factory=dict)
    _uncovered: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _whole: bool = False
    _shared: Lexicon | None = None

    def own(self) -> Lexicon:
        """A lexicon for one question, which starts from the whole graph's.

        A phrase is judged among all known relations. If relations met by other questions were kept,
        an answer would depend on what was asked before it or at the same time.
        """
        return replace(
            self,
            _names={},
            _samples={},
            _fits={},
            _uncovered={},
            _whole=False,
            _shared=self._shared or self,
        )

    def meet(self, relations: Iterable[tuple[Iri, Term | None]] = ()) -> None:
        """Learn the names of relations; the first call also adds the whole graph's most common
        ones.
        """
        fresh = dict(relations)
        if not self._whole and self._shared is not None:
            self._whole = True
            self._shared.meet()
            self._names.update(self._shared._names)
            self._samples.update(self._shared._samples)
        elif not self._whole:
            self._whole = True
            common = sorted(self.reader.vocabulary, key=lambda entry: (-entry[1], entry[0]))
            common = [entry for entry in common if is_relation(entry[0])][:_COMPARED]
            fresh = {iri: sample for iri, _, sample in common} | {
                iri: sample
                for iri, sample in fresh.items()
                if sample is not None or iri not in {c[0] for c in common}
            }
        new = [iri for iri in sorted(fresh) if iri not in self._names and is_relation(iri)]
        self.reader.names.fetch(new)
        for iri in new:
            self._names[iri] = self.reader.names.of(iri)[:6] or (iri,)
        for iri, sample in fresh.items():
            if sample is not None:
                self._samples.setdefault(iri, sample)

    def forget(self) -> None:
        """Discard the cached comparisons, after something was learned."""
        self._fits.clear()

    @property
    def relations(self) -> tuple[Iri, ...]:
        """The relations known so far."""
        return tuple(self._names)

    def name(self, relation: Iri) -> str:
        """What a relation is called."""
        return (
            self._names[relation][0]
            if relation in self._names
            else self.reader.names.label(relation)
        )

    def sample(self, relation: Iri) -> Term | None:
        """One object of a relation."""
        return self._samples.get(relation)

    def fit(self, phrase: Phrase) -> Fit:
        """How well a phrase fits each relation known so far."""
        return self.fits([phrase])[0]

    def fits(self, phrases: Sequence[Phrase]) -> list[Fit]:
        """How well each phrase fits each relation known so far; all vectors are computed in one
        batch.
        """
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
        """The indexes in ``ASKED_FOR`` of things that the graph has no relation for."""
        size = len(self._names)
        if size not in self._uncovered:
            alike = self.wording.nearness(
                [ASKED.format(name) for name in ASKED_FOR], [name for _, name in relations]
            )
            places = range(len(ASKED_FOR))
            self._uncovered[size] = tuple(
                at for at in places if not relations or alike[at].max() < _COVERED
            )
        return self._uncovered[size]

    @staticmethod
    def _counts(at: int, near: float, said: tuple[str, ...]) -> bool:
        """Whether a phrase may mean a usual thing to ask for; for rarer ones it must plainly say
        so.
        """
        if at < len(USUAL):
            return True
        return near >= _PLAINLY and not set(said) < set(
            _key(ASKED_FOR[at])
        )  # "address" alone is not "email address"

    def _fit(
        self,
        text: str,
        relations: Sequence[tuple[Iri, str]],
        row: Vectors,
        uncovered: Sequence[int],
    ) -> Fit:
        best: dict[Iri, float] = {}
        said = _key(text)
        bare = tuple(word for word in said if word not in _BLAND)
        named: set[Iri] = set()
        for (iri, name), value in zip(relations, row, strict=False):
            best[iri] = max(best.get(iri, -1.0), float(value))
            if said and _key(name) == said:
                named.add(iri)
        for iri in best:
            if bare and any(_key(name) in (bare, said) for name in everyday(iri)):
                named.add(iri)
            best[iri] = max(-1.0, min(1.0, best[iri] + self.learned.get((text, iri), 0.0)))
        for iri in named:
            best[iri] = 1.0
        values = np.array(list(best.values()), dtype=np.float64) / SPREAD
        total = float(np.log(np.exp(values - values.max()).sum()) + values.max()) if best else 0.0
        likely = {iri: value / SPREAD - total for iri, value in best.items()}
        # "job" may well mean "profession", named word for word or not, but "how deep" never means
        # how high
        measured = text.startswith("How ")
        near = [
            float(row[len(relations) + at])
            for at in uncovered
            if self._counts(at, row[len(relations) + at], said)
        ]
        usual = tuple(one + 0.07 if measured else min(one, _NAMED) for one in near)
        absent = said in _usual_keys() and not named and max(best.values(), default=0.0) < _COVERED
        return Fit(best, likely, usual, frozenset(named), absent)


def not_elsewhere(fit: Fit, relation: Iri, available: frozenset[Iri], backward: bool) -> float:
    """Probability (0 to 1) that a phrase means ``relation`` and not something unavailable here.

    That could be a relation found elsewhere in the graph, or a usual thing to ask for that the
    graph lacks.
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
    """Probability (0 to 1) that names with this average nearness mean the same; unrelated ones
    reach about 0.25.

    With ``several`` names a lower average will do, as they are rarely all near by chance.
    """
    return 1.0 / (1.0 + math.exp(-(near - (0.165 if several else NOISE)) / 0.03))


@cache
def _usual_keys() -> frozenset[tuple[str, ...]]:
    return frozenset(_key(name) for name in ASKED_FOR)


def _key(text: str) -> tuple[str, ...]:
    return tuple(sorted(plain(word) for word in words(text) if word != "x" and says(word)))


LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ar")
"""Language tags tried if the graph is too large to read all labels; exact texts are also tried
without a tag.
"""
_SMALL = 2_000_000  # most triples of a graph whose labels are all read
_LABELS = 60_000  # most labels read of a service
_LABELS_AT_HAND = 600_000  # most labels read of a graph in this process
_VECTORS = 4000  # names compared by vectors
_WORDS = 7  # most words of a mention
_FUZZY = 0.82
_SINGULAR = {
    "people": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "mice": "mouse",
    "geese": "goose",
    "feet": "foot",
    "teeth": "tooth",
    "oxen": "ox",
    "criteria": "criterion",
    "phenomena": "phenomenon",
    "wolve": "wolf",
    "knive": "knife",
    "shelve": "shelf",
    "heroe": "hero",
    "buse": "bus",
}
"""Plurals that ``plain`` leaves as they are, or takes for others, by what it makes of them."""
_LIKE = 0.75
Span = tuple[int, int]
Spared = tuple[str, tuple[str, ...]]
Hit = tuple[Span, Iri, str, float, How]


class Directory:
    """Entities by name. Labels are read once; in graphs too large for that, exact texts are looked
    up.
    """

    def __init__(
        self,
        reader: GraphReader,
        wording: Wording,
        *,
        most: int | None = None,
        kept: Path | None = None,
    ) -> None:
        self._reader, self._wording = reader, wording
        self._path = kept  # where the names of this very graph are kept, if they are
        self._file: name_file.NameFile | None = None
        self._most = most or (_LABELS if reader.remote else _LABELS_AT_HAND)
        self._names: dict[tuple[str, ...], dict[Iri, str]] = {}
        # names and their texts by first letter and numbers, which typos spare; made when needed
        self._spared: dict[Spared, dict[tuple[str, ...], str]] = {}
        self._parts: dict[str, dict[Iri, str]] = {}  # names by their first and last words
        self._read = False
        self._search = TextSearch(lambda query, most: reader.select(query, limit=most))
        self.partial = False

    def mentions(self, sentence: Sequence[str]) -> list[Hit]:
        """Every entity that the question may mention."""
        try:
            return self._mentions(sentence)
        except DataError:
            if self._file is None:
                raise
        self._file.close()  # it is damaged: the graph is read instead, and the file made anew
        name_file.discard(self._file.path)
        self._file, self._read = None, False
        return self._mentions(sentence)

    def _mentions(self, sentence: Sequence[str]) -> list[Hit]:
        spans = list(_spans(sentence))
        counts = {iri: count for iri, count, _ in self._reader.vocabulary}
        naming = self._naming()
        labels = sum(count for iri, count in counts.items() if iri in naming)
        small = 0 < sum(counts.values()) <= _SMALL and labels <= self._most
        if small:
            self._load()
        else:
            self.partial = True
            self._exact(sentence, spans)
        hits = [hit for span in spans for hit in self._named(sentence, span)]
        hits = hits or [hit for span in spans for hit in self._members(sentence, span)]
        covered = {place for (begin, end), *_ in hits for place in range(begin, end)}
        open_spans = [s for s in spans if not covered & set(range(*s)) and _may_name(sentence, s)]
        if self.partial and self._reader.remote:
            self._searched(sentence, open_spans)
        hits += [hit for span in open_spans for hit in self._misspelt(sentence, span)]
        if not hits:
            hits = self._alike(sentence, open_spans)
        return hits

    def _searched(self, sentence: Sequence[str], spans: Sequence[Span]) -> None:
        """Read what the service's own search finds for the longest parts of the question that begin
        with a capital or digit.
        """
        taken: set[int] = set()
        for begin, end in spans:
            marked = sentence[begin][:1].isupper() or sentence[begin][:1].isdigit()
            if begin == 0 or not marked or not taken.isdisjoint(range(begin, end)):
                continue
            found = self._search.named(" ".join(sentence[begin:end]))
            for iri, name in found:
                self._add(iri, name)
            if found:
                taken |= set(range(begin, end))

    def exactly(self, sentence: Sequence[str]) -> list[Hit]:
        """The entities that the question names exactly; looks up only those texts."""
        spans = list(_spans(sentence))
        if not self._read:
            self._exact(sentence, spans)
        return [hit for span in spans for hit in self._named(sentence, span)]

    def called_in_part(self, word: str) -> dict[Iri, str]:
        """The entities that have a word among the first or last of their names, none where the names
        are kept in a file; several names of one entity count once.
        """
        if not self._parts:
            for name, called in self._names.items():
                for part in {name[0], name[-1]} if len(name) > 1 else ():
                    self._parts.setdefault(part, {}).update(called)
        (part, *more) = key(word) or ("",)
        return {} if more else self._parts.get(part, {})

    def holding(self, sentence: Sequence[str], most: int = 3) -> list[str]:
        """Longer names in which a capitalised word of the question stands: "Ada" names nobody, but
        there is an Ada Byron. None where the names are kept in a file.
        """
        said = {
            word
            for place, token in enumerate(sentence)
            if token[:1].isupper() and says(token) and (place or token.lower() not in AUXILIARIES)
            for word in key(token)
        }
        held = (name for name in self._names if len(name) > 1 and not said.isdisjoint(name))
        found = sorted({shown for name in held for shown in self._names[name].values()})
        return found if len(found) <= most else []

    def _naming(self) -> list[str]:
        """The naming predicates: those of common vocabularies, and the graph's own."""
        return sorted({*NAMING, *self._reader.own_naming()})

    def _named(self, sentence: Sequence[str], span: Span) -> list[Hit]:
        text = " ".join(sentence[span[0] : span[1]])
        found = self._called(key(text))
        hits: list[Hit] = []
        for iri, name in sorted(found.items()):
            exact = name.casefold() == text.casefold() or normal(name) == normal(text)
            hits.append(
                (span, iri, name, 1.0 if exact else 0.95, "exact" if exact else "normalised")
            )
        return hits

    def _members(self, sentence: Sequence[str], span: Span) -> list[Hit]:
        """The classes whose irregular plural this is. Beside a thing that is named, "people" and
        "children" are more often no class: "How many people live in Chicago?"
        """
        *first, last = key(" ".join(sentence[span[0] : span[1]])) or ("",)
        found = self._called((*first, _SINGULAR[last])) if last in _SINGULAR else {}
        return [
            (span, iri, name, 0.95, "normalised")
            for iri, name in sorted(found.items())
            if iri in self._reader.classes
        ]

    def _misspelt(self, sentence: Sequence[str], span: Span) -> list[Hit]:
        said = key(" ".join(sentence[span[0] : span[1]]))
        text = " ".join(said)
        if len(text) < 4:
            return []
        found = process.extract(
            text,
            self._with(_spared(text)),
            scorer=Indel.normalized_similarity,
            score_cutoff=_FUZZY,
            limit=None,
        )
        best = sorted(((score, name) for _, score, name in found), key=lambda e: (-e[0], e[1]))[:5]
        return [
            (span, iri, shown, round(0.9 * score, 4), "fuzzy")
            for score, name in best
            for iri, shown in sorted(self._called(name).items())
        ]

    def _called(self, said: tuple[str, ...]) -> dict[Iri, str]:
        """The entities with a name of this key."""
        if said not in self._names and self._file is not None and said:
            return self._file.of(said)
        return self._names.get(said, {})

    @without_collecting()
    def _with(self, spared: Spared) -> dict[tuple[str, ...], str]:
        """The names with this first letter and these numbers, and their texts."""
        if self._file is not None:
            return self._file.spared(_as_text(spared))
        if not self._spared:
            for name in self._names:
                text = " ".join(name)
                self._spared.setdefault(_spared(text), {})[name] = text
        return self._spared.get(spared, {})

    def _alike(self, sentence: Sequence[str], spans: Sequence[Span]) -> list[Hit]:
        file = self._file
        names = file.first(_VECTORS) if file is not None else sorted(self._names)[:_VECTORS]
        spans = [span for span in spans if span[1] - span[0] <= 4]
        if not names or not spans:
            return []
        texts = [" ".join(sentence[begin:end]) for begin, end in spans]
        near = self._wording.likeness(texts, [" ".join(name) for name in names])
        hits: list[Hit] = []
        for row, span in zip(near, spans, strict=True):
            at = int(row.argmax())
            if row[at] >= _LIKE and _numbers(" ".join(names[at])) == _numbers(
                " ".join(sentence[slice(*span)])
            ):
                score = round(0.8 * float(row[at]), 4)
                hits += [
                    (span, iri, shown, score, "vector")
                    for iri, shown in sorted(self._called(names[at]).items())
                ]
        return hits

    @without_collecting()
    def _load(self) -> None:
        if self._read:
            return
        self._read = True
        self._file = name_file.opened(self._path) if self._path is not None else None
        if self._file is not None:
            return
        naming = " ".join(f"<{name}>" for name in self._naming())
        named: set[Iri] = set()
        labels = self._some(
            f"SELECT DISTINCT ?s ?q ?l WHERE {{ VALUES ?q {{ {naming} }} ?s ?q ?l }}"
        )
        texts = [
            (iri, str(kind), text.text, text.language or "")
            for iri, kind, text in labels
            if isinstance(iri, Iri) and isinstance(text, Literal)
        ]
        for thing, _, name, language in sorted(texts):  # of its equal names the first is shown
            if language.split("-")[0].lower() in ("", "en"):
                named.add(thing)
            self._add(thing, name)
        # without a label, or with one in another language alone, the last part of the IRI is a name,
        # unless it is a code; filtered here, not in the store
        for query in (
            "SELECT DISTINCT ?s WHERE { ?s ?p ?o FILTER (isIRI(?s)) }",
            "SELECT DISTINCT ?o WHERE { ?s ?p ?o FILTER (isIRI(?o)) }",
        ):
            for (iri,) in self._some(query):
                if (
                    isinstance(iri, Iri)
                    and iri not in named
                    and (name := local_name(iri))
                    and not is_code(name)
                ):
                    self._add(iri, readable_name(name))
        if self._path is not None and len(self._names) >= name_file.KEPT_FROM and not self.partial:
            entries = (
                (said, _as_text(_spared(" ".join(said))), iri, name)
                for said, called in self._names.items()
                for iri, name in called.items()
            )
            name_file.keep(self._path, entries)

    def _some(self, query: str) -> tuple[tuple[Term | None, ...], ...]:
        """The rows of a query, up to the limit; none if it is too much for the service."""
        try:
            found = self._reader.select(query, limit=self._most)
        except BackendError:
            self.partial = True
            return ()
        self.partial |= found.truncated
        return found.rows

    def _exact(self, sentence: Sequence[str], spans: Sequence[Span]) -> None:
        """Look up the entities with exactly these names, if need be in all of ``LANGUAGES``."""
        texts = dict.fromkeys(
            form
            for begin, end in spans
            if any(says(token) for token in sentence[begin:end])
            for text in [" ".join(sentence[begin:end]).replace(" 's", "'s")]
            for form in (text, text[:1].upper() + text[1:], text.lower(), text.title())
        )
        # most names in English questions are found in English; try other languages only if none is
        english = any(token.lower() in QUESTION_WORDS for token in sentence)
        if not (english and self._asked_for(list(texts), (None, "en"))):
            self._asked_for(list(texts), (None, *LANGUAGES))

    def _asked_for(self, texts: Sequence[str], tags: Sequence[str | None]) -> bool:
        """Look up these names in these languages and keep the entities found; whether there were
        any.
        """
        literals = [Literal(text, tag) for text in texts for tag in tags]
        naming = ", ".join(f"<{name}>" for name in self._naming())
        any_named = False
        for begin in range(0, len(literals), 400):
            values = " ".join(n3(literal) for literal in literals[begin : begin + 400])
            # FILTER, because with a second VALUES some engines read every label
            query = f"SELECT DISTINCT ?s ?l WHERE {{ VALUES ?l {{ {values} }} ?s ?q ?l FILTER (?q IN ({naming})) }}"
            for iri, text in sorted(self._reader.select(query).rows, key=str):
                if isinstance(iri, Iri) and isinstance(text, Literal):
                    self._add(iri, text.text)
                    any_named = True
        return any_named

    def _add(self, iri: Iri, name: str) -> None:
        said = key(name)
        if said and len(said) <= 12:
            self._names.setdefault(said, {}).setdefault(iri, " ".join(name.split()))
            self._spared.clear()
            self._parts.clear()


def _spared(text: str) -> Spared:
    """What typos spare: "urban" is not Burbank, Apollo 19 is not Apollo 11."""
    return text[:1], tuple(_numbers(text))


def _as_text(spared: Spared) -> str:
    return " ".join((spared[0], *spared[1]))


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _may_name(sentence: Sequence[str], span: Span) -> bool:
    """Whether words may be a misspelt name: in a question with capitals or digits, a name must have
    one too.
    """

    def marked(begin: int, end: int) -> bool:
        return any(token[:1].isupper() or token[:1].isdigit() for token in sentence[begin:end])

    return marked(max(1, span[0]), span[1]) or not marked(1, len(sentence))


def _spans(sentence: Sequence[str]) -> Iterable[Span]:
    """Parts of the question that may be a name, longest first."""
    for length in range(min(_WORDS, len(sentence)), 0, -1):
        for begin in range(len(sentence) - length + 1):
            piece = sentence[begin : begin + length]
            plain = [token.lower() for token in piece]
            if (
                not any(map(says, piece))
                or plain[-1] in ("'s", "the", "of")
                or piece[-1] == "a"  # but "Line A" is a name
                or not any(c.isalnum() for c in plain[0])
                or not any(c.isalnum() for c in plain[-1])
            ):
                continue
            if length == 1 and plain[0] in EMPTY:
                continue
            yield (begin, begin + length)
