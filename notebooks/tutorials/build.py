"""Makes the tutorials: from one source each, the notebook to be filled in, its worked solution, and its template.

    python notebooks/tutorials/build.py

A source is Markdown. A line ``~~~ code`` begins a cell, ``~~~`` ends it. ``~~~ exercise NAME`` is a cell the learner
fills in, ``~~~ solution`` the same cell solved, ``~~~ check NAME`` tests the variable NAME, and ``~~~ hint`` is hidden
until it is pressed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

HERE = Path(__file__).parent
TEMPLATES = HERE.parent.parent / "extension" / "src" / "templates.json"
FENCE = re.compile(r"^~~~ (code|exercise|solution|check|hint)(?: (\w+))?\n(.*?)^~~~$", re.MULTILINE | re.DOTALL)
CHECK = "%%check {name}\n# Run this cell to check your answer. Its code is folded away, for it tells the answer.\n"


@dataclass(frozen=True)
class Block:
    """A piece of a source: its kind, the name it is about, its text."""

    kind: str
    name: str
    text: str


def blocks(source: str) -> list[Block]:
    """The pieces of a source, in order."""
    found, at = [], 0
    for fence in FENCE.finditer(source):
        found.append(Block("text", "", source[at : fence.start()].strip()))
        found.append(Block(fence[1], fence[2] or "", fence[3].rstrip("\n")))
        at = fence.end()
    found.append(Block("text", "", source[at:].strip()))
    return [block for block in found if block.text]


def notebook(stem: str, source: str, solved: bool) -> Any:
    """The notebook of a source, to be filled in or solved."""
    cells = []
    for number, block in enumerate(blocks(source)):
        if block.kind in ("text", "hint"):
            text = block.text
            if block.kind == "hint":
                text = f"<details><summary>Hint</summary>\n\n{text}\n\n</details>"
            cell = nbformat.v4.new_markdown_cell(text)
        elif block.kind == ("exercise" if solved else "solution"):
            continue
        else:
            head = CHECK.format(name=block.name).replace(" \n", "\n") if block.kind == "check" else ""
            cell = nbformat.v4.new_code_cell(head + block.text)
            if block.kind != "code":
                cell.metadata["tags"] = [block.kind]
            if block.kind == "check":
                cell.metadata["jupyter"] = {"source_hidden": True}
        cell["id"] = f"{stem}-{number}"
        cells.append(cell)
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made.metadata["language_info"] = {"name": "python"}
    return made


def made() -> dict[Path, str]:
    """Every notebook by its file, as it should be."""
    files = {}
    for source in sorted((HERE / "sources").glob("*.md")):
        text = source.read_text(encoding="utf-8")
        for folder, solved in ((HERE, False), (HERE / "solutions", True)):
            book = notebook(source.stem, text.replace("](../", "](../../") if solved else text, solved)
            files[folder / f"{source.stem}.ipynb"] = nbformat.writes(book, indent=1) + "\n"
    files[TEMPLATES] = json.dumps([template(s) for s in sorted((HERE / "sources").glob("*.md"))], indent=1) + "\n"
    return files


def template(source: Path) -> dict[str, object]:
    """What JupyterLab's launcher offers: the notebook to be filled in, without links into this repository."""
    found = [block for block in blocks(source.read_text(encoding="utf-8")) if block.kind != "solution"]
    title = found[0].text.splitlines()[0].removeprefix("# ")
    goals = re.search(r"\*\*Goals\.\*\* Afterwards you can (.*?)\n\n", found[0].text + "\n\n", re.DOTALL)
    made = notebook(
        source.stem, re.sub(r"\*\*Read on\.\*\*.*", "", source.read_text(encoding="utf-8"), flags=re.DOTALL), False
    )
    return {
        "id": source.stem,
        "title": title,
        "caption": "Afterwards you can " + re.sub(r"\s+", " ", goals[1]) if goals else title,
        "cells": [
            {"kind": cell.cell_type, "source": cell.source}
            | ({"metadata": cell.metadata} if "jupyter" in cell.metadata else {})
            for cell in made.cells
        ],
    }


if __name__ == "__main__":
    (HERE / "solutions").mkdir(exist_ok=True)
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")
        print(path)
