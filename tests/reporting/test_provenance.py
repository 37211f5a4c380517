import json
import re
from datetime import date

import pytest

from kgnb.cli import main
from kgnb.errors import BackendError
from kgnb.reporting.html import TIMES, byline_of, print_pdf
from kgnb.reporting.report import git_author, run_report

TERMS = {  # those of the RO-Crate 1.1 context that a report may use; any other term would be lost
    "CreateAction",
    "CreativeWork",
    "Dataset",
    "File",
    "PropertyValue",
    "SoftwareApplication",
    "about",
    "actionStatus",
    "conformsTo",
    "contentSize",
    "datePublished",
    "description",
    "encodingFormat",
    "endTime",
    "hasPart",
    "instrument",
    "license",
    "mentions",
    "name",
    "object",
    "result",
    "startTime",
    "value",
    "version",
}
PARAMETERS = "k: int = 2  # how many [1, 9]\nword: str = 'a'  # of what"
SAVES = (
    "import json\nfrom kgnb.reporting.session import current\n"
    "(current().folder / 'metrics.json').write_text(json.dumps({'headline': [{'F1': 10.0 * k}]}))"
)


@pytest.fixture
def made(write_notebook, settings, tmp_path):
    path = write_notebook(
        "# Small", PARAMETERS, SAVES, "# Cost", "import time; time.perf_counter()"
    )
    return [
        run_report(path, {"k": k}, tmp_path / name, settings).folder
        for k, name in ((2, "a"), (2, "b"), (3, "c"))
    ]


def test_a_report_describes_itself_is_listed_compared_and_the_same_again(made, tmp_path, capsys):
    a, b, c = made
    crate = json.loads((a / "ro-crate-metadata.json").read_text())
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    assert crate["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    known = TERMS | set(crate["@context"][1])
    assert {name for entity in crate["@graph"] for name in entity if name[0] != "@"} <= known
    assert {entity["@type"] for entity in crate["@graph"]} <= known
    about = entities["ro-crate-metadata.json"]
    assert about["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"} and about["about"] == {
        "@id": "./"
    }
    assert {part["@id"] for part in entities["./"]["hasPart"]} >= {
        "report.html",
        "metrics.json",
        "report.ipynb",
    }
    for entity in crate["@graph"]:
        for value in entity.values():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict) and not one["@id"].startswith("http"):
                    assert one["@id"] in entities
    pages = [(folder / "report.html").read_text() for folder in (a, b)]
    assert len(TIMES.findall(pages[0])) == 2 and pages[0] != pages[1]
    assert TIMES.sub("", pages[0]) == TIMES.sub("", pages[1])
    assert main(["compare", str(a), str(c), "--out", str(tmp_path / "both")]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "k  state  F1",
        "2  done   20.0",
        "3  done   30.0",
    ]
    assert main(["report", "--index", "--out", str(tmp_path)]) == 0
    index = (tmp_path / "index.html").read_text()
    assert (
        all(f'href="{name}/report.html"' in index for name in "abc")
        and "both/comparison.html" in index
    )
    with pytest.raises(BackendError, match="did not print"):
        print_pdf(a / "report.html", "/no/such/browser")


def test_the_heading_is_followed_by_data_day_and_author_where_they_are_known(
    write_notebook, settings, tmp_path, monkeypatch
):
    assert byline_of([], date(2026, 3, 1), "").endswith(
        "<!-- times -->2026-03-01<!-- /times --></p>"
    )
    many = byline_of(
        ["source: my.ttl", *(f"huts/{n}.ttl" for n in range(1200))], date(2026, 3, 1), "<A>"
    )
    assert "Data: huts (1,200 files), source: my.ttl<br>" in many and "&lt;A&gt;" in many
    data = tmp_path / "mine.ttl"
    data.write_text("<a:a> <a:b> <a:c> .\n")
    path = write_notebook("# Small\n\nIn short.", "source: str = ''  # a file")
    (tmp_path / "gitconfig").write_text('[user]\n\tname = "Ada  Egger"\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.chdir(tmp_path)
    page = run_report(path, {"source": str(data)}, tmp_path / "out", settings).html.read_text()
    assert re.search(r"</h1>\s*<p class=\"byline\">Data: source: mine\.ttl<br/?>", page)
    assert "· Ada Egger<!-- /times -->" in page and "Ada Egger" not in TIMES.sub("", page)
    monkeypatch.setenv("PATH", str(tmp_path))  # no git
    assert git_author() == ""
