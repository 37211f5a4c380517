"""Forms for magics: the controls of a verb or tool, the line they make, a Run button and its
output.
"""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import anywidget
import ipywidgets
import traitlets
from IPython.display import display

from kgnb.magics.arguments import LineError, quote, split

HERE = pathlib.Path(__file__).parent
HIDDEN = ("help", "form")


@dataclass
class Control:
    """The widget for one argument. An option that was neither given nor touched adds nothing to the
    line.
    """

    name: str
    widget: ipywidgets.Widget
    inputs: tuple[ipywidgets.Widget, ...]
    read: Callable[[], list[str]]
    touched: bool = False
    help: str = ""  # shown beside it

    def words(self) -> list[str]:
        """The words this control adds to the line."""
        return self.read() if self.touched else []

    def on_change(self, tell: Callable[[], None]) -> None:
        """Calls ``tell`` whenever a person changes the control."""

        def moved(_: object) -> None:
            self.touched = True
            tell()

        for widget in self.inputs:
            widget.observe(moved, names="value")


def verb_controls(
    parser: argparse.ArgumentParser,
    given: Mapping[str, Any],
    current: Mapping[str, Any],
    suggest: Callable[[str], Sequence[str]],
) -> list[Control]:
    """The controls of a verb, in its parser's order.

    Their values are those ``given`` on the line, else the ``current`` ones, else the parser's
    defaults.
    """
    controls = []
    for action in parser._actions:
        if action.dest in HIDDEN:
            continue
        default = None if action.default is argparse.SUPPRESS else action.default
        said = given.get(action.dest)
        control = _control(
            action,
            current.get(action.dest, default) if said is None else said,
            suggest(action.dest),
        )
        control.help = control.inputs[0].tooltip
        # A positional argument is always part of the line, an option if the line had it already.
        control.touched = not action.option_strings or (
            said is not None and said is not False and said != default
        )
        controls.append(control)
    return controls


def _control(action: argparse.Action, start: Any, suggested: Sequence[str]) -> Control:
    option = next((text for text in action.option_strings if text.startswith("--")), "")
    look = {
        "description": action.dest.replace("_", " "),
        "style": {"description_width": "10em"},
        "tooltip": (action.help or "").replace("%%", "%"),
        "layout": ipywidgets.Layout(width="32em"),
    }
    if option and action.nargs == 0:
        box = ipywidgets.Checkbox(value=bool(start), **look)
        negated = [text for text in action.option_strings if text.startswith("--no-")][:1]
        return Control(action.dest, box, (box,), lambda: [option] if box.value else negated)
    if action.choices:
        choices = [(str(choice), str(choice)) for choice in action.choices]
        pick = ipywidgets.Dropdown(
            options=choices if start is not None else [("", ""), *choices], **look
        )
        pick.value = str(start) if start is not None else ""
        return Control(action.dest, pick, (pick,), lambda: _said(option, pick.value))
    if hasattr(action.type, "kind"):
        return _number(action.dest, option, action.type, start, look)
    return _text(action, option, start, suggested, look)


def _number(name: str, option: str, bounds: Any, start: Any, look: Mapping[str, Any]) -> Control:
    whole, least, most = bounds.kind is int, bounds.least, bounds.most
    value = start if start is not None else least if least is not None else 0
    if least is not None and most is not None:
        slider = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
        step = {} if whole else {"step": (most - least) / 100, "readout_format": ".2f"}
        entry = slider(value=value, min=least, max=most, continuous_update=False, **step, **look)
    else:
        entry = (ipywidgets.IntText if whole else ipywidgets.FloatText)(value=value, **look)
    if not bounds.optional:
        return Control(
            name,
            entry,
            (entry,),
            lambda: [option, f"{entry.value:g}" if not whole else str(entry.value)],
        )
    automatic = ipywidgets.Checkbox(value=start is None, description="automatic", indent=False)
    entry.disabled = automatic.value
    automatic.observe(lambda change: setattr(entry, "disabled", change["new"]), names="value")
    both = ipywidgets.HBox([entry, automatic])
    return Control(
        name,
        both,
        (entry, automatic),
        lambda: [option, "none" if automatic.value else f"{entry.value:g}"],
    )


def _text(
    action: argparse.Action,
    option: str,
    start: Any,
    suggested: Sequence[str],
    look: Mapping[str, Any],
) -> Control:
    many = action.nargs in ("+", "*")
    words = [start] if isinstance(start, str) else start or []
    text = " ".join(map(quote, map(str, filter(None, words)))) if many else str(start or "")
    if suggested and not many:
        entry = ipywidgets.Combobox(
            value=text, options=tuple(suggested), ensure_option=False, **look
        )
    else:
        entry = ipywidgets.Text(value=text, **look)
    entry.continuous_update = True
    return Control(
        action.dest,
        entry,
        (entry,),
        lambda: _words(entry.value) if many else _said(option, entry.value),
    )


def _said(option: str, value: str) -> list[str]:
    return [word for word in (option, value) if word] if value else []


def _words(text: str) -> list[str]:
    try:
        return split(text)
    except LineError:  # an apostrophe, or a quote that is not closed yet
        return text.split()


class Magics(Protocol):
    """The part of a magic that a form uses."""

    magic: ClassVar[str]
    shell: Any


class PlainLine(anywidget.AnyWidget):
    """The magic line of a form, with buttons to copy it or insert it as a cell."""

    _esm = HERE / "line.js"
    _css = HERE / "line.css"
    line = traitlets.Unicode("").tag(sync=True)


class Form:
    """The controls of a verb. ``line`` is always exactly what Run will run."""

    def __init__(
        self, magics: Magics, verb: str, controls: Sequence[Control], cell: str | None = None
    ) -> None:
        """With ``cell``, the line is that of a cell magic, above this cell."""
        self.magics, self.verb, self.controls, self.cell = magics, verb, list(controls), cell
        self.plain = PlainLine()
        self.output = ipywidgets.Output()
        self.state = ipywidgets.HTML()
        self.button = ipywidgets.Button(description="Run", button_style="primary", icon="play")
        self.button.on_click(lambda _: self.run())
        for control in self.controls:
            control.on_change(self._update)
        self._update()
        rows = [
            ipywidgets.HBox([control.widget, ipywidgets.Label(control.help)])
            for control in self.controls
        ]
        self.box = ipywidgets.VBox(
            [*rows, self.plain, ipywidgets.HBox([self.button, self.state]), self.output]
        )

    @property
    def line(self) -> str:
        """The magic line that the controls make."""
        words = [word for control in self.controls for word in control.words()]
        if self.cell is None:
            return plain_line(self.magics.magic, self.verb, words)
        return f"%{plain_line(self.magics.magic, '', words)}\n{self.cell}"

    def run(self) -> None:
        """Runs the line as a cell would, and shows the result below."""
        self.button.disabled = True
        self.state.value = "running"
        self.output.clear_output()
        try:
            # Output shows an error as a cell would and swallows it: a button has no cell that could
            # fail.
            with self.output:
                self.state.value = "failed"
                name, _, rest = self.line.partition("\n")[0].lstrip("%").partition(" ")
                if self.cell is None:
                    result = self.magics.shell.run_line_magic(name, rest)
                else:
                    result = self.magics.shell.run_cell_magic(name, rest, self.cell)
                if result is not None:
                    display(result)  # type: ignore[no-untyped-call]  # IPython is untyped
                self.state.value = "done"
        finally:
            self.button.disabled = False

    def _update(self) -> None:
        self.plain.line = self.line

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.box._repr_mimebundle_(**kwargs)

    def __repr__(self) -> str:
        return f"Form({self.line})"


def plain_line(magic: str, verb: str, words: Sequence[str]) -> str:
    """A magic line made of words, quoted where necessary."""
    return " ".join([f"%{magic}", *filter(None, [verb]), *map(quote, words)])


def tool_controls(schema: Mapping[str, Any], given: Mapping[str, Any]) -> list[Control]:
    """The controls for the arguments of a tool, by its JSON Schema; each adds NAME=VALUE, or
    nothing if left empty.
    """
    required = schema.get("required", ())
    return [
        _argument(name, one, name in required, given.get(name))
        for name, one in schema["properties"].items()
    ]


def _argument(name: str, schema: Mapping[str, Any], required: bool, value: Any) -> Control:
    look = {
        "description": f"{name}{' *' if required else ''}",
        "layout": ipywidgets.Layout(width="32em"),
        "style": {"description_width": "12em"},
    }
    choices = [str(one) for one in schema.get("enum", ()) if one is not None]
    if schema.get("type") == "boolean":
        choices = ["true", "false"]
    start = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    if choices:
        entry = ipywidgets.Dropdown(
            options=["", *choices], value=start if start in choices else "", **look
        )
    else:
        entry = ipywidgets.Text(value=start, **look)
    about = str(schema.get("description", ""))[:120]
    return Control(
        name, entry, (entry,), lambda: [f"{name}={entry.value}"] if entry.value else [], True, about
    )
