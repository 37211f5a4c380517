"""Which recordings are stale: the commands of every card, run against the recording.

``python -m tests.benchmarks.llm.recordings [NAME ...]`` prints a line a recording: how many of its
requests have no reply any more, and so how many a new one takes. Those over data of others need
``KGNB_DATA``.

The recording is copied to the folder of a ``batch:`` model, so that a prompt that has changed waits
there in place of ending the run. Requests that follow from a stale one come on top, up to the
recording's size.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from kgnb.cli.outcome import WAITING
from kgnb.llm.batch import standing

ROOT = Path(__file__).parents[3]
RECORDINGS = ROOT / "data" / "recordings"


@dataclass(frozen=True)
class Replayed:
    """What the commands of a recording's card came to; ``stale``: requests without a reply, in the
    first round.
    """

    name: str
    replies: int
    stale: int
    said: str

    def __str__(self) -> str:
        if not self.stale:
            return f"{self.name}: fits the prompts ({self.replies} replies)"
        return (
            f"{self.name}: stale: {self.stale} requests have no reply; a new recording takes {self.stale} to "
            f"{max(self.stale, self.replies)} (data/recordings/README.md)"
        )


def commands(name: str) -> list[str]:
    """The lines of the card's replay."""
    card = (RECORDINGS / name / "card.md").read_text(encoding="utf-8")
    block = re.search(r"```bash\n(.*?)```", card, re.DOTALL)
    return block.group(1).strip().splitlines() if block else []


def said_stale(name: str) -> int:
    """How many requests a card says a new recording takes; 0 where it says nothing."""
    found = re.search(
        r"\*\*Stale\*\*: (\d+) requests",
        (RECORDINGS / name / "card.md").read_text(encoding="utf-8"),
    )
    return int(found.group(1)) if found else 0


def needs_data(name: str) -> bool:
    """Whether a recording is over data that is not shipped."""
    return any("KGNB_DATA" in line for line in commands(name))


def replay(name: str, only: str = "") -> Replayed:
    """Run the card's commands (those with ``only`` in them) against the recording, without key or
    network.

    Raises:
        RuntimeError: a command failed for another reason than a missing reply.
    """
    said: list[str] = []
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "asked"
        folder.mkdir()
        shutil.copy(RECORDINGS / name / "replies.jsonl", folder)
        for line in commands(name):
            if only in line:
                said.append(
                    _run(line.replace(f"recorded:{name}", f"batch:{folder}@recorded"), Path(home))
                )
        replies = len((folder / "replies.jsonl").read_text(encoding="utf-8").splitlines())
        return Replayed(name, replies, len(standing(folder).waiting), "\n".join(said))


def _run(line: str, home: Path) -> str:
    """What one command of a card says: its result, then its figures (the commands print those to
    stderr).
    """
    words = shlex.split(os.path.expandvars(line))
    told = dict(word.split("=", 1) for word in words if re.match(r"[A-Z_]+=", word))
    words = [word for word in words if not re.match(r"[A-Z_]+=", word)]
    words[:1] = [sys.executable, "-m", "kgnb"] if words[0] == "kgnb" else [sys.executable]
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("KGNB_", "OPENAI_"))
    }
    kept |= {name: value for name, value in told.items() if name != "KGNB_DATA"}
    kept |= {name: os.environ[name] for name in ("KGNB_DATA", "KGNB_CACHE") if name in os.environ}
    done = subprocess.run(
        words,
        cwd=home,
        env=kept | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, WAITING):
        raise RuntimeError(f"{line}\n{done.stderr[-2000:]}")
    return done.stdout + done.stderr


def main(names: list[str]) -> None:
    """Print what became of each recording."""
    for name in names or sorted(path.parent.name for path in RECORDINGS.glob("*/card.md")):
        if needs_data(name) and not os.environ.get("KGNB_DATA"):
            print(f"{name}: not looked at: set KGNB_DATA")
        else:
            print(replay(name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
