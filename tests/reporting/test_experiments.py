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
from kgnb.reporting.ontology_matching.experiments import RATES, SHARES, Ablated, Draw, curve, ingredients
from kgnb.reporting.ontology_matching.sections import metrics
from kgnb.reporting.ontology_matching.stored import compared, stored_alignments
from kgnb.reporting.session import ReportSession
from kgnb.settings import Settings


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return ReportSession(folder, Settings(embedder="characters", cache=tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def results(session):
    return om.run_cases(session=session, curves=True, seeds=3, ablation=True)


def test_the_rule_alone_is_what_the_run_found_and_every_rate_is_drawn_as_often_as_asked(results):
    alone = next(draw for draw in results.draws if draw.rate is None)
    assert (alone.whole, alone.part, alone.questions) == (results.micro, results.non_trivial, 0)
    drawn = [draw.rate for draw in results.draws if draw.rate is not None]
    assert {rate: drawn.count(rate) for rate in RATES} == {0.0: 1, 0.1: 3, 0.2: 3, 0.3: 3}
    # answers without errors are no worse than no answers, and errors cost
    nobody, right, *wrong = curve(results.draws)
    assert right.f1 >= nobody.f1 and right.f1 >= wrong[-1].f1 and right.questions > 0
    assert right.share == pytest.approx(right.questions / len(results.outcomes[0].source))


def test_a_curve_averages_draws_and_adds_up_pairs():
    draws = [
        Draw(0.1, seed, Score(tp, 10 - tp, 10 - tp), Score(0, 0, 0), 4, 20)
        for seed, pairs in enumerate([(8, 6), (6, 4)])
        for tp in pairs
    ]
    (point,) = curve(draws)
    assert (point.f1, point.spread) == pytest.approx((0.6, 0.1))
    assert (point.questions, point.share, point.draws) == (8, 0.2, 2)
    assert curve([]) == ()


def test_whatever_is_simulated_says_so_and_no_more_is_asked_than_may_be(results):
    plot, table, shares = om.oracle_curves(results), om.oracle_table(results), om.oracle_shares(results)
    assert all(text.startswith("SIMULATION") for text in (plot.caption, plot.alt, table.caption, shares.caption))
    assert len(table.rows) == 1 + len(RATES)
    assert plot.svg() == om.oracle_curves(results).svg()
    asked = [row[1] for row in shares.rows]
    assert asked == sorted(asked) and asked[0] < asked[-1]
    assert [row[0] for row in shares.rows] == list(SHARES)
    assert all(questions <= share * len(results.outcomes[0].source) + 1 for share, questions, *_ in shares.rows)


def test_the_cascade_sends_a_model_less_than_everything(results):
    cascade, everything = results.prompts
    assert (cascade.judge, everything.judge) == ("cascade", "model")
    assert 0 < cascade.questions < everything.questions
    assert 0 < cascade.expected.prompt_tokens < everything.expected.prompt_tokens
    assert cascade.entities == len(results.outcomes[0].source) + len(results.outcomes[0].target)
    rows = om.prompts(results).rows
    assert [row[-1] for row in rows][-1] == 2006  # of the paper: 12.13 million tokens over 6,048 classes


def test_every_ingredient_is_left_out_once_and_the_bar_stays(results):
    names = [name for name, _ in ingredients()]
    assert "name" in names and "bias" not in names and "rounds" not in names
    assert [one.without for one in results.ablated] == ["nothing left out", *names]
    assert results.ablated[0].whole == results.micro
    without = dict(ingredients())["name"]
    assert without == replace(Weights(), name=0.0)


def test_what_is_missed_most_stands_first(results):
    part = Score(0, 0, 0)
    tried = [
        Ablated("nothing left out", Score(8, 2, 2), part),
        Ablated("a", Score(7, 3, 3), part),
        Ablated("b", Score(4, 6, 6), part),
    ]
    table = om.left_out(replace(results, ablated=tuple(tried)))
    assert [(row[0], row[4]) for row in table.rows] == [("nothing left out", None), ("b", "-40.0"), ("a", "-10.0")]


def test_metrics_hold_what_was_tried_and_nothing_that_was_not(results, session, tmp_path):
    content = json.loads(json.dumps(metrics(results, session)))
    assert [one["rate"] for one in content["simulation_curves"]["rates"]] == [None, *RATES]
    assert content["simulation_curves"]["note"].startswith("SIMULATION")
    assert content["ablation"][0]["without"] == "nothing left out"
    plain = om.run_cases(session=ReportSession(tmp_path, session.settings))
    assert not {"simulation_curves", "simulation_shares", "prompts", "ablation"} & metrics(plain, session).keys()
    for section in (om.oracle_curves, om.left_out, om.prompts):
        assert "run the report with -p" in section(plain).lines[0]
    assert (om.oracle_table(plain), om.oracle_shares(plain)) == (None, None)


def stored_file(folder: Path, name: str, mappings: list[tuple[str, str, str]]) -> None:
    alignment = Alignment(tuple(Mapping(*mapping, 1.0) for mapping in mappings))
    plain = save(alignment, folder / f"{name}.rdf")
    (folder / f"{name}.rdf.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()


@pytest.fixture(scope="module")
def beside_others(results, tmp_path_factory):
    """Our own pair, with the alignments of three systems beside it: all right, half, and one of other ontologies."""
    (outcome,) = results.outcomes
    tmp_path = tmp_path_factory.mktemp("beside")
    folder = tmp_path / "baselines" / "2023"
    folder.mkdir(parents=True)
    wanted = sorted(outcome.wanted.triples)
    equal = [triple for triple in wanted if triple[2] == "equivalent"]
    stored_file(folder, "Knows", wanted)
    stored_file(folder, "Half", [*wanted[: len(wanted) // 2], (wanted[0][0], wanted[1][1], "equivalent")])
    stored_file(folder, "Turned", [(target, source, relation) for source, target, relation in equal[:3]])
    stored_file(folder, "Elsewhere", [("http://a#x", "http://b#y", "equivalent")])
    case = MatchingCase(outcome.name, tmp_path / "source.owl", tmp_path / "target.owl")
    stored = stored_alignments(case, outcome.source, outcome.target)
    return replace(results, outcomes=(replace(outcome, stored=stored),))


def test_stored_alignments_are_scored_like_ours_whichever_way_round_and_laid_over_them(beside_others):
    scores = {name: whole for name, whole, _ in compared(beside_others)}
    (outcome,) = beside_others.outcomes
    wanted = len(outcome.wanted.triples)
    assert scores["Knows"] == Score(wanted, 0, 0)
    assert scores["Half"] == Score(wanted // 2, 1, wanted - wanted // 2)
    assert scores["Turned"] == Score(3, 0, wanted - 3)
    assert "Elsewhere" not in scores
    assert scores[beside_others.matcher] == beside_others.micro
    assert [row[0] for row in om.beside(beside_others).rows][0] == "Knows"
    rows = {row[0]: row[1:] for row in om.overlap(beside_others).rows}
    for both, only_ours, _, both_wrong, only_ours_wrong, _ in rows.values():
        assert (both + only_ours, both_wrong + only_ours_wrong) == (beside_others.micro.tp, beside_others.micro.fp)
    assert rows["any of them"][:3] == (beside_others.micro.tp, 0, beside_others.micro.fn)
    alone = om.only_ours(beside_others)
    assert len(alone.rows) == len(outcome.found - outcome.stored[0].found - outcome.stored[1].found)
    assert all({"why", "source", "target"} <= dict(details).keys() for details in alone.details)
    assert all(row[-1] != "us alone" for row in om.often_theirs(beside_others).rows)
    assert all(row[0] == "yes" for row in om.only_theirs(beside_others).rows)


def test_without_stored_alignments_one_sentence_says_so(results):
    assert om.beside(results).lines == ("No alignments of other systems lie beside this data.",)
    for section in (om.overlap, om.only_ours, om.only_theirs, om.often_theirs):
        assert section(results) is None
