"""``%%check NAME``: tests an answer of a lesson, and tells a wrong one without the code that tells the right one."""

from __future__ import annotations

import argparse

from kgnb.magics.arguments import argument
from kgnb.magics.verbs import PlainMagics, verb


class NotYet(AssertionError):
    """An answer that is missing or wrong; IPython shows what the check says of it, and no code."""

    def _render_traceback_(self) -> list[str]:
        return [f"Not yet: {self}"]


class CheckMagics(PlainMagics, magic="check"):
    """Test an answer of a lesson, written as Python with assert below."""

    below = "check"
    failed = False  # whether the learner's last cell ended in an error

    @verb("check", "%%check answer")
    @argument("name", metavar="NAME", nargs="?", default="", help="the variable that holds the answer")
    def check(self, arguments: argparse.Namespace) -> None:
        """Run the Python below: an assert that does not hold says its message alone.

        An answer that is missing, ... or ___, and one whose cell ended in an error, is told before that. Whatever else
        goes wrong with an answer is told in a line as well.
        """
        last = self.shell.last_execution_result
        if last is not None and not str(last.info.raw_cell).startswith("%%check"):
            self.failed = not last.success
        answer = self.shell.user_ns.get(arguments.name, ...) if arguments.name else None
        parts = answer if isinstance(answer, tuple) else (answer,)
        if any(part is ... or (isinstance(part, str) and part == "___") for part in parts):
            raise NotYet("nothing is filled in yet: put your answer into the cell above, and run it")
        if self.failed:
            raise NotYet("the cell that ran last ended in an error: mend it, and run it again")
        code = compile(arguments.cell, "<check>", "exec")
        try:
            exec(code, self.shell.user_ns)  # the lesson's own code, as any cell of it
        except AssertionError as error:
            raise NotYet(str(error) or "this answer is not right") from None
        except Exception as error:
            what = f"{arguments.name or 'this'} is {type(answer).__name__}, and cannot be looked at: {error}"
            raise NotYet(what) from error
