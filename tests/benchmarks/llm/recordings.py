"""Which recordings are stale: the commands of every card, run against the recording.

``python -m tests.benchmarks.llm.recordings [NAME ...]`` prints a line a recording: how many of its
requests have no reply any more, and so how many a new one takes. Those over data of others need
``KGNB_DATA``.

``--into FOLDER`` keeps what waits in ``FOLDER/NAME``, a folder of requests in the form of
``batch:`` (docs/models.md): answer them, run the same command again for those that follow, until
none waits; then ``kgnb batch record NAME FOLDER/NAME``. ``--list`` names every request that waits.

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

import click

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
    waiting: tuple[str, ...] = ()  # digests of the requests without a reply

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


def replay(name: str, only: str = "", into: Path | None = None) -> Replayed:
    """Run the card's commands (those with ``only`` in them) against the recording, without key or
    network; what waits is kept in the folder ``into``.

    Raises:
        RuntimeError: a command failed for another reason than a missing reply.
    """
    said: list[str] = []
    with tempfile.TemporaryDirectory() as home:
        folder = into.resolve() if into else Path(home) / "asked"
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "replies.jsonl").is_file():
            shutil.copy(RECORDINGS / name / "replies.jsonl", folder)
        for line in commands(name):
            if only in line:
                said.append(
                    _run(line.replace(f"recorded:{name}", f"batch:{folder}@recorded"), Path(home))
                )
        lines = (folder / "replies.jsonl").read_text(encoding="utf-8").splitlines()
        waiting = tuple(standing(folder).waiting)
        return Replayed(name, len(lines), len(waiting), "\n".join(said), waiting)


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


@click.command(help="List what is stale in the recordings.")
@click.argument("names", nargs=-1)
@click.option("--into", type=click.Path(path_type=Path), help="keep the waiting requests there")
@click.option("--list", "listed", is_flag=True, help="name every request that waits")
def main(names: tuple[str, ...], into: Path | None, listed: bool) -> None:
    """Print what became of each recording."""
    for name in names or sorted(path.parent.name for path in RECORDINGS.glob("*/card.md")):
        if needs_data(name) and not os.environ.get("KGNB_DATA"):
            click.echo(f"{name}: not looked at: set KGNB_DATA")
            continue
        found = replay(name, into=into / name if into else None)
        click.echo(str(found))
        for digest in found.waiting if listed else ():
            click.echo(f"  waits  {digest}")


if __name__ == "__main__":
    main()
