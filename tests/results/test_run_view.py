import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kgnb.results.columns import fair_share
from kgnb.results.run_view import Room, RunView, excerpt

FIXTURE = Path(__file__).parents[1] / "fixtures" / "run.json"


@pytest.fixture
def run() -> dict[str, Any]:
    return dict(json.loads(FIXTURE.read_text(encoding="utf-8")))


def judgement(number: int, decision: str = "equivalent") -> dict[str, Any]:
    return {
        "question": f"q{number}",
        "text": f"class Hut {number}",
        "decision": decision,
        "choice": None,
        "confidence": 0.9,
        "judged_by": "rule",
        "rationale": "same label",
    }


def run_of(*steps: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "version": 1,
        "agent": "ontology_matching",
        "state": "done",
        "steps": list(steps),
        "totals": {},
    }


def test_reads_well_in_a_terminal_without_ids_and_times(run: dict[str, Any]) -> None:
    text = RunView(run).text()
    assert text == (
        "ontology matching: failed\n"
        "3 calls (1 cached), 270 tokens in, 18 out, $0.0001, 3 judgements (1 unsure), 2 queries, 1 retry\n"
        "   0  outside   done    1 query\n"
        "   1  retrieve  done    entities: 2, share with a label: 0.75; 1 query\n"
        "   2  validate  done    3 calls; 3 judgements (1 unsure)\n"
        "   3  merge     failed  ValueError: 3 verdicts cannot be merged"
    )


def test_html_survives_the_sanitiser_and_hostile_text_is_only_text(
    run: dict[str, Any], read: Callable[[str], Any]
) -> None:
    page = read(RunView(run).html())
    text = "".join(page.text)
    assert "property <script>alert(1)</script> & sleeps" in text
    assert "3 verdicts cannot be merged" in text
    assert "429 slow down, 200" in text
    assert page.tags.count("details") == 4  # three steps with something inside, and the setting


def test_json_is_the_run_with_nothing_left_out_and_a_shorter_one_leaves_the_run_as_it_was(
    run: dict[str, Any],
) -> None:
    before = json.dumps(run)
    excerpt(run, Room(steps=1, calls=0, judgements=0, queries=0, text=1))
    assert json.dumps(run) == before
    data = RunView(run).json()
    assert {key: data[key] for key in run if key != "steps"} == {
        key: run[key] for key in run if key != "steps"
    }
    kept = [
        {key: value for key, value in step.items() if key != "left_out"} for step in data["steps"]
    ]
    assert kept == run["steps"]
    assert all(not any(step["left_out"].values()) for step in data["steps"])


def test_ten_thousand_judgements_are_cut_and_the_unsure_ones_kept(
    read: Callable[[str], Any],
) -> None:
    judgements = [
        judgement(n, "unsure" if n % 1000 == 999 else "equivalent") for n in range(10_000)
    ]
    view = RunView(
        run_of({"number": 1, "name": "validate", "state": "done", "judgements": judgements})
    )
    step = view.json()["steps"][0]
    assert len(step["judgements"]) == 1000
    assert step["left_out"]["judgements"] == 9000
    assert sum(item["decision"] == "unsure" for item in step["judgements"]) == 10
    assert [item["question"] for item in step["judgements"]][:2] == ["q0", "q1"]
    assert step["judgements"][-1]["question"] == "q9999"
    page = read(view.html())
    assert "and 9,950 more judgements" in page.text and page.text.count("unsure") == 10
    assert "10,000 judgements (10 unsure)" in "".join(page.text)
    assert "10,000 judgements (10 unsure)" in view.text()
    assert len(json.dumps(view._repr_mimebundle_())) < 500_000


def test_a_run_says_how_far_it_is(read: Callable[[str], Any]) -> None:
    step = {"number": 1, "name": "retrieve", "state": "running", "seconds": None}
    begun = RunView(run_of(step) | {"state": "running"})
    assert begun.text() == "ontology matching: running\n   1  retrieve  running"
    assert "running" in "".join(read(begun.html()).text)
    waits = RunView(run_of(step | {"state": "done", "seconds": 1.0}) | {"state": "running"})
    assert waits.text().startswith("ontology matching: up to retrieve")
    assert "running" not in "".join(read(waits.html()).text)
    assert RunView(run_of()).text() == "ontology matching: done"
    assert (
        RunView(run_of() | {"state": "limited"}).text() == "ontology matching: stopped at a limit"
    )
    for wrong in ({}, {"version": 2, "steps": []}, {"version": 1, "steps": None}):
        with pytest.raises(ValueError, match="version 1"):
            RunView(wrong)


@given(some.lists(some.integers(0, 50), max_size=8), some.integers(0, 100))
def test_a_fair_share_fits_the_room_and_no_larger_one_would(sizes: list[int], room: int) -> None:
    share = fair_share(sizes, room)
    assert sum(min(size, share) for size in sizes) <= room
    larger = sum(min(size, share + 1) for size in sizes)
    assert larger > room or share >= max(sizes, default=0)
