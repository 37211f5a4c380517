import _thread
import json
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest
import rdflib
from IPython.core.completer import provisionalcompleter

from kgnb.magics.arguments import LineError
from kgnb.results.found import GraphUpdate, Rows, Triples
from kgnb.results.graph import GraphPicture
from tests.kg.stub_endpoint import Reply, StubEndpoint, solutions
from tests.magics.conftest import Notebook

HUT = "http://huts.example/alpine#Hut"
SLOW = (
    "SELECT (COUNT(*) AS ?n) "
    "{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p . ?q ?r ?s . ?t ?u ?v . ?w ?x ?y }"
)


@pytest.fixture
def alpine(notebook: Notebook) -> Notebook:
    notebook.good("%kg open alpine.ttl")
    return notebook


def test_every_form_of_query_gives_what_suits_it(alpine: Notebook) -> None:
    cell = alpine.good(
        "%%sparql\nSELECT ?label { :Hut rdfs:label ?label } ORDER BY DESC(lang(?label))"
    )
    assert isinstance(cell.value, Rows)
    assert [term.language for (term,) in cell.value.terms] == ["en", "de"]  # type: ignore[union-attr]
    assert "hut (en)" in str(cell.value) and cell.value.df()["label"].tolist() == ["hut", "Hütte"]
    assert bool(alpine.good("%%sparql\nASK { :Hut a owl:Class }").value) is True
    described = alpine.good("%%sparql\nDESCRIBE :Hut").value
    assert isinstance(described, Triples) and len(described) == 5
    made = alpine.good(
        "%%sparql\nCONSTRUCT { ?a rdfs:seeAlso ?b } WHERE { ?a rdfs:subClassOf ?b }"
    ).value
    assert "hut -- rdfs:seeAlso --> building" in str(made)
    assert alpine.good("%sparql SELECT ?x WHERE { ?x a owl:Class } LIMIT 3").value.df().shape == (
        3,
        1,
    )
    alpine.shell.user_ns["n"] = 3
    shown = alpine.good("%%sparql --explain\nSELECT * { ?a rdfs:label {{n}} }").value
    assert shown.startswith("PREFIX rdfs:") and "XMLSchema#integer" in shown  # not sent


def test_things_are_shown_by_their_labels_in_the_language_asked_for_and_kept_as_iris(
    alpine: Notebook,
) -> None:
    select = "SELECT ?c { ?c rdfs:subClassOf :Building }"
    assert (
        "hut" in (found := alpine.good(f"%%sparql\n{select}").value).text()
        and ":Hut" not in found.text()
    )
    assert found.df()["c"].tolist() == [HUT] and found.json()["rows"][0]["cells"] == [
        {"iri": HUT, "label": "hut"}
    ]
    assert "Hütte" in alpine.good(f"%%sparql --labels de\n{select}").value.text()
    assert ":Hut" in alpine.good(f"%%sparql --no-labels\n{select}").value.text()
    alpine.good(
        "%%sparql --update\n"
        "INSERT DATA { :h a :Hut, :Building ; :hasWarden :w . :w a :Warden . :b a :Building ; :hasWarden :w }"
    )
    drawn = alpine.good("%%sparql\nCONSTRUCT { ?a :hasWarden ?b } { ?a :hasWarden ?b }").value
    assert {node.label: node.kind for node in drawn.nodes} == {
        ":h": "hut",
        ":w": "warden",
        ":b": "building",
    }  # the rarer
    assert drawn.edges[0].label == "has warden"


def test_an_update_needs_its_word_and_says_what_it_changed(alpine: Notebook) -> None:
    text = "INSERT DATA { :Tent a owl:Class }"
    assert "%%sparql --update" in alpine(f"%%sparql\n{text}").why
    changed = alpine.good(f"%%sparql --update\n{text}").value
    assert isinstance(changed, GraphUpdate) and (changed.after or 0) - (changed.before or 0) == 1
    assert "changes nothing" in alpine("%%sparql --update\nASK { ?a ?b ?c }").why
    assert "LOAD would fetch" in alpine("%%sparql --update\nLOAD <file:///etc/passwd>").why


def test_values_of_the_notebook_are_quoted(alpine: Notebook) -> None:
    alpine.shell.user_ns |= {"name": 'hut" } # ', "hut": HUT}
    assert len(alpine.good("%%sparql\nSELECT * { ?a rdfs:label {{name}} }").value) == 0
    assert len(alpine.good("%%sparql\nSELECT * { <{{hut}}> rdfs:label ?l }").value) == 2
    bound = alpine.good(
        """%%sparql --bind "word='hut'"\nSELECT * { ?a ?b ?l FILTER(str(?l) = {{word}}) }"""
    )
    assert len(bound.value) == 1
    assert "there is no value for {{nobody}}" in alpine("%%sparql\nASK { ?a ?b {{nobody}} }").why
    assert "NAME=EXPRESSION" in alpine("%%sparql --bind word\nASK {}").why


def test_results_are_kept_written_and_limited(alpine: Notebook, folder: Path) -> None:
    cell = alpine.good(
        "%%sparql --limit 2 --store found --export out.csv --silent\nSELECT * { ?s ?p ?o }"
    )
    assert cell.value is None and "out.csv: wrote 2 rows" in cell.printed
    assert "There are more rows than these 2; a higher limit fetches more." in str(
        alpine.shell.user_ns["found"]
    )
    assert len((folder / "out.csv").read_text(encoding="utf-8").splitlines()) == 3
    alpine.good("%%sparql --export out.ttl\nDESCRIBE :Hut")
    assert "Hütte" in (folder / "out.ttl").read_text(encoding="utf-8")
    alpine.good("%%sparql --export out.json\nSELECT * { :Hut ?p ?o }")
    assert (
        len(json.loads((folder / "out.json").read_text(encoding="utf-8"))["results"]["bindings"])
        == 5
    )


def test_the_caret_of_an_error_stands_below_the_fault_not_where_its_triple_begins(
    alpine: Notebook,
) -> None:
    for query, at in (
        ("SELECT ?h { ?h a Hütte }", "Hütte"),
        ("SELECT ?h { ?h a ':Hut }", "':Hut"),
        ("SELECT ?h {\n ?h a :Hut .\n ?h :p ]\n}", "]"),
        ("SELECT ?h {\n ?h :p ?x .\n FILTER(?x > )\n}", ")"),
    ):
        said = alpine(f"%%sparql\n{query}").why
        shown = said.splitlines()
        [caret] = [number for number, line in enumerate(shown) if line.strip() == "^"]
        assert shown[caret - 1][shown[caret].index("^") :].startswith(at)
        assert (
            "PREFIX" not in said
            and f"line {query[: query.rindex(at)].count(chr(10)) + 1}, column" in said
        )


def test_an_empty_answer_says_what_the_query_names_that_the_graph_does_not_have(
    alpine: Notebook,
) -> None:
    assert "There is no class :Hutt in this graph; did you mean :Hut?" in str(
        alpine.good("%%sparql\nSELECT ?s { ?s a :Hutt }").value
    )
    said = str(
        alpine.good(
            "%%sparql\nCONSTRUCT WHERE { ?s <http://huts.example/alpine#hasWardn> ?o }"
        ).value
    )
    assert "no property :hasWardn" in said and "did you mean :hasWarden?" in said
    assert "did you mean :Hut?" in alpine.good("%%sparql\nASK { ?s a :Hutt }").printed
    assert "did you mean" not in str(
        alpine.good("%%sparql\nSELECT ?s { ?s a :Hut }").value
    )  # spelt well: just none
    assert "did you mean :Hut?" in str(
        alpine.good("%%sparql\nSELECT (COUNT(?s) AS ?n) { ?s a :Hutt }").value
    )
    made = "PREFIX my: <http://x.example/> CONSTRUCT { ?s a my:New } WHERE { ?s a :Hutt }"
    assert alpine.good(f"%%sparql\n{made}").value.notes == (
        "There is no class :Hutt in this graph; did you mean :Hut?",
    )


def test_the_controls_of_a_query_run_it(alpine: Notebook) -> None:
    assert (
        alpine.good("%%sparql --form\nASK { ?s ?p ?o }").value.answer is True
    )  # nobody is there to press a button
    magics = alpine.shell.magics_manager.registry["SparqlMagics"]
    form = magics.form(
        magics.verbs["sparql"], {"limit": 2, "store": "kept"}, "SELECT * { ?s ?p ?o }"
    )
    assert form.line.splitlines()[0].startswith("%%sparql ") and "--limit 2" in form.line
    form.run()
    assert len(alpine.shell.user_ns["kept"]) == 2


def test_prefixes_come_from_the_files_the_notebook_and_what_everybody_knows(
    alpine: Notebook,
) -> None:
    assert "%kg prefix hut: IRI" in alpine("%%sparql\nASK { hut:Hut a owl:Class }").why
    table = alpine.good("%kg prefix hut http://huts.example/alpine#").value
    assert table.df()["prefix"].tolist()[0] == "hut:"
    assert bool(alpine.good("%%sparql\nASK { hut:Hut a owl:Class }").value)
    assert "is not an absolute IRI" in alpine("%kg prefix hut alpine").why


def test_one_named_graph_can_be_asked_alone(notebook: Notebook, folder: Path) -> None:
    (folder / "two.trig").write_text("<urn:g> { <urn:a> <urn:p> 1 } <urn:h> { <urn:a> <urn:p> 2 }")
    notebook.good("%kg open two.trig")
    assert len(notebook.good("%%sparql\nSELECT ?o { ?s ?p ?o }").value) == 2
    assert notebook.good("%%sparql --graph urn:h\nSELECT ?o WHERE { ?s ?p ?o }").value.df()[
        "o"
    ].tolist() == [2]
    assert notebook.good("%%sparql\nSELECT ?o FROM <urn:g> { ?s ?p ?o }").value.df()[
        "o"
    ].tolist() == [1]
    assert (
        len(notebook.good("%%sparql --graph urn:g\nCONSTRUCT { ?s ?p ?o } { ?s ?p ?o }").value) == 1
    )
    assert "no graph called g is open" in notebook("%%sparql --graph g\nASK { ?s ?p ?o }").why


@pytest.mark.parametrize("option", ["-g alpine", "--graph alpine", "--graph=alpine", "alpine"])
def test_an_open_graph_is_asked_by_its_name_however_it_is_given(
    alpine: Notebook, option: str
) -> None:
    alpine.good("%kg open refuge.ttl")  # the current one
    query = "SELECT ?c { ?c a owl:Class }"
    cell = alpine.good(f"%%sparql {option}\n{query}")
    assert len(cell.value) == 4 and "without effect" not in cell.printed
    assert alpine.good(f"%kg info {option}").value.caption.startswith("alpine")
    assert str(cell.value.df()) != str(alpine.good(f"%%sparql\n{query}").value.df())


def test_options_of_graph_notebook_run_unchanged(alpine: Notebook, folder: Path) -> None:
    cell = alpine.good(
        "%%sparql query --store-to res --export-to res.csv --path /sparql --group-by type --expand-all -l 20 --silent"
        " --ignore-groups -ct -gr\n"
        "SELECT ?c { ?c a owl:Class }"
    )
    assert (
        cell.value is None
        and "without effect here: --path, --group-by, --expand-all, -l, --ignore-groups, -ct, -gr"
        in cell.printed
    )
    assert len(alpine.shell.user_ns["res"]) == 4 and (folder / "res.csv").exists()
    assert alpine.good("%%sparql -s again\nASK { ?a ?b ?c }").value == alpine.shell.user_ns["again"]
    assert "SELECT" in alpine.good("%%sparql explain\nSELECT * { ?a ?b ?c }").value


def test_wrong_lines_say_what_is_wrong(alpine: Notebook) -> None:
    assert "Did you mean --limit?" in alpine("%%sparql --limt 3\nASK { ?a ?b ?c }").why
    assert "0 or more" in alpine("%%sparql --limit -1\nASK { ?a ?b ?c }").why
    for named in (
        "%%sparql huts\n",
        "%%sparql -g huts\n",
        "%%sparql --graph huts\n",
        "%sparql -g huts ",
    ):
        assert "no graph called huts is open" in alpine(named + "ASK { ?a ?b ?c }").why
    assert (
        "not a valid name for a Python variable"
        in alpine("%%sparql --store 1x\nASK { ?a ?b ?c }").why
    )
    for misspelt in ("%sparql SELEKT ?x WHERE { ?x a ?y }", "%%sparql\nSELEKT ?x { ?x a ?y }"):
        assert "was found where 'SELEKT' stands" in alpine(misspelt).why
    empty = alpine("%sparql")
    assert "the query is missing" in empty.why and "examples:" not in empty.printed
    assert "examples:" in alpine.good("%sparql --help").printed
    assert alpine.good("%sparql?").error is None


def gone() -> bool:
    """Whether no query is at work: waits until its thread has ended, which it never did before it
    could be killed.
    """
    for thread in threading.enumerate():
        if thread.name == "kgnb query":
            thread.join(60)  # it ends with its process, which it waits for
    return not any(thread.name == "kgnb query" for thread in threading.enumerate())


def stop_waiting(over: threading.Event) -> None:
    """Interrupts the main thread while it waits for a query: sooner, it would be this test that
    ended.

    Again after a second, as a person would: Python drops an interrupt that comes while a finaliser
    runs.
    """
    main = threading.main_thread().ident
    while not over.wait(0.01):
        frame, names = sys._current_frames()[main], []  # type: ignore[index]
        while frame is not None:
            names.append(frame.f_code.co_name)
            frame = frame.f_back
        if ("wait", "interruptible") in pairwise(names):
            _thread.interrupt_main()
            over.wait(1)


@pytest.mark.parametrize("store", ["oxigraph", "rdflib"])
def test_a_time_limit_ends_even_a_query_that_yields_no_row(alpine: Notebook, store: str) -> None:
    if store == "rdflib":
        alpine.shell.user_ns["g"] = rdflib.Graph().parse("alpine.ttl")
        alpine.good("%kg open {{g}} --as g")
    assert "took longer than 0.2 s" in alpine(f"%%sparql --timeout 0.2\n{SLOW}").why
    assert gone()


def test_stop_ends_a_slow_query_its_process_and_its_thread_and_prints_one_line(
    alpine: Notebook,
) -> None:
    alpine.good("%%sparql --silent\nASK { ?a ?b ?c }")
    over = threading.Event()
    stopping = threading.Thread(target=stop_waiting, args=(over,))
    stopping.start()
    cell = alpine(f"%%sparql --store never\n{SLOW}")
    over.set()
    stopping.join()
    assert isinstance(cell.error, KeyboardInterrupt) and "never" not in alpine.shell.user_ns
    assert cell.error._render_traceback_() == ["Stopped: you interrupted %sparql."]  # type: ignore[attr-defined]
    assert gone()


def test_a_constructed_graph_is_opened_and_asked_in_the_next_cell(alpine: Notebook) -> None:
    made = alpine.good(
        "%%sparql --store g\nCONSTRUCT { ?a rdfs:seeAlso ?b } { ?a rdfs:subClassOf ?b }"
    ).value
    alpine.good("%kg open {{g}} --as made")
    assert alpine.good("%kg list").value.df()["origin"].tolist() == ["alpine.ttl", "the notebook"]
    assert bool(
        alpine.good("%%sparql\nASK { :Hut rdfs:seeAlso :Building }").value
    )  # with the prefixes of the first
    assert made.graph().count() == len(made.rdflib()) == 1
    assert "Did you mean alpine.ttl?" in alpine("%kg open alpin.ttl").why
    assert "Did you mean huts:graph?" in alpine("%kg open huts:graf").why
    assert "Did you mean %kg open {{g}} --as g?" in alpine("%kg open g").why
    assert "cannot be combined" in alpine("%kg open {{g}} alpine.ttl").why
    alpine.shell.user_ns["n"] = 3
    assert "a value of type int is not a graph" in alpine("%kg open {{n}}").why


def test_an_endpoint_is_connected_to_by_name_and_asked(notebook: Notebook, folder: Path) -> None:
    yes = Reply(body=b'{"head":{},"boolean":true}')
    stub = StubEndpoint(
        yes, Reply(body=solutions({"x": {"type": "uri", "value": HUT}})), Reply(503), yes
    )
    try:
        cell = notebook.good(f"%kg connect {stub.url}")  # as everybody types it first
        assert "answered in" in cell.printed and "connected" in str(cell.value)
        assert "not counted" in cell.value.table().text()  # a blank count would look like none
        assert notebook.good("%kg list").value.df()["triples"].isna().all()
        assert notebook.good("%%sparql\nSELECT ?x { ?x a owl:Class }").value.df()["x"].tolist() == [
            HUT
        ]
        assert bool(notebook.good("%%sparql\nASK { ?x a owl:Class }").value)
        assert (
            "open for reading only" in notebook("%%sparql --update\nDELETE WHERE { ?a ?b ?c }").why
        )
    finally:
        stub.stop()


def test_a_dead_endpoint_fails_with_what_to_do(notebook: Notebook) -> None:
    shown = notebook("%kg connect gone --url http://127.0.0.1:9/sparql").why
    assert "cannot be reached" in shown and "check the address" in shown
    assert "kgnb.toml does not describe" in notebook("%kg connect nowhere").why
    assert "env:NAME" in notebook("%kg connect x --url http://127.0.0.1:9/ --auth sk-12345678").why


def completions(notebook: Notebook, text: str) -> list[str]:
    with provisionalcompleter():
        return [one.text for one in notebook.shell.Completer.completions(text, len(text))]


def test_the_kernel_completes_in_a_query_and_on_its_first_line(alpine: Notebook) -> None:
    assert completions(alpine, "%%sparql\nSELECT * { ?x a hütt")[0] == ":Hut"
    assert completions(alpine, "%%sparql alpine --limit 3\nSELECT ?hut WHERE {\n ?h") == ["?hut"]
    assert "--limit" in completions(alpine, "%%sparql --li")
    assert not any(text.startswith(":") for text in completions(alpine, "hutt"))


def test_a_line_of_ours_completes_to_what_it_takes_and_to_nothing_of_python(
    alpine: Notebook,
) -> None:
    assert "--limit" in (found := completions(alpine, "%%sparql --")) and all(
        one[:2] == "--" for one in found
    )
    assert "open" in (found := completions(alpine, "%kg ")) and "and" not in found
    assert completions(alpine, "%kg use al")[0] == "alpine"
    found = completions(alpine, "checked = %om validate --")
    assert {"--judge", "--form"} <= set(found) and "abs" not in found
    assert "range" in completions(alpine, "x = ran")
    assert completions(alpine, "%kg open alpi") == ["alpine.ttl"]


def test_paths_complete_in_every_verb_and_spaces_are_quoted(alpine: Notebook) -> None:
    Path("mine", "two words").mkdir(parents=True)
    for name in ("mine/onto.ttl", "mine/.hidden", "mine/two words/a.csv"):
        Path(name).touch()
    inside = ["mine/onto.ttl", '"mine/two words/']
    assert sorted(completions(alpine, "%om start mine/"), reverse=True) == inside
    assert completions(alpine, "%om start alpine mine/o") == ["mine/onto.ttl"]
    assert completions(alpine, '%ea start "mine/two words/') == ['mine/two words/a.csv"']
    assert completions(alpine, "%kg open mine/.h") == ["mine/.hidden"]
    for line in (
        "%kg open",
        "%om export",
        "x = %kgc instantiate",
        "%%sparql --export",
        "%llm batch show",
    ):
        assert completions(alpine, f"{line} min") == ["mine/"], line
    assert completions(alpine, "%kg open nowhere/x") == ["nowhere/x"]  # nothing of Python's
    assert completions(alpine, "%%sparql --graph al")[0] == "alpine"
    assert completions(alpine, "%report entity") == ["entity-alignment"]
    alpine.good("%om start alpine.ttl refuge.ttl")
    assert completions(alpine, "%om explain war") == ["Warden"]


def test_help_of_a_cell_magic_is_whole_however_it_is_asked(alpine: Notebook) -> None:
    asked = alpine.good("%%sparql --help").printed
    assert asked == alpine.good("%sparql --help").printed and "--timeout SECONDS" in asked
    assert asked.strip() in alpine.shell.magics_manager.magics["cell"]["sparql"].__doc__
    error = alpine("%%sparql").error
    assert isinstance(error, LineError) and "Write it below %%sparql" in error.fix


def test_individuals_and_our_data_sets_are_offered_by_how_they_begin(alpine: Notebook) -> None:
    alpine.good(
        '%%sparql --update\nINSERT DATA { :h1 a :Hut ; rdfs:label "Lärchgrund Hut"@en, "Mélèze"@fr }'
    )
    assert completions(alpine, "%%sparql\nSELECT * { ?x :hasWarden mele") == [":h1"]
    assert ":h1" in completions(alpine, "%%sparql\nSELECT * { ?x :hasWarden larchg")
    assert ":h1" not in completions(
        alpine, "%%sparql\nSELECT * { ?x a larchg"
    )  # a class is wanted there
    assert "huts:graph" in completions(alpine, "%kg open huts:gr")
    alpine.good('%%sparql --update\nINSERT DATA { :Tent a owl:Class ; rdfs:label "marquee" }')
    assert completions(alpine, "%%sparql\nSELECT * { ?x a marq") == [
        ":Tent"
    ]  # an update is known to the next one


def test_rows_are_shown_as_a_chart_or_as_a_picture_of_their_links(alpine: Notebook) -> None:
    counted = "SELECT ?kind (COUNT(?x) AS ?n) { ?x a ?kind } GROUP BY ?kind"
    cell = alpine.good(f"%%sparql --plot\n{counted}")
    assert cell.value.text() == "Chart: n by kind" and "owl:Class" in cell.said  # below the table
    linked = "SELECT ?below ?above { ?below rdfs:subClassOf ?above }"
    picture = alpine.good(f"%%sparql --plot --silent\n{linked}").value
    assert isinstance(picture, GraphPicture) and picture.text().endswith("hut --> building")
    three = "SELECT ?a ?p ?b { ?a ?p ?b . ?b a owl:Class }"
    assert "subClassOf" in alpine.good(f"x = %sparql {three}\nx.picture()").value.text()
    error = alpine(f"%%sparql --plot bar\n{linked}").error
    assert isinstance(error, LineError) and "bars names and a number" in str(error)
