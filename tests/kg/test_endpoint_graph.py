"""The endpoint adapter against services that misbehave; the contract suite asks a real server."""

import gzip
import json
import socket
import time
from collections.abc import Callable

import pytest

from kgnb.errors import BackendError
from kgnb.kg.endpoint_graph import EndpointGraph, _batches
from kgnb.kg.endpoint_wire import Wire, harmless
from kgnb.kg.terms import Blank, Iri, Literal, Triple, TripleTerm
from kgnb.patience import Patience
from tests.loopback import RawServer, dripping

from .stub_endpoint import RESULTS, Reply, StubEndpoint, solutions

pytestmark = pytest.mark.fault("SPARQL endpoint fails")

Start = Callable[..., StubEndpoint]
GOOD = Reply(solutions({"x": {"type": "literal", "value": "Hut"}}))
SELECT = "SELECT ?x { ?s ?p ?x }"


class Clock:
    """Takes the place of sleeping and keeps what it was asked to wait."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


def endpoint(
    stub: StubEndpoint, clock: Clock | None = None, retries: int = 3, **more: object
) -> EndpointGraph:
    patience = Patience(tries=retries + 1, first=1.0, longest=20.0, sleep=clock or Clock())
    return EndpointGraph(stub.url, patience=patience, **more)  # type: ignore[arg-type]


def test_retry_after_is_honoured_within_bounds(stub: Start) -> None:
    asked = [
        Reply(status=status, headers={"Retry-After": wait})
        for status, wait in ((429, "7"), (503, "20"), (503, "soon"))
    ]
    clock = Clock()
    endpoint(stub(*asked, GOOD), clock).select(SELECT)
    assert clock.waits[:2] == [7.0, 20.0] and 4.0 <= clock.waits[2] <= 5.0
    for day in ("86400", "Fri, 31 Dec 9998 23:59:59 GMT"):
        service, clock = stub(Reply(status=429, headers={"Retry-After": day}), GOOD), Clock()
        with pytest.raises(BackendError, match="asks to be left alone for .* hours"):
            endpoint(service, clock).select(SELECT)
        assert (len(service.received), clock.waits) == (1, [])


def test_a_redirect_is_not_followed_and_its_target_named(stub: Start) -> None:
    for status, to in (
        (301, "/elsewhere"),
        (303, "ftp://127.0.0.1/rows"),
        (308, "//user:word@h/x"),
    ):
        service = stub(Reply(status=status, headers={"Location": to}), GOOD)
        with pytest.raises(
            BackendError, match=rf"redirects to .*/(elsewhere|rows|x) \(HTTP {status}\)"
        ) as raised:
            endpoint(service, token="s3cret-token").select(SELECT)
        assert "give that address" in raised.value.fix
        assert "word" not in str(raised.value)
        assert len(service.received) == 1


@pytest.mark.timeout(60)
def test_a_service_that_drips_its_headers_or_its_refusal_is_given_up() -> None:
    for begin in (
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 503 Busy\r\nContent-Length: 9999\r\n\r\n",
    ):
        with RawServer(dripping(begin)) as server:
            graph, began = EndpointGraph(server.url, patience=Patience(tries=1)), time.monotonic()
            with pytest.raises(BackendError, match="no answer within|busy"):
                graph.select(SELECT, timeout=0.4)
            assert time.monotonic() - began < 15


def test_patience_ends(stub: Start) -> None:
    service = stub(Reply(b"too many", status=429, media_type="text/plain"))
    with pytest.raises(BackendError, match=r"busy \(HTTP 429\) \(3 tries\)") as raised:
        endpoint(service, retries=2).select(SELECT)
    assert len(service.received) == 3
    assert raised.value.details == "too many"
    assert raised.value.service == service.url


def test_a_service_that_is_not_there_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        # bound, so nobody else's, and not listened to
        url = f"http://127.0.0.1:{free.getsockname()[1]}/sparql"
        clock = Clock()
        graph = EndpointGraph(url, patience=Patience(tries=9, sleep=clock))
        with pytest.raises(BackendError, match="cannot be reached"):
            graph.ask("ASK {}")
    assert len(clock.waits) == 1


def test_a_web_page_with_status_200_is_an_error(stub: Start) -> None:
    for media_type in ("text/html", RESULTS):
        service = stub(
            Reply(
                b"<!DOCTYPE html><html><body>Busy, come back later</body></html>",
                media_type=media_type,
            )
        )
        for ask in (
            lambda graph: graph.select(SELECT),
            lambda graph: graph.ask("ASK {}"),
            lambda graph: graph.construct("CONSTRUCT WHERE { ?s ?p ?o }"),
        ):
            with pytest.raises(BackendError, match="a web page|not RDF") as raised:
                ask(endpoint(service))
            assert "path" in raised.value.fix or "ask for less" in raised.value.fix
        assert len(service.received) == 3


MALFORMED = [
    b"",
    b"{",
    GOOD.body[:-10],
    GOOD.body + b"operation has been cancelled",
    b"[]",
    b"{}",
    b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"nonsense","value":"v"}}]}}',
    b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":7}}]}}',
    b'{"head":{"vars":["x"]},"results":{"bindings":[3]}}',
    b'{"head":null,"results":{"bindings":[]}}',
    b"[" * 100000,
    b"\xff\xfe\x00",
]


def test_malformed_or_cut_results_are_an_error(stub: Start) -> None:
    for body in MALFORMED:
        with pytest.raises(BackendError, match="answered without an error, but sent"):
            endpoint(stub(Reply(body))).select(SELECT)


def test_columns_come_as_they_were_asked_and_others_are_an_error(stub: Start) -> None:
    graph = endpoint(stub(Reply(b"y,x\n2,1\n", media_type="text/csv")))
    found = graph.select("SELECT ?x (SUM(?n) AS ?y) { ?x ?p ?n } GROUP BY ?x")
    assert found.variables == ("x", "y")
    assert [term.text for term in found.rows[0] if isinstance(term, Literal)] == ["1", "2"]
    with pytest.raises(BackendError, match="the columns y, x instead of x, z"):
        graph.select("SELECT ?x ?z { ?x ?p ?z }")
    nothing = Reply(b'{"head":{"vars":[]},"results":{"bindings":[]}}')
    assert endpoint(stub(nothing)).select("SELECT ?x ?z { ?x ?p ?z }").variables == ("x", "z")


def test_a_flood_is_refused_and_not_asked_for_again(stub: Start) -> None:
    def endless(write: Callable[[bytes], object]) -> None:
        write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            write(b"0" * 65536)

    service = stub(Reply(gzip.compress(b"0" * 3_000_000), headers={"Content-Encoding": "gzip"}))
    with RawServer(endless) as server:
        for url in (service.url, server.url):
            wire = Wire(url, most_bytes=1_000_000, patience=Patience(tries=4))
            with pytest.raises(BackendError, match="more than 0 MiB"):
                wire.ask(SELECT, timeout=5)
    assert len(service.received) == 1


def test_reads_virtuoso_s_answers_to_ask_and_refuses_others(stub: Start) -> None:
    for value, answer in (("1", True), ("0", False), ("true", True), ("false", False)):
        body = solutions(
            {"__ASK_RETVAL": {"type": "literal", "value": value}}, variables=("__ASK_RETVAL",)
        )
        assert endpoint(stub(Reply(body))).ask("ASK {}") is answer
    for body in (b"{}", b'{"boolean":"yes"}', b'{"results":{"bindings":[{}]}}'):
        with pytest.raises(BackendError, match="no boolean"):
            endpoint(stub(Reply(body))).ask("ASK {}")


def test_reads_every_shape_of_term(stub: Start) -> None:
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    triple = {
        "subject": {"type": "uri", "value": "urn:s"},
        "predicate": {"type": "uri", "value": "urn:p"},
        "object": {"type": "literal", "value": "o"},
    }
    cells: list[tuple[dict[str, object], object]] = [
        ({"type": "uri", "value": "urn:x"}, Iri("urn:x")),
        ({"type": "uri", "value": "nodeID://b10"}, Blank("b10")),
        ({"type": "bnode", "value": "b1"}, Blank("b1")),
        ({"type": "bnode", "value": "nodeID://b10"}, Blank("b10")),
        ({"type": "literal", "value": "x"}, Literal("x")),
        ({"type": "literal", "value": "x", "xml:lang": "en"}, Literal("x", "en")),
        (
            {"type": "typed-literal", "value": "01", "datatype": integer},
            Literal("01", None, integer),
        ),
        (
            {
                "type": "literal",
                "value": "x",
                "datatype": "http://www.w3.org/2001/XMLSchema#string",
            },
            Literal("x"),
        ),
        ({"type": "triple", "value": triple}, TripleTerm(Iri("urn:s"), Iri("urn:p"), Literal("o"))),
    ]
    found = endpoint(stub(Reply(solutions(*({"x": cell} for cell, _ in cells), {})))).select(SELECT)
    assert [row[0] for row in found] == [*(term for _, term in cells), None]


def test_queries_go_by_post_however_long_with_extra_parameters_and_headers(stub: Start) -> None:
    service = stub(GOOD)
    values = " ".join(f"<http://hut.example/{n}>" for n in range(10_000))
    graph = endpoint(service, parameters={"default-graph-uri": "urn:g"}, headers={"X-Own": "yes"})
    graph.select(f"SELECT ?x {{ VALUES ?s {{ {values} }} ?s ?p ?x }}")
    (sent,) = service.received
    assert len(sent.form["query"][0]) > 200_000 and sent.form["default-graph-uri"] == ["urn:g"]
    assert (sent.path, sent.headers["X-Own"]) == ("/sparql", "yes")
    assert "sparql-results+json" in sent.headers["Accept"]


def test_a_service_that_answers_late_is_given_up(stub: Start) -> None:
    service = stub(Reply(GOOD.body, drip=1))
    began = time.monotonic()
    with pytest.raises(BackendError, match=r"no answer within 0.3 s"):
        endpoint(service).select(SELECT, timeout=0.3)
    assert time.monotonic() - began < 20  # its bytes take minutes
    with pytest.raises(ValueError, match="timeout"):
        endpoint(service).select(SELECT, timeout=0)


def test_a_refusal_is_not_retried_and_says_what_to_do(stub: Start) -> None:
    for status, word in ((401, "password"), (403, "allow"), (404, "path"), (500, "details")):
        service = stub(Reply(b"no", status=status, media_type="text/plain"))
        with pytest.raises(BackendError, match=f"HTTP {status}") as raised:
            endpoint(service).select(SELECT)
        assert word in raised.value.fix
        assert len(service.received) == 1


def test_credentials_are_sent_and_never_shown(stub: Start) -> None:
    secret, token = "hunter2secret", "tok-123456789"
    for more in ({"user": "me", "password": secret}, {"token": token}):
        service = stub(
            GOOD,
            Reply(status=500, body=f"{secret} {token} Basic bWU6aHVudGVyMnNlY3JldA==".encode()),
        )
        graph = endpoint(service, **more)
        graph.select(SELECT)
        sent = service.received[0].headers["Authorization"]
        assert sent == (
            "Bearer tok-123456789" if "token" in more else "Basic bWU6aHVudGVyMnNlY3JldA=="
        )
        with pytest.raises(BackendError) as raised:
            graph.select(SELECT)
        shown = f"{raised.value} {raised.value.details} {graph!r} {graph.name} {graph._wire!r}"
        assert sent.split()[1] not in shown
        assert more.get("password", token) not in shown
    service = stub(GOOD)
    graph = EndpointGraph(service.url.replace("//", "//me:sec%40ret@"))
    graph.select(SELECT)
    assert service.received[0].headers["Authorization"] == "Basic bWU6c2VjQHJldA=="
    assert "sec" not in f"{graph!r} {graph.name}"


def test_what_the_service_says_is_shortened_and_made_harmless(stub: Start) -> None:
    nasty = "<script>alert(1)</script>\x1b[31m\u202e" + "x" * 100_000
    with pytest.raises(BackendError) as raised:
        endpoint(stub(Reply(nasty.encode(), status=500, media_type="text/plain"))).select(SELECT)
    assert len(str(raised.value)) < 600
    assert not set("\x1b\u202e") & set(str(raised.value) + raised.value.details)
    assert "<script>" not in str(raised.value)
    assert harmless("a\x00\n b", 10) == "a b"


def test_is_for_reading_only_unless_an_update_address_is_given(stub: Start) -> None:
    service = stub(GOOD)
    with pytest.raises(BackendError, match="reading only") as raised:
        endpoint(service).add([(Iri("urn:a"), Iri("urn:b"), Literal("c"))])
    assert "update_url" in raised.value.fix
    assert service.received == []


def test_refuses_bad_addresses_and_credentials_without_showing_them() -> None:
    for url in ("ftp://x/y", "file:///etc/passwd", "sparql", ""):
        with pytest.raises(ValueError, match="http"):
            EndpointGraph(url)
    for more in ({"token": "hush\nhush"}, {"headers": {"X-Key": "hush\n"}}):
        with pytest.raises(ValueError, match="one line") as caught:
            EndpointGraph("http://127.0.0.1:9/sparql", **more)  # type: ignore[arg-type]
        assert "hush" not in str(caught.value)


def test_a_blank_node_cannot_be_bound(stub: Start) -> None:
    graph = endpoint(stub(GOOD))
    with pytest.raises(ValueError, match="blank node"):
        graph.triples(Blank("b1"))
    with pytest.raises(ValueError, match="blank node"):
        graph.ask("ASK { ?s ?p ?o }", bindings={"s": Blank("b1")})


def test_triples_that_share_blank_nodes_travel_together() -> None:
    p = Iri("urn:p")
    chain: list[Triple] = [(Blank(f"b{n}"), p, Blank(f"b{n + 1}")) for n in range(3000)]
    loose: list[Triple] = [(Iri(f"urn:{n}"), p, Literal("x")) for n in range(3000)]
    batches = list(_batches([*chain, *loose]))
    assert sorted(map(len, batches)) == [1000, 2000, 3000]
    assert sum(any(isinstance(t[0], Blank) for t in batch) for batch in batches) == 1


def test_named_graphs_can_be_left_out(stub: Start) -> None:
    service = stub(
        Reply(json.dumps({"head": {"vars": ["s", "p", "o"]}, "results": {"bindings": []}}).encode())
    )
    endpoint(service).triples()
    endpoint(service, named_graphs=False).triples()
    assert "GRAPH" in service.received[0].form["query"][0]
    assert "GRAPH" not in service.received[1].form["query"][0]


def test_a_service_that_says_it_cut_the_answer_is_believed(stub: Start) -> None:
    assert (
        endpoint(stub(Reply(GOOD.body, headers={"X-SPARQL-MaxRows": "1"}))).select(SELECT).truncated
    )


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    stub: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert len(endpoint(stub(GOOD)).select(SELECT)) == 1


def test_a_proxy_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for proxy in ("socks5://127.0.0.1:9", "nonsense://x"):
        monkeypatch.setenv("ALL_PROXY", proxy)
        with pytest.raises(BackendError, match="through the proxy") as raised:
            EndpointGraph("http://endpoint.example/sparql").ask("ASK {}")
        assert "ALL_PROXY" in raised.value.fix


def test_construct_refuses_rdf_that_is_cut_off(stub: Start) -> None:
    with pytest.raises(BackendError, match="malformed RDF"):
        endpoint(stub(Reply(b"<urn:a> <urn:b> 'unfin", media_type="text/turtle"))).construct(
            "CONSTRUCT WHERE { ?s ?p ?o }"
        )
