"""Which settings file counts: the user's own, one that they name, and one they have trusted.

A ``kgnb.toml`` that is merely found (in this folder or a parent) may come from anybody: with a
repository, or from another user of the machine. Trust is for one file with one content.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import gettempdir, mkdtemp

import platformdirs

from kgnb.errors import ConfigError, DataError
from kgnb.files import from_json, locked, no_file, write_json

LONGEST = 1 << 20
"""Bytes a settings file may have."""


@dataclass(frozen=True)
class SettingsFile:
    """A settings file and the content that was read, which is what is trusted."""

    path: Path
    content: bytes
    own: bool  # it belongs to this user

    @classmethod
    def read(cls, path: Path) -> SettingsFile:
        """Raises:
        DataError: it cannot be read, is a pipe or a device, or is larger than any such file.
        """
        try:
            # a pipe that nobody writes to would keep one that opens it
            with open(path, "rb", opener=_at_once) as stream:
                status = os.fstat(stream.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise no_file(path, "Save it as a file first; to have no settings file: none.")
                owner, content = status.st_uid, stream.read(LONGEST + 1)
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror or error}", where=path) from error
        if len(content) > LONGEST:
            raise DataError("is no settings file: it has more than 1 MiB", where=path)
        # Windows keeps no such owner
        return cls(path, content, not hasattr(os, "getuid") or owner == os.getuid())

    @property
    def digest(self) -> str:
        """Of its content."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def trusted(self) -> bool:
        """Whether it belongs to the user, who has trusted exactly this content at this place."""
        return self.own and _trusted().get(str(self.path.resolve())) == self.digest

    @property
    def changed(self) -> bool:
        """Whether another content of it was trusted."""
        return self.own and not self.trusted and str(self.path.resolve()) in _trusted()

    def trust(self) -> Path:
        """Remember that the user trusts it; returns the file that says so.

        Raises:
            ConfigError: it belongs to somebody else, or there is no place to remember it.
        """
        if not self.own:
            raise ConfigError(
                f"{self.path} belongs to another user, who could change it at any time",
                fix=f"Copy it, or name it each time: kgnb --config {self.path} ..., or KGNB_CONFIG.",
            )
        folder = config_folder()
        if folder is None:
            raise ConfigError(
                "there is no home folder to remember it in",
                fix=f"Name the file each time: kgnb --config {self.path} ..., or KGNB_CONFIG.",
            )
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(folder / ".trusted.json.in-use"):
            return write_json(
                folder / "trusted.json", _trusted() | {str(self.path.resolve()): self.digest}
            )


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def config_folder() -> Path | None:
    """The folder of the user's own settings; None without a home folder."""
    return _absolute(platformdirs.user_config_path)


def cache_folder() -> Path:
    """The folder of the user's caches; without a home folder, one in the system's temporary folder
    that bears the user's number, or a new one where another user has taken that.
    """
    folder = _absolute(platformdirs.user_cache_path)
    if folder is not None:
        return folder
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(gettempdir()) / f"kgnb-{user}"
    with suppress(OSError):
        folder.mkdir(mode=0o700)
    try:
        status = folder.lstat()
        own = stat.S_ISDIR(status.st_mode) and status.st_uid == user and not status.st_mode & 0o077
    except OSError:
        return folder
    # others may have made it first: they would read what is asked, and give the answers
    return folder if own or os.name != "posix" else _new_folder(user)


@cache
def _new_folder(user: int) -> Path:
    return Path(mkdtemp(prefix=f"kgnb-{user}-"))


def _absolute(of_user: Callable[..., Path]) -> Path | None:
    """A folder of the user for kgnb; None where there is no home folder to hold it."""
    try:
        folder = of_user("kgnb", appauthor=False)
    except RuntimeError:  # neither HOME nor an entry for this user
        return None
    return folder if folder.is_absolute() else None


def _trusted() -> dict[str, str]:
    """The digests of trusted files by their paths."""
    folder = config_folder()
    path = folder / "trusted.json" if folder is not None else None
    if path is None or not path.is_file():
        return {}
    try:
        kept = from_json(path.read_bytes())
    except (OSError, ValueError):
        kept = None
    if not isinstance(kept, dict):
        raise DataError(
            "is not the list of trusted files that kgnb wrote",
            where=path,
            fix="Delete it, and trust your files again: kgnb trust FILE",
        )
    return {str(name): str(digest) for name, digest in kept.items()}
