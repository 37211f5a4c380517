"""Front ends as people have them: environments of the wheel and one version of JupyterLab and of Notebook."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What a person who types `pip install kgnb` in an environment with this front end gets, from the package index.
PLUGINS = ("settings", "mime", "insert", "languages", "completer", "commands", "panel", "versions")


@dataclass(frozen=True)
class FrontEnd:
    """One version of a front end; ``faults`` are errors it logs on any page, with our extension or without.

    ``beside`` shares its environment and its server, as when both are installed: half the environments to make.
    """

    requirement: str
    app: str
    beside: str
    faults: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.requirement.replace("==", "-")

    @property
    def requirements(self) -> tuple[str, str]:
        """What its environment is made of, JupyterLab first."""
        first, second = sorted((self.requirement, self.beside))
        return first, second


NOTEBOOK_FAULTS = (
    "Cannot read properties of undefined (reading 'schema')",  # seen in 7.6.5 with no extension of ours
    # Notebook makes a document, opens a tab for it and drops what it made; it complains where that was not yet drawn.
    "Cannot read properties of null (reading 'updateRenderOption')",
    "Command 'filebrowser:open-path' not registered.",
)
OLDEST_LAB = FrontEnd("jupyterlab==4.4.0", "lab", "notebook==7.4.0")
NEWEST_LAB = FrontEnd("jupyterlab", "lab", "notebook")
OLDEST_NOTEBOOK = FrontEnd("notebook==7.4.0", "notebook", "jupyterlab==4.4.0", NOTEBOOK_FAULTS)
NEWEST_NOTEBOOK = FrontEnd("notebook", "notebook", "jupyterlab", NOTEBOOK_FAULTS)
FRONT_ENDS = (OLDEST_LAB, NEWEST_LAB, OLDEST_NOTEBOOK, NEWEST_NOTEBOOK)


def build_wheel(place: Path) -> Path:
    """The wheel of this checkout, with the front end as it was built last (it is built if it never was)."""
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(place), str(ROOT))
    (wheel,) = place.glob("kgnb-*.whl")
    return wheel


def environment(place: Path, *requirements: str, dependencies: bool = True) -> Path:
    """A new environment, or more in one that is there; its Python. Without a package index: skipped, but not in CI."""
    python = place / "bin" / "python"
    try:
        if not python.exists():
            run(sys.executable, "-m", "uv", "venv", "--quiet", "--python", sys.executable, str(place))
        more = () if dependencies else ("--no-deps",)
        run(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", str(python), *more, *requirements)
    except subprocess.CalledProcessError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no environment for the test could be made; is a package index at hand? {error.stderr[-300:]}")
    return python


def run(*command: str, extra: dict[str, str] | None = None) -> str:
    """What a command says; one that fails raises CalledProcessError, its words printed."""
    try:
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=600, env=os.environ | (extra or {})
        )
    except subprocess.CalledProcessError as error:
        print(error.stdout[-2000:], error.stderr[-4000:])
        raise
    return done.stdout + done.stderr
