# ruff: noqa: E501
"""Every kind of file kgnb reads, broken in many ways: it is read, or refused with one of our
errors, and in time.
"""

import json
import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import rdflib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from kgnb.agents.kg_construction.built import Journal, journal_file, read_journal, write_journal
from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.datasets.entity_folders import is_entity_folder, read_folder, read_links
from kgnb.datasets.question_sets import codex_triples, pathquestion, qald10, relation_labels
from kgnb.datasets.questions import scan_questions
from kgnb.errors import KgnbError
from kgnb.kg.loading import read_quads
from kgnb.llm.batch import RecordedModel, standing
from kgnb.llm.chat_model import Model
from kgnb.llm.model import Message, Request
from kgnb.llm.replay import ReplayCache
from kgnb.llm.scripted import ScriptedModel
from kgnb.mapping_files import load, reviews, save
from kgnb.mappings import Alignment, Dropped, Evidence, Mapping
from kgnb.reporting.grid import read_grid
from kgnb.reporting.item import read_state
from kgnb.reporting.report import find_template
from kgnb.reporting.scan import scan
from kgnb.reporting.session import Cell, Ledger, read_ledger
from kgnb.run import Run
from kgnb.run.folder import read_run, why_partial
from kgnb.settings import Settings
from kgnb.tasks.asking import AnswerFile
from kgnb.tasks.building import compile_ontology
from tests.datasets.text2kg import text2kg
from tests.faults.cpu import within
from tests.faults.mutations import broken, odd_lines
from tests.faults.tries import WHOLE

SECONDS = 10
EXAMPLES = 300 if WHOLE else 25
OURS = (KgnbError, ValueError)

TOML = """
[model]
name = "openai:gpt"
base_url = "http://127.0.0.1:9/v1"
key = "env:OURS"
retries = 3
timeout = 60.0
temperature = 0.5
price = "0.1/0.2"
headers = {"X-A" = "b"}
[budget]
calls = 10
[folders]
cache = "cache"
[endpoints.mine]
url = "http://127.0.0.1:9/sparql"
"""
TBOX = """
@prefix : <https://hut.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<https://hut.example> a owl:Ontology .
:Hut a owl:Class ; rdfs:label "hut" . :Warden a owl:Class ; rdfs:label "warden" .
:beds a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:domain :Hut ; rdfs:range xsd:integer .
:keeps a owl:ObjectProperty ; rdfs:domain :Warden ; rdfs:range :Hut .
"""
QALD = {
    "questions": [
        {
            "id": "1",
            "aggregation": False,
            "question": [{"language": "en", "string": "Who runs the hut?"}],
            "query": {"sparql": "SELECT ?x { wd:Q1 wdt:P2 ?x }"},
            "answers": [
                {"results": {"bindings": [{"x": {"value": "http://www.wikidata.org/entity/Q3"}}]}}
            ],
        },
        {
            "id": "2",
            "question": [{"language": "en", "string": "Is it high?"}],
            "query": {"sparql": "ASK {}"},
            "answers": [{"boolean": True}],
        },
    ]
}
REPLY = {
    "custom_id": "kgnb-1",
    "text": "A",
    "tool_calls": [{"name": "add", "arguments": {"a": 1}}],
    "usage": [3, 4],
}
BATCH = {
    "custom_id": "kgnb-2",
    "error": None,
    "response": {
        "status_code": 200,
        "body": {
            "choices": [
                {
                    "finish_reason": "stop",
                    "message": {
                        "role": "assistant",
                        "content": "B",
                        "tool_calls": [
                            {
                                "id": "c",
                                "type": "function",
                                "function": {"name": "f", "arguments": "{}"},
                            }
                        ],
                    },
                }
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2},
            "model": "m",
        },
    },
}
ASKED = {
    "custom_id": "kgnb-1",
    "method": "POST",
    "url": "/v1",
    "body": {"messages": [{"role": "user", "content": "x"}]},
}
ANSWERED = {
    "id": "1",
    "status": "answered",
    "values": ["http://a/x"],
    "confidence": 0.5,
    "sparql": "",
    "support": [["a", "b", "c"]],
}
QUESTIONS = (
    {"id": "1", "question": "Who?", "entities": ["http://a/x"], "values": ["3"]},
    {"id": 2, "question": "?"},
)
BOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    "cells": [
        {
            "cell_type": "code",
            "id": "a",
            "metadata": {"tags": ["parameters"]},
            "source": "k: int = 3  # how many\n",
            "outputs": [],
            "execution_count": 1,
        },
        {"cell_type": "markdown", "id": "b", "metadata": {}, "source": "# Title"},
        {
            "cell_type": "code",
            "id": "c",
            "metadata": {"kgnb": {"seconds": 1.0}},
            "source": "1",
            "execution_count": 2,
            "outputs": [
                {
                    "output_type": "execute_result",
                    "metadata": {},
                    "execution_count": 2,
                    "data": {
                        "text/plain": "1",
                        "text/html": "<b>1</b>",
                        "application/vnd.kgnb.table+json": {"version": 1, "rows": []},
                    },
                },
                {"output_type": "stream", "name": "stdout", "text": "x"},
                {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t"]},
            ],
        },
    ],
}


@dataclass(frozen=True)
class Kind:
    """A kind of file: writes a good folder and says which of its files to break; reads the folder."""

    write: Callable[[Path], list[Path]]
    read: Callable[[Path], object]


def put(home: Path, name: str, content: str | bytes | dict[str, Any] | list[Any]) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict | list):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def lines(*entries: dict[str, Any]) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def alignment() -> Alignment:
    told = {"judged_by": "rule", "rationale": "alike", "evidence": (Evidence("label", "hut", 0.5),)}
    mappings = tuple(
        Mapping(
            f"http://a.example/{n}",
            f"http://b.example/{n}",
            "equivalent",
            0.5,
            "class",
            f"hut {n}",
            "hut",
            **told,
        )  # type: ignore[arg-type]
        for n in range(3)
    )
    dropped = (Dropped(mappings[2], "one to one"),)
    return Alignment(mappings[:2], "http://a.example", "http://b.example", dropped)


ENTITIES = {
    "ent_ids_1": "0\thttp://a.example/A\n1\thttp://a.example/B\n",
    "ent_ids_2": "2\thttp://b.example/A\n3\thttp://b.example/B\n",
    "rel_ids_1": "0\thttp://a.example/r\n",
    "rel_ids_2": "0\thttp://b.example/r\n",
    "triples_1": "0\t0\t1\n",
    "triples_2": "2\t0\t3\n",
    "sup_pairs": "0\t2\n",
    "ref_pairs": "1\t3\n",
}
OPEN_EA = {
    "rel_triples_1": "http://a/A\thttp://a/r\thttp://a/B\n",
    "rel_triples_2": "http://b/A\thttp://b/r\thttp://b/B\n",
    "attr_triples_1": 'http://a/A\thttp://a/n\t"Ütta"@de\n',
    "attr_triples_2": 'http://b/A\thttp://b/n\t"3"^^<http://www.w3.org/2001/XMLSchema#integer>\n',
    "ent_links": "http://a/A\thttp://b/A\nhttp://a/B\thttp://b/B\n",
    "721_5fold/1/train_links": "http://a/A\thttp://b/A\n",
    "721_5fold/1/test_links": "http://a/B\thttp://b/B\n",
    "721_5fold/1/valid_links": "",
}


def run_folder(home: Path) -> list[Path]:
    with Run("ontology_matching", folder=home) as run:
        run.do(len, [1])
        model = run.watch(ScriptedModel(["yes"]))
        model.ask(Request((Message("user", "Is it?"),)))
    return [home / "events.jsonl"]


def exported(home: Path) -> list[Path]:
    cache = ReplayCache(home / "replies.sqlite")
    Model.of(ScriptedModel(["yes"]), cache=cache).ask(Request((Message("user", "Is it a hut?"),)))
    cache.export_folder(home / "out")
    cache.close()
    (home / "replies.sqlite").unlink()
    return list((home / "out").iterdir())


def import_cache(home: Path) -> object:
    (home / "new.sqlite").unlink(missing_ok=True)
    cache = ReplayCache(home / "new.sqlite")
    try:
        return cache.import_folder(home / "out")
    finally:
        cache.close()


def journal(home: Path) -> list[Path]:
    from kgnb.agents.kg_construction.workspace import Act

    made = Journal(
        "notes", "d", "key", "rule", acts=(Act("create_hut", {"label": "Ambre"}, True, 0, 5),)
    )
    write_journal(home, made)
    return [journal_file(home, "notes")]


def ledger(home: Path) -> list[Path]:
    Ledger(home, {1: Cell(1, "a", "ran")}).save()
    return [path for path in home.iterdir() if path.is_file()]


def graph_file(home: Path) -> list[Path]:
    session = PACK.session()
    file = GraphFile(home / "huts.trig", session, None)
    for name in ("Ambre", "Basodine"):
        session.call("create_hut", {"label": name})
    kept = file.journal.read_bytes()
    file.close()
    put(home, "huts.trig.journal", kept)
    return [home / "huts.trig", home / "huts.trig.journal"]


def read_graph_file(home: Path) -> object:
    file = GraphFile(home / "huts.trig", PACK.session(), None)
    file._session.log = None
    file._let_go()
    return file.loaded


def read_model(home: Path) -> object:
    model = RecordedModel(home, "recorded")
    with pytest.raises(KgnbError):
        model.ask(Request((Message("user", "?"),)))
    return model._replies.get("kgnb-1"), model._replies.get("kgnb-2")


def good(*names: tuple[str, str | bytes | dict[str, Any]]) -> Callable[[Path], list[Path]]:
    return lambda home: [put(home, name, content) for name, content in names]


def rdf(name: str) -> Kind:
    graph = rdflib.Graph().parse(data=TBOX, format="turtle")
    forms = {".ttl": "turtle", ".owl": "pretty-xml", ".nt": "nt", ".jsonld": "json-ld"}
    quads = {".trig": "trig", ".nq": "nquads"}
    content = (
        rdflib.Dataset().parse(data=TBOX, format="turtle").serialize(format=quads[name])
        if name in quads
        else graph.serialize(format=forms[name])
    )
    return Kind(good((f"a{name}", content)), lambda home: read_quads(home / f"a{name}"))


def aligned(name: str) -> Kind:
    return Kind(lambda home: [save(alignment(), home / name)], lambda home: load(home / name))


KINDS = {
    **{f"RDF {name}": rdf(name) for name in (".ttl", ".owl", ".nt", ".jsonld", ".trig", ".nq")},
    "SSSOM": aligned("a.sssom.tsv"),
    "alignment RDF": aligned("a.rdf"),
    "alignment Turtle": aligned("a.ttl"),
    "review sheet": Kind(
        lambda home: [
            reviews.save(
                [reviews.ReviewedMapping(one, "Ada", "2026-01-02") for one in alignment().mappings],
                home / "a.tsv",
            )
        ],
        lambda home: reviews.read(home / "a.tsv"),
    ),
    "QALD": Kind(good(("qald_10.json", QALD)), lambda home: qald10(home)),
    "question file": Kind(
        good(("q.jsonl", lines(*QUESTIONS))), lambda home: scan_questions(home / "q.jsonl")
    ),
    "answers file": Kind(
        good(("a.jsonl", lines(ANSWERED))),
        lambda home: AnswerFile(home / "a.jsonl", resume=True).kept,
    ),
    "DBP15K folder": Kind(
        good(*ENTITIES.items()), lambda home: is_entity_folder(home) and read_folder(home)
    ),
    "OpenEA folder": Kind(
        good(*OPEN_EA.items()), lambda home: is_entity_folder(home) and read_folder(home)
    ),
    "entity links": Kind(
        good(("links.tsv", "http://a/A\thttp://b/A\n")), lambda home: read_links(home / "links.tsv")
    ),
    "CoDEx": Kind(
        good(
            *((f"codex-m/{split}.txt", "Q1\tP2\tQ3\n") for split in ("train", "valid", "test")),
            ("relations.en.json", {"P2": {"label": "part of"}}),
        ),
        lambda home: (codex_triples(home), relation_labels(home)),
    ),
    "PathQuestion": Kind(
        good(("PQ-2H.txt", "who ?\tx(x)\ta#r#b#s#x\n")), lambda home: pathquestion(home)
    ),
    "Text2KGBench": Kind(
        good(
            (
                "text2kg/dbpedia_webnlg/ground_truth/ont_1_huts_ground_truth.jsonl",
                lines({"id": "1", "sent": "s", "triples": [{"sub": "a", "rel": "b", "obj": "c"}]}),
            ),
            ("text2kg/dbpedia_webnlg/ontologies/owl/1_huts_ontology.owl", "x"),
            (
                "text2kg/dbpedia_webnlg/ontologies/1_huts_ontology.json",
                {"relations": [{"label": "b"}]},
            ),
        ),
        lambda home: text2kg(home),
    ),
    "kgnb.toml": Kind(good(("kgnb.toml", TOML)), lambda home: Settings.load(home, found="any")),
    "run": Kind(
        run_folder,
        lambda home: (read_run(home).to_json(), why_partial(home), Run.load(home).totals),
    ),
    "ledger": Kind(ledger, lambda home: read_ledger(home)),
    "sweep item": Kind(
        good(
            (
                "item.json",
                {
                    "report": "r",
                    "values": {},
                    "digest": "d",
                    "state": "done",
                    "process": 1,
                    "host": "h",
                },
            )
        ),
        lambda home: read_state(home),
    ),
    "sweep file": Kind(
        good(
            (
                "grid.yaml",
                "report: ontology-matching\nparameters:\n  dataset: huts\n  k: [2, 3]\nexclude:\n  - k: 3\n",
            )
        ),
        lambda home: read_grid(home / "grid.yaml"),
    ),
    "notebook of a report": Kind(
        good(("a.ipynb", BOOK)), lambda home: find_template(str(home / "a.ipynb"))
    ),
    "notebook scanned": Kind(good(("a.ipynb", BOOK)), lambda home: scan(home)),
    "recording": Kind(good(("replies.jsonl", lines(REPLY, BATCH))), read_model),
    "batch folder": Kind(
        good(("replies.jsonl", lines(REPLY, BATCH)), ("requests-001.jsonl", lines(ASKED))),
        lambda home: standing(home),
    ),
    "exported cache": Kind(exported, import_cache),
    "construction journal": Kind(journal, lambda home: read_journal(home, "notes", "key")),
    "served graph": Kind(graph_file, read_graph_file),
}
ODD = {  # what was found by other examples, kept for every run
    "recording": {**REPLY, "tool_calls": True},
    "ledger": {"process": 1, "cells": [{"number": [], "title": "a", "state": "ran"}]},
    "notebook of a report": {**BOOK, "nbformat_minor": None},
    "notebook scanned": {
        **BOOK,
        "metadata": True,
        "cells": [{"cell_type": "code", "outputs": True}],
    },
}
PACK = compile_ontology(rdflib.Graph().parse(data=TBOX, format="turtle"))


@pytest.fixture(autouse=True)
def no_logs() -> Iterator[None]:
    """A library's log of a broken notebook may hold half a character, which no worker can send."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


_QUIET = [
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.large_base_example,
]


def bounded(**more: Any) -> Any:
    return settings(
        max_examples=EXAMPLES,
        derandomize=not WHOLE,
        database=None,
        suppress_health_check=_QUIET,
        **more,
    )


@pytest.mark.fault("broken files of every kind")
@pytest.mark.parametrize("name", KINDS)
def test_a_broken_file_is_read_or_refused_by_name(
    name: str, tmp_path: Path, record_property: Any
) -> None:
    kind = KINDS[name]
    files = kind.write(tmp_path)
    content = {path: path.read_bytes() for path in files}
    kind.read(tmp_path)  # as it is, it is read
    tried = 0

    def attempt(path: Path, data: bytes) -> None:
        nonlocal tried
        tried += 1
        for one, whole in content.items():
            one.write_bytes(whole)
        path.write_bytes(data)
        with within(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                kind.read(tmp_path)
            except OURS as error:
                assert str(error)

    @bounded()
    @given(
        some.sampled_from(files).flatmap(
            lambda path: broken(content[path]).map(lambda data: (path, data))
        )
    )
    def bytes_are_wrong(case: tuple[Path, bytes]) -> None:
        attempt(*case)

    if name in ODD:
        attempt(files[0], json.dumps(ODD[name]).encode())
    bytes_are_wrong()
    json_files = [path for path in files if path.suffix in (".json", ".jsonl", ".ipynb", ".jsonld")]
    if json_files:

        @bounded()
        @given(
            some.sampled_from(json_files).flatmap(
                lambda path: odd_lines(content[path]).map(lambda data: (path, data))
            )
        )
        def values_are_odd(case: tuple[Path, bytes]) -> None:
            attempt(*case)

        values_are_odd()
    record_property("tries", tried)


def test_a_lone_carriage_return_ends_a_line_of_a_broken_file_or_does_not(tmp_path: Path) -> None:
    for content in (
        b"@prefix : <http://x.example/> .\r@prefix : <http://x.example/>\r",
        b"\r\r<a>",
    ):
        (tmp_path / "a.ttl").write_bytes(content)
        with pytest.raises(KgnbError, match=r"a\.ttl:\d"):
            list(read_quads(tmp_path / "a.ttl"))
