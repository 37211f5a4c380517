"""The published figures: each with its paper and place, and those that were wrongly attributed gone."""

import csv
from pathlib import Path

import pytest

from kgnb.datasets import published
from kgnb.datasets.published import IN_PERCENT, PAPERS, PublishedRow

FILE = Path(published.__file__).with_suffix(".tsv")
LINES = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
ROWS = list(csv.DictReader(LINES, delimiter="\t"))


def test_every_figure_names_its_paper_and_the_place_it_stands_in() -> None:
    assert len(ROWS) > 100
    for row in ROWS:
        assert row["paper"] in PAPERS and row["place"] and row["covers"] and row["system"], row
        value = float(row["value"])
        assert 0 <= value <= 100 or row["figure"] not in IN_PERCENT, row
    keys = [
        tuple(row[key] for key in ("paper", "place", "data", "covers", "system", "figure"))
        for row in ROWS
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("data", sorted({row["data"] for row in ROWS}))
def test_precision_and_recall_give_the_f1_beside_them_or_a_mean_of_several(data: str) -> None:
    for row in published.published(data):
        precision, recall, f1 = (row.get(name) for name in ("precision", "recall", "f1"))
        if None in (precision, recall, f1) or "mean" in row.covers:
            continue
        assert precision is not None and recall is not None and f1 is not None
        assert f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=0.006), row


def _by_system(data: str) -> dict[str, PublishedRow]:
    return {row.system: row for row in published.published(data)}


def test_rows_stand_under_the_paper_that_prints_them() -> None:
    french = _by_system("dbp15k/fr_en")
    assert not {"UDCEA", "M, no model"} & french.keys()
    assert {"EA-Agent", "BERT-INT", "TEA", "LLMEA", "ChatEA", "Seg-Align"} <= french.keys()
    assert all("EA-Agent" in row.source for row in french.values())
    assert all(row.source.endswith("table 2") for row in published.published("qald10"))
    assert _by_system("srprs/en_fr")["EA-Agent"].get("mrr") == 0.996
    assert _by_system("cost/entity-alignment")["ChatEA"].get("tokens_each") == 9803


@pytest.mark.benchmark
def test_agent_oms_figures_are_those_of_its_result_files(benchmark_data: Path) -> None:
    home = benchmark_data / "oaei-agent-om-results"
    backbones = _by_system("oaei-anatomy/backbones")
    with (home / "result-anatomy-llm.csv").open(encoding="utf-8-sig", newline="") as lines:
        final = [
            row for row in csv.DictReader(lines) if row["Alignment"].endswith("llm_with_agent")
        ]
    assert len(final) == len(backbones) == 10
    for row in final:
        model = next(name for name in backbones if _same(name, row["LLM"]))
        assert backbones[model].get("f1") == pytest.approx(float(row["F1"]) / 100)
    with (home / "result-different-architecture-cost.csv").open(encoding="utf-8-sig") as lines:
        tokens = {
            row["Alignment"].rsplit("/", 1)[1]: float(row["Tokens"])
            for row in csv.DictReader(lines)
        }
    agent = sum(number for name, number in tokens.items() if name.startswith("llm_with"))
    cost = [row for row in published.published("oaei-conference/cmt-confof") if row.get("tokens")]
    assert [row.get("tokens") for row in cost] == [
        agent,
        tokens["LLM-Only"],
        tokens["LLM-with-Context"],
    ]


def _same(system: str, model: str) -> bool:
    name = system.removeprefix("Agent-OM, ")
    return model == name or model.startswith((f"{name}-20",))
