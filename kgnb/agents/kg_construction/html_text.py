"""The text a page of HTML shows: blocks on lines of their own, lists marked, scripts and styles left out."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_HIDDEN = {"script", "style", "template", "noscript", "head", "svg", "math", "iframe", "object"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "dd", "div", "dl", "dt", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre",
    "section", "table", "tbody", "tfoot", "thead", "tr", "ul",
}  # fmt: skip
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


class _Shown(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden: list[str] = []
        self._lists: list[int | None] = []  # the last number of each open list; None: not numbered

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if self._hidden:
            if tag == self._hidden[-1]:
                self._hidden.append(tag)
            return
        if tag == "body":
            self._hidden.clear()
        if tag in _HIDDEN:
            self._hidden.append(tag)
            return
        if tag in ("ol", "ul"):
            start = dict(attributes).get("start") or ""
            self._lists.append((int(start) - 1 if start.isdecimal() else 0) if tag == "ol" else None)
        if tag in _BLOCKS:
            self.pieces.append("\n\n" if tag in _HEADINGS or tag == "p" else "\n")
        if tag in _HEADINGS:
            self.pieces.append("#" * int(tag[1]) + " ")
        if tag == "br":
            self.pieces.append("\n")
        if tag in ("td", "th"):
            self.pieces.append(" ")
        if tag == "li":
            if self._lists and self._lists[-1] is not None:
                self._lists[-1] += 1
                self.pieces.append(f"{self._lists[-1]}. ")
            else:
                self.pieces.append("- ")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in _HIDDEN:  # <script/> hides nothing after it
            self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            if tag == self._hidden[-1]:
                self._hidden.pop()
            return
        if tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        if tag in _BLOCKS:
            self.pieces.append("\n\n" if tag in _HEADINGS or tag == "p" else "\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(re.sub(r"\s+", " ", data))


def html_text(page: str) -> str:
    """The text that a page shows, headings and lists written as in Markdown.

    >>> html_text("<h1>Soup</h1><ol><li>Boil&nbsp;it</ol><script>no()</script>")
    '# Soup\\n\\n1. Boil it'
    """
    parser = _Shown()
    parser.feed(page)
    parser.close()
    lines = "".join(parser.pieces).split("\n")
    text = "\n".join(" ".join(line.split()) for line in lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip()
