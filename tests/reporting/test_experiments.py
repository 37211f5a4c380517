"""Experiments on a pair (errors simulated, prompts counted, ingredients left out) and other systems' alignments."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.rule import Weights
from kgnb.datasets.published import MatchingCase
from kgnb.evaluate.alignment import Score
from kgnb.mapping_files import save
from kgnb.mappings import Alignment, Mapping
from kgnb.reporting import ontology_matching as om
from kgnb.reporting.ontology_matching.experiments import RATES, SHARES, curve, ingredients
from kgnb.reporting.ontology_matching.results import Ablated, Draw, Experiments
from kgnb.reporting.ontology_matching.sections import metrics
from kgnb.reporting.ontology_matching.stored import compared, stored_alignments
from kgnb.reporting.session import ReportSession
from kgnb.settings import Settings


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> ReportSession:
    settings = Settings(embedder="characters", cache=tmp_path_factory.mktemp("cache"))
    return ReportSession(tmp_path_factory.mktemp("report"), settings)


@pytest.fixture(scope="module")
def results(session: ReportSession) -> om.MatchingResults:
    return om.run_cases(session=session, curves=True, seeds=3, ablation=True)


def test_errors_are_simulated_at_every_rate_and_cost_and_no_more_is_asked_than_allowed(
    results: om.MatchingResults,
) -> None:
    alone = next(draw for draw in results.tried.draws if draw.rate is None)
    assert (alone.whole, alone.part, alone.questions) == (results.micro, results.non_trivial, 0)
    drawn = [draw.rate for draw in results.tried.draws if draw.rate is not None]
    assert {rate: drawn.count(rate) for rate in RATES} == {0.0: 1, 0.1: 3, 0.2: 3, 0.3: 3}
    nobody, right, *wrong = curve(results.tried.draws)
    assert right.f1 >= nobody.f1 and right.f1 >= wrong[-1].f1 and right.questions > 0
    plot, table, shares = om.oracle_curves(results), om.oracle_table(results), om.oracle_shares(results)
    assert all(text.startswith("SIMULATION") for text in (plot.caption, plot.alt, table.caption, shares.caption))
    assert len(table.rows) == 1 + len(RATES) and plot.svg() == om.oracle_curves(results).svg()
    assert [row[0] for row in shares.rows] == list(SHARES)
    sources = len(results.outcomes[0].source)
    assert all(questions <= share * sources + 1 for share, questions, *_ in shares.rows)
    assert shares.rows[0][1] < shares.rows[-1][1]


def test_a_curve_averages_draws_and_adds_up_pairs() -> None:
    draws = [
        Draw(0.1, seed, Score(tp, 10 - tp, 10 - tp), Score(0, 0, 0), 4, 20)
        for seed, pairs in enumerate([(8, 6), (6, 4)])
        for tp in pairs
    ]
    (point,) = curve(draws)
    assert (point.f1, point.spread) == pytest.approx((0.6, 0.1))
    assert (point.questions, point.share, point.draws) == (8, 0.2, 2)
    assert curve([]) == []


def test_the_cascade_sends_a_model_less_than_everything(results: om.MatchingResults) -> None:
    cascade, everything = results.tried.prompts
    assert 0 < cascade.questions < everything.questions
    assert 0 < cascade.expected.prompt_tokens < everything.expected.prompt_tokens
    assert cascade.entities == len(results.outcomes[0].source) + len(results.outcomes[0].target)
    assert om.prompts(results).rows[-1][-1] == 2006  # of the paper: 12.13 million tokens over 6,048 classes


def test_every_ingredient_is_left_out_once_and_the_most_important_comes_first(results: om.MatchingResults) -> None:
    names = [name for name, _ in ingredients()]
    assert "name" in names and "bias" not in names and "rounds" not in names
    assert dict(ingredients())["name"] == replace(Weights(), name=0.0)
    assert [one.without for one in results.tried.ablated] == ["nothing left out", *names]
    assert results.tried.ablated[0].whole == results.micro
    scores = {"nothing left out": Score(8, 2, 2), "a": Score(7, 3, 3), "b": Score(4, 6, 6)}
    ablated = tuple(Ablated(name, one, Score()) for name, one in scores.items())
    table = om.left_out(replace(results, tried=Experiments(ablated=ablated)))
    assert [(row[0], row[4]) for row in table.rows] == [("nothing left out", None), ("b", "-40.0"), ("a", "-10.0")]


def test_metrics_hold_the_experiments_that_were_asked_for_and_no_others(
    results: om.MatchingResults, session: ReportSession, tmp_path: Path
) -> None:
    content = json.loads(json.dumps(metrics(results, session)))
    assert [one["rate"] for one in content["simulation_curves"]["rates"]] == [None, *RATES]
    assert content["ablation"][0]["without"] == "nothing left out"
    plain = om.run_cases(session=ReportSession(tmp_path, session.settings))
    assert not {"simulation_curves", "simulation_shares", "prompts", "ablation"} & metrics(plain, session).keys()
    assert all("report with -p" in str(part(plain)) for part in (om.oracle_curves, om.left_out, om.prompts))
    assert str(om.beside(plain)) == "No alignments of other systems lie beside this data."
    parts = (om.oracle_table, om.oracle_shares, om.overlap, om.only_ours, om.only_theirs, om.often_theirs)
    assert all(part(plain) is None for part in parts)


def stored_file(folder: Path, name: str, mappings: list[tuple[str, str, str]]) -> None:
    plain = save(Alignment(tuple(Mapping(*mapping, 1.0) for mapping in mappings)), folder / f"{name}.rdf")
    (folder / f"{name}.rdf.gz").write_bytes(gzip.compress(plain.read_bytes()))


def test_stored_alignments_are_scored_like_ours_in_either_direction_and_compared_with_them(
    results: om.MatchingResults, tmp_path: Path
) -> None:
    (outcome,) = results.outcomes
    folder = tmp_path / "baselines" / "2023"
    folder.mkdir(parents=True)
    wanted = sorted(outcome.right)
    number = len(wanted)
    turned = [(target, source, relation) for source, target, relation in wanted if relation == "equivalent"]
    stored_file(folder, "Knows", wanted)
    stored_file(folder, "Half", [*wanted[: number // 2], (wanted[0][0], wanted[1][1], "equivalent")])
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
        assert (both + only_ours, both_wrong + only_ours_wrong) == (results.micro.tp, results.micro.fp)
    assert rows["any of them"][:3] == (results.micro.tp, 0, results.micro.fn)
    alone, often, all_others = om.only_ours(results), om.often_theirs(results), om.only_theirs(results)
    assert len(alone.rows) == len(outcome.found - frozenset().union(*outcome.stored.values()))
    assert all({"why", "source", "target"} <= dict(details).keys() for details in alone.details)
    assert all(len(row[-1].split(", ")) >= 2 for row in often.rows) and all(row[0] == "yes" for row in all_others.rows)
