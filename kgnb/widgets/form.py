"""A verb as a form: its controls, the plain line they make, a Run button and what it shows."""

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

LABEL = {"description_width": "10em"}
HIDDEN = ("help", "form")


@dataclass
class Control:
    """A widget for one argument. ``words`` reads it; an option nobody touched or gave says nothing in the line."""

    name: str
    widget: ipywidgets.Widget
    inputs: tuple[ipywidgets.Widget, ...]
    read: Callable[[], list[str]]
    touched: bool = False
    about: str = ""  # what it is for, beside it

    def words(self) -> list[str]:
        """The words this control adds to the line."""
        return self.read() if self.touched else []

    def on_change(self, tell: Callable[[], None]) -> None:
        """Has ``tell`` called whenever a person moves the control."""

        def moved(_: object) -> None:
            self.touched = True
            tell()

        for widget in self.inputs:
            widget.observe(moved, names="value")


def make_controls(
    parser: argparse.ArgumentParser,
    given: Mapping[str, Any],
    current: Mapping[str, Any],
    suggest: Callable[[str], Sequence[str]],
) -> list[Control]:
    """The controls of a verb, in its parser's order.

    They start from what the line ``given`` said, else from the ``current`` values, else from the parser's defaults.
    """
    controls = []
    for action in parser._actions:
        if action.dest in HIDDEN:
            continue
        default = None if action.default is argparse.SUPPRESS else action.default
        start = given.get(action.dest)
        start = current.get(action.dest, default) if start is None else start
        control = _control(action, start, suggest(action.dest))
        control.about = _help(action)
        said = given.get(action.dest)
        # A positional is always part of the line; an option where the line already had it.
        control.touched = not action.option_strings or (said is not None and said is not False and said != default)
        controls.append(control)
    return controls


def _control(action: argparse.Action, start: Any, suggested: Sequence[str]) -> Control:
    name = action.dest.replace("_", " ")
    option = next((text for text in action.option_strings if text.startswith("--")), "")
    look = {"description": name, "style": LABEL, "tooltip": _help(action), "layout": ipywidgets.Layout(width="32em")}
    if option and action.nargs == 0:
        box = ipywidgets.Checkbox(value=bool(start), **look)
        negated = next((text for text in action.option_strings if text.startswith("--no-")), "")
        return Control(action.dest, box, (box,), lambda: [option] if box.value else [negated] if negated else [])
    if action.choices:
        choices = [str(choice) for choice in action.choices]
        empty = [] if start is not None else [("", "")]
        pick = ipywidgets.Dropdown(options=[*empty, *((one, one) for one in choices)], **look)
        pick.value = str(start) if start is not None else ""
        return Control(action.dest, pick, (pick,), lambda: _said(option, pick.value))
    bounds = action.type
    kind = getattr(bounds, "kind", None)
    if kind is not None:
        return _number(action.dest, option, bounds, start, look)
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
        return Control(name, entry, (entry,), lambda: [option, f"{entry.value:g}" if not whole else str(entry.value)])
    left = ipywidgets.Checkbox(value=start is None, description="automatic", indent=False)
    entry.disabled = left.value
    left.observe(lambda change: setattr(entry, "disabled", change["new"]), names="value")
    both = ipywidgets.HBox([entry, left])
    return Control(name, both, (entry, left), lambda: [option, "none" if left.value else f"{entry.value:g}"])


def _text(
    action: argparse.Action, option: str, start: Any, suggested: Sequence[str], look: Mapping[str, Any]
) -> Control:
    many = action.nargs in ("+", "*")
    words = [start] if isinstance(start, str) else start or []
    text = " ".join(quote(str(one)) for one in words if one) if many else "" if start is None else str(start)
    if suggested and not many:
        entry = ipywidgets.Combobox(value=text, options=tuple(suggested), ensure_option=False, **look)
    else:
        entry = ipywidgets.Text(value=text, **look)
    entry.continuous_update = True
    if many:
        return Control(action.dest, entry, (entry,), lambda: _words(entry.value))
    return Control(action.dest, entry, (entry,), lambda: _said(option, entry.value))


def _said(option: str, value: str) -> list[str]:
    return [word for word in (option, value) if word] if value else []


def _words(text: str) -> list[str]:
    try:
        return split(text)
    except LineError:  # an apostrophe, or a quote that is not closed yet
        return text.split()


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%")


HERE = pathlib.Path(__file__).parent


class Magics(Protocol):
    """What a form needs of a family of magics."""

    magic: ClassVar[str]
    shell: Any

    def current(self, method: Any) -> dict[str, object]:
        """The values that hold where the line says nothing."""

    def suggestions(self, name: str) -> Sequence[str]:
        """Words that fit an argument."""


class PlainLine(anywidget.AnyWidget):
    """The magic line a form stands for, with buttons that copy it or insert it below."""

    _esm = HERE / "line.js"
    _css = HERE / "line.css"
    line = traitlets.Unicode("").tag(sync=True)


def someone_is_there(shell: Any) -> bool:
    """Whether a person can press a button: a notebook front end that could also be asked for input.

    JupyterLab, Notebook, VS Code and Colab allow a kernel to ask; papermill, nbclient and nbval do not, and terminal
    IPython has no kernel at all.
    """
    return bool(getattr(getattr(shell, "kernel", None), "_allow_stdin", False))


class Form:
    """The controls of one verb. ``line`` is at any time exactly what Run will run."""

    def __init__(self, magics: Magics, method: Any, given: Mapping[str, Any], cell: str | None = None) -> None:
        """The controls; with ``cell`` those of a cell magic's first line, above this cell."""
        self.magics, self.cell = magics, cell
        self.verb: str = method.verb
        self.controls = make_controls(method.parser, given, magics.current(method), magics.suggestions)
        self.plain = PlainLine()
        self.output = ipywidgets.Output()
        self.state = ipywidgets.HTML()
        self.button = ipywidgets.Button(description="Run", button_style="primary", icon="play")
        self.button.on_click(lambda _: self.run())
        for control in self.controls:
            control.on_change(self._keep_in_step)
        self._keep_in_step()
        self.box = ipywidgets.VBox(
            [
                *(ipywidgets.HBox([control.widget, ipywidgets.Label(control.about)]) for control in self.controls),
                self.plain,
                ipywidgets.HBox([self.button, self.state]),
                self.output,
            ]
        )

    @property
    def line(self) -> str:
        """The magic line the controls stand for."""
        words = [word for control in self.controls for word in control.words()]
        if self.cell is None:
            return plain_line(self.magics.magic, self.verb, words)
        return f"%{plain_line(self.magics.magic, '', words)}\n{self.cell}"

    def run(self) -> None:
        """Runs the line as a cell would, and shows below what the cell would show."""
        self.button.disabled = True
        self.state.value = "running"
        self.output.clear_output()
        try:
            # Output shows an error as a cell would and swallows it: a button has no cell that could fail.
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

    def _keep_in_step(self) -> None:
        self.plain.line = self.line

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.box._repr_mimebundle_(**kwargs)

    def __repr__(self) -> str:
        return f"Form({self.line})"


def plain_line(magic: str, verb: str, words: list[str]) -> str:
    """A magic line made of words, each quoted where it must be."""
    return " ".join([f"%{magic}", *([verb] if verb else []), *(quote(word) for word in words)])


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
            found[name] = typed(value, self.tool.input_schema["properties"][name])
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


def typed(value: Any, schema: Mapping[str, Any]) -> Any:
    """Text as the number or truth value a schema asks for; as it is where it is none, so that the check can say why."""
    kinds = {schema.get("type")} | {inner.get("type") for inner in schema.get("anyOf", ())}
    if isinstance(value, str) and kinds & {"integer", "number"}:
        for kind in (int, float):
            try:
                return kind(value)
            except ValueError:
                continue
    return value == "true" if "boolean" in kinds and value in ("true", "false") else value
