"""Text from outside (IRIs, literals, model replies, endpoint errors) made safe to show.

Three dangers: markup that runs, links that run, and characters that misrepresent the text
(a right-to-left override reverses ``exe.txt``; a zero-width space makes two labels look equal).
"""

from __future__ import annotations

import html
import re

from kgnb.results.bundle import TEXT_LENGTH

_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")
# C0 and C1 controls but tab and newline; soft hyphen; Arabic letter mark, zero-width space,
# direction marks, embeddings and overrides, isolates, word joiner and invisible operators,
# byte-order mark, interlinear anchors, tag characters, lone surrogates. The joiners U+200C and
# U+200D stay: Persian, Hindi and emoji need them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINK = re.compile(r"(?:https?://[^/\s]|mailto:[^\s])[^\s]*\Z", re.IGNORECASE)


def visible(text: str) -> str:
    r"""Return text with every character that hides or reorders others written out.

    >>> visible("txt\u202eexe")
    'txt⟨U+202E⟩exe'
    """
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", _LINE_ENDS.sub("\n", text))


def one_line(text: str) -> str:
    r"""Return visible text on one line.

    >>> one_line("a hut\n  on a pass")
    'a hut ↵ on a pass'
    """
    return re.sub(r"[ \t]+", " ", re.sub(r"[ \t]*\n\s*", " ↵ ", visible(text).strip()))


def unbroken(text: str) -> str:
    r"""Return visible text without line ends: a file's name may hold some, and forge a line.

    >>> unbroken("a hut\nkgnb: all is well")
    'a hut ↵ kgnb: all is well'
    """
    return visible(text).replace("\n", " ↵ ")


def shortened(text: str, length: int = TEXT_LENGTH) -> str:
    """Return at most ``length`` characters of a text, the cut marked.

    >>> shortened("Hochjoch-Hospiz", 9)
    'Hochjoch…'
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def escaped(text: str) -> str:
    """Return text that is only text in HTML, in an element and in a quoted attribute.

    >>> escaped('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(visible(text), quote=True)


def link_target(iri: str) -> str | None:
    """Return the IRI if it may be a link, or None: only http, https and mailto do, and never with
    hidden characters.

    >>> link_target("https://huts.example.org/Hut"), link_target("javascript:alert(1)")
    ('https://huts.example.org/Hut', None)
    """
    short = len(iri) <= TEXT_LENGTH  # no browser opens a longer one, and no notebook should keep it
    return iri if short and _LINK.match(iri) and visible(iri) == iri else None


def whole(text: str) -> str:
    r"""Return text that can be written as UTF-8 and so saved: a lone surrogate becomes U+FFFD.

    >>> whole("a\ud800b") == "a\ufffdb"
    True
    """
    return _SURROGATE.sub("\ufffd", text)


def kept(text: str, length: int = TEXT_LENGTH) -> str:
    """Return what a bundle keeps of a text: as much as fits, and nothing that cannot be saved."""
    return shortened(whole(text), length)


EDGE = "1px solid rgba(128, 128, 128, 0.35)"
ROW = "background-color: transparent"  # JupyterLab stripes rows; ours have edges


def fold(title: str, content: str) -> str:
    """Content (HTML) behind its title."""
    return f'<details><summary style="opacity: 0.75; cursor: pointer">{escaped(title)}</summary>{content}</details>'
