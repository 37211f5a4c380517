import pytest

START = "%ea start huts:hollenmark huts:corvane --reference huts:entity-reference"


@pytest.fixture
def aligned(notebook):
    notebook.good(START)
    for stage in ("propose --rounds 1", "plan", "select", "align", "reflect"):
        notebook.good(f"%ea {stage}")
    return notebook


def test_a_stage_a_cell_from_two_catalogues_to_an_export(aligned, folder):
    measured = aligned.good("%ea evaluate").value
    frame = measured.df().set_index("name")
    assert frame.loc["first alignment", "hits1"] > 0.7 and "after the look" in frame.index
    assert measured.notes[0].startswith("ranked among 287")
    assert "wrote pairs.tsv: " in aligned.good("%ea export pairs.tsv").said
    aligned.good("%ea export same.ttl")
    assert len((folder / "pairs.tsv").read_text().splitlines()[0].split("\t")) == 3
    assert "owl:sameAs" in (folder / "same.ttl").read_text()
    run = aligned.good("%ea trace").value
    assert [step.name for step in run.steps] == ["propose", "plan", "select", "align", "reflect"]


def test_an_entity_is_explained_with_a_picture_and_scores_before_and_after(aligned):
    found = aligned.good("%ea explain Adlerhütte").value
    bundle = found._repr_mimebundle_()
    assert "similarity before" in bundle["text/plain"] and "score after" in bundle["text/plain"]
    assert "Refuge de l'Aigle" in bundle["text/plain"] and "<script" not in bundle["text/html"]
    assert any(edge.label == "same as" for edge in found.parts[1].edges)
    assert found.parts[3].startswith("first alignment")
    assert "ambiguous" in str(aligned("%ea explain Schwarzsee").error)
    assert "Did you mean" in getattr(aligned("%ea explain Adlerhüte").error, "fix", "")


def test_what_a_person_decides_holds(aligned, folder):
    table = aligned.good("%ea review --below 0.99 --list").value
    assert len(table) > 3
    number, name = table.rows[0][0], table.rows[0][2].label
    assert name in aligned.good(f"%ea review --below 0.99 --reject {number} --who Ada").said
    assert (folder / "entity-decisions.jsonl").is_file()
    assert len(aligned.good("%ea review --below 0.99 --list").value) == len(table) - 1
    answered = aligned.good("%ea align").value
    assert any("person:Ada" in answer.verdict.judged_by for answer in answered.answers)


def test_the_unmatched_are_listed_written_explained_and_wait_for_a_person(aligned, folder):
    table = aligned.good("%ea unmatched open.tsv").value
    sure = [float(line.split("\t")[2]) for line in (folder / "open.tsv").read_text().splitlines()]
    assert len(sure) == len(table) > 9 and sure == sorted(sure, reverse=True)
    waits = aligned.good("%ea review --list").value
    names = {row[2].label for row in waits.rows}
    assert {row[0].label for row in table.rows} <= names
    assert not any("meaning: 0." in text for _, text in waits.details[0])
    row = next(
        row for row in table.rows if "fits another entity better" in row[3] or "fit other" in row[3]
    )
    assert row[1].label in row[3]
    assert row[3] in str(aligned.good(f"%ea explain {row[0].iri}").value.parts)
    said = aligned.good(f'%ea review --accept {row[0].iri} "{row[1].iri}"').said
    assert row[1].label in said
    aligned.good("%ea export pairs.tsv")
    assert f"{row[0].iri}\t{row[1].iri}\t1\n" in (folder / "pairs.tsv").read_text()


def test_a_name_in_part_and_an_option_of_another_verb_are_recognised(aligned):
    assert "Adlerhütte" in aligned("%ea explain Adlerh").error.fix
    assert (
        "belongs to %ea start, %ea propose, %ea run" in aligned("%ea align --precision 0").error.fix
    )


def test_a_simulation_is_named_as_one(notebook):
    notebook.good(START)
    alignment = notebook.good("%ea run --judge oracle --rounds 0").value
    assert alignment.notes[0].startswith("SIMULATION")
    assert any("model tokens per entity" in note for note in alignment.notes)


def test_seeds_that_are_not_there_are_an_error_with_a_line(notebook):
    assert "no such file" in str(
        notebook("%ea start huts:hollenmark huts:corvane --seeds nofile.tsv").error
    )
    assert "no folder" in str(
        notebook("%ea start huts:hollenmark huts:corvane --seeds folder").error
    )
