"""What every test and doctest gets: no network but loopback, an empty environment, a cache of its
own.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from kgnb.files import write_whole

# A busy machine is no failure; and a run tries the examples of the one before: FAULTS=whole draws
# new ones.
settings.register_profile(
    "patient",
    deadline=None,
    derandomize=os.environ.get("FAULTS") != "whole",
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("patient")

# Each worker has a core of its own: threads of several that wait for one another on the same core
# cost many times more.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# What is compiled once serves all the processes that tests start: hundreds, each a second or more
# quicker for it.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # as in kgnb.cli: two seconds to import

# A shell that starts a run in the background has it ignore Ctrl-C, and what tests stop would go on
# for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

LOOPBACK = {"127.0.0.1", "::1", "localhost", "0.0.0.0", ""}
KEPT = {"KGNB_DATA", "KGNB_QDRANT_URL"}


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connecting anywhere but to this machine fails the test."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if (
            isinstance(address, tuple)
            and str(address[0]) not in LOOPBACK
            and not str(address[0]).startswith("127.")
        ):
            raise AssertionError(
                f"a test tried to reach {address[0]!r}: tests need no network but loopback"
            )
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def kept_vectors(pytestconfig: pytest.Config) -> Path:
    """Where notebooks, replays and benchmarks keep vectors: a name takes 25 ms to embed, and they
    embed 40,000.
    """
    return Path(pytestconfig.cache.mkdir("vectors")) / "vectors.sqlite"  # type: ignore[union-attr]


@pytest.fixture(autouse=True)
def clean_environment(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[None]:
    """No setting of the person who runs the tests leaks in; caches go to a temporary folder."""
    for name in list(os.environ):
        if name.startswith(("KGNB_", "OPENAI_")) and name not in KEPT:
            monkeypatch.delenv(name)
    cache = Path(
        tempfile.mkdtemp(prefix="cache-", dir=tmp_path_factory.getbasetemp())
    )  # mktemp counts all there are
    if request.node.nodeid.startswith(EMBED_MUCH):
        (cache / "vectors.sqlite").symlink_to(request.getfixturevalue("kept_vectors"))
    monkeypatch.setenv("KGNB_CACHE", str(cache))
    # the settings and the trusted files of whoever runs the tests
    monkeypatch.setenv("XDG_CONFIG_HOME", str(cache / "config"))
    yield


@pytest.fixture
def benchmark_data() -> Path:
    """The folder of real benchmark data; tests that need it say plainly that they were skipped
    without it.
    """
    folder = os.environ.get("KGNB_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("KGNB_DATA is not set to a folder of benchmark data")
    return Path(folder).resolve()


OTHER_PROCESSES = (
    "tests/browser/",
    "tests/faults/",
    "tests/llm/",
    "tests/reporting/",
    "tests/agents/kg_construction/test_killed",
    "tests/agents/kg_construction/test_serve",
    "tests/cli/test_dead_model",
    "tests/cli/test_match",
    "tests/kg/test_endpoint_graph",
    "tests/kg/test_flaky",
    "tests/kg/test_graph_contract",
    "tests/kg/test_updating",
    "tests/magics/test_kernel",
    "tests/tasks/test_asked_agents",
    "tests/tasks/test_asking_endpoints",
    "tests/test_notebooks",
    "tests/test_run_folder",
    "tests/test_tutorials",
    "tests/test_your_own_agent",
    "tests/vectors/test_openai_embedder",
    "tests/vectors/test_qdrant_index",
)
SLOW = (  # not of `make fast`: what starts processes or reads much takes seconds
    *(place for place in OTHER_PROCESSES if not place.startswith(("tests/kg/", "tests/llm/"))),
    "tests/agents/ontology_matching/test_reasoner",
    "tests/agents/question_answering/test_observe",
    "tests/cli/test_batch",
    "tests/test_recordings",
)
EMBED_MUCH = (
    "tests/benchmarks/",
    "tests/test_notebooks",
    "tests/test_recordings",
    "tests/test_tutorials",
)
REPLAYED = (
    "tests/benchmarks/llm/test_recordings.py::test_no_recording_is_stale_but_those_that_say_so["
)
LONGEST_FIRST = (  # by processor time; what embeds the same ontologies does not run side by side
    f"{REPLAYED}oaei-anatomy",
    "tests/benchmarks/llm/",
    "tests/browser/test_front_ends",
    "tests/faults/test_killed",
    "tests/faults/test_kernels",
    "tests/reporting/test_model_judged",
    "tests/test_tutorials",
    "tests/browser/",
    "tests/reporting/",
    "tests/faults/",
    "tests/agents/kg_construction/test_serve",
    "tests/agents/kg_construction/test_killed",
    "tests/test_notebooks",
    "tests/test_recordings",
    "tests/benchmarks/",
    "tests/cli/",
)
FRONT_ENDS = "tests/browser/test_front_ends.py"
EACH_APART = (  # files whose tests share nothing that takes long to make
    "tests/benchmarks/llm/test_recordings.py",
    "tests/reporting/test_model_judged.py",
    "tests/test_notebooks.py",
    "tests/test_recordings.py",
    "tests/test_tutorials.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """Files go to the workers in our order: a worker that ends with a long one leaves the other
    idle for minutes.
    """
    config.option.loadscopereorder = False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file to a worker, but the tests of some files each by itself, and those of one JupyterLab
    together.
    """
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = str(super()._split_scope(nodeid))
            if file.startswith("tests/browser/") and file != FRONT_ENDS:
                return "tests/browser"  # one server, one browser
            return nodeid if nodeid.startswith(EACH_APART) else file

    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What drives a browser, kernels, servers and signals is tried twice on a busy machine; the
    summary names each.
    """
    again = os.environ.get("FAULTS") != "whole"  # which hides no first failure
    for item in items:
        if again and item.nodeid.startswith(OTHER_PROCESSES):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
    items.sort(
        key=lambda item: next(
            (n for n, those in enumerate(LONGEST_FIRST) if item.nodeid.startswith(those)), 99
        )
    )


def pytest_runtest_makereport(item: pytest.Item) -> None:
    """Carry the row of a fault, and how many tries a test made of it, to wherever the report is
    read.
    """
    marker = item.get_closest_marker("fault")
    if marker is not None and not any(name == "fault" for name, _ in item.user_properties):
        item.user_properties.append(("fault", marker.args[0]))


_TABLE = "## The table\n\n"
_WHOLE = """One run of the whole form, in which nothing is tried again, written here by
`FAULTS=whole FAULTS_TABLE=docs/security.md python -m pytest -m fault tests`. In most rows `make test`
makes a fifth to a twentieth of the tries; it repeats once what fails on a busy machine.

"""
_SHORT = """One run of the short form, written here by
`FAULTS_TABLE=docs/security.md python -m pytest -m fault tests`. In most rows `make faults` makes five to
twenty times as many tries, and it retries nothing (`make test` repeats once what fails on a busy
machine).

"""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The table of faults: tries, survived, lost; ``FAULTS_TABLE=docs/security.md`` puts it into
    that file, too.
    """
    rows: dict[str, list[int]] = {}
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.stats.get(outcome, []):
            told = dict(getattr(report, "user_properties", ()))
            if "fault" in told and (report.when == "call" or outcome != "passed"):
                row = rows.setdefault(told["fault"], [0, 0])
                row[0] += int(told.get("tries", 1))
                row[1] += outcome != "passed"
    if not rows:
        return
    terminalreporter.section("faults")
    width = max(map(len, rows))
    terminalreporter.write_line(f"{'fault':{width}}  tries  survived  lost")
    for fault, (tries, lost) in sorted(rows.items()):
        terminalreporter.write_line(f"{fault:{width}}  {tries:5}  {tries - lost:8}  {lost:4}")
    if (page := Path(os.environ.get("FAULTS_TABLE", ""))).is_file():
        sums = tuple(map(sum, zip(*rows.values(), strict=True)))
        lines = [
            f"| {row} | {tries:,} | {tries - lost:,} | {lost} |"
            for row, (tries, lost) in sorted(rows.items())
        ]
        lines.append(f"| **all** | **{sums[0]:,}** | **{sums[0] - sums[1]:,}** | **{sums[1]}** |\n")
        head, rule = "| fault | tries | survived | lost |\n", "|---|---|---|---|\n"
        before, found, rest = page.read_text().partition(head + rule)
        before, titled, _ = before.partition(_TABLE)
        if not (found and titled):
            terminalreporter.write_line(f"{page} has no table of faults: nothing is written to it")
            return
        form = _WHOLE if os.environ.get("FAULTS") == "whole" else _SHORT
        rest = "".join(rest.partition("\n\n")[1:])[1:]
        write_whole(page, before + titled + form + head + rule + "\n".join(lines) + rest)
