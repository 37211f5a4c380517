"""How a command ends: its exit status, and one plain line in place of a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping, Sequence

import click

from kgnb.errors import KgnbError

FAILED, USAGE, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141  # the last two as a shell counts them: 128 + the signal


def outcome(command: click.Command, arguments: Sequence[str] | None) -> int:
    """Run a command; whatever it raises becomes ``kgnb: what happened``, how to mend it, and an exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    state: dict[str, bool] = {}
    try:
        status = command.main(words, prog_name="kgnb", standalone_mode=False, obj=state)
        sys.stdout.flush()
        return int(status or 0)
    except click.UsageError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        return _say(error.format_message(), "", error.exit_code, state)
    except ValueError as error:
        what, _, fix = str(error).partition("\n")
        return _say(what, fix, USAGE, state)
    except KgnbError as error:
        return _say(error.what, error.fix, FAILED, state)
    except SystemExit:  # what click makes of a closed pipe, having silenced the stream
        return PIPE_CLOSED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more as it ends
        return PIPE_CLOSED
    except OSError as error:
        return _say(f"{error.filename or ''}: {error.strerror or error}".lstrip(": "), "", FAILED, state)
    except (click.Abort, KeyboardInterrupt) as error:
        number = getattr(error.__context__ if isinstance(error, click.Abort) else error, "signal", 2)
        notes = "\n".join(getattr(error, "__notes__", ()))
        return _say(str(error) or "interrupted", notes, 128 + number, state)


def _say(what: str, fix: str, status: int, state: Mapping[str, bool]) -> int:
    if state.get("debug"):
        traceback.print_exc()
    print(f"kgnb: {what}", file=sys.stderr)
    for line in fix.splitlines():
        print(f"      {line}", file=sys.stderr)
    return status
