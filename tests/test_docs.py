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
