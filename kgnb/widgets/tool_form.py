"""A tool as a form: one control for each argument of its schema; what the form says is the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import ipywidgets
from IPython.display import display


class ToolLike(Protocol):
    """What a form needs of a tool."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def description(self) -> str:
        """What it does."""

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """The schema of its arguments."""


class ToolForm:
    """The form of one tool. ``values`` is at any time what Call will send; ``call`` gives what is shown below.

    Closed lists are lists to choose from, truth values a box to tick; whatever is left empty is left out.
    """

    def __init__(self, tool: ToolLike, call: Callable[[dict[str, Any]], Any], given: Mapping[str, Any]) -> None:
        self.tool, self._call = tool, call
        required = set(tool.input_schema.get("required", ()))
        self.fields: dict[str, Any] = {}
        for name, schema in tool.input_schema["properties"].items():
            self.fields[name] = _field(name, schema, name in required, given.get(name))
        self.button = ipywidgets.Button(description="Call", button_style="primary")
        self.output = ipywidgets.Output()
        self.button.on_click(lambda _: self.press())
        head = ipywidgets.Label(value=f"{tool.name}: {tool.description}"[:300])
        self.box = ipywidgets.VBox([head, *self.fields.values(), self.button, self.output])

    @property
    def values(self) -> dict[str, Any]:
        """The arguments as they are filled in, in the types their schema asks for."""
        found = {}
        for name, field in self.fields.items():
            value = field.value
            if value in ("", None):
                continue
            found[name] = _typed(value, self.tool.input_schema["properties"][name])
        return found

    def press(self) -> Any:
        """Make the call and show what came of it."""
        shown = self._call(self.values)
        self.output.clear_output()
        with self.output:
            display(shown)  # type: ignore[no-untyped-call]  # IPython is untyped
        return shown

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return self.box._repr_mimebundle_(include=include, exclude=exclude)


def _field(name: str, schema: Mapping[str, Any], required: bool, value: Any) -> Any:
    about = f"{name}{' *' if required else ''}"
    layout, style = ipywidgets.Layout(width="90%"), {"description_width": "12em"}
    if "enum" in schema:
        choices = [("", ""), *((str(one), one) for one in schema["enum"] if one is not None)]
        start = value if value in schema["enum"] else ""
        return ipywidgets.Dropdown(options=choices, value=start, description=about, layout=layout, style=style)
    if schema.get("type") == "boolean":
        choices = [("", ""), ("yes", True), ("no", False)]
        return ipywidgets.Dropdown(options=choices, value="", description=about, layout=layout, style=style)
    return ipywidgets.Text(
        value="" if value is None else str(value), description=about, layout=layout, style=style,
        placeholder=str(schema.get("description", ""))[:120],
    )  # fmt: skip


def _typed(value: Any, schema: Mapping[str, Any]) -> Any:
    """Text as the number a schema asks for; as it is where it is none, so that the check can say why."""
    kinds = {schema.get("type")} | {inner.get("type") for inner in schema.get("anyOf", ())}
    if isinstance(value, str) and kinds & {"integer", "number"}:
        for kind in (int, float):
            try:
                return kind(value)
            except ValueError:
                continue
    return value
