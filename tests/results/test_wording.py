import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kgnb.kg.terms import Blank, Iri, Literal, TripleTerm
from kgnb.results.wording import is_term, money, number, percent, seconds, short_iri, term_text


@pytest.mark.parametrize(
    ("iri", "short"),
    [
        ("http://www.w3.org/2000/01/rdf-schema#label", "rdfs:label"),
        ("http://www.wikidata.org/entity/Q42", "wd:Q42"),
        ("http://www.w3.org/2002/07/owl#", "…/owl#"),
        ("https://huts.example.org/alps#Hut", "…#Hut"),
        ("https://huts.example.org/alps/Hut/", "…/Hut/"),
        ("https://huts.example.org", "https://huts.example.org"),
        ("urn:uuid:12", "…:12"),
        ("mailto:warden@huts.example.org", "mailto:warden@huts.example.org"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("", ""),
    ],
)
def test_shortens_an_iri_to_what_tells_it_apart(iri: str, short: str) -> None:
    assert short_iri(iri) == short


@given(some.text(max_size=40))
def test_a_short_iri_ends_as_the_iri_does(text: str) -> None:
    short = short_iri("https://huts.example.org/" + text)
    assert ("https://huts.example.org/" + text).endswith(short.removeprefix("…"))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (-0.0, "0"),
        (9999, "9999"),
        (-12345, "-12,345"),
        (0.5, "0.500"),
        (12345.678, "12,345.678"),
        (0.0004, "4.00e-04"),
        (1e300, "1.00e+300"),
        (math.nan, "not a number"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_writes_a_number(value: float, written: str) -> None:
    assert number(value) == written


@given(some.integers(-(10**6), 10**6))
def test_a_whole_number_reads_back(value: int) -> None:
    assert int(number(value).replace(",", "")) == value


@given(some.floats(0, 1))
def test_a_share_reads_back_to_one_decimal(share: float) -> None:
    assert abs(float(percent(share).removesuffix(" %")) - share * 100) <= 0.0501


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0 ms"),
        (0.99949, "999 ms"),
        (0.9996, "1.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 00 s"),
        (3599.6, "1 h 00 min"),
    ],
)
def test_writes_a_duration_in_the_unit_that_fits(value: float, written: str) -> None:
    assert seconds(value) == written


def test_writes_money_so_that_a_small_amount_is_not_nothing() -> None:
    assert [money(usd) for usd in (0, 0.0001, 0.5, 1234.5)] == ["$0", "$0.0001", "$0.50", "$1,234.50"]


def test_writes_every_kind_of_term() -> None:
    hut, sleeps = Iri("https://huts.example.org/alps#Vernagt"), Iri("https://huts.example.org/alps#sleeps")
    beds = Literal("80", datatype="http://www.w3.org/2001/XMLSchema#integer")
    assert term_text(beds) == "80"
    assert term_text(Literal("hut", "en")) == "hut (en)"
    assert term_text(Blank("b0")) == "_:b0"
    assert term_text(TripleTerm(hut, sleeps, beds)) == "<<( …#Vernagt …#sleeps 80 )>>"
    assert is_term(hut) and not is_term("https://huts.example.org/alps#Vernagt")
