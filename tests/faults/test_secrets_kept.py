"""Keys of a model and of an endpoint, looked for in every file that a command leaves and in all
that it says.
"""

import base64
import urllib.request
from pathlib import Path

import pytest

import kgnb
from kgnb.cli import main
from kgnb.run import Run
from kgnb.tasks.querying import query
from tests.kg.conftest import oxigraph_server  # noqa: F401  (a fixture)
from tests.kg.stub_endpoint import Reply, StubEndpoint, solutions
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer

pytestmark = pytest.mark.fault("planted secrets")
KEY, PASSWORD, QUERY = (
    "plain-looking-value-of-a-key-80",
    "open-sesame-4714",
    "key-in-a-query-string-80",
)
SECRETS = (
    KEY,
    PASSWORD,
    QUERY,
    base64.b64encode(f"reader:{PASSWORD}".encode()).decode().rstrip("="),
)
MATCH = ("match", "huts:alpine", "huts:refuge", "--judge", "model", "--embedder", "characters")
ASK = (
    "ask",
    "Who is the warden of the Hochkar House?",
    "--graph",
    "ADDRESS",
    "--embedder",
    "characters",
)
COMMANDS = {
    "batch folder": (*MATCH, "--model", "batch:asked", "--run", "run", "-o", "out.sssom.tsv"),
    "run, cache and alignment": (*MATCH, "--run", "run", "-o", "out.sssom.tsv"),
    "run and answers over an endpoint": (*ASK, "--judge", "model", "--run", "run"),
    "an endpoint that refuses": (*ASK, "--judge", "rule", "--run", "run"),
}


@pytest.mark.parametrize("kept", COMMANDS)
def test_no_key_is_in_any_file_that_a_command_leaves(
    kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refusal = Reply(f"no entry for reader:{PASSWORD} with {QUERY}".encode(), 403, "text/plain")
    endpoint = StubEndpoint(refusal if "refuses" in kept else Reply(solutions()))
    address = endpoint.url.replace("//", f"//reader:{PASSWORD}@") + f"?api_key={QUERY}"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OUR_MODEL", KEY)
    monkeypatch.setenv("KGNB_CACHE", str(tmp_path / "cache"))
    with StubServer(oblige) as server:
        toml = tmp_path / "kgnb.toml"
        toml.write_text(
            f'[model]\nname = "stub"\nbase_url = "{server.url}"\nkey = "env:OUR_MODEL"\n'
            f'[endpoints.ours]\nurl = "{address}"\n'
        )
        assert main(["trust", str(toml)]) == 0
        main([address if word == "ADDRESS" else word for word in COMMANDS[kept]])
    endpoint.stop()
    toml.unlink()
    said = capsys.readouterr()
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert files or "refuses" in kept
    for secret in SECRETS:
        assert secret not in said.out + said.err
        assert not [path for path, content in files.items() if secret.encode() in content]


def test_no_key_is_in_exports_of_an_endpoint(oxigraph_server: str, tmp_path: Path) -> None:  # noqa: F811
    """Rows and triples in every form, an answer with its query, and the pictures of all of them."""
    data = tmp_path.parent / "huts.ttl"
    data.write_text(
        "@prefix : <http://hut.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':hut a :Hut ; rdfs:label "Hochkar House" ; :warden :a . :a rdfs:label "Ada" . :warden rdfs:label "warden" .'
    )
    put = {"Content-Type": "text/turtle"}
    store = f"{oxigraph_server}/store?default"
    urllib.request.urlopen(
        urllib.request.Request(store, data.read_bytes(), put, method="PUT"), timeout=60
    ).read()
    address = f"{oxigraph_server}/query?api_key={QUERY}".replace("//", f"//reader:{PASSWORD}@", 1)
    rows, triples = "SELECT * { ?s ?p ?o }", "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }"
    shown = [
        query(address, rows, export=tmp_path / f"rows.{end}")
        for end in ("csv", "tsv", "json", "parquet")
    ]
    shown += [
        query(address, triples, export=tmp_path / f"triples.{end}")
        for end in ("ttl", "nt", "jsonld")
    ]
    answer = kgnb.answer_question(
        "Who is the warden of the Hochkar House?", address, run=Run("qa", folder=tmp_path / "run")
    )
    assert [str(value) for value in answer.values] == ["http://hut.example/a"] and answer.sparql
    assert query(address, answer.sparql).solutions.rows  # type: ignore[union-attr]
    told = "".join(f"{one!r}{one._repr_mimebundle_()}" for one in (*shown, answer)) + answer.sparql
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(files) > 7
    for secret in SECRETS:
        assert secret not in told
        assert not [path for path, content in files.items() if secret.encode() in content]
