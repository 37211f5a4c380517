"""Public services are asked politely: by name, and only so often."""

from kgnb.kg.endpoint_wire import PUBLIC_QUERIES_PER_SECOND, Courtesy, courtesy_towards


def test_requests_start_no_closer_than_the_pace_allows() -> None:
    now, waits = [100.0], list[float]()

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    pace = Courtesy(4, seconds=lambda: now[0], sleep=sleep)
    for _ in range(3):
        pace.wait()
    assert waits == [0.25, 0.25]
    now[0] += 10
    pace.wait()
    assert waits == [0.25, 0.25]


def test_only_public_hosts_have_a_pace_which_their_graphs_share() -> None:
    for own in ("http://127.0.0.1:7878/query", "http://localhost/sparql", "http://[::1]:80/sparql"):
        assert courtesy_towards(own).per_second == 0
    one, other = (
        courtesy_towards("https://query.huts.example/sparql"),
        courtesy_towards("https://QUERY.huts.example/b"),
    )
    assert one is other and one.per_second == PUBLIC_QUERIES_PER_SECOND
    assert courtesy_towards("https://else.huts.example/sparql") is not one
