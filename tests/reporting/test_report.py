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
from kgnb.reporting.report import ReportError, find_template, read_template, run_report
from kgnb.reporting.session import read_ledger

TITLE = "# Small things\n\nA report on\nsmall things.\n\nMore of it."
PARAMETERS = "k: int = 2  # how many [1, 9]\nname: str = ''  # of what"
LOADS = re.compile(
    r"""(?:src|href|srcset|action|data)\s*=\s*["']?\s*(?:https?:)?//|url\(\s*["']?(?:https?:)?//|@import"""
)


def states(folder):
    return [cell.state for cell in read_ledger(folder).cells.values()]


def test_a_template_says_what_it_is(write_notebook):
    template = read_template(find_template(write_notebook(TITLE, PARAMETERS)).path)
    assert (template.name, template.title, template.summary) == ("small", "Small things", "A report on small things.")
    assert [parameter.name for parameter in template.parameters] == ["k", "name"]


def test_a_report_runs_in_this_python_and_leaves_notebook_page_and_ledger(write_notebook, settings, tmp_path):
    path = write_notebook(
        TITLE, PARAMETERS, "import sys\nprint(sys.executable, k * 2, repr(name))", "# End <b>here</b>"
    )
    name = "a'\"\\</script>"
    result = run_report(path, {"k": "4", "name": name}, tmp_path / "out", settings)
    notebook = nbformat.read(result.notebook, as_version=4)
    nbformat.validate(notebook)
    printed = notebook.cells[3].outputs[0].text
    assert printed == f"{sys.executable} 8 {name!r}\n"
    assert states(result.folder) == ["ran"] * 3
    page = result.html.read_text()
    assert "<title>Small things: k=4, name=" in page
    assert "</script>" not in page
    assert not LOADS.search(page)


def test_what_a_model_will_cost_is_told_meanwhile_and_is_no_part_of_the_report(write_notebook, settings, tmp_path):
    estimate = '{"event": "estimate", "name": "validate", "text": "about 12 model calls"}'
    cell = f"from kgnb.reporting.session import tell\nimport sys\ntell({estimate})\nprint('a warning', file=sys.stderr)"
    told: list[str] = []
    result = run_report(write_notebook(TITLE, "", cell), {}, tmp_path / "out", settings, on_told=told.append)
    assert told == ["validate: about 12 model calls"]
    outputs = [output.text for output in nbformat.read(result.notebook, as_version=4).cells[-1].outputs]
    assert "".join(outputs) == "a warning\n"


def test_the_folder_is_named_after_parameters_and_data(write_notebook, settings, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_notebook(TITLE, PARAMETERS)
    (tmp_path / "things.txt").write_text("one")
    folders = [
        run_report(path, {"k": 2, "name": "things.txt"}, settings=settings).folder,
        run_report(path, {"name": "things.txt"}, settings=settings).folder,
        run_report(path, {"k": 3, "name": "things.txt"}, settings=settings).folder,
    ]
    (tmp_path / "things.txt").write_text("two")
    folders.append(run_report(path, {"name": "things.txt"}, settings=settings).folder)
    assert folders[0] == folders[1]
    assert len(set(folders)) == 3
    assert {folder.parent for folder in folders} == {type(tmp_path)("reports/small")}


def test_a_failed_cell_is_named_and_everything_is_saved(write_notebook, settings, tmp_path):
    path = write_notebook(
        TITLE,
        PARAMETERS,
        "print('before')",
        "# Part two",
        "raise ValueError('no <huts> left\\nat all')",
        "print('after')",
    )
    with pytest.raises(ReportError, match=r"failed in cell 6 \(raise ValueError") as caught:
        run_report(path, {}, tmp_path / "out", settings)
    assert "ValueError: no <huts> left" in caught.value.what
    assert "\n" not in caught.value.what
    assert states(tmp_path / "out") == ["ran", "ran", "ran", "failed", "not run"]
    notebook = nbformat.read(tmp_path / "out" / "report.ipynb", as_version=4)
    assert [cell.metadata.papermill.status for cell in notebook.cells][-2:] == ["failed", "pending"]
    assert notebook.cells[-1].metadata.kgnb.state == "not run"
    page = (tmp_path / "out" / "report.html").read_text()
    assert "This report failed" in page
    assert "no &lt;huts&gt; left" in page
    assert "<huts>" not in page


def test_a_failed_report_says_how_to_mend_it_and_a_folder_that_cannot_be_written_is_named(
    write_notebook, settings, tmp_path
):
    path = write_notebook(
        PARAMETERS, "from kgnb.errors import DataError\nraise DataError('no hut', where='huts.ttl', fix='Build one.')"
    )
    with pytest.raises(ReportError, match="no hut") as caught:
        run_report(path, {}, tmp_path / "out", settings)
    assert caught.value.fix.splitlines()[0].strip() == "Build one." and "report.html" in caught.value.fix
    (tmp_path / "file").write_text("")
    with pytest.raises(KgnbError, match="file/out cannot be written") as refused:
        run_report(path, {}, tmp_path / "file" / "out", settings)
    assert "--out" in refused.value.fix


def test_a_dead_kernel_is_a_failed_cell(write_notebook, settings, tmp_path):
    path = write_notebook(PARAMETERS, "import os; os._exit(3)", "print('after')")
    with pytest.raises(ReportError, match="the kernel died"):
        run_report(path, {}, tmp_path / "out", settings)
    assert states(tmp_path / "out") == ["ran", "ran", "failed", "not run"]


def test_a_secret_the_cells_print_is_nowhere_in_the_folder(write_notebook, settings, tmp_path, monkeypatch):
    monkeypatch.setenv("HUT_KEY", "sk-very/secret+key")
    path = write_notebook(
        PARAMETERS,
        "import base64, json, os\nfrom IPython.display import HTML\nkey = os.environ['HUT_KEY']",
        "print(key); print(base64.b64encode(key.encode()).decode())",
        "display(HTML(f'<b>{key}</b>'), metadata={'note': key})",
        "from kgnb.reporting.session import current",
        "(current().folder / 'metrics.json').write_text(json.dumps({'k': key}))",
        "raise ValueError(key)",
    )
    with pytest.raises(ReportError) as caught:
        run_report(path, {}, tmp_path / "out", settings.with_(key="env:HUT_KEY"))
    assert "very" not in str(caught.value)
    for file in (tmp_path / "out").rglob("*"):
        content = file.read_bytes()
        assert b"sk-very" not in content and b"c2stdmVyeS9zZWNyZXQra2V5" not in content, file
    assert "[redacted]" in (tmp_path / "out" / "report.html").read_text()


def test_the_kernel_has_the_settings_of_the_call(write_notebook, settings, tmp_path):
    path = write_notebook(
        PARAMETERS, "from kgnb.reporting.session import current\nprint(current().settings.embedder, current().command)"
    )
    result = run_report(path, {"k": 5}, tmp_path / "out", settings)
    printed = nbformat.read(result.notebook, as_version=4).cells[2].outputs[0].text
    assert printed == f"tiny KGNB_EMBEDDER=tiny kgnb report {path} -p k=5\n"


def test_a_report_writes_no_network_address_into_the_page_that_a_browser_would_load(write_notebook, settings, tmp_path):
    path = write_notebook(
        "# T\n\n![](https://example.org/x.png)", PARAMETERS, "import ipywidgets\nipywidgets.IntSlider()"
    )
    page = run_report(path, {}, tmp_path / "out", settings).html.read_text()
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "cdn" not in page and "unpkg" not in page


def test_a_page_lists_its_sections_and_names_what_was_no_part_of_it(write_notebook, settings, tmp_path):
    off = "from kgnb.reporting.sections import Words\nWords(('Not computed: run it with -p x=true.',), off=True)"
    cells = [part for title in ("One", "Two", "Three") for part in (f"# \n## {title}", "1 + 1")]
    path = write_notebook(TITLE, PARAMETERS, *cells, "# \n## Four", off)
    page = run_report(path, {}, tmp_path / "out", settings).html.read_text()
    assert page.index('<details class="given">') < page.index("One")
    assert [title for title in ("One", "Two", "Three", "Four") if f">{title}</a>" in page] == ["One", "Two", "Three"]
    assert "Not part of this run: Four." in page and "Not computed" not in page


@pytest.mark.parametrize(("name", "said"), [("huts", "there is no report 'huts'"), ("", "there is no report ''")])
def test_an_unknown_report_names_those_there_are(name, said):
    with pytest.raises(ValueError, match=said) as caught:
        find_template(name)
    assert "ontology-matching" in str(caught.value)


def test_a_missing_or_broken_notebook_is_named(tmp_path):
    with pytest.raises(DataError, match="there is no such notebook"):
        find_template(str(tmp_path / "missing.ipynb"))
    (tmp_path / "broken.ipynb").write_text("{]")
    with pytest.raises(DataError, match=r"broken.ipynb: this is no Jupyter notebook"):
        find_template(str(tmp_path / "broken.ipynb"))
    (tmp_path / "other.ipynb").write_text("[1]")
    with pytest.raises(DataError, match=r"other.ipynb: this is no Jupyter notebook"):
        find_template(str(tmp_path / "other.ipynb"))


def start(path, folder, tmp_path):
    code = (
        "import sys; from pathlib import Path; from kgnb.reporting.report import run_report; "
        "from kgnb.settings import Settings; "
        "run_report(sys.argv[1], {}, sys.argv[2], Settings(cache=Path(sys.argv[3])))"
    )
    words = [sys.executable, "-c", code, path, str(folder), str(tmp_path / "cache")]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not (tmp_path / "begun").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.1)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_an_honest_ledger_notebook_and_page(write_notebook, tmp_path, number):
    path = write_notebook(
        PARAMETERS, f"open({str(tmp_path / 'begun')!r}, 'w').close()\nimport time; time.sleep(60)", "print('after')"
    )
    process = start(path, tmp_path / "out", tmp_path)
    process.send_signal(number)
    _, errors = process.communicate(timeout=120)
    assert process.returncode != 0
    assert f"stopped by {signal.Signals(number).name}" in errors
    assert states(tmp_path / "out") == ["ran", "ran", "cancelled", "not run"]
    notebook = nbformat.read(tmp_path / "out" / "report.ipynb", as_version=4)
    assert [cell.metadata.papermill.status for cell in notebook.cells] == [
        "completed",
        "completed",
        "cancelled",
        "pending",
    ]
    assert "cut short" in (tmp_path / "out" / "report.html").read_text()


def test_a_kill_leaves_an_honest_ledger_and_the_folder_is_free_again(write_notebook, settings, tmp_path):
    path = write_notebook(
        PARAMETERS,
        f"import os, time; open({str(tmp_path / 'begun')!r}, 'w').write(str(os.getpid()))\ntime.sleep(300)",
        "1",
    )
    process = start(path, tmp_path / "out", tmp_path)
    assert states(tmp_path / "out") == ["ran", "ran", "running", "not run"]
    with pytest.raises(KgnbError, match=f"is being written by process {process.pid}"):
        run_report(path, {}, tmp_path / "out", settings)
    process.kill()
    process.communicate()
    assert states(tmp_path / "out") == ["ran", "ran", "cancelled", "not run"]
    os.kill(int((tmp_path / "begun").read_text()), signal.SIGKILL)
    quick = write_notebook(PARAMETERS, name="quick.ipynb")
    assert run_report(quick, {}, tmp_path / "out", settings).folder == tmp_path / "out"
    assert states(tmp_path / "out") == ["ran", "ran"]


def test_the_ledger_is_plain_json(write_notebook, settings, tmp_path):
    run_report(write_notebook(PARAMETERS), {}, tmp_path / "out", settings)
    content = json.loads((tmp_path / "out" / "cells.json").read_text())
    assert content["cells"][0]["title"].startswith("k: int = 2")
    assert content["cells"][0]["state"] == "ran"
