import io
import json
from types import SimpleNamespace

from IPython.utils.capture import capture_output

from kgnb.judging import CallableJudge, Cascade, ModelJudge, Option, Verdict
from kgnb.llm.model import Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.magics.progress import Progress, announced

QUESTIONS = [
    SimpleNamespace(id=str(number), text=f"thing {number}", options=(Option("a", "A"),)) for number in range(10)
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_quick_work_shows_its_summary_only(new_shell: object) -> None:
    new_shell()  # type: ignore[operator]
    clock = Clock()
    with capture_output() as captured:
        progress = Progress(live=True, seconds=clock)
        progress.event({"event": "step", "name": "search"})
        progress.event({"event": "progress", "done": 3, "total": 10, "unit": "texts"})
        progress.say("search: done")
    assert [output.data["text/plain"] for output in captured.outputs] == ["search: done"]


def test_long_work_updates_one_display_seldom_and_ends_as_the_summary(new_shell: object) -> None:
    new_shell()  # type: ignore[operator]
    clock = Clock()
    with capture_output() as captured:
        progress = Progress(live=True, seconds=clock, quiet=1.0, every=0.25)
        progress.event({"event": "step", "name": "validate"})
        for done in range(1, 401):
            clock.now += 0.01
            progress.event({"event": "progress", "done": done, "total": 400, "unit": "questions"})
        progress.say("validate: done")
    texts = [output.data["text/plain"] for output in captured.outputs]
    assert len(texts) <= 15
    assert texts[0] == "validate: 100 of 400 questions, 3.0 s left"
    assert texts[-1] == "validate: done"
    assert not captured.outputs[0].update and all(output.update for output in captured.outputs[1:])


def test_model_calls_are_counted_while_nothing_else_is_known(new_shell: object) -> None:
    new_shell()  # type: ignore[operator]
    clock = Clock()
    with capture_output() as captured:
        progress = Progress(live=True, seconds=clock, quiet=0.5)
        progress.event({"event": "step", "name": "retrieve"})
        for _ in range(3):
            clock.now += 1
            progress.event({"event": "call"})
        progress.clear()
    assert captured.outputs[0].data["text/plain"] == "retrieve: 1 model calls"
    assert captured.outputs[-1].data["text/plain"] == ""


def test_a_terminal_gets_one_line_that_is_wiped() -> None:
    clock, terminal = Clock(), Terminal()
    progress = Progress(live=False, seconds=clock, quiet=0.5, terminal=terminal)
    progress.event({"event": "step", "name": "store"})
    clock.now = 1.0
    progress.event({"event": "progress", "done": 50, "total": 100, "unit": "texts"})
    progress.clear()
    assert terminal.getvalue().startswith("\rstore: 50 of 100 texts, 1.0 s left")
    assert terminal.getvalue().endswith("\r") and "\n" not in terminal.getvalue()


def test_a_file_as_terminal_stays_empty() -> None:
    clock, terminal = Clock(), io.StringIO()
    progress = Progress(live=False, seconds=clock, quiet=0.0, every=0.0, terminal=terminal)
    progress.update(1, 2, "texts")
    assert terminal.getvalue() == ""


def test_a_model_judge_announces_its_calls_and_gets_the_questions_in_one_batch(new_shell: object) -> None:
    new_shell()  # type: ignore[operator]
    clock = Clock()
    batches: list[int] = []
    with capture_output() as captured:
        progress = Progress(live=True, seconds=clock, quiet=0.5)
        progress.event({"event": "step", "name": "validate"})

        def tell(done: int, total: int | None, unit: str) -> None:
            progress.event({"event": "progress", "done": done, "total": total, "unit": unit})

        def answer(request: Request) -> str:
            clock.now += 1
            progress.event({"event": "call"})
            batches.append(1)
            entries = [{"question": number, "letter": "Z"} for number in range(1, 5)]
            return json.dumps({"answers": entries})

        model = ScriptedModel(answer)
        judge = ModelJudge(
            model, instructions="?", decisions=["equivalent"], none_decision="different", batch=4, width=1
        )
        plain = judge.judge(QUESTIONS)
        before = len(batches)
        heralded = announced(Cascade(judge, judge), tell)
        assert isinstance(heralded, Cascade)
        assert heralded.costly.judge(QUESTIONS) == plain
        assert len(batches) == 2 * before
    assert any(output.data["text/plain"] == "validate: 1 of 3 model calls, 2.0 s left" for output in captured.outputs)


def test_judges_without_a_model_announce_nothing() -> None:
    judge = CallableJudge(lambda question: Verdict("different"))
    assert announced(judge, lambda *_: None) is judge
