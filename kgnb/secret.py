"""A text that must not show itself: an API key between the environment and the client that needs it."""

from __future__ import annotations


class Secret:
    """A text that shows itself to nobody who does not ask for it by ``reveal()``."""

    __slots__ = ("_text", "source")

    def __init__(self, text: str, source: str = "") -> None:
        self._text = text
        self.source = source

    def reveal(self) -> str:
        """The secret itself: pass it to a client, never to a file."""
        return self._text

    def __repr__(self) -> str:
        return f"Secret({self.source or '...'})"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)
