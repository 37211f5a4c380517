"""Retries and pace, with a clock of our own; and against the stub server, counted."""

import threading
import time

import pytest

from kgnb.llm.model import Attempt, Message, ModelError, Reply, Request, Usage
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.pacing import Pace, Paced, rest, stopped
from kgnb.llm.scripted import ScriptedModel
from tests.llm import stub_server as stub
from tests.llm.stub_server import Fault, StubServer

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


def paced(server: StubServer, clock: Clock, retries: int = 4, timeout: float = 60) -> Paced:
    model = OpenAIModel("stub", server.url, "key", timeout=timeout)
    return Paced(model, Pace(clock=clock, sleep=clock.sleep), retries)


def test_every_try_is_counted_and_the_servers_wishes_are_honoured() -> None:
    clock = Clock()
    faults = [stub.rate_limited(after=7), stub.rate_limited(after_ms=250), stub.server_error(), stub.cut_json(), None]
    with StubServer(lambda body: "A", faults) as server:
        reply = paced(server, clock).ask(ASK)
    assert reply.text == "A"
    assert [attempt.status for attempt in reply.attempts] == [429, 429, 500, 200, 200]
    assert [attempt.error for attempt in reply.attempts][::4] == ["slow down", ""]
    assert len(server.requests) == 5
    assert clock.slept[:2] == [7, 0.25]
    assert 2 <= clock.slept[2] <= 4 and 4 <= clock.slept[3] <= 8


@pytest.mark.parametrize("fault", [stub.time_out(60), stub.dropped(), stub.torn(), stub.html(), Fault(408), Fault(409)])
def test_what_may_pass_is_tried_again(fault: Fault) -> None:
    with StubServer(lambda body: "A", [fault]) as server:
        reply = paced(server, Clock(), timeout=2 if fault.delay else 60).ask(ASK)
    assert (reply.text, len(reply.attempts), len(server.requests)) == ("A", 2, 2)


def test_gives_up_after_the_retries_with_all_attempts() -> None:
    with StubServer(always=stub.server_error(503)) as server, pytest.raises(ModelError) as caught:
        paced(server, Clock(), retries=2).ask(ASK)
    assert [attempt.status for attempt in caught.value.attempts] == [503, 503, 503]
    assert len(server.requests) == 3


@pytest.mark.parametrize("fault", [Fault(400), Fault(429, body=stub.error_body("no", "insufficient_quota"))])
def test_what_cannot_pass_is_not_tried_again(fault: Fault) -> None:
    with StubServer(always=fault) as server, pytest.raises(ModelError):
        paced(server, Clock()).ask(ASK)
    assert len(server.requests) == 1


def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    clock = Clock()
    with StubServer(always=stub.rate_limited(after=3600)) as server, pytest.raises(ModelError) as caught:
        paced(server, clock).ask(ASK)
    assert clock.slept == []
    assert caught.value.retry_after == 3600


def test_the_same_request_waits_the_same_and_another_one_not() -> None:
    def waits(request: Request) -> list[float]:
        clock = Clock()
        with StubServer(always=stub.server_error()) as server, pytest.raises(ModelError):
            paced(server, clock).ask(request)
        return clock.slept

    other = Request((Message("user", "Is a Chair a Reviewer?"),))
    assert waits(ASK) == waits(ASK) != waits(other)
    assert all(2**n / 2 <= wait <= 2**n for n, wait in enumerate(waits(ASK)))


# ------------------------------------------------------------------------------------------------ pace


def test_a_minute_holds_so_many_requests() -> None:
    clock = Clock()
    model = Paced(ScriptedModel(lambda request: "A"), Pace(3, clock=clock, sleep=clock.sleep))
    starts = []
    for _ in range(7):
        model.ask(ASK)
        starts.append(clock.now - 1000)
        clock.now += 1
    assert starts == [0, 1, 2, 60, 61, 62, 120]


def test_a_minute_holds_so_many_tokens_as_counted_by_the_server() -> None:
    clock = Clock()
    reply = Reply("A", usage=Usage(60, 30))
    model = Paced(ScriptedModel(lambda request: reply), Pace(0, 100, clock=clock, sleep=clock.sleep))
    for _ in range(3):
        model.ask(ASK)  # 6 tokens by estimate, 90 as counted: the second finds room, the third when the first is old
        clock.now += 1
    assert clock.slept == [58]


def test_a_request_larger_than_the_limit_goes_alone_instead_of_never() -> None:
    clock = Clock()
    pace = Pace(0, 100, clock=clock, sleep=clock.sleep)
    for _ in range(2):
        with pace.turn(5000):
            pass
    assert clock.slept == [60]


def test_one_call_turned_away_holds_all_that_share_the_pace() -> None:
    clock = Clock()
    pace = Pace(clock=clock, sleep=clock.sleep)
    failing = ModelError("no", service="s", attempts=(Attempt(429, "no", 0),), passing=True, retry_after=9)

    def fail(request: Request) -> str:
        raise failing

    with pytest.raises(ModelError):
        Paced(ScriptedModel(fail), pace, retries=0).ask(ASK)
    Paced(ScriptedModel(["A"]), pace).ask(ASK)
    assert clock.slept == [9]


def test_so_many_at_once_and_no_more() -> None:
    pace = Pace(at_once=2)
    two = threading.Barrier(2, timeout=60)
    with StubServer(lambda body: "A" if two.wait() >= 0 else "") as server:
        model = Paced(OpenAIModel("stub", server.url, "key"), pace)
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
            Paced(model, Pace()).ask(ASK)
        assert model.asked == []
    finally:
        stopped.reset(token)


def test_bad_limits_are_refused() -> None:
    with pytest.raises(ValueError):
        Pace(-1)
    with pytest.raises(ValueError):
        Paced(ScriptedModel([]), Pace(), retries=-1)
