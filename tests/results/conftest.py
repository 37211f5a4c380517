"""What JupyterLab's sanitiser lets through, so that a test can say what would be lost, and what in
it could act.
"""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from kgnb.results.graph_svg import DARK

# The part of the allow-lists of @jupyterlab/apputils 4.7 (sanitizer.ts) that our HTML may use. The
# browser tests put the same HTML through the real sanitiser.
GLOBAL_ATTRIBUTES = {"style", "title"}
ATTRIBUTES = {"a": {"href", "rel"}, "details": {"open"}, "td": {"colspan"}, "th": {"scope"}}
ATTRIBUTES["img"] = {"alt", "src", "width"}
TAGS = {
    *(
        "a",
        "b",
        "br",
        "caption",
        "code",
        "details",
        "div",
        "img",
        "p",
        "pre",
        "span",
        "strong",
        "summary",
    )
}
TAGS |= {"table", "tbody", "td", "th", "thead", "tr"}
VOID = {"br", "img"}
STYLES = {
    *(
        "background-color",
        "border",
        "border-bottom",
        "border-collapse",
        "border-top",
        "caption-side",
        "cursor",
    ),
    *(
        "display",
        "font-size",
        "font-weight",
        "height",
        "line-height",
        "margin",
        "max-width",
        "opacity",
    ),
    *(
        "overflow-wrap",
        "overflow-x",
        "padding",
        "table-layout",
        "text-align",
        "vertical-align",
        "white-space",
    ),
    *("width", "word-break"),
}
COLOUR = re.compile(
    r"#[0-9a-f]{3,8}\b|\b(?:black|white|gray|grey|red|blue|green)\b|rgb\(|hsl", re.IGNORECASE
)
PICTURE = "data:image/svg+xml,"


class Reader(HTMLParser):
    """Reads HTML strictly: every tag closed, in order, and nothing the sanitiser would change."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, f"<{tag}> would be dropped"
        self.tags.append(tag)
        for name, value in attributes:
            assert name in GLOBAL_ATTRIBUTES | ATTRIBUTES.get(tag, set()), (
                f"{name} of <{tag}> would be dropped"
            )
            if name == "style":
                check_style(value or "")
            if name == "href":
                assert (value or "").lower().startswith(("http://", "https://", "mailto:")), value
                self.links.append(value or "")
            if name == "src":
                assert (value or "").startswith(PICTURE)
                check_picture(unquote((value or "").removeprefix(PICTURE)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def check_style(style: str) -> None:
    for rule in filter(None, (part.strip() for part in style.split(";"))):
        name, _, value = rule.partition(":")
        assert name.strip() in STYLES, f"the style {name} would be dropped"
        assert not COLOUR.search(value), f"{value} looks wrong in light or in dark"


def check_picture(svg: str) -> None:
    """It is sound XML, and nothing in it could act."""
    for element in ElementTree.fromstring(svg).iter():
        tag = element.tag.rpartition("}")[2]
        ours = tag == "style" and f"<style>{element.text}</style>" == DARK
        assert ours or tag in {"svg", "defs", "marker", "path", "rect", "g", "text"}, tag
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]


@pytest.fixture(scope="session")
def read() -> Callable[[str], Reader]:
    """Reads HTML and fails on whatever the sanitiser would not leave as it is."""

    def parse(text: str) -> Reader:
        reader = Reader()
        reader.feed(text)
        reader.close()
        assert reader.open == []
        return reader

    return parse
