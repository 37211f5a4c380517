from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kgnb.results.escaping import escaped, one_line, visible, whole

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
