"""What docs/comparison.md says of us is held by the tests it names."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_test_the_comparison_names_exists() -> None:
    page = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/.]+)::(\w+)`", page)
    assert len(named) > 10
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), test


def test_every_row_has_a_test_of_ours_or_says_where_it_runs() -> None:
    page = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    page, _, _ = page.partition("## What people expect")  # those rows say yes, or why not
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert all("`tests/" in row or row.startswith("| runs in") for row in rows)
