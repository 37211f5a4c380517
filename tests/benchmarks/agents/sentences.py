"""Sixty sentences over all dbpedia_webnlg ontologies, spread evenly, read by the model that is set; strict triples.

``KGNB_DATA=DIR KGNB_MODEL=recorded:webnlg-sentences python -m tests.benchmarks.agents.sentences`` prints hits, false
and missed triples, an ontology a line and in all. With ``batch:FOLDER`` it ends with 75 while replies are wanted.

Two more lines say what the strict figure is made of: how many of the wanted triples have both ends in the words of
their sentence (no reader of the text alone can name the others so), and the counts where accents, marks, and what a
name is qualified by and the sentence does not say ("Mermaid (Train song)", "Albany, Georgia") do not matter.
"""

from __future__ import annotations

import re
import sys
import unicodedata

from rdflib import RDF, RDFS, Graph, Literal

from kgnb.errors import Waiting
from kgnb.evaluate.extraction import Counts, normalised
from kgnb.llm.asking import in_one_round
from kgnb.settings import Settings
from kgnb.tasks.building import build_graph, compile_ontology
from tests.datasets.text2kg import Triple, score_triples, text2kg

SENTENCES = 60


def local_name(iri: str) -> str:
    """What the benchmark calls a property: what follows the hash, with slashes and all, else the last part."""
    return iri.rsplit("#", 1)[-1] if "#" in iri else iri.rsplit("/", 1)[-1]


def _triples(graph: Graph, names: dict[str, str]) -> list[Triple]:
    """The graph's facts as surface strings: labels for entities, local names for properties."""

    def said(term: object) -> str:
        if isinstance(term, Literal):
            return str(term)
        return str(next(graph.objects(term, RDFS.label), term))  # type: ignore[arg-type]  # a node

    return [
        (said(s), names[str(p)], said(o))
        for s, p, o in sorted(graph)
        if str(p) in names and p not in (RDF.type, RDFS.label)
    ]


def bare(triple: Triple, text: str) -> Triple:
    """A triple without accents, marks, and qualifiers of its names that the sentence does not hold."""
    subject, relation, value = (_bare(part.replace("_", " "), text) for part in triple)
    return subject, relation, value


def _bare(name: str, text: str) -> str:
    for tail in re.findall(r"\([^()]*\)$|, [^,]*$", name):
        name = name if tail.strip(" ,()").casefold() in text.casefold() else name.removesuffix(tail)
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^\w+-]+|(?<!\d)-", " ", plain).split())


def sayable(triple: Triple, text: str) -> bool:
    """Whether both ends of a triple stand in the sentence, word for word."""
    said = normalised(text)
    return all(normalised(end.replace("_", " ")) in said for end in (triple[0], triple[2]))


def main() -> None:
    """Read the sentences, each as a document of its own, and score what was written."""
    settings = Settings.load()
    cases = text2kg(settings.data)

    def read(at: int) -> tuple[Counts, Counts, int]:
        case = cases[at]
        number = SENTENCES // len(cases) + (at < SENTENCES % len(cases))
        chosen = case.sentences[:: max(1, len(case.sentences) // number)][:number]
        pack, counts = compile_ontology(case.tbox), (Counts(), Counts(), 0)
        build_graph({one.id: one.text for one in chosen}, pack, judge="model", settings=settings)  # asked side by side
        names = {tool.term: local_name(tool.term) for tool in pack.of_kind("add")}
        for one in chosen:
            alone = build_graph({one.id: one.text}, pack, judge="model", settings=settings)
            found, text = _triples(alone.graph, names), one.text
            loose = score_triples([bare(t, text) for t in found], [bare(t, text) for t in one.triples])
            strict, likely, within = counts
            within += sum(sayable(t, text) for t in one.triples)
            counts = strict + score_triples(found, one.triples), likely + loose, within
        return counts

    try:
        found = in_one_round([lambda at=at: read(at) for at in range(len(cases))])
    except Waiting as error:
        print("waiting:", error.again().what, file=sys.stderr)
        sys.exit(75)
    for case, (strict, _, _) in zip(cases, found, strict=True):
        print(case.name, strict)
    total, loose = (sum((one[at] for one in found), Counts()) for at in (0, 1))
    print(f"all {total}: P {total.precision:.3f} R {total.recall:.3f} F1 {total.f1:.3f}")
    print(f"both ends in the sentence: {sum(one[2] for one in found)} of {total.hits + total.missed} wanted")
    print(f"qualifiers, accents, marks aside: {loose}: "
          f"P {loose.precision:.3f} R {loose.recall:.3f} F1 {loose.f1:.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
