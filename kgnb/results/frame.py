"""The HTML around the rows of a table: name, titles, notes, in inline styles that suit light and dark alike."""

from __future__ import annotations

from collections.abc import Iterable

from kgnb.results.escaping import escaped, one_line

EDGE = "1px solid rgba(128, 128, 128, 0.35)"
ROW = "background-color: transparent"  # JupyterLab stripes rows; ours have edges
_TABLE = "border-collapse: collapse; table-layout: auto; font-size: 13px; margin: 4px 0; border: 0"


def framed(
    caption: str, titles: str, body: str, notes: Iterable[str], rest: tuple[str, str], facts: Iterable[str]
) -> str:
    """Return a table of title cells and body rows, with its caption above and its notes below.

    ``titles`` and ``body`` are HTML; ``rest`` is a word and the rows that are shown on request, as ``facts`` are.
    """
    name = (
        f'<caption style="caption-side: top; text-align: left; font-weight: 600; padding: 0 0 6px 0">'
        f"{escaped(one_line(caption))}</caption>"
        if caption
        else ""
    )
    below, told = (
        "".join(f'<div style="opacity: 0.75; margin: 2px 0">{escaped(line)}</div>' for line in lines)
        for lines in (notes, facts)
    )
    more = _fold(rest[0], f'<table style="{_TABLE}"><tbody>{rest[1]}</tbody></table>') if rest[0] else ""
    below += _fold("In figures", told) if told else ""
    return (
        '<div style="overflow-x: auto; max-width: 100%; font-size: 13px">'
        f'<table style="{_TABLE}">{name}<thead><tr style="{ROW}">{titles}</tr></thead><tbody>{body}</tbody></table>'
        f"{more}{below}</div>"
    )


def _fold(title: str, content: str) -> str:
    return f'<details><summary style="opacity: 0.75; cursor: pointer">{escaped(title)}</summary>{content}</details>'


def whole_line(text: str, columns: int) -> str:
    """Return a row that says one thing across all columns."""
    cell = f'<td colspan="{max(1, columns)}" style="padding: 4px 0; border: 0; text-align: left; opacity: 0.75">'
    return f'<tr style="{ROW}">{cell}{escaped(text)}</td></tr>'
