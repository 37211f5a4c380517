import json
from dataclasses import replace

import pytest

from kgnb.reporting import entity_alignment as ea
from kgnb.reporting.entity_alignment import drawn, metrics
from kgnb.reporting.sections import rounded
from kgnb.reporting.session import ReportSession
from kgnb.settings import Settings
from tests.reporting.conftest import drawn_cells


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    settings = Settings(embedder="characters", cache=tmp_path_factory.mktemp("cache"))
    return ReportSession(
        tmp_path_factory.mktemp("report"), settings, "kgnb report entity-alignment"
    )


@pytest.fixture(scope="module")
def results(session):
    return ea.run_pair(session=session)


def test_our_own_pair_is_measured_and_every_figure_has_its_source(results, session):
    names = [one.name for one in results.headline]
    assert names == ["no seeds", "30 % seeds", "no seeds, each entity by itself"]
    first, seeded, _ = results.headline
    assert first.measured.ranking.tests == 247 and first.measured.seeds == 0
    assert (seeded.measured.seeds, seeded.measured.ranking.tests) == (74, 247 - 74)  # 30 %
    assert first.measured.ranking.hits1 > 0.9 and first.measured.chosen.f1 > 0.9
    assert first.outcome.share_looked_at <= 0.1 and first.tokens == 0
    assert {row[-1] for row in ea.headline(results).rows} == {"this run"}
    assert len(ea.slices(results)) >= 4 and len(ea.unmatched(results)) >= 2
    alone = {"session": session, "judge": "first", "seeded": True}
    [known], [hidden] = (ea.run_pair(names=how, **alone).headline for how in ("native", "hidden"))
    assert known.name == hidden.name == "30 % seeds"
    assert hidden.measured.ranking.hits1 < known.measured.ranking.hits1
    assert known.measured.seeds == seeded.measured.seeds
    # published figures stand beside ours for their own pair only; an impossible one is marked
    table = ea.headline(replace(results, pair="dbp15k/fr_en"))
    systems = [row[0] for row in table.rows][3:]
    assert systems[0] == "EA-Agent" and {"ChatEA", "TEA"} <= {*systems}
    assert not {"UDCEA", "M, no model"} & {*systems}
    assert "not published" in table.rows[-1]  # a cell without a figure says why
    assert any("cannot go with" in note for note in table.notes)
    ea.save(results, session)
    assert json.loads((session.folder / "metrics.json").read_text()) == json.loads(
        json.dumps(rounded(metrics(results)))
    )
    assert (session.folder / "alignments" / "no-seeds.sssom.tsv").is_file()
    pairs = [("a", "b"), ("c", "d"), ("e", "f")]
    assert drawn(pairs) == drawn(pairs[::-1])  # seeds depend only on the pairs


def test_without_a_reference_the_precision_is_estimated_and_given_seeds_are_used(
    session, results, tmp_path
):
    pair = {"source": "huts:hollenmark", "target": "huts:corvane", "session": session}
    unknown = ea.run_pair(**pair)
    [row] = unknown.headline
    share = row.settled.estimated_precision
    assert row.outcome.alignment.mappings == results.headline[0].outcome.alignment.mappings
    assert row.measured.ranking.tests == 0
    assert f"Estimated precision {100 * share:.1f} %, the share of matches" in str(
        ea.notice(unknown)
    )
    [figures] = metrics(unknown)["headline"]
    assert figures["estimated_precision"] == pytest.approx(100 * share, abs=0.01)
    assert figures["written"] + figures["unsure"] + figures["nobody"] == pytest.approx(
        100, abs=0.05
    )
    assert abs(100 * share - 100 * results.headline[0].measured.chosen.precision) < 10
    # examples are spread evenly over the confidences, with their evidence
    table = ea.errors(unknown)
    sure = [row[3] for row in table.rows if row[2] == "written"]
    assert len(sure) == 50 and sure == sorted(sure) and table.rows[-1][2].startswith("left: ")
    assert all(any("spelling" in text for _, text in lines) for lines in table.details)
    assert sum(row[1] for row in ea.slices(unknown).rows) == row.settled.counts()["matched"]
    assert "Estimated" in ea.risk(unknown).caption
    here = ReportSession(tmp_path, session.settings)
    ea.save(unknown, here)
    assert (tmp_path / "alignments" / "no-seeds.ttl").read_text().count("sameAs") > 100
    assert len(drawn_cells("entity-alignment", unknown, here)) == 9
    (tmp_path / "seeds.tsv").write_text(
        "".join(f"{one}\t{other}\n" for one, other in results.known[:40])
    )
    [row] = ea.run_pair(**pair, seeds=str(tmp_path / "seeds.tsv")).headline
    assert (row.name, row.measured.seeds) == ("the seeds given", 40)
    with pytest.raises(ValueError, match="given together"):
        ea.run_pair(source="huts:hollenmark", session=session)
