"""What is installed beside kgnb: floors above known advisories, and versions that go together."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HOME = Path(__file__).parents[1]
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINUX = {"sys_platform": "linux", "platform_machine": "x86_64", "python_version": "3.11"}
# the last version with an advisory about what kgnb does with it
ADVISED = {"pypdf": "6.1.2", "jinja2": "3.1.5", "nbconvert": "7.16.6"}


def test_the_constraints_hold_every_dependency_at_a_version_that_kgnb_takes() -> None:
    lines = (HOME / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    versions = {canonicalize_name(name): version for name, version in pinned.items()}
    wanted = map(Requirement, [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]])
    for one in wanted:
        if one.marker is None or one.marker.evaluate(LINUX):
            assert one.specifier.contains(versions[canonicalize_name(one.name)]), one


@pytest.mark.parametrize(("name", "version"), ADVISED.items())
def test_no_version_with_a_known_advisory_satisfies_kgnb(name: str, version: str) -> None:
    [one] = [one for one in map(Requirement, PROJECT["dependencies"]) if one.name == name]
    assert not one.specifier.contains(version)
