"""Where in a YAML file something stands, for errors that name the line."""

from __future__ import annotations

from typing import Any

import yaml

Place = tuple[str | int, ...]


class Lines:
    """The line, from 1, of every key and every entry of a list in a YAML text; a key that is there twice is refused.

    >>> lines = Lines("report: x\\nparameters:\\n  k:\\n    - 3\\n    - 5\\n")
    >>> lines.of("parameters", "k", 1), lines.of("parameters", "word")
    (5, 2)

    Raises:
        ValueError: a key is there twice.
        yaml.YAMLError: the text is no YAML.
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[Place, int] = {}
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is not None:
            self._note(node, (), node.start_mark.line + 1)

    def of(self, *place: str | int) -> int:
        """The line of what stands there, or of the nearest thing around it."""
        for end in range(len(place), 0, -1):
            if place[:end] in self._lines:
                return self._lines[place[:end]]
        return self._lines.get((), 1)

    def _note(self, node: Any, place: Place, line: int) -> None:
        self._lines[place] = line
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                below = (*place, str(key.value))
                if below in self._lines:
                    lines = f"{self._lines[below]} and {key.start_mark.line + 1}"
                    raise ValueError(f"{key.value!r} is there twice, in lines {lines}")
                self._note(value, below, key.start_mark.line + 1)
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                self._note(value, (*place, number), value.start_mark.line + 1)
