"""The documentation builds without a warning, and what README and docs point to is there."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_has_a_page_for_every_agent(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--site-dir",
        str(tmp_path / "site"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    for agent in ("ontology-matching", "question-answering", "entity-alignment", "kg-construction"):
        assert (
            "stages"
            in (tmp_path / "site" / "agents" / f"{agent}.html").read_text(encoding="utf-8").lower()
        )
    assert "%kg open" in (tmp_path / "site" / "magics.html").read_text(encoding="utf-8")
    tour = (tmp_path / "site" / "tour.html").read_text(encoding="utf-8")
    assert (
        "Sorne-le-Haut" in tour and "ModuleNotFoundError" not in tour
    )  # run as the site was built
    concepts = (tmp_path / "site" / "concepts.html").read_text(encoding="utf-8")
    (row,) = set(re.findall(r'href="glossary.html#([^"]+)">Verdict<', concepts))
    assert f'id="{row}"' in (tmp_path / "site" / "glossary.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_within_the_repository_leads_somewhere(page: Path) -> None:
    made = {
        "tour.md",
        "tutorial.md",
        "magics.md",
        "commands.md",
        "ontology-matching.md",
        "question-answering.md",
        "entity-alignment.md",
    }
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"\w+:", target) or Path(target).name in made:
            continue
        assert (page.parent / target).exists(), f"{page.name} points to {target}"


def test_the_table_of_tuned_constants_has_the_values_in_the_code() -> None:
    text = (ROOT / "docs" / "constants.md").read_text(encoding="utf-8")
    for agent, table in re.findall(r"^\| (\w+) \| value.*\n((?:\|.*\n)+)", text, re.MULTILINE):
        rows = re.findall(r"^\| `(\w+)\.(\w+)` \| (\S+) \|", table, re.MULTILINE)
        assert len(rows) > 5
        for module, name, value in rows:
            assert getattr(importlib.import_module(f"kgnb.agents.{agent}.{module}"), name) == float(
                value
            ), name


PROMISING = ("Your files", "A failure", "Hostile input", "Secrets", "What it is made", "Servers")


def test_every_promise_of_security_has_a_row_of_tests_and_every_row_a_promise() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    marked = {
        row
        for file in (ROOT / "tests").rglob("*.py")
        for row in re.findall(r'mark\.fault\("([^"]+)"\)', file.read_text(encoding="utf-8"))
    }
    promised: set[str] = set()
    for section in page.split("\n## ")[1:]:
        if not section.startswith(PROMISING):
            continue
        for promise in re.split(r"^\* ", section, flags=re.MULTILINE)[1:]:
            rows = re.search(r" → \*([^*]+)\*\s*\Z", promise)
            assert rows, f"no row stands behind: {promise[:80]}"
            promised |= set(rows[1].replace("\n", " ").split("; "))
    assert promised == marked
    table = re.findall(r"^\| ([^|*]+) \| [\d,]+ \|", page, re.MULTILINE)
    assert set(table) == marked


def test_the_figures_of_security_are_those_of_the_program() -> None:
    from kgnb.agents.kg_construction import serve
    from kgnb.agents.kg_construction.http_clients import FREE, LONGEST
    from kgnb.files import MOST_JSON, most_unpacked
    from kgnb.kg.endpoint_wire import Wire
    from kgnb.kg.mending import LONGEST_TERM, MOST_DEEP

    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    for said in (
        f"{serve.MOST_SESSIONS} clients, {serve.MOST_AT_ONCE} requests at once",
        f"{serve.MOST_A_SECOND:,} a second",
        f"not complete within {serve.SLOWEST:g} s",
        f"up to {LONGEST:g} s",
        f"(elements {MOST_DEEP['RDF/XML']:,}, JSON-LD {MOST_DEEP['JSON-LD']:,},",
        f"quoted triples {MOST_DEEP['quoted']})",
        f"a term to {LONGEST_TERM >> 20} MiB",
        f"JSON of more than {MOST_JSON >> 20} MiB",
        f"limit of {Wire('http://127.0.0.1:9').most_bytes >> 20} MiB",
        f"or {most_unpacked(0) >> 20} MiB",
    ):
        assert said in page, said
    assert (FREE, serve.SESSION_IDLE) == (5, 30 * 60)
