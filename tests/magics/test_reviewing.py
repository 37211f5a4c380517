import os
from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.magics.arguments import LineError
from kgnb.mapping_files import reviews
from kgnb.settings import Settings
from kgnb.tasks.matching import match_ontologies
from tests.magics.conftest import Notebook

ALPINE, REFUGE = "http://huts.example/alpine#", "http://huts.example/refuge#"


@pytest.fixture
def waiting(notebook: Notebook) -> Notebook:
    for line in (
        "start alpine.ttl refuge.ttl",
        "retrieve",
        "store",
        "search --similarity 0",
        "summarise",
    ):
        notebook.good(f"%om {line}")
    notebook.good("%om validate --judge person --decisions mine.jsonl")
    return notebook


def test_the_list_shows_both_sides_evidence_and_how_to_answer(waiting: Notebook) -> None:
    table = waiting.good("%om review --list").value
    assert len(table) == len(waiting.matching.values["summarise"].questions)
    assert list(table.df()["number"]) == list(range(1, len(table) + 1))
    details = "\n".join(f"{head} {text}" for head, text in table.details[0])
    assert "alpine#" in details and "refuge#" in details and "rank" in details
    assert "--accept" in table.notes[-1]


def test_an_accepted_item_is_kept_with_its_reviewer_and_leaves_the_list_from_both_sides(
    waiting: Notebook,
) -> None:
    before = waiting.good("%om review --list").value.df()
    cell = waiting.good("%om review --accept Hut MountainHut --who Ada")
    assert cell.said.startswith("hut: equivalent mountain hut (Ada), saved in mine.jsonl;")
    assert cell.value is None
    after = waiting.good("%om review --list").value.df()
    gone = set(before["name"]) - set(after["name"])
    assert gone == {ALPINE + "Hut", REFUGE + "MountainHut"} or {"hut", "mountain hut"} <= gone
    assert set(after["number"]) < set(before["number"])  # numbers stay
    validated = waiting.good("%om validate --judge rule").value
    by = {one.question.about.iri: one.verdict for one in validated.judged}
    assert by[ALPINE + "Hut"].judged_by == by[REFUGE + "MountainHut"].judged_by == "person:Ada"


def test_looking_at_the_queue_and_deciding_one_leaves_the_others_waiting(
    notebook: Notebook,
) -> None:
    for graph in ("bakery Bread Oven Crumb Glaze", "pastry Bread Kiln Flake Icing"):
        name, *classes = graph.split()
        lines = [f"<http://{name}.example/{one}> a owl:Class ." for one in classes]
        notebook.good("\n".join([f"%%turtle {name}", *lines]))
    notebook.good("%om start bakery pastry --judge rule")
    first = notebook.good("%om run").value
    assert len(first.unsure) > 1
    notebook.good("%om review --list --decisions mine.jsonl")
    again = notebook.good("%om run").value
    assert (again.mappings, again.unsure) == (first.mappings, first.unsure)
    notebook.good("%om review --accept Oven Kiln")
    left = notebook.good("%om run").value
    assert len(left) == len(first) + 1
    assert 0 < len(left.unsure) < len(first.unsure)


def test_an_empty_queue_names_a_line_that_shows_what_was_decided(waiting: Notebook) -> None:
    waiting.good("%om validate --judge rule")
    table = waiting.good("%om review --list").value
    assert not len(table)
    line = "%" + table.notes[-1].partition("%")[2]
    assert line.startswith("%om review --below ")
    assert len(waiting.good(f"{line} --list").value)


def test_numbers_name_items_and_choices_and_decisions_can_be_withdrawn(waiting: Notebook) -> None:
    many = len(waiting.good("%om review --list").value)
    waiting.good("%om review --reject 1")
    waiting.good("%om review --withdraw 1")
    assert len(waiting.good("%om review --list").value) == many
    waiting.good("%om review --reject 1")
    waiting.good("%om review --broader 2 2")
    table = waiting.good("%om review --list").value
    assert {1, 2}.isdisjoint(table.df()["number"])
    assert "2 decisions in mine.jsonl" in table.notes


def test_rejecting_one_candidate_leaves_the_others_open(waiting: Notebook) -> None:
    assert "hut is not mountain hut" in waiting.good("%om review --reject Hut MountainHut").said
    verdicts = waiting.good("%om validate --judge rule").value.judged
    [verdict] = [one.verdict for one in verdicts if one.question.about.iri == ALPINE + "Hut"]
    assert verdict.choice != REFUGE + "MountainHut" and not verdict.judged_by.startswith("person")


def test_a_verdict_the_judge_was_sure_of_can_be_overruled(waiting: Notebook) -> None:
    waiting.good("%om validate --judge rule")
    waiting.good("%om review --reject http://huts.example/alpine#Kitchen --decisions other.jsonl")
    waiting.good("%om validate")
    alignment = waiting.good("%om merge").value
    assert ALPINE + "Kitchen" not in {mapping.source for mapping in alignment}


def test_wrong_items_and_choices_say_what_there_is(waiting: Notebook) -> None:
    for line, kind, says in (
        ("--accept 999", DataError, "there is no question 999"),
        ("--accept Nonsense", DataError, "there is no question about"),
        ("--accept Kitchen", DataError, "ambiguous: source"),
        ("--accept Hut Nonsense", LineError, "choose from 1. "),
        ("--accept Hut 99", LineError, "choose from 1. "),
        ("--accept Hut 1 2", LineError, "quotes"),
        ("--accept Hut --decisions d.sssom.tsv", LineError, "--import"),
    ):
        error = waiting(f"%om review {line}").error
        assert isinstance(error, kind), (line, error)
        rendered = "\n".join(error._render_traceback_())
        assert says in rendered, rendered
        if line == "--accept Hut --decisions d.sssom.tsv":
            continue
        waiting.good("%om review --list --decisions mine.jsonl")


def test_decisions_travel_as_sssom_and_are_honoured_by_a_script(
    waiting: Notebook, folder: Path
) -> None:
    waiting.good("%om review --accept Hut MountainHut --who Ada")
    waiting.good("%om review --reject http://huts.example/alpine#Kitchen --who Bo")
    assert "decisions to out.sssom.tsv" in waiting.good("%om review --export out.sssom.tsv").said
    kept = reviews.read(folder / "out.sssom.tsv")
    assert "hut" in {one.mapping.source_label for one in kept}
    assert {one.who for one in kept} == {"Ada", "Bo"} and all(one.when for one in kept)
    settings = Settings.load().with_(embedder="characters")
    for order in (("alpine.ttl", "refuge.ttl"), ("refuge.ttl", "alpine.ttl")):
        alignment = match_ontologies(
            *order, judge="rule", settings=settings, decisions=folder / "out.sssom.tsv"
        )
        by = {frozenset(mapping.pair): mapping for mapping in alignment}
        assert by[frozenset((ALPINE + "Hut", REFUGE + "MountainHut"))].judged_by == "person:Ada"
        assert frozenset((ALPINE + "Kitchen", REFUGE + "Kitchen")) not in by


def test_sssom_of_somebody_else_is_taken_over_whichever_way_round(
    waiting: Notebook, folder: Path
) -> None:
    rows = [
        "subject_id\tpredicate_id\tobject_id\treviewer_label",
        f"{REFUGE}HutKeeper\tskos:broadMatch\t{ALPINE}Warden\tCy",
        f"{REFUGE}House\tskos:exactMatch\thttp://elsewhere.example/a#B\tCy",
    ]
    (folder / "theirs.tsv").write_text("\n".join(rows) + "\n")
    cell = waiting.good("%om review --import theirs.tsv")
    assert "added 1 decision to mine.jsonl; skipped 1 about other entities" in cell.said
    assert "added 0 decisions" in waiting.good("%om review --import theirs.tsv").said
    alignment = [
        waiting.good(f"%om {stage}").value for stage in ("validate --judge rule", "merge")
    ][1]
    [mapping] = [one for one in alignment if one.source == ALPINE + "Warden"]
    assert (mapping.relation, mapping.judged_by) == ("narrower", "person:Cy")


@pytest.mark.fault("decisions of others")
def test_decisions_that_are_merely_found_are_said_with_whose_they_are(
    waiting: Notebook, folder: Path, notebook: Notebook
) -> None:
    waiting.good("%om review --accept Hut Hut --who ada")
    (folder / "mine.jsonl").rename(folder / "decisions.jsonl")
    for line in ("start alpine.ttl refuge.ttl", "retrieve", "store", "search", "summarise"):
        notebook.good(f"%om {line}")
    notebook.good("%om validate --judge rule")
    said = notebook.good("%om review --list").said
    assert "decisions.jsonl was found here: 1 decision by ada" in said
    # from now on it is the one in use
    assert "found" not in notebook.good("%om review --list").said


@pytest.mark.fault("decisions of others")
@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a file away"
)
def test_decisions_of_another_user_count_only_if_named(waiting: Notebook, folder: Path) -> None:
    waiting.good("%om review --accept Hut Hut --who eve")
    (folder / "mine.jsonl").rename(folder / "decisions.jsonl")
    os.chown(folder / "decisions.jsonl", 65534, 65534)
    for line in ("start alpine.ttl refuge.ttl", "retrieve", "store", "search", "summarise"):
        waiting.good(f"%om {line}")
    waiting.good("%om validate --judge rule")
    assert "belongs to another user" in str(waiting("%om review --list").error)
    assert waiting.good("%om review --list --decisions decisions.jsonl")
