from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.agent import Agent
from kgnb.agents.known import our_agents
from kgnb.errors import DataError
from kgnb.reporting.ontology_matching import run_cases
from kgnb.reporting.parameters import (
    NOT_SWEPT,
    ReportParameter,
    assignments,
    check,
    chosen_options,
    looks_secret,
    read_parameters,
)
from kgnb.reporting.report import find_template, run_report
from kgnb.reporting.session import ReportSession
from kgnb.settings import Settings

REPORT_OF = {
    "ontology_matching": "ontology-matching",
    "question_answering": "question-answering",
    "entity_alignment": "entity-alignment",
    "kg_construction": "kg-construction",
}

CELL = """
from typing import Literal

dataset: Literal["huts", "oaei-anatomy"] = "huts"  # which benchmark
k: int = 10  # candidates per entity and view [1, 50]
# a long story
# continued here
similarity: float | None = None
deep: bool = False  # go deep
context: str = ""
"""


def notebook(source: str) -> nbformat.NotebookNode:
    cell = nbformat.v4.new_code_cell(source)
    cell.metadata["tags"] = ["parameters"]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("hello"), cell])


PARAMETERS = read_parameters(notebook(CELL), "report.ipynb")


def test_a_cell_becomes_parameters_that_read_typed_text_and_values_of_the_right_type():
    expected = (
        ReportParameter(
            "dataset", str, "huts", "which benchmark", choices=("huts", "oaei-anatomy")
        ),
        ReportParameter("k", int, 10, "candidates per entity and view", least=1.0, most=50.0),
        ReportParameter("similarity", float, None, "a long story continued here", optional=True),
        ReportParameter("deep", bool, False, "go deep"),
        ReportParameter("context", str, "", ""),
    )
    assert expected == PARAMETERS
    assert read_parameters(nbformat.v4.new_notebook(), "x") == ()
    typed = {
        "k": "3",
        "similarity": "0.5",
        "deep": "yes",
        "dataset": "oaei-anatomy",
        "context": "x=y",
    }
    values = check(PARAMETERS, typed)
    assert values == {
        "dataset": "oaei-anatomy",
        "k": 3,
        "similarity": 0.5,
        "deep": True,
        "context": "x=y",
    }
    values = check(PARAMETERS, {"k": 3, "similarity": 1, "deep": True})
    assert (values["k"], values["similarity"], values["deep"]) == (3, 1.0, True)
    assert isinstance(values["similarity"], float)
    assert check(PARAMETERS, {"similarity": "none"})["similarity"] is None


REFUSED = [
    ("k", "ten", "a whole number from 1 to 50"),
    ("k", "0", "a whole number from 1 to 50"),
    ("k", "51", "a whole number from 1 to 50"),
    ("k", "3.5", "a whole number"),
    ("k", True, "a whole number"),
    ("k", "none", "'none' is not allowed"),
    ("similarity", "nan", "a number or none"),
    ("similarity", "inf", "a number or none"),
    ("deep", "maybe", "true or false"),
    ("deep", 1, "true or false"),
    ("dataset", "oaei-anatomi", "did you mean oaei-anatomy"),
    ("context", 7, "text"),
    ("contxt", "x", r"no parameter 'contxt' \(did you mean context\?\)"),
    ("context", "https://me:hunter2@example.org/sparql", "contains a password"),
]


def test_a_value_that_is_not_allowed_is_refused_with_what_is_and_without_its_password():
    for name, value, said in REFUSED:
        with pytest.raises(ValueError, match=said) as caught:
            check(PARAMETERS, {name: value})
        assert "hunter2" not in str(caught.value)


def test_nothing_of_ours_stands_beside_an_ontology_of_ones_own() -> None:
    known = find_template("kg-construction").parameters
    ours = check(known, {"judge": "rule"})
    assert (ours["reference"], ours["against"]) == ("huts:kitchen-reference", "huts:pantry")
    own = check(known, {"tbox": "tools.ttl", "documents": "notes"})
    found = [own[name] for name in ("tbox", "documents", "shapes", "reference", "against")]
    assert found == ["tools.ttl", "notes", "", "", ""]
    chosen = check(known, {"tbox": "tools.ttl", "reference": "huts:kitchen-reference"})
    assert chosen["reference"] == "huts:kitchen-reference"


def test_names_that_look_secret_are_refused_and_similar_ones_are_not():
    for name in (
        "api_key",
        "key",
        "TOKEN",
        "hf_token",
        "userPassword",
        "client-secret",
        "OPENAI_API_KEY",
    ):
        with pytest.raises(ValueError, match="env:NAME"):
            check(PARAMETERS, {name: "sk-123"})
    assert not any(
        map(looks_secret, ("max_tokens", "keyboard", "monkey", "k", "secretary", "tokens"))
    )


def test_a_bad_parameters_cell_is_named_by_line():
    for source, said in (
        ("for k in (): pass", "report.ipynb:1: a parameter is written as"),
        ("k: list[int] = [3]", "cannot have the type list"),
        ("k: int = 'x'", "the default of k is not allowed"),
        ("k: int = max(1, 2)", "the default of k is not allowed"),
        ("k: int = 60  # [1, 50]", "the default of k is not allowed"),
        ("\napi_key: str = ''", "report.ipynb:2: parameter api_key looks like a secret"),
        ("k: int = (", "the parameters cell is not valid Python"),
    ):
        with pytest.raises(DataError, match=said):
            read_parameters(notebook(source), "report.ipynb")


@given(
    st.fixed_dictionaries(
        {
            "k": st.integers(1, 50),
            "similarity": st.none() | st.floats(allow_nan=False, allow_infinity=False),
            "deep": st.booleans(),
            "context": st.text().map(str.strip).filter(lambda text: "://" not in text),
        }
    )
)
def test_values_survive_being_typed_and_read(values):
    typed = dict(assignment.split("=", 1) for assignment in assignments(values))
    assert check(PARAMETERS, typed) == {"dataset": "huts"} | values


@pytest.mark.parametrize("agent", our_agents(), ids=lambda agent: agent.name)
def test_every_option_of_an_agent_is_a_parameter_of_its_report(agent: Agent) -> None:
    template = find_template(REPORT_OF[agent.name])
    names = {one.name for one in template.parameters}
    assert {one.name for one in agent.knobs()} - names <= {*NOT_SWEPT}
    assert len(names) == len(template.parameters)


def test_an_option_of_the_agent_reaches_the_agent(tmp_path: Path) -> None:
    settings = Settings(embedder="characters", cache=tmp_path)
    session = ReportSession(tmp_path, settings)
    strict = {"confidence": 0.99, "one_sided": 1.0}
    plain, few = (run_cases(session=session, options=given) for given in ({}, strict))
    assert len(few.outcomes[0].alignment) < len(plain.outcomes[0].alignment)
    assert few.options.confidence == 0.99
    variables = {"keep": 3, "most": 500, "questions": "", "tools": "paper"}
    assert chosen_options("question_answering", variables) == {"keep": 3, "tools": "paper"}


UNTYPED = """
'''what it is about'''
alpha = 0.6  # how strong
rounds = 3
name = "huts"
on = True
nothing = None
columns = ["a", "b"]
place = str(1 + 1)
"""


def test_a_notebook_made_for_papermill_runs_without_types(tmp_path: Path) -> None:
    found = {one.name: one for one in read_parameters(notebook(UNTYPED), "x.ipynb")}
    assert list(found) == ["alpha", "rounds", "name", "on", "nothing"]
    assert [one.kind for one in found.values()] == [float, int, str, bool, str]
    assert found["alpha"].help == "how strong" and found["nothing"].optional
    made = notebook(UNTYPED)
    made.cells.append(nbformat.v4.new_code_cell("assert (rounds, columns) == (5, ['a', 'b'])"))
    nbformat.write(made, tmp_path / "plain.ipynb")
    settings = Settings(cache=tmp_path / "cache")
    out = run_report(str(tmp_path / "plain.ipynb"), {"rounds": "5"}, tmp_path / "out", settings)
    assert out.html.is_file()
    with pytest.raises(ValueError, match="parameter rounds: 'x' is not allowed"):
        check(tuple(found.values()), {"rounds": "x"})


def test_what_is_no_single_assignment_stays_in_a_papermill_notebook_as_it_is() -> None:
    source = "low, high = 1, 9\nx = y = 'z'\nprint(low)\nbuoys = 3  # how many"
    (found,) = read_parameters(notebook(source), "report.ipynb")
    assert (found.name, found.default, found.help) == ("buoys", 3, "how many")
