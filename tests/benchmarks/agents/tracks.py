"""The ontology-matching tracks at hand, carried up to the questions once, so that a judge can be tried many times."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import MatchQuestion, Summarised
from kgnb.backends import open_embedder
from kgnb.evaluate.alignment import Score, Triple, micro, non_trivial, same_name, score, scored_by_oaei, triples
from kgnb.judging import Judge
from kgnb.kg.loading import load
from kgnb.kg.ontology import Ontology
from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.mapping_files import load as load_alignment
from kgnb.settings import Settings
from kgnb.vectors.index import MemoryIndex

HUTS = Path(__file__).parents[3] / "data" / "huts"
WORLD = ("conference", "anatomy", "huts")


@dataclass(frozen=True)
class Track:
    """One pair of ontologies with a reference, ready to be judged."""

    group: str
    name: str
    summarised: Summarised
    reference: frozenset[Triple]

    def found(self, judge: Judge[MatchQuestion]) -> frozenset[Triple]:
        """The equivalences that come out with this judge."""
        return scored_by_oaei(triples(merge(validate(self.summarised, judge)), "equivalent"))

    @cached_property
    def properties(self) -> frozenset[str]:
        """The IRIs of the source's properties."""
        return frozenset(d.iri for d in self.summarised.described.of("source") if "property" in d.kind)

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """Every entity's own name."""
        return {d.iri: [d.name] for d in self.summarised.described.descriptions}


class Embedding:
    """Matching's default embedder over the cache that ``KGNB_CACHE`` names, or the person's own."""

    def __init__(self) -> None:
        self.embedder = open_embedder("local", Settings.load(), many=True)
        self.index = MemoryIndex()


def tracks(data: Path, *groups: str) -> Iterator[Track]:
    """The tracks of these groups: conference, anatomy, huts."""
    embedding = Embedding()
    ontologies: dict[Path, Ontology] = {}
    for group, source, target, reference in _files(data):
        if group not in groups:
            continue
        for path in (source, target):
            if path not in ontologies:
                graph = OxigraphGraph()
                load(graph, path)
                ontologies[path] = read_ontology(graph)
        described = retrieve(ontologies[source], ontologies[target])
        summarised = summarise(search(store(described, embedding.index, embedding.embedder)))
        right = scored_by_oaei(triples(load_alignment(reference), "equivalent"))
        yield Track(group, reference.stem, summarised, right)


def _files(data: Path) -> Iterator[tuple[str, Path, Path, Path]]:
    conference = data / "oaei-conference"
    for reference in sorted((conference / "reference").glob("*.rdf")):
        one, other = (conference / "ontologies" / f"{name}.owl" for name in reference.stem.split("-"))
        yield "conference", one, other, reference
    anatomy = data / "oaei-anatomy"
    yield "anatomy", anatomy / "mouse.owl", anatomy / "human.owl", anatomy / "reference.rdf"
    yield "huts", HUTS / "alpine.ttl", HUTS / "refuge.owl", HUTS / "reference.rdf"


def figures(ready: list[Track], weights: Weights) -> dict[str, Score]:
    """The scores with these weights: micro over a group's tracks, its properties alone, and what is not trivial."""
    scores: dict[str, list[Score]] = {}
    for track in ready:
        found = track.found(RuleJudge(weights))
        scores.setdefault(track.group, []).append(score(found, track.reference))
        if track.group == "conference":
            ours, theirs = ({t for t in side if t[0] in track.properties} for side in (found, track.reference))
            scores.setdefault("conference properties", []).append(score(ours, theirs))
        if track.group == "anatomy":
            part = non_trivial(found, track.reference, same_name(track.labels))
            scores.setdefault("anatomy non-trivial", []).append(part)
    return {name: micro(those) for name, those in scores.items()}
