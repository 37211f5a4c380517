from pathlib import Path

from rdflib import Graph

from kgnb.magics.kg import Opened
from tests.kg.flaky_endpoint import FlakyEndpoint
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
    sloppy = "<http://huts.example/a b> <http://huts.example/name> 'hut'@en_GB .\n"
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
