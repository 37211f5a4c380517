from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kgnb.results.escaping import escaped, link_target, one_line, shortened, visible, whole

pytestmark = pytest.mark.fault("hostile text shown")

ANY_TEXT = some.text(some.characters(), max_size=60)  # lone surrogates too


@given(ANY_TEXT)
def test_escaped_text_reads_back_as_visible_text_and_holds_no_markup(text: str) -> None:
    pieces: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attributes: object) -> None:
            raise AssertionError(tag)

        def handle_data(self, data: str) -> None:
            pieces.append(data)

    reader = Reader(convert_charrefs=True)
    reader.feed(escaped(text))
    reader.close()
    assert "".join(pieces) == visible(text)


@given(ANY_TEXT)
def test_escaped_text_cannot_leave_a_quoted_attribute(text: str) -> None:
    assert not set("\"'<>") & set(escaped(text))


@given(ANY_TEXT)
def test_visible_text_can_always_be_saved_and_nothing_is_left_to_write_out(text: str) -> None:
    visible(text).encode("utf-8")
    assert visible(visible(text)) == visible(text)


@given(ANY_TEXT)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@given(ANY_TEXT)
def test_whole_text_can_be_saved_and_keeps_its_length(text: str) -> None:
    assert len(whole(text)) == len(text)
    whole(text).encode("utf-8")


@pytest.mark.parametrize(
    "hiding", ["\u202e", "\u2066", "\u200b", "\ufeff", "\u061c", "\x00", "\x1b", "\x9b", "\U000e0041"]
)
def test_writes_out_each_character_that_hides_or_reorders_others(hiding: str) -> None:
    assert visible(f"a{hiding}b") == f"a⟨U+{ord(hiding):04X}⟩b"


@pytest.mark.parametrize("text", ["کتاب‌ها", "क्‍ष", "👩‍🚀", "Zürich", "a\tb\nc"])
def test_leaves_what_a_script_or_an_emoji_needs(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    "iri",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "file:///etc/passwd",
        "vbscript:x",
        "//evil.example",
        "http:/one-slash",
        "https://",
        "https://huts.example.org/\u202egpj.exe",
        "https://huts.example.org/ two words",
        "urn:hut:9",
        "",
    ],
)
def test_links_nothing_but_plain_http_and_mail(iri: str) -> None:
    assert link_target(iri) is None


@pytest.mark.parametrize("iri", ["http://a.example/", "HTTPS://a.example/Hütte#1", "mailto:warden@huts.example.org"])
def test_links_http_and_mail(iri: str) -> None:
    assert link_target(iri) == iri


def test_marks_a_cut() -> None:
    assert shortened("x" * 100, 10) == "x" * 9 + "…"
    assert shortened("x" * 10, 10) == "x" * 10
