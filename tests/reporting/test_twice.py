"""What each agent's report must hold; and one made twice with one cache: the same figures, pictures and page.

That the reports of the others are made alike under another order of sets is held by test_model_judged.
"""

import base64
import json
import re

import pytest

from kgnb.datasets import huts
from kgnb.reporting.html import TIMES, without_times
from kgnb.reporting.report import run_report
from kgnb.reporting.session import headline_figures

pytestmark = pytest.mark.fault("determinism")

LOADS = re.compile(
    r"""(?:src|srcset|action|data)\s*=\s*["']?\s*(?:https?:)?//|url\(\s*["']?(?:https?:)?//|@import|<link|<script"""
)
PICTURE = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
NOTE = "01-barley-soup-laerchgrund.md"
SMALL = {
    "ontology-matching": {},
    "question-answering": {"most": 3},
    "entity-alignment": {"ablation": False, "curve": False},
    "kg-construction": {"ablation": False, "against": "", "documents": NOTE},
}


@pytest.fixture(params=sorted(SMALL))
def made(request, settings, tmp_path):
    values = dict(SMALL[request.param])
    if "documents" in values:
        values["documents"] = str(huts.path("kitchen-notes") / NOTE)
    settings = settings.with_(embedder="characters", author="Ada Egger")
    made = run_report(request.param, values, tmp_path / "one", settings)
    again = request.param == "question-answering"
    return made, run_report(request.param, values, tmp_path / "two", settings) if again else made


def test_a_report_says_all_that_it_must_and_made_again_the_same(made, tmp_path):
    one, two = made
    for name in ("metrics.json", "request.json"):
        assert (one.folder / name).read_bytes() == (two.folder / name).read_bytes()
    pages = [result.html.read_text() for result in made]
    assert without_times(pages[0]) == without_times(pages[1])
    page = pages[0]
    byline, times = TIMES.findall(page)
    assert "Ada Egger" in byline and re.search(r"\d{4}-\d\d-\d\d", byline)
    assert str(tmp_path) not in page and not LOADS.search(page)
    pictures = [base64.b64decode(picture) for picture in PICTURE.findall(page)]
    assert pictures and len(pictures) % 2 == 0  # each in light and in dark
    for heading in ("Headline", "Errors", "Cost", "How to run this again"):
        assert re.search(rf"<h2[^>]*>{heading}</h2>", page), heading
    assert "Cost ledger" in times and all(word in times for word in ("Model calls", "US dollars", "Time", "tokens"))
    assert page.index('class="parameters"') < page.index("Headline")
    assert "kgnb report" in page.partition("How to reproduce")[2]
    headline = one.metrics["headline"]
    assert any(row["source"] == "this run" for row in headline)
    assert all(row["source"] for row in headline) and headline_figures(one.metrics)
    assert {"calls", "tokens", "prompt_tokens", "completion_tokens"} <= one.metrics["cost"].keys()
    assert (one.folder / "run" / "run.json").is_file() and (one.folder / "timing.json").is_file()
    crate = json.loads((one.folder / "provenance.json").read_text())
    given = {entity["name"]: entity["value"] for entity in crate["@graph"] if entity["@type"] == "PropertyValue"}
    assert given.keys() == json.loads((one.folder / "request.json").read_text())["values"].keys()
