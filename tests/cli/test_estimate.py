"""What a model will cost is said on standard error before it is asked."""

from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Pair, Said
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer

Kgnb = Callable[..., Said]


def test_match_says_what_the_model_will_cost_and_quiet_says_nothing(
    kgnb: Kgnb, pair: Pair, tmp_path: Path
) -> None:
    words = ("match", pair.left, pair.right, "--judge", "model", "--out", "-")
    with StubServer(oblige) as server:
        told = {
            "KGNB_MODEL": "stub",
            "KGNB_BASE_URL": server.url,
            "KGNB_PRICE": "1/10",
            "KGNB_REMEMBER": "no",
        }
        said = kgnb(*words, environment=told)
        quiet = kgnb(*words, "--quiet", environment=told)
    assert said.status == quiet.status == 0
    first = said.err.splitlines()[0]
    assert (
        first.startswith("kgnb: validate: about ") and "about 1 model call, " in first
    )  # both directions on a sheet
    assert "tokens in and" in first and "at the price in the settings" in first
    assert said.out == quiet.out and quiet.err == ""
