"""The ontology-matching report: scores, errors that open, files that are the same in every run, simulations marked."""

import json
from pathlib import Path

import pytest

from kgnb.errors import ConfigError, DataError
from kgnb.evaluate.alignment import Score
from kgnb.mapping_files import save
from kgnb.mappings import Alignment, Mapping
from kgnb.reporting import ontology_matching as om
from kgnb.reporting.ontology_matching.sections import metrics
from kgnb.reporting.session import ReportSession
from kgnb.run import Run
from kgnb.settings import Settings
from tests.reporting.conftest import drawn_cells


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> ReportSession:
    settings = Settings(embedder="characters", cache=tmp_path_factory.mktemp("cache"))
    return ReportSession(tmp_path_factory.mktemp("report"), settings, "kgnb report ontology-matching")


@pytest.fixture(scope="module", autouse=True)  # before any test that fills the session's cache
def results(session: ReportSession) -> om.MatchingResults:
    return om.run_cases(session=session)


def test_our_own_pair_is_scored_and_its_errors_open_to_their_reasons(results: om.MatchingResults) -> None:
    assert results.micro.tp > 20 and results.micro == results.outcomes[0].score
    assert sum(results.per_kind.values(), Score()) == results.micro
    rows = om.headline(results).rows
    assert [(row[0], row[1], row[-1]) for row in rows] == [("kgnb (rule judge)", "this pair", "this run")]
    wrong, missed = om.wrong(results), om.missed(results)
    assert (len(wrong), len(missed)) == (results.micro.fp, results.micro.fn)
    assert all(dict(details)["why"] for details in wrong.details)
    assert all({"source", "target"} <= dict(details).keys() for details in missed.details)
    assert all(row[4] for row in missed.rows)


def test_a_second_report_embeds_nothing_and_has_the_same_metrics(
    results: om.MatchingResults, session: ReportSession, tmp_path: Path
) -> None:
    om.save(results, session)
    again = ReportSession(tmp_path, session.settings, session.command)
    second = om.run_cases(session=again)
    om.save(second, again)
    assert results.cost.embedded > 100
    assert second.cost.embedded == 0 and second.cost.reused >= results.cost.embedded
    assert (tmp_path / "metrics.json").read_bytes() == (session.folder / "metrics.json").read_bytes()
    assert {"precision", "recall", "f1"} <= json.loads((tmp_path / "metrics.json").read_text())["micro"].keys()
    names = {path.name for path in (tmp_path / "alignments").iterdir()}
    assert names == {"alpine-refuge.rdf", "alpine-refuge.sssom.tsv"}
    assert Run.load(tmp_path / "run").state == "done"


def test_an_ontology_in_several_pairs_is_stored_once_and_pairs_may_be_turned_round(
    session: ReportSession, tmp_path: Path
) -> None:
    once = om.run_cases(session=ReportSession(tmp_path / "a", session.settings))
    given = {"pairs": "alpine-refuge, refuge-alpine", "judge": "oracle"}
    twice = om.run_cases(session=ReportSession(tmp_path / "b", session.settings), **given)
    assert twice.cost.points == 2 * once.cost.points and twice.cost.written == once.cost.written
    assert len(twice.ontologies) == 2
    assert all(one.score.recall > 0.7 for one in twice.outcomes)  # the oracle knows the reference both ways


def test_without_a_reference_nothing_is_measured_and_every_part_is_drawn(
    session: ReportSession, tmp_path: Path
) -> None:
    here = ReportSession(tmp_path, session.settings)
    results = om.run_cases(session=here, source="huts:alpine", target="huts:refuge")
    assert results.mean is None and "nothing is measured" in om.headline(results).notes[0]
    assert len(drawn_cells("ontology-matching", results, here)) > 15
    om.save(results, here)
    assert json.loads((tmp_path / "metrics.json").read_text())["micro"] is None


def test_a_simulation_is_marked_in_every_table_and_plot(session: ReportSession, tmp_path: Path) -> None:
    here = ReportSession(tmp_path, session.settings)
    results = om.run_cases(session=here, judge="oracle", error_rate=0.2, seed=3)
    assert results.outcomes[0].simulated > 0
    parts = (om.headline, om.by_pair, om.behind, om.headline_bars, om.risk, om.thresholds)
    assert all("SIMULATION" in part(results).caption for part in parts)
    assert om.notice(results).text.startswith("SIMULATION")
    assert metrics(results, here)["headline"][0]["matcher"].startswith("kgnb, SIMULATION")


def test_wrong_input_is_refused(session: ReportSession, tmp_path: Path) -> None:
    stranger = save(Alignment((Mapping("http://a/x", "http://b/y", "equivalent", 1.0),)), tmp_path / "stranger.rdf")
    own = {"source": "huts:alpine", "target": "huts:refuge"}
    for given, error, words in (
        ({"source": "huts:alpine"}, ValueError, "go together"),
        ({"pairs": "a-b"}, ValueError, "has no case 'a-b'"),
        ({"judge": "model"}, ConfigError, "asks a model"),
        (own | {"reference": str(stranger)}, DataError, "none of the reference's pairs"),
    ):
        with pytest.raises(error, match=words):
            om.run_cases(session=ReportSession(tmp_path, session.settings), **given)
