"""A notebook somebody sent, never trusted, full of hostile results: nothing of it runs, nothing
leaves the machine.
"""

from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import nbformat
import pytest

from . import shown
from .conftest import PATIENCE, Lab, Visit

expect = pytest.importorskip(
    "playwright.sync_api", reason="browser tests need the package playwright"
).expect
pytestmark = [pytest.mark.browser, pytest.mark.fault("hostile text in a browser")]

FIXTURE = Path(__file__).parents[1] / "fixtures" / "run.json"
DRAWN = ("table", "run", "table", "graph")  # scores are drawn as a table
HOSTILE = (
    "<script>window.taken = 'script'</script>",
    "<img src=x onerror=\"window.taken = 'handler'\">",
    "javascript:window.taken='link'",
    '"><svg onload="window.taken=1"><a href="javascript:window.taken=2">press</a>',
    "<iframe src='https://evil.example/frame'></iframe><link rel=stylesheet href='https://evil.example/a.css'>",
    "data:text/html,<script>parent.taken=3</script>",
    "invoice\u202efdp.exe\u202c\u2066\u200b\u0000",
    "url(https://evil.example/leak.png); background: url('https://evil.example/b.png')",
    "vbscript:x\nJaVaScRiPt:window.taken=4",
    "wide " * 2_000 + "W" * 100_000,
)
# What the readers of a result choose from; anything else in a bundle is free text or an IRI.
CLOSED = {
    "kind",
    "state",
    "agent",
    "key",
    "bar",
    "group",
    "decision",
    "finish_reason",
    "started",
    "id",
}


def poisoned(value: Any, payloads: Any, key: str = "") -> Any:
    """The same JSON with every free string replaced."""
    if isinstance(value, dict):
        return {name: poisoned(item, payloads, name) for name, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item, payloads, key) for item in value]
    return next(payloads) if isinstance(value, str) and value and key not in CLOSED else value


def hostile_notebook() -> nbformat.NotebookNode:
    results = (shown.table(), shown.run(FIXTURE), shown.scores(), shown.graph())
    payloads = cycle(HOSTILE)
    book = nbformat.v4.new_notebook()
    book.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    for result in results:
        (mime,) = [
            name for name in result._repr_mimebundle_() if name.startswith("application/vnd.kgnb.")
        ]
        data = {
            mime: poisoned(result._repr_mimebundle_()[mime], payloads),
            "text/html": "".join(HOSTILE),
        }
        output = nbformat.v4.new_output("display_data", data | {"text/plain": "a result"})
        book.cells.append(
            nbformat.v4.new_code_cell("1", outputs=[output], metadata={"trusted": False})
        )
    return book


FOUND = """() => {
  const results = [...document.querySelectorAll('.jp-OutputArea-output')];
  const inside = selector => results.flatMap(one => [...one.querySelectorAll(selector)]);
  return {
    taken: window.taken ?? null,
    elements: inside('script, iframe, link, object, embed, form, base, meta').map(one => one.outerHTML.slice(0, 200)),
    handlers: inside('*').flatMap(one => [...one.attributes]).filter(one => /^on/i.test(one.name)).map(one => one.name),
    links: inside('[href], [src]').map(one => one.getAttribute('href') ?? one.getAttribute('src'))
      .filter(link => !/^(https?:|mailto:|#|data:image\\/)/.test(link)),
    hidden: results.filter(one => /[\\u202a-\\u202e\\u2066-\\u2069]/.test(one.innerText)).length
  };
}"""
# Everything a person could press in the results, pressed; but no link is followed.
PRESSED = """() => {
  const wanted = '.kgnb-result button, .kgnb-result summary, .kgnb-result [role=treeitem]';
  const things = [...document.querySelectorAll(wanted)];
  for (const thing of things) {
    if (thing.isConnected && !/copy/i.test(thing.getAttribute('aria-label') ?? '')) {
      thing.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    }
  }
  return things.length;
}"""
NOTHING = {"taken": None, "elements": [], "handlers": [], "links": [], "hidden": 0}


def test_hostile_results_that_nobody_trusted_are_shown_and_do_nothing(
    lab: Lab, visit: Callable[[Lab], Visit]
) -> None:
    nbformat.write(hostile_notebook(), lab.folder / "sent-hostile.ipynb")
    page = visit(lab)
    page.page.goto(lab.page_url("sent-hostile.ipynb"))
    page.page.wait_for_selector(
        ".jp-Notebook .kgnb-graph", timeout=2 * PATIENCE
    )  # no kernel is needed for this
    for number, kind in enumerate(DRAWN):
        expect(page.result(number).locator(f".kgnb-{kind}")).to_be_visible()
    assert page.page.evaluate(FOUND) == NOTHING
    assert page.page.evaluate(PRESSED) > 30
    assert page.page.evaluate(FOUND) == NOTHING
    assert "⟨U+202E⟩" in page.page.locator(".jp-Notebook").inner_text()
