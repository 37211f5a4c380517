"""``%%check NAME``: tests an answer of a lesson, and reports a wrong one without giving away the
right one.
"""

from __future__ import annotations

import argparse

from kgnb.magics.arguments import argument
from kgnb.magics.verbs import PlainMagics, verb


class NotYet(AssertionError):
    """An answer that is missing or wrong; IPython shows the message of the check, and no code."""

    def _render_traceback_(self) -> list[str]:
        return [f"Not yet: {self}"]


class CheckMagics(PlainMagics, magic="check"):
    """Test an answer of a lesson with the assert statements below."""

    below = "check"
    failed = False  # whether the learner's last cell ended in an error

    @verb("check", "%%check answer")
    @argument(
        "name", metavar="NAME", nargs="?", default="", help="the variable that holds the answer"
    )
    def check(self, arguments: argparse.Namespace) -> None:
        """Run the Python code below; a failed assert shows only its message.

        An answer that is missing, ... or ___, or whose cell ended in an error, is reported first.
        Any other problem with an answer is reported in one line as well.
        """
        last = self.shell.last_execution_result
        if last is not None and not str(last.info.raw_cell).startswith("%%check"):
            self.failed = not last.success
        answer = self.shell.user_ns.get(arguments.name, ...) if arguments.name else None
        parts = answer if isinstance(answer, tuple) else (answer,)
        if any(part is ... or (isinstance(part, str) and part == "___") for part in parts):
            raise NotYet("the answer is missing: write it into the cell above, and run that")
        if self.failed:
            raise NotYet("the last cell you ran ended in an error: fix it, and run it again")
        code = compile(arguments.cell, "<check>", "exec")
        try:
            exec(code, self.shell.user_ns)  # the lesson's own code, like any of its cells
        except AssertionError as error:
            raise NotYet(str(error) or "this answer is not correct") from None
        except Exception as error:
            what = f"{arguments.name or 'this'} is of type {type(answer).__name__}, and cannot be checked: {error}"
            raise NotYet(what) from error
