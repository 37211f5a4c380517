"""``%kgc``: a graph built a stage a cell, on the kitchens."""

from pathlib import Path
from typing import Any

import rdflib

from kgnb.magics.kgc import BuildingTask
from kgnb.widgets.form import Form


def compiled(notebook: Any) -> Any:
    notebook.good("%kgc compile huts:kitchen --shapes huts:kitchen-shapes")
    return notebook


def test_the_pack_shows_itself_and_stages_follow(notebook: Any, tmp_path: Path) -> None:
    pack = notebook.good("%kgc compile huts:kitchen --shapes huts:kitchen-shapes").value
    assert "kitchen.ttl: 64 tools" in pack.table().text()
    assert "no IRI" not in pack.table().text()  # its shapes bound numbers by numbers
    assert 1 < len(notebook.good("%kgc plan --steps").value) <= len(pack.plan)
    assert notebook.good("%kgc plan").value.prompts[0].generic
    built = notebook.good("%kgc instantiate huts:kitchen-notes --judge rule").value
    assert built.counts()["documents"] == 15
    scores = notebook.good("%kgc evaluate huts:kitchen-reference").value.text()
    assert "micro" in scores
    assert "Nothing is missing" in notebook.good("%kgc missing").value.caption
    grounded = notebook.good("%kgc ground huts:pantry").value
    assert len(grounded) > 30
    told = notebook.good("%kgc explain smoked ham").value.text()
    assert "smoked ham" in told
    assert "add_of_ingredient" in told
    out = tmp_path / "kitchen.trig"
    notebook.good(f"%kgc export {out}")
    assert rdflib.Dataset().parse(out) is not None
    assert "smoked ham" in notebook.good("%kgc picture").value.text()


def test_the_trace_holds_every_stage_since_the_ontology_was_compiled(notebook: Any) -> None:
    compiled(notebook)
    assert [step.name for step in notebook.good("%kgc trace").value.steps] == ["compile"]
    notebook.good("%kgc plan")
    notebook.good("%kgc instantiate huts:kitchen-notes --judge rule")
    notebook.good("%kgc ground huts:pantry")
    run = notebook.good("%kgc trace").value
    assert [step.name for step in run.steps] == ["compile", "plan", "plan", "instantiate", "ground"]
    assert run.steps[0].counts["tools"] == 64
    assert run.state == "done" and notebook.session.runs == [run]
    compiled(notebook)
    again = notebook.good("%kgc trace").value
    assert again is not run and [step.name for step in again.steps] == ["compile"]


def test_a_spent_budget_gives_way_to_the_one_that_is_set_now(notebook: Any) -> None:
    compiled(notebook)
    run = notebook.good("%kgc trace").value
    run.stop()
    notebook("%kgc instantiate huts:kitchen-notes --judge rule")
    assert run.limit
    notebook.good("%kgc plan")
    assert notebook.good("%kgc trace").value is not run


def test_a_person_calls_a_tool_by_line_or_form_and_learns_what_is_wrong(notebook: Any) -> None:
    compiled(notebook)
    refused = notebook.good("%kgc call create_temperature value=120 unit=Celcius").value.text()
    assert "degree Celsius" in refused
    assert "refused" in refused and "unit: unit" not in refused
    notebook.good("%kgc call create_simmer --who Ada label=Simmering step_number=1")
    assert "https://" not in notebook.good("%kgc missing").value.text()
    assert (
        "written"
        in notebook.good(
            '%kgc call create_temperature value=120 "unit=degree Celsius"'
        ).value.text()
    )
    form = notebook.good("%kgc call create_temperature value=80 --who Ada --fill").value
    assert isinstance(form, Form)
    (unit,) = [one.widget for one in form.controls if one.name == "unit"]
    unit.value = "degree Celsius"
    assert form.line == '%kgc call --who Ada create_temperature value=80 "unit=degree Celsius"'
    facts = len(notebook.session.tasks["kg_construction"].session.facts)
    form.run()
    assert len(notebook.session.tasks["kg_construction"].session.facts) > facts


def test_what_comes_too_early_says_what_to_run(notebook: Any) -> None:
    assert "%kgc compile" in str(notebook("%kgc plan").error)
    compiled(notebook)
    assert "there is no tool" in str(notebook("%kgc call create_castle").error)
    assert "Did you mean label" in str(notebook("%kgc call create_hut labl=x").error)
    assert "nothing in the graph is called 'marmot'" in str(notebook("%kgc explain marmot").error)
    assert "%kgc ground" in str(notebook("%kgc review --links").error)


def test_a_graph_grows_over_cells_and_is_compared_with_any_reference(
    notebook: Any, tmp_path: Path
) -> None:
    compiled(notebook)
    (tmp_path / "one.md").write_text(
        "# Tea\n\nHut: Refuge de l'Ambre\nDish: tea (soup)\nServes 4\n\n- 2 l water\n"
    )
    (tmp_path / "two.md").write_text(
        "# Broth\n\nHut: Hochkarhaus\nDish: broth (soup)\nServes 8\n\n- 3 l water\n"
    )
    notebook.good(f"%kgc instantiate {tmp_path / 'one.md'} --judge rule")
    built = notebook.good(f"%kgc instantiate {tmp_path / 'two.md'} --judge rule").value
    assert [journal.document for journal in built.journals] == ["one.md", "two.md"]
    assert "object: water" in (shown := notebook.good("%kgc explain water").value).text()
    assert not [
        row for row in shown.rows if "https://" in str(row[1])
    ]  # names, not what was minted for them
    built.save(tmp_path / "all.ttl")
    table = notebook.good(f"%kgc evaluate {tmp_path / 'all.ttl'}").value.text()
    assert "100.0 %" in table.splitlines()[-1]
    task = notebook.session.tasks["kg_construction"]
    assert isinstance(task, BuildingTask)
    assert task.built is built


def test_a_graph_is_not_lost_by_compiling_again_nor_a_file_by_exporting_nothing(
    notebook: Any, tmp_path: Path
) -> None:
    out, before = tmp_path / "out.ttl", tmp_path / "before.ttl"
    compiled(notebook)
    notebook.good("%kgc call create_hut label=Ambre")
    assert "facts: wrote" in notebook.good(f"%kgc export {out}").printed
    kept = out.read_text()
    assert "--before" in notebook.good("%kgc compile huts:kitchen").printed
    assert (
        "the graph is empty" in str(notebook(f"%kgc export {out}").error)
        and out.read_text() == kept
    )
    notebook.good("%kgc compile huts:kitchen")
    notebook.good(f"%kgc export {before} --before")
    assert before.read_text() == kept


def test_a_document_read_again_leaves_nothing_of_its_earlier_reading(
    notebook: Any, tmp_path: Path
) -> None:
    compiled(notebook)
    note, other = tmp_path / "note.md", tmp_path / "other.md"
    text = "# {}\n\nHut: Refuge de l'Ambre\nDish: tea (soup)\nServes {}\n\n- 2 l water\n"
    note.write_text(text.format("Tea of old", 4))
    other.write_text(text.format("Broth", 8))
    notebook.good(f"%kgc instantiate {note} {other} --judge rule")
    once = notebook.good(f"%kgc instantiate {note} --judge rule").value.session.trig()
    note.write_text(text.format("Tea", 6))
    built = notebook.good(f"%kgc instantiate {note} --judge rule").value
    labels = set(built.session.labels().values())
    assert {"Tea", "Broth", "water"} <= labels and "Tea of old" not in labels
    assert "Tea of old" in once and "Tea of old" not in built.session.trig()
    note.write_text(" ")
    kept = notebook("%kgc instantiate " + str(note) + " --judge rule").value
    assert "Tea" in kept.session.labels().values()
    assert "other.md" in notebook.good("%kgc explain Broth").value.text()


def test_explain_knows_what_a_person_stated(notebook: Any) -> None:
    compiled(notebook)
    notebook.good("%kgc call create_hut label=Ambre --who Ida")
    told = notebook.good("%kgc explain Ambre").value
    assert "create_hut" in told.text() and "person:Ida" in told.text()


def test_a_graph_in_a_file_is_extended_and_explained(notebook: Any, tmp_path: Path) -> None:
    grown, text = tmp_path / "grown.trig", "# {}\n\nHut: Refuge de l'Ambre\nServes {}\n"
    for name, serves in (("Tea", 4), ("Broth", 8)):
        note = tmp_path / f"{name}.md"
        note.write_text(text.format(name, serves))
        notebook.good(f"%kgc compile huts:kitchen --into {grown}")
        notebook.good(f"%kgc instantiate {note} --judge rule")
    assert "Tea" in grown.read_text() and "Broth" in grown.read_text()
    told = notebook.good("%kgc explain Tea").value
    assert "Tea.md" in told.text()
    iri = told.notes[0]
    for said in (iri, f"<{iri}>", iri.rpartition("/")[2]):
        assert notebook.good(f"%kgc explain {said}").value.rows == told.rows
