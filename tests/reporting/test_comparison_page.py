import json

from kgnb.reporting.compare import comparison_page, cost_against_quality, write_comparison
from kgnb.reporting.comparing import Compared, Row, compare_reports, text_of
from kgnb.reporting.session import Cell, Ledger, ReportRequest


def compared(*rows: Row) -> Compared:
    return Compared("small", ("judge", "k"), {"dataset": "huts", "source": ""}, rows)


def row(judge: str, k: int, f1: float | None = None, tokens: int = 0, state: str = "done", error: str = "") -> Row:
    figures = {} if f1 is None else {"P": 100.0 - f1, "F1": f1}
    return Row({"judge": judge, "k": k}, state, f"items/{judge}{k}/report.html", figures, {"tokens": tokens}, (), error)


def test_rows_stand_best_first_by_the_figure_most_looked_at_and_what_has_none_stands_last() -> None:
    both = compared(row("rule", 3, 50.0), row("model", 3, state="failed", error="no"), row("model", 5, 70.0, 100))
    assert both.main == "F1"
    assert [one.parameters["k"] for one in both.ranked] == [5, 3, 3]
    page = comparison_page(both, "Small")
    assert "<strong>70.0</strong> with <code>judge=model k=5</code>" in page
    assert page.index("<code>model</code>") < page.index("<code>rule</code>")


def test_a_page_says_what_is_missing_and_why_and_runs_nothing_of_what_it_is_told() -> None:
    failed = row("<script>", 5, state="failed", error="<img src=x>")
    never = row("model", 5, state="not run")
    page = comparison_page(compared(row("rule", 3, 50.0), failed, never), "A & B", "report: x # <b>")
    assert "partial</strong>: 1 failed, 1 not run." in page
    assert "&lt;img src=x&gt;" in page and "<img src=x>" not in page and "<script>" not in page
    assert "<h1>A &amp; B</h1>" in page and "report: x # &lt;b&gt;" in page
    assert ">dataset<" in page and ">source<" not in page


def test_cost_is_drawn_against_quality_with_what_nothing_cheaper_beats() -> None:
    plot = cost_against_quality(compared(row("rule", 3, 50.0), row("cascade", 3, 45.0, 10), row("model", 5, 70.0, 100)))
    assert plot is not None
    assert plot.alt.endswith("as good as judge=rule k=3: F1 50 for 0 tokens, judge=model k=5: F1 70 for 100 tokens.")
    assert plot.svg() == plot.svg()


def test_without_costs_there_are_bars_and_without_two_figures_no_plot() -> None:
    bars = cost_against_quality(compared(row("rule", 3, 50.0), row("rule", 5, 60.0)))
    assert bars is not None and bars.alt == "Bars of F1: judge=rule k=5 60, judge=rule k=3 50."
    assert cost_against_quality(compared(row("rule", 3, 50.0))) is None
    assert cost_against_quality(compared()) is None


def test_reports_compared_from_a_folder_are_linked_from_there_and_say_why_they_failed(tmp_path) -> None:
    for name, state in (("one", "ran"), ("two", "failed")):
        (tmp_path / "reports" / name).mkdir(parents=True)
        Ledger(
            tmp_path / "reports" / name, {1: Cell(1, "x = 1", state, 0.1, "ValueError: no" * (state == "failed"))}
        ).save()
    folders = [tmp_path / "reports" / name for name in ("one", "two")]
    both = compare_reports(folders, tmp_path / "out")
    assert [one.page for one in both.rows] == ["../reports/one/report.html", "../reports/two/report.html"]
    assert [one.error for one in both.rows] == ["", "ValueError: no"]
    (tmp_path / "out").mkdir()
    page, data = write_comparison(tmp_path / "out", both, "Two")
    assert 'href="../reports/two/report.html"' in page.read_text() and str(tmp_path) not in data.read_text()


def test_reports_of_several_kinds_are_compared_in_what_they_share(tmp_path) -> None:
    """What a report has no parameter for is left out, and F1 is F1 however it is spelled."""
    folders = []
    told = {"matching": ({"dataset": "huts", "k": 5}, "F1"), "answering": ({"dataset": "codex", "depth": 3}, "f1")}
    for name, (values, figure) in told.items():
        folder = tmp_path / name
        folder.mkdir()
        Ledger(folder, {1: Cell(1, "x = 1", "ran", 0.1)}).save()
        ReportRequest(name, values).save(folder, ())
        cost = {"calls": 1, "tokens": 9, "prompt_tokens": 8, "completion_tokens": 1}
        metrics = {"headline": [{"system": "kgnb", figure: 50.0, "source": "this run"}], "cost": cost}
        (folder / "metrics.json").write_text(json.dumps(metrics))
        folders.append(folder)
    both = compare_reports(folders)
    assert both.varied == ("report", "dataset") and both.fixed == {}
    assert both.columns == ["F1"] and both.cost_columns == ["calls", "tokens"]
    assert "none" not in text_of(both) and "k=" not in comparison_page(both, "Both")
