"""Many small matching tasks of several sorts, and what a matcher is worth that must do on tasks it
was not tuned on.

``KGNB_DATA=DIR KGNB_CACHE=DIR python -m tests.benchmarks.agents.carry_over [--calibration | --ablation] [GROUP ...]``

The protocol (docs/evaluation.md): a mechanism or weight is kept if it raises the mean F1 over the
groups below, each group counting once, and the mean without the group it helps most. Nothing is
chosen for one group. Tasks made of one vocabulary (languages, two thirds against two other thirds)
are made here from the files in ``KGNB_DATA``; links that a vocabulary states to another are taken
out of it and become the reference, which is partial: only what is found about entities that it
mentions counts.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from scipy.optimize import minimize

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import comparable, retrieve
from kgnb.agents.ontology_matching.rule import (
    CALIBRATION,
    EvidenceKinds,
    RuleJudge,
    Weights,
    calibrated,
    features,
)
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import Pair, Summarised
from kgnb.backends import open_embedder
from kgnb.evaluate.alignment import scored_by_oaei, triples
from kgnb.kg.loading import load
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.mapping_files import load as load_alignment
from kgnb.mappings import Alignment
from kgnb.settings import Settings
from kgnb.vectors.index import MemoryIndex

HUTS = Path(__file__).parents[3] / "data" / "huts"
Pairs = frozenset[tuple[str, str]]
COUNTED = 60
SMALL = Path(__file__).parents[1] / "data" / "small-pairs"
LANGUAGES = (
    ("org", "en", "es"),
    ("org", "fr", "en"),
    ("org", "it", "fr"),
    ("time", "en", "es"),
    ("dcat", "en", "cs"),
    ("dcat", "it", "ja"),
    ("dcat", "es", "da"),
    ("dbo", "de", "en"),
    ("dbo", "nl", "fr"),
    ("dbo", "en", "ja"),
    ("dbo", "el", "en"),
)
FOREIGN = (
    "de",
    "nl",
    "fr",
    "el",
    "ja",
    "es",
)  # of DBpedia's classes, against Wikidata's in English


LEFT_OUT: dict[str, dict[str, Any]] = {
    "nothing (the default)": {},
    "names: word overlap": {"name": 0.0, "property_name": 0.0},
    "names: vectors": {"vector": 0.0},
    "names: mined words": {"wordbook": False},
    "names: words the surroundings supply": {"supplied": 0.0},
    "names: words the other side left out": {"known": 0.0},
    "definitions": {"meaning": 0.0},
    "what axioms mention": {"context": 0.0},
    "relatives that agree": {"support": 0.0},
    "domain and range": {"ends_agree": 0.0, "ends_clash": 0.0},
    "rivals": {"rivals": False},
    "how usual counterparts are": {"prior": 0.0},
    "what arises by chance": {"chance": 0.0},
    "rounds (one instead of three)": {"rounds": 1},
}


class Embedding:
    """Matching's default embedder over the cache that ``KGNB_CACHE`` names, or the person's own."""

    def __init__(self) -> None:
        self.embedder = open_embedder("local", Settings.load())
        self.index = MemoryIndex()


@dataclass(frozen=True)
class Task:
    """Two ontologies and what is right about them; ``partial``: only about the entities the
    reference mentions.
    """

    group: str
    name: str
    source: Ontology
    target: Ontology
    reference: Pairs
    partial: bool = False
    parts: tuple[str, ...] = ()  # the ontologies it is about, for leaving one out


@dataclass(frozen=True)
class Ready:
    """A task up to its questions, to be judged many times."""

    task: Task
    summarised: Summarised

    def align(self, judge: RuleJudge) -> Alignment:
        """The alignment by this judge."""
        return merge(validate(self.summarised, judge))

    def counts(self, alignment: Alignment) -> tuple[int, int, int]:
        """Right, found and wanted."""
        found = self.scored(t[:2] for t in scored_by_oaei(triples(alignment, "equivalent")))
        return len(found & self.task.reference), len(found), len(self.task.reference)

    def scored(self, found: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those of the pairs that the reference says something about."""
        ones, others = ({pair[end] for pair in self.task.reference} for end in (0, 1))
        return {
            pair for pair in found if not self.task.partial or pair[0] in ones or pair[1] in others
        }


def f1(right: int, found: int, wanted: int) -> float:
    """Their F1 in percent."""
    return 200.0 * right / (found + wanted) if found + wanted else 100.0


def tasks(data: Path, only: Iterable[str] = ()) -> Iterator[Task]:
    """The tasks of the groups named, or all."""
    for group, make in GROUPS.items():
        if not only or group in only:
            for task in make(data):
                source, target = comparable(task.source, task.target)
                yield replace(task, group=group, source=source, target=target)


def ready(task: Task, embedding: Embedding) -> Ready:
    """The task's questions."""
    described = retrieve(task.source, task.target)
    return Ready(task, summarise(search(store(described, embedding.index, embedding.embedder))))


def read(path: Path) -> Ontology:
    """An ontology in a file, as ``kgnb match`` reads it."""
    graph = OxigraphGraph()
    load(graph, path)
    return read_ontology(graph, name=path.name.partition(".")[0], concepts="beside")


def _reference(path: Path) -> Pairs:
    return frozenset(t[:2] for t in scored_by_oaei(triples(load_alignment(path), "equivalent")))


def _conference(data: Path) -> Iterator[Task]:
    folder = data / "oaei-conference"
    known: dict[str, Ontology] = {}
    for reference in sorted((folder / "reference").glob("*.rdf")):
        names = reference.stem.split("-")
        one, other = (known.setdefault(n, read(folder / "ontologies" / f"{n}.owl")) for n in names)
        yield Task("", reference.stem, one, other, _reference(reference), parts=tuple(names))


def _anatomy(data: Path) -> Iterator[Task]:
    """Anatomy in halves: what belongs together stays together, by the digest of the source's IRI."""
    folder = data / "oaei-anatomy"
    mouse, human, wanted = (
        read(folder / "mouse.owl"),
        read(folder / "human.owl"),
        _reference(folder / "reference.rdf"),
    )
    partner = {target: source for source, target in wanted}
    for half in (0, 1):

        def kept(iri: str, half: int = half) -> bool:
            return _digest(partner.get(iri, iri)) % 2 == half

        sides = (_part(mouse, kept), _part(human, kept))
        yield Task(
            "", f"anatomy {half + 1}", *sides, frozenset(pair for pair in wanted if kept(pair[0]))
        )


def _huts(data: Path) -> Iterator[Task]:
    yield Task(
        "",
        "huts",
        read(HUTS / "alpine.ttl"),
        read(HUTS / "refuge.owl"),
        _reference(HUTS / "reference.rdf"),
    )


def _small(data: Path) -> Iterator[Task]:
    """Small ontologies of everyday domains: the odd six of the first twelve."""
    for folder in sorted(SMALL.glob("[0-9][13579]-*"))[:6]:
        rows = (folder / "reference.tsv").read_text(encoding="utf-8").splitlines()
        pairs = frozenset((row.split("\t")[0], row.split("\t")[1]) for row in rows if row)
        yield Task("", folder.name, read(folder / "a.ttl"), read(folder / "b.ttl"), pairs)


def _materials(data: Path) -> Iterator[Task]:
    folder = data / "oaei-mse"
    one, other = read(folder / "MaterialInformationReduced.owl"), read(folder / "MatOnto.owl")
    yield Task("", "mse-1", one, other, _reference(folder / "reference-1-original.rdf"))


def _vocabularies(data: Path) -> Iterator[Task]:
    """General vocabularies that say of themselves what they share with others."""
    folder = data / "general" / "vocab"
    names = ("dbo", "schema", "foaf", "org", "dcat", "dcterms")
    known = {name: read(_vocabulary(folder, name)) for name in names}
    known |= {
        name: _of_kind(known[name], "class") for name in ("dbo", "schema")
    }  # their properties take minutes
    for one, other in (
        ("dbo", "schema"),
        ("foaf", "schema"),
        ("org", "foaf"),
        ("dcat", "schema"),
        ("foaf", "dcterms"),
    ):
        source, target = known[one], known[other]
        reference = _stated(source, target)
        if reference:
            yield Task(
                "", f"{one}-{other}", _silent(source), _silent(target), reference, partial=True
            )


def _wikidata(data: Path) -> Iterator[Task]:
    """DBpedia's classes and properties against Wikidata's, as the former states them."""
    dbo = read(_vocabulary(data / "general" / "vocab", "dbo"))
    for kind, target in (("class", _wikidata_types(data)), ("property", _wikidata_relations(data))):
        part = _silent(replace(dbo, entities=tuple(e for e in dbo if kind in e.kind)))
        kinds = (
            {e.kind for e in part} & {"object property", "datatype property"}
            if kind == "property"
            else {"class"}
        )
        for one in sorted(kinds):
            sides = (
                replace(part, entities=tuple(e for e in part if e.kind == one)),
                replace(target, entities=tuple(replace(e, kind=one) for e in target)),
            )
            yield Task(
                "", f"dbo-wikidata {one}", *sides, _stated(_of_kind(dbo, one), target), partial=True
            )


def _languages(data: Path) -> Iterator[Task]:
    """One vocabulary in two languages under opaque names, two thirds of it against two other
    thirds.
    """
    folder = data / "general" / "vocab"
    for name, one, other in LANGUAGES:
        whole = read(_vocabulary(folder, name))
        if name == "dbo":
            whole = _of_kind(whole, "class")
        thirds = [_part(whole, lambda iri, n=n: _digest(iri) % 3 != n) for n in (0, 1)]
        source, target = (
            _spoken(part, tag, side)
            for part, tag, side in zip(thirds, (one, other), "st", strict=True)
        )
        shared = {e.iri[1:] for e in source} & {e.iri[1:] for e in target}
        pairs = frozenset(("s" + rest, "t" + rest) for rest in shared)
        yield Task("", f"{name} {one}-{other}", source, target, pairs)


def _abroad(data: Path) -> Iterator[Task]:
    """DBpedia's classes in one language each against Wikidata's in English."""
    dbo = _of_kind(read(_vocabulary(data / "general" / "vocab", "dbo")), "class")
    target = _wikidata_types(data)
    stated = _stated(dbo, target)
    for tag in FOREIGN:
        source = _spoken(dbo, tag, "s")
        pairs = frozenset(
            (_opaque(a, "s"), b) for a, b in stated if _opaque(a, "s") in {e.iri for e in source}
        )
        yield Task("", f"dbo {tag}-wikidata", source, target, pairs, partial=True)


GROUPS: dict[str, Callable[[Path], Iterator[Task]]] = {
    "conference": _conference,
    "anatomy": _anatomy,
    "huts": _huts,
    "small": _small,
    "materials": _materials,
    "vocabularies": _vocabularies,
    "wikidata": _wikidata,
    "languages": _languages,
    "abroad": _abroad,
}


def _vocabulary(folder: Path, name: str) -> Path:
    plain = folder / f"{name}.nq"
    return plain if plain.exists() else folder / f"{name}.nq.gz"


def _wikidata_types(data: Path) -> Ontology:
    with gzip.open(data / "codex" / "types.en.json.gz", "rt", encoding="utf-8") as file:
        return _wikidata_ontology("types", json.load(file), "class")


def _wikidata_relations(data: Path) -> Ontology:
    return _wikidata_ontology(
        "relations",
        json.loads((data / "codex" / "relations.en.json").read_text()),
        "object property",
    )


def _wikidata_ontology(name: str, entries: dict[str, Any], kind: Any) -> Ontology:
    space = "http://www.wikidata.org/entity/"
    found = [
        Entity(
            space + code,
            kind,
            labels=(Text(entry["label"], "en"),),
            definitions=(Text(entry["description"], "en"),) if entry.get("description") else (),
            coded=True,
        )
        for code, entry in sorted(entries.items())
        if entry["label"]
    ]
    return Ontology(name, space, _hexdigest(name + str(len(found))), tuple(found))


def _stated(one: Ontology, other: Ontology) -> Pairs:
    """What either says is the same in the other."""
    here, there = ({e.iri: e for e in side} for side in (one, other))
    pairs = {(e.iri, iri) for e in one for iri in (*e.equivalents, *e.matches) if iri in there}
    return frozenset(
        pairs | {(iri, e.iri) for e in other for iri in (*e.equivalents, *e.matches) if iri in here}
    )


def _silent(ontology: Ontology) -> Ontology:
    """The same without what it says is the same elsewhere, and without what it only mentions of
    others.
    """
    own = max((_space(e.iri) for e in ontology), key=[_space(e.iri) for e in ontology].count)
    kept = tuple(replace(e, equivalents=(), matches=()) for e in ontology if _space(e.iri) == own)
    return replace(ontology, entities=kept)


def _space(iri: str) -> str:
    return iri[: max(iri.rfind("#"), iri.rfind("/")) + 1]


def _of_kind(ontology: Ontology, kind: str) -> Ontology:
    return replace(ontology, entities=tuple(e for e in ontology if e.kind == kind))


def _part(ontology: Ontology, kept: Callable[[str], bool]) -> Ontology:
    return replace(ontology, entities=tuple(e for e in ontology if kept(e.iri)))


def _spoken(ontology: Ontology, tag: str, side: str) -> Ontology:
    """What has a label in a language, in this alone and under codes."""

    def said(texts: tuple[Text, ...]) -> tuple[Text, ...]:
        return tuple(t for t in texts if t.language == tag)

    def renamed(iris: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(_opaque(iri, side) if iri in inside else iri for iri in iris))

    inside = {e.iri for e in ontology if said(e.labels)}
    entities = [
        replace(
            e,
            iri=_opaque(e.iri, side),
            labels=said(e.labels),
            synonyms=said(e.synonyms),
            definitions=said(e.definitions),
            comments=said(e.comments),
            coded=True,
            **{
                name: renamed(getattr(e, name))
                for name in ("parents", "children", "domain", "range", "inverse", "disjoint")
            },
            restrictions=(),
            equivalents=(),
            matches=(),
        )
        for e in ontology
        if e.iri in inside
    ]
    return replace(ontology, name=f"{ontology.name}-{tag}", entities=tuple(entities))


def _opaque(iri: str, side: str) -> str:
    return f"{side}:/code/{_digest(iri):016x}"


def _digest(text: str) -> int:
    return int(_hexdigest(text)[:15], 16)


def _hexdigest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def by_group(prepared: list[Ready], judge: RuleJudge) -> dict[str, float]:
    """Mean F1 of each group's tasks; of conference the micro sum, as everybody reports it."""
    found: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for one in prepared:
        found[one.task.group].append(one.counts(one.align(judge)))
    return {
        group: f1(*map(sum, zip(*counts, strict=True)))
        if group == "conference"
        else mean(f1(*c) for c in counts)
        for group, counts in found.items()
    }


def shares(groups: dict[str, float]) -> str:
    """The groups' F1 and their mean, in a line."""
    return " ".join(
        [f"{name} {f1:.1f}" for name, f1 in groups.items()] + [f"mean {mean(groups.values()):.2f}"]
    )


@dataclass(frozen=True)
class Said:
    """A mapping of the rule judge: its kind of evidence, its probability, and whether it is right."""

    group: str
    task: str
    evidence: str
    probability: float
    entities: int  # of the smaller side
    right: bool


def said(prepared: Iterable[Ready], judge: RuleJudge) -> Iterator[Said]:
    """What the judge says on all tasks, as far as the references tell."""
    for one in prepared:
        candidates = {
            c.pair: c for question in one.summarised.questions for c in question.candidates
        }
        held: dict[Pair, float] = {}
        for m in one.align(judge):
            asked = [
                e.score
                for e in m.evidence
                if e.kind.startswith("asked from") and e.score is not None
            ]
            if asked:  # else neither side chose it, and both held it possible
                held[m.source, m.target, m.kind] = mean(asked)  # type: ignore[index]  # a kind, as text
        known, described = EvidenceKinds(one.summarised.questions, held), one.summarised.described
        scored = one.scored(pair[:2] for pair in held)
        for pair, chance in held.items():
            if pair[:2] in scored:
                right = pair[:2] in one.task.reference
                ends = (
                    described.find("source", pair[0], pair[2]),
                    described.find("target", pair[1], pair[2]),
                )
                evidence = known.evidence(*ends, candidates[pair].cosines)
                entities = min(len(described.of("source")), len(described.of("target")))
                yield Said(one.task.group, one.task.name, evidence, chance, entities, right)


def fitted(told: Sequence[Said]) -> dict[str, float]:
    """The weights of a logistic regression."""
    told = [one for one in told if one.evidence != "stated"]
    x = np.array([features(one.probability, one.evidence, one.entities) for one in told])
    y = np.array([one.right for one in told])
    counts, held = counted(told), np.array([float(bool(name)) for name in CALIBRATION])

    def loss(weights: np.ndarray) -> float:
        logits = x @ weights
        return float(counts @ (np.logaddexp(0, logits) - y * logits) + held @ weights**2)

    found = np.round(minimize(loss, np.zeros(len(CALIBRATION))).x, 2)
    return dict(zip(CALIBRATION, found.tolist(), strict=True))


def shown(one: Said, by: dict[str, float]) -> float:
    """The confidence shown, with these weights."""
    return calibrated(one.probability, one.evidence, one.entities, by)


def calibration_error(
    confidences: Sequence[float], right: Sequence[bool], counts: Sequence[float], bins: int = 10
) -> float:
    """Expected calibration error (Naeini et al., AAAI 2015), 0 to 1, in bins of equal width, each
    weighed by counts.
    """
    places = np.minimum((np.array(confidences) * bins).astype(int), bins - 1)
    off = np.bincount(
        places, np.array(counts) * (np.array(confidences) - np.array(right, dtype=float)), bins
    )
    return float(np.abs(off).sum() / max(sum(counts), 1.0))


def counted(told: Sequence[Said]) -> np.ndarray:
    """What each mapping counts for, where a sort of task counts as ``COUNTED`` at most."""
    number = Counter(one.group for one in told)
    return np.array([min(1.0, COUNTED / number[one.group]) for one in told])


def calibration(told: Sequence[Said]) -> None:
    """Print the weights, and how they do where one task, and where one sort of task, is left out of
    fitting them.
    """
    print("fitted:", fitted(told))

    def line(name: str, those: Sequence[Said], confidences: Sequence[float]) -> None:
        for counts, how in (
            (np.ones(len(those)), name),
            (counted(those), "  a sort as 60 at most"),
        ):
            right, sure = np.array([one.right for one in those]), np.array(confidences) >= 0.9
            share = (
                f"right {right[sure] @ counts[sure] / counts[sure].sum():.3f}" if sure.any() else ""
            )
            error = calibration_error(confidences, right.tolist(), counts.tolist())
            print(
                f"{how:34} {len(those):5} mappings, ECE {error:.3f}, {sure.sum():4} at 0.9 or more {share}"
            )
            if "," in name:
                break

    line("the judge's own probability", told, [one.probability for one in told])
    for what in ("task", "group"):
        left_out: dict[str, list[Said]] = defaultdict(list)
        for one in told:
            left_out[getattr(one, what)].append(one)
        confidences: list[float] = []
        for name, those in left_out.items():
            by = fitted([one for one in told if getattr(one, what) != name])
            found = [shown(one, by) for one in those]
            confidences += found
            if what == "group":
                line(f"  {name}, left out", those, found)
        line(
            f"each {what} left out",
            [one for those in left_out.values() for one in those],
            confidences,
        )


def main(arguments: list[str]) -> int:
    """Print F1 by task and group, how well the confidence is calibrated, or what each ingredient is
    worth.
    """
    if "KGNB_DATA" not in os.environ:
        print("Set KGNB_DATA to the folder of benchmark data.", file=sys.stderr)
        return 2
    embedding = Embedding()
    only = [name for name in arguments if not name.startswith("--")]
    prepared = [ready(task, embedding) for task in tasks(Path(os.environ["KGNB_DATA"]), only)]
    judge = RuleJudge(Weights())
    if "--calibration" in arguments:
        calibration(list(said(prepared, judge)))
        return 0
    if "--ablation" in arguments:
        for name, change in LEFT_OUT.items():
            print(
                f"{name:38} {shares(by_group(prepared, RuleJudge(replace(Weights(), **change))))}",
                flush=True,
            )
        return 0
    for one in prepared:
        right, found, wanted = one.counts(one.align(judge))
        counts = f"{right:5} of {found:5} found, {wanted:5} wanted: {f1(right, found, wanted):5.1f}"
        print(f"{one.task.group:13} {one.task.name:28} {counts}")
    print(shares(by_group(prepared, judge)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
