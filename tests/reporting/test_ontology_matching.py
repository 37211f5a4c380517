import json

import pytest

from kgnb.errors import ConfigError, DataError
from kgnb.evaluate.alignment import Score
from kgnb.reporting import ontology_matching as om
from kgnb.reporting.ontology_matching.sections import metrics
from kgnb.reporting.session import ReportSession
from kgnb.run import Run
from kgnb.settings import Settings
from tests.reporting.conftest import drawn_cells


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    settings = Settings(embedder="characters", cache=tmp_path_factory.mktemp("cache"))
    return ReportSession(folder, settings, "kgnb report ontology-matching")


@pytest.fixture(scope="module")
def results(session):
    return om.run_cases(session=session)


def test_our_own_pair_is_matched_scored_and_its_errors_open_to_their_reasons(results):
    assert [one.name for one in results.outcomes] == ["alpine-refuge"]
    assert results.micro.tp > 20 and results.micro == results.outcomes[0].score
    assert sum(results.per_kind.values(), Score(0, 0, 0)) == results.micro
    table = om.headline(results)
    assert [column.title for column in table.columns][-1] == "Where it is from"
    assert [(row[0], row[1], row[-1]) for row in table.rows] == [("kgnb (rule judge)", "this pair", "this run")]
    wrong, missed = om.wrong(results), om.missed(results)
    assert (len(wrong), len(missed)) == (results.micro.fp, results.micro.fn)
    assert all(dict(details)["why"] for details in wrong.details)
    assert all({"source", "target"} <= {head for head, _ in details} for details in missed.details)
    assert all(row[4] for row in missed.rows)
    assert om.headline_bars(results).svg() == om.headline_bars(results).svg()
    bundle = om.risk(results)._repr_mimebundle_()["text/html"]
    assert 'alt="Risk over coverage.' in bundle and "prefers-color-scheme: dark" in bundle


def test_two_reports_embed_every_text_once(results, session, tmp_path):
    first = om.run_cases(session=ReportSession(tmp_path / "first", session.settings.with_(cache=tmp_path / "cache")))
    assert first.cost.texts_embedded > 100
    again = om.run_cases(session=ReportSession(tmp_path, session.settings))
    assert (again.cost.texts_embedded, again.cost.calls) == (0, 0)
    assert again.cost.texts_reused >= first.cost.texts_embedded
    assert metrics(again, session) == metrics(results, session)


def test_an_ontology_in_several_pairs_is_stored_once(session, tmp_path):
    named = {"source": "huts:alpine", "target": "huts:refuge"}
    once = om.run_cases(session=ReportSession(tmp_path / "a", session.settings), **named)
    twice = om.run_cases(session=ReportSession(tmp_path / "b", session.settings), pairs="alpine-refuge, refuge-alpine")
    assert twice.cost.points == 2 * once.cost.points
    assert twice.cost.points_written == once.cost.points_written
    assert len(twice.ontologies) == 2
    assert {one.score.tp for one in twice.outcomes} == {twice.outcomes[0].score.tp}


def test_the_files_say_the_same_every_time(results, session, tmp_path):
    om.save(results, session)
    first = (session.folder / "metrics.json").read_bytes()
    again = ReportSession(tmp_path, session.settings, session.command)
    om.save(om.run_cases(session=again), again)
    assert (tmp_path / "metrics.json").read_bytes() == first
    content = json.loads(first)
    assert content["pairs"][0]["pair"] == "alpine-refuge"
    for part in (content["micro"], content["mean"], content["pairs"][0]):
        assert {"precision", "recall", "f1"} <= part.keys()
    assert {"calls", "tokens"} <= content["cost"].keys()
    names = {path.name for path in (tmp_path / "alignments").iterdir()}
    assert names == {"alpine-refuge.rdf", "alpine-refuge.sssom.tsv"}
    assert Run.load(tmp_path / "run").state == "done"


def test_without_a_reference_nothing_is_measured_and_nothing_breaks(session, tmp_path):
    here = ReportSession(tmp_path, session.settings)
    results = om.run_cases(session=here, source="huts:alpine", target="huts:refuge")
    assert results.mean is None and "nothing is measured" in om.headline(results).notes[0]
    assert len(drawn_cells("ontology-matching", results, here)) > 15
    om.save(results, here)
    assert json.loads((tmp_path / "metrics.json").read_text())["micro"] is None


def test_a_simulation_says_so_in_every_table_and_plot(session, tmp_path):
    given = ReportSession(tmp_path, session.settings)
    results = om.run_cases(session=given, judge="oracle", error_rate=0.2, seed=3)
    assert results.outcomes[0].simulated > 0
    for table in (om.headline(results), om.by_pair(results), om.behind(results)):
        assert "SIMULATION" in table.caption
    for plot in (om.headline_bars(results), om.risk(results), om.thresholds(results)):
        assert "SIMULATION" in plot.caption
    assert om.notice(results).lines[0].startswith("SIMULATION")
    assert metrics(results, given)["headline"][0]["matcher"].startswith("kgnb, SIMULATION")


def test_the_oracle_knows_the_reference_whichever_way_round_it_is_asked(session, tmp_path):
    given = ReportSession(tmp_path, session.settings)
    results = om.run_cases(session=given, judge="oracle", pairs="alpine-refuge, refuge-alpine")
    there, back = (one.score for one in results.outcomes)
    assert there.recall > 0.7 and back.recall > 0.7


def test_wrong_input_is_refused(session, tmp_path):
    given = ReportSession(tmp_path, session.settings)
    with pytest.raises(ValueError, match="go together"):
        om.run_cases(session=given, source="huts:alpine")
    with pytest.raises(ValueError, match="has no case 'a-b'"):
        om.run_cases(session=given, pairs="a-b")
    with pytest.raises(ConfigError, match="asks a model"):
        om.run_cases(session=given, judge="model")
    (tmp_path / "stranger.rdf").write_text(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns="http://knowledgeweb.semanticweb.org/heterogeneity/alignment"><Alignment><map><Cell>'
        '<entity1 rdf:resource="http://a/x"/><entity2 rdf:resource="http://b/y"/><relation>=</relation>'
        "<measure>1</measure></Cell></map></Alignment></rdf:RDF>"
    )
    named = {"source": "huts:alpine", "target": "huts:refuge", "reference": str(tmp_path / "stranger.rdf")}
    with pytest.raises(DataError, match="none of the reference's pairs"):
        om.run_cases(session=given, **named)
