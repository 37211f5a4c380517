"""A learner's answer, checked; and what a beginner types before the magics are known."""

from tests.magics.conftest import Notebook


def test_a_check_tells_what_is_off_in_a_line_and_never_its_own_code(notebook: Notebook) -> None:
    check = '%%check answer\nassert len(answer) == 2, f"two, not {len(answer)}"\nassert answer[0] == "secret"'
    for line, said in (
        ("pass", "Not yet: the answer is missing"),
        ("answer = ...", "Not yet: the answer is missing"),
        ("answer = ('a', '___')", "Not yet: the answer is missing"),
        ("answer = 'a'", "Not yet: two, not 1"),
        (
            "answer = 3",
            "Not yet: answer is of type int, and cannot be checked: object of type 'int' has no len()",
        ),
        ("answer = ('secret', 2)", ""),
        ("answer = nobody", "Not yet: the last cell you ran ended in an error"),
        ("answer = ['x', 2]", "Not yet: this answer is not correct"),
    ):
        notebook(line)
        for _ in range(2):  # a check that is pressed again says the same
            assert notebook(check).why.partition(": write")[0].partition(": fix")[0] == said, line


def test_a_misspelt_magic_and_a_query_without_one_are_told_what_is_missing(
    notebook: Notebook,
) -> None:
    assert "Did you mean %%sparql?" in notebook("%%sparkl\nASK {}").why
    assert "%kgc?" in notebook("x = 1\n%kcg compile").why
    for query in (
        "SELECT ?s { ?s ?p ?o }",
        "PREFIX a: <a:a>\nASK {}",
        "select (count(*) as ?n) {}",
        "CONSTRUCT { } {}",
    ):
        assert "Put %%sparql in a line above it." in notebook(query).why, query
    for python in (
        "select = {1: 2}",
        "select (3)",
        "ask = construct = 1",
        "%%time\nx = 1",
        "base = {1} < {2}",
    ):
        assert "sparql" not in str(notebook(python).error), python


def test_a_variable_that_nothing_gives_a_value_is_named(notebook: Notebook) -> None:
    notebook.good('%%turtle huts\n@prefix : <http://huts.example/> .\n:a :name "A" .')
    for query in (
        "SELECT ?s ?nam { ?s :name ?name }",
        "CONSTRUCT { ?s :called ?nam } { ?s :name ?name }",
    ):
        assert "?nam has no value: WHERE does not mention it." in str(
            notebook.good(f"%%sparql\n{query}").value
        )
    assert "no value" not in str(
        notebook.good("%%sparql\nSELECT (COUNT(?s) AS ?n) { ?s :name ?x }").value
    )
