import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

from kgnb.kg.terms import Blank, Iri, Literal, TripleTerm
from kgnb.results.escaping import link_target, one_line, visible
from kgnb.results.wording import PREFIXES, money, number, percent, seconds, short_iri, term_text

SHARED = (
    Path(__file__).parents[1] / "fixtures" / "wording.json"
)  # the extension's test reads it as well


def test_values_are_written_as_the_table_that_the_extension_reads_too_says() -> None:
    table = json.loads(SHARED.read_text(encoding="utf-8"))
    numeric = {
        "formatNumber": number,
        "formatSeconds": seconds,
        "formatMoney": money,
        "formatPercent": percent,
    }
    for name, write in numeric.items():
        assert {value: write(float(value)) for value in table[name]} == table[name]
    for name, write_text in {
        "shortIri": short_iri,
        "oneLine": one_line,
        "visible": visible,
    }.items():
        assert {text: write_text(text) for text in table[name]} == table[name]
    assert [link_target(iri) for iri in table["links"]] == table["links"]
    assert [iri for iri in table["noLinks"] if link_target(iri)] == []


@given(some.text(max_size=40))
def test_a_short_iri_ends_as_the_iri_does(text: str) -> None:
    short = short_iri("https://huts.example.org/" + text)
    assert ("https://huts.example.org/" + text).endswith(short.removeprefix("…"))


def test_the_extension_knows_the_same_prefixes() -> None:
    shared = Path(__file__).parents[2] / "extension" / "src" / "prefixes.json"
    assert json.loads(shared.read_text(encoding="utf-8")) == PREFIXES


@given(some.integers(-(10**6), 10**6))
def test_a_whole_number_reads_back(value: int) -> None:
    assert int(number(value).replace(",", "")) == value


@given(some.floats(0, 1))
def test_a_share_reads_back_to_one_decimal(share: float) -> None:
    assert abs(float(percent(share).removesuffix(" %")) - share * 100) <= 0.0501


def test_writes_every_kind_of_term() -> None:
    hut, sleeps = (
        Iri("https://huts.example.org/alps#Vernagt"),
        Iri("https://huts.example.org/alps#sleeps"),
    )
    beds = Literal("80", datatype="http://www.w3.org/2001/XMLSchema#integer")
    assert term_text(beds) == "80"
    assert term_text(Literal("hut", "en")) == "hut (en)"
    assert term_text(Blank("b0")) == "_:b0"
    assert term_text(TripleTerm(hut, sleeps, beds)) == "<<( …#Vernagt …#sleeps 80 )>>"
