"""Retries and pace, with a clock of our own; against the stub server, counted; and one budget for
several processes.
"""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kgnb.backends import open_model
from kgnb.errors import DataError
from kgnb.llm.chat_model import Model
from kgnb.llm.model import Attempt, Message, ModelError, Reply, Request, Usage
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.pacing import Pace, rest, stopped
from kgnb.llm.scripted import ScriptedModel
from kgnb.settings import Settings
from tests.llm import stub_server as stub
from tests.llm.stub_server import Body, Fault, StubServer

ASK = Request((Message("user", "Is a Referee a Reviewer?"),))


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def pace(
    clock: Clock, folder: Path | None = None, server: str = "a server", **limits: float
) -> Pace:
    return Pace(folder=folder, server=server, clock=clock, sleep=clock.sleep, **limits)  # type: ignore[arg-type]


def paced(server: StubServer, clock: Clock, retries: int = 4, timeout: float = 60) -> Model:
    model = OpenAIModel("stub", server.url, "key", timeout=timeout)
    return Model.of(model, pace=Pace(clock=clock, sleep=clock.sleep), retries=retries)


def test_every_try_is_counted_and_retry_after_is_respected() -> None:
    clock = Clock()
    faults = [
        stub.rate_limited(after=7),
        stub.rate_limited(after_ms=250),
        stub.server_error(),
        stub.CUT_JSON,
        None,
    ]
    with StubServer(lambda body: "A", faults) as server:
        reply = paced(server, clock).ask(ASK)
    assert reply.text == "A"
    assert [attempt.status for attempt in reply.attempts] == [429, 429, 500, 200, 200]
    assert [attempt.error for attempt in reply.attempts][::4] == ["slow down", ""]
    assert len(server.requests) == 5
    assert clock.slept[:2] == [7, 0.25]
    assert 2 <= clock.slept[2] <= 4 and 4 <= clock.slept[3] <= 8


def test_only_what_may_pass_is_tried_again() -> None:
    for fault in (Fault(delay=60), stub.DROPPED, stub.TORN, stub.HTML, Fault(408), Fault(409)):
        with StubServer(lambda body: "A", [fault]) as server:
            reply = paced(server, Clock(), timeout=2 if fault.delay else 60).ask(ASK)
        assert (reply.text, len(reply.attempts), len(server.requests)) == ("A", 2, 2)
    quota = Fault(429, body=stub.error_body("no", "insufficient_quota"))
    for fault in (Fault(400), quota, stub.rate_limited(after=3600)):
        clock = Clock()
        with StubServer(always=fault) as server, pytest.raises(ModelError):
            paced(server, clock).ask(ASK)
        assert (len(server.requests), clock.slept) == (1, [])


def test_after_the_retries_it_gives_up_with_all_attempts_and_the_same_request_waits_the_same() -> (
    None
):
    def waits(request: Request) -> list[float]:
        clock = Clock()
        with (
            StubServer(always=stub.server_error(503)) as server,
            pytest.raises(ModelError) as caught,
        ):
            paced(server, clock).ask(request)
        assert [attempt.status for attempt in caught.value.attempts] == [503] * 5
        return clock.slept

    other = Request((Message("user", "Is a Chair a Reviewer?"),))
    assert waits(ASK) == waits(ASK) != waits(other)
    assert all(2**n / 2 <= wait <= 2**n for n, wait in enumerate(waits(ASK)))


# ------------------------------------------------------------------------------------------------
# pace


def test_a_minute_holds_so_many_requests() -> None:
    clock = Clock()
    model = Model.of(ScriptedModel(lambda request: "A"), pace=pace(clock, requests_per_minute=3))
    starts = []
    for _ in range(7):
        model.ask(ASK)
        starts.append(clock.now - 1000)
        clock.now += 1
    assert starts == [0, 1, 2, 60, 61, 62, 120]


def test_a_minute_holds_so_many_tokens_as_counted_by_the_server() -> None:
    clock = Clock()
    model = Model.of(
        ScriptedModel(lambda request: Reply("A", usage=Usage(60, 30))),
        pace=pace(clock, tokens_per_minute=100),
    )
    for _ in range(3):
        model.ask(
            ASK
            # 6 tokens by estimate, 90 as counted: the second finds room, the third when the first is
            # old
        )
        clock.now += 1
    assert clock.slept == [58]
    large = pace(clock, tokens_per_minute=100)
    for _ in range(2):
        with large.turn(5000):  # larger than the limit: it goes alone instead of never
            pass
    assert clock.slept == [58, 60]


def test_one_call_turned_away_holds_all_that_share_the_pace() -> None:
    clock = Clock()
    shared = pace(clock)
    failing = ModelError(
        "no", service="s", attempts=(Attempt(429, "no", 0),), passing=True, retry_after=9
    )

    def fail(request: Request) -> str:
        raise failing

    with pytest.raises(ModelError):
        Model.of(ScriptedModel(fail), pace=shared, retries=0).ask(ASK)
    Model.of(ScriptedModel(["A"]), pace=shared).ask(ASK)
    assert clock.slept == [9]


def test_so_many_at_once_and_no_more() -> None:
    two = threading.Barrier(2, timeout=60)
    with StubServer(lambda body: "A" if two.wait() >= 0 else "") as server:
        model = Model.of(OpenAIModel("stub", server.url, "key"), pace=Pace(at_once=2))
        threads = [threading.Thread(target=model.ask, args=(ASK,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (len(server.requests), server.most_at_once) == (8, 2)


def test_a_stopped_batch_sends_nothing_and_sleeps_no_longer() -> None:
    event = threading.Event()
    token = stopped.set(event)
    try:
        threading.Timer(0.1, event.set).start()
        start = time.monotonic()
        with pytest.raises(ModelError, match="stopped"):
            rest(30)
        assert time.monotonic() - start < 15  # not thirty
        model = ScriptedModel(["A"])
        with pytest.raises(ModelError, match="stopped"):
            Model.of(model, pace=Pace()).ask(ASK)
        assert model.asked == []
    finally:
        stopped.reset(token)


# ------------------------------------------------------------------------------------------------
# several processes

MINUTE, CALLS = 2.0, 6
ASKS = """
import sys, time
from pathlib import Path
from kgnb.llm.chat_model import Model
from kgnb.llm.model import Message, Request
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.pacing import Pace

folder, url, calls, minute, who = sys.argv[1:]
reads = []
def clock():  # the last reading before a call leaves is the one by which it was let go
    reads.append(time.time())
    return reads[-1]
pace = Pace(int(calls), folder=Path(folder), server="stub", minute=float(minute), clock=clock)
server = OpenAIModel("stub", url, "none")
server.ask(Request((Message("user", "warm up"),)))  # imports the client
left = []
class Leaving:
    name = "stub"
    def ask(self, request):
        left.append(reads[-1])
        return server.ask(request)
model = Model.of(Leaving(), pace=pace)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(calls)):
    model.ask(Request((Message("user", f"{who} {number}"),)))
print(*left, flush=True)
"""


@pytest.mark.slow
def test_two_processes_together_send_no_more_in_a_minute_than_one_may(tmp_path: Path) -> None:
    both_ask = threading.Barrier(2, timeout=60)

    def answer(body: Body) -> str:
        if body["messages"][-1]["content"].endswith(" 0"):
            both_ask.wait()  # neither has to wait for the other to be done
        return "A"

    with StubServer(answer) as server:
        words = [sys.executable, "-c", ASKS, str(tmp_path), server.url, str(CALLS), str(MINUTE)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        both = [subprocess.Popen([*words, who], **pipes) for who in ("one", "other")]  # type: ignore[call-overload]
        for process in both:
            assert process.stdout.readline() == "ready\n"
        for process in both:
            process.stdin.write("go\n")
            process.stdin.flush()
        left = sorted(
            float(when) for process in both for when in process.communicate(timeout=120)[0].split()
        )
        assert [process.returncode for process in both] == [0, 0]
    assert len(left) == 2 * CALLS == len(server.requests) - 2  # each was warmed up
    for first, later in zip(left, left[CALLS:], strict=False):
        assert later - first > MINUTE - 0.001  # rounded


def test_what_one_process_has_sent_or_was_told_the_others_know(tmp_path: Path) -> None:
    clock = Clock()
    one, other = (
        pace(clock, tmp_path, requests_per_minute=2, tokens_per_minute=100) for _ in range(2)
    )
    with one.turn(1), other.turn(1):
        assert clock.now == 1000.0
    with pace(clock, tmp_path, "another server", requests_per_minute=1).turn(1):
        assert clock.now == 1000.0
    with one.turn(10) as sent:
        assert clock.now == 1060.0
        sent.tokens = 100
    other.hold(5)
    one.hold(1)  # the longer wish counts
    with other.turn(1):
        assert clock.now == 1120.0
    other.hold(7)
    with one.turn(1):
        assert clock.now == 1127.0


def test_an_emptied_folder_and_a_clock_set_back_stop_nobody(tmp_path: Path) -> None:
    clock = Clock()
    emptied = pace(clock, tmp_path, tokens_per_minute=100)
    for _ in range(2):
        with emptied.turn(10) as sent:
            sent.tokens = 20
            emptied.path.unlink()  # type: ignore[union-attr]
    for now in (1000.0, 500.0):
        clock.now = now
        with pace(clock, tmp_path, requests_per_minute=1).turn(1):
            assert clock.now == now
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be recorded") as caught:
        pace(clock, tmp_path / "file")
    assert "KGNB_CACHE" in caught.value.fix


def test_a_limit_per_minute_is_shared_by_all_processes_and_width_is_not(tmp_path: Path) -> None:
    settings = Settings(model="m", base_url="http://127.0.0.1:9/v1", cache=tmp_path, replay="live")
    limited = open_model(settings.with_(requests_per_minute=60.0))
    assert limited.pace.path.parent == tmp_path  # type: ignore[union-attr]
    assert open_model(settings).pace.path is None  # type: ignore[union-attr]
