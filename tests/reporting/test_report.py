"""The engine: what a report leaves when it ends well, fails, is stopped and is killed."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import nbformat
import pytest

from kgnb.errors import DataError, KgnbError
from kgnb.reporting.report import ReportError, find_template, run_report
from kgnb.reporting.session import read_ledger

TITLE = "# Small things\n\nA report on\nsmall things.\n\nMore of it."
PARAMETERS = "k: int = 2  # how many [1, 9]\nname: str = ''  # of what"
LOADS = re.compile(
    r"""(?:src|href|srcset|action|data)\s*=\s*["']?\s*(?:https?:)?//|url\(\s*["']?(?:https?:)?//|@import"""
)


def states(folder):
    return [cell.state for cell in read_ledger(folder).cells.values()]


def cells_of(folder):
    notebook = nbformat.read(folder / "report.ipynb", as_version=4)
    nbformat.validate(notebook)
    return notebook.cells


ESTIMATE = '{"event": "estimate", "name": "validate", "text": "about 12 model calls"}'
PRINTS = """import sys
from kgnb.reporting.session import current, tell
print(sys.executable, k * 2, repr(name), current().settings.embedder)
print(current().command.startswith('KGNB_EMBEDDER=tiny kgnb report'))"""
OFF = "from kgnb.reporting.sections import absent\nabsent('Not computed: run it with -p x=true.')"


def test_a_report_runs_in_this_python_with_its_settings_and_leaves_notebook_page_and_ledger(
    write_notebook, settings, tmp_path
):
    sections = [part for title in ("One", "Two", "Three") for part in (f"# \n## {title}", "1 + 1")]
    path = write_notebook(
        TITLE,
        PARAMETERS,
        PRINTS,
        f"import ipywidgets\ntell({ESTIMATE})\nprint('a warning', file=sys.stderr)\nipywidgets.IntSlider()",
        *sections,
        "# \n## Four",
        OFF,
        "# End <b>here</b>",
    )
    template = find_template(path)
    assert (template.name, template.title, template.summary) == (
        "small",
        "Small things",
        "A report on small things.",
    )
    assert [parameter.name for parameter in template.parameters] == ["k", "name"]
    name, announced = "a'\"\\</script>", list[str]()
    result = run_report(
        path, {"k": "4", "name": name}, tmp_path / "out", settings, on_announcement=announced.append
    )
    cells = cells_of(result.folder)
    assert cells[3].outputs[0].text == f"{sys.executable} 8 {name!r} tiny\nTrue\n"
    # the expected cost of a model is announced, and is not part of the report
    assert announced == ["validate: about 12 model calls"]
    assert [one.text for one in cells[4].outputs if one.output_type == "stream"] == ["a warning\n"]
    ledger = json.loads((result.folder / "cells.json").read_text())["cells"]
    assert ledger[0]["title"].startswith("k: int = 2") and {cell["state"] for cell in ledger} == {
        "ran"
    }
    page = result.html.read_text()
    assert "<title>Small things: k=4, name=" in page
    # nothing is loaded or run
    assert not LOADS.search(page) and "default-src 'none'" in page
    assert not [word for word in ("<script", "</script>", "cdn", "unpkg") if word in page]
    # sections are listed, those that were not computed apart
    assert page.index('<details class="given">') < page.index("One")
    assert [title for title in ("One", "Two", "Three", "Four") if f">{title}</a>" in page] == [
        "One",
        "Two",
        "Three",
    ]
    assert "Not part of this run: Four." in page and "Not computed" not in page


def test_the_folder_is_named_after_parameters_and_data(
    write_notebook, settings, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    path, made = write_notebook(TITLE, PARAMETERS), []
    for content, given in (("one", {"k": 2}), ("one", {}), ("one", {"k": 3}), ("two", {})):
        (tmp_path / "things.txt").write_text(content)
        made.append(run_report(path, {"name": "things.txt"} | given, settings=settings).folder)
    assert made[0] == made[1] and len(set(made)) == 3
    assert {folder.parent for folder in made} == {type(tmp_path)("reports/small")}
    (tmp_path / "file").write_text("")
    with pytest.raises(KgnbError, match="file/out cannot be written") as refused:
        run_report(path, {}, tmp_path / "file" / "out", settings)
    assert "--out" in refused.value.fix


def test_a_failed_cell_is_named_with_its_remedy_and_everything_is_saved(
    write_notebook, settings, tmp_path
):
    failing = "from kgnb.errors import DataError\nraise DataError('no <huts> left', where='huts.ttl', fix='Build one.')"
    path = write_notebook(
        TITLE, PARAMETERS, "print('before')", "# Part two", failing, "print('after')"
    )
    with pytest.raises(ReportError, match=r"failed in cell 6 \(from kgnb.errors") as caught:
        run_report(path, {}, tmp_path / "out", settings)
    assert "no <huts> left" in caught.value.what and "\n" not in caught.value.what
    assert (
        caught.value.fix.splitlines()[0].strip() == "Build one."
        and "report.html" in caught.value.fix
    )
    assert states(tmp_path / "out") == ["ran", "ran", "ran", "failed", "not run"]
    code = [cell.metadata for cell in cells_of(tmp_path / "out") if cell.cell_type == "code"]
    assert [one.kgnb.state for one in code] == states(tmp_path / "out")
    assert [one.papermill.status for one in code][-2:] == ["failed", "pending"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "This report failed" in page and "no &lt;huts&gt; left" in page and "<huts>" not in page


def test_a_dead_kernel_is_a_failed_cell_and_no_printed_secret_stays(
    write_notebook, settings, tmp_path, monkeypatch
):
    monkeypatch.setenv("HUT_KEY", "sk-very/secret+key")
    path = write_notebook(
        PARAMETERS,
        "import base64, json, os\nfrom IPython.display import HTML\nkey = os.environ['HUT_KEY']",
        "print(key); print(base64.b64encode(key.encode()).decode())",
        "display(HTML(f'<b>{key}</b>'), metadata={'note': key})",
        "from kgnb.reporting.session import current",
        "(current().folder / 'metrics.json').write_text(json.dumps({'k': key}))",
        "if k == 2: raise ValueError(key)\nos._exit(3)",
        "print('after')",
    )
    for k, error in ((2, r"ValueError: \[redacted\]"), (3, "the kernel died")):
        with pytest.raises(ReportError, match=error) as caught:
            run_report(path, {"k": k}, tmp_path / "out", settings.with_(key="env:HUT_KEY"))
        assert "very" not in str(caught.value)
        assert states(tmp_path / "out")[-2:] == ["failed", "not run"]
        for file in (tmp_path / "out").rglob("*"):
            content = file.read_bytes()
            assert b"sk-very" not in content and b"c2stdmVyeS9zZWNyZXQra2V5" not in content, file
        assert "[redacted]" in (tmp_path / "out" / "report.html").read_text()


def test_a_name_that_is_no_report_is_refused(tmp_path):
    for name in ("huts", ""):
        with pytest.raises(ValueError, match=f"there is no report '{name}'") as caught:
            find_template(name)
        assert "ontology-matching" in str(caught.value)
    with pytest.raises(DataError, match="there is no such notebook"):
        find_template(str(tmp_path / "missing.ipynb"))
    for text in ("{]", "[1]"):
        (tmp_path / "broken.ipynb").write_text(text)
        with pytest.raises(DataError, match=r"broken.ipynb: this is not a Jupyter notebook"):
            find_template(str(tmp_path / "broken.ipynb"))


def start(path, tmp_path):
    """Run a report in a process of its own until its second cell has written the file ``begun``."""
    code = (
        "import sys; from pathlib import Path; sys.modules['rfc3987_syntax'] = None; "
        "from kgnb.reporting.report import run_report; from kgnb.settings import Settings; "
        "run_report(sys.argv[1], {}, sys.argv[2], Settings(cache=Path(sys.argv[3])))"
    )
    words = [sys.executable, "-c", code, path, str(tmp_path / "out"), str(tmp_path / "cache")]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not (tmp_path / "begun").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.1)
    return process


def test_signals_and_kills_leave_a_true_ledger_notebook_and_page_and_a_free_folder(
    write_notebook, settings, tmp_path
):
    begun = tmp_path / "begun"
    waits = f"import os, time; open({str(begun)!r}, 'w').write(str(os.getpid()))\ntime.sleep(300)"
    path, out = write_notebook(PARAMETERS, waits, "print('after')"), tmp_path / "out"
    for number in (signal.SIGINT, signal.SIGTERM):
        process = start(path, tmp_path)
        process.send_signal(number)
        _, errors = process.communicate(timeout=120)
        assert process.returncode != 0 and f"stopped by {signal.Signals(number).name}" in errors
        assert states(out) == ["ran", "ran", "cancelled", "not run"]
        status = [cell.metadata.papermill.status for cell in cells_of(out)]
        assert status == ["completed", "completed", "cancelled", "pending"]
        assert "cut short" in (out / "report.html").read_text()
        begun.unlink()
    process = start(path, tmp_path)
    assert states(out) == ["ran", "ran", "running", "not run"]
    with pytest.raises(KgnbError, match=f"is being written by process {process.pid}"):
        run_report(path, {}, out, settings)
    process.kill()
    process.communicate()
    assert states(out) == ["ran", "ran", "cancelled", "not run"]
    os.kill(int(begun.read_text()), signal.SIGKILL)
    quick = write_notebook(PARAMETERS, name="quick.ipynb")
    assert run_report(quick, {}, out, settings).folder == out and states(out) == ["ran", "ran"]


def test_a_warning_of_kgnb_is_announced_and_leaves_no_path_on_the_page(
    write_notebook, tmp_path, settings
):
    warns = "import warnings\nfrom kgnb.errors import NotFit\nwarnings.warn('not asked', NotFit)"
    said: list[str] = []
    name = write_notebook("# Warned", "k: int = 1", warns)
    made = run_report(name, {}, tmp_path / "out", settings, on_announcement=said.append)
    assert [line for line in said if "not asked" in line]
    assert "NotFit:" not in made.html.read_text(encoding="utf-8")
