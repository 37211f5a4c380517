"""How a command ends: with an exit status, and one plain line instead of a traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from kgnb.errors import (
    Damaged,
    Delayed,
    Estimated,
    FallBack,
    FromCache,
    KgnbError,
    NotFit,
    NotKept,
    ToolFailed,
    Waiting,
)
from kgnb.results.escaping import one_line, unbroken, visible

if TYPE_CHECKING:
    from kgnb.run import Run

# warnings that are printed as a plain line
_SAID = (Estimated, ToolFailed, Delayed, Damaged, NotFit, FromCache, FallBack)


class _Harmless:
    """A text stream that spells out control and direction characters, as ⟨U+001B⟩."""

    def __init__(self, stream: TextIO) -> None:
        self.raw_stream = stream

    def write(self, text: str) -> int:
        self.raw_stream.write("\r\n".join(map(visible, text.split("\r\n"))))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw_stream, name)


@contextmanager
def terminal_safe() -> Iterator[None]:
    """Makes what goes to standard error or a terminal harmless text; a file or pipe gets standard
    output unchanged.
    """
    before = sys.stdout, sys.stderr
    if sys.stdout.isatty():
        sys.stdout = cast(TextIO, _Harmless(sys.stdout))
    sys.stderr = cast(TextIO, _Harmless(sys.stderr))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


FAILED, USAGE, INTERRUPTED, PIPE_CLOSED = (
    1,
    2,
    130,
    141,
)  # the last two as in a shell: 128 + the signal
WAITING = 75  # EX_TEMPFAIL in sysexits.h: try again later


def outcome(command: click.Command, arguments: Sequence[str] | None) -> int:
    """Runs a command; an error becomes ``kgnb: what happened``, a line on how to fix it, and an
    exit status.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    lost: list[str] = []
    with terminal_safe(), warnings.catch_warnings():
        warnings.simplefilter("always", NotKept)
        for said in _SAID:
            warnings.simplefilter("always", said)
        warnings.showwarning = _shown_by(warnings.showwarning, lost)
        return _run(command, words) or (FAILED if lost else 0)


def _run(command: click.Command, words: list[str]) -> int:
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
    except Waiting as error:
        error = error.again()
        return _say(f"waiting: {error.what}", error.fix, WAITING, {})
    except KgnbError as error:
        return _say(error.what, error.fix, FAILED, state)
    except SystemExit:  # raised by click for a closed pipe, after silencing the stream
        return PIPE_CLOSED
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # or Python complains again at exit
        return PIPE_CLOSED
    except (MemoryError, RecursionError, OverflowError) as error:
        kinds = {MemoryError: "out of memory", RecursionError: "the input is nested too deeply"}
        what = kinds.get(type(error), f"a number is too large: {error}")
        return _say(
            what, "Use smaller inputs; kgnb --debug COMMAND shows where it failed.", FAILED, state
        )
    except OSError as error:
        return _say(
            f"{error.filename or ''}: {error.strerror or error}".lstrip(": "), "", FAILED, state
        )
    except (click.Abort, KeyboardInterrupt) as error:
        number = getattr(
            error.__context__ if isinstance(error, click.Abort) else error, "signal", 2
        )
        notes = "\n".join(getattr(error, "__notes__", ()))
        return _say(str(error) or "interrupted", notes, 128 + number, state)


def _shown_by(other: Callable[..., None], lost: list[str]) -> Callable[..., None]:
    """Reports what could not be saved in one line, and any other warning as before."""

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, NotKept):
            lost.append(str(message))
        if issubclass(category, (NotKept, *_SAID)):
            print(f"kgnb: {unbroken(str(message))}", file=sys.stderr)
        else:
            other(message, category, *rest, **more)

    return show


def say_path(path: Path) -> None:
    """Prints the path of a result, for a program as it is, on a terminal on one line."""
    click.echo(unbroken(str(path)) if sys.stdout.isatty() else path)


def refuse_unwritable(out: str, inputs: Iterable[str | Path | None] = ()) -> None:
    """Refuses, before any work is done, a file that could not be written at the end, or that is an
    input.
    """
    path = Path(out).expanduser()
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise ValueError(f"--out {out}: {what}\nName a file in a folder that exists.")
    if any(
        spec and path.exists() and Path(spec).exists() and path.samefile(spec) for spec in inputs
    ):
        raise ValueError(f"--out {out}: this is one of the inputs\nChoose another file.")


def check_outs(
    outs: Sequence[str],
    suffixes: tuple[str, ...],
    inputs: Iterable[str | None] = (),
    beside: Sequence[str] = (),
) -> None:
    """Refuses, before any work is done, what could not be written at the end; files ``beside`` may
    have any suffix.
    """
    for out in outs:
        if out != "-" and not out.lower().endswith(suffixes):
            packed = out.lower().removesuffix(".gz").endswith(suffixes)
            what = "results are written unpacked; leave out .gz" if packed else "unknown suffix"
            raise ValueError(
                f"--out {out}: {what}\nName a file that ends in {', '.join(suffixes)}."
            )
    for out in (*outs, *beside):
        if out != "-":
            refuse_unwritable(out, inputs)
    if len({*outs, *beside}) < len(outs) + len(beside):
        raise ValueError("an output file is named twice")


@contextmanager
def stoppable(run: Run) -> Iterator[None]:
    """Makes the first Ctrl-C end the model calls but not the command; a second one ends it at once."""

    from kgnb.llm.asking import stop_asking  # not for help

    def leave(number: int, frame: FrameType | None) -> None:
        os._exit(INTERRUPTED)  # an orderly exit would wait for replies that are on their way

    def heard(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, leave)
        os.write(
            2, b"kgnb: stopping; answers so far are kept. Press Ctrl-C again to quit at once\n"
        )
        run.stop()
        stop_asking()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, heard)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def ended(run: Run) -> int:
    """The exit status of a run that has a result; reports what failed in it and whether it was
    stopped.
    """
    from kgnb.run.limits import STOPPED  # not for help

    failed = said_failures(run)
    if run.limit != STOPPED:
        return failed
    print("kgnb: the result is partial; run this again to continue", file=sys.stderr)
    return INTERRUPTED


def said_failures(run: Run) -> int:
    """Reports on standard error what a model's server failed to answer, if anything; the exit
    status.
    """
    from kgnb.run import failures  # not for help

    if failed := failures(run.steps):
        print(f"kgnb: {one_line(failed)}; run this again to have them judged", file=sys.stderr)
    return FAILED if failed else 0


def _say(what: str, fix: str, status: int, state: Mapping[str, bool]) -> int:
    if state.get("debug"):
        traceback.print_exc()
    print(f"kgnb: {unbroken(what)}", file=sys.stderr)
    for line in fix.splitlines():
        print(f"      {line}", file=sys.stderr)
    return status
