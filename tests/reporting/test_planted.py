"""Secrets planted at every source, and searched for in every file that a report leaves."""

import base64
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from kgnb.cli import main
from tests.llm.stub_server import Body, StubServer
from tests.reporting.conftest import notebook

pytestmark = pytest.mark.fault("planted secrets")

OF_KEY = "plain-looking-value-of-a-key-77"  # in a variable that kgnb.toml names
OF_TOKEN = 'quoted"<&>token/of+a~service'  # in a variable with a suspicious name
OF_PROXY = "pass-of-the-proxy"  # in a URL in a variable with an innocent name
OF_ENDPOINT = "open-sesame-4711"  # in a URL in kgnb.toml
OF_QUERY = "key-in-a-query-string-9"  # in another one
OF_REPLY = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5q"  # in a reply
OF_WIDGET = "ghp_" + "Ab3dEf6hIj9kLm2nOp5qAb3dEf6hIj9k"  # unknown to kgnb
PLANTED = (OF_KEY, OF_TOKEN, OF_PROXY, OF_ENDPOINT, OF_QUERY, OF_REPLY, OF_WIDGET)

TOML = f"""
[model]
name = "stub"
base_url = "BASE"
key = "env:OUR_MODEL"
[vectors]
embedder = "characters"
[folders]
cache = "reports/cache"
[endpoints.ours]
url = "https://reader:{OF_ENDPOINT}@graphs.example/sparql"
[endpoints.theirs]
url = "https://graphs.example/sparql?api_key={OF_QUERY}"
"""
CELLS = (
    "# Planted\n\nA report that meets secrets.",
    "about: str = ''  # what it is about",
    """import os, json
from pathlib import Path
from kgnb.reporting.session import current
from kgnb.tasks.matching import match_ontologies
from kgnb.tasks.running import new_run
session = current()
run = new_run("ontology_matching", {}, parameters={"environment": dict(os.environ)}, settings=session.settings,
              folder=session.folder / "run")""",
    """with run:
    alignment = match_ontologies("huts:alpine", "huts:refuge", judge="model", run=run, settings=session.settings)
alignment""",
    """from kgnb.mapping_files import save
save(alignment, session.folder / "alignment.sssom.tsv")
(session.folder / "metrics.json").write_text(json.dumps({"rationales": [m.rationale for m in alignment], **os.environ}))
run""",
    """import ipywidgets
field = ipywidgets.Text(value="WIDGET", description=os.environ["OUR_SERVICE_TOKEN"])
display(field)
print(dict(os.environ)); print(session.settings.endpoints)""",
    """import sqlite3
with sqlite3.connect(session.folder / "kept.sqlite") as db:
    db.execute("create table kept (text)")
    db.execute("insert into kept values (?)", (os.environ["OUR_MODEL"] + " " + "x" * 50,))""",
    """from kgnb.kg.endpoint_graph import EndpointGraph
try:
    EndpointGraph(session.settings.endpoints[1].url.replace("https://graphs.example", "http://127.0.0.1:9")).count()
except Exception as error:
    print(repr(error), error, getattr(error, "details", ""))""",
    "raise ValueError(os.environ['OUR_MODEL'] + session.settings.endpoints[0].url + session.settings.endpoints[1].url)",
)


def careless(body: Body) -> str:
    """A model that puts a key into every rationale."""
    if "response_format" not in body:
        return f"use {OF_REPLY}"
    items = body["response_format"]["json_schema"]["schema"]["properties"]["answers"]["items"][
        "properties"
    ]
    said = {
        "why": f"as with {OF_REPLY} and {OF_KEY}",
        "letter": "A",
        "decision": "equivalent",
        "confidence": 0.9,
    }
    return json.dumps(
        {"answers": [{"question": number} | said for number in items["question"]["enum"]]}
    )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (
        ("OUR_MODEL", OF_KEY),
        ("OUR_SERVICE_TOKEN", OF_TOKEN),
        ("OUR_PROXY", f"http://me:{OF_PROXY}@proxy.example:3128"),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("KGNB_CACHE", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "templates").mkdir()
    notebook(
        tmp_path / "templates",
        *(cell.replace("WIDGET", OF_WIDGET) for cell in CELLS),
        name="planted.ipynb",
    )
    return tmp_path


def shapes(secret: str) -> list[bytes]:
    return [
        secret.encode(),
        json.dumps(secret)[1:-1].encode(),
        base64.b64encode(secret.encode()).rstrip(b"="),
    ]


@pytest.mark.slow
def test_planted_secrets_reach_no_file_of_a_report_and_no_cache(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with StubServer(careless) as server:
        Path("kgnb.toml").write_text(TOML.replace("BASE", server.url))
        assert main(["trust"]) == 0
        assert (
            main(["report", "templates/planted.ipynb", "-p", "about=huts"]) == 1
        )  # its last cell raises
        assert server.requests and OF_KEY in server.requests[0].headers["authorization"]
    said = capsys.readouterr()
    [folder] = Path("reports/planted").iterdir()
    names = {file.name for file in folder.rglob("*")}
    assert {
        "report.html",
        "report.ipynb",
        "cells.json",
        "events.jsonl",
        "run.json",
        "ro-crate-metadata.json",
        "metrics.json",
        "alignment.sssom.tsv",
        "kept.sqlite",
        "request.json",
    } <= names
    assert any("replies.sqlite" in file.name for file in Path("reports/cache").iterdir())
    files = [file for file in Path("reports").rglob("*") if file.is_file()]
    for secret in PLANTED:
        for shape in shapes(secret):
            found = [file for file in files if shape in file.read_bytes()]
            assert not found, (secret, found)
        assert secret not in said.out + said.err
    assert "[redacted]" in (folder / "report.html").read_text()
    with sqlite3.connect(folder / "kept.sqlite") as db:  # still a database
        [(text,)] = db.execute("select text from kept")
    assert text == "*" * len(OF_KEY) + " " + "x" * 50
    assert main(["scan", "reports"]) == 0, capsys.readouterr().out


GIVEN = (
    f"about={OF_REPLY}",
    "about=https://me:open-sesame@graphs.example/sparql",
    f"about=https://graphs.example/sparql?api_key={OF_QUERY}",
    f"api_key={OF_KEY}",
    f"hf_token={OF_KEY}",
)


def test_a_secret_as_a_parameter_is_refused_and_leaves_no_trace(
    place: Path, capsys: pytest.CaptureFixture[str], record_property: Any
) -> None:
    for given in GIVEN:
        assert main(["report", "templates/planted.ipynb", "-p", given]) == 2
        said = capsys.readouterr().err
        assert given.partition("=")[2] not in said and "env:NAME" in said
        assert not Path("reports").exists()
    record_property("tries", len(GIVEN))
