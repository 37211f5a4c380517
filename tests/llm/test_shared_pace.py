"""One budget for several processes: what a server sees arrive, and what a file remembers."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.llm.pacing import Pace
from kgnb.settings import Settings
from tests.llm.stub_server import Body, StubServer
from tests.llm.test_pacing import Clock

MINUTE, CALLS = 2.0, 6
ASKS = """
import sys, time
from pathlib import Path
from kgnb.llm.model import Message, Request
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.pacing import Pace, Paced

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
model = Paced(Leaving(), pace)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(calls)):
    model.ask(Request((Message("user", f"{who} {number}"),)))
print(*left, flush=True)
"""


def pace(folder: Path, clock: Clock, server: str = "a server", **limits: float) -> Pace:
    return Pace(folder=folder, server=server, clock=clock, sleep=clock.sleep, **limits)  # type: ignore[arg-type]


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
        left = sorted(float(when) for process in both for when in process.communicate(timeout=120)[0].split())
        assert [process.returncode for process in both] == [0, 0]
    assert len(left) == 2 * CALLS == len(server.requests) - 2  # each was warmed up
    for first, later in zip(left, left[CALLS:], strict=False):
        assert later - first > MINUTE - 0.001  # rounded


def test_what_one_has_sent_the_other_counts(tmp_path: Path) -> None:
    clock = Clock()
    one, other = (pace(tmp_path, clock, requests_per_minute=2) for _ in range(2))
    with one.turn(1), other.turn(1):
        pass
    assert clock.now == 1000.0
    with one.turn(1):
        assert clock.now == 1060.0


def test_true_tokens_and_holds_are_known_to_all(tmp_path: Path) -> None:
    clock = Clock()
    one, other = (pace(tmp_path, clock, tokens_per_minute=100) for _ in range(2))
    with one.turn(10) as sent:
        sent.tokens = 100
    other.hold(5)
    one.hold(1)  # the longer wish stands
    with other.turn(1):
        assert clock.now == 1060.0
    other.hold(7)
    with one.turn(1):
        assert clock.now == 1067.0


def test_a_folder_that_is_emptied_meanwhile_costs_no_reply(tmp_path: Path) -> None:
    emptied = pace(tmp_path, Clock(), tokens_per_minute=100)
    for _ in range(2):
        with emptied.turn(10) as sent:
            sent.tokens = 20
            emptied.path.unlink()


def test_servers_have_each_a_budget_of_their_own(tmp_path: Path) -> None:
    clock = Clock()
    for server in ("a", "b"):
        with pace(tmp_path, clock, server, requests_per_minute=1).turn(1):
            assert clock.now == 1000.0


def test_a_clock_that_was_set_back_stops_nobody(tmp_path: Path) -> None:
    clock = Clock()
    with pace(tmp_path, clock, requests_per_minute=1).turn(1):
        pass
    clock.now -= 500
    with pace(tmp_path, clock, requests_per_minute=1).turn(1):
        assert clock.now == 500.0


def test_a_folder_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be recorded") as caught:
        pace(tmp_path / "file", Clock())
    assert "KGNB_CACHE" in caught.value.fix


def test_a_limit_a_minute_is_shared_by_all_processes_and_width_is_not(tmp_path: Path) -> None:
    from kgnb.backends import open_model

    settings = Settings(model="m", base_url="http://127.0.0.1:9/v1", cache=tmp_path, replay="live")
    limited = open_model(settings.with_(requests_per_minute=60.0))
    assert limited.pace.path.parent == tmp_path  # type: ignore[union-attr]
    assert open_model(settings).pace.path is None  # type: ignore[union-attr]
