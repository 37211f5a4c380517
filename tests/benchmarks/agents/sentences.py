"""Sixty sentences over all dbpedia_webnlg ontologies, spread evenly, read by the model that is set;
strict triples.

``KGNB_DATA=DIR KGNB_MODEL=recorded:webnlg-sentences python -m tests.benchmarks.agents.sentences``
prints hits, false and missed triples, an ontology a line and in all. With ``batch:FOLDER`` it ends
with 75 while replies are wanted.

Each sentence has a request of its own, with the short prompt of a note.

Twice: from the text and the ontology alone; and as the published systems read, which are shown
training sentences (the most similar one; here five) and are refused nothing (here a fact makes its
ends members of domain and range). More lines say what the strict figure is made of: how many of the
wanted triples have both ends in the words of their sentence, the counts where accents, marks, and
what a name is qualified by and the sentence does not say ("Mermaid (Train song)", "Albany,
Georgia") do not matter, and what the published evaluation makes of it.
"""

import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from rdflib import RDF, RDFS, Graph, Literal

from kgnb.agents.kg_construction.examples import Example
from kgnb.agents.kg_construction.options import Options
from kgnb.errors import Waiting
from kgnb.evaluate.alignment import Score
from kgnb.evaluate.extraction import normalised
from kgnb.llm.asking import in_one_round
from kgnb.settings import Settings
from kgnb.tasks.building import build_graph, compile_ontology
from tests.datasets.text2kg import Text2KgCase, Triple, score_triples, text2kg

SENTENCES = 60


def local_name(iri: str) -> str:
    """What the benchmark calls a property: what follows the hash, with slashes and all, else the
    last part.
    """
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


@dataclass(frozen=True)
class Sentences:
    """What the sentences of one ontology came to; ``published`` are precision, recall and F1 of
    each sentence.
    """

    name: str
    strict: Score = Score()
    loose: Score = Score()
    within: int = 0
    halves: tuple[Score, Score] = (Score(), Score())
    published: tuple[tuple[float, float, float], ...] = ()


def published(found: list[Triple], wanted: Sequence[Triple]) -> tuple[float, float, float]:
    """Precision, recall and F1 of a sentence as Text2KGBench's ``run_eval.py`` reckons them.

    Of what was found only the relations that are wanted count; blanks, underscores and case do not.

    >>> published([("A b", "is", "c"), ("A b", "has", "d")], [("A_B", "is", "C"), ("A_B", "was", "e")])
    (1.0, 0.5, 0.6666666666666666)
    """
    known = {relation for _, relation, _ in wanted}
    mine, theirs = (
        {re.sub(r"[_\s]+", "", "".join(one)).lower() for one in triples}
        for triples in ([one for one in found if one[1] in known], wanted)
    )
    counts = Score(len(mine & theirs), len(mine - theirs), len(theirs - mine))
    return counts.precision, counts.recall, counts.f1


def read(
    case: Text2KgCase, first: int, number: int, settings: Settings, *, shown: bool
) -> Sentences:
    """The chosen sentences of an ontology, read and scored; ``first`` is how many there were before
    these.
    """
    chosen = case.sentences[:: max(1, len(case.sentences) // number)][:number]
    pack = compile_ontology(case.tbox, derive_types=shown)
    examples = [
        Example(
            one.text,
            tuple((s.replace("_", " "), p, o.replace("_", " ")) for s, p, o in one.triples),
        )
        for one in case.train
        if shown
    ]

    def build(texts: dict[str, str]) -> Graph:
        return build_graph(
            texts,
            pack,
            judge="model",
            examples=examples,
            settings=settings,
            options=Options(together=0),
        ).graph

    build({one.id: one.text for one in chosen})  # asked side by side
    names = {tool.term: local_name(tool.term) for tool in pack.of_kind("add")}
    score = Sentences(case.name)
    for at, one in enumerate(chosen, first):
        found, text = _triples(build({one.id: one.text}), names), one.text
        loose = score_triples([bare(t, text) for t in found], [bare(t, text) for t in one.triples])
        strict, (even, odd) = score_triples(found, one.triples), score.halves
        score = Sentences(
            case.name,
            score.strict + strict,
            score.loose + loose,
            score.within + sum(sayable(t, text) for t in one.triples),
            (even, odd + strict) if at % 2 else (even + strict, odd),
            (*score.published, published(found, one.triples)),
        )
    return score


def main() -> None:
    """Read the sentences, each as a document of its own, and score what was written: as it is, then
    with examples.
    """
    settings = Settings.load()
    cases = text2kg(settings.data)
    numbers = [SENTENCES // len(cases) + (at < SENTENCES % len(cases)) for at in range(len(cases))]

    def task(at: int, shown: bool) -> Sentences:
        return read(cases[at], sum(numbers[:at]), numbers[at], settings, shown=shown)

    try:
        scores = in_one_round(
            [partial(task, at, shown) for shown in (False, True) for at in range(len(cases))]
        )
    except Waiting as error:
        print("waiting:", error.again().what, file=sys.stderr)
        sys.exit(75)
    plain, shown = scores[: len(cases)], scores[len(cases) :]
    for title, found in (("alone", plain), ("five training sentences shown, types derived", shown)):
        print(f"{title}:")
        for one in found:
            print(f"  {one.name} {one.strict}")
        for name, counts in (
            ("all", [one.strict for one in found]),
            ("the half that was looked at for causes", [one.halves[0] for one in found]),
            ("the other half", [one.halves[1] for one in found]),
            ("all; qualifiers, accents, marks aside", [one.loose for one in found]),
        ):
            total = sum(counts, Score())
            print(f"{name} {total}: P {total.precision:.3f} R {total.recall:.3f} F1 {total.f1:.3f}")
        by = [[fmean(values) for values in zip(*one.published, strict=True)] for one in found]
        mean = [fmean(values) for values in zip(*by, strict=True)]
        print("as published, macro over the ontologies: P {:.3f} R {:.3f} F1 {:.3f}".format(*mean))
    wanted = sum(one.strict.tp + one.strict.fn for one in plain)
    print(f"both ends in the sentence: {sum(one.within for one in plain)} of {wanted} wanted")


if __name__ == "__main__":
    main()
