"""A verb as a form: its controls, the plain line they make, a Run button and what it shows."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import anywidget
import ipywidgets
import traitlets
from IPython.display import display

from kgnb.widgets.controls import Control, make_controls

HERE = pathlib.Path(__file__).parent


class Magics(Protocol):
    """What a form needs of a family of magics."""

    magic: ClassVar[str]
    shell: Any

    def current(self, method: Callable[..., Any]) -> dict[str, object]:
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

    def __init__(
        self, magics: Magics, method: Callable[..., Any], given: Mapping[str, Any], cell: str | None = None
    ) -> None:
        """The controls; with ``cell`` those of a cell magic's first line, above this cell."""
        self.magics, self.cell = magics, cell
        self.verb: str = method.verb  # type: ignore[attr-defined]
        parser = method.parser  # type: ignore[attr-defined]
        self.controls: list[Control] = make_controls(parser, given, magics.current(method), magics.suggestions)
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
                *(control.widget for control in self.controls),
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
    from kgnb.magics.arguments import quote

    return " ".join([f"%{magic}", *([verb] if verb else []), *(quote(word) for word in words)])
