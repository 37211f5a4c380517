"""A few sentences on a report's page."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Words:
    """Text for the page: escaped, one paragraph a line; with ``alarm`` the first one cannot be overlooked.

    ``off`` says that a part was not asked for: it stands back, and is left out of print with its heading.
    """

    lines: tuple[str, ...]
    alarm: bool = False
    off: bool = False

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        first = '<p class="alarm">' if self.alarm else '<p class="off">' if self.off else "<p>"
        starts = [first, *["<p>"] * (len(self.lines) - 1)]
        body = "".join(f"{start}{escape(line)}</p>" for start, line in zip(starts, self.lines, strict=True))
        return {"text/html": body, "text/plain": str(self)}


@dataclass(frozen=True)
class Folded:
    """Something long, behind a line that opens it; it stays folded in print."""

    title: str
    content: object

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        bundle = self.content._repr_mimebundle_()  # type: ignore[attr-defined]  # whatever shows itself
        body = f'<details class="long"><summary>{escape(self.title)}</summary>{bundle["text/html"]}</details>'
        return {"text/html": body, "text/plain": bundle["text/plain"]}
