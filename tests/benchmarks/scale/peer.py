"""text2term beside ``growth.py``: the same generated ontologies, its mapper at its defaults, one
mapping a class.

pip install text2term; python -m tests.benchmarks.scale.peer 500 1000 2000

Prints seconds of CPU for the mapping alone (its reading of the target included) and F1. Terms are
the source's labels.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import time
from pathlib import Path

from rdflib import RDFS, Graph

from tests.benchmarks.scale.generated import generate


def mapped(classes: int) -> str:
    """One size: classes a side, seconds, and how good it is."""
    import text2term  # no requirement of ours

    with (
        tempfile.TemporaryDirectory() as name,
        contextlib.chdir(name),
    ):  # it writes a cache where it runs
        made = generate(classes, Path(name))
        source, target = Graph().parse(made.source), Graph().parse(made.target)
        labels = {str(label): str(iri) for iri, label in source.subject_objects(RDFS.label)}
        target.serialize("target.owl", format="xml")
        begun = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            found = text2term.map_terms(list(labels), os.path.abspath("target.owl"), max_mappings=1)
        seconds = time.process_time() - begun
    pairs = {
        (labels[term], iri)
        for term, iri in zip(found["Source Term"], found["Mapped Term IRI"], strict=True)
        if term in labels
    }
    f1 = 200 * len(pairs & made.reference) / (len(pairs) + len(made.reference))
    return f"2 x {classes:,}: {seconds:.1f} s of CPU, F1 {f1:.1f}"


if __name__ == "__main__":
    for size in sys.argv[1:]:
        print(mapped(int(size)), flush=True)
