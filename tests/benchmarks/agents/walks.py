"""Random walks over real ontologies: what the tools accept, judged by pyshacl and, where Java is at
hand, by HermiT.

python -m tests.benchmarks.agents.walks --data DIR [--calls N] [--seed N] [--only NAME]

A line an ontology: calls, those accepted, faults (none: writes on refusal, refusals without advice,
refusals of what breaks nothing, accepted calls with a lasting violation), results on which the
checker and pyshacl differ (none), and whether HermiT finds the accepted facts consistent with the
ontology. "not run" says why: HermiT takes OWL 2 DL alone, and some vocabularies are not.
"""

import argparse
import random
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import rdflib
from rdflib import OWL, RDF, RDFS

from kgnb import compile_ontology
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.agents.kg_construction.tool_values import ToolDefinition
from kgnb.backends import open_graph
from kgnb.kg.rdflib_graph import to_rdflib
from tests.conformance.agreement import differences

TEN = (
    "general/pizza-2004.owl",
    "general/wine.rdf",
    "general/vocab/org.nq",
    "general/vocab/prov.nq",
    "general/vocab/foaf.nq",
    "general/vocab/dcat.nq",
    "general/vocab/time.nq",
    "general/vocab/sosa.nq",
    "twa/tbox/ontosyn",
    "twa/tbox/ontokin",
)


@dataclass(frozen=True)
class Walk:
    """What came of one walk."""

    name: str
    calls: int
    accepted: int
    faults: tuple[
        str, ...
    ]  # writes on refusal, refusals without advice or of what breaks nothing, lasting violations
    differences: tuple[str, ...]  # from pyshacl
    hermit: str  # consistent, INCONSISTENT, or why it was not run


class _Walker:
    """Makes calls at random, most of them sensible, all of them from one seed."""

    def __init__(self, pack: ToolPack, seed: int) -> None:
        self.pack, self.draw = pack, random.Random(seed)
        self.session = pack.session(namespace="https://walk.example/kg/")
        self.creates, self.adds = pack.of_kind("create"), pack.of_kind("add")

    def call(self) -> tuple[ToolDefinition, dict[str, Any]]:
        """The next one."""
        known = self.session.entities()
        if not known or not self.adds or self.draw.random() < 0.4:
            tool = self.draw.choice(self.creates)
            given = dict(_filled(tool.input_schema, tool.name, {}))
            if "label" in tool.input_schema["properties"]:
                given["label"] = f"{tool.label} {self.draw.randrange(12)}"
            if known and self.draw.random() < 0.25 and "entity" in tool.input_schema["properties"]:
                given["entity"] = self.draw.choice(known)
            if known and "within" in tool.input_schema["properties"]:
                given["within"] = self.draw.choice(known)
            return tool, given
        tool = self.draw.choice(self.adds)
        given = dict(_filled(tool.input_schema, tool.name, {}))
        fitting = {
            p.name: self._fitting(p.classes) for p in tool.parameters if p.kind in ("entity", "any")
        }
        given["subject"] = self.draw.choice(fitting.get("subject") or known)
        if (
            "object" in tool.input_schema["properties"]
            and "enum" not in tool.input_schema["properties"]["object"]
        ):
            given["object"] = self.draw.choice(fitting.get("object") or known)
            given.pop("value", None)
        return tool, given

    def _fitting(self, classes: tuple[str, ...]) -> tuple[str, ...]:
        return self.session.entities(*classes) if classes and self.draw.random() < 0.85 else ()


def _filled(schema: Any, name: str, known: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """A value for everything required, and for object or value where either will do."""
    for key, inner in schema["properties"].items():
        either = key == "value" and "object" not in schema["required"]
        if key in schema["required"] or (either and key not in known):
            yield key, known[key] if key in known and "enum" not in inner else _example(inner, name)


def _example(schema: Any, name: str) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], name)
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        return max(1, low)
    if kind == "boolean":
        return True
    given = {"date": "2024-05-01", "date-time": "2024-05-01T10:00:00Z", "time": "10:00:00Z"}
    return given.get(schema.get("format", ""), f"{name} one".replace("_", " "))


def walk(
    pack: ToolPack, number: int = 300, seed: int = 7, hermit: rdflib.Graph | None = None
) -> Walk:
    """So many calls at random, and what the referees say of the facts that were accepted;
    ``hermit`` gets the T-Box.
    """
    walker, faults, accepted = _Walker(pack, seed), [], []
    session, rewritten = walker.session, 0
    for _ in range(number if walker.creates else 0):
        tool, given = walker.call()
        before = len(session.facts)
        result = session.call(tool.name, given)
        if result.ok:
            accepted.append((tool.name, given))
            continue
        if len(session.facts) != before:
            faults.append(f"{tool.name} was refused and wrote")
        if not any(one.hint or one.allowed for one in result.violations):
            faults.append(f"{tool.name} was refused without advice")
        broken = {one.shape for one in result.violations if one.shape}
        if broken and rewritten < MOST_REWRITTEN:
            rewritten += 1
            written = _unchecked(pack, [*accepted, (tool.name, given)])
            if broken.isdisjoint(shape.id for shape, _ in pack.checker.everything(written.facts)):
                faults.append(f"{tool.name} was refused, and nothing breaks {broken}: {given}")
    for shape, one in pack.checker.everything(session.facts):
        if one.final and not shape.late:
            faults.append(f"{shape.id} was violated for good by {one.focus}")
    said = consistent(session, hermit) if hermit is not None else "not asked"
    return Walk(pack.name, number, len(accepted), tuple(faults), tuple(differences(session)), said)


MOST_REWRITTEN = 40  # refused calls that are written nevertheless, to see what they break


def _unchecked(pack: ToolPack, calls: list[tuple[str, dict[str, Any]]]) -> ConstructionSession:
    session = pack.session(namespace="https://walk.example/kg/", checked=False)
    for name, arguments in calls:
        session.call(name, arguments)
    return session


def consistent(session: ConstructionSession, tbox: rdflib.Graph) -> str:
    """What HermiT says of the ontology with the facts."""
    package = find_spec("owlready2")
    if which("java") is None or package is None or package.origin is None:
        return "not run: no Java, or no owlready2"
    jar = Path(package.origin).parent / "hermit" / "HermiT.jar"
    whole = rdflib.Graph()
    for triple in (*tbox, *session.graph):
        if triple[1] != OWL.imports:
            whole.add(triple)
    for predicate in sorted(set(session.graph.predicates()) - {RDF.type, RDFS.label}):
        if not any(tbox.objects(predicate, RDF.type)):
            whole.add((predicate, RDF.type, OWL.AnnotationProperty))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "all.owl"
        whole.serialize(file, format="xml")
        command = [
            "java",
            "-Xmx1500M",
            "-cp",
            f"{jar.parent}:{jar}",
            "org.semanticweb.HermiT.cli.CommandLine",
            "-k",
        ]
        try:
            done = subprocess.run(
                [*command, file.as_uri()], capture_output=True, text=True, timeout=240, check=False
            )
        except subprocess.TimeoutExpired:
            return "not run: over 240 s"
    said = f"{done.stdout}\n{done.stderr}"
    if "Thing is satisfiable" in said:
        return "consistent"
    if "not satisfiable" in said or "InconsistentOntology" in said:
        return "INCONSISTENT"
    lines = [line for line in said.splitlines() if "Exception" in line or "rror" in line] or [
        said.strip()[:80]
    ]
    return f"not run: {lines[0][:140]}"


def walks(data: Path, number: int, seed: int, only: str = "") -> Iterator[Walk]:
    """The ten ontologies, one after the other."""
    for name in TEN:
        if only in name and (data / name).exists():
            path = next(iter(sorted((data / name).rglob("*.[ot][wt]l"))), data / name)
            tbox = rdflib.Graph()
            for triple in open_graph(str(path)).triples():
                tbox.add(tuple(map(to_rdflib, triple)))  # type: ignore[arg-type]  # three nodes
            yield walk(compile_ontology(path), number, seed, tbox)


def main() -> None:
    """Print a line an ontology."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    for one in walks(given.data, given.calls, given.seed, given.only):
        print(
            f"{one.name}: {one.calls} calls, {one.accepted} accepted, {len(one.faults)} faults, "
            f"{len(one.differences)} differences from pyshacl, HermiT: {one.hermit}",
            flush=True,
        )
        for text in (*one.faults[:5], *one.differences[:5]):
            print("   ", text)


if __name__ == "__main__":
    main()
