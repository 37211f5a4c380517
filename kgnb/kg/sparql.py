"""What kgnb needs to know about a SPARQL query: its form, where its WHERE clause begins, where a
LIMIT goes.

The text is cut into tokens (strings, IRIs and comments are whole tokens), so that a brace inside a
string is not taken for a group. Grammar: SPARQL 1.1 Query Language, section 19.8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal as OneOf
from typing import cast

from kgnb.errors import DataError
from kgnb.kg.prefixes import PREFIXES, shorten
from kgnb.kg.terms import Term, is_iri, n3

Form = OneOf["SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "UPDATE"]

_TOKEN = re.compile(
    r'''(?P<skip>\s+|\#[^\n\r]*)
    |(?P<string>"""(?:(?:"|"")?(?:[^"\\]|\\.))*"""|\'\'\'(?:(?:'|'')?(?:[^'\\]|\\.))*\'\'\'|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*')
    |(?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
    |(?P<variable>[?$]\w+)
    |(?P<number>\d+(?![\w.]))
    |(?P<name>(?:[^\W\d][\w.\-]*)?:(?:(?:[\w:%.\-]|\\.)*(?:[\w:%\-]|\\.))?|@[A-Za-z\-]+|[^\W\d]\w*)
    |(?P<mark>.)''',
    re.VERBOSE | re.DOTALL,
)
_UPDATES = frozenset(
    {"INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH"}
)
_VARIABLE = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a query: its kind (string, iri, variable, number, name, mark), its text and
    where it begins.
    """

    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        """The upper-case keyword this token may be, or "" where it is something else."""
        return self.text.upper() if self.kind == "name" and ":" not in self.text else ""

    def iri(self, prefixes: Mapping[str, str]) -> str:
        """The IRI that it is or, by these prefixes, stands for; "" where it is none."""
        if self.kind == "iri":
            return self.text[1:-1]
        prefix, colon, local = self.text.partition(":")
        known = self.kind == "name" and colon and prefix in prefixes
        return prefixes[prefix] + local if known else ""


def tokens(query: str) -> list[Token]:
    """The tokens of a query, without white space and comments."""
    return list(_cut(query))


@lru_cache(maxsize=64)  # one query is read several times on its way to the store
def _cut(query: str) -> tuple[Token, ...]:
    found = _TOKEN.finditer(query)
    return tuple(
        Token(cast(str, m.lastgroup), m[0], m.start()) for m in found if m.lastgroup != "skip"
    )


def query_form(query: str) -> Form:
    """The form of a query: the first keyword after its prologue. Raises DataError where there is
    none.

    >>> query_form("PREFIX select: <http://example.org/>  # ASK\\nconstruct where { ?s ?p ?o }")
    'CONSTRUCT'
    """
    return _form(_cut(query))[0]


def refuse_update(query: str) -> Form:
    """The form of a query that only reads; raises DataError for an update."""
    form = query_form(query)
    if form == "UPDATE":
        raise DataError(
            "this is an update, and only reading is allowed here",
            where="SPARQL query",
            fix="ask with SELECT, ASK, CONSTRUCT or DESCRIBE; add triples with the graph's add()",
        )
    return form


def expect_form(query: str, *forms: Form) -> Form:
    """The form of a query that must be one of ``forms``; raises DataError where it is another."""
    form = refuse_update(query)
    if form not in forms:
        raise DataError(
            f"a {' or '.join(forms)} query was expected, and this is {form}",
            where="SPARQL query",
            fix="call select() for SELECT, ask() for ASK, construct() for CONSTRUCT and DESCRIBE",
        )
    return form


def expect_update(query: str) -> None:
    """Raise DataError for a text that is not an update."""
    form = query_form(query)
    if form != "UPDATE":
        raise DataError(
            f"this is a {form} query and changes nothing",
            where="SPARQL query",
            fix="run it as a query",
        )


def refuse_load(update: str) -> None:
    """Raise DataError for an update with LOAD: kgnb only fetches what somebody opened by name."""
    if any(token.word == "LOAD" for token in tokens(update)):
        raise DataError(
            "LOAD would fetch a file", where="SPARQL update", fix="download it, then: %kg open FILE"
        )


class _Outline:
    """A query's tokens, its form, and the indexes of the form's keyword and of the brace that opens
    its WHERE group.
    """

    def __init__(self, query: str) -> None:
        self.tokens = _cut(query)
        self.form, self.keyword = _form(self.tokens)
        self.opening = _where(self.tokens, self.form, self.keyword)

    @property
    def head(self) -> tuple[Token, ...]:
        """The form's keyword and what follows it, up to the WHERE group."""
        return self.tokens[self.keyword : self.opening]

    def modifiers(self) -> tuple[Token, ...]:
        """What follows the WHERE group."""
        return (
            () if self.opening is None else self.tokens[_closing(self.tokens, self.opening) + 1 :]
        )

    def values(self, end: int) -> int:
        """Where a VALUES clause after the WHERE group begins; ``end`` where there is none."""
        return next((token.start for token in self.modifiers() if token.word == "VALUES"), end)


def names_its_graphs(query: str) -> bool:
    """Whether a query says with FROM which graphs it asks.

    >>> names_its_graphs("SELECT * FROM <urn:g> { ?s ?p ?o }"), names_its_graphs('ASK { ?s ?p "FROM" }')
    (True, False)
    """
    return any(token.word == "FROM" for token in _Outline(query).head)


def from_graph(query: str, iri: str) -> str:
    """The query, restricted to one named graph; DataError for one that says itself which graphs it
    asks.

    >>> from_graph("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "urn:g")
    'CONSTRUCT { ?s ?p ?o } FROM <urn:g> WHERE { ?s ?p ?o }'
    """
    if not is_iri(iri):
        raise ValueError(f"a named graph has an IRI, and {iri!r} is none")
    outline = _Outline(query)
    if outline.form == "UPDATE" or names_its_graphs(query):
        fix = "Name the graph in the query."
        raise DataError(
            "one named graph can be chosen for a query without FROM", where="SPARQL query", fix=fix
        )
    if outline.opening is None:  # DESCRIBE without a pattern
        return f"{query}\nFROM <{iri}>"
    last = outline.head[-1]
    start = last.start if last.word == "WHERE" else outline.tokens[outline.opening].start
    return f"{query[:start]}FROM <{iri}> {query[start:]}"


def bind(query: str, bindings: Mapping[str, Term] | None) -> str:
    """The query with variables bound by a VALUES clause at the start of its WHERE clause.

    Terms are written by ``n3``, never inserted raw. A blank node has no name in a query text:
    ValueError.

    >>> from kgnb.kg.terms import Literal
    >>> bind("ASK { ?s ?p ?o }", {"o": Literal('} DROP ALL "')})
    'ASK { VALUES (?o) {("} DROP ALL \\\\"")} ?s ?p ?o }'
    """
    if not bindings:
        return query
    for variable in bindings:
        if not _VARIABLE.fullmatch(variable):
            raise ValueError(f"not a variable name: {variable!r}; leave out the question mark")
    written = [n3(term) for term in bindings.values()]
    if any("_:" in text and text.startswith(("_:", "<<(")) for text in written):
        raise ValueError(
            "a blank node cannot be bound by a query text; call this graph's triples() instead"
        )
    values = f"VALUES ({' '.join(f'?{v}' for v in bindings)}) {{({' '.join(written)})}}"
    return put_first(query, values)


def with_prologue(query: str, head: str) -> str:
    """The query with declarations before its own, after Virtuoso's ``define`` lines, which come
    first.

    >>> with_prologue('define input:inference "x" SELECT * { ?s ?p ?o }', "PREFIX a: <urn:a> ")
    'define input:inference "x" PREFIX a: <urn:a> SELECT * { ?s ?p ?o }'
    """
    found = _cut(query)
    index = 0
    while index + 3 < len(found) and found[index].word == "DEFINE":
        index += 3
    start = found[index].start if index else 0
    return query[:start] + head + query[start:]


def put_first(query: str, clause: str) -> str:
    """The query with a clause put at the start of its WHERE group."""
    outline = _Outline(query)
    found, index, opening = outline.tokens, outline.keyword, outline.opening
    if opening is None:  # DESCRIBE ?x without a pattern
        return f"{query}\nWHERE {{ {clause} }}"
    start = found[opening].start + 1
    if outline.form == "CONSTRUCT" and found[index + 1].word in {
        "WHERE",
        "FROM",
    }:  # the short form: triples only
        closing = _closing(found, opening)
        template = query[start : found[closing].start]
        head = query[: found[index].start + len("CONSTRUCT")]
        between = query[len(head) : start]
        return f"{head} {{{template}}}{between} {clause} {template}{query[found[closing].start :]}"
    return f"{query[:start]} {clause}{query[start:]}"


def limited(query: str, limit: int | None) -> str:
    """The SELECT query with ``LIMIT limit``, or its own smaller limit.

    >>> limited("SELECT * { ?s ?p ?o } LIMIT 5", 3), limited("SELECT * { ?s ?p ?o } LIMIT 2", 3)
    ('SELECT * { ?s ?p ?o } LIMIT 3', 'SELECT * { ?s ?p ?o } LIMIT 2')
    """
    if limit is None:
        return query
    check_limit(limit)
    outline = _Outline(query)
    for token, number in pairwise(outline.modifiers()):
        if token.word == "LIMIT" and number.kind == "number":
            own = min(int(number.text), limit)
            return f"{query[: number.start]}{own}{query[number.start + len(number.text) :]}"
    values = outline.values(-1)
    return (
        f"{query}\nLIMIT {limit}"
        if values < 0
        else f"{query[:values]}LIMIT {limit}\n{query[values:]}"
    )


def asked_for_all(query: str) -> list[str]:
    """The variables of a ``SELECT *`` in the order they are written in; none for any other query.

    >>> asked_for_all("SELECT * { ?hut :beds ?n }"), asked_for_all("SELECT ?n { ?hut :beds ?n }")
    (['hut', 'n'], [])
    """
    found = _cut(query)
    form, index = _form(found)
    head = [token.text.upper() for token in found[index + 1 : index + 3]]
    if form != "SELECT" or (
        head[:1] != ["*"] and head[:2] not in (["DISTINCT", "*"], ["REDUCED", "*"])
    ):
        return []
    return list(dict.fromkeys(token.text[1:] for token in found if token.kind == "variable"))


def selected(query: str) -> tuple[str, ...]:
    """The columns that a SELECT query names, in order; none for ``SELECT *``.

    >>> selected("SELECT DISTINCT ?hut (COUNT(?b) AS ?n) { ?hut :beds ?b } GROUP BY ?hut")
    ('hut', 'n')
    """
    depth, names, before = 0, [], ""
    head = _Outline(query).head
    for token in head if head[0].word == "SELECT" else ():  # Stardog's PATHS names no columns
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if token.kind == "variable" and (depth == 0 or (depth == 1 and before == "AS")):
            names.append(token.text[1:])
        before = token.word
    return tuple(dict.fromkeys(names))


def never_bound(query: str) -> list[str]:
    """The variables that a SELECT or CONSTRUCT query returns but that do not occur in its WHERE
    group.

    >>> never_bound("SELECT ?hut ?nam (?a + 1 AS ?b) { ?hut :name ?name ; :age ?a }")
    ['nam']
    """
    outline = _Outline(query)
    if outline.opening is None or outline.form not in ("SELECT", "CONSTRUCT"):
        return []
    given = [
        two.text[1:]
        for one, two in pairwise(outline.head)
        if two.kind == "variable" and one.word != "AS"
    ]
    bound = {
        token.text[1:] for token in outline.tokens[outline.opening :] if token.kind == "variable"
    }
    return [name for name in dict.fromkeys(given) if name not in bound]


def beyond(query: str, rows: int) -> str | None:
    """The SELECT query for the one row after the first ``rows``; None where its own LIMIT is not
    larger.

    >>> beyond("SELECT * { ?s ?p ?o } OFFSET 5", 100).split(), beyond("SELECT * { ?s ?p ?o } LIMIT 100", 100)
    (['SELECT', '*', '{', '?s', '?p', '?o', '}', 'LIMIT', '1', 'OFFSET', '105'], None)
    """
    outline = _Outline(query)
    skipped, cuts = 0, []
    for token, number in pairwise(outline.modifiers()):
        if token.word in ("LIMIT", "OFFSET") and number.kind == "number":
            if token.word == "LIMIT" and int(number.text) <= rows:
                return None
            skipped = int(number.text) if token.word == "OFFSET" else skipped
            cuts.append((token.start, number.start + len(number.text)))
    values = outline.values(len(query))
    text = f"{query[:values]}\nLIMIT 1 OFFSET {skipped + rows}\n{query[values:]}"
    for start, stop in reversed(cuts):  # all of them come before VALUES
        text = text[:start] + text[stop:]
    return text


def check_limit(limit: int | None) -> None:
    """Raise ValueError for a limit that is not a whole number from 0 up."""
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
        raise ValueError(f"limit must be a whole number from 0 up, not {limit!r}")


def undeclared_prefixes(query: str) -> list[str]:
    """The prefixes, with their colon, that a query uses and does not declare.

    >>> undeclared_prefixes("PREFIX a: <urn:a> SELECT * { a:x rdfs:label 'b:c' . _:b a a:y }")
    ['rdfs:']
    """
    found = tokens(query)
    declared = {name.text for word, name in pairwise(found) if word.word == "PREFIX"}
    names = [two for one, two in pairwise([Token("", "", 0), *found]) if one.word != "DEFINE"]
    used = dict.fromkeys(
        t.text.partition(":")[0] + ":" for t in names if t.kind == "name" and ":" in t.text
    )
    return [prefix for prefix in used if prefix not in declared and prefix != "_:"]


def _form(found: Sequence[Token]) -> tuple[Form, int]:
    """The query's form and the index of its keyword, past BASE, PREFIX and VERSION declarations and
    Virtuoso's ``define``; Stardog's PATHS answers with rows, as SELECT does.
    """
    index = 0
    while index < len(found) and found[index].word in {"BASE", "PREFIX", "VERSION", "DEFINE"}:
        index += 3 if found[index].word in {"PREFIX", "DEFINE"} else 2
    word = found[index].word if index < len(found) else ""
    if word == "PATHS":
        return "SELECT", index
    if word in {"SELECT", "ASK", "CONSTRUCT", "DESCRIBE"}:
        return cast(Form, word), index
    if word in _UPDATES:
        return "UPDATE", index
    raise DataError(
        "no SELECT, ASK, CONSTRUCT or DESCRIBE was found"
        + (f" where {found[index].text[:40]!r} stands" if index < len(found) else "")
        if found
        else "the query is empty",
        where="SPARQL query",
        fix="begin the query with one of these words, after any PREFIX lines",
    )


def _where(found: Sequence[Token], form: Form, index: int) -> int | None:
    """The index of the brace that opens the main WHERE group; an EXISTS in a projection has its
    own.
    """
    round_brackets = 0
    position = index + 1
    if form == "CONSTRUCT" and position < len(found) and found[position].text == "{":
        position = _closing(found, position) + 1
    while position < len(found):
        text = found[position].text
        round_brackets += (text == "(") - (text == ")")
        if text == "{" and round_brackets == 0:
            return position
        position += 1
    if form == "DESCRIBE" or found[index].word == "PATHS":
        return None
    raise DataError(
        f"the {form} query has no group in braces", where="SPARQL query", fix="write WHERE { ... }"
    )


def _closing(found: Sequence[Token], opening: int) -> int:
    depth = 0
    for position in range(opening, len(found)):
        depth += (found[position].text == "{") - (found[position].text == "}")
        if depth == 0:
            return position
    raise DataError(
        "a brace is opened and never closed", where="SPARQL query", fix="add the missing }"
    )


def malformed(query: str, line: int, column: int, details: str = "") -> DataError:
    """The error for a query whose parser stopped at a place: the mistake, where it is a common one,
    or its line.
    """
    found = tokens(query)
    offset = sum(len(text) for text in query.splitlines(keepends=True)[: line - 1]) + column - 1
    at, what, fix = _mistake(query, found) or (-1, "", "correct the query at this place")
    if at < 0:
        inside = (
            token.start for token in found if token.start < offset <= token.start + len(token.text)
        )
        at = next(inside, offset)
        near = query[query.rfind("\n", 0, at) + 1 :].partition("\n")[0].strip()[:120]
        what = f"malformed query near: {near or 'the end of the query'}"
    before = query[:at]
    where = f"SPARQL query, line {before.count(chr(10)) + 1}, column {at - before.rfind(chr(10))}"
    return DataError(what, where=where, fix=fix, details=details[:2000])


def _mistake(query: str, found: list[Token]) -> tuple[int, str, str] | None:
    """Where a common mistake begins that parsers overrun, what it is and how to correct it; None
    for any other.
    """
    from pygments.lexers.rdf import SparqlLexer  # 30 ms, for a mistake only
    from pygments.token import Error

    opened: list[Token] = []
    for token, following in zip(found, [*found[1:], None], strict=True):
        if token.kind != "mark":
            continue
        if token.text in "'\"":
            return (
                token.start,
                "a text begins here and is not closed",
                f"Close it with {token.text} on the same line.",
            )
        if token.text in "([{":
            opened.append(token)
        elif token.text in ")]}":
            if not opened:
                return (
                    token.start,
                    f"{token.text} closes nothing",
                    "Take it out, or open the bracket before it.",
                )
            if (begun := opened.pop()).text + token.text not in ("()", "[]", "{}"):
                line = query.count("\n", 0, begun.start) + 1
                return (
                    token.start,
                    f"{token.text} stands where {begun.text} of line {line} is open",
                    "Close that first.",
                )
        elif (
            token.text in "<>=&|!"
            and following
            and (following.word == "AS" or following.text in ")},")
        ):
            return (
                following.start,
                f"nothing stands after {token.text}",
                "Write what it is compared or joined with.",
            )
    wrong = "".join(
        text if kind is Error else " " * len(text)
        for _, kind, text in SparqlLexer().get_tokens_unprocessed(query)
    )
    if bare := next(
        (token for token in found if token.word and wrong.startswith(token.text, token.start)), None
    ):
        fix = f'Write :{bare.text} with its prefix, ?{bare.text} for a variable or "{bare.text}" for a text.'
        return bare.start, f"{bare.text[:80]} is no word of SPARQL and has no prefix", fix
    if opened:
        close = {"(": ")", "[": "]", "{": "}"}[opened[-1].text]
        return (
            opened[-1].start,
            f"{opened[-1].text} is opened here and never closed",
            f"Add the missing {close}.",
        )
    return None


_KNOWN = {namespace: name for name, namespace in PREFIXES.items()}


def laid_out(query: str) -> str:
    """A query formatted for reading and copying: short IRIs with the prefixes above, one pattern
    per line.

    A query with line breaks or prefixes was formatted by its author, and comes back unchanged.

    >>> print(laid_out("ASK { <http://huts.example/id/hochkar> <http://huts.example/network#beds> 64 . }"))
    PREFIX id: <http://huts.example/id/>
    PREFIX network: <http://huts.example/network#>
    ASK {
      id:hochkar network:beds 64 .
    }
    """
    query = query.strip()
    if "\n" in query or declared(query):
        return query
    prefixes: dict[str, str] = {}
    text, depth, ended = "", 0, False
    for token in tokens(query):
        # the point of a number has no space before it
        spaced = token.start > 0 and query[token.start - 1].isspace()
        depth -= token.text == "}"
        begins = ended or token.text == "}"
        text += "\n" + "  " * depth if begins else " " * spaced
        text += _short(token.text[1:-1], prefixes) if token.kind == "iri" else token.text
        depth += token.text == "{"
        ended = token.text == "{" or (token.text == "." and spaced)
    head = [f"PREFIX {name}: <{namespace}>" for namespace, name in sorted(prefixes.items())]
    return "\n".join([*head, text])


def _short(iri: str, prefixes: dict[str, str]) -> str:
    """The IRI with a prefix, a known one or the last word of its namespace, which is added to
    ``prefixes``.
    """
    end = max(iri.rfind("#"), iri.rfind("/")) + 1
    namespace, local = iri[:end], iri[end:]
    words = re.findall(r"[A-Za-z][A-Za-z0-9]*", namespace)
    if not local or not words or shorten(iri, {"x": namespace}) == iri:
        return f"<{iri}>"
    if namespace not in prefixes:
        name = known = _KNOWN.get(namespace, words[-1].lower())
        number = 2
        while name in prefixes.values():
            name, number = f"{known}{number}", number + 1
        prefixes[namespace] = name
    return f"{prefixes[namespace]}:{local}"


def declared(query: str) -> dict[str, str]:
    """The prefixes a query declares."""
    found = tokens(query)
    return {
        name.text[:-1]: iri.text[1:-1]
        for word, name, iri in zip(found, found[1:], found[2:], strict=False)
        if word.word == "PREFIX" and iri.kind == "iri"
    }
