from pathlib import Path

import pytest
from rdflib import Graph
from SPARQLWrapper import SPARQLWrapper

from kgnb.magics.kg import Opened
from tests.kg.flaky_endpoint import FlakyEndpoint
from tests.loopback import LoopbackServer, Request
from tests.magics.conftest import ALPINE, Notebook


def test_open_takes_quoted_paths_globs_several_files_and_a_name(
    notebook: Notebook, folder: Path
) -> None:
    opened = notebook.good("%kg open alpine.ttl").value
    assert isinstance(opened, Opened)
    assert (opened.name, opened.triples) == ("alpine", len(Graph().parse(data=ALPINE)))
    assert "was open already" in notebook.good("%kg open refuge.ttl --as alpine").printed
    notebook.good("%kg close")
    assert "nothing.ttl" in notebook("%kg open nothing.ttl").why and not notebook.session.graphs
    spaced = folder / "my huts"
    spaced.mkdir()
    (folder / "alpine.ttl").rename(spaced / "the alpine.ttl")
    one = notebook.good('%kg open "my huts/the alpine.ttl" --as one').value
    both = notebook.good('%kg open "my huts/*.ttl" refuge.ttl --as both').value
    assert both.triples > one.triples
    assert notebook.good("%kg list").value.df()["name"].tolist() == ["one", "both"]


def test_open_takes_a_graph_out_of_a_python_variable(notebook: Notebook) -> None:
    notebook.shell.user_ns["mine"] = Graph().parse(data=ALPINE)
    opened = notebook.good("%kg open {{mine}}").value
    assert opened.triples == len(notebook.shell.user_ns["mine"])
    assert notebook.good("%kg list").value.df()["name"].tolist() == ["mine"]
    assert notebook.good("%kg info").error is None


def test_list_use_and_close_keep_track_of_the_current_graph(notebook: Notebook) -> None:
    assert "Open one" in notebook.good("%kg list").value.text()
    notebook.good("%kg open alpine.ttl")
    notebook.good("%kg open refuge.ttl")
    assert notebook.session.current == "refuge"
    assert "Did you mean alpine?" in notebook("%kg use alpin").why
    assert "current graph: alpine" in notebook.good("%kg use alpine").printed
    assert "current graph: refuge" in notebook.good("%kg close").printed
    assert list(notebook.session.graphs) == ["refuge"]


def test_info_counts_kinds_and_languages(notebook: Notebook) -> None:
    notebook.good("%kg open alpine.ttl")
    frame = notebook.good("%kg info").value.df().set_index("what")
    assert frame.loc["classes", "count"] == 4
    assert frame.loc["object properties", "count"] == 1
    assert frame.loc["texts in de", "count"] == 1
    assert frame.loc["texts in en", "count"] == 6


def test_open_says_what_had_to_be_mended(notebook: Notebook, folder: Path) -> None:
    sloppy = "<http://huts.example/a b> <http://huts.example/name> 'hut'@en-GB .\n"
    (folder / "sloppy.ttl").write_text(sloppy, encoding="utf-8")
    opened = notebook.good("%kg open sloppy.ttl").value
    assert opened.triples == 1 and opened.mended
    assert "repaired" in repr(opened) and "repaired" in opened._repr_mimebundle_()["text/html"]


def test_a_service_is_opened_and_looked_at_without_counting_everything(notebook: Notebook) -> None:
    service = FlakyEndpoint("gzip")
    service.store.update(
        'INSERT DATA { <urn:a> a <urn:Hut> ; <http://www.w3.org/2000/01/rdf-schema#label> "Hut"@en . '
        "GRAPH <urn:g> { <urn:b> a <urn:Hut> } }"
    )
    try:
        opened = notebook.good(f"%kg open {service.url} --as ours")
        assert "answered in" in opened.printed and opened.value.triples is None
        frame = notebook.good("%kg info").value.df().set_index("what")
        assert frame.loc["triples", "which"] == "not counted"
        assert (frame.loc["classes", "count"], frame.loc["named graphs", "which"]) == (1, "urn:g")
        assert frame.loc["texts in en", "count"] == 1
        assert "answers in" in notebook.good("%kg list --check").value.df()["health"].tolist()[0]
    finally:
        service.stop()
    assert "cannot be reached" in notebook.good("%kg list --check").value.df()["health"].tolist()[0]


class _Echo(LoopbackServer):
    """A service that wants a key in a header, and keeps what it was sent."""

    place = "/sparql"

    def __init__(self) -> None:
        self.keys: list[str | None] = []
        super().__init__()

    def answer(self, request: Request) -> None:
        self.keys.append(request.headers.get("X-Api-Key"))
        if self.keys[-1] != "k3y-of-ours":
            return request.send(401, b"who?")
        return request.send(200, b'{"head": {}, "boolean": true}', "application/json")


def test_connects_with_a_header_whose_value_is_in_the_environment(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_KEY", "k3y-of-ours")
    with _Echo() as server:
        refused = notebook(f"%kg connect ours --url {server.url}")
        assert "--header NAME=env:VAR" in refused.why
        plain = notebook(f"%kg connect ours --url {server.url} --header X-Api-Key=k3y-of-ours")
        assert "NAME=env:VAR" in plain.why and "k3y" not in plain.why
        notebook.good(f"%kg connect ours --url {server.url} --header X-Api-Key=env:OUR_KEY")
        assert server.keys == [None, "k3y-of-ours"]


def test_connects_to_a_sparqlwrapper(notebook: Notebook) -> None:
    with _Echo() as server:
        wrapper = SPARQLWrapper(server.url)
        wrapper.addCustomHttpHeader("X-Api-Key", "k3y-of-ours")
        notebook.shell.user_ns["wrapper"] = wrapper
        notebook.good("%kg connect {{wrapper}} --as ours")
        assert notebook.session.current == "ours"
        notebook.good("%kg open {{wrapper}} --as again")
        notebook.good("%kg list")  # counts no triples of a service
        assert set(server.keys) == {"k3y-of-ours"}
        wrong = notebook("%kg connect {{wrapper}} --timeout 3")
        assert "setting of the SPARQLWrapper" in wrong.why


def test_info_of_a_large_graph_lets_the_engine_count(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook.good("%kg open alpine.ttl")
    small = notebook.good("%kg info").value.df().set_index("what")["count"]
    monkeypatch.setattr("kgnb.magics.kg.LARGE", 1)
    large = notebook.good("%kg info").value.df().set_index("what")["count"]
    for row in ("triples", "classes", "individuals"):
        assert large[row] == small[row], row


def test_numbers_beyond_the_engine_are_said_when_a_graph_is_opened(
    notebook: Notebook, folder: Path
) -> None:
    (folder / "far.nt").write_text(
        '<urn:a> <urn:far> "123456789012345678901"^^<http://www.w3.org/2001/XMLSchema#integer> .'
    )
    opened = notebook.good("%kg open far.nt").value
    assert "numbers beyond the engine: 1" in opened.text()
    info = notebook.good("%kg info").value
    assert "urn:far" in str(info) and "123456789012345678901" in str(info)
