import importlib
import io
import json
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.utils.capture import capture_output

from kgnb.cli.progress import ProgressLine, TerminalLine
from kgnb.judging import ModelJudge, Option
from kgnb.llm.model import Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.magics.progress import NotebookLine, imports_finished_first
from kgnb.run import Run

QUESTIONS = [
    SimpleNamespace(id=str(number), text=f"thing {number}", options=(Option("a", "A"),))
    for number in range(10)
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def shown(work: Callable[[ProgressLine, Clock], None], **timing: Any) -> list[Any]:
    """What a notebook displays while work goes on."""
    clock = Clock()
    with capture_output() as captured:
        work(NotebookLine(clock=clock, **timing), clock)
    return list(captured.outputs)


def test_a_stage_is_named_at_once_and_one_display_is_updated_seldom(
    new_shell: Any,
) -> None:
    new_shell()

    def quick(line: ProgressLine, clock: Clock) -> None:
        line.event({"event": "step", "name": "search"})
        line.event({"event": "progress", "done": 3, "total": 10, "unit": "texts"})
        line.say("search: done")

    def long(line: ProgressLine, clock: Clock) -> None:
        line.event({"event": "step", "name": "validate"})
        for done in range(1, 401):
            clock.now += 0.01
            line.event({"event": "progress", "done": done, "total": 400, "unit": "questions"})
        line.say("validate: done")

    def calls(line: ProgressLine, clock: Clock) -> None:
        line.event({"event": "step", "name": "retrieve"})
        for _ in range(3):
            clock.now += 1
            line.event({"event": "call"})
        line.clear()

    def failing(line: ProgressLine, clock: Clock) -> None:
        with suppress(KeyError), line:
            line.event({"event": "step", "name": "link"})
            raise KeyError

    # a stage that sends nothing for long is seen to be at work
    assert [output.data["text/plain"] for output in shown(quick)] == ["search ...", "search: done"]
    outputs = shown(long)
    texts = [output.data["text/plain"] for output in outputs]
    assert len(texts) <= 19 and "validate: 100 of 400 questions, 3.0 s left" in texts
    assert texts[-1] == "validate: done"
    assert not outputs[0].update and all(output.update for output in outputs[1:])
    texts = [output.data["text/plain"] for output in shown(calls)]
    assert (texts[:2], texts[-1]) == (["retrieve ...", "retrieve: 1 model call"], "")
    assert [output.data["text/plain"] for output in shown(failing)] == ["link ...", ""]


def test_a_terminal_gets_one_line_that_is_wiped_and_a_file_nothing() -> None:
    clock = Clock()
    for stream, begins in ((Terminal(), "\r\x1b[Kstore"), (io.StringIO(), "")):
        line = TerminalLine(stream, clock=clock)
        line.event({"event": "step", "name": "store"})
        clock.now += 1.0
        line.event({"event": "progress", "done": 50, "total": 100, "unit": "texts"})
        line.clear()
        written = stream.getvalue()
        assert written.startswith(begins) and "\n" not in written
        assert not begins or (
            "store: 50 of 100 texts, 1.0 s left" in written and written.endswith("\r\x1b[K")
        )
        assert begins or not written


def test_the_time_left_for_a_judges_model_calls_is_estimated(new_shell: Any) -> None:
    new_shell()

    def work(line: ProgressLine, clock: Clock) -> None:
        def answer(request: Request) -> str:
            clock.now += 1
            return json.dumps(
                {"answers": [{"question": number, "letter": "Z"} for number in range(1, 5)]}
            )

        run = Run("matching", on_event=line.event)
        model = run.watch(ScriptedModel(answer))
        asked: Any = ModelJudge(
            model,
            instructions="?",
            decisions=["equivalent"],
            none_decision="different",
            batch=4,
            width=1,
        )
        run.do(run.watch_judge(asked).judge, QUESTIONS)

    outputs = shown(work)
    assert any(
        output.data["text/plain"] == "judge: 1 of 3 model calls, 2.0 s left" for output in outputs
    )


# Presses Stop while it is imported, and swallows what comes of it, as compiled modules may.
SWALLOWS = """
import os, signal, time
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.2)
except BaseException:
    pass
loaded = True
"""


@pytest.mark.parametrize("work_behind", [0.0, 30.0])
def test_stop_takes_effect_behind_an_import_that_would_swallow_it(
    work_behind: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"swallows_{int(work_behind)}"
    (tmp_path / f"{name}.py").write_text(SWALLOWS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    handler, begun = signal.getsignal(signal.SIGINT), time.monotonic()
    with pytest.raises(KeyboardInterrupt), imports_finished_first():
        importlib.import_module(name)
        time.sleep(work_behind)
    assert time.monotonic() - begun < 20
    assert sys.modules.pop(name).loaded
    assert signal.getsignal(signal.SIGINT) is handler
