"""The errors that kgnb raises, all below one root.

    KgnbError
    ├── ConfigError    a setting is missing or wrong: names it and how to set it
    │   └── UntrustedFile   a settings file was found that nobody named or trusted
    ├── BackendError   a service outside this process failed: carries ``.service``
    ├── ReplyError     a model's reply could not be used: carries ``.reply``
    ├── LimitError     a budget is spent: carries ``.limit``
    ├── DataError      a file or a graph is malformed: carries ``.where``
    └── Waiting        not a failure: requests wait for replies that arrive later

A bad argument to a function raises Python's own ValueError or TypeError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path


class KgnbError(Exception):
    """The root of every error kgnb raises on purpose.

    ``what`` says what happened and where; ``fix`` says how to fix it; ``details`` keeps the rest
    (a server's answer, a stack of causes).
    """

    def __init__(self, what: str, *, fix: str = "", details: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        self.details = details

    def __str__(self) -> str:
        return f"{self.what}\n{self.fix}" if self.fix else self.what

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows instead of a stack trace."""
        lines = [f"{type(self).__name__}: {self.what}"]
        if self.fix:
            lines.append(self.fix)
        lines += [note for note in getattr(self, "__notes__", ())]
        return lines


class FallBack(UserWarning):
    """Something else is used than was named, because that is not installed here."""


class Delayed(UserWarning):
    """A server is not ready yet, and the work waits for it."""


class Estimated(UserWarning):
    """A server did not count tokens, or counted too few: estimates are charged instead."""


class ToolFailed(UserWarning):
    """Calls of an outside tool failed; the model was told, and the work went on."""


class Damaged(UserWarning):
    """Finished work or a file of ours is not as kgnb left it; the line says what is done about it."""


class NotFit(UserWarning):
    """A model was not asked, for it got too many questions wrong whose answers are known."""


class FromCache(UserWarning):
    """What an earlier run was told is used again; the line says how much, and of which days."""


class NotKept(UserWarning):
    """A trace, journal or memory cannot be written; the work goes on without it."""


class ConfigError(KgnbError):
    """A setting is missing or wrong."""


class UntrustedFile(ConfigError):
    """A settings file was found that the user has neither named nor trusted; it has no effect."""


class BackendError(KgnbError):
    """A service outside this process (endpoint, model server, vector store) failed."""

    def __init__(self, what: str, *, service: str, fix: str = "", details: str = "") -> None:
        super().__init__(what, fix=fix, details=details)
        self.service = service


class ReplyError(KgnbError):
    """A model's reply could not be used, even after a request to repair it."""

    def __init__(self, what: str, *, reply: str, fix: str = "", details: str = "") -> None:
        super().__init__(what, fix=fix, details=details)
        self.reply = reply


class LimitError(KgnbError):
    """A budget (calls, tokens, money, seconds) is spent."""

    def __init__(self, what: str, *, limit: str, fix: str = "", details: str = "") -> None:
        super().__init__(what, fix=fix, details=details)
        self.limit = limit


class DataError(KgnbError):
    """A file or a graph is malformed; ``where`` is ``file``, ``file:line``, an IRI, or nothing where
    there is no place to name.
    """

    def __init__(
        self, what: str, *, where: str | Path = "", fix: str = "", details: str = ""
    ) -> None:
        super().__init__(f"{where}: {what}" if str(where) else what, fix=fix, details=details)
        self.where = str(where)


class Waiting(KgnbError):
    """Requests wait for replies of a batch service or a person; once they are there, the same call
    continues.

    ``tell`` returns what waits and how to continue; ``folder`` holds the requests; ``again`` is this
    error, updated.
    """

    def __init__(self, tell: Callable[[], tuple[str, str]], folder: str = "FOLDER") -> None:
        what, fix = tell()
        super().__init__(what, fix=fix)
        self._tell = tell
        self.folder = folder

    def again(self) -> Waiting:
        """The same error, with everything that waits now."""
        return Waiting(self._tell, self.folder)


def shown(text: str, length: int = 300) -> str:
    r"""A server's or a model's text made safe to print: one line, printable characters only, cut to
    ``length``.

    >>> shown("bad\x1b[31m key\n\n  here")
    'bad?[31m key here'
    """
    line = " ".join(text[: 4 * length].split())
    line = "".join(letter if letter.isprintable() else "?" for letter in line)
    return line if len(line) <= length and len(text) <= 4 * length else line[: length - 1] + "…"


def nearest(word: str, known: Iterable[str], most: int = 1, cutoff: float = 0.6) -> str:
    """Asks whether one of the known words was meant; "" where none looks like this one.

    >>> nearest("retreive", ["retrieve", "store"]), nearest("x", ["retrieve"])
    ('Did you mean retrieve?', '')
    """
    from difflib import get_close_matches  # for a mistake only

    near = get_close_matches(word, list(known), most, cutoff)
    return f"Did you mean {' or '.join(near)}?" if near else ""
