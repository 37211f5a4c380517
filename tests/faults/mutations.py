# ruff: noqa: E501
"""Valid files with something wrong in them: bytes cut out, doubled or overwritten, JSON with values
of another kind.
"""

import copy
import json
from typing import Any

from hypothesis import strategies as some

ODD = [
    None,
    True,
    False,
    0,
    -1,
    1e400,
    float("nan"),
    10**30,
    -0.5,
    "",
    " ",
    "\x00",
    "\ud800",
    "\u202e",
    "a" * 10_000,
    "../../x",
    "http://[",
    "<script>",
    "=1+1",
    "1e400",
    "nan",
    "env:HOME",
    [],
    [[]],
    {},
    [None],
    {"": None},
    {"a": {"a": []}},
]
TOKENS = [
    b"",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n\n",
    b"\t",
    b"\t\t",
    b'"',
    b"'",
    b"\\",
    b"\\u0000",
    b"\xed\xa0\x80",
    b"<",
    b">",
    b"&",
    b"&x;",
    b"<!--",
    b"]]>",
    b"<?xml?>",
    b"{",
    b"}",
    b"[" * 5_000,
    b"{" * 200,
    b"]",
    b",",
    b":",
    b"#",
    b"%",
    b"nan",
    b"Infinity",
    b"1e999",
    b"9" * 400,
    b"-",
    b"null",
    b"true",
    b"http://[",
    b"a:b:c",
    b"../",
    "ü\u202e".encode(),
]


@some.composite
def broken(draw: some.DrawFn, content: bytes) -> bytes:
    """The bytes with up to four pieces of them replaced, doubled or taken out."""
    for _ in range(draw(some.integers(1, 4))):
        begin = draw(some.integers(0, len(content)))
        end = min(len(content), begin + draw(some.sampled_from([0, 0, 1, 2, 9, 80, 10**9])))
        piece = draw(some.sampled_from([*TOKENS, content[begin:end] * 2]) | some.binary(max_size=6))
        content = content[:begin] + piece + content[end:]
    return content


@some.composite
def odd(draw: some.DrawFn, value: Any) -> Any:
    """A JSON value with up to three of its parts replaced by values of another kind, or taken out."""
    value = copy.deepcopy(value)
    for _ in range(draw(some.integers(1, 3))):
        places = list(_places(value))
        if not places:
            return draw(some.sampled_from(ODD))
        owner, key = draw(some.sampled_from(places))
        deed = draw(some.sampled_from(["replace", "replace", "drop", "nest", "rename"]))
        if deed == "replace":
            owner[key] = copy.deepcopy(draw(some.sampled_from(ODD)))
        elif deed == "drop":
            del owner[key]
        elif deed == "nest":
            owner[key] = [owner[key]]
        elif isinstance(owner, dict):
            owner[draw(some.sampled_from(["", "\x00", "x" * 300, "a:b"]))] = owner.pop(key)
    return value


def _places(value: Any) -> Any:
    for key in (
        list(value)
        if isinstance(value, dict)
        else range(len(value))
        if isinstance(value, list)
        else ()
    ):
        yield value, key
        yield from _places(value[key])


@some.composite
def odd_lines(draw: some.DrawFn, content: bytes) -> bytes:
    """JSON Lines, or one JSON text, of whose values some are odd."""
    text = content.decode()
    try:
        return json.dumps(draw(odd([json.loads(text)])) or [None])[1:-1].encode()
    except ValueError:
        lines = [line for line in text.split("\n") if line]
    at = draw(some.integers(0, len(lines) - 1))
    changed = draw(odd([json.loads(lines[at])]))
    lines[at] = json.dumps(changed[0] if isinstance(changed, list) and changed else changed)
    return "\n".join([*lines, ""]).encode()
