"""Graphs of every kind: the contract suite asks the same of each."""

import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import rdflib

from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.graph import Graph
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.patience import Patience
from tests.ports import free_port
from tests.virtuoso import GRAPH, virtuoso

from .flaky_endpoint import FlakyEndpoint
from .stub_endpoint import Reply, StubEndpoint

FLAKY = ("flaky stub: reset within an answer",)  # every fault: test_flaky_endpoint
KINDS = ("files", "memory", "disk", "rdflib", "rdflib plain", "oxigraph server", "virtuoso", *FLAKY)


@pytest.fixture(scope="session")
def oxigraph_server() -> Iterator[str]:
    """The address of a real Oxigraph server, started once."""
    beside = Path(sys.executable).with_name("oxigraph")
    program = str(beside) if beside.exists() else shutil.which("oxigraph")
    if program is None:
        pytest.skip("the oxigraph server is not installed: pip install oxigraph")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [program, "serve", "--bind", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(1200):
            assert server.poll() is None, "the oxigraph server ended"
            try:
                urllib.request.urlopen(f"{url}/query?query=ASK%7B%7D", timeout=5).read()
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        else:
            raise AssertionError("the oxigraph server did not start within two minutes")
        yield url
    finally:
        server.kill()  # nothing of it is kept
        server.wait()


@pytest.fixture(scope="session")
def virtuoso_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Virtuoso server, started once."""
    with virtuoso(tmp_path_factory.mktemp("virtuoso")) as url:
        yield url


@pytest.fixture
def empty_server(oxigraph_server: str) -> str:
    """The server's address, its store emptied."""
    form = urllib.request.Request(
        f"{oxigraph_server}/update", b"DROP ALL", {"Content-Type": "application/sparql-update"}
    )
    urllib.request.urlopen(form, timeout=10).read()
    return oxigraph_server


@pytest.fixture(params=KINDS)
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Graph]:
    """An empty graph of each kind."""
    made = make_graph(request.param, tmp_path, request)
    yield made
    made.close()


def make_graph(kind: str, folder: Path, request: pytest.FixtureRequest) -> Graph:
    if kind in ("memory", "files"):  # files are loaded by ``filled``
        return OxigraphGraph()
    if kind == "disk":
        return OxigraphGraph(folder / "store")
    if kind == "rdflib":
        return RdflibGraph()
    if kind == "rdflib plain":
        return RdflibGraph(rdflib.Graph())
    if kind.startswith("flaky stub: "):
        service = FlakyEndpoint(kind.partition(": ")[2])
        request.addfinalizer(service.stop)
        patience = Patience(tries=31, sleep=lambda seconds: None)
        return EndpointGraph(service.url, update_url=service.url, patience=patience)
    if kind == "virtuoso":
        address = request.getfixturevalue("virtuoso_server")
        empty = EndpointGraph(address, update_url=address, default_graph=GRAPH)
        empty.update(f"CLEAR GRAPH <{GRAPH}>")
        return empty
    url = request.getfixturevalue("empty_server")
    return EndpointGraph(f"{url}/query", update_url=f"{url}/update")


@pytest.fixture
def stub() -> Iterator[Callable[..., StubEndpoint]]:
    """Starts stub endpoints and stops them afterwards."""
    started: list[StubEndpoint] = []

    def start(*replies: Reply) -> StubEndpoint:
        started.append(StubEndpoint(*replies))
        return started[-1]

    yield start
    for one in started:
        one.stop()
