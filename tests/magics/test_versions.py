"""The extension and the package are of one version."""

import json
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_package_and_its_extension_carry_one_version() -> None:
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]
    manifest = json.loads((ROOT / "extension" / "package.json").read_text(encoding="utf-8"))[
        "version"
    ]
    source = (ROOT / "extension" / "src" / "versions.ts").read_text(encoding="utf-8")
    assert (
        re.findall(r"^export const VERSION = '(.*)';$", source, re.MULTILINE)
        == [package]
        == [manifest]
    )


def test_the_extension_is_for_the_front_ends_that_the_package_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = (ROOT / "extension" / "src" / "versions.ts").read_text(encoding="utf-8")
    oldest = re.search(r"JupyterLab: \{ from: \[(\d+), (\d+)\]", source)
    assert oldest is not None
    # the floor may stand above it: what is older has a known advisory
    floors = [
        re.fullmatch(r"jupyterlab>=(\d+)\.(\d+)(\.\d+)?", wanted)
        for wanted in project["optional-dependencies"]["lab"]
    ]
    asked = next((int(one[1]), int(one[2])) for one in floors if one)
    assert asked >= (int(oldest[1]), int(oldest[2]))
    manifest = json.loads((ROOT / "extension" / "package.json").read_text(encoding="utf-8"))
    # JupyterLab calls an extension incompatible that asks for more than it has.
    for name in (
        "application",
        "notebook",
        "completer",
        "launcher",
        "rendermime",
        "settingregistry",
    ):
        wanted = f"^{oldest[1]}.{oldest[2]}.0"
        assert manifest["dependencies"][f"@jupyterlab/{name}"] == wanted
        assert (
            manifest["jupyterlab"]["sharedPackages"][f"@jupyterlab/{name}"]["requiredVersion"]
            == wanted
        )
