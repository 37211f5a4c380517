from pathlib import Path

import pytest

from kgnb.agents.agent import OutOfOrder
from kgnb.agents.ontology_matching.coherence import Coherence
from kgnb.agents.ontology_matching.values import Described, Found, Stored, Summarised, Validated
from kgnb.errors import DataError
from kgnb.magics.arguments import LineError
from kgnb.mapping_files import load
from kgnb.mappings import Alignment
from kgnb.run import Run
from tests.magics.conftest import PAIRS, Notebook

STAGES = ("retrieve", "store", "search", "summarise", "validate", "merge")


def pairs(alignment: Alignment) -> set[tuple[str, str]]:
    return {
        (mapping.source.partition("#")[2], mapping.target.partition("#")[2])
        for mapping in alignment
    }


@pytest.fixture
def started(notebook: Notebook) -> Notebook:
    notebook.good("%om start alpine.ttl refuge.ttl --reference reference.rdf")
    return notebook


def test_the_six_stages_give_their_typed_values_each_in_a_line_and_run_does_them_all_at_once(
    started: Notebook,
) -> None:
    cells = [started.good(f"%om {stage}") for stage in STAGES]
    assert [type(cell.value) for cell in cells] == [
        Described,
        Stored,
        Found,
        Summarised,
        Validated,
        Alignment,
    ]
    for stage, cell in zip(STAGES, cells, strict=True):
        [said] = cell.said.strip().splitlines()
        assert said.startswith(f"{stage}: ") and "; 0 model calls; " in said and said.endswith("s")
    cell = started.good("%om run")
    assert cell.value == cells[-1].value and pairs(cell.value) >= {
        ("Kitchen", "Kitchen"),
        ("Building", "House"),
    }
    assert len(cell.said.strip().splitlines()) == 1 and cell.said.startswith("run: ")
    run = started.good("%om trace").value
    assert isinstance(run, Run) and [step.name for step in run.steps] == list(STAGES)
    assert run.state == "done" and run.totals["judgements"] > 0


def test_start_takes_graphs_by_name_and_python_objects(notebook: Notebook) -> None:
    notebook.good("%kg open alpine.ttl --as a")
    notebook.good("%kg open refuge.ttl --as b")
    frame = notebook.good("%om start a b").value.df()
    assert frame["class"].tolist() == [4, 4]
    from rdflib import Graph

    notebook.shell.user_ns["mine"] = Graph().parse("refuge.ttl")
    assert notebook.good("%om start a {{mine}}").value.df()["object property"].tolist() == [1, 1]


def test_what_comes_too_early_names_the_lines_to_run_first(notebook: Notebook) -> None:
    notebook.good("%kg open alpine.ttl --as a")
    notebook.good("%kg open refuge.ttl --as b")
    for verb in (*STAGES, "run", "evaluate", "explain Hut", "export a.rdf", "trace", "review"):
        error = notebook(f"%om {verb}").error
        assert isinstance(error, OutOfOrder) and "%om start a b" in error.fix, verb
    notebook.good("%om start a b")
    for done, asked, fix in (
        ("", "trace", "Run one: %om retrieve"),
        ("", "summarise", "%om retrieve, then %om store, then %om search"),
        ("retrieve store", "validate", "in a cell above: %om search, then %om summarise, or"),
    ):
        for stage in done.split():
            notebook.good(f"%om {stage}")
        error = notebook(f"%om {asked}").error
        assert isinstance(error, OutOfOrder) and fix in error.fix


def test_a_stage_that_runs_again_discards_later_ones_and_one_that_fails_keeps_the_earlier(
    started: Notebook,
) -> None:
    started.good("%om run")
    assert (
        "discarded, to be run again: summarise, validate, merge"
        in started.good("%om search --k 1").said
    )
    assert isinstance(started("%om merge").error, OutOfOrder)
    started.good("%om summarise")
    assert "%llm use" in started("%om validate --judge model").why
    assert list(started.matching.values) == list(STAGES[:4])

    class Stopped:
        name = "stopped"

        def judge(self, questions: object) -> list[object]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        started.matching.do("validate", judge=Stopped())
    assert (
        list(started.matching.values) == list(STAGES[:4])
        and started.matching.run.state == "cancelled"
    )
    assert list(started.good("%om validate").value.judged), "a line that failed sets no option"
    started.good("%om merge")


def test_options_hold_for_later_stages_the_line_before_the_cell_before_the_session(
    started: Notebook,
) -> None:
    started.good("%om retrieve --context 'mountain huts'")
    started.good("%om store")
    started.good("%om search --k 2 --similarity 0.3")
    assert started.good("%om summarise").value.questions[0].context == "mountain huts"
    started.good("%om start alpine.ttl refuge.ttl --confidence 0.6")
    assert started.matching.option("k") == 5
    started.good("%%om run --k 2\nk = 3\ncontext = \"huts, with 'quotes' and --dashes\"\n")
    options = started.matching["options"]
    assert (options.k, options.confidence, options.context) == (
        2,
        0.6,
        "huts, with 'quotes' and --dashes",
    )


def test_a_line_means_the_same_whatever_was_tried_before_it(started: Notebook) -> None:
    plain = str(started.good("%om run").value.df())
    assert str(started.good("%om run --confidence 0.99").value.df()) != plain
    assert str(started.good("%om run").value.df()) == plain


def test_an_option_holds_for_what_is_built_on_its_value_and_is_said(started: Notebook) -> None:
    started.good("%om retrieve\n%om store\n%om search --k 2")
    assert "as an earlier line said: k 2" in started.good("%om summarise").printed
    started.good("%om search")
    assert "as an earlier line said" not in started.good("%om summarise").printed


def test_the_oracle_answers_from_the_reference_and_is_called_a_simulation(
    started: Notebook,
) -> None:
    alignment = started.good("%om run --judge oracle --error-rate 0").value
    assert pairs(alignment) == set(PAIRS)
    assert "simulation" in started.matching.values["validate"].judge
    started.good("%om run --judge oracle --error-rate 0.3")
    assert "error rate 0.3" in started.matching.values["validate"].judge
    assert isinstance(started("%om validate --error-rate 1.5").error, LineError)


def test_a_missing_or_malformed_file_is_a_clear_error_and_keeps_the_task(
    started: Notebook, folder: Path
) -> None:
    (folder / "broken.ttl").write_text("@prefix : <http://x> . :a :b", encoding="utf-8")
    (folder / "empty.ttl").write_text("", encoding="utf-8")
    for line, name in (
        ("%om start alpine.ttl nothing.ttl", "nothing.ttl"),
        ("%om start broken.ttl refuge.ttl", "broken.ttl"),
        ("%om start alpine.ttl empty.ttl", "empty.ttl"),
        ("%om start alpine.ttl refuge.ttl --reference nothing.rdf", "nothing.rdf"),
    ):
        error = started(line).error
        assert isinstance(error, DataError), line
        assert name in str(error) and error.fix, line
    assert started.matching["source"].iri == "http://huts.example/alpine"
    assert started.good("%om run").said.count("The last %om start failed; this still uses") == 1
    started.good("%om start alpine.ttl refuge.ttl")
    assert "failed" not in started.good("%om run").said


def test_export_writes_what_the_importer_reads(started: Notebook, folder: Path) -> None:
    alignment = started.good("%om run").value
    for name in ("out.rdf", "out.sssom.tsv", '"with blank.ttl"'):
        cell = started.good(f"%om export {name}")
        said = f"wrote {name.strip(chr(34))}: {len(alignment)} mappings"
        assert said in cell.printed
        assert pairs(load(folder / name.strip('"'))) == pairs(alignment)
    assert ".sssom.tsv" in started("%om export out.docx").why


def test_individuals_are_read_when_they_are_asked_for(notebook: Notebook, folder: Path) -> None:
    extra = "\n<http://huts.example/alpine#Vernagt> a <http://huts.example/alpine#Hut> .\n"
    with (folder / "alpine.ttl").open("a", encoding="utf-8") as file:
        file.write(extra)
    notebook.good("%om start alpine.ttl refuge.ttl")
    assert not notebook.matching["source"].of_kind("individual")
    notebook.good("%om run --individuals")
    assert len(notebook.matching["source"].of_kind("individual")) == 1


def test_a_reference_is_compared_in_either_order_and_a_foreign_one_refused(
    started: Notebook, folder: Path
) -> None:
    started.good("%om run")
    straight = started.good("%om evaluate").value
    frame = straight.df().set_index("name")
    assert frame.loc["all", "f1"] == 1.0
    assert frame.loc["all", "wanted"] == len(PAIRS)
    assert frame.loc["non-trivial", "wanted"] < len(PAIRS)
    started.good("%om start refuge.ttl alpine.ttl")
    started.good("%om run")
    turned = started.good("%om evaluate --reference reference.rdf").value
    assert turned.df().set_index("name").loc["all", "f1"] == 1.0
    assert any("swapped" in note for note in turned.notes)
    foreign = (
        (folder / "reference.rdf")
        .read_text(encoding="utf-8")
        .replace("huts.example", "other.example")
    )
    (folder / "foreign.rdf").write_text(foreign, encoding="utf-8")
    assert "none of the reference's pairs" in started("%om evaluate --reference foreign.rdf").why
    started.good("%om start alpine.ttl refuge.ttl")
    started.good("%om run")
    assert "--reference FILE" in started("%om evaluate").why


def test_coherence_is_checked_by_a_reasoner_or_says_why_not(started: Notebook) -> None:
    assert isinstance(started("%om coherence").error, OutOfOrder)
    started.good("%om run")
    found = started.good("%om coherence").value
    assert isinstance(found, Coherence)
    assert found.coherent or "not installed" in str(found)
    server = type(started.session).graph_of(started.session, "http://127.0.0.1:9/sparql")
    assert server is None  # nothing is fetched from a server to be reasoned about


def test_similar_finds_entities_of_both_sides_by_a_text(started: Notebook) -> None:
    assert "%om store" in str(started("%om similar warden").error)
    started.good("%om run")
    table = started.good("%om similar mountain hut --k 2").value.df()
    assert list(table["side"]) == ["source", "source", "target", "target"]
    assert "hut" in str(table["entity"].iloc[0]).lower()
    assert table["cosine"].iloc[0] >= table["cosine"].iloc[1]
    kinds = started.good('%om similar warden --kind "object property"').value.df()["kind"]
    assert set(kinds) <= {"object property"}
