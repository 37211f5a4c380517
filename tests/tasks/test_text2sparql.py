"""Questions over HTTP, as the client of the TEXT2SPARQL challenge sends them."""

import pytest
from starlette.testclient import TestClient

import kgnb
from kgnb.tasks.asking import open_context
from kgnb.tasks.text2sparql import Translator, application


@pytest.fixture(scope="module")
def client() -> TestClient:
    context = open_context("huts:graph", judge="rule", embedder="characters")
    app = application(Translator({"https://huts.example/": context}))
    return TestClient(app, base_url="http://127.0.0.1")


def test_a_question_comes_back_as_sparql_that_gives_the_answer(client: TestClient) -> None:
    asked = {
        "dataset": "https://huts.example/",
        "question": "Who is the warden of the Hochkar House?",
    }
    reply = client.get("/", params=asked).json()
    assert {name: reply[name] for name in asked} == asked
    rows = kgnb.query("huts:graph", reply["query"], labels="en")
    assert "Wilma Aschauer" in str(rows)


def test_an_empty_question_is_refused_with_a_reason(client: TestClient) -> None:
    reply = client.get("/", params={"dataset": "https://huts.example/", "question": " "})
    assert reply.status_code == 400 and "question" in reply.json()["error"]


@pytest.mark.fault("MCP server")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1.evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"origin": "http://localhost:3000"}, 400),
    ],
)
def test_no_page_of_another_machine_spends_money_here(
    headers: dict[str, str], status: int, client: TestClient
) -> None:
    assert client.get("/", params={"question": " "}, headers=headers).status_code == status
