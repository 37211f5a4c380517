"""Sixty sentences over all dbpedia_webnlg ontologies, spread evenly, read by the model that is set; strict triples.

``KGNB_DATA=DIR KGNB_MODEL=recorded:webnlg-sentences python -m tests.benchmarks.agents.sentences`` prints hits, false
and missed triples, an ontology a line and in all. With ``batch:FOLDER`` it ends with 75 while replies are wanted.
"""

from __future__ import annotations

import sys

from kgnb.datasets.text2kg import text2kg
from kgnb.errors import Waiting
from kgnb.evaluate.extraction import Counts, score_triples
from kgnb.llm.asking import in_one_round
from kgnb.reporting.kg_construction.sentences import _triples
from kgnb.settings import Settings
from kgnb.tasks.building import build_graph, compile_ontology

SENTENCES = 60


def main() -> None:
    """Read the sentences, each as a document of its own, and score what was written."""
    settings = Settings.load()
    cases = text2kg(settings.data)

    def read(at: int) -> Counts:
        case = cases[at]
        number = SENTENCES // len(cases) + (at < SENTENCES % len(cases))
        chosen = case.sentences[:: max(1, len(case.sentences) // number)][:number]
        pack, counts = compile_ontology(case.tbox), Counts()
        build_graph({one.id: one.text for one in chosen}, pack, judge="model", settings=settings)  # asked side by side
        names = {str(tool.term): tool.term.rsplit("#", 1)[-1].rsplit("/", 1)[-1] for tool in pack.of_kind("add")}
        for one in chosen:
            alone = build_graph({one.id: one.text}, pack, judge="model", settings=settings)
            counts += score_triples(_triples(alone.graph, names), one.triples)
        return counts

    try:
        found = in_one_round([lambda at=at: read(at) for at in range(len(cases))])
    except Waiting as error:
        print("waiting:", error.again().what, file=sys.stderr)
        sys.exit(75)
    total = Counts()
    for case, counts in zip(cases, found, strict=True):
        print(case.name, counts)
        total += counts
    print("all", total)


if __name__ == "__main__":
    main()
