from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kgnb.results.escaping import escaped, link_target, one_line, visible, whole

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
    assert not set("\"'<>") & set(escaped(text))  # nor can it leave a quoted attribute


@given(ANY_TEXT)
def test_what_is_shown_can_be_saved_and_nothing_is_left_to_write_out(text: str) -> None:
    visible(text).encode("utf-8")
    assert visible(visible(text)) == visible(text)
    assert len(one_line(text).splitlines()) <= 1
    assert len(whole(text)) == len(text)
    whole(text).encode("utf-8")


def test_writes_out_each_character_that_hides_or_reorders_others() -> None:
    for hiding in ("\u202e", "\u2066", "\u200b", "\ufeff", "\u061c", "\x00", "\x1b", "\x9b", "\U000e0041"):
        assert visible(f"a{hiding}b") == f"a⟨U+{ord(hiding):04X}⟩b"


@pytest.mark.parametrize("text", ["کتاب‌ها", "क्‍ष", "👩‍🚀", "Zürich", "a\tb\nc"])
def test_leaves_what_a_script_or_an_emoji_needs(text: str) -> None:
    assert visible(text) == text


def test_links_nothing_but_plain_http_and_mail() -> None:
    for iri in (
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "file:///etc/passwd",
        "//evil.example",
        "http:/one-slash",
        "https://",
        "https://huts.example.org/\u202egpj.exe",
        "https://huts.example.org/ two words",
        "urn:hut:9",
        "",
    ):
        assert link_target(iri) is None, iri
    for iri in ("http://a.example/", "HTTPS://a.example/Hütte#1", "mailto:warden@huts.example.org"):
        assert link_target(iri) == iri
