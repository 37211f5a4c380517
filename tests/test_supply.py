"""What is installed beside kgnb: floors above known advisories, and versions that go together."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
import tomllib
import types
import zipfile
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HOME = Path(__file__).parents[1]
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINUX = {"sys_platform": "linux", "platform_machine": "x86_64", "python_version": "3.11"}
# the last version with an advisory about what kgnb does with it
ADVISED = {
    "pypdf": "6.15.0",
    "jinja2": "3.1.5",
    "nbconvert": "7.17.0",
    "certifi": "2024.6.2",
    "jupyterlab": "4.6.1",
    "jupyter-server": "2.19.0",
    "distributed": "2026.1.0",
}


def test_the_constraints_hold_every_dependency_at_a_version_that_kgnb_takes() -> None:
    lines = (HOME / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    versions = {canonicalize_name(name): version for name, version in pinned.items()}
    wanted = map(Requirement, [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]])
    for one in wanted:
        if one.marker is None or one.marker.evaluate(LINUX):
            assert one.specifier.contains(versions[canonicalize_name(one.name)]), one


@pytest.mark.fault("advisories and bills of materials")
@pytest.mark.parametrize(("name", "version"), ADVISED.items())
def test_no_version_with_a_known_advisory_satisfies_kgnb(name: str, version: str) -> None:
    extras = PROJECT["optional-dependencies"]
    wanted = map(Requirement, [*PROJECT["dependencies"], *chain.from_iterable(extras.values())])
    floors = [one.specifier for one in wanted if one.name == name]
    assert floors and not any(floor.contains(version) for floor in floors)


def supply(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, HOME / ".ci" / "supply", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def advisory(name: str, **events: str) -> dict[str, object]:
    listed = [{kind: text} for kind, text in events.items()]
    affected = {
        "package": {"ecosystem": "PyPI", "name": name},
        "ranges": [{"type": "ECOSYSTEM", "events": listed}],
    }
    return {"id": "TEST-1", "summary": "a fault", "affected": [affected]}


@pytest.mark.fault("advisories and bills of materials")
@pytest.mark.parametrize(
    ("record", "status"),
    [
        (advisory("Jinja2", introduced="0", fixed="3.1.6"), 0),
        (advisory("Jinja2", introduced="0", fixed="99"), 1),
        (advisory("Jinja2", introduced="0", last_affected="3.1.5"), 0),
        (advisory("jinja2", introduced="0"), 1),
        (advisory("no-such-package", introduced="0"), 0),
        ({**advisory("jinja2", introduced="0"), "withdrawn": "2024-01-01T00:00:00Z"}, 0),
    ],
)
def test_an_audit_reads_advisories_from_a_file(
    tmp_path: Path, record: dict[str, object], status: int
) -> None:
    for content in (record, [record], {"vulns": [record]}):
        (tmp_path / "osv.json").write_text(json.dumps(content))
        done = supply("audit", tmp_path / "osv.json")
        assert done.returncode == status, done.stderr
        assert ("TEST-1 a fault" in done.stdout) is bool(status)


@pytest.mark.fault("advisories and bills of materials")
def test_an_audit_of_no_advisories_says_so(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"a": 1}')
    done = supply("audit", tmp_path / "other.json")
    assert done.returncode == 1 and "no advisories" in done.stderr


@pytest.mark.fault("advisories and bills of materials")
def test_a_bill_of_materials_says_what_a_wheel_says_of_itself(tmp_path: Path) -> None:
    metadata = "Name: kgnb\nVersion: 0.1.0\nLicense-Expression: BSD-3-Clause\n"
    for text in PROJECT["dependencies"]:
        metadata += f"Requires-Dist: {text}\n"
    metadata += "Requires-Dist: pyarrow>=15; extra == 'parquet'\n"
    wheel = tmp_path / "kgnb-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("kgnb-0.1.0.dist-info/METADATA", metadata)
    bill = json.loads(supply("sbom", wheel).stdout)
    assert (bill["bomFormat"], bill["metadata"]["component"]["version"]) == ("CycloneDX", "0.1.0")
    parts = {part["name"]: part for part in bill["components"]}
    names = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    assert names | {"pyarrow"} == set(parts)
    assert parts["pyarrow"]["scope"] == "optional" and parts["numpy"]["scope"] == "required"
    assert parts["numpy"]["purl"].startswith("pkg:pypi/numpy@")


@pytest.mark.fault("what a wheel ships")
def test_a_wheel_ships_no_source_map_and_no_path_of_the_machine_that_built_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # hatchling is there only while a wheel is built: a hook is told its root and its target
    interface = types.ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = dict  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    front_end = runpy.run_path(str(HOME / "hatch_build.py"))["FrontEnd"]
    built = tmp_path / "kgnb" / "labextension" / "static"
    built.mkdir(parents=True)
    for name in ("style.js", "remoteEntry.js", "remoteEntry.js.map", "build_log.json"):
        (built / name).write_text(str(tmp_path))
    for target, names in (("wheel", ["remoteEntry.js", "style.js"]), ("sdist", [])):
        hook, shipped = front_end(), dict[str, str]()
        hook.root, hook.target_name = str(tmp_path), target
        hook.initialize("standard", {"shared_data": shipped})
        assert sorted(Path(path).name for path in shipped) == names
