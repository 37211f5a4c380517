"""Terms written and read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.kg.terms import XSD, Blank, Iri, Literal, Term, TripleTerm, n3
from tests.kg.n3_reader import parse_term

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
IRIS = st.builds(
    lambda rest: Iri(f"urn:x:{rest}"),
    st.text(
        st.characters(categories=["L", "N"], include_characters="/#?%-._~:@!$&'()*+,;="),
        max_size=20,
    ).map(lambda rest: rest.replace("%", "%25").replace("#", "")),
)
BLANKS = st.builds(Blank, st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True))
LITERALS = st.one_of(
    st.builds(Literal, TEXT),
    st.builds(Literal, TEXT, st.sampled_from(["en", "de-at", "zh-hant", "x-klingon"])),
    st.builds(Literal, TEXT, st.none(), st.sampled_from([f"{XSD}token", "urn:x:own"])),
)
SIMPLE = st.one_of(IRIS, BLANKS, LITERALS)
TERMS = st.one_of(SIMPLE, st.builds(TripleTerm, st.one_of(IRIS, BLANKS), IRIS, SIMPLE))


@given(TERMS)
def test_what_is_written_is_read_back(term: Term) -> None:
    assert parse_term(n3(term)) == term


@given(TEXT)
def test_no_line_break_and_no_bare_quote_survives(text: str) -> None:
    written = n3(Literal(text))
    assert not set("\n\r\x00\x07\x1b") & set(written)
    assert written[0] == written[-1] == '"'
    assert '"' not in written[1:-1].replace("\\\\", "").replace('\\"', "")


def test_a_surrogate_pair_is_joined_and_half_of_one_refused() -> None:
    assert n3(Literal("\ud834\udd1e")) == '"𝄞"'
    with pytest.raises(ValueError, match="surrogate"):
        n3(Literal("\ud834"))
    with pytest.raises(ValueError, match="IRI"):
        n3(Iri("urn:\udd1e"))


def test_refuses_to_write_what_rdf_does_not_allow() -> None:
    bad: list[Term] = [
        Iri(iri) for iri in ("", "relative", "urn:a b", "urn:a>b", "urn:a\nb", "urn:a\\u003Eb")
    ]
    bad += [Blank(label) for label in ("", "a b", "a.")]
    bad += [Literal("x", tag) for tag in ("", "en_US", "en . <urn:a>")]
    bad += [Literal("x", None, datatype) for datatype in ("urn:a> . <urn:b", "")]
    for term in bad:
        with pytest.raises(ValueError):
            n3(term)
    with pytest.raises(TypeError):
        n3("just text")  # type: ignore[arg-type]
