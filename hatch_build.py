"""What a wheel carries of the front end: no source maps and no build log, which name paths of the
machine that built it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "share/jupyter/labextensions/kgnb-labextension"


class FrontEnd(BuildHookInterface[Any]):
    """Adds the built extension, after the hook that builds it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name every file of the extension that is shipped."""
        if self.target_name != "wheel":
            return
        built = Path(self.root, "kgnb", "labextension")
        for path in sorted(built.rglob("*")):
            if path.is_file() and path.suffix != ".map" and path.name != "build_log.json":
                target = f"{PLACE}/{path.relative_to(built).as_posix()}"
                build_data["shared_data"][str(path)] = target
