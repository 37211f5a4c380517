"""What a service does wrong, each fault by its name; the contract suite asks everything else of the
same stub.
"""

from collections.abc import Callable

import pytest

from kgnb.errors import BackendError
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.graph import Solutions
from kgnb.kg.terms import Blank, Iri, Literal
from kgnb.patience import Patience

from .flaky_endpoint import HARMLESS, PASSING, FlakyEndpoint
from .stub_endpoint import Reply, StubEndpoint, solutions

pytestmark = pytest.mark.fault("SPARQL endpoint fails")

Start = Callable[..., StubEndpoint]
SELECT = "SELECT ?x { ?s ?p ?x }"
HUT, NAME = Iri("http://hut.example/hut"), Iri("http://hut.example/name")


def cells(*values: object) -> bytes:
    return solutions(*({"x": {"type": "literal", "value": str(value)}} for value in values))


def asked(stub: StubEndpoint, retries: int = 2, **more: float) -> Solutions:
    graph = EndpointGraph(
        stub.url, patience=Patience(tries=retries + 1, sleep=lambda seconds: None)
    )
    return graph.select(SELECT, **more)  # type: ignore[arg-type]


def test_an_answer_comes_in_spite_of_passing_faults() -> None:
    for fault in (*PASSING, *HARMLESS):
        service = FlakyEndpoint(fault)
        try:
            graph = EndpointGraph(
                service.url, update_url=service.url, patience=Patience(sleep=lambda seconds: None)
            )
            graph.add([(HUT, NAME, Literal("Hütte", "de"))])
            assert graph.select(SELECT).rows == ((Literal("Hütte", "de"),),), fault
            assert service.faults == (2 if fault in PASSING else 0), fault
        finally:
            service.stop()


def test_asks_for_the_row_after_a_round_number_of_rows(stub: Start) -> None:
    for after, truncated in (
        (Reply(cells("one more")), True),
        (Reply(status=500), True),  # it will not say
        (Reply(status=400), True),
        (Reply(cells()), False),
    ):
        service = stub(Reply(cells(*range(1000))), after)
        found = asked(service)
        assert (len(found), found.truncated) == (1000, truncated)
        assert service.received[1].form["query"][0].split()[-4:] == ["LIMIT", "1", "OFFSET", "1000"]
    service = stub(Reply(cells(*range(1000))))
    assert not EndpointGraph(service.url).select(f"{SELECT} LIMIT 1000").truncated
    assert len(service.received) == 1


def test_what_may_have_been_written_is_not_written_twice(stub: Start) -> None:
    lost = Reply(b"", media_type="text/plain", claim=5, headers={"Connection": "close"})
    service = stub(lost)
    patience = Patience(tries=4, sleep=lambda seconds: None)
    graph = EndpointGraph(service.url, update_url=service.url, patience=patience)
    with pytest.raises(BackendError, match="short|broke"):
        graph.add([(HUT, NAME, Blank("b1"))])
    assert len(service.received) == 1
    unknown = stub(
        Reply(status=504)
    )  # whether it was carried out is not known; 429 and 503 say it was not
    with pytest.raises(BackendError, match="1 tries|busy"):
        EndpointGraph(unknown.url, update_url=unknown.url).update(
            "INSERT DATA { <urn:a> <urn:p> 1 }"
        )
    assert len(unknown.received) == 1
    with pytest.raises(BackendError, match="4 tries"):
        graph.add([(HUT, NAME, Literal("x"))])
    assert len(service.received) == 5


def test_virtuoso_s_cap_of_ten_thousand_rows_is_noticed(virtuoso_server: str) -> None:
    graph = EndpointGraph(virtuoso_server)
    some = " ".join(str(number) for number in range(101))
    query = f"SELECT ?a ?b {{ VALUES ?a {{ {some} }} VALUES ?b {{ {some} }} }}"
    found = graph.select(query)
    assert (len(found), found.truncated) == (10_000, True)
    assert not graph.select(query.replace("0 1 2 ", "")).truncated
