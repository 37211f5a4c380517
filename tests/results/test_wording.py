import json
import math
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

from kgnb.kg.terms import Blank, Iri, Literal, TripleTerm
from kgnb.results.wording import PREFIXES, is_term, money, number, percent, seconds, short_iri, term_text


def test_shortens_an_iri_to_what_tells_it_apart() -> None:
    for iri, short in {
        "http://www.w3.org/2000/01/rdf-schema#label": "rdfs:label",
        "http://www.w3.org/2002/07/owl#": "…/owl#",
        "https://huts.example.org/alps/Hut/": "…/Hut/",
        "https://huts.example.org": "https://huts.example.org",
        "urn:uuid:12": "…:12",
        "javascript:alert(1)": "javascript:alert(1)",
        "": "",
    }.items():
        assert short_iri(iri) == short


@given(some.text(max_size=40))
def test_a_short_iri_ends_as_the_iri_does(text: str) -> None:
    short = short_iri("https://huts.example.org/" + text)
    assert ("https://huts.example.org/" + text).endswith(short.removeprefix("…"))


def test_the_extension_knows_the_same_prefixes() -> None:
    shared = Path(__file__).parents[2] / "extension" / "src" / "prefixes.json"
    assert json.loads(shared.read_text(encoding="utf-8")) == PREFIXES


def test_writes_a_number_an_amount_and_a_duration() -> None:
    values = (-0.0, 9999, -12345, 12345.678, 0.0004, 1e300, math.nan, -math.inf)
    written = ["0", "9999", "-12,345", "12,345.678", "4.00e-04", "1.00e+300", "not a number", "−∞"]
    assert [number(value) for value in values] == written
    assert [seconds(value) for value in (0, 0.9996, 59.96, 3599.6)] == ["0 ms", "1.0 s", "1 min 00 s", "1 h 00 min"]
    assert [money(usd) for usd in (0, 0.0001, 0.5, 1234.5)] == ["$0", "$0.0001", "$0.50", "$1,234.50"]


@given(some.integers(-(10**6), 10**6))
def test_a_whole_number_reads_back(value: int) -> None:
    assert int(number(value).replace(",", "")) == value


@given(some.floats(0, 1))
def test_a_share_reads_back_to_one_decimal(share: float) -> None:
    assert abs(float(percent(share).removesuffix(" %")) - share * 100) <= 0.0501


def test_writes_every_kind_of_term() -> None:
    hut, sleeps = Iri("https://huts.example.org/alps#Vernagt"), Iri("https://huts.example.org/alps#sleeps")
    beds = Literal("80", datatype="http://www.w3.org/2001/XMLSchema#integer")
    assert term_text(beds) == "80"
    assert term_text(Literal("hut", "en")) == "hut (en)"
    assert term_text(Blank("b0")) == "_:b0"
    assert term_text(TripleTerm(hut, sleeps, beds)) == "<<( …#Vernagt …#sleeps 80 )>>"
    assert is_term(hut) and not is_term("https://huts.example.org/alps#Vernagt")
