"""A picture of 2,000 nodes is moved about as fast as the screen is drawn; the figure is printed (pytest -s)."""

from collections.abc import Callable
from statistics import median

import nbformat
import pytest

from .conftest import PATIENCE, Lab, Visit

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need the package playwright").expect
pytestmark = pytest.mark.browser

NODES = 2000
DRAWN = "document.querySelector('.kgnb-graph-frame')?.kgnbGraph"
# Milliseconds between the frames of a drag across the picture; the first, in which its texture is made, among them.
PANNED = f"""async () => {{
  const graph = {DRAWN};
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
  const took = [];
  for (let step = 0; step < 120; step++) {{
    const begun = performance.now();
    graph.panBy({{ x: step % 40 < 20 ? 6 : -6, y: 2 }});
    await frame();
    took.push(performance.now() - begun);
  }}
  return took;
}}"""


def test_two_thousand_nodes_are_panned_without_a_wait(lab: Lab, visit: Callable[[Lab], Visit]) -> None:
    nodes = [[f"urn:n{n}", f"Node {n}", n % 6, 180 * (n % 50), 60 * (n // 50)] for n in range(NODES)]
    edges = [[n, (n - 1) // 2, "joined to"] for n in range(1, NODES)]
    data = {"version": 1, "title": "Many", "size": [9000, 2400], "kinds": [f"kind {n}" for n in range(6)],
            "nodes": nodes, "edges": edges, "notes": []}  # fmt: skip
    bundle = {"application/vnd.kgnb.graph+json": data, "text/plain": "a graph"}
    cell = nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output("display_data", bundle)])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), lab.folder / "many.ipynb")
    page = visit(lab)
    page.page.goto(lab.page_url("many.ipynb"))
    page.page.wait_for_function(DRAWN, timeout=2 * PATIENCE)
    page.page.locator(".kgnb-graph-frame").scroll_into_view_if_needed()
    assert page.page.evaluate(f"{DRAWN}.nodes().length") == NODES
    took = page.page.evaluate(PANNED)
    print(f"panning {NODES:,} nodes: median {median(took):.1f} ms a frame ({1000 / median(took):.0f} a second)")
    assert median(took) < 100  # a busy machine without a graphics card; 60 frames a second are 16.7
