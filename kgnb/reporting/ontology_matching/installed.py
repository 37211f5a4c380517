"""Other matchers that are installed beside kgnb, run on the same pair and scored like ours; optional, and never needed.

Each runs in a process of its own: what it imports, prints or breaks stays there. Settings are the libraries' defaults,
save that one mapping an entity is asked for, or a bar of 0.8 where a library would map everything; nothing is tuned.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from kgnb.datasets.cases import MatchingCase
from kgnb.evaluate.alignment import oriented, scored_by_oaei
from kgnb.kg.ontology import Ontology
from kgnb.reporting.ontology_matching.outcome import StoredAlignment

SECONDS = 900  # for one pair

ONTOALIGNER = """
import json, sys
from ontoaligner.aligner import SimpleFuzzySMLightweight
from ontoaligner.encoder import ConceptLightweightEncoder
from ontoaligner.ontology import GenericOntology
source, target = (GenericOntology().parse(input_file_path=path) for path in sys.argv[1:3])
matcher = SimpleFuzzySMLightweight(fuzzy_sm_threshold=0.8)
found = matcher.generate(input_data=ConceptLightweightEncoder()(source=source, target=target))
json.dump([[one["source"], one["target"]] for one in found], open(sys.argv[3], "w"))
"""

TEXT2TERM = """
import json, sys
import text2term
from text2term.term import OntologyTermType
from text2term.term_collector import OntologyTermCollector
terms = OntologyTermCollector(sys.argv[1]).get_ontology_terms(term_type=OntologyTermType.CLASS)
named = {iri: sorted(term.labels)[0] for iri, term in terms.items() if term.labels}
found = text2term.map_terms(
    list(named.values()), sys.argv[2], source_terms_ids=tuple(named), max_mappings=1, mapper=text2term.Mapper.TFIDF
)
pairs = zip(found["Source Term ID"], found["Mapped Term IRI"]) if len(found) else ()
json.dump([list(pair) for pair in pairs], open(sys.argv[3], "w"))
"""
"""text2term maps terms to an ontology; the terms are the classes it reads itself out of the source's file."""


@dataclass(frozen=True)
class System:
    """A library that matches ontologies: its package, and a script that writes [[source IRI, target IRI], ...]."""

    name: str
    package: str
    script: str

    @property
    def installed(self) -> bool:
        """Whether it could be run."""
        return find_spec(self.package) is not None

    @property
    def label(self) -> str:
        """Its name and version, and that it was run here."""
        try:
            return f"{self.name} {version(self.package)}, run here"
        except PackageNotFoundError:
            return f"{self.name}, run here"


SYSTEMS = (System("OntoAligner", "ontoaligner", ONTOALIGNER), System("text2term", "text2term", TEXT2TERM))


def installed_alignments(
    case: MatchingCase,
    source: Ontology,
    target: Ontology,
    systems: Sequence[System] = SYSTEMS,
    seconds: float = SECONDS,
) -> tuple[tuple[StoredAlignment, ...], tuple[str, ...]]:
    """What the installed systems find for a pair of files, and a note on each that failed."""
    files = [Path(spec) for spec in (case.source, case.target) if isinstance(spec, str | Path) and Path(spec).is_file()]
    if len(files) < 2:  # an endpoint has no file to hand on
        return (), ()
    found: list[StoredAlignment] = []
    notes: list[str] = []
    sides = ({entity.iri for entity in source}, {entity.iri for entity in target})
    for system in systems:
        if not system.installed:
            continue
        pairs = _run(system, *files, seconds=seconds)
        if isinstance(pairs, str):
            notes.append(f"{system.label}, on {case.name}: {pairs}")
            continue
        known = [(*pair, "equivalent") for pair in pairs if pair[0] in sides[0] and pair[1] in sides[1]]
        found.append(
            StoredAlignment(system.label, oriented(scored_by_oaei(known), *sides).triples if known else frozenset())
        )
    return tuple(found), tuple(notes)


def _run(system: System, source: Path, target: Path, *, seconds: float) -> list[tuple[str, str]] | str:
    """The pairs, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "pairs.json"
        command = [sys.executable, "-c", system.script, str(source.resolve()), str(target.resolve()), str(out)]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return f"not done after {seconds:g} s"
        if done.returncode or not out.is_file():
            return f"failed: {next(_last_words(done.stderr), 'it wrote nothing')}"
        return [(str(one), str(other)) for one, other in json.loads(out.read_text(encoding="utf-8"))]


def _last_words(text: str) -> Iterator[str]:
    return (line.strip()[:200] for line in reversed(text.splitlines()) if line.strip())
