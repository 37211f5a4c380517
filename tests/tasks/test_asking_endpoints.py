"""A live endpoint is one parameter away: the same calls over real servers that hold a
Wikidata-shaped slice.
"""

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import kgnb
from kgnb.cli import main
from kgnb.evaluate.answers import normalised
from kgnb.kg.endpoint_wire import AGENT
from tests.kg.conftest import oxigraph_server, stub  # noqa: F401  (fixtures)
from tests.kg.stub_endpoint import Reply, StubEndpoint
from tests.virtuoso import virtuoso

SLICE = Path(__file__).with_name("wikidata_slice.ttl")
WD = "http://www.wikidata.org/entity/"


@pytest.fixture(scope="module")
def oxigraph(oxigraph_server: str) -> str:  # noqa: F811
    urllib.request.urlopen(
        urllib.request.Request(
            f"{oxigraph_server}/update", b"DROP ALL", {"Content-Type": "application/sparql-update"}
        ),
        timeout=10,
    ).read()
    store = urllib.request.Request(
        f"{oxigraph_server}/store?default",
        SLICE.read_bytes(),
        {"Content-Type": "text/turtle"},
        method="PUT",
    )
    urllib.request.urlopen(store, timeout=10).read()
    return f"{oxigraph_server}/query"


@pytest.fixture(scope="module")
def virtuoso_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with virtuoso(tmp_path_factory.mktemp("virtuoso"), SLICE) as url:
        yield url


@pytest.fixture(params=["oxigraph", "virtuoso"])
def endpoint(request: pytest.FixtureRequest) -> str:
    name = {"oxigraph": "oxigraph", "virtuoso": "virtuoso_server"}[request.param]
    return str(request.getfixturevalue(name))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGNB_EMBEDDER", "characters")
    monkeypatch.chdir(tmp_path)


def test_a_live_endpoint_is_one_parameter_away(
    endpoint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for question, entity, values in (
        ("Who is the warden of the Hochkar House?", "Q9001", {WD + "Q9011"}),
        ("Who is the hut keeper of Dreibach Hut?", "Q9002", {WD + "Q9012"}),
        ("Where is the place of residence of Wilma Aschauer?", "Q9011", {WD + "Q9020"}),
        ("What is the altitude of the Hochkar House?", "Q9001", {"2264.0"}),
    ):
        assert (
            main(["ask", question, "--graph", endpoint, "--entity", f"wd:{entity}", "--json", "-q"])
            == 0
        )
        line = json.loads(capsys.readouterr().out)
        assert set(map(normalised, line["values"])) == set(
            map(normalised, values)
        )  # stores write 2264.0 as 2264
        assert line["status"] == "answered" and line["support"] and line["sparql"]
    linked = kgnb.answer_question("Who is the warden of the Hochkar House?", endpoint)
    assert [str(value) for value in linked.values] == [
        WD + "Q9011"
    ] and WD + "Q9001" in linked.linked.entities
    assert linked.label(linked.values[0]) == "Wilma Aschauer"
    two_hops = "What is the place of residence of the warden of the Hochkar House?"
    answer = kgnb.answer_question(two_hops, endpoint, entities=[WD + "Q9001"])
    assert [str(value) for value in answer.values] == [WD + "Q9020"] and len(answer.support) == 2


def test_a_batch_over_an_endpoint_is_written_as_it_comes(oxigraph: str) -> None:
    lines = [
        {
            "id": "a",
            "question": "Who is the warden of the Hochkar House?",
            "entities": [WD + "Q9001"],
        },
        {"id": "b", "question": "Who is the warden of Nowhere Hut?", "entities": [WD + "Q404"]},
    ]
    Path("asked.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert (
        main(
            [
                "ask",
                "--questions",
                "asked.jsonl",
                "-g",
                oxigraph,
                "--judge",
                "rule",
                "-o",
                "out.jsonl",
            ]
        )
        == 0
    )
    first, second = map(json.loads, Path("out.jsonl").read_text().splitlines())
    assert first["values"] == [WD + "Q9011"]
    assert second["values"] == [] and second["status"] == "unsure"


def test_who_asks_is_said(stub: Callable[..., StubEndpoint]) -> None:  # noqa: F811
    service = stub(Reply(b'{"head": {"vars": []}, "results": {"bindings": []}}'))
    kgnb.answer_question("Who is she?", service.url, entities=[WD + "Q1"])
    assert service.received and {one.headers["User-Agent"] for one in service.received} == {AGENT}


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"<html>busy</html>", media_type="text/html"),
        Reply(b'{"head": {"vars": ["x"]}, "resu'),
        Reply(status=500),
    ],
    ids=["a page of HTML", "JSON cut off", "an error"],
)
def test_an_endpoint_that_fails_is_an_error_or_unsure_never_an_answer(
    stub: Callable[..., StubEndpoint],  # noqa: F811
    reply: Reply,
) -> None:
    service = stub(reply)
    try:
        answer = kgnb.answer_question(
            "Who is the warden of the Hochkar House?", service.url, entities=[WD + "Q9001"]
        )
    except kgnb.BackendError as error:
        assert error.service.startswith("http://127.0.0.1")
    else:
        assert answer.status == "unsure" and not answer.values
