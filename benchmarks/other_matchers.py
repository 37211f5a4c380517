"""Other matchers on a pair of ontology files, which kgnb does not need:

    pip install --target FOLDER ontoaligner text2term
    PYTHONPATH=FOLDER:. python -m benchmarks.other_matchers SOURCE TARGET

Each runs in a process of its own, with its library's defaults, except that one mapping an entity is
asked for, or a threshold of 0.8 where a library would map everything; nothing is tuned. What it
finds is written beside the source, to ``baselines/installed/SYSTEM VERSION.rdf.gz``, where the
report on ontology matching reads, scores and compares it.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from kgnb.mapping_files import save
from kgnb.mappings import Alignment, Mapping

SECONDS = 900  # for one pair
SCRIPTS = {
    "OntoAligner": """
import json, sys
from ontoaligner.aligner import SimpleFuzzySMLightweight
from ontoaligner.encoder import ConceptLightweightEncoder
from ontoaligner.ontology import GenericOntology
source, target = (GenericOntology().parse(input_file_path=path) for path in sys.argv[1:3])
matcher = SimpleFuzzySMLightweight(fuzzy_sm_threshold=0.8)
found = matcher.generate(input_data=ConceptLightweightEncoder()(source=source, target=target))
json.dump([[one["source"], one["target"]] for one in found], open(sys.argv[3], "w"))
""",
    # text2term maps terms to an ontology: the classes that it reads from the source's file
    "text2term": """
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
""",
}


def pairs_of(script: str, source: Path, target: Path) -> list[tuple[str, str]]:
    """What a script finds.

    Raises:
        SystemExit: it fails, says nothing or takes too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "pairs.json"
        command = [sys.executable, "-c", script, *map(str, (source, target, out))]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        if done.returncode or not out.is_file():
            raise SystemExit(done.stderr.strip() or "it wrote nothing")
        return [(str(one), str(other)) for one, other in json.loads(out.read_text("utf-8"))]


def run(source: Path, target: Path) -> list[Path]:
    """The files written: one for each matcher that is installed."""
    folder = source.parent / "baselines" / "installed"
    written = []
    for name, script in SCRIPTS.items():
        if find_spec(name.lower()) is None:
            print(f"{name} is not installed")
            continue
        mappings = [Mapping(*pair, "equivalent", 1.0) for pair in pairs_of(script, source, target)]
        folder.mkdir(parents=True, exist_ok=True)
        plain = save(Alignment(tuple(mappings)), folder / f"{name}.rdf")
        packed = folder / f"{name} {version(name.lower())}.rdf.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
        plain.unlink()
        written.append(packed)
    return written


if __name__ == "__main__":
    for path in run(*(Path(one).resolve() for one in sys.argv[1:3])):
        print(path)
