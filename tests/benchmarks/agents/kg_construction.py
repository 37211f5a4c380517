"""What ontologies compile to, and the size of a model's first request.

python -m tests.benchmarks.agents.kg_construction --data DIR [--only NAME]
python -m tests.benchmarks.agents.kg_construction --requests FILE [FILE ...]

With ``--data`` a line of counts per ontology; how the tools hold is for ``walks`` to say.
``--requests``: the tokens of a model's first request: all tools one by one, what ``build`` sends
beside a note, and what an MCP client is told.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kgnb import compile_ontology
from kgnb.agents.kg_construction.documents import Document, passages
from kgnb.agents.kg_construction.generic_tools import schema_tokens
from kgnb.agents.kg_construction.plan import plan
from kgnb.agents.kg_construction.readers import ModelReader, PassageTask
from kgnb.agents.kg_construction.serve import Shared, served_face
from kgnb.agents.kg_construction.workspace import Workspace
from kgnb.llm.prices import estimate_tokens, estimate_usage
from kgnb.llm.scripted import ScriptedModel

COUNTS = ("classes", "properties", "tools", "constraints", "warnings")


def ontologies(root: Path) -> Iterator[Path]:
    """All ontologies at hand."""
    for folder in ("twa/tbox", "text2kg/dbpedia_webnlg/ontologies/owl", "general"):
        suffixes = {".owl", ".rdf", ".ttl", ".n3", ".nq", ".gz"}
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in suffixes)


def compiled(root: Path, only: str) -> Iterator[list[Any]]:
    """One row per ontology: counts, and the seconds it took."""
    for path in ontologies(root):
        if only in path.name:
            counts = compile_ontology(path).counts()
            yield [path.name, *(counts[name] for name in COUNTS), counts["milliseconds"] / 1000]


def table(heads: tuple[str, ...], rows: Iterator[list[Any]]) -> None:
    """Print rows as they come."""
    print(f"{'T-Box':32}" + "".join(f"{head:>12}" for head in heads))
    for row in rows:
        print(f"{row[0]:32}" + "".join(f"{value:>12}" for value in row[1:]), flush=True)


def requests(paths: list[str]) -> Iterator[str]:
    """A line per ontology: its tools, and tokens of requests as budgets estimate them."""
    for path in paths:
        pack = compile_ontology(path)
        note = passages(Document("note", "A note about nothing."))[0]
        workspace = Workspace(pack.session(stored=False), "note")
        reader = ModelReader(ScriptedModel([]))
        sent = [
            estimate_usage(
                reader.first_request(PassageTask(note, prompt, pack), workspace)
            ).prompt_tokens
            for prompt in plan(pack).prompts
        ]
        face = served_face(Shared(pack, workspace.session))
        told = estimate_tokens(face[0]) + sum(
            estimate_tokens(tool.model_dump_json()) for tool in face[1][:100]
        )
        yield (
            f"{Path(path).name}: {len(pack.tools):,} tools, {schema_tokens(pack):,} tokens one by one; build sends "
            f"at most {max(sent):,} ({len(sent)} steps); an MCP client is told {told:,} a page"
        )


def main() -> None:
    """Print the table that is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--requests", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--only", default="", help="part of the file names to take")
    given = parser.parse_args()
    for line in requests(given.requests):
        print(line, flush=True)
    if given.requests:
        return
    if given.data is None:
        parser.error("--data is needed")
    table((*COUNTS, "seconds"), compiled(given.data, given.only))


if __name__ == "__main__":
    main()
