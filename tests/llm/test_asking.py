"""Asking many at once: order, failures as values, width, contexts, interrupts."""

import _thread
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kgnb.errors import BackendError, ConfigError, DataError, LimitError
from kgnb.llm.asking import ask_many, do_many, stop_asking
from kgnb.llm.chat_model import Model
from kgnb.llm.model import Message, Reply, Request
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.pacing import Pace, rest
from kgnb.llm.replay import ReplayCache
from kgnb.llm.scripted import ScriptedModel
from kgnb.run import Run
from tests.llm import stub_server as stub
from tests.llm.stub_server import StubServer


def asks(count: int) -> list[Request]:
    return [Request((Message("user", str(n)),)) for n in range(count)]


def test_answers_come_in_the_order_of_the_questions_whatever_finishes_first() -> None:
    answered = [threading.Event() for _ in range(9)]
    answered[8].set()

    def slow_first(request: Request) -> str:
        number = int(request.messages[-1].text)
        assert answered[number + 1].wait(60)
        answered[number].set()
        return f"answer {number}"

    outcomes = ask_many(ScriptedModel(slow_first), asks(8), 8)
    assert [outcome.text for outcome in outcomes if isinstance(outcome, Reply)] == [
        f"answer {n}" for n in range(8)
    ]


def test_one_failure_is_a_value_and_loses_no_other() -> None:
    errors = {"2": BackendError("down", service="s"), "3": LimitError("spent", limit="usd")}

    def some_fail(request: Request) -> str:
        if error := errors.get(request.messages[-1].text):
            raise error
        return "A"

    outcomes = ask_many(ScriptedModel(some_fail), asks(5), 2)
    assert outcomes[2:4] == [*errors.values()]
    assert [isinstance(outcome, Reply) for outcome in outcomes] == [True, True, False, False, True]


def test_what_the_next_call_would_meet_too_ends_it_at_once() -> None:
    for error in (
        ConfigError("key"),
        DataError("no reply kept", where="f"),
        RuntimeError("a fault"),
    ):

        def fail(request: Request, error: Exception = error) -> str:
            raise error

        model = ScriptedModel(fail)
        with pytest.raises(type(error)) as caught:
            ask_many(model, asks(500), 2)
        assert caught.value is error and len(model.asked) < 100


def test_what_ends_a_batch_ends_the_batches_within_it() -> None:
    begun = threading.Event()
    asked: list[int] = []

    def one(number: int) -> None:
        asked.append(number)
        begun.set()
        time.sleep(0.05)

    def whole(number: int) -> None:
        if number:
            begun.wait(60)
            raise ConfigError("key")
        do_many(one, range(200), 1)

    with pytest.raises(ConfigError):
        do_many(whole, range(2), 2)
    for worker in threading.enumerate():
        if worker.name == "kgnb-ask":
            worker.join(60)
    assert len(asked) < 20


def test_never_more_than_width_calls_at_once() -> None:
    three = threading.Barrier(3, timeout=60)
    with StubServer(lambda body: "A" if three.wait() >= 0 else "") as server:
        outcomes = ask_many(OpenAIModel("stub", server.url), asks(12), 3)
    assert len(outcomes) == len(server.requests) == 12
    assert server.most_at_once == 3


def test_an_interrupt_ends_it_within_a_second_even_while_all_wait_to_try_again() -> None:
    with StubServer(always=stub.rate_limited(after=30)) as server:
        waiting, told = threading.Semaphore(0), list[float]()

        def wait(seconds: float) -> None:
            waiting.release()
            rest(seconds)

        def interrupt() -> None:
            assert all(waiting.acquire(timeout=60) for _ in range(4))
            told.append(time.monotonic())
            _thread.interrupt_main()

        interrupting = threading.Thread(target=interrupt)
        interrupting.start()
        with pytest.raises(KeyboardInterrupt):
            ask_many(Model.of(OpenAIModel("stub", server.url), pace=Pace(sleep=wait)), asks(20), 4)
        assert (
            time.monotonic() - told[0] < 15
        )  # a second on an idle machine, not the thirty it was told
        interrupting.join()
        for thread in [thread for thread in threading.enumerate() if thread.name == "kgnb-ask"]:
            thread.join(15)
        assert 1 <= len(server.requests) <= 4
    assert not [thread for thread in threading.enumerate() if thread.name == "kgnb-ask"]


def test_stopping_between_two_rounds_keeps_the_answers_and_asks_no_more() -> None:
    with Run("stopped") as run:
        model = run.watch(ScriptedModel(lambda request: "A"))
        before = ask_many(model, asks(3))
        run.stop()
        stop_asking()  # as a signal handler does while the prompts of the next round are made
        after = ask_many(model, asks(2))
    assert all(isinstance(outcome, Reply) for outcome in before)
    assert all(isinstance(outcome, LimitError) for outcome in after)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_stopping_within_a_round_keeps_the_answers_so_far() -> None:
    stopped, answered = threading.Event(), threading.Semaphore(0)

    def stop(*_: object) -> None:
        stopped.set()
        stop_asking()

    def third_stops(request: Request) -> str:
        if request.messages[-1].text == "2":
            assert all(answered.acquire(timeout=60) for _ in range(2))
            signal.raise_signal(signal.SIGUSR1)  # handled in the main thread
            assert stopped.wait(60)
            time.sleep(1)
        return "A"

    before = signal.signal(signal.SIGUSR1, stop)
    try:
        outcomes = do_many(
            ScriptedModel(third_stops).ask, asks(6), 1, lambda *_: answered.release()
        )
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert [isinstance(outcome, Reply) for outcome in outcomes] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]


def test_an_interrupted_process_still_caches_replies_under_way(tmp_path: Path) -> None:
    """Whoever is interrupted has paid for what is being answered: the next run finds it in the
    cache.
    """
    code = (
        "import signal, threading, os, sys\n"
        "from pathlib import Path\n"
        "from kgnb.llm.asking import ask_many\n"
        "from kgnb.llm.chat_model import Model\n"
        "from kgnb.llm.model import Message, Request\n"
        "from kgnb.llm.openai_model import OpenAIModel\n"
        "from kgnb.llm.replay import ReplayCache\n"
        "model = Model.of(OpenAIModel('stub', sys.argv[2], 'none'), cache=ReplayCache(Path(sys.argv[1])))\n"
        "print('ready', flush=True)\n"
        "ask_many(model, [Request((Message('user', str(number)),)) for number in range(8)], width=2)\n"
    )
    with StubServer(lambda body: "A", delay=1.0) as server:
        words = [sys.executable, "-c", code, str(tmp_path / "replies.sqlite"), server.url]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        while len(server.requests) < 3 and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        asked = len(server.requests)
    assert asked < 8
    assert len(ReplayCache(tmp_path / "replies.sqlite")) == asked
