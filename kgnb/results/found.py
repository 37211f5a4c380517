"""Results of a SPARQL query: rows as a table, triples as a picture, yes or no, or the effect of an
update.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kgnb.kg.graph import Solutions
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.prefixes import shorten
from kgnb.kg.result_files import frame_of, python_value, save_rows, save_triples
from kgnb.kg.schema import Names
from kgnb.kg.terms import RDF, Iri, Literal, Term, Triple, TripleTerm, is_iri, n3
from kgnb.results import cells
from kgnb.results.bundle import JSON_ROWS, Bundled, count
from kgnb.results.cells import Kind, LabelledIri, Value
from kgnb.results.escaping import escaped, one_line, shortened
from kgnb.results.graph import Edge, GraphPicture, Node
from kgnb.results.interchange import network_of, rdflib_of
from kgnb.results.table import Column, Table
from kgnb.results.wording import short_iri, term_text

if TYPE_CHECKING:
    import networkx
    import pandas
    import rdflib

_TYPE = Iri(f"{RDF}type")
PICTURED = 2000  # triples of which a picture is made; all of them stay in ``triples``


@dataclass(frozen=True, repr=False)
class Rows(Table):
    """The rows of a SELECT query: ``solutions`` keeps the terms as received, ``df()`` returns typed
    values.
    """

    solutions: Solutions = field(default=Solutions((), ()), kw_only=True)

    def __len__(self) -> int:
        return len(self.solutions)

    @property
    def terms(self) -> tuple[tuple[Term | None, ...], ...]:
        """The RDF terms, row by row; None where a variable is unbound."""
        return self.solutions.rows

    def df(self) -> pandas.DataFrame:
        """A typed data frame: numbers, booleans and dates as such, IRIs and other text as strings."""
        frame: pandas.DataFrame = frame_of(self.solutions)
        return frame

    def picture(self) -> GraphPicture:
        """The rows as lines between what their first two columns of IRIs name, labelled by a third.

        Raises:
            ValueError: there are no two columns of IRIs.
        """
        ends = [
            at
            for at in range(len(self.columns))
            if any(isinstance(row[at], LabelledIri) for row in self._cells)
        ]
        if len(ends) < 2:
            raise ValueError("a picture needs two columns of IRIs")
        source, target, *middle = ends if len(ends) == 2 else (ends[0], ends[2], ends[1])
        title = " – ".join(self.columns[at].title for at in ends[:3])
        nodes: dict[str, Node] = {}
        edges = dict[Edge, None]()
        for row in self._cells[:PICTURED]:
            one, other = row[source], row[target]
            if isinstance(one, LabelledIri) and isinstance(other, LabelledIri):
                for end, at in ((one, source), (other, target)):
                    nodes.setdefault(end.iri, Node(end.iri, end.label, self.columns[at].title))
                label = cells.as_text(row[middle[0]], "text") if middle else ""
                edges[Edge(one.iri, other.iri, label)] = None
        return GraphPicture(tuple(nodes.values()), tuple(edges), title)

    def save(self, path: str | Path) -> Path:
        """Write all rows to a file: .csv, .tsv, .json or .parquet, by its ending."""
        return save_rows(self.solutions, path)

    def __repr__(self) -> str:
        return f"<Rows: {count(len(self.solutions), 'row')}, {', '.join(self.solutions.variables)}>"


@dataclass(frozen=True, repr=False)
class Triples(GraphPicture):
    """The triples of a CONSTRUCT or DESCRIBE query, with a picture of them."""

    triples: tuple[Triple, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict, compare=False)
    labels: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        return len(self.triples)

    def table(self) -> Table:
        """Every triple as a row: subject, predicate, object."""
        columns = [Column(name, name) for name in ("subject", "predicate", "object")]
        shown = [tuple(self._cell(term) for term in triple) for triple in self.triples[:JSON_ROWS]]
        return Table(columns, shown, caption=self.title, total=len(self.triples))

    def df(self) -> pandas.DataFrame:
        """All triples as a data frame of text: subject, predicate, object."""
        import pandas

        written = [
            [str(term) if isinstance(term, Iri) else _plain(term) for term in triple]
            for triple in self.triples
        ]
        return pandas.DataFrame(
            written, columns=["subject", "predicate", "object"]
        ).convert_dtypes()

    def save(self, path: str | Path) -> Path:
        """Write the triples to a file: .ttl, .nt or .jsonld, by its ending."""
        return save_triples(
            self.triples, path, {name: iri for name, iri in self.prefixes.items() if is_iri(iri)}
        )

    def graph(self, name: str = "") -> OxigraphGraph:
        """These triples as a graph that can be queried."""
        made = OxigraphGraph(name=name or self.title or "triples")
        made.add(self.triples)
        made.prefixes = tuple(sorted(self.prefixes.items()))
        return made

    def rdflib(self) -> rdflib.Graph:
        """These triples as an rdflib graph; ValueError for a triple term, which rdflib does not
        support.
        """
        return rdflib_of(self.triples, self.prefixes)

    def networkx(self) -> networkx.MultiDiGraph:
        """These triples as a networkx graph."""
        return network_of(self.triples, self.labels)

    def _cell(self, term: Term) -> Value:
        written = (
            self.labels.get(term) or shorten(term, self.prefixes) if isinstance(term, Iri) else ""
        )
        return (
            LabelledIri(term, written if written != term else short_iri(term))
            if isinstance(term, Iri)
            else term
        )

    def __repr__(self) -> str:
        return f"<Triples: {count(len(self.triples), 'triple')}>"


@dataclass(frozen=True)
class YesNo(Bundled):
    """The answer of an ASK query; true and false in Python as well."""

    answer: bool

    def __bool__(self) -> bool:
        return self.answer

    def text(self) -> str:
        """Yes or no."""
        return "yes" if self.answer else "no"

    def html(self) -> str:
        """The same."""
        return f"<b>{self}</b>"

    def __repr__(self) -> str:
        return self.text()


@dataclass(frozen=True)
class GraphUpdate(Bundled):
    """An update and the number of triples before and after it; None where they were not counted."""

    graph: str
    before: int | None = None
    after: int | None = None

    def text(self) -> str:
        """The graph, and how many triples came or went."""
        graph = shortened(one_line(self.graph), 200)
        if self.before is None or self.after is None:
            return f"{graph}: the update was carried out"
        return f"{graph}: {self.before:,} triples before, {self.after:,} now ({self.after - self.before:+,})"

    def html(self) -> str:
        """The same."""
        return f"<div>{escaped(str(self))}</div>"

    def __repr__(self) -> str:
        return self.text()


def rows_of(
    solutions: Solutions,
    short: Callable[[str], str],
    notes: tuple[str, ...] = (),
    labels: Mapping[str, str] | None = None,
) -> Rows:
    """The rows as a table; an IRI is shown by its label, else as ``short`` writes it with the
    prefixes in scope.
    """
    known = labels or {}

    def cell(term: Term | None) -> Value:
        return LabelledIri(term, known.get(term) or short(term)) if isinstance(term, Iri) else term

    columns, shown = [], []
    for at, name in enumerate(solutions.variables):
        terms = [
            row[at] for row in solutions.rows[:JSON_ROWS]
        ]  # no form shows more; ``solutions`` has them all
        numbers = [_number(term) for term in terms]
        numeric = numbers.count(None) == terms.count(None) < len(terms)
        # Small whole numbers, years among them, are not grouped; a fraction makes a number large.
        small = all(abs(one) + 1e9 * (one % 1) < 10_000 for one in numbers if one is not None)
        kind: Kind = "text" if not numeric else "digits" if small else "number"
        columns.append(Column(name, name, kind))
        shown.append(numbers if numeric else [cell(term) for term in terms])
    rows = list(zip(*shown, strict=True)) or [()] * len(solutions.rows[:JSON_ROWS])
    return Rows(columns, rows, notes=notes, solutions=solutions, total=len(solutions))


def triples_of(
    triples: tuple[Triple, ...],
    short: Callable[[str], str],
    names: Names | None = None,
    prefixes: Mapping[str, str] | None = None,
) -> Triples:
    """The triples with their picture; a node is coloured by its type, where the triples or the
    graph state it.
    """
    known = names.labels if names else {}
    kinds: dict[Term, str] = {}
    for subject, predicate, value in triples:
        if predicate == _TYPE and isinstance(value, Iri):
            kinds.setdefault(subject, known.get(value) or short(value))
    in_triples = set(kinds)
    for thing, kind in (names.types if names else {}).items():
        kinds.setdefault(Iri(thing), known.get(kind) or short(kind))

    def name(term: Term) -> str:
        if isinstance(term, Iri):
            return known.get(term) or short(term)
        if isinstance(term, TripleTerm):
            return f"<<( {name(term.subject)} {name(term.predicate)} {name(term.object)} )>>"
        return term.text if isinstance(term, Literal) else term_text(term)

    shown = [
        triple for triple in triples if triple[1] != _TYPE or triple[0] not in in_triples
    ] or list(triples)
    notes = (
        ()
        if len(shown) <= PICTURED
        else (f"The picture is of the first {PICTURED:,} of {len(shown):,} triples.",)
    )
    drawn = GraphPicture.of(shown[:PICTURED], name=name, kind=lambda term: kinds.get(term, ""))
    title = count(len(triples), "triple")
    return Triples(
        drawn.nodes,
        drawn.edges,
        title,
        notes,
        triples=triples,
        prefixes=dict(prefixes or {}),
        labels=known,
    )


def _plain(term: Term) -> str:
    if isinstance(term, Literal):
        return term.text
    try:
        return n3(term)
    except ValueError:  # a service sent a term that is not valid RDF
        return term_text(term)


def _number(term: Term | None) -> int | float | None:
    """The number of a literal that is valid for its numeric datatype."""
    value = python_value(term)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
