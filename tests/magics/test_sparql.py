from __future__ import annotations

import _thread
import json
import threading
import time
from pathlib import Path

import pytest
from IPython.core.completer import provisionalcompleter

from kgnb.errors import KgnbError
from kgnb.magics.interruptible import interruptible
from kgnb.results.found import Changed, Rows, Triples
from tests.kg.stub_endpoint import Reply, StubEndpoint, solutions
from tests.magics.conftest import Notebook

HUT = "http://huts.example/alpine#Hut"
SLOW = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p . ?q ?r ?s }"


@pytest.fixture
def alpine(notebook: Notebook) -> Notebook:
    notebook.good("%kg open alpine.ttl")
    return notebook


def lines(error: BaseException | None) -> str:
    """What a person reads of an error."""
    assert isinstance(error, KgnbError), repr(error)
    return "\n".join(error._render_traceback_())


def test_select_gives_a_table_that_keeps_its_terms(alpine: Notebook) -> None:
    cell = alpine.good("%%sparql\nSELECT ?label { :Hut rdfs:label ?label } ORDER BY DESC(lang(?label))")
    assert isinstance(cell.value, Rows)
    assert [term.language for (term,) in cell.value.terms] == ["en", "de"]  # type: ignore[union-attr]
    assert "hut (en)" in str(cell.value) and cell.value.df()["label"].tolist() == ["hut", "Hütte"]


def test_ask_construct_describe_each_give_what_suits_them(alpine: Notebook) -> None:
    assert bool(alpine.good("%%sparql\nASK { :Hut a owl:Class }").value) is True
    described = alpine.good("%%sparql\nDESCRIBE :Hut").value
    assert isinstance(described, Triples) and len(described) == 5
    made = alpine.good("%%sparql\nCONSTRUCT { ?a rdfs:seeAlso ?b } WHERE { ?a rdfs:subClassOf ?b }").value
    assert ":Hut -- rdfs:seeAlso --> :Building" in str(made)


def test_an_update_needs_its_word_and_says_what_it_changed(alpine: Notebook) -> None:
    text = "INSERT DATA { :Tent a owl:Class }"
    assert "%%sparql --update" in lines(alpine(f"%%sparql\n{text}").error)
    changed = alpine.good(f"%%sparql --update\n{text}").value
    assert isinstance(changed, Changed) and (changed.after or 0) - (changed.before or 0) == 1
    assert "changes nothing" in lines(alpine("%%sparql --update\nASK { ?a ?b ?c }").error)
    assert "LOAD would fetch" in lines(alpine("%%sparql --update\nLOAD <file:///etc/passwd>").error)


def test_values_of_the_notebook_are_quoted(alpine: Notebook) -> None:
    alpine.shell.user_ns |= {"name": 'hut" } # ', "hut": HUT}
    assert len(alpine.good("%%sparql\nSELECT * { ?a rdfs:label {{name}} }").value) == 0
    assert len(alpine.good("%%sparql\nSELECT * { <{{hut}}> rdfs:label ?l }").value) == 2
    bound = alpine.good("""%%sparql --bind "word='hut'"\nSELECT * { ?a ?b ?l FILTER(str(?l) = {{word}}) }""")
    assert len(bound.value) == 1
    assert "there is no value for {{nobody}}" in lines(alpine("%%sparql\nASK { ?a ?b {{nobody}} }").error)
    assert "NAME=EXPRESSION" in lines(alpine("%%sparql --bind word\nASK {}").error)


def test_results_are_kept_written_and_limited(alpine: Notebook, folder: Path) -> None:
    cell = alpine.good("%%sparql --limit 2 --store found --export out.csv --silent\nSELECT * { ?s ?p ?o }")
    assert cell.value is None and "out.csv: 2 rows written" in cell.printed
    assert "There are more rows than these 2." in str(alpine.shell.user_ns["found"])
    assert len((folder / "out.csv").read_text(encoding="utf-8").splitlines()) == 3
    alpine.good("%%sparql --export out.ttl\nDESCRIBE :Hut")
    assert "Hütte" in (folder / "out.ttl").read_text(encoding="utf-8")
    alpine.good("%%sparql --export out.json\nSELECT * { :Hut ?p ?o }")
    assert len(json.loads((folder / "out.json").read_text(encoding="utf-8"))["results"]["bindings"]) == 5


def test_a_malformed_query_is_shown_with_a_caret_below_the_place(alpine: Notebook) -> None:
    shown = lines(alpine("%%sparql\nSELECT ?a {\n  ?a a owl:Class ] }").error)
    assert "line 2, column" in shown
    [caret] = [line for line in shown.splitlines() if line.strip() == "^"]
    assert shown.splitlines()[shown.splitlines().index(caret) - 1].strip() == "?a a owl:Class ] }"
    assert "PREFIX" not in lines(alpine("%%sparql\nSELECT ?a { ?a a owl:Class ] }").error)


def test_prefixes_come_from_the_files_the_notebook_and_what_everybody_knows(alpine: Notebook) -> None:
    assert "%kg prefix hut IRI" in lines(alpine("%%sparql\nASK { hut:Hut a owl:Class }").error)
    table = alpine.good("%kg prefix hut http://huts.example/alpine#").value
    assert table.df()["prefix"].tolist()[0] == "hut:"
    assert bool(alpine.good("%%sparql\nASK { hut:Hut a owl:Class }").value)
    assert "is no absolute IRI" in lines(alpine("%kg prefix hut alpine").error)


def test_explain_shows_the_query_and_sends_nothing(alpine: Notebook) -> None:
    alpine.shell.user_ns["n"] = 3
    shown = alpine.good("%%sparql --explain\nSELECT * { ?a rdfs:label {{n}} }").value
    assert shown.startswith("PREFIX rdfs:") and "XMLSchema#integer" in shown


def test_one_named_graph_can_be_asked_alone(notebook: Notebook, folder: Path) -> None:
    (folder / "two.trig").write_text("<urn:g> { <urn:a> <urn:p> 1 } <urn:h> { <urn:a> <urn:p> 2 }")
    notebook.good("%kg open two.trig")
    assert len(notebook.good("%%sparql\nSELECT ?o { ?s ?p ?o }").value) == 2
    assert notebook.good("%%sparql --graph urn:h\nSELECT ?o WHERE { ?s ?p ?o }").value.df()["o"].tolist() == [2]
    assert notebook.good("%%sparql\nSELECT ?o FROM <urn:g> { ?s ?p ?o }").value.df()["o"].tolist() == [1]
    assert len(notebook.good("%%sparql --graph urn:g\nCONSTRUCT { ?s ?p ?o } { ?s ?p ?o }").value) == 1
    assert "IRI of a named graph" in lines(notebook("%%sparql --graph g\nASK { ?s ?p ?o }").error)


def test_options_of_graph_notebook_run_unchanged(alpine: Notebook, folder: Path) -> None:
    cell = alpine.good(
        "%%sparql query --store-to res --export-to res.csv --path /sparql -g type --expand-all -l 20 --silent\n"
        "SELECT ?c { ?c a owl:Class }"
    )
    assert cell.value is None and "without effect here: --path, -g, --expand-all, -l" in cell.printed
    assert len(alpine.shell.user_ns["res"]) == 4 and (folder / "res.csv").exists()
    assert alpine.good("%%sparql -s again\nASK { ?a ?b ?c }").value == alpine.shell.user_ns["again"]
    assert "SELECT" in alpine.good("%%sparql explain\nSELECT * { ?a ?b ?c }").value


def test_wrong_lines_say_what_is_wrong(alpine: Notebook) -> None:
    assert "Did you mean --limit?" in lines(alpine("%%sparql --limt 3\nASK { ?a ?b ?c }").error)
    assert "0 or more" in lines(alpine("%%sparql --limit -1\nASK { ?a ?b ?c }").error)
    assert "no graph called huts is open" in lines(alpine("%%sparql huts\nASK { ?a ?b ?c }").error)
    assert "no name for a Python variable" in lines(alpine("%%sparql --store 1x\nASK { ?a ?b ?c }").error)
    assert "no query" in lines(alpine("%sparql").error)
    assert "examples:" in alpine.good("%sparql --help").printed
    assert alpine.good("%sparql?").error is None


def test_a_time_limit_ends_even_a_query_that_yields_no_row(alpine: Notebook) -> None:
    begun = time.monotonic()
    assert "took longer than 0.2 s" in lines(alpine(f"%%sparql --timeout 0.2\n{SLOW}").error)
    assert time.monotonic() - begun < 20


def test_stop_ends_a_slow_query_and_what_was_asked_goes_on_unseen(alpine: Notebook) -> None:
    alpine.good("%%sparql --silent\nASK { ?a ?b ?c }")
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    cell = alpine(f"%%sparql --store never\n{SLOW}")
    timer.join()
    assert isinstance(cell.error, KeyboardInterrupt) and "never" not in alpine.shell.user_ns


def test_what_fails_in_the_thread_is_raised_where_one_waits() -> None:
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 / 0)
    assert interruptible(lambda: 3, timeout=5) == 3


def test_an_endpoint_is_connected_to_by_name_and_asked(notebook: Notebook, folder: Path) -> None:
    yes = Reply(body=b'{"head":{},"boolean":true}')
    stub = StubEndpoint(yes, Reply(body=solutions({"x": {"type": "uri", "value": HUT}})), Reply(503), yes)
    try:
        cell = notebook.good(f"%kg connect ours --url {stub.url}")
        assert "answered in" in cell.printed and "connected" in str(cell.value)
        assert notebook.good("%kg list").value.df()["triples"].isna().all()
        assert notebook.good("%%sparql\nSELECT ?x { ?x a owl:Class }").value.df()["x"].tolist() == [HUT]
        assert bool(notebook.good("%%sparql\nASK { ?x a owl:Class }").value)
        assert "open for reading only" in lines(notebook("%%sparql --update\nDELETE WHERE { ?a ?b ?c }").error)
    finally:
        stub.stop()


def test_a_dead_endpoint_fails_with_what_to_do(notebook: Notebook) -> None:
    shown = lines(notebook("%kg connect gone --url http://127.0.0.1:9/sparql").error)
    assert "cannot be reached" in shown and "check the address" in shown
    assert "described in kgnb.toml" in lines(notebook("%kg connect nowhere").error)
    assert "never written out" in lines(notebook("%kg connect x --url http://127.0.0.1:9/ --auth sk-12345678").error)


def test_the_schema_is_drawn(alpine: Notebook) -> None:
    picture = alpine.good("%kg schema").value
    assert "hut -- has warden --> warden" in str(picture) and "hut -- is a --> building" in str(picture)
    assert "2 classes more are not drawn: --classes 4" in str(alpine.good("%kg schema --classes 2").value)


def completions(notebook: Notebook, text: str) -> list[str]:
    with provisionalcompleter():
        return [one.text for one in notebook.shell.Completer.completions(text, len(text))]


def test_the_kernel_completes_in_a_query_and_on_its_first_line(alpine: Notebook) -> None:
    assert completions(alpine, "%%sparql\nSELECT * { ?x a hütt")[0] == ":Hut"
    assert completions(alpine, "%%sparql alpine --limit 3\nSELECT ?hut WHERE {\n ?h") == ["?hut"]
    assert "--limit" in completions(alpine, "%%sparql --li")
    assert not any(text.startswith(":") for text in completions(alpine, "hutt"))


def test_a_line_of_ours_completes_to_what_it_takes_and_to_nothing_of_python(alpine: Notebook) -> None:
    assert "--limit" in (found := completions(alpine, "%%sparql --")) and all(one[:2] == "--" for one in found)
    assert "open" in (found := completions(alpine, "%kg ")) and "and" not in found
    assert completions(alpine, "%kg use al")[0] == "alpine"
    found = completions(alpine, "checked = %om validate --")
    assert {"--judge", "--form"} <= set(found) and "abs" not in found
    assert "range" in completions(alpine, "x = ran")
    assert "alpine.ttl" in completions(alpine, "%kg open alp")  # files, still


def test_an_update_is_known_to_the_next_completion(alpine: Notebook) -> None:
    completions(alpine, "%%sparql\nSELECT * { ?x a hütt")
    alpine.good('%%sparql --update\nINSERT DATA { :Tent a owl:Class ; rdfs:label "marquee" }')
    assert completions(alpine, "%%sparql\nSELECT * { ?x a marq") == [":Tent"]
