import warnings
from collections.abc import Callable
from typing import Any

import pytest

import kgnb
from kgnb import magics
from kgnb.errors import NotFit
from kgnb.magics.arguments import LineError
from tests.magics.conftest import Notebook


def test_load_ext_is_idempotent_and_unload_takes_everything_away(
    folder: Any, new_shell: Callable[[], Any]
) -> None:
    shell = new_shell()
    kgnb.load_ipython_extension(shell)
    session = shell.magics_manager.registry["kgnb"].session
    kgnb.load_ipython_extension(shell)
    assert shell.magics_manager.registry["kgnb"].session is session
    kgnb.unload_ipython_extension(shell)
    kgnb.unload_ipython_extension(shell)
    for name in ("kg", "om", "llm"):
        assert shell.find_line_magic(name) is None
    kgnb.load_ipython_extension(shell)
    assert shell.find_line_magic("om") is not None
    kgnb.unload_ipython_extension(shell)


def test_help_of_a_magic_is_there_before_its_first_use(
    folder: Any, new_shell: Callable[[], Any]
) -> None:
    shell = new_shell()
    before = set(shell.magics_manager.lsmagic()["line"])
    kgnb.load_ipython_extension(shell)
    new = set(shell.magics_manager.lsmagic()["line"]) - before
    assert new == {"kgnb", *(family.magic for family in magics.families())}
    assert "%om VERB --help" in shell.object_inspect_text("%om", detail_level=0)
    _, offered = shell.complete(None, "%ea pro", 7)
    assert "propose" in offered
    kgnb.unload_ipython_extension(shell)


def test_the_name_of_the_package_lists_every_magic(notebook: Notebook) -> None:
    said = notebook.good("%kgnb").printed
    assert said == f"{notebook.shell.find_line_magic('kgnb').__doc__}\n"
    for family in magics.families():
        assert f"  %{family.magic} " in said
    assert "Open graphs, name them" in said and "Ask a graph" in said


def test_a_warning_of_ours_is_a_line_without_a_place_in_our_code(
    folder: Any, new_shell: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def plainly(message: Any, kind: type[Warning], *where: Any) -> str:
        return f"{where[0]}: {kind.__name__}: {message}\n"

    # another shell of this process may have the extension loaded still
    monkeypatch.setattr(warnings, "formatwarning", plainly)

    def written(kind: type[Warning]) -> str:
        return warnings.formatwarning("it guessed", kind, "watched.py", 115, "judge()")

    shell, before = new_shell(), written(NotFit)
    kgnb.load_ipython_extension(shell)
    assert written(NotFit) == "NotFit: it guessed\n"
    assert "watched.py:115: UserWarning: it guessed" in written(UserWarning)
    kgnb.unload_ipython_extension(shell)
    assert written(NotFit) == before != "NotFit: it guessed\n"


def test_every_verb_has_a_summary_an_example_and_help_and_the_magic_lists_them(
    notebook: Notebook,
) -> None:
    for family in magics.families():
        if set(family.verbs) == {family.magic}:  # %%sparql has no verbs
            continue
        listed = notebook.shell.object_inspect_text(f"%{family.magic}", detail_level=0)
        assert f"%{family.magic} VERB --help" in listed
        for name, method in family.verbs.items():
            assert f"  {name}" in listed and method.summary in listed
            text = notebook.good(f"%{family.magic} {name} --help").printed
            assert f"%{family.magic} {name}" in text and method.summary in " ".join(text.split())
            assert "--form" in text
            examples = text.partition("examples:")[2].strip().splitlines()
            assert examples and all(
                line.strip().startswith(f"%{family.magic} {name}") for line in examples
            )
    for line in ("%om", "%om --help", "%om help"):
        assert "retrieve" in notebook.good(line).printed


def test_an_unknown_verb_suggests_the_nearest(notebook: Notebook) -> None:
    error = notebook("%om serch --k 3").error
    assert isinstance(error, LineError)
    rendered = "\n".join(error._render_traceback_()).splitlines()
    assert rendered[0] == "LineError: %om has no verb serch"
    assert rendered[2].index("^") == rendered[1].index("serch")
    assert "Did you mean %om search?" in rendered[3]


def test_what_lacks_its_verb_gets_it_suggested(notebook: Notebook) -> None:
    for line, meant in (
        ("%kg alpine.ttl", "%kg open alpine.ttl"),
        ("%kg huts:graph --as huts", "%kg open huts:graph --as huts"),
        ("%om alpine.ttl refuge.ttl", "%om start alpine.ttl refuge.ttl"),
        ("%kgc alpine.ttl", "%kgc compile alpine.ttl"),
        ("%qa Who keeps the hut?", '%qa ask "Who keeps the hut?"'),
    ):
        error = notebook(line).error
        assert isinstance(error, LineError) and error.fix.startswith(
            f"Did you mean {meant}? Verbs:"
        )


def test_completion_knows_verbs_options_values_and_names(notebook: Notebook) -> None:
    notebook.good("%kg open alpine.ttl")
    notebook.good("%kg open refuge.ttl")
    for line, expected in (
        ("%om se", ["search"]),
        ("%om search --si", ["--similarity"]),
        # Nothing fits: the word itself, lest IPython offers Python's words and its own magics.
        ("%om validate --judge ra", ["ra"]),
        ("%om validate --judge ru", ["rule"]),
        ("%om start alp", ["alpine"]),
        ("%kg use r", ["refuge"]),
        ("%om nonsense --k", ["--k"]),
    ):
        _, matches = notebook.shell.complete(None, line, len(line))
        assert [match for match in matches if not match.endswith((".ttl", ".rdf"))] == expected, (
            line
        )


def test_a_value_refused_below_shows_the_line_and_keeps_the_trace(notebook: Notebook) -> None:
    notebook.good("%om start alpine.ttl refuge.ttl")
    notebook.good("%om run")
    error = notebook("%om export out.docx").error
    assert isinstance(error, LineError)
    rendered = "\n".join(error._render_traceback_())
    assert "%om export out.docx" in rendered and "Traceback" not in rendered
    assert "Traceback" in error.details and isinstance(error.__cause__, ValueError)


START_AND_TRIAL = {
    "om": ("start alpine.ttl refuge.ttl", "run", "run --confidence 0.99"),
    "ea": ("start huts:hollenmark huts:corvane", "run", "run --precision 0 --share 0"),
    "qa": (
        "start huts:graph --judge rule",
        'ask "Which huts are in the Ottertal?"',
        'ask --tools paper --depth 2 "Which huts are in the Ottertal?"',
    ),
    "kgc": (
        "compile huts:kitchen --shapes huts:kitchen-shapes",
        "instantiate huts:kitchen-notes --judge rule",
        "instantiate huts:kitchen-notes --judge rule --passage 200 --no-plan",
    ),
}


@pytest.mark.parametrize("magic", START_AND_TRIAL)
def test_running_all_cells_gives_what_the_screen_shows(notebook: Notebook, magic: str) -> None:
    start, plain, trial = START_AND_TRIAL[magic]

    def shown(line: str) -> str:
        value = notebook.good(f"found = %{magic} {line}\nfound").value
        return str(value._repr_mimebundle_()["text/plain"])

    def before() -> None:
        notebook.good(f"%{magic} {start}")

    before()
    first = shown(plain)
    # tried between, run again, out of order, and with the start run again
    shown(trial)
    assert shown(plain) == first and shown(plain) == first
    before()
    shown(trial)
    assert shown(plain) == first
    before()
    assert shown(plain) == first
