"""Tab-separated rows as SSSOM means them: quoted where needed (RFC 4180 with tabs), any text survives.

A field that begins with ``=``, ``+``, ``-`` or ``@`` is left as it is, for changing it would change the label: import
the file into a spreadsheet as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgnb.errors import DataError


def line(fields: Iterable[str]) -> str:
    """One row with its line end; a field with a tab, line break or quote is quoted.

    >>> line(["Hut", 'the "old" hut'])
    'Hut\\t"the ""old"" hut"\\n'
    """
    return "\t".join(map(_quoted, fields)) + "\n"


def _quoted(field: str) -> str:
    if any(mark in field for mark in '\t\n\r"'):
        return '"' + field.replace('"', '""') + '"'
    return field


def rows(text: str, where: str, first_line: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of every row; blank lines are skipped.

    A quote inside an unquoted field is an ordinary character; a quoted field that never ends is a DataError.
    """
    position, number, fields = 0, first_line, list[str]()
    started = number
    while position < len(text):
        if text[position] == '"':
            field, position = _quoted_field(text, position, f"{where}:{number}")
            number += field.count("\n")
        else:
            field = ""
        end = min((found for mark in "\t\n" if (found := text.find(mark, position)) >= 0), default=len(text))
        field += text[position:end]
        at_line_end = end >= len(text) or text[end] == "\n"
        fields.append(field.removesuffix("\r") if at_line_end and end > position else field)
        position = end + 1
        if at_line_end:
            if fields != [""]:
                yield started, fields
            number, fields = number + 1, []
            started = number
    if fields:  # the text ended in a tab
        yield started, [*fields, ""]


def _quoted_field(text: str, opening: int, where: str) -> tuple[str, int]:
    parts, position = [], opening + 1
    while True:
        closing = text.find('"', position)
        if closing < 0:
            raise DataError("a quoted field never ends", where=where, fix='Close the quote, or double it as in "".')
        parts.append(text[position:closing])
        if text[closing + 1 : closing + 2] != '"':
            return "".join(parts), closing + 1
        parts.append('"')
        position = closing + 2
