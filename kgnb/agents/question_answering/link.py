"""Link: find the entities that the question mentions (section 3.1; the paper's benchmarks provide them).

Labels and aliases in every language are compared: word for word, then without case, diacritics and plural endings, then
allowing for typos, and only then by vectors. All entities that a mention may refer to are kept, with scores.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from kgnb.agents.question_answering.graph_reader import GraphReader
from kgnb.agents.question_answering.interpretation import TYPE
from kgnb.agents.question_answering.lexicon import Wording
from kgnb.agents.question_answering.names import ALIASES, NAMING, local_name
from kgnb.agents.question_answering.segmentation import AUXILIARIES, EMPTY, QUESTION_WORDS, find, says, tokens
from kgnb.agents.question_answering.state import GraphContext, State
from kgnb.agents.question_answering.values import How, Link, Linked
from kgnb.errors import BackendError
from kgnb.kg.labels import is_code, readable_name
from kgnb.kg.terms import OWL, RDF, RDFS, Iri, Literal, Term, is_iri, n3
from kgnb.kg.words import key, normal


def link(state: State) -> State:
    """Link the entities supplied with the question, or else those that its words name."""
    linked = _given(state) if state.question.entities else _found(state)
    entities = linked.entities
    seen = frozenset(str(link.iri) for link in linked.links)
    return replace(state, stage="link", linked=linked, entities=entities, seen=seen)


def directory(state: State) -> Directory:
    """The directory of the state's graph, shared by all questions."""
    return directory_of(state.context)


def directory_of(context: GraphContext) -> Directory:
    """The directory of a context's graph."""
    if "directory" not in context.memo:
        context.memo["directory"] = Directory(context.reader, context.wording)
    return cast(Directory, context.memo["directory"])


def _given(state: State) -> Linked:
    """The entities supplied with the question, with the words that name them, and whatever else the question names."""
    sentence = tokens(state.question.text)
    names = state.context.reader.names
    wanted = [Iri(iri) for iri in dict.fromkeys(state.question.entities)]
    for iri in wanted:
        if not is_iri(iri):
            raise ValueError(f"not an absolute IRI: {str(iri)!r}; an entity is given by its full IRI")
    same = state.context.reader.same(wanted)
    found = []
    for iri in wanted:
        meant = same.get(iri, iri)
        names.fetch([iri, meant])
        spans = [span for name in (*names.of(iri), *names.of(meant)) if (span := find(name, sentence))]
        best = max(spans, key=lambda span: span[1] - span[0], default=None)
        mention = " ".join(sentence[best[0] : best[1]]) if best else ""
        found.append(Link(meant, names.label(meant), mention, 1.0, "given"))
    notes = tuple(f"{old} redirects to {new}" for old, new in same.items())
    also = [*_classes(state, sentence, found), *_named_too(state, sentence, found)]
    return Linked((*found, *also), given=True, notes=notes)


def _classes(state: State, sentence: Sequence[str], given: Sequence[Link]) -> list[Link]:
    """The classes named besides the supplied entities: they say what kind of thing is asked for."""
    names = state.context.reader.names
    classes = [iri for iri in directory(state).classes() if iri not in {link.iri for link in given}]
    names.fetch(classes)
    found: dict[tuple[int, int], Link] = {}
    left = list(sentence)
    for link in given:  # the "hut" in "Upper Hut" is not a class
        if link.mention and (span := find(link.mention, left)):
            left[span[0] : span[1]] = ["_"] * (span[1] - span[0])
    for iri in classes:
        spans = [span for name in names.of(iri) if (span := find(name, left))]
        for span in spans[:1]:
            mention = _words(sentence, span)
            found.setdefault(span, Link(iri, names.label(iri), mention, 0.95, "normalised", is_class=True))
    return list(found.values())


def _named_too(state: State, sentence: Sequence[str], given: Sequence[Link]) -> list[Link]:
    """Other entities that the question names exactly: "Is A the capital of B?" may be supplied with B alone.

    They are sought only in yes/no questions, or where capitalised words are left over.
    """
    left = list(sentence)
    for link in given:
        if link.mention and (span := find(link.mention, left)):
            left[span[0] : span[1]] = ["_"] * (span[1] - span[0])
    asks = bool(left) and left[0].lower() in AUXILIARIES
    if not asks and not any(token[:1].isupper() and token[1:].islower() and says(token) for token in left[1:]):
        return []
    taken: set[int] = set()
    found: list[Link] = []
    classes = directory(state).classes()
    relations = {relation for relation, _, _ in state.context.reader.vocabulary()}
    hits = [hit for hit in directory(state).exactly(left) if hit[1] not in relations and hit[1] not in classes]
    for span, iri, _, score, how in sorted(hits, key=lambda hit: (hit[0][0] - hit[0][1], -hit[3], hit[1])):
        if not taken & set(range(*span)) and "_" not in left[span[0] : span[1]]:
            taken |= set(range(*span))
            found.append(Link(iri, state.context.reader.names.label(iri), _words(sentence, span), score, how))
    return found


def _found(state: State) -> Linked:
    sentence = tokens(state.question.text)
    names = directory(state)
    hits = names.mentions(sentence)
    relations = {relation for relation, _, _ in state.context.reader.vocabulary()}
    relations |= state.context.reader.properties(dict.fromkeys(hit[1] for hit in hits))
    hits = [hit for hit in hits if hit[1] not in relations]
    chosen: list[Hit] = []
    taken: set[int] = set()
    for span in sorted({hit[0] for hit in hits}, key=lambda span: _rank(hits, span)):
        if taken & set(range(*span)):
            continue
        taken |= set(range(*span))
        here = sorted((hit for hit in hits if hit[0] == span), key=lambda hit: (-hit[3], hit[1]))
        here = _of_the_class_beside(state, sentence, here, hits)
        best = here[0][3]
        chosen += [hit for hit in here if hit[3] >= 0.9 * best][: state.options.links]
    same = state.context.reader.same([hit[1] for hit in chosen])
    state.context.reader.names.fetch([same.get(hit[1], hit[1]) for hit in chosen])
    classes = names.classes()
    links = [
        Link(one, state.context.reader.names.label(one), _words(sentence, span), score, how, is_class=iri in classes)
        for span, iri, _, score, how in sorted(chosen, key=lambda hit: (hit[0], -hit[3], hit[1]))
        for one in [same.get(iri, iri)]
    ]
    notes = ["not all labels of the graph were read"] if names.partial else []
    # a redirect and its target may share a name: merge them, with the better score
    unique = {(link.iri, link.mention): link for link in reversed(links)}
    kept = (link for link in dict.fromkeys(links) if unique[link.iri, link.mention] == link)
    return Linked(tuple(kept), notes=tuple(notes))


def _of_the_class_beside(state: State, sentence: Sequence[str], here: list[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """The meanings of a mention, those of an adjacent class first: "the Colorado river" is not a state."""
    begin, end = here[0][0]
    if len(here) < 2:
        return here
    before = begin - 1 - (sentence[max(0, begin - 1)].lower() in ("of", "the"))
    classes = directory(state).classes()
    beside = {hit[1] for hit in hits if hit[1] in classes and (hit[0][0] == end or hit[0][1] == before + 1)}
    if not beside:
        return here
    things, kinds = (" ".join(n3(iri) for iri in sorted(some)) for some in ({hit[1] for hit in here}, beside))
    by = "|".join(n3(iri) for iri in sorted({classes[iri] for iri in beside}))
    query = f"SELECT DISTINCT ?x WHERE {{ VALUES ?x {{ {things} }} VALUES ?c {{ {kinds} }} ?x {by} ?c }}"
    meant = {row[0] for row in state.context.reader.select(query).rows}
    if not meant:
        return here
    # the others remain, with a lower score
    return [hit for hit in here if hit[1] in meant] + [
        (*hit[:3], 0.9 * hit[3], hit[4]) for hit in here if hit[1] not in meant
    ]


def _rank(hits: Sequence[Hit], span: tuple[int, int]) -> tuple[int, float, int]:
    """Sort key: longer mentions first if they scored at least 0.9, then better ones."""
    best = max(hit[3] for hit in hits if hit[0] == span)
    return (-(span[1] - span[0]) if best >= 0.9 else 0, -best, span[0])


def _words(sentence: Sequence[str], span: tuple[int, int]) -> str:
    return " ".join(sentence[span[0] : span[1]])


LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ar")
"""Language tags tried if the graph is too large to read all labels; exact texts are also tried without a tag."""
_SMALL = 2_000_000  # most triples of a graph whose labels are all read
_MOST = 60_000  # most labels read
_VECTORS = 4000  # names compared by vectors
_WORDS = 7  # most words of a mention
_FUZZY = 0.82
_NEAR = 0.75
_CLASSES = 2000
INSTANCE = Iri("http://www.wikidata.org/prop/direct/P31")
_TYPING = frozenset(["type", "instance of", "is a", "object type", "type object type"])
"""Names of the relations to a thing's class in graphs that do not use RDF's."""

Span = tuple[int, int]
Hit = tuple[Span, Iri, str, float, How]


class Directory:
    """Entities by name. Labels are read once; in graphs too large for that, exact texts are looked up."""

    def __init__(self, reader: GraphReader, wording: Wording, *, most: int = _MOST) -> None:
        self._reader, self._wording, self._most = reader, wording, most
        self._names: dict[tuple[str, ...], dict[Iri, str]] = {}
        self._by_word: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        self._read = False
        self.partial = False
        self._classes: dict[Iri, Iri] | None = None

    def classes(self) -> dict[Iri, Iri]:
        """The classes, each with the relation from its instances; includes declared classes without any."""
        if self._classes is None:
            self._classes = {}
            for relation in self.typing():
                self._read_classes(
                    f"SELECT ?c (COUNT(?s) AS ?n) WHERE {{ ?s {n3(relation)} ?c }} GROUP BY ?c", relation
                )
            self._read_classes(
                f"SELECT DISTINCT ?c WHERE {{ {{ ?c a <{OWL}Class> }} UNION {{ ?c a <{RDFS}Class> }} "
                f"UNION {{ ?c <{RDFS}subClassOf> ?d }} UNION {{ ?d <{RDFS}subClassOf> ?c }} }}",
                TYPE,
            )
        return self._classes

    def typing(self) -> tuple[Iri, ...]:
        """The graph's relations from a thing to its class: RDF's, and those with a similar name."""
        named = [
            iri
            for iri, _, sample in self._reader.vocabulary()
            if isinstance(sample, Iri) and iri != TYPE and (iri == INSTANCE or normal(local_name(iri)) in _TYPING)
        ]
        return (TYPE, *named)

    def _read_classes(self, query: str, relation: Iri) -> None:
        assert self._classes is not None
        try:
            rows = self._reader.select(query, limit=_CLASSES).rows
        except BackendError:
            return
        for row in sorted(rows, key=str):
            if isinstance(row[0], Iri) and not row[0].startswith((OWL, RDF, RDFS)):
                self._classes.setdefault(row[0], relation)

    def mentions(self, sentence: Sequence[str]) -> list[Hit]:
        """Every entity that the question may mention."""
        spans = list(_spans(sentence))
        counts = {iri: count for iri, count, _ in self._reader.vocabulary()}
        naming = self._naming()
        labels = sum(count for iri, count in counts.items() if iri in naming)
        small = 0 < sum(counts.values()) <= _SMALL and labels <= self._most
        if small:
            self._load()
        else:
            self.partial = True
            self._exact(sentence, spans)
        hits = [hit for span in spans for hit in self._named(sentence, span)]
        covered = {place for (begin, end), *_ in hits for place in range(begin, end)}
        open_spans = [s for s in spans if not covered & set(range(*s)) and _may_name(sentence, s)]
        hits += [hit for span in open_spans for hit in self._misspelt(sentence, span)]
        if not hits:
            hits = self._alike(sentence, open_spans)
        return hits

    def exactly(self, sentence: Sequence[str]) -> list[Hit]:
        """The entities that the question names exactly; looks up only those texts."""
        spans = list(_spans(sentence))
        if not self._read:
            self._exact(sentence, spans)
        return [hit for span in spans for hit in self._named(sentence, span)]

    def _naming(self) -> list[str]:
        """The naming predicates: those of common vocabularies, and the graph's own."""
        return sorted({*NAMING, *self._reader.own_naming()})

    def _named(self, sentence: Sequence[str], span: Span) -> list[Hit]:
        text = " ".join(sentence[span[0] : span[1]])
        found = self._names.get(key(text), {})
        hits: list[Hit] = []
        for iri, name in sorted(found.items()):
            exact = name.casefold() == text.casefold() or normal(name) == normal(text)
            hits.append((span, iri, name, 1.0 if exact else 0.95, "exact" if exact else "normalised"))
        return hits

    def _misspelt(self, sentence: Sequence[str], span: Span) -> list[Hit]:
        words = key(" ".join(sentence[span[0] : span[1]]))
        text = " ".join(words)
        if len(text) < 4:
            return []
        near = {name for word in words for name in self._by_word.get(word, ())}
        near |= {n for w in words if len(w) > 3 for o in self._close(w) for n in self._by_word[o]}
        # typos spare first letters and numbers: "urban" is not Burbank, Apollo 19 is not Apollo 11
        alike = [name for name in near if (said := " ".join(name))[:1] == text[:1] and _numbers(said) == _numbers(text)]
        scored = [(difflib.SequenceMatcher(None, text, " ".join(name)).ratio(), name) for name in alike]
        best = sorted((entry for entry in scored if entry[0] >= _FUZZY), key=lambda entry: (-entry[0], entry[1]))[:5]
        return [
            (span, iri, shown, round(0.9 * score, 4), "fuzzy")
            for score, name in best
            for iri, shown in sorted(self._names[name].items())
        ]

    def _close(self, word: str) -> list[str]:
        return difflib.get_close_matches(word, [w for w in self._by_word if abs(len(w) - len(word)) < 3], 3, 0.8)

    def _alike(self, sentence: Sequence[str], spans: Sequence[Span]) -> list[Hit]:
        names = sorted(self._names)[:_VECTORS]
        spans = [span for span in spans if span[1] - span[0] <= 4]
        if not names or not spans:
            return []
        texts = [" ".join(sentence[begin:end]) for begin, end in spans]
        near = self._wording.likeness(texts, [" ".join(name) for name in names])
        hits: list[Hit] = []
        for row, span in zip(near, spans, strict=True):
            at = int(row.argmax())
            if row[at] >= _NEAR and _numbers(" ".join(names[at])) == _numbers(" ".join(sentence[slice(*span)])):
                score = round(0.8 * float(row[at]), 4)
                hits += [(span, iri, shown, score, "vector") for iri, shown in sorted(self._names[names[at]].items())]
        return hits

    def _load(self) -> None:
        if self._read:
            return
        self._read = True
        naming = " ".join(f"<{name}>" for name in self._naming())
        named: set[Iri] = set()
        for iri, kind, text in self._some(f"SELECT DISTINCT ?s ?q ?l WHERE {{ VALUES ?q {{ {naming} }} ?s ?q ?l }}"):
            if isinstance(iri, Iri) and isinstance(text, Literal):
                named.add(iri)
                self._add(iri, text.text, alias=str(kind) in ALIASES)
        # without a label, the last part of the IRI is the name, unless it is a code; filtered here, not in the store
        for query in (
            "SELECT DISTINCT ?s WHERE { ?s ?p ?o FILTER (isIRI(?s)) }",
            "SELECT DISTINCT ?o WHERE { ?s ?p ?o FILTER (isIRI(?o)) }",
        ):
            for (iri,) in self._some(query):
                if isinstance(iri, Iri) and iri not in named and (name := local_name(iri)) and not is_code(name):
                    self._add(iri, readable_name(name))

    def _some(self, query: str) -> list[tuple[Term | None, ...]]:
        """The sorted rows of a query, up to the limit; none if it is too much for the service."""
        try:
            found = self._reader.select(query, limit=self._most)
        except BackendError:
            self.partial = True
            return []
        self.partial |= found.truncated
        return sorted(found.rows, key=str)

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
        """Look up these names in these languages and keep the entities found; whether there were any."""
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

    def _add(self, iri: Iri, name: str, *, alias: bool = False) -> None:
        words = key(name)
        if words and len(words) <= 12:
            self._names.setdefault(words, {}).setdefault(iri, " ".join(name.split()))
            for word in words:
                self._by_word[word].add(words)


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _may_name(sentence: Sequence[str], span: Span) -> bool:
    """Whether words may be a misspelt name: in a question with capitals or digits, a name must have one too."""

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
                or plain[-1] in ("'s", "the", "a", "of")
                or not any(c.isalnum() for c in plain[0])
                or not any(c.isalnum() for c in plain[-1])
            ):
                continue
            if length == 1 and plain[0] in EMPTY:
                continue
            yield (begin, begin + length)
