"""What every command and every magic says when it is asked for help, as it is kept in ``fixtures/help``.

``python -m tests.help_texts`` writes the files anew; ``git diff tests/fixtures/help`` then shows what a
person will see changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import kgnb
from kgnb.cli import COMMANDS
from kgnb.cli import kgnb as group
from kgnb.magics import families
from kgnb.magics.verbs import PlainMagics, options_help

FOLDER = Path(__file__).parent / "fixtures" / "help"
WIDTH = "110"


def help_texts() -> dict[str, str]:
    """The help of each command (``kgnb-match``) and magic (``om``, with all its verbs), by file name."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        return dict([*_of_commands(), *_of_magics()])
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def _of_commands() -> Iterator[tuple[str, str]]:
    context = click.Context(group)
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None, name
        made = CliRunner().invoke(
            command, ["--help"], prog_name=f"kgnb {name}", terminal_width=int(WIDTH), obj={}
        )
        assert made.exit_code == 0, made.output
        yield f"kgnb-{name}", made.output


def _of_magics() -> Iterator[tuple[str, str]]:
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    kgnb.load_ipython_extension(shell)
    loaded = shell.magics_manager.registry["kgnb"]
    for magics in (loaded.magics(family.magic) for family in families()):
        texts = [magics.help([])] if isinstance(magics, PlainMagics) else []
        if not texts:
            overview = getattr(magics, magics.magic).__doc__
            texts = [overview, *(options_help(verb) for verb in magics.verbs.values())]
        lines = "\n\n".join(text.strip() for text in texts).splitlines()
        yield magics.magic, "\n".join(line.rstrip() for line in lines) + "\n"


def main() -> None:
    """Writes every text to its file, and removes files of commands that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    texts = help_texts()
    for path in FOLDER.glob("*.txt"):
        if path.stem not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
