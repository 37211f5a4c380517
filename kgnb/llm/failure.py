"""How asking a model fails: one error that carries every try."""

from __future__ import annotations

from kgnb.errors import BackendError
from kgnb.llm.model import Attempt


class ModelError(BackendError):
    """A model server could not be brought to answer.

    ``attempts`` lists every try, the last one last. ``passing`` says that trying again may help; ``retry_after`` is
    how many seconds the server asked to be left alone, None where it did not say.
    """

    def __init__(
        self,
        what: str,
        *,
        service: str,
        fix: str = "",
        details: str = "",
        attempts: tuple[Attempt, ...] = (),
        passing: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(what, service=service, fix=fix, details=details)
        self.attempts = attempts
        self.passing = passing
        self.retry_after = retry_after

    @property
    def status(self) -> int:
        """The HTTP status of the last try; 0 where there was none."""
        return self.attempts[-1].status if self.attempts else 0


def shown(text: str, length: int = 300) -> str:
    r"""A server's or a model's text made safe to print: one line, printable characters only, cut to ``length``.

    >>> shown("bad\x1b[31m key\n\n  here")
    'bad?[31m key here'
    """
    line = " ".join(text[: 4 * length].split())
    line = "".join(letter if letter.isprintable() else "?" for letter in line)
    return line if len(line) <= length and len(text) <= 4 * length else line[: length - 1] + "…"
