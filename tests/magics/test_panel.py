"""What the panel is told: plain JSON of the session, without secrets; and the stages it lists are
those there are.
"""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import kgnb
from kgnb.kg.columns import TABLE_SUFFIXES
from kgnb.kg.converting import SPREADSHEETS
from kgnb.kg.loading import FOREIGN_SUFFIXES, SUFFIXES
from kgnb.magics import completing, families, load, panel, unload
from kgnb.magics.session import NamedGraph
from kgnb.run import Run
from kgnb.settings import Settings

from .conftest import Notebook

STAGES = Path(__file__).parents[2] / "extension" / "src" / "stages.json"
COMMANDS = STAGES.parent / "commands.ts"
START = "%om start alpine.ttl refuge.ttl --judge rule"


def asked(notebook: Notebook, **question: Any) -> dict[str, Any]:
    """What the panel is answered, after a trip through JSON."""
    told: dict[str, Any] = json.loads(
        json.dumps(panel.answer(notebook.session, question), allow_nan=False)
    )
    return told


def stages_of(told: dict[str, Any], agent: str) -> dict[str, Any]:
    (found,) = [one for one in told["agents"] if one["name"] == agent]
    return {stage["name"]: stage for stage in found["stages"]}


def test_the_state_lists_open_graphs_with_their_counts_and_at_first_nothing(
    notebook: Notebook,
) -> None:
    told = asked(notebook, ask="state")
    assert told["version"] == 1 and told["connections"] == told["runs"] == told["saved"] == []
    assert [one["name"] for one in told["agents"]] == list(panel.stages_of())
    assert all(one["stages"] == one["reviews"] == [] for one in told["agents"])
    notebook.good("%kg open alpine.ttl\n%kg open refuge.ttl")
    told = asked(notebook, ask="state")["connections"]
    shown = [(one["name"], one["current"], one["remote"]) for one in told]
    assert shown == [("alpine", False, False), ("refuge", True, False)] and all(
        one["triples"] > 10 for one in told
    )
    assert asked(notebook, ask="health", name="alpine")["answers"] is True


def test_an_open_graph_tells_what_it_holds_and_each_name_brings_a_query_that_runs(
    notebook: Notebook,
) -> None:
    notebook.good("%kg open huts:graph")
    told = asked(notebook, ask="state")["connections"][0]
    for _ in range(50):
        if told["holds"] is not None:
            break
        notebook.session.graphs["graph"].reading.join(1)
        told = asked(notebook, ask="state")["connections"][0]
    held = told["holds"]
    assert len(held["classes"]) == told["classes"] and len(held["properties"]) == told["properties"]
    for kind in ("classes", "properties"):
        counts = [one["count"] for one in held[kind]]
        assert counts == sorted(counts, reverse=True) and counts[0] > 0
        assert len(notebook.good(held[kind][0]["query"]).value) == min(100, counts[0])
    (warden,) = [one for one in held["properties"] if one["name"] == "warden"]
    assert (
        warden["query"].splitlines()[1] == "SELECT ?from ?to WHERE { ?from :warden ?to } LIMIT 100"
    )
    notebook.good("%kg open alpine.ttl")
    told = asked(notebook, ask="state")["connections"][
        0
    ]  # no longer the current one: the query names it
    assert told["holds"]["classes"][0]["query"].startswith("%%sparql graph\n")


def test_every_class_of_a_large_ontology_is_counted_and_found(
    notebook: Notebook, tmp_path: Path
) -> None:
    head = "@prefix : <http://parts.example/#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
    names = [f":Part{number} a owl:Class ." for number in range(3456)]
    (tmp_path / "parts.ttl").write_text(head + "\n".join(names), encoding="utf-8")
    notebook.good(f"%kg open {tmp_path / 'parts.ttl'}")
    asked(notebook, ask="state")
    notebook.session.graphs["parts"].reading.join(30)
    assert asked(notebook, ask="state")["connections"][0]["classes"] == 3456
    (last,) = asked(notebook, ask="terms", name="parts", kind="classes", search="part3455")["terms"]
    assert last["name"].lower().replace(" ", "") == "part3455"


def test_the_last_queries_of_a_graph_are_listed_each_once_and_run_again(
    notebook: Notebook,
) -> None:
    notebook.good("%kg open alpine.ttl\n%kg open refuge.ttl")
    queries = [f"SELECT * {{ ?s ?p ?o }} LIMIT {number}" for number in range(12)]
    for query in [*queries, queries[5]]:
        notebook.good(f"%%sparql alpine\n{query}")
    notebook("%%sparql alpine\nSELECT nonsense")
    alpine, refuge = asked(notebook, ask="state")["connections"]
    assert refuge["queries"] == [] and len(alpine["queries"]) == panel.MOST_QUERIES
    again = [queries[5], *reversed(queries[6:]), *reversed(queries[2:5])][: panel.MOST_QUERIES]
    assert alpine["queries"] == [f"%%sparql alpine\n{query}" for query in again]
    assert len(notebook.good(alpine["queries"][0]).value) == 5


def test_a_graph_that_is_built_is_open_with_its_labels_as_it_grows(notebook: Notebook) -> None:
    notebook.good("%kgc compile huts:kitchen --shapes huts:kitchen-shapes")
    assert asked(notebook, ask="state")["connections"] == []
    built = notebook.good("%kgc instantiate huts:kitchen-notes --judge rule").value
    (told,) = asked(notebook, ask="state")["connections"]
    facts = built.counts()["facts"]
    assert told["name"] == "built" and told["current"]
    assert told["origin"] == f"%kgc: {facts:,} facts, and the ontology"
    notebook.good("%kgc call create_ingredient label=Ambrosia")
    found = notebook.good('%%sparql\nSELECT ?x { ?x rdfs:label "Ambrosia" }').value
    assert len(found) == 1
    assert notebook.good("%qa start built --judge rule").value is not None
    answer = notebook.good('%qa ask "Which recipes are cooked at the Hochkarhaus?"').value
    assert "cooked at" in answer.rationale and answer.values


def test_a_stage_shows_its_figures_and_is_outdated_once_an_earlier_one_runs_again(
    notebook: Notebook,
) -> None:
    notebook.good(START)
    notebook.good("%om retrieve")
    notebook.good("%om store")
    before = stages_of(asked(notebook, ask="state"), "ontology_matching")
    assert {name: one["state"] for name, one in before.items()} == dict.fromkeys(
        ("start", "retrieve", "store"), "done"
    )
    assert before["retrieve"]["counts"]
    notebook.good("%om retrieve")
    after = stages_of(asked(notebook, ask="state"), "ontology_matching")
    assert after["store"]["state"] == "outdated"
    assert after["start"]["state"] == after["retrieve"]["state"] == "done"


def test_runs_of_the_notebook_and_saved_ones_are_listed_and_can_be_opened(
    notebook: Notebook, folder: Path
) -> None:
    notebook.good(START)
    notebook.good("%om run")
    with Run("ontology_matching", folder=folder / "reports" / "matching" / "run") as saved:
        saved.do(len, "huts")
    told = asked(notebook, ask="state")
    (line,) = told["runs"]
    assert (line["number"], line["agent"], line["state"], line["steps"]) == (
        1,
        "ontology_matching",
        "done",
        6,
    )
    assert line["working"] is False
    run = asked(notebook, ask="run", number=1)["run"]
    assert [step["name"] for step in run["steps"]] == list(panel.stages_of()["ontology_matching"])
    with pytest.raises(ValueError, match="no run 7"):
        asked(notebook, ask="run", number=7)
    assert told["saved"] == [{"folder": "reports/matching/run", "name": "reports/matching"}]
    assert (
        asked(notebook, ask="run", folder=told["saved"][0]["folder"])["run"]["agent"]
        == "ontology_matching"
    )


def test_no_secret_is_told(notebook: Notebook) -> None:
    notebook.good("%kg open alpine.ttl")
    graph = notebook.session.graphs["alpine"].graph
    origin = "http://ada:tr0ub4dor@127.0.0.1:9/sparql?apikey=sk-1234567890abcdef"
    notebook.session.graphs["far"] = NamedGraph("far", graph, origin)
    told = asked(notebook, ask="state")
    assert told["connections"][1]["origin"] == "http://127.0.0.1:9/sparql"
    assert "tr0ub4dor" not in json.dumps(told) and "sk-1234567890" not in json.dumps(told)


def test_completion_for_the_front_end_names_the_label_it_was_found_by(notebook: Notebook) -> None:
    notebook.good("%kg open alpine.ttl")
    completing.schema_of(
        notebook.session.graphs["alpine"], patience=60
    )  # however busy the machine is
    code = "%%sparql\nSELECT ?x { ?x a hütt"
    told = completing.answer(notebook.session, {"code": code, "cursor": len(code)})
    assert (told["start"], told["end"]) == (len(code) - 4, len(code))
    assert told["items"][0] == {"text": ":Hut", "kind": "class", "label": "Hütte"}
    assert completing.answer(notebook.session, {"code": "x = hütt", "cursor": 8})["items"] == []


class Comm:
    """A comm without a wire: keeps what is sent, hands on what comes in."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.receive: Any = None
        self.closed = False

    def on_msg(self, take: Any) -> None:
        self.receive = take

    def on_close(self, take: Any) -> None:
        pass

    def send(self, data: Any) -> None:
        self.sent.append(data)

    def close(self) -> None:
        self.closed = True


class Comms:
    """As much of a kernel's comm manager as is used."""

    def __init__(self) -> None:
        self.targets: dict[str, Any] = {}

    def register_target(self, name: str, opened: Any) -> None:
        self.targets[name] = opened

    def unregister_target(self, name: str, opened: Any) -> None:
        assert self.targets.pop(name) == opened


def test_in_a_kernel_the_panel_is_told_after_every_cell_and_unloading_leaves_nothing(
    folder: Path, new_shell: Any
) -> None:
    shell, comms, comm = new_shell(), Comms(), Comm()
    shell.kernel = SimpleNamespace(comm_manager=comms)
    load(shell, Settings.load().with_(embedder="characters"))
    assert set(comms.targets) == {"kgnb.complete", "kgnb.panel", "kgnb.version"}
    comms.targets["kgnb.panel"](comm, {})
    comm.receive({"content": {"data": {"id": 1, "ask": "state"}}})
    assert comm.sent[0]["id"] == 1 and comm.sent[0]["connections"] == []
    comm.receive({"content": {"data": {"id": 4, "ask": "secrets"}}})
    assert comm.sent[-1] == {"id": 4, "error": "the panel cannot ask 'secrets'"}
    shell.run_cell("1")
    assert comm.sent[-1] == {"changed": True}
    version = Comm()
    comms.targets["kgnb.version"](version, {})
    version.receive({"content": {"data": {"id": 7}}})
    assert version.sent == [{"version": kgnb.__version__, "id": 7}]
    unload(shell)
    assert comm.closed and comms.targets == {}
    told = len(comm.sent)
    shell.run_cell("1")
    assert len(comm.sent) == told


def test_the_panel_lists_the_stages_there_are_in_the_words_of_their_help() -> None:
    agents = json.loads(STAGES.read_text(encoding="utf-8"))
    assert [one["agent"] for one in agents] == list(panel.stages_of())
    for agent in agents:
        (family,) = [one for one in families() if one.magic == agent["magic"]]
        assert (
            tuple(stage["name"] for stage in agent["stages"]) == panel.stages_of()[agent["agent"]]
        )
        for stage in [agent["start"], *agent["stages"]] if agent["start"] else agent["stages"]:
            assert stage["help"] == family.verbs[stage["name"]].summary
            assert stage["line"].startswith(f"%{agent['magic']} {stage['name']}")


def test_the_file_browser_offers_to_open_what_can_be_opened() -> None:
    [suffixes] = re.findall(r"SUFFIXES =\s+'([^']+)'", COMMANDS.read_text(encoding="utf-8"))
    known = {*SUFFIXES, *FOREIGN_SUFFIXES, *TABLE_SUFFIXES, *SPREADSHEETS}
    assert {f".{suffix}" for suffix in suffixes.split()} == known
