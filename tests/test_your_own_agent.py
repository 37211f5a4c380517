"""docs/your-own-agent.md, done: the package it shows, installed from a wheel into an environment of
its own.
"""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import click
import pytest

from kgnb.cli import kgnb as main

PAGE = Path(__file__).parent.parent / "docs" / "your-own-agent.md"
CELLS = """
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
shell.run_line_magic("load_ext", "kgnb")
def run(line):
    magic, _, rest = line[1:].partition(" ")
    return shell.run_line_magic(magic, rest)
print(run("%labels start huts:graph"))
print(run("%labels read_labels").counts())
few, many = (len(run(f"%labels check_labels --longest {n}").rows) for n in (200, 10))
assert few < many, (few, many)
assert len(run("%labels run --longest 10").rows) == many
run("%labels export odd.csv")
assert [step.name for step in run("%labels trace").steps] == ["read_labels", "check_labels"]
try:
    run("%labels check_labels --longest 2")
except Exception as error:
    assert "a whole number from 5 to 500" in str(error), error
else:
    raise AssertionError("out of bounds")
_, offered = shell.complete(None, "%labels check_labels --l", 23)
assert {"--longest", "--language"} <= set(offered), offered
from kgnb.magics import panel
told = panel.state(shell.magics_manager.registry["kgnb"].session)
assert told["described"][0]["title"] == "Label quality"
assert [one["state"] for one in told["agents"][-1]["stages"]] == ["done"] * 3, told["agents"][-1]
print("cells are done")
"""
CLIENT = """
import anyio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
async def main():
    server = StdioServerParameters(command=sys.executable, args=["-m", "kgnb", "serve", "agent:label_quality"])
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as client:
        await client.initialize()
        (tool,) = (await client.list_tools()).tools
        assert tool.input_schema["properties"]["longest"]["maximum"] == 500, tool
        result = await client.call_tool("label_quality", {"graph": "huts:graph", "longest": 10})
        said = json.loads(result.content[0].text)
        assert said["ok"] and said["result"]["rows"], said
        refused = await client.call_tool("label_quality", {"graph": "huts:graph", "longest": 2})
        assert refused.is_error, refused
anyio.run(main)
print("the client is done")
"""


def blocks(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return found


def wheel(place: Path) -> Path:
    """A wheel of the page's package, as any build backend would make it."""
    project = tomllib.loads(blocks("toml"))["project"]
    about = f"label_quality-{project['version']}.dist-info"
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    )
    files = {
        "label_quality.py": blocks("python"),
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: label-quality\nVersion: {project['version']}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": points,
    }
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},"
        f"{len(text.encode())}\n"
        for name, text in files.items()
    )
    path = place / f"label_quality-{project['version']}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (files | {f"{about}/RECORD": record + f"{about}/RECORD,,\n"}).items():
            archive.writestr(name, text)
    return path


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the package, and sees kgnb and its dependencies where
    they are.
    """
    place = tmp_path_factory.mktemp("own-agent")
    run = [sys.executable, "-m", "uv"]
    subprocess.run(
        [*run, "venv", "--quiet", "--python", sys.executable, place / "environment"], check=True
    )
    own = place / "environment" / ("Scripts" if os.name == "nt" else "bin") / "python"
    found = subprocess.run(
        [own, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = sysconfig.get_path("purelib")
    (Path(found.stdout.strip()) / "beside.pth").write_text(
        f"import site; site.addsitedir({ours!r})\n"
    )
    install = (
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--python",
        own,
        wheel(place),
    )
    subprocess.run([*run, *install], check=True)
    return own


def done(python: Path, place: Path, *words: str) -> str:
    """What a process of that environment prints."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("KGNB_")
    }
    environment |= {"KGNB_EMBEDDER": "characters", "KGNB_CACHE": str(place / "cache")}
    environment["JUPYTER_PATH"] = str(
        Path(sys.prefix) / "share" / "jupyter"
    )  # kgnb's own things lie beside
    result = subprocess.run(
        [python, *words], cwd=place, env=environment, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    return result.stdout + result.stderr


@pytest.mark.slow
def test_the_magic_form_completion_and_panel_are_there(python: Path, tmp_path: Path) -> None:
    assert "cells are done" in done(python, tmp_path, "-c", CELLS)
    assert (tmp_path / "odd.csv").read_text(encoding="utf-8").startswith("iri,label,why")


@pytest.mark.slow
def test_the_command_is_there_with_its_bounds(python: Path, tmp_path: Path) -> None:
    assert "5<=x<=500" in done(python, tmp_path, "-m", "kgnb", "check-labels", "--help")
    words = ("check-labels", "huts:graph", "--longest", "10", "-o", "odd.csv", "--run", "run")
    assert (
        "findings" in done(python, tmp_path, "-m", "kgnb", *words) and (tmp_path / "run").is_dir()
    )


@pytest.mark.slow
def test_the_report_runs_with_its_parameters(python: Path, tmp_path: Path) -> None:
    words = (
        "report",
        "label-quality",
        "-p",
        "graph=huts:graph",
        "-p",
        "longest=10",
        "--out",
        "out",
    )
    done(python, tmp_path, "-m", "kgnb", *words)
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["headline"][0]["findings"] > 0 and metrics["cost"]["calls"] == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Labels to look at" in page and "kgnb report label-quality" in page


@pytest.mark.slow
def test_any_mcp_client_can_call_it(python: Path, tmp_path: Path) -> None:
    assert "the client is done" in done(python, tmp_path, "-c", CLIENT)


def test_without_the_package_nothing_of_it_is_there() -> None:
    assert "check-labels" not in main.list_commands(click.Context(main))
