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
    assert "wrote pairs.txt: " in aligned.good("%ea export pairs.txt").said
    aligned.good("%ea export same.ttl")
    assert len((folder / "pairs.txt").read_text().splitlines()[0].split("\t")) == 3
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


def test_the_unmatched_are_explained_and_wait_for_a_person(aligned, folder):
    waits = aligned.good("%ea review --list").value
    assert len(waits) > 9 and not any("meaning: 0." in text for _, text in waits.details[0])
    settled = aligned.session.tasks["entity_alignment"].settled()
    row = next(row for row in settled.unmatched_rows() if "fit" in settled.why_unmatched(row))
    source = settled.proposal.left.entities[int(settled.proposal.sources[row])]
    best = settled.proposal.right.entities[int(settled.proposal.candidates[row, 0])]
    assert source in {line[2].iri for line in waits.rows}
    assert settled.why_unmatched(row) in str(aligned.good(f"%ea explain {source}").value.parts)
    aligned.good(f'%ea review --accept {source} "{best}"')
    aligned.good("%ea export pairs.txt")
    assert f"{source}\t{best}\t1\n" in (folder / "pairs.txt").read_text()


def test_a_name_in_part_and_an_option_of_another_verb_are_recognised(aligned):
    assert "Adlerhütte" in aligned("%ea explain Adlerh").error.fix
    assert (
        "belongs to %ea start, %ea propose, %ea run" in aligned("%ea align --precision 0").error.fix
    )


def test_a_simulation_is_named_as_one(notebook):
    notebook.good(START)
    alignment = notebook.good("%ea run --judge oracle --rounds 0").value
    assert alignment.notes[0].startswith("SIMULATION")
    assert any("model tokens an entity" in note for note in alignment.notes)


def test_seeds_that_are_not_there_are_an_error_with_a_line(notebook):
    assert "no such file" in str(
        notebook("%ea start huts:hollenmark huts:corvane --seeds nofile.tsv").error
    )
    assert "no folder" in str(
        notebook("%ea start huts:hollenmark huts:corvane --seeds folder").error
    )


def test_who_loses_a_counterpart_to_a_decision_is_not_given_a_doubtful_one(notebook, folder):
    ours = "id,name,street,city\n1,Ebb Boats,7 Shore,Elie\n2,Fine Hats,8 Loan,Fife\n3,Blue Pump,2 Quay,Bute\n"
    theirs = "no;firm;place;town\nu;Ebb Boatyard;7 Shore;Elie\nv;Grey Motors;9 East;Girvan\nw;Blue Pumps;2 Quay;Bute"
    (folder / "ours.csv").write_text(ours, encoding="utf-8")
    (folder / "theirs.csv").write_text(theirs, encoding="utf-8")
    notebook.good("%ea start ours.csv theirs.csv\n%ea run")
    notebook.good('%ea review --accept "Fine Hats" "Ebb Boatyard"')
    found = notebook.good("x = %ea run\nx").value
    pairs = {(one.source_label, one.target_label): one.confidence for one in found}
    assert pairs["Fine Hats", "Ebb Boatyard"] == 1.0
    assert min(pairs.values()) > 0.5 and not any("Ebb Boats" in pair for pair in pairs)


def test_nobody_is_asked_about_what_hardly_has_a_counterpart(notebook, folder):
    ours = [
        f"{at},{name} Mill,{at} Shore Road,Elie"
        for at, name in enumerate("Ash Birch Cedar".split())
    ]
    theirs = [
        f"{at},{name} Club,{at}0 Loan,Fife" for at, name in enumerate("Oak Pine Rowan".split())
    ]
    header = "id,name,street,city"
    (folder / "ours.csv").write_text(
        "\n".join([header, *ours, "9,Blue Pump,2 Quay,Bute"]), encoding="utf-8"
    )
    (folder / "theirs.csv").write_text(
        "\n".join([header, *theirs, "8,Blue Pumps,2 Quay,Bute"]), encoding="utf-8"
    )
    notebook.good("%ea start ours.csv theirs.csv\n%ea run")
    waits = notebook.good("%ea review --list").value
    assert not {"Ash Mill", "Birch Mill", "Cedar Mill"} & {line[2].label for line in waits.rows}
    notebook.good('%ea review --accept "Ash Mill" "Oak Club"')
    found = notebook.good("x = %ea run\nx").value
    assert ("Ash Mill", "Oak Club") in {(one.source_label, one.target_label) for one in found}
