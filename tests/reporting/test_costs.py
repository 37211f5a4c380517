"""The cost ledger and the other parts that all reports share."""

from types import SimpleNamespace

from kgnb.reporting.sections import folded, reproduce, spent, stages, words
from kgnb.reporting.session import ReportSession
from kgnb.run import Run
from kgnb.run.limits import Spending
from kgnb.run.record import CallRecord
from kgnb.settings import Settings


def asking(*prices: float | None) -> SimpleNamespace:
    def ask() -> None:
        for number, usd in enumerate(prices, 1):
            call = CallRecord(
                number, "m", prompt_tokens=100, completion_tokens=20, usd=usd, cached=number == 2
            )
            run.begin_call(Spending())
            run.end_call(call, Spending(), Spending())

    run = Run("example")
    with run:
        run.do(ask)
    return SimpleNamespace(run=run)


def test_the_ledger_adds_up_what_each_stage_took_and_invents_no_price() -> None:
    asked = asking(0.5, 0.0)
    assert [list(row[:8]) for row in stages(asked).rows] == [
        ["ask", 1, 2, 1, 200, 40, "$0.50", 0],
        ["all", 1, 2, 1, 200, 40, "$0.50", 0],
    ]
    assert spent(asked.run.totals) == dict(
        calls=2, tokens=240, prompt_tokens=200, completion_tokens=40, queries=0
    )
    assert stages(asking(0.5, None)).rows[-1][6] == "price not set"
    assert stages(asking()).rows[-1][6] == "$0"


def test_many_files_become_one_digest_and_text_is_escaped(tmp_path) -> None:
    data = tuple((f"set/{number}.txt", f"{number:064x}") for number in range(40))
    session = ReportSession(tmp_path, Settings(), "KGNB_DATA=DIR kgnb report x", data)
    table = reproduce(SimpleNamespace(run=Run("example")), session)
    assert len([row for row in table.rows if str(row[0]).startswith("SHA-256")]) == 1
    assert any("kgnb data get" in note for note in table.notes)
    bundle = words("<b>", "second", look="alarm")._repr_mimebundle_()
    assert bundle["text/html"] == '<p class="alarm">&lt;b&gt;</p><p>second</p>'
    long = folded("All <tools>", words("x"))._repr_mimebundle_()
    assert long["text/html"].startswith(
        '<details class="long"><summary>All &lt;tools&gt;</summary>'
    )
