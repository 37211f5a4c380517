"""How fast ontologies compile and calls are checked, and what every ontology at hand compiles to.

python -m tests.benchmarks.agents.kg_construction --data DIR [--calls N] [--facts N] [--tboxes] [--out FILE]
python -m tests.benchmarks.agents.kg_construction --data DIR --planted [--most N] [--only NAME]
python -m tests.benchmarks.agents.kg_construction --requests FILE [FILE ...]

``compile``: OM-2 and schema.org. ``calls``: through the checked store, against the same quads written unchecked, and
against the published system's way, a Turtle file that is parsed, extended and written again on every call.
``--tboxes`` adds the counts of every ontology. ``--planted``: for every ontology one mistake and its legal twin
against each constraint, or the first N of each kind, and whether pyshacl agrees; a table of what came of them.
``--requests``: what ontologies take of a model's first request, in tokens: every tool one by one, what ``build`` sends
beside a note, and what an MCP client is told.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import rdflib

from kgnb import compile_ontology
from kgnb.agents.kg_construction.documents import Document, passages
from kgnb.agents.kg_construction.generic_tools import schema_tokens
from kgnb.agents.kg_construction.plan import plan
from kgnb.agents.kg_construction.readers import ModelReader, Task
from kgnb.agents.kg_construction.serve import Shared, served_face
from kgnb.agents.kg_construction.session import Session
from kgnb.agents.kg_construction.tool_values import Source
from kgnb.agents.kg_construction.workspace import Workspace
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.quads import Quad, QuadWriter, quads
from kgnb.llm.prices import estimate_tokens, estimate_usage
from kgnb.llm.scripted import ScriptedModel
from tests.conformance.agreement import agreement
from tests.conformance.planting import plant

TBOX = """
@prefix : <https://hut.example/kitchen#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Dish a owl:Class ; rdfs:subClassOf
  [ a owl:Restriction ; owl:onProperty :hasStep ; owl:someValuesFrom :Step ] ,
  [ a owl:Restriction ; owl:onProperty :price ; owl:maxCardinality 1 ] .
:Soup a owl:Class ; rdfs:subClassOf :Dish ; owl:disjointWith :Cake . :Cake a owl:Class ; rdfs:subClassOf :Dish .
:Step a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :hasOrder ; owl:cardinality 1 ] .
:hasStep a owl:ObjectProperty , owl:InverseFunctionalProperty ; rdfs:domain :Dish ; rdfs:range :Step .
:hasOrder a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:domain :Step ; rdfs:range xsd:integer .
:price a owl:DatatypeProperty ; rdfs:domain :Dish ; rdfs:range xsd:decimal .
"""
SOURCE = Source("menu.txt", 0, 40)


def session() -> Session:
    """An empty session over the small T-Box."""
    graph = rdflib.Graph().parse(data=TBOX, format="turtle")
    return compile_ontology(graph).session(namespace="https://hut.example/data/")


def calls(made: Session, number: int) -> float:
    """Seconds for so many calls: a dish, its step, the link and the price, again and again."""
    begun = time.perf_counter()
    for at in range(number // 4):
        dish = made.call("create_soup", {"label": f"Soup {at}"}, SOURCE).iri
        step = made.call("create_step", {"label": f"Step {at}", "has_order": at + 1}, SOURCE).iri
        linked = made.call("add_has_step", {"subject": dish, "object": step}, SOURCE)
        priced = made.call("add_price", {"subject": dish, "value": at % 50 + 0.5}, SOURCE)
        assert linked.ok and priced.ok
    return time.perf_counter() - begun


def written_by_call(made: Session) -> list[list[Quad]]:
    """The quads of a session, call by call, each with what describes it."""
    ordered = sorted(quads(made.store), key=lambda quad: (quad[1] or "", quad[0][0]))
    facts = [list(group) for name, group in groupby(ordered, key=lambda q: q[1]) if name and "call:" in name]
    told = [quad for quad in ordered if not (quad[1] and "call:" in quad[1])]
    share = len(told) // len(facts) + 1
    return [group + told[at * share : (at + 1) * share] for at, group in enumerate(facts)]


def unchecked(groups: list[list[Quad]]) -> float:
    """Seconds for the same quads, a transaction a call, with no question asked."""
    writer = QuadWriter(OxigraphGraph())
    begun = time.perf_counter()
    for group in groups:
        writer.add(group)
    return time.perf_counter() - begun


def reparsed(made: Session, number: int) -> float:
    """Seconds for so many calls that each parse the Turtle file, add a fact and write the file again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.ttl"
        path.write_text(made.turtle(), encoding="utf-8")
        begun = time.perf_counter()
        for at in range(number):
            graph = rdflib.Graph().parse(path, format="turtle")
            graph.add((rdflib.URIRef(f"urn:x:{at}"), rdflib.RDFS.label, rdflib.Literal(str(at))))
            graph.serialize(path, format="turtle")
        return time.perf_counter() - begun


def speeds(number: int, facts: int) -> dict[str, Any]:
    """Calls a second each way, and how they compare."""
    made = session()
    checked = calls(made, number) / (number // 4 * 4)
    raw = unchecked(written_by_call(made)) / (number // 4 * 4)
    large = session()
    calls(large, facts * 4 // 7)  # four calls write seven facts
    more = 400
    at_size = _further(large, more) / more
    slow = reparsed(large, 2) / 2
    return {
        "calls": number,
        "checked calls per second": round(1 / checked),
        "unchecked writes per second": round(1 / raw),
        "checked / unchecked": round(checked / raw, 2),
        "facts in the large graph": len(large.facts),
        "checked calls per second there": round(1 / at_size),
        "re-parsing calls per second there": round(1 / slow, 2),
        "re-parsing / checked": round(slow / at_size),
    }


def _further(made: Session, number: int) -> float:
    begun = time.perf_counter()
    for at in range(number):
        assert made.call("create_cake", {"label": f"Cake {at}"}, SOURCE).ok
    return time.perf_counter() - begun


def ontologies(root: Path, every: bool) -> Iterator[Path]:
    """OM-2 and schema.org, or all there are."""
    if not every:
        yield from (root / "twa/tbox/om2/om-2.0.rdf", root / "general/vocab/schema.nq.gz")
        return
    for folder in ("twa/tbox", "text2kg/dbpedia_webnlg/ontologies/owl", "general"):
        suffixes = {".owl", ".rdf", ".ttl", ".n3", ".nq", ".gz"}
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in suffixes)


def planted(root: Path, most: int | None, only: str) -> Iterator[list[Any]]:
    """One row an ontology: counts, what came of the mistakes and their twins, and how pyshacl judged both."""
    for path in ontologies(root, True):
        if only not in path.name:
            continue
        begun = time.process_time()
        pack = compile_ontology(path)
        found = plant(pack, most=most)
        cases = [one for one in found if one.case is not None]
        compared = agreement(pack, found)
        counts = pack.counts()
        for one in cases:
            if not one.fine:
                print(f"{path.name}: {one.kind} {one.shape}: {one.note}", file=sys.stderr)
        for difference in compared.differences:
            print(f"{path.name}: {difference}", file=sys.stderr)
        yield [
            path.name, *(counts[name] for name in ("classes", "properties", "tools", "constraints", "warnings")),
            len(cases), sum(one.refused and one.named for one in cases), sum(one.accepted for one in cases),
            len(found) - len(cases), compared.illegal, len(compared.differences),
            round(time.process_time() - begun, 1),
        ]  # fmt: skip


def table(rows: Iterator[list[Any]]) -> None:
    """Print rows as they come."""
    heads = ("T-Box", "classes", "properties", "tools", "constraints", "warnings", "planted", "refused", "accepted",
             "no case", "broken", "differ", "CPU s")  # fmt: skip
    print(f"{heads[0]:32}" + "".join(f"{head:>12}" for head in heads[1:]))
    for row in rows:
        print(f"{row[0]:32}" + "".join(f"{value:>12}" for value in row[1:]), flush=True)


def requests(paths: list[str]) -> Iterator[str]:
    """A line an ontology: its tools, and tokens of requests by the reckoning that budgets use."""
    for path in paths:
        pack = compile_ontology(path)
        note = passages(Document("note", "A note about nothing."))[0]
        workspace = Workspace(pack.session(stored=False), "note")
        reader = ModelReader(ScriptedModel([]))
        sent = [estimate_usage(reader.first_request(Task(note, prompt, pack), workspace)).prompt_tokens
                for prompt in plan(pack).prompts]  # fmt: skip
        face = served_face(Shared(pack, workspace.session))
        told = estimate_tokens(face[0]) + sum(estimate_tokens(tool.model_dump_json()) for tool in face[1][:100])
        yield (f"{Path(path).name}: {len(pack.tools):,} tools, {schema_tokens(pack):,} tokens one by one; build sends "
               f"at most {max(sent):,} ({len(sent)} steps); an MCP client is told {told:,} a page")  # fmt: skip


def main() -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--requests", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--calls", type=int, default=4000)
    parser.add_argument("--facts", type=int, default=20_000)
    parser.add_argument("--tboxes", action="store_true")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--most", type=int, help="of each kind of constraint; all by default")
    parser.add_argument("--only", default="", help="part of the file names to take")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    for line in requests(given.requests):
        print(line, flush=True)
    if given.requests:
        return 0
    if given.data is None:
        parser.error("--data is needed")
    if given.planted:
        table(planted(given.data, given.most, given.only))
        return 0
    compiled = {}
    for path in ontologies(given.data, given.tboxes):
        counts = compile_ontology(path).counts()
        compiled[path.name] = counts
        print(f"{path.name}: {counts['tools']} tools, {counts['milliseconds'] / 1000:.2f} s", file=sys.stderr)
    found = {"compile": compiled, "calls": speeds(given.calls, given.facts)}
    text = json.dumps(found, indent=1)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")
    print(json.dumps(found["calls"], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
