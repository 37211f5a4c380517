"""OxigraphGraph: the embedded store, in memory or in a folder."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TypeVar, cast

import pyoxigraph as ox

from kgnb.errors import BackendError, DataError
from kgnb.kg.engine_query import BEYOND, LONG_NUMBER, Beyond, for_engine
from kgnb.kg.graph import Bindings, Mended, Solutions, distinct, too_slow
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.sparql import (
    bind,
    check_limit,
    expect_form,
    expect_update,
    malformed,
    names_its_graphs,
    put_first,
    query_form,
    refuse_load,
)
from kgnb.kg.terms import (
    RDF,
    SKOS,
    XSD,
    Blank,
    Iri,
    Literal,
    Node,
    Term,
    Triple,
    TripleTerm,
    triple_key,
)

OxTerm = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

SKOSXL = PREFIXES["skosxl"]
_PLAIN = frozenset({f"{XSD}string", f"{RDF}langString", f"{RDF}dirLangString"})


@lru_cache(20_000)
def to_oxigraph(term: Term) -> OxTerm:
    """The pyoxigraph term; raises ValueError for an IRI or a language tag that RDF does not allow."""
    if isinstance(term, Iri):
        return ox.NamedNode(str(term))
    if isinstance(term, Blank):
        return ox.BlankNode(term.label)
    if isinstance(term, TripleTerm):
        return ox.Triple(*triple_to_oxigraph((term.subject, term.predicate, term.object)))
    if not isinstance(term, Literal):
        raise TypeError(f"not an RDF term: {term!r}; make it an Iri, Blank, Literal or TripleTerm")
    if term.language is not None:
        language, _, direction = term.language.partition("--")
        if direction:
            return ox.Literal(term.text, language=language, direction=ox.BaseDirection(direction))
        return ox.Literal(term.text, language=language)
    return ox.Literal(term.text, datatype=ox.NamedNode(term.datatype) if term.datatype else None)


def from_oxigraph(term: OxTerm) -> Term:
    """Our term for pyoxigraph's; ``xsd:string`` is written as no datatype."""
    if isinstance(term, ox.NamedNode):
        return Iri(term.value)
    if isinstance(term, ox.Literal):
        language = term.language
        if language is not None:
            direction = term.direction
            return Literal(term.value, f"{language}--{direction}" if direction else language)
        datatype = term.datatype.value
        return Literal(term.value, None, None if datatype in _PLAIN else datatype)
    if isinstance(term, ox.BlankNode):
        return Blank(term.value)
    return TripleTerm(*triple_from_oxigraph(term))


def triple_to_oxigraph(triple: Triple) -> tuple[ox.NamedNode | ox.BlankNode, ox.NamedNode, OxTerm]:
    """The three pyoxigraph terms; raises TypeError where a term is not allowed at its place."""
    subject, predicate, value = (to_oxigraph(term) for term in triple)
    if not isinstance(subject, ox.NamedNode | ox.BlankNode) or not isinstance(
        predicate, ox.NamedNode
    ):
        raise TypeError(
            f"the subject of a triple is an IRI or a blank node and its predicate an IRI: {triple!r}"
        )
    return subject, predicate, value


def triple_from_oxigraph(triple: ox.Triple | ox.Quad) -> Triple:
    """Our triple for pyoxigraph's triple or quad (without its graph)."""
    subject = triple.subject
    if isinstance(subject, ox.Triple):
        raise TypeError("RDF 1.2 allows a triple term as an object only")
    return (
        Iri(subject.value) if isinstance(subject, ox.NamedNode) else Blank(subject.value),
        Iri(triple.predicate.value),
        from_oxigraph(triple.object),
    )


_Item = TypeVar("_Item")
_AT = re.compile(r"^error at (\d+):(\d+): (.*)", re.DOTALL)


class OxigraphGraph:
    """A graph in an embedded Oxigraph store; queries see the default graph and all named graphs as
    one.

    Every answer is read to its end in the thread that asked, because an open pyoxigraph iterator
    that another thread touches aborts the process. ``timeout`` is checked between rows; a step that
    yields no row (a large ORDER BY or COUNT) cannot be interrupted.

    >>> from kgnb.kg.terms import Iri, Literal
    >>> graph = OxigraphGraph()
    >>> graph.add([(Iri("http://example.org/hut"), Iri("http://example.org/name"), Literal("Hut", "en"))])
    >>> graph.select("SELECT ?name { ?hut ?p ?name }", bindings={"hut": Iri("http://example.org/hut")}).rows
    ((Literal(text='Hut', language='en', datatype=None),),)
    """

    def __init__(
        self, folder: str | Path | None = None, *, read_only: bool = False, name: str = ""
    ) -> None:
        """Open a store in memory, or in ``folder`` (created if missing, unless ``read_only``)."""
        self._name = name or (str(folder) if folder is not None else "memory")
        self._read_only = read_only
        self._store: ox.Store | None = _open(folder, read_only)
        self.in_folder = folder is not None
        self.version = 0
        """Grows with every change: what was derived from the triples holds for one version."""
        self._counted: tuple[ox.Store, int, int] | None = None  # store, version, triples
        self.mended: tuple[Mended, ...] = ()
        """What loading files into it had to repair."""
        self.prefixes: tuple[tuple[str, str], ...] = ()
        """The prefixes those files declare."""
        self.beyond: tuple[Beyond, ...] = ()
        """The properties with numbers that the engine cannot compute with."""

    def __repr__(self) -> str:
        return f"OxigraphGraph({self._name!r}{', read_only=True' if self._read_only else ''})"

    def __enter__(self) -> OxigraphGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """Its given name, else its folder, else "memory"."""
        return self._name

    def select(
        self,
        query: str,
        *,
        bindings: Bindings = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Solutions:
        """The solutions of a SELECT query, at most ``limit`` rows."""
        check_limit(limit)
        expect_form(query, "SELECT")
        found = cast(ox.QuerySolutions, self._query(query, bindings))
        variables = tuple(variable.value for variable in found.variables)
        wanted = found if limit is None else islice(found, limit + 1)
        rows = [
            # a list first: a generator for every row takes longer
            tuple([None if term is None else from_oxigraph(term) for term in solution])
            for solution in self._within(timeout, wanted)
        ]
        return Solutions(
            variables, tuple(rows[:limit]), truncated=limit is not None and len(rows) > limit
        )

    def ask(self, query: str, *, bindings: Bindings = None, timeout: float | None = None) -> bool:
        """The answer of an ASK query."""
        expect_form(query, "ASK")
        return bool(self._query(query, bindings))

    def construct(
        self,
        query: str,
        *,
        bindings: Bindings = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query, sorted."""
        expect_form(query, "CONSTRUCT", "DESCRIBE")
        found = cast(ox.QueryTriples, self._query(query, bindings))
        triples = map(triple_from_oxigraph, self._within(timeout, found))
        return sorted(distinct(triples, limit), key=triple_key)

    def triples(
        self,
        subject: Node | None = None,
        predicate: Iri | None = None,
        object: Term | None = None,
        *,
        limit: int | None = None,
    ) -> list[Triple]:
        """The triples that match, each once, sorted (with a limit: those the store finds first,
        sorted).
        """
        check_limit(limit)
        s, p, o = (
            None if term is None else to_oxigraph(term) for term in (subject, predicate, object)
        )
        quads = self.store.quads_for_pattern(s, p, o, None)  # type: ignore[arg-type]  # s and p are typed above
        return sorted(distinct(map(triple_from_oxigraph, quads), limit), key=triple_key)

    def add(self, triples: Iterable[Triple]) -> None:
        """Add triples to the default graph, all or none."""
        added = list(triples)
        self.add_quads(ox.Quad(*triple_to_oxigraph(triple)) for triple in added)
        if any(isinstance(o, Literal) and LONG_NUMBER.search(o.text) for _, _, o in added):
            self.count_beyond()

    def add_quads(self, quads: Iterable[ox.Quad], *, parts: bool = False) -> None:
        """Add pyoxigraph quads, all or none: for the file reader (``kgnb.kg.loading``).

        ``parts``: those of a source that cannot fail any more, added 50,000 at a time where the
        store is in memory: the engine keeps what is added at once a second time until it is done.
        """
        self._refuse_reading_only()
        iterator = iter(quads)
        with self._failing("be written"):
            while parts and not self.in_folder and (part := list(islice(iterator, 50_000))):
                self.store.extend(part)
            self.store.extend(iterator)
        self.version += 1

    def update(self, text: str, *, timeout: float | None = None) -> None:
        """Run a SPARQL update, all of it or none; it cannot be interrupted, so ``timeout`` is
        ignored.

        ``LOAD`` is refused: nothing is fetched.
        """
        expect_update(text)
        self._refuse_reading_only()
        refuse_load(text)
        with self._failing("be changed", text):
            self.store.update(text)
        self.version += 1
        if LONG_NUMBER.search(text) or self.beyond:
            self.count_beyond()

    def count(self) -> int:
        """How many triples there are; one that is in two graphs counts twice."""
        store, version = self.store, self.version
        if self._counted is None or self._counted[0] is not store or self._counted[1] != version:
            self._counted = store, version, len(store)  # the engine counts them one by one
        return self._counted[2]

    def count_beyond(self) -> None:
        """Look for numbers that the engine cannot compute with; after something was added that may
        hold such.
        """
        rows = self.select(BEYOND).rows
        self.beyond = tuple(
            Beyond(str(p), int(n.text), example.text if isinstance(example, Literal) else "")
            for p, n, example in rows
            if isinstance(n, Literal)
        )

    def add_plain_labels(self) -> int:
        """Give what has SKOS-XL labels the plain ones that follow from them (SKOS Reference, S55 to
        S57), so that every reader of labels finds them; how many were added.
        """
        quads = []
        for kind in ("prefLabel", "altLabel", "hiddenLabel"):
            plain = ox.NamedNode(f"{SKOS}{kind}")
            asked = f"""SELECT DISTINCT ?s ?l {{ ?s <{SKOSXL}{kind}>/<{SKOSXL}literalForm> ?l
                FILTER NOT EXISTS {{ ?s {plain} ?l }} }}"""
            rows = self.store.query(asked, use_default_graph_as_union=True)
            quads += [ox.Quad(row["s"], plain, row["l"]) for row in rows]  # type: ignore[union-attr]
        if quads:
            self.add_quads(quads)
        return len(quads)

    def load_strictly(self, data: bytes, form: ox.RdfFormat) -> None:
        """Let the engine load a sound file, all or nothing; raises its SyntaxError or ValueError."""
        self._refuse_reading_only()
        self.store.load(data, format=form)
        self.version += 1

    def serialized(
        self,
        query: str,
        form: ox.QueryResultsFormat | ox.RdfFormat,
        bindings: Bindings = None,
        limit: int | None = None,
    ) -> bytes:
        """The answer of a query as the engine writes it, far faster than as terms; of triples at
        most ``limit``.
        """
        found = cast("ox.QuerySolutions | ox.QueryTriples", self._query(query, bindings))
        with self._failing("answer"):
            if isinstance(found, ox.QueryTriples) and limit is not None:
                return ox.serialize(distinct(found, limit), format=form) or b""  # type: ignore[arg-type]
            return found.serialize(format=form) or b""  # type: ignore[arg-type]

    def dump(self) -> bytes:
        """The whole store as N-Quads, lines sorted, so that equal stores give equal bytes."""
        written = self.store.dump(format=ox.RdfFormat.N_QUADS) or b""
        return b"".join(sorted(written.splitlines(keepends=True)))

    def close(self) -> None:
        """Flush a store on disk and release its files."""
        if self._store is not None and self.in_folder and not self._read_only:
            self._store.flush()
        self._store = None

    @property
    def store(self) -> ox.Store:
        """The pyoxigraph store, for the other modules of ``kgnb.kg``."""
        if self._store is None:
            raise ValueError(f"the graph {self._name} is closed")
        return self._store

    def _refuse_reading_only(self) -> None:
        if self._read_only:
            raise BackendError(
                "this store was opened for reading only",
                service=self._name,
                fix="open it without read_only=True to change it",
            )

    def _query(self, query: str, bindings: Bindings) -> object:
        """The engine's answer; blank nodes are bound by a function call, since no query text can
        name them.
        """
        blanks = {name: term for name, term in (bindings or {}).items() if isinstance(term, Blank)}
        text = bind(
            for_engine(query),
            {name: term for name, term in (bindings or {}).items() if name not in blanks},
        )
        functions: dict[ox.NamedNode, Callable[..., OxTerm | None]] = {}
        for name, term in blanks.items():
            function = ox.NamedNode(f"urn:kgnb:blank:{name}")
            functions[function] = partial(ox.BlankNode, term.label)
            text = put_first(text, f"BIND({function}() AS ?{name})")
        everything = not names_its_graphs(query)  # FROM is honoured only without the union
        with self._failing("answer", text):
            return self.store.query(
                text, use_default_graph_as_union=everything, custom_functions=functions
            )

    def _within(self, timeout: float | None, items: Iterable[_Item]) -> Iterator[_Item]:
        """The items, until the time is over; the engine works on each as it is taken."""
        end = None if timeout is None else time.monotonic() + timeout
        with self._failing("answer"):
            for item in items:
                if end is not None and time.monotonic() > end:
                    raise too_slow(self._name, timeout)
                yield item

    @contextmanager
    def _failing(self, what: str, text: str = "") -> Iterator[None]:
        """Says of the engine's errors which graph could not do what, and where the text is wrong."""
        try:
            yield
        except SyntaxError as error:
            raise _malformed(error, text) from error
        except (OSError, RuntimeError) as error:
            raise BackendError(
                f"the store could not {what}: {error}", service=self._name
            ) from error


def _open(folder: str | Path | None, read_only: bool) -> ox.Store:
    if folder is None:
        if read_only:
            raise ValueError(
                "a store in memory starts empty, so it cannot be read-only; give a folder"
            )
        return ox.Store()
    path = Path(folder)
    if path.is_file():
        raise DataError(
            "this is a file, and a store is a folder",
            where=path,
            fix="open a store in memory and load() the file into it",
        )
    if read_only and not (path / "CURRENT").exists():
        raise DataError(
            "there is no store in this folder",
            where=path,
            fix="open it once without read_only=True",
        )
    try:
        return ox.Store.read_only(str(path)) if read_only else ox.Store(str(path))
    except OSError as error:
        busy = "lock" in str(error).lower()
        raise BackendError(
            f"the store in {path} could not be opened: {error}",
            service=str(path),
            fix="another process or notebook has it open: close that one, or open with read_only=True"
            if busy
            else "check that the folder holds an Oxigraph store and may be written",
        ) from error


def _malformed(error: SyntaxError, query: str) -> DataError:
    """The engine's complaint with its place."""
    match = _AT.match(str(error))
    if match is None:
        return DataError(str(error)[:300], where="SPARQL query", fix="correct the query")
    # A parser that fails goes back to where a triple or a group began, so the farther place is
    # closer to the mistake.
    place = max(_place(query) or (1, 1), _within(query, int(match[1]), int(match[2])))
    return malformed(query, *place, details=match[3])


def _within(query: str, line: int, column: int) -> tuple[int, int]:
    """The engine's place; a place behind the end of the query says nothing."""
    return (line, column) if line <= len(query.splitlines()) else (1, 1)


def _place(query: str) -> tuple[int, int] | None:
    """Line and column where rdflib's parser fails: pyoxigraph often says no more than "at the end"."""
    # its grammar takes a quarter of a second, and only a query that is refused needs it
    from pyparsing import ParseBaseException
    from rdflib.plugins.sparql.parser import parseQuery, parseUpdate
    from rdflib.plugins.sparql.sparql import SPARQLError

    for parse in (parseQuery, parseUpdate):
        try:
            parse(query)
        except ParseBaseException as error:
            if parse is parseUpdate or query_form(query) != "UPDATE":
                return error.lineno, error.column
        except (SPARQLError, DataError, ValueError, RecursionError):
            return None
    return None
