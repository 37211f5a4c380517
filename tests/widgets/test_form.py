from types import SimpleNamespace

import ipywidgets
import pytest

from kgnb.widgets.form import Form
from tests.magics.conftest import Notebook


@pytest.fixture
def attended(notebook: Notebook) -> Notebook:
    """A notebook somebody sits at: its kernel may ask for input."""
    notebook.shell.kernel = SimpleNamespace(
        _allow_stdin=True, get_parent=lambda: {"header": {"msg_id": "1"}}
    )
    return notebook


def control(form: Form, name: str) -> ipywidgets.Widget:
    return next(one for one in form.controls if one.name == name).inputs[0]


def test_a_form_is_made_of_the_options_with_their_bounds_and_choices(attended: Notebook) -> None:
    form = attended.good("%om validate --form").value
    assert isinstance(form, Form)
    judge = control(form, "judge")
    assert isinstance(judge, ipywidgets.Dropdown) and "oracle" in dict(judge.options)
    attended.good("%om start alpine.ttl refuge.ttl --k 7")
    slider = control(attended.good("%om search --form").value, "k")
    assert isinstance(slider, ipywidgets.IntSlider)
    assert (slider.min, slider.max, slider.value) == (1, 50, 7)
    rounds = control(attended.good("%ea run --form").value, "temperature")
    rows = (row.children for row in attended.good("%ea run --form").value.box.children[:-3])
    assert any(
        "Sinkhorn" in text.value for shown, text in rows if shown.description == rounds.description
    )


def test_the_plain_line_follows_the_controls(attended: Notebook) -> None:
    assert (
        attended.good("%om run --k 3 --form --judge rule").value.line
        == "%om run --k 3 --judge rule"
    )
    form = attended.good("%om search --form").value
    assert form.line == form.plain.line == "%om search"
    control(form, "k").value = 3
    assert form.plain.line == "%om search --k 3"
    control(
        form, "k"
    ).value = 5  # back at the default, but the session may have another by now: said all the same
    assert form.plain.line == "%om search --k 5"
    similarity, automatic = next(one for one in form.controls if one.name == "similarity").inputs
    assert similarity.disabled
    automatic.value = False
    similarity.value = 0.25
    assert form.plain.line == "%om search --k 5 --similarity 0.25"
    automatic.value = True
    assert form.plain.line == "%om search --k 5 --similarity none"


def test_texts_and_files_with_blanks_are_quoted_in_the_line(attended: Notebook) -> None:
    form = attended.good("%om start --form").value
    control(form, "source").value = "my huts.ttl"
    control(form, "target").value = "b.ttl"
    control(form, "context").value = "the warden's huts"
    control(form, "individuals").value = True
    assert (
        form.line
        == """%om start "my huts.ttl" b.ttl --individuals --context "the warden's huts\""""
    )


def test_a_question_and_python_variables_stay_as_they_are_written(attended: Notebook) -> None:
    attended.good("%qa start huts:graph")
    form = attended.good('%qa link "Who is the warden?" --form').value
    assert form.line == '%qa link "Who is the warden?"'
    control(form, "question").value = "Who's the warden?"
    assert attended.good(form.line).error is None
    attended.shell.user_ns["path"] = "alpine.ttl"
    form = attended.good("%om start {{path}} refuge.ttl --form").value
    assert form.line == "%om start {{path}} refuge.ttl"
    form.run()
    assert attended.matching["source"].iri == "http://huts.example/alpine"


def test_every_verb_has_a_form_and_its_line_is_a_line_of_that_verb(attended: Notebook) -> None:
    attended.good("%kg open alpine.ttl")
    attended.good("%kg open refuge.ttl")
    attended.good("%om start alpine refuge")
    for family in ("kg", "om", "llm"):
        magics = attended.shell.magics_manager.registry["kgnb"].magics(family)
        for name in magics.verbs:
            form = attended.good(f"%{magics.magic} {name} --form").value
            assert isinstance(form, Form)
            assert form.line.startswith(f"%{magics.magic} {name}")


def test_run_runs_the_line_and_a_second_change_runs_again(attended: Notebook) -> None:
    for line in ("start alpine.ttl refuge.ttl", "retrieve", "store"):
        attended.good(f"%om {line}")
    failing = attended.good("%om summarise --form").value
    failing.run()
    assert failing.state.value == "failed" and not failing.button.disabled
    form = attended.good("%om search --form").value
    assert repr(form) == "Form(%om search)" and "search" not in attended.matching.values
    control(form, "k").value = 2
    form.run()
    assert "search" in attended.matching.values
    assert attended.matching.option("k") == 2
    assert form.state.value == "done" and not form.button.disabled
