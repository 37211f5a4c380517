import json
from pathlib import Path

import nbformat

from kgnb.cli import main
from kgnb.cli.report import split


def notebook(path: Path, *sources: str) -> str:
    cells = [
        nbformat.v4.new_markdown_cell("# Mine\n\nA report of my own."),
        *map(nbformat.v4.new_code_cell, sources),
    ]
    cells[1].metadata["tags"] = ["parameters"]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return str(path)


def test_reports_are_listed_and_each_lists_its_parameters_with_types_defaults_and_choices(capsys):
    assert main(["report"]) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} >= {
        "ontology-matching",
    }
    assert main(["report", "ontology-matching", "--help"]) == 0
    shown = capsys.readouterr().out
    for told in (
        "-p dataset=huts\n",
        "huts, oaei-conference, oaei-anatomy",
        "-p k=5\n",
        "a whole number from 1 to 50",
    ):
        assert told in shown


def test_a_report_of_ones_own_prints_its_headline_and_the_pages_path(tmp_path, capsys):
    rows = [{"matcher": "mine", "F1": 66.0}]
    code = (
        "import json; from kgnb.reporting.session import current\n"
        f"(current().folder / 'metrics.json').write_text(json.dumps({{'headline': {rows!r}, 'year': year}}))"
    )
    path = notebook(tmp_path / "mine.ipynb", "year: int = 2025  # which year", code)
    assert main(["report", path, "-p", "year=2026", "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "matcher  F1",
        "mine     66.0",
        str(tmp_path / "out/report.html"),
    ]
    assert json.loads((tmp_path / "out/metrics.json").read_text())["year"] == 2026


WRONG = (
    (["ontology-matching", "-p", "dataset=hut"], "did you mean huts"),
    (["ontology-matching", "-p", "jugde=rule"], "did you mean judge"),
    (["ontology-matching", "-p", "k=many"], "a whole number from 1 to 50"),
    (["ontology-matching", "-p", "api_key=sk-1"], "looks like a secret"),
    (["ontology-matching", "-p", "k"], "KEY=VALUE"),
    (["ontology-matching", "-p", "k=1", "-p", "k=2"], "given twice"),
    (["ontology"], "there is no report 'ontology'"),
)


def test_a_wrong_parameter_is_a_usage_error_that_says_what_is_right(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words, said in WRONG:
        assert main(["report", *words]) == 2
        captured = capsys.readouterr()
        assert said in captured.err and captured.out == "" and "sk-1" not in captured.err
        assert not (tmp_path / "reports").exists()
    assert split(("context=a=b", "k=1")) == {"context": "a=b", "k": "1"}


def test_a_failed_report_names_cell_and_error_in_one_line_and_exits_with_1(tmp_path, capsys):
    path = notebook(tmp_path / "mine.ipynb", "k: int = 1", "1 / 0")
    assert main(["report", path, "--out", str(tmp_path / "out")]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert (
        first == "kgnb: report mine failed in cell 4 (1 / 0): ZeroDivisionError: division by zero"
    )
    assert second.strip().endswith("out/report.html")
    assert "ZeroDivisionError" in (tmp_path / "out/report.html").read_text()
