"""How a command ends: its exit status, and one plain line in place of a traceback."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TextIO, cast

import click

from kgnb.errors import KgnbError, NotKept, Waiting
from kgnb.llm.asking import stop_asking
from kgnb.results.escaping import one_line, visible
from kgnb.run import Run, failures
from kgnb.run.limits import STOPPED


class _Harmless:
    """A text stream whose control and direction characters are written out, as ⟨U+001B⟩."""

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


def raw(stream: TextIO) -> TextIO:
    """The stream below, for those who draw on a terminal; what they draw they make ``visible`` themselves."""
    return cast(TextIO, getattr(stream, "raw_stream", stream))


@contextmanager
def terminal_safe() -> Iterator[None]:
    """While this lasts, standard error, and standard output where it is a terminal, show nothing but text.

    A file or a pipe gets standard output as it is: there it is data.
    """
    before = sys.stdout, sys.stderr
    if sys.stdout.isatty():
        sys.stdout = cast(TextIO, _Harmless(sys.stdout))
    sys.stderr = cast(TextIO, _Harmless(sys.stderr))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


EVERY = 0.1  # seconds between two drawings


class TerminalLine:
    """Draws what a run is doing; where standard error is no terminal, only what is to stay; ``quiet``: not that."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._stream = raw(stream if stream is not None else sys.stderr)
        self._shows, self._quiet = self._stream.isatty(), quiet
        self._drawn = 0.0
        self._calls = 0
        self._step = ""

    def event(self, event: Mapping[str, Any]) -> None:
        """Take in one event of a run."""
        match event["event"]:
            case "step":
                self._step, self._calls = event["name"], 0
                self.draw(self._step, now=True)
            case "call":
                self._calls += 1
                self.draw(f"{self._step}: {self._calls:,} model calls")
            case "estimate":
                self.say(": ".join(filter(None, (event["name"], event["text"]))))
            case "progress":
                total = f" of {event['total']:,}" if event["total"] else ""
                self.draw(f"{self._step}: {event['done']:,}{total} {event['unit']}")

    def draw(self, text: str, now: bool = False) -> None:
        """Show a line, unless one was shown a moment ago."""
        if not self._shows or (not now and time.monotonic() - self._drawn < EVERY):
            return
        self._drawn = time.monotonic()
        self._stream.write("\r\x1b[K" + one_line(text)[: shutil.get_terminal_size().columns - 1])
        self._stream.flush()

    def say(self, text: str) -> None:
        """Show a line that stays."""
        self.clear()
        if not self._quiet:
            self._stream.write(f"kgnb: {visible(text)}\n")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shows and self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


FAILED, USAGE, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141  # the last two as a shell counts them: 128 + the signal
WAITING = 75  # as sysexits.h has it: try again later


def outcome(command: click.Command, arguments: Sequence[str] | None) -> int:
    """Run a command; whatever it raises becomes ``kgnb: what happened``, how to mend it, and an exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    lost: list[str] = []
    with terminal_safe(), warnings.catch_warnings():
        warnings.simplefilter("always", NotKept)
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
    except SystemExit:  # what click makes of a closed pipe, having silenced the stream
        return PIPE_CLOSED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more as it ends
        return PIPE_CLOSED
    except (MemoryError, RecursionError, OverflowError) as error:
        kinds = {MemoryError: "the memory is full", RecursionError: "something nests too deep to be read"}
        what = kinds.get(type(error), f"a number is too large: {error}")
        return _say(what, "Give it smaller inputs; kgnb --debug COMMAND shows where.", FAILED, state)
    except OSError as error:
        return _say(f"{error.filename or ''}: {error.strerror or error}".lstrip(": "), "", FAILED, state)
    except (click.Abort, KeyboardInterrupt) as error:
        number = getattr(error.__context__ if isinstance(error, click.Abort) else error, "signal", 2)
        notes = "\n".join(getattr(error, "__notes__", ()))
        return _say(str(error) or "interrupted", notes, 128 + number, state)


def _shown_by(other: Callable[..., None], lost: list[str]) -> Callable[..., None]:
    """Shows what could not be kept as a line of ours, and any other warning as before."""

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, NotKept):
            lost.append(str(message))
            print(f"kgnb: {message}", file=sys.stderr)
        else:
            other(message, category, *rest, **more)

    return show


def refuse_unwritable(out: str, inputs: Iterable[str | Path | None] = ()) -> None:
    """Refuse, before any work is done, a file that could not be written at the end, or that is one of the inputs."""
    path = Path(out).expanduser()
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise ValueError(f"--out {out}: {what}\nName a file in a folder that exists.")
    if any(spec and path.exists() and Path(spec).exists() and path.samefile(spec) for spec in inputs):
        raise ValueError(f"--out {out}: this is one of the inputs\nChoose another file.")


def check_outs(
    outs: Sequence[str], suffixes: tuple[str, ...], inputs: Iterable[str | None] = (), beside: Sequence[str] = ()
) -> None:
    """Refuse, before any work is done, what could not be written at the end; files ``beside`` may end as they like."""
    for out in outs:
        if out != "-" and not out.lower().endswith(suffixes):
            raise ValueError(f"--out {out}: the suffix says no format\nName a file that ends in {', '.join(suffixes)}.")
    for out in (*outs, *beside):
        if out != "-":
            refuse_unwritable(out, inputs)
    if len({*outs, *beside}) < len(outs) + len(beside):
        raise ValueError("one file is named twice for output")


@contextmanager
def stoppable(run: Run) -> Iterator[None]:
    """While this lasts, the first Ctrl-C ends the asking, not the command; a second one ends it at once."""

    def leave(number: int, frame: FrameType | None) -> None:
        os._exit(INTERRUPTED)  # in order would be after the replies that are on their way

    def heard(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, leave)
        os.write(2, b"kgnb: stopping; what is answered by now is kept. Ctrl-C again leaves at once\n")
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
    """The exit status of a run that gave a result; says what failed in it and whether it was stopped on the way."""
    failed = said_failures(run)
    if run.limit != STOPPED:
        return failed
    print("kgnb: the result is partial; run this again to go on", file=sys.stderr)
    return INTERRUPTED


def said_failures(run: Run) -> int:
    """Says on standard error what a model's server failed in a run, if anything; the exit status."""
    if failed := failures(run.steps):
        print(f"kgnb: {one_line(failed)}; run this again to have them judged", file=sys.stderr)
    return FAILED if failed else 0


def _say(what: str, fix: str, status: int, state: Mapping[str, bool]) -> int:
    if state.get("debug"):
        traceback.print_exc()
    print(f"kgnb: {what}", file=sys.stderr)
    for line in fix.splitlines():
        print(f"      {line}", file=sys.stderr)
    return status
