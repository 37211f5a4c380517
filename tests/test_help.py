"""The help of every command and magic, against what is kept in ``fixtures/help``: an option that comes,
goes or changes is seen by whoever reviews the change.
"""

import json
import subprocess
import sys
from difflib import unified_diff
from pathlib import Path

import pytest

from tests.help_texts import FOLDER

AGAIN = "If this is meant: python -m tests.help_texts, and look at git diff tests/fixtures/help"
PRINTING = "import json; from tests.help_texts import help_texts; print(json.dumps(help_texts()))"


pytestmark = pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="argparse lays help out differently there"
)


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The help as a process of its own prints it: a shell of IPython's is one a process."""
    made = subprocess.run(
        [sys.executable, "-c", PRINTING],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(made.stdout)
    return found


def test_help_says_what_is_kept_in_the_fixtures(texts: dict[str, str]) -> None:
    changed = []
    for name, text in texts.items():
        path = FOLDER / f"{name}.txt"
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        changed += unified_diff(
            kept.splitlines(),
            text.splitlines(),
            f"{name} (kept)",
            f"{name} (now)",
            lineterm="",
            n=1,
        )
    assert not changed, "\n".join(["the help has changed", *changed, AGAIN])


def test_every_kept_text_belongs_to_a_command_or_a_magic(texts: dict[str, str]) -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(texts), AGAIN
