"""The ontology-matching report: scores, errors that open, files that are the same in every run,
simulations marked.

Other systems: their stored alignments.
"""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from kgnb.datasets.published import MatchingCase
from kgnb.errors import ConfigError, DataError
from kgnb.evaluate.alignment import Score
from kgnb.mapping_files import save
from kgnb.mappings import Alignment, Mapping
from kgnb.reporting import ontology_matching as om
from kgnb.reporting.ontology_matching.sections import metrics
from kgnb.reporting.ontology_matching.stored import (
    compared,
    stored_alignments,
)
from kgnb.reporting.session import ReportSession
from kgnb.run import Run
from kgnb.settings import Settings
from tests.reporting.conftest import drawn_cells


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> ReportSession:
    settings = Settings(embedder="characters", cache=tmp_path_factory.mktemp("cache"))
    return ReportSession(
        tmp_path_factory.mktemp("report"), settings, "kgnb report ontology-matching"
    )


@pytest.fixture(scope="module", autouse=True)  # before any test that fills the session's cache
def results(session: ReportSession) -> om.MatchingResults:
    return om.run_cases(session=session)


def test_our_own_pair_is_scored_and_its_errors_open_to_their_reasons(
    results: om.MatchingResults,
) -> None:
    assert results.micro.tp > 20 and results.micro == results.outcomes[0].score
    assert sum(results.per_kind.values(), Score()) == results.micro
    rows = om.headline(results).rows
    assert [(row[0], row[1], row[-1]) for row in rows] == [
        ("kgnb (rule judge)", "this pair", "this run")
    ]
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
    assert (tmp_path / "metrics.json").read_bytes() == (
        session.folder / "metrics.json"
    ).read_bytes()
    assert {"precision", "recall", "f1"} <= json.loads((tmp_path / "metrics.json").read_text())[
        "micro"
    ].keys()
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
    assert all(
        one.score.recall > 0.7 for one in twice.outcomes
    )  # the oracle knows the reference both ways


def test_without_a_reference_nothing_is_measured_and_every_part_is_drawn(
    session: ReportSession, tmp_path: Path
) -> None:
    here = ReportSession(tmp_path, session.settings)
    results = om.run_cases(session=here, source="huts:alpine", target="huts:refuge")
    assert results.mean is None and "nothing is measured" in om.headline(results).notes[0]
    assert len(drawn_cells("ontology-matching", results, here)) == 11
    om.save(results, here)
    assert json.loads((tmp_path / "metrics.json").read_text())["micro"] is None


def test_a_simulation_is_marked_in_every_table_and_plot(
    session: ReportSession, tmp_path: Path
) -> None:
    here = ReportSession(tmp_path, session.settings)
    results = om.run_cases(session=here, judge="oracle", error_rate=0.2, seed=3)
    assert results.outcomes[0].simulated > 0
    parts = (om.headline, om.by_pair, om.behind, om.headline_bars, om.risk, om.thresholds)
    assert all("SIMULATION" in part(results).caption for part in parts)
    assert om.notice(results).text.startswith("SIMULATION")
    assert metrics(results, here)["headline"][0]["matcher"].startswith("kgnb, SIMULATION")


def test_wrong_input_is_refused(session: ReportSession, tmp_path: Path) -> None:
    stranger = save(
        Alignment((Mapping("http://a/x", "http://b/y", "equivalent", 1.0),)),
        tmp_path / "stranger.rdf",
    )
    own = {"source": "huts:alpine", "target": "huts:refuge"}
    for given, error, words in (
        ({"source": "huts:alpine"}, ValueError, "go together"),
        ({"pairs": "a-b"}, ValueError, "has no case 'a-b'"),
        ({"judge": "model"}, ConfigError, "asks a model"),
        (own | {"reference": str(stranger)}, DataError, "none of the reference's pairs"),
    ):
        with pytest.raises(error, match=words):
            om.run_cases(session=ReportSession(tmp_path, session.settings), **given)


def test_a_simulated_judge_without_errors_is_no_worse_than_the_rule_and_errors_do_harm(
    results: om.MatchingResults, session: ReportSession, tmp_path: Path
) -> None:
    def judged(name: str, **given: object) -> om.MatchingResults:
        here = ReportSession(tmp_path / name, session.settings)
        return om.run_cases(session=here, judge="oracle", **given)  # type: ignore[arg-type]

    right, wrong = judged("right"), judged("wrong", error_rate=0.3)
    few = judged("few", error_rate=0.1, options={"ask": 0.05})
    assert right.micro.f1 >= results.micro.f1 and right.micro.f1 >= wrong.micro.f1
    assert 0 < few.outcomes[0].simulated < right.outcomes[0].simulated


def test_without_other_systems_nothing_is_set_beside_ours(results: om.MatchingResults) -> None:
    assert str(om.beside(results)) == "No alignments of other systems lie beside this data."
    parts = (om.overlap, om.only_ours, om.only_theirs, om.often_theirs)
    assert all(part(results) is None for part in parts)


def stored_file(folder: Path, name: str, mappings: list[tuple[str, str, str]]) -> None:
    plain = save(
        Alignment(tuple(Mapping(*mapping, 1.0) for mapping in mappings)), folder / f"{name}.rdf"
    )
    (folder / f"{name}.rdf.gz").write_bytes(gzip.compress(plain.read_bytes()))


def test_stored_alignments_are_scored_like_ours_in_either_direction_and_compared_with_them(
    results: om.MatchingResults, tmp_path: Path
) -> None:
    (outcome,) = results.outcomes
    folder = tmp_path / "baselines" / "2023"
    folder.mkdir(parents=True)
    wanted = sorted(outcome.right)
    number = len(wanted)
    turned = [
        (target, source, relation)
        for source, target, relation in wanted
        if relation == "equivalent"
    ]
    stored_file(folder, "Knows", wanted)
    stored_file(
        folder, "Half", [*wanted[: number // 2], (wanted[0][0], wanted[1][1], "equivalent")]
    )
    stored_file(folder, "Turned", turned[:3])
    stored_file(folder, "Elsewhere", [("http://a#x", "http://b#y", "equivalent")])
    case = MatchingCase(outcome.name, tmp_path / "source.owl", tmp_path / "target.owl")
    outcome = replace(outcome, stored=stored_alignments(case, outcome.source, outcome.target))
    results = replace(results, outcomes=(outcome,))
    assert {name: whole for name, whole, _ in compared(results)} == {
        "Knows": Score(number, 0, 0),
        "Half": Score(number // 2, 1, number - number // 2),
        "Turned": Score(3, 0, number - 3),
        results.matcher: results.micro,
    }
    assert om.beside(results).rows[0][0] == "Knows"
    rows = {row[0]: row[1:] for row in om.overlap(results).rows}
    for both, only_ours, _, both_wrong, only_ours_wrong, _ in rows.values():
        assert (both + only_ours, both_wrong + only_ours_wrong) == (
            results.micro.tp,
            results.micro.fp,
        )
    assert rows["any of them"][:3] == (results.micro.tp, 0, results.micro.fn)
    alone, often, all_others = (
        om.only_ours(results),
        om.often_theirs(results),
        om.only_theirs(results),
    )
    assert len(alone.rows) == len(outcome.found - frozenset().union(*outcome.stored.values()))
    assert all({"why", "source", "target"} <= dict(details).keys() for details in alone.details)
    assert all(len(row[-1].split(", ")) >= 2 for row in often.rows) and all(
        row[0] == "yes" for row in all_others.rows
    )
