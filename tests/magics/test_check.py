"""A learner's answer, checked; and what a beginner types before the magics are known."""

from typing import Any

from tests.magics.conftest import Notebook


def told(error: Any) -> str:
    return "\n".join(error._render_traceback_()) if error is not None else ""


def test_a_check_tells_what_is_off_in_a_line_and_never_its_own_code(notebook: Notebook) -> None:
    check = '%%check answer\nassert len(answer) == 2, f"two, not {len(answer)}"\nassert answer[0] == "secret"'
    for line, said in (
        ("pass", "Not yet: nothing is filled in yet: put your answer into the cell above, and run it"),
        ("answer = ...", "Not yet: nothing is filled in yet: put your answer into the cell above, and run it"),
        ("answer = ('a', '___')", "Not yet: nothing is filled in yet: put your answer into the cell above, and run it"),
        ("answer = 'a'", "Not yet: two, not 1"),
        ("answer = 3", "Not yet: answer is int, and cannot be looked at: object of type 'int' has no len()"),
        ("answer = ('secret', 2)", ""),
        ("answer = nobody", "Not yet: the cell that ran last ended in an error: mend it, and run it again"),
        ("answer = ['x', 2]", "Not yet: this answer is not right"),
    ):
        notebook(line)
        for _ in range(2):  # a check that is pressed again says the same
            assert told(notebook(check).error) == said, line


def test_a_misspelt_magic_and_a_query_without_one_are_told_what_is_missing(notebook: Notebook) -> None:
    assert "Did you mean %%sparql?" in told(notebook("%%sparkl\nASK {}").error)
    assert "%kgc?" in told(notebook("x = 1\n%kcg compile").error)
    for query in (
        "SELECT ?s { ?s ?p ?o }",
        "PREFIX a: <a:a>\nASK {}",
        "select (count(*) as ?n) {}",
        "CONSTRUCT { } {}",
    ):
        assert "Put %%sparql into a line above it." in told(notebook(query).error), query
    for python in ("select = {1: 2}", "select (3)", "ask = construct = 1", "%%time\nx = 1", "base = {1} < {2}"):
        assert "sparql" not in str(notebook(python).error), python


def test_a_variable_that_nothing_gives_a_value_is_named(notebook: Notebook) -> None:
    notebook.good('%%turtle huts\n@prefix : <http://huts.example/> .\n:a :name "A" .')
    for query in ("SELECT ?s ?nam { ?s :name ?name }", "CONSTRUCT { ?s :called ?nam } { ?s :name ?name }"):
        assert "?nam has no value: nothing in WHERE speaks of it." in str(notebook.good(f"%%sparql\n{query}").value)
    assert "no value" not in str(notebook.good("%%sparql\nSELECT (COUNT(?s) AS ?n) { ?s :name ?x }").value)
