"""Text2KGBench read by patterns: scores by ontology beside simple baselines, and whether what is written conforms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rdflib import RDF, RDFS, Literal
from rdflib import Graph as RdflibGraph

from kgnb.agents.kg_construction.rule_sentences import mentions
from kgnb.datasets.text2kg import Sentence, Text2KgCase, Triple
from kgnb.evaluate.extraction import Counts, score_triples
from kgnb.kg.words import words
from kgnb.results.table import Column, Table, Value
from kgnb.tasks.building import build_graph, compile_ontology


@dataclass(frozen=True)
class SentenceScores:
    """One ontology: the reader's counts, those of the baselines, and the share of written facts that conform."""

    name: str
    sentences: int
    rule: Counts
    baselines: dict[str, Counts]
    facts: int
    broken: int  # violations found in the written graph, what is missing aside


def read_case(case: Text2KgCase) -> SentenceScores:
    """Reads every sentence as a document of its own, and scores the triples its graph holds."""
    pack = compile_ontology(case.tbox)
    rule, facts, broken = Counts(), 0, 0
    names = {str(tool.term): tool.term.rsplit("#", 1)[-1].rsplit("/", 1)[-1] for tool in pack.of_kind("add")}
    for sentence in case.sentences:
        built = build_graph({sentence.id: sentence.text}, pack, judge="rule")
        rule += score_triples(_triples(built.graph, names), sentence.triples)
        facts += len(built.session.facts)
        broken += len(built.session.validate())
    baselines = {
        name: sum((score_triples(baseline(s, case.relations), s.triples) for s in case.sentences), Counts())
        for name, baseline in BASELINES.items()
    }
    return SentenceScores(case.name, len(case.sentences), rule, baselines, facts, broken)


def _triples(graph: RdflibGraph, names: dict[str, str]) -> list[Triple]:
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


def first_and_last(sentence: Sentence, relations: frozenset[str]) -> list[Triple]:
    """Baseline: a relation whose name is in the sentence, word by word, holds of the first and the last mention."""
    found = mentions(sentence.text)
    said = set(words(sentence.text))
    if len(found) < 2:
        return []
    return [(found[0][0], name, found[-1][0]) for name in sorted(relations) if set(words(name)) <= said]


def everything_of_the_first(sentence: Sentence, relations: frozenset[str]) -> list[Triple]:
    """Baseline: a relation whose name is in the sentence holds of the first mention and each of the others."""
    found = mentions(sentence.text)
    said = set(words(sentence.text))
    named = [name for name in sorted(relations) if set(words(name)) <= said]
    return [(found[0][0], name, other[0]) for name in named for other in found[1:]]


BASELINES = {"first and last mention": first_and_last, "first with every mention": everything_of_the_first}


def sentence_table(scores: Sequence[SentenceScores]) -> Table:
    """All ontologies with precision, recall and F1, the best baseline's F1, and conformance."""
    columns = [
        Column("ontology", "ontology"), Column("sentences", "sentences", "number"),
        *(Column(name, name, "percent") for name in ("precision", "recall", "F1")),
        *(Column(name, f"F1 of {name}", "percent") for name in BASELINES),
        Column("facts", "facts", "number"), Column("broken", "violations", "number"),
    ]  # fmt: skip
    rows = [_row(one.name, [one]) for one in scores]
    rows.append(_row("all, micro", scores))
    return Table(columns, rows, caption="Text2KGBench, read by patterns of the ontology alone")


def _row(name: str, scores: Sequence[SentenceScores]) -> list[Value]:
    rule = sum((one.rule for one in scores), Counts())
    others = [sum((one.baselines[b] for one in scores), Counts()).f1 for b in BASELINES]
    return [name, sum(one.sentences for one in scores), rule.precision, rule.recall, rule.f1, *others,
            sum(one.facts for one in scores), sum(one.broken for one in scores)]  # fmt: skip
