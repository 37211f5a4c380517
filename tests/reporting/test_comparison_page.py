import json

from kgnb.reporting.compare import (
    Compared,
    Row,
    compare_reports,
    comparison_page,
    cost_against_quality,
    text_of,
    write_comparison,
    write_index,
)
from kgnb.reporting.session import Cell, Ledger, ReportRequest


def compared(*rows: Row) -> Compared:
    return Compared("small", ("judge", "k"), {"dataset": "huts", "source": ""}, rows)


def row(
    judge: str,
    k: int,
    f1: float | None = None,
    tokens: int = 0,
    state: str = "done",
    error: str = "",
) -> Row:
    figures = {} if f1 is None else {"P": 100.0 - f1, "F1": f1}
    return Row(
        {"judge": judge, "k": k},
        state,
        f"items/{judge}{k}/report.html",
        figures,
        {"tokens": tokens},
        (),
        error,
    )


def test_rows_are_ranked_by_the_main_figure_and_what_is_missing_is_said_and_escaped() -> None:
    failed = row("<script>", 5, state="failed", error="<img src=x>")
    both = compared(
        row("rule", 3, 50.0), failed, row("model", 5, 70.0, 100), row("model", 7, state="not run")
    )
    assert both.main == "F1" and [one.parameters["k"] for one in both.ranked] == [5, 3, 5, 7]
    page = comparison_page(both, "A & B", "report: x # <b>")
    assert "<strong>70.0</strong> with <code>judge=model k=5</code>" in page
    assert (
        page.count("<strong>70.0</strong>") == 2 and page.count("<strong>50.0</strong>") == 1
    )  # best F1, best P
    assert page.index("<code>model</code>") < page.index("<code>rule</code>")
    assert "partial</strong>: 1 failed, 1 not run." in page
    assert "&lt;img src=x&gt;" in page and "<img src=x>" not in page and "<script>" not in page
    assert "<h1>A &amp; B</h1>" in page and "report: x # &lt;b&gt;" in page
    assert ">dataset<" in page and ">source<" not in page


def test_of_amounts_none_is_best() -> None:
    counts = [{"found": 0, "unsure": 12}, {"found": 4, "unsure": 8}]
    both = compared(
        *(Row({"k": k}, "done", "", each) for k, each in zip((3, 5), counts, strict=True))
    )
    page = comparison_page(both, "Own data")
    assert both.main == "" and cost_against_quality(both) is None
    assert "Best" not in page and ">12<" in page and "<strong>12</strong>" not in page
    assert [one.parameters["k"] for one in both.ranked] == [3, 5]  # in the order that was given


def test_quality_is_drawn_over_cost_or_as_bars_where_nothing_was_paid() -> None:
    plot = cost_against_quality(
        compared(row("rule", 3, 50.0), row("cascade", 3, 45.0, 10), row("model", 5, 70.0, 100))
    )
    assert plot is not None and plot.svg() == plot.svg()
    assert plot.alt.endswith(
        "as good as judge=rule k=3: F1 50 for 0 tokens, judge=model k=5: F1 70 for 100 tokens."
    )
    bars = cost_against_quality(compared(row("rule", 3, 50.0), row("rule", 5, 60.0)))
    assert (
        bars is not None
        and bars.alt == "Bars of F1: judge=rule k=5 60, judge=rule k=3 50."
        and bars.svg()
    )
    assert cost_against_quality(compared(row("rule", 3, 50.0))) is None


def test_a_row_that_asked_its_model_the_same_as_another_says_that_it_measures_nothing(
    tmp_path,
) -> None:
    sent = {"whole": "abc", "without-plan": "abc", "without-feedback": "def", "rule": ""}
    for name, requests in sent.items():
        folder = tmp_path / name
        folder.mkdir()
        Ledger(folder, {1: Cell(1, "x = 1", "ran", 0.1)}).save()
        ReportRequest("small", {"part": name}).save(folder, ())
        metrics = {"headline": [{"system": "kgnb", "f1": 50.0}], "requests": requests}
        (folder / "metrics.json").write_text(json.dumps(metrics))
    rows = {
        str(row.parameters["part"]): row
        for row in compare_reports(map(tmp_path.joinpath, sent)).rows
    }
    assert [name for name, row in rows.items() if row.notes] == ["without-plan"]
    assert "the same as part=whole" in rows["without-plan"].notes[0]


def test_reports_of_several_kinds_are_compared_in_what_they_share_and_linked(tmp_path) -> None:
    """Parameters that only one of them has are left out, F1 is F1 however it is spelled, a failure
    names its error.
    """
    folders = [tmp_path / "reports" / name for name in ("matching", "answering", "failed")]
    kinds = (({"dataset": "huts", "k": 5}, "F1"), ({"dataset": "codex", "depth": 3}, "f1"))
    for folder, (values, figure) in zip(folders, kinds, strict=False):
        folder.mkdir(parents=True)
        Ledger(folder, {1: Cell(1, "x = 1", "ran", 0.1)}).save()
        ReportRequest(folder.name, values).save(folder, ())
        cost = {"calls": 1, "tokens": 9, "prompt_tokens": 8, "completion_tokens": 1}
        metrics = {
            "headline": [{"system": "kgnb", figure: 50.0, "source": "this run"}],
            "cost": cost,
        }
        (folder / "metrics.json").write_text(json.dumps(metrics))
    both = compare_reports(folders[:2])
    assert both.varied == ("report", "dataset") and both.fixed == {}
    assert both.columns == ["F1"] and both.cost_columns == ["calls", "tokens"]
    assert "none" not in text_of(both) and "k=" not in comparison_page(both, "Both")
    folders[2].mkdir()
    Ledger(folders[2], {1: Cell(1, "x = 1", "failed", 0.1, "ValueError: no")}).save()
    (tmp_path / "out").mkdir()
    three = compare_reports(folders, tmp_path / "out")
    assert [one.error for one in three.rows] == ["", "", "ValueError: no"]
    page, data = write_comparison(tmp_path / "out", three, "Three")
    assert (
        'href="../reports/failed/report.html"' in page.read_text()
        and str(tmp_path) not in data.read_text()
    )


def test_the_index_lists_reports_whose_notebook_is_gone_or_whose_ledger_is_broken(tmp_path) -> None:
    for name, cells in (("one", None), ("two", "{]")):
        (tmp_path / "mine" / name).mkdir(parents=True)
        ReportRequest(str(tmp_path / "mine.ipynb"), {"k": 5}).save(tmp_path / "mine" / name, ())
        Ledger(tmp_path / "mine" / name, {1: Cell(1, "x = 1", "ran", 0.1)}).save()
        if cells:
            (tmp_path / "mine" / name / "cells.json").write_text(cells)
    index = write_index(tmp_path).read_text()
    assert index.count("<td>mine</td><td><code>k=5</code></td>") == 2
    assert "<td>done</td>" in index and "<td>cannot be read</td>" in index
