"""FAULTS_TABLE=PAGE: what the faults' table of a run prints stands in the page, and the rest of the page stays."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[2] / "conftest.py"
TESTS = """
import pytest

@pytest.mark.fault("power cut")
def test_many_tries(record_property):
    record_property("tries", 1200)

@pytest.mark.fault("full disk")
@pytest.mark.parametrize("lost", [False, True])
def test_one_of_two_is_lost(lost):
    assert not lost

def test_no_fault():
    pass
"""
HEAD = "# Security\n\nBefore.\n\n| fault | tries | survived | lost |\n|---|---|---|---|\n"
WRITTEN = "| full disk | 2 | 1 | 1 |\n| power cut | 1,200 | 1,200 | 0 |\n| **all** | **1,202** | **1,201** | **1** |\n"
REST = "\nAfter, with a table of its own:\n\n| fault | said |\n|---|---|\n| none | - |\n"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (HEAD + "| old row | 1 | 1 | 0 |\n| **all** | **1** | **1** | **0** |\n" + REST, HEAD + WRITTEN + REST),
        ("# Security\n\nNo table.\n", "# Security\n\nNo table.\n"),
    ],
    ids=["older rows", "no table"],
)
def test_the_table_of_a_run_replaces_the_rows_of_the_page_and_nothing_else(
    tmp_path: Path, page: str, expected: str
) -> None:
    shutil.copy(CONFTEST, tmp_path)
    (tmp_path / "test_tiny.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  fault(row): a try\n")
    (tmp_path / "security.md").write_text(page)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path, env=os.environ | {"FAULTS_TABLE": "security.md", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert "1 failed, 3 passed" in ended.stdout and ended.returncode == 1, ended.stdout + ended.stderr
    assert (tmp_path / "security.md").read_text() == expected
    assert ("has no table of faults" in ended.stdout) == ("No table." in page)
    assert not list(tmp_path.glob("*.part*"))
