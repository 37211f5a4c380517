"""Our own four agents by the same call, and as the same MCP tool, as an agent from elsewhere."""

from typing import Any

import pytest

from kgnb.agents.known import our_agents
from kgnb.judging import Verdict
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.agents import agent_called, call, run_agent
from kgnb.tasks.asking import answer_question
from kgnb.vectors.character_embedder import CharacterEmbedder

PAIR = {"source": "huts:alpine", "target": "huts:refuge"}
GRAPHS = {"left": "huts:hollenmark", "right": "huts:corvane"}
CHARACTERS = {"embedder": "characters"}


def test_matching_takes_all_its_options_by_name() -> None:
    by_rule = run_agent("ontology_matching", PAIR, judge="rule", **CHARACTERS)
    known = run_agent("om", PAIR, judge="oracle", reference="huts:reference", **CHARACTERS)
    assert len(by_rule) > 10 and len(known) >= len(by_rule) - 5


def test_a_question_is_named_beside_the_graph_and_answered_as_plain_json() -> None:
    agent = agent_called("question_answering")
    assert agent.schema()["required"] == ["graph", "question"]
    asked: dict[str, Any] = {
        "question": "Who is the warden of the Hochkar House?",
        "graph": "huts:graph",
    }
    said = call(agent, asked | {"judge": "rule"} | CHARACTERS, Settings())
    assert said["ok"] and said["result"]["status"] == "answered"
    assert [value.rpartition("/")[2] for value in said["result"]["values"]] == ["wilma-aschauer"], (
        said
    )


def test_what_is_opened_already_or_a_function_may_stand_where_a_name_does() -> None:
    asked: list[Any] = []

    def nothing(question: Any) -> Verdict:
        asked.append(question)
        return Verdict("different")

    run = Run("ontology_matching")
    told: dict[str, Any] = {"judge": nothing, "embedder": CharacterEmbedder(), "run": run}
    assert not len(run_agent("ontology_matching", PAIR, **told)) and asked
    assert run.state == "running" and run.totals["judgements"] == len(
        asked
    )  # a run that is given is left open
    with pytest.raises(ValueError, match="judge must be one of auto, .* not 'wizard'"):
        run_agent("ontology_matching", PAIR, judge="wizard")
    with pytest.raises(TypeError, match="tempo"):
        answer_question("Who?", "huts:graph", tempo=3)  # type: ignore[call-arg]


def test_an_unknown_option_or_a_missing_input_is_refused_before_any_work() -> None:
    for agent in our_agents():
        given = {one.name: "huts:graph" for one in agent.taken if not one.optional}
        with pytest.raises(ValueError, match="has no option colour"):
            run_agent(agent, given, colour="red")
        with pytest.raises(ValueError, match="takes the inputs"):
            run_agent(agent, {})


def test_alignment_and_construction_return_their_results() -> None:
    assert len(run_agent("align", GRAPHS, judge="rule", **CHARACTERS)) > 100
    note = {"note": "Tea\n\nHut: Refuge de l'Ambre\nServes 4\n"}
    assert (
        run_agent("kg_construction", {"tbox": "huts:kitchen", "documents": note}).counts()[
            "documents"
        ]
        == 1
    )


def test_an_input_is_described_once_for_clients_and_people() -> None:
    for agent in our_agents():
        schema = agent.schema()
        assert schema["required"] == [one.name for one in agent.taken if not one.optional]
        assert {option.name for option in agent.knobs()} <= schema["properties"].keys()


def test_a_client_may_leave_an_input_out_and_may_not_name_code_or_a_place_to_write() -> None:
    building = agent_called("kg_construction")
    offered = building.schema()["properties"]
    assert offered["only"]["anyOf"][1]["type"] == "array"
    assert offered["open_world"]["type"] == "boolean"
    assert not offered.keys() & {"outside", "journals", "session", "extractor"}
    asked = {"tbox": "huts:kitchen", "documents": "huts:kitchen-notes", "outside": "os:getcwd"}
    refused = call(building, asked, Settings())
    assert not refused["ok"] and "outside" in refused["error"]
    aligning = agent_called("entity_alignment")
    said = call(aligning, GRAPHS | {"universe": "some"}, Settings())
    assert not said["ok"] and "choose test or all" in said["error"]
    assert not call(aligning, {}, Settings())["ok"]
