import json
from pathlib import Path
from typing import Any

import pytest

from kgnb import magics
from kgnb.errors import ConfigError, DataError
from kgnb.llm.replay import MissingReply
from kgnb.magics.arguments import LineError
from kgnb.settings import Settings
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer
from tests.magics.conftest import Notebook

STAGES = ("retrieve", "store", "search", "summarise")


@pytest.mark.parametrize(
    "line",
    ["use m --key sk-1234567890abcdef", "use m --key=hunter22", "use m --kee sk-1234567890abcdef"],
)
def test_a_key_written_out_is_refused_and_never_echoed(notebook: Notebook, line: str) -> None:
    cell = notebook(f"%llm {line}")
    assert isinstance(cell.error, LineError)
    said = "\n".join(cell.error._render_traceback_()) + cell.printed + str(cell.error)
    assert "1234567890" not in said and "hunter22" not in said
    assert notebook.session.settings.model == ""


def test_a_key_is_named_by_its_variable_which_must_be_set(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = notebook("%llm use m --key env:KGNB_TEST_KEY").error
    assert isinstance(error, ConfigError) and "KGNB_TEST_KEY" in str(error)
    assert notebook.session.settings.model == ""
    monkeypatch.setenv("KGNB_TEST_KEY", "not-a-real-key")
    assert "not-a-real-key" not in notebook.good("%llm use m --key env:KGNB_TEST_KEY").printed
    assert notebook.session.settings.api_key().reveal() == "not-a-real-key"


def test_test_asks_the_model_and_cost_counts_it(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNB_TEST_KEY", "not-a-real-key")
    with StubServer(lambda body: "ready") as server:
        notebook.good(f"%llm use stub --base-url {server.url} --key env:KGNB_TEST_KEY")
        frame = notebook.good("%llm test").value.df().set_index("what")
        assert frame.loc["answer", "value"] == "ready"
        assert len(server.prompts) == 1
    costs = notebook.good("%llm cost").value.df()
    assert costs["calls"].tolist() == [1, 1]
    assert costs["usd"].tolist()[-1] == "price not known"
    shown = notebook.good("%llm cost").value
    assert "not-a-real-key" not in str(shown._repr_mimebundle_())
    assert all("not-a-real-key" not in str(run.to_json()) for run in notebook.session.runs)


def test_a_model_may_plan_a_match(notebook: Notebook) -> None:
    assert "needs a model" in str(notebook_error(notebook, "%om run --plan model"))
    views = ["syntactic", "lexical"]
    choice = {"kind": "class", "views": views, "k": 4, "define": False, "judge": "rule"}
    with StubServer(lambda body: json.dumps({"plans": [choice]})) as server:
        notebook.good(f"%llm use stub --base-url {server.url}")
        cell = notebook.good("%om run --plan model --judge rule")
    assert len(cell.value) == 6 and cell.said.startswith("run: 6 mappings")
    assert "class: syntactic, lexical, k 4" in str(cell.value)
    assert "mapped: hut" in str(notebook.good("%om explain Hut").value)


def notebook_error(notebook: Notebook, line: str) -> BaseException | None:
    if not notebook.session.tasks:
        notebook.good("%om start alpine.ttl refuge.ttl")
    return notebook(line).error


def test_a_stated_price_shows_in_costs_and_run(notebook: Notebook) -> None:
    with StubServer(lambda body: "ready") as server:
        notebook.good(f"%llm use stub --base-url {server.url} --price 500/1000")
        notebook.good("%llm test")
    table = notebook.good("%llm cost").value
    run = notebook.session.runs[-1]
    [call] = run.steps[-1].calls
    usd = (call.prompt_tokens * 500 + call.completion_tokens * 1000) / 1e6
    assert call.usd == pytest.approx(usd) and usd > 0
    assert table.df()["usd"].tolist() == [f"${usd:.4f}"] * 2
    assert "prices: 500/1000 US dollars per million tokens in/out of stub" in str(table)
    assert f"${usd:.4f}" in notebook.good("%run_view").value._repr_mimebundle_()["text/plain"]


def test_a_table_of_prices_is_shown_with_its_date_and_a_bad_price_is_refused(
    notebook: Notebook, folder: Path
) -> None:
    (folder / "prices.toml").write_text(
        'date = 2026-11-01\n[models."stub"]\nprompt = 2\ncompletion = 4\n'
    )
    with StubServer(lambda body: "ready") as server:
        notebook.good(f"%llm use stub --base-url {server.url} --prices prices.toml")
        notebook.good("%llm test")
    assert "prices: a table of 2026-11-01 (prices.toml)" in str(notebook.good("%llm cost").value)
    assert notebook.session.runs[-1].totals["usd"] > 0
    assert isinstance(notebook("%llm use stub --price cheap").error, ConfigError)
    assert isinstance(notebook("%llm use stub --prices missing.toml").error, DataError)


def test_a_colleague_replays_without_key_server_and_settings(
    notebook: Notebook, folder: Path, new_shell: Any
) -> None:
    with StubServer(oblige) as server:
        notebook.good("%om start alpine.ttl refuge.ttl")
        notebook.good(f"%llm use stub --base-url {server.url}")
        mine = notebook.good("%om run --judge model").value
    info = notebook.good("%llm cache").value.df().set_index("what")["count"]
    assert info["replies"] > 0
    assert (
        notebook.good("%llm cache export shared").value.df().set_index("what")["count"]["replies"]
        == info["replies"]
    )
    assert "no folder is named" in str(notebook("%llm cache export").error)

    shell = new_shell()
    magics.load(shell, Settings(embedder="characters", cache=folder / "theirs"))
    theirs = Notebook(shell)
    said = theirs.good("%llm replay shared").printed
    assert f"{info['replies']:,} new replies" in said and "stub at localhost:" in said
    theirs.good("%om start alpine.ttl refuge.ttl")
    same = theirs.good("%om run --judge model").value
    assert same.mappings == mine.mappings and len(same)
    run = theirs.matching.run
    assert run.totals["calls"] == run.totals["cached"] > 0 and run.totals["usd"] == 0.0
    theirs.good("%llm cost")
    error = theirs("%om run --judge model --context huts").error
    assert isinstance(error, MissingReply) and "no reply of stub (localhost:" in str(error)
    assert (
        "asked again for replies that are not in the cache"
        in theirs.good("%llm replay off").printed
    )
    assert theirs.session.settings.replay == "record"
    magics.unload(shell)


def test_a_budget_marks_what_is_shown_as_partial_and_a_raised_one_lets_it_go_on(
    notebook: Notebook,
) -> None:
    with StubServer(oblige) as server:
        notebook.good(f"%llm use stub --base-url {server.url} --price 900/900")
        notebook.good("%om start huts:alpine huts:refuge")
        for limit, said in (
            ("--calls 1", "1 model call"),
            ("--calls 0 --tokens 2000", "2000 tokens"),
        ):
            assert notebook.good(f"%llm budget {limit}").printed.startswith("budget of a run: ")
            asked = len(server.requests)
            cell = notebook.good("%om run --judge model")
            run = notebook.matching.run
            assert run.state == "limited" and run.partial.startswith(
                f"the budget of {said} is spent"
            )
            assert len(server.requests) - asked <= 2
            assert f"Partial: {run.partial}" in str(cell.value) and repr(cell.value).startswith(
                "<Alignment: partial: "
            )
            assert f"Partial: {run.partial}" in cell.value._repr_mimebundle_()["text/html"]
        notebook.good("%llm budget --tokens 0")
        notebook.good("%om start alpine.ttl refuge.ttl")
        notebook.good("%om run --judge model")
        assert notebook.matching.run.state == "done"
    assert "rules decide" in notebook.good("%llm off").printed
    assert notebook.session.model() is None and "%llm use MODEL" in notebook("%llm test").why


def test_waiting_for_a_batch_is_a_calm_line_and_is_answered_in_the_notebook(
    notebook: Notebook,
) -> None:
    start = "%om start alpine.ttl refuge.ttl --judge model\n%om run"
    notebook.good("%llm use batch:asked")
    cell = notebook(start)
    assert cell.error is None and "in asked (" in cell.printed
    assert "%llm batch show asked shows the first, %llm batch answer asked " in cell.printed
    shown = notebook.good("%llm batch show asked").printed
    assert "--- user" in shown
    assert "no_such" in notebook("%llm batch show asked --id no_such").why
    assert "the reply is missing" in notebook("%llm batch answer asked").why
    waiting = notebook.good("%llm batch status asked").value.df().set_index("what")["count"]
    after = notebook.good('%llm batch answer asked "{}"').value.df().set_index("what")["count"]
    assert after["answered"] == waiting["answered"] + 1
