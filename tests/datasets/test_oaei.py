"""The OAEI tracks: found, named in either order, missing in a helpful way, and their published
figures met.
"""

from pathlib import Path

import pytest

from kgnb.datasets import oaei, published
from kgnb.datasets.oaei import NAMES, matching_set
from kgnb.datasets.published import MatchingFigure
from kgnb.errors import DataError
from kgnb.mapping_files import load_reference

CELL = (
    "<map><Cell><entity1 rdf:resource='http://cmt#P'/><entity2 rdf:resource='http://confOf#P'/>"
    "<relation>=</relation></Cell></map>"
)
REFERENCE = (
    "<rdf:RDF xmlns='http://knowledgeweb.semanticweb.org/heterogeneity/alignment#'"
    f" xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><Alignment>{CELL}</Alignment></rdf:RDF>"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One pair of the conference track and Agent-OM's table with that pair and its ablations."""
    (tmp_path / "oaei-conference/ontologies").mkdir(parents=True)
    (tmp_path / "oaei-conference/reference").mkdir()
    (tmp_path / "oaei-conference/reference/cmt-confof.rdf").write_text(REFERENCE)
    (tmp_path / "oaei-agent-om-results").mkdir()
    (tmp_path / published.AGENT_OM_TABLE).write_text(
        "LLM,Alignment,Precision,Recall,F1\n"
        "m,conference/cmt-confof/component/source,10.00,10.00,10.00\n"
        "m,conference/cmt-confof/component/llm_with_agent,50.00,100.00,66.67\n"
        "m,anatomy/mouse-human-suite/component/llm_with_agent,95.54,88.92,92.11\n"
    )
    return tmp_path


def test_a_pair_has_two_names_and_one_reference(folder: Path) -> None:
    track = oaei.conference(folder)
    assert len(track.cases) == 21
    straight, turned = track.case("cmt-confof"), track.case("ConfOf-CMT")
    assert (straight.source.name, straight.target.name) == ("cmt.owl", "confof.owl")
    assert (turned.name, turned.source, turned.target) == (
        "confof-cmt",
        straight.target,
        straight.source,
    )
    assert turned.reference == straight.reference
    assert [case.name for case in track.with_reference] == ["cmt-confof"]
    with pytest.raises(ValueError, match="has no case 'cmt-cmt'; it has cmt-conference"):
        track.case("cmt-cmt")


def test_agent_om_is_averaged_over_exactly_the_pairs_at_hand(folder: Path) -> None:
    track = oaei.conference(folder)
    source = "Qiang et al., Agent-OM, PVLDB 18(3), 2024, repository, result-reference.csv"
    assert track.case("cmt-confof").published == (
        MatchingFigure("Agent-OM", 0.5, 1.0, 0.6667, "this pair", source),
    )
    here = [figure for figure in track.published if " this pair" in figure.covers]
    assert [(f.covers, f.precision, f.recall) for f in here] == [
        ("mean of this pair", 0.5, 1.0),
        ("micro over this pair", 0.5, 1.0),
    ]
    assert any("20 of the 21 references are not at hand" in note for note in track.notes)


def test_a_garbled_result_table_is_named_with_its_line(folder: Path) -> None:
    file = folder / published.AGENT_OM_TABLE
    file.write_text(
        "LLM,Alignment,Precision\nm,conference/cmt-confof/component/llm_with_agent,high\n"
    )
    with pytest.raises(DataError, match=r"result-reference.csv:2"):
        oaei.conference(folder)


@pytest.mark.parametrize("name", NAMES[1:])
def test_what_is_missing_says_how_to_get_it(name: str, tmp_path: Path) -> None:
    for folder in (None, tmp_path):
        with pytest.raises(DataError) as refused:
            matching_set(name, folder)
        assert "https://oaei.ontologymatching.org" in refused.value.fix
        assert "KGNB_DATA" in refused.value.fix or "put it there" in refused.value.fix


@pytest.mark.benchmark
def test_the_tracks_at_hand_are_complete(benchmark_data: Path) -> None:
    conference = matching_set("oaei-conference", benchmark_data)
    assert len(conference.with_reference) == 10
    assert all(
        case.source.is_file() and case.target.is_file() and case.published
        for case in conference.cases
    )
    mean, micro = conference.published[-2:]
    assert [round(100 * share, 1) for share in (mean.precision, mean.recall, mean.f1)] == [
        66.0,
        57.1,
        60.0,
    ]
    assert mean.covers == "mean of these 10 pairs"
    assert micro.covers == "micro over these 10 pairs"
    anatomy = matching_set("oaei-anatomy", benchmark_data).case("mouse-human")
    assert anatomy.reference is not None and len(load_reference(anatomy.reference)) == 1516
    mse = matching_set("oaei-mse", benchmark_data)
    assert [case.name for case in mse.with_reference] == ["mse-1-original", "mse-1-edited"]


@pytest.mark.benchmark
def test_all_21_pairs_of_agent_om_average_to_the_published_figure(benchmark_data: Path) -> None:
    figures = published.agent_om_pairs(benchmark_data)
    assert sorted(figures) == sorted(oaei.PAIRS)
    mean, _ = published.over_pairs([(figure, 10) for figure in figures.values()])
    quoted = published.CONFERENCE[0]
    for name in ("precision", "recall", "f1"):
        assert getattr(mean, name) == pytest.approx(getattr(quoted, name), abs=1e-4)


ENTITY = "<{0}#{1}> a <http://www.w3.org/2002/07/owl#Class> .\n"


def laid_out(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def test_multifarm_has_a_folder_of_three_files_for_each_case(tmp_path: Path) -> None:
    for case in ("ar-cn/cmt-edas", "de-fr/cmt-cmt"):
        names = ("source.rdf", "target.rdf", "reference.rdf")
        laid_out(tmp_path / "multifarm" / case, dict.fromkeys(names, "<rdf/>"))
    found = matching_set("multifarm", tmp_path)
    assert [case.name for case in found.cases] == ["ar-cn/cmt-edas", "de-fr/cmt-cmt"]
    case = found.case("de-fr/cmt-cmt")
    assert (case.source.name, case.target.name) == ("source.rdf", "target.rdf")
    assert case.reference is not None and case.reference.name == "reference.rdf"


def test_bio_ml_takes_its_sides_from_the_folders_name_and_a_table_as_reference(
    tmp_path: Path,
) -> None:
    rows = "SrcEntity\tTgtEntity\tScore\nhttp://s#Eye\thttp://d#Eye\t1.0\n"
    files = {"fma.body.owl": ENTITY.format("http://d", "Eye"), "refs_equiv/full.tsv": rows}
    files["snomed.body.owl"] = ENTITY.format("http://s", "Eye")
    laid_out(tmp_path / "bio-ml" / "snomed-fma.body", files)
    case = matching_set("bio-ml", tmp_path).case("snomed-fma.body")
    assert (case.source.name, case.target.name) == ("snomed.body.owl", "fma.body.owl")
    assert case.reference is not None
    assert [m.pair for m in load_reference(case.reference)] == [("http://s#Eye", "http://d#Eye")]


def test_a_folder_without_two_ontologies_says_what_is_expected(tmp_path: Path) -> None:
    (tmp_path / "multifarm" / "empty").mkdir(parents=True)
    with pytest.raises(DataError, match=r"source\.rdf, target\.rdf"):
        matching_set("multifarm", tmp_path)
