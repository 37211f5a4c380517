"""Papers scored: gold records in JSON, queries from a file, by document and by field."""

import json
from pathlib import Path

import pytest
from rdflib import Graph

from kgnb.datasets.record_files import read_gold, read_queries
from kgnb.errors import ConfigError, DataError
from kgnb.evaluate.extraction import read_records
from kgnb.reporting import kg_construction as report
from tests.agents.kg_construction.test_records import TBOX

PREFIX = (
    "PREFIX b: <https://boats.example/>\nPREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n"
)
QUERIES = f"""# category: boats
# alternatives: name
{PREFIX}SELECT ?record ?name ?length ?cabins WHERE {{ ?record a b:Boat ; rdfs:label ?name
  OPTIONAL {{ ?record b:length ?length }} OPTIONAL {{ ?record b:cabins ?cabins }} }}
"""
GOLD = {
    "one": {"boats": [{"name": ["Marlin", "MV Marlin"], "length": 18, "cabins": "n/a"}]},
    "two": {"boats": [{"name": "Tern", "length": 23, "cabins": 3}]},
}


def parameters(folder: Path, **given: str) -> dict[str, str]:
    (folder / "boats.ttl").write_text(TBOX)
    (folder / "one.txt").write_text("Marlin\nlength: 18 m\n")
    (folder / "two.txt").write_text("Tern\nlength: 23 m\ncabins: 2\n")
    (folder / "queries.rq").write_text(QUERIES)
    (folder / "unknown.rq").write_text(QUERIES.replace(PREFIX, ""))
    (folder / "wrong.rq").write_text(QUERIES.replace("WHERE", "WERE"))
    (folder / "gold.json").write_text(json.dumps(GOLD))
    named = {name: "" for name in ("shapes", "reference", "against", "tboxes")}
    return named | {
        "tbox": str(folder / "boats.ttl"),
        "documents": f"{folder / 'one.txt'},{folder / 'two.txt'}",
        "judge": "rule",
        "queries": str(folder / "queries.rq"),
        "gold": str(folder / "gold.json"),
        **given,
    }


def test_gold_records_are_compared_by_document_and_by_slot(tmp_path: Path) -> None:
    results = report.run_report(**parameters(tmp_path))  # type: ignore[arg-type]
    total = results.scores["boats"].total
    assert (total.tp, total.fp, total.fn) == (4, 1, 1)
    documents = {row[0]: row[-1] for row in report.by_document(results).rows}  # type: ignore[union-attr]
    assert documents["one.txt"] == 1.0 and 0 < documents["two.txt"] < 1  # type: ignore[operator]
    slots = {row[1]: row[2:5] for row in report.fields(results).rows}  # type: ignore[union-attr]
    assert list(slots["cabins"]) == [0, 1, 1] and list(slots["length"]) == [2, 0, 0]
    assert results.legacy["boats"].total.tp == 5  # an empty slot that should be empty
    said = report.extraction(results).text()
    assert "Where a slot empty on both sides is a hit" in said and "paper" not in said


def test_records_of_all_documents_together_are_not_scored_document_by_document(
    tmp_path: Path,
) -> None:
    named = parameters(tmp_path)
    together = {"boats": [record for one in GOLD.values() for record in one["boats"]]}
    (tmp_path / "gold.json").write_text(json.dumps(together))
    results = report.run_report(**named)  # type: ignore[arg-type]
    assert results.scores["boats"].total.tp == 4
    assert "records of each document" in str(report.by_document(results))


def test_prefixes_above_the_first_query_hold_for_all(tmp_path: Path) -> None:
    named = parameters(tmp_path)
    again = QUERIES.replace(PREFIX, "").replace("# category: boats", "# category: more")
    (tmp_path / "queries.rq").write_text(PREFIX + QUERIES.replace(PREFIX, "") + again)
    results = report.run_report(**named)  # type: ignore[arg-type]
    assert results.scores["boats"].total.tp == 4 and results.scores["more"].total.tp == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"queries": ""}, "needs queries"),
        ({"gold": "", "reference": "gold.json"}, "no triple"),
        ({"queries": "mop"}, "no records of"),
        ({"queries": "mop:stps"}, "no category stps"),
        ({"queries": "gold.json"}, "no query"),
        ({"queries": "unknown.rq"}, "no prefix b:"),
        ({"queries": "wrong.rq"}, "no SPARQL query"),
        ({"gold": "one.txt"}, "no JSON"),
        ({"gold": "nowhere.json"}, "no such file"),
    ],
)
def test_a_reference_that_cannot_be_used_is_refused(
    tmp_path: Path, given: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = parameters(tmp_path, **given)
    monkeypatch.chdir(tmp_path)
    with pytest.raises((DataError, ConfigError), match=said):
        report.run_report(**named)  # type: ignore[arg-type]


def test_a_folder_of_that_name_does_not_hide_the_papers_queries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mop").mkdir()
    assert len(read_queries("mop")) == 4


def test_the_ground_truth_of_the_papers_is_read_as_it_is_published(tmp_path: Path) -> None:
    """Our own small files in the same form."""
    step = {"stepNumber": 1, "duration": "2 d", "targetPH": -1, "stir": False}
    step["addedChemical"] = [
        {"chemicalName": ["DEF", "diethylformamide"], "chemicalAmount": "5 mL"}
    ]  # type: ignore[assignment]
    synthesis = {"productNames": ["X-1"], "steps": [{"Add": step}]}
    (tmp_path / "steps").mkdir()
    (tmp_path / "cbu").mkdir()
    (tmp_path / "steps" / "10.1.json").write_text(json.dumps({"Synthesis": [synthesis]}))
    unit = {"mopCCDCNumber": "1", "cbuFormula1": "[A]", "cbuSpeciesNames1": ["a"]}
    (tmp_path / "cbu" / "10.1.json").write_text(json.dumps({"synthesisProcedures": [unit]}))
    gold = read_gold(tmp_path, {"steps"})
    [record] = gold.of("10.1.preSteps.txt", "steps")
    assert record["type"] == ["Add"] and record["duration"] == ["2 day"] and record["stir"] == [""]
    assert record["chemical"] == ["DEF", "diethylformamide"] and record["amount"] == ["5 mL"]
    assert len(gold.all("cbu")) == 2 and not gold.of("10.11.txt", "steps")
    assert [one.name for one in read_queries("mop:cbu,steps")] == ["cbu", "steps"]


def test_a_duration_is_the_same_in_the_plural() -> None:
    graph = Graph().parse(
        data="""@prefix syn: <https://www.theworldavatar.com/kg/OntoSyn/> .
            @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
            <urn:s> syn:hasSynthesisStep <urn:one>, <urn:two> .
            <urn:one> a syn:Stir ; syn:hasStepDuration [ rdfs:label "2 days" ] .
            <urn:two> a syn:Dry ; syn:hasStepDuration [ rdfs:label "1 hour" ] .""",
        format="turtle",
    )
    (steps,) = read_queries("mop:steps")
    lasts = {record["type"]: record["duration"] for record in read_records(graph, steps.query)}
    assert lasts == {("Stir",): ("2 day",), ("Dry",): ("1 hour",)}
