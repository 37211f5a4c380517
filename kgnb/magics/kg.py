"""``%kg``: open graphs, name them and look into them."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgnb.backends import URL, open_endpoint, open_graph
from kgnb.datasets.huts import FILES as HUTS
from kgnb.errors import BackendError, DataError, KgnbError, nearest
from kgnb.kg.endpoint_graph import is_rdflib, is_wrapper
from kgnb.kg.graph import Graph, Mended
from kgnb.kg.ontology import Ontology
from kgnb.kg.prefixes import PREFIXES, shorten
from kgnb.kg.query_process import endable
from kgnb.kg.schema import Schema, SchemaTerm, names_of, read_schema
from kgnb.kg.terms import OWL, RDFS, Iri, Literal, is_iri, local_name, n3
from kgnb.kg.vocabulary import BUILT_IN, KINDS, META_TYPES, TOPS
from kgnb.magics.arguments import Number, argument
from kgnb.magics.progress import interruptible
from kgnb.magics.session import NamedGraph, Session, is_remote, milliseconds
from kgnb.magics.verbs import Verb, VerbMagics, verb
from kgnb.results.bundle import TABLE_MIME, Bundled, Json, count
from kgnb.results.found import Triples
from kgnb.results.graph import Edge, GraphPicture, Node
from kgnb.results.table import Table, TableRows, Value, numbers, texts
from kgnb.settings import Endpoint, Settings, found_config, trust_config
from kgnb.tasks.asking import graph_digests

COUNTED = {
    "class": "classes",
    "object property": "object properties",
    "datatype property": "datatype properties",
    "annotation property": "annotation properties",
}
LANGUAGES_LISTED, LABELS_LOOKED_AT, NAMED = 20, 10_000, 5
# What has no language is a group as well: to leave it out here takes the engine a third more.
_LANGUAGES = """SELECT ?language (COUNT(*) AS ?count) WHERE { ?s ?p ?o }
GROUP BY (LANG(?o) AS ?language) ORDER BY DESC(?count) ?language"""
_OF_SOME = f"""SELECT ?language (COUNT(*) AS ?count)
WHERE {{ {{ SELECT (LANG(?o) AS ?language) WHERE {{ ?s <{RDFS}label> ?o }} LIMIT {LABELS_LOOKED_AT} }}
FILTER(?language != "") }} GROUP BY ?language ORDER BY DESC(?count) ?language"""

_KINDS_IN_USE = "SELECT DISTINCT ?t { ?s a ?t FILTER(isIRI(?t)) }"
_DECLARED = "SELECT ?t (COUNT(DISTINCT ?s) AS ?n) {{ VALUES ?t {{ {kinds} }} ?s a ?t FILTER(isIRI(?s)) }} GROUP BY ?t"
LARGE = 100_000  # triples from which on the engine counts what is declared, and no label is read

Link = tuple[str, str, str, int]  # class, property, class, how often


def info_table(
    graph: Graph,
    schema: Schema,
    ontology: Ontology | None,
    title: str,
    timeout: float,
    mended: Sequence[Mended],
) -> Table:
    """Triples, classes, properties, individuals, languages, named graphs, prefixes, and what was
    repaired.

    Without an ontology the graph is on a server: its triples are not counted, its languages are
    those of some labels, and only classes and properties found within the time limit are listed.
    """
    notes = list(schema.notes)
    rows: TableRows = [
        [
            "triples",
            None if ontology is None else graph.count(),
            "not counted" if ontology is None else "",
        ]
    ]
    declared = bool(ontology and len(ontology))
    if ontology is not None and declared:
        for kind in COUNTED:
            found = ontology.of_kind(kind)  # type: ignore[arg-type]  # COUNTED holds kinds
            names = _labels(graph, [entity.iri for entity in found], timeout)
            rows.append([COUNTED[kind], len(found), _some(names)])
        rows.append(_individuals(graph, timeout, notes))
    elif ontology is not None and (counted := _declared(graph, timeout)):
        declared = True
        rows += [*counted, _individuals(graph, timeout, notes)]
    else:
        rows += [_named("classes", schema.classes), _named("properties", schema.properties)]
    for what, terms in (("classes", schema.classes), ("properties", schema.properties)):
        in_use = [one for one in terms if one.count]
        if declared and in_use:
            rows.append(_named(f"{what} in use", in_use))
    rows.append(["named graphs", len(schema.graphs), _some(schema.graphs)])
    rows += _languages(graph, ontology is None, timeout, notes)
    prefixes = dict(getattr(graph, "prefixes", ())) or (dict(ontology.prefixes) if ontology else {})
    rows += [[f"prefix {prefix}:", None, namespace] for prefix, namespace in prefixes.items()]
    rows += [[f"repaired: {one.kind}", one.count, f"first {one.example}"] for one in mended]
    rows += [
        [f"numbers beyond the engine: {shorten(one.predicate, prefixes)}", one.count, one.example]
        for one in getattr(graph, "beyond", ())
    ]
    columns = texts(what="what") + numbers(count="count") + texts(which="which")
    return Table(columns, rows, caption=title, notes=notes)


def _individuals(graph: Graph, timeout: float, notes: list[str]) -> list[Value]:
    """How many things have a type that is no part of an ontology language, and some of their names.

    They are counted by the engine: a graph may have a hundred thousand.
    """
    try:
        kinds = [str(row[0]) for row in graph.select(_KINDS_IN_USE, timeout=timeout)]
        own = [
            kind
            for kind in kinds
            if not kind.startswith(BUILT_IN) or kind == f"{OWL}NamedIndividual" or kind in TOPS
        ]
        meta = [kind for kind in kinds if kind in META_TYPES]
        things = f"VALUES ?t {{ {_written(own)} }} ?s a ?t FILTER(isIRI(?s))"
        if meta:  # a class may have a class of its own
            things += (
                f" FILTER NOT EXISTS {{ ?s a ?kind FILTER(?kind IN ({_written(meta, ', ')})) }}"
            )
        (number,) = graph.select(
            f"SELECT (COUNT(DISTINCT ?s) AS ?n) {{ {things} }}", timeout=timeout
        ).rows[0]
        some = graph.select(f"SELECT DISTINCT ?s {{ {things} }}", limit=NAMED + 1, timeout=timeout)
    except (BackendError, DataError) as error:
        notes.append(f"individuals: {error.what}")
        return ["individuals", None, "not counted"]
    names = _labels(graph, [str(row[0]) for row in some], timeout)
    return ["individuals", int(getattr(number, "text", "0")), _some(names)]


def _written(iris: Sequence[str], between: str = " ") -> str:
    return between.join(n3(Iri(iri)) for iri in iris if is_iri(iri))


def _declared(graph: Graph, timeout: float) -> TableRows:
    """How many classes and properties a large graph declares; none where it declares none."""
    asked = _DECLARED.format(kinds=_written(sorted(KINDS)))
    counts: Counter[str] = Counter()
    for kind, number in graph.select(asked, timeout=timeout):
        counts[KINDS[str(kind)]] += int(getattr(number, "text", "0"))
    return [[COUNTED[kind], counts[kind], ""] for kind in COUNTED if counts[kind]]


def _languages(graph: Graph, remote: bool, timeout: float, notes: list[str]) -> TableRows:
    try:
        found = graph.select(
            _OF_SOME if remote else _LANGUAGES, limit=LANGUAGES_LISTED + 2, timeout=timeout
        )
    except (BackendError, DataError) as error:
        notes.append(f"languages: {error.what}")
        return []
    if remote and len(found):
        notes.append(f"Languages of the first {LABELS_LOOKED_AT:,} labels.")
    cells = [[cell.text if isinstance(cell, Literal) else "" for cell in row] for row in found]
    return [
        [f"texts in {language}", int(number) if number.isdecimal() else None, ""]
        for language, number in [cell for cell in cells if cell[0]][:LANGUAGES_LISTED]
    ]


def _named(what: str, found: Sequence[SchemaTerm]) -> list[Value]:
    ranked = sorted(found, key=lambda one: (-one.count, one.name))
    names = [f"{one.name} ({one.count:,})" if one.count else one.name for one in ranked]
    return [what, len(found), _some(names)]


def _labels(graph: Graph, iris: Sequence[str], timeout: float) -> list[str]:
    """What the first things are called, as many as are shown and one more."""
    first = iris[: NAMED + 1]
    labels = names_of(graph, first, timeout=timeout).labels
    return [labels.get(iri) or local_name(iri) for iri in first]


def _some(names: Sequence[str], most: int = NAMED) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def picture_of_schema(schema: Schema, name: str, most: int = 40) -> GraphPicture:
    """The ``most`` central classes and the edges between them; a class weighs more the more
    instances it has.

    A class is central if it has many instances, direct or of subclasses, then many subclasses, then
    many properties. A property is drawn once, between the most specific classes it was found with.
    """
    narrower: defaultdict[str, list[str]] = defaultdict(list)
    for iri, broader in schema.above:
        narrower[broader].append(iri)
    below = {one.iri: _descendants(one.iri, narrower) for one in schema.classes}
    things = {one.iri: one.count for one in schema.classes}
    joins = Counter(end for a, _, b, _ in schema.links for end in {a, b})
    reach = {
        one: sum(things.get(kind, 0) for kind in {one, *kinds}) for one, kinds in below.items()
    }

    def central(one: SchemaTerm) -> tuple[int, int, int, str]:
        return (-reach[one.iri], -len(below[one.iri]), -joins[one.iri], one.iri)

    ranked = sorted(schema.classes, key=central)[:most]
    names = {one.iri: one.name for one in (*schema.classes, *schema.properties)}
    shown = {one.iri for one in ranked}
    nodes = [
        Node(
            one.iri,
            one.name,
            "class in use" if one.count else "class",
            count(one.count, "instance") if one.count else "",
            weight=1.0 + one.count,
        )
        for one in ranked
    ]
    edges = [
        Edge(a, b, names.get(p, p))
        for a, p, b, _ in _special(schema.links, things)
        if a in shown and b in shown
    ]
    edges += [
        Edge(a, b, "is a", emphasis=True) for a, b in schema.above if a in shown and b in shown
    ]
    left_out = len(schema.classes) - len(ranked)
    more = f"{count(left_out, 'more class', 'more classes')} not drawn: --classes {len(schema.classes)}"
    notes = [more] if left_out else []
    if not edges and schema.properties:  # a table: its columns
        notes.append(f"Properties: {_some([one.name for one in schema.properties], most)}")
    return GraphPicture(nodes, edges, f"The schema of {name}", (*notes, *schema.notes))


def _descendants(iri: str, narrower: Mapping[str, Sequence[str]]) -> set[str]:
    found: set[str] = set()
    todo = [iri]
    while todo:
        fresh = set(narrower.get(todo.pop(), ())) - found
        found |= fresh
        todo += fresh
    return found - {iri}


def _special(links: Sequence[Link], things: dict[str, int]) -> list[Link]:
    """Of links that count the same triples, those of the smallest classes, and any of a class that
    would have none.
    """
    sizes = {link: things.get(link[0], 0) + things.get(link[2], 0) for link in links if link[3]}
    least: dict[tuple[str, int], int] = {}
    for (_, p, _, n), size in sizes.items():
        least[p, n] = min(size, least.get((p, n), size))
    small = {link for link, size in sizes.items() if size == least[link[1], link[3]]}
    joined = {end for a, _, b, _ in small for end in (a, b)}
    kept = [link for link in sizes if link in small or not joined.issuperset((link[0], link[2]))]
    drawn = {link[:3] for link in kept}
    return [*kept, *(link for link in links if not link[3] and link[:3] not in drawn)]


PATIENCE = 10.0  # seconds a health check waits for each graph


@dataclass(frozen=True)
class Opened(Bundled):
    """What ``%kg open`` returns: the graph, and what was read and repaired."""

    name: str
    graph: Graph
    triples: int | None  # None for a service, where counting may take long
    mended: tuple[Mended, ...] = ()
    mime = TABLE_MIME

    def text(self) -> str:
        """The same in one line."""
        repaired = ", ".join(f"{one.kind}: {one.count:,}" for one in self.mended)
        size = "connected" if self.triples is None else count(self.triples, "triple")
        beyond = sum(one.count for one in getattr(self.graph, "beyond", ()))
        return (
            f"{self.name}: {size}"
            + (f"; repaired {repaired}" if repaired else "")
            + (f"; numbers beyond the engine: {beyond:,} (%kg info says which)" if beyond else "")
        )

    def __repr__(self) -> str:
        return self.text()

    def table(self) -> Table:
        """The number of triples, and what was repaired how often."""
        known = self.triples is not None
        rows: TableRows = [["triples", self.triples] if known else ["connected", None]]
        rows += [[f"repaired: {one.kind}", one.count] for one in self.mended]
        rows += [
            [f"numbers beyond the engine: {one.predicate}", one.count]
            for one in getattr(self.graph, "beyond", ())
        ]
        columns = texts(what="what") + numbers(count="count")
        notes = () if known else ("The triples of a service are not counted: that may take long.",)
        return Table(columns, rows, caption=self.name, notes=notes)

    def json(self) -> Json:
        """The table for the extension."""
        return self.table().json()

    def html(self) -> str:
        """The table."""
        return self.table().html()


_GRAPH_NAME = argument(
    "name", metavar="NAME", nargs="?", default="", help="an open graph [the current one]"
)


def _time_limit(seconds: float) -> Any:
    return argument(
        "--timeout",
        metavar="SECONDS",
        type=Number(float, 0.001, None),
        default=seconds,
        help=f"per query [{seconds:g}]",
    )


class KgMagics(VerbMagics, magic="kg"):
    """Open graphs, name them and look into them."""

    @verb(
        "kg open", "%kg open huts.ttl --as huts", '%kg open "my data/*.ttl" more.rdf.gz --as both'
    )
    @argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="RDF or CSV files, folders, globs, an endpoint's URL, huts:alpine",
    )
    @argument(
        "--as", dest="name", metavar="NAME", default="", help="its name [that of the first file]"
    )
    def open(self, arguments: argparse.Namespace) -> Opened:
        """Open files, folders or an endpoint as one graph, and make it the current one."""
        files = arguments.files
        written = [file for file in files if isinstance(file, str | Path)]
        if len(files) > 1 and len(written) < len(files):
            raise ValueError(
                "a Python value cannot be combined with files: %kg open {{name}} --as NAME"
            )
        mine = (
            name
            for name, value in self.shell.user_ns.items()
            if value is files[0] and not name.startswith("_")
        )
        name = arguments.name or default_name(files[0] if written else next(mine, ""))
        try:
            graph = open_graph(files[0] if len(files) == 1 else files)
        except (DataError, ValueError) as error:
            raise self._meant(written, error) from error
        except TypeError as error:
            raise ValueError(
                f"a value of type {type(files[0]).__name__} is not a graph: {error}"
            ) from error
        named = NamedGraph(name, graph, ", ".join(map(str, written)) or "the notebook")
        size = None if is_remote(named) else graph.count()
        if is_remote(named):
            self._greet(graph)
        elif written:
            named.digests = graph_digests(files, graph)
            named.version = getattr(graph, "version", 0)
        take(self.session, named)
        return Opened(name, graph, size, mended(graph))

    def _meant(
        self, files: Sequence[str | Path], error: DataError | ValueError
    ) -> DataError | ValueError:
        """The error, with a suggestion: a variable that holds a graph, or a similar name."""
        for file in map(str, files):
            if Path(file).exists():
                continue
            held = self.shell.user_ns.get(file)
            if is_rdflib(held) or isinstance(held, Triples | Graph):
                return DataError(
                    f"there is no such file, but the variable {file} holds a graph",
                    where=file,
                    fix=f"Did you mean %kg open {{{{{file}}}}} --as {file}?",
                )
            if meant := nearest(file, self._names_beside(file)):
                return DataError("there is no such file", where=file, fix=meant)
        return error

    def _names_beside(self, file: str) -> list[str]:
        """The files in the folder of a missing one, and our own data sets."""
        parent = Path(file).parent
        beside = sorted(parent.iterdir())[:10_000] if parent.is_dir() else []
        return [*(map(str, beside)), *(f"huts:{name}" for name in HUTS)]

    @verb(
        "kg connect",
        "%kg connect https://query.wikidata.org/sparql",
        "%kg connect ours --auth env:TOKEN",
        "%kg connect {{wrapper}} --as ours",
    )
    @argument(
        "name",
        metavar="URL|NAME",
        help="its URL, a SPARQLWrapper as {{name}}, or the name of an [endpoints.NAME] in kgnb.toml",
    )
    @argument("--as", dest="called", metavar="NAME", default="", help="its name [that of its host]")
    @argument("--url", metavar="URL", default="", help="the URL of its SPARQL queries")
    @argument(
        "--update-url",
        metavar="URL",
        default="",
        help="the URL of its updates, for %%%%sparql --update",
    )
    @argument(
        "--user",
        metavar="USER",
        default="",
        help="the user, for a service that needs a user and password",
    )
    @argument(
        "--auth",
        metavar="env:NAME",
        default="",
        help="the environment variable with its token or password",
    )
    @argument(
        "--header",
        metavar="NAME=env:VAR",
        action="append",
        default=[],
        help="a header of every request, such as an API key, from an environment variable",
    )
    @argument("--graph", metavar="IRI", default="", help="use only this named graph of it")
    @argument(
        "--timeout",
        metavar="SECONDS",
        type=Number(float, 0.001, None),
        default=None,
        help="per query [60]",
    )
    @argument(
        "--one-graph",
        action="store_true",
        help="its default graph holds everything (Virtuoso, Wikidata)",
    )
    def connect(self, arguments: argparse.Namespace) -> Opened:
        """Connect to a SPARQL endpoint, check that it answers, and make it the current graph."""
        if is_wrapper(arguments.name):
            return self._wrapped(arguments)
        endpoint = self._endpoint(arguments)
        if arguments.called:
            endpoint = endpoint.with_(name=arguments.called)
        graph = open_endpoint(endpoint)
        self._greet(graph)
        take(self.session, NamedGraph(endpoint.name, graph, endpoint.url))
        return Opened(endpoint.name, graph, None)

    def _wrapped(self, arguments: argparse.Namespace) -> Opened:
        """A SPARQLWrapper, asked with its own settings."""
        options = ("url", "update_url", "user", "auth", "header", "graph", "timeout")
        given = [name for name in options if getattr(arguments, name)]
        if given:
            raise ValueError(
                f"--{given[0].replace('_', '-')} is a setting of the SPARQLWrapper itself: set it there"
            )
        graph = open_graph(arguments.name)
        name = arguments.called or default_name(graph.name)
        self._greet(graph)
        take(self.session, NamedGraph(name, graph, graph.name))
        return Opened(name, graph, None)

    def _endpoint(self, arguments: argparse.Namespace) -> Endpoint:
        """Its description in the settings, overridden by the options of the line."""
        known = {endpoint.name: endpoint for endpoint in self.session.settings.endpoints}
        given = {
            name: value
            for name in ("url", "update_url", "user", "auth", "graph", "timeout")
            if (value := getattr(arguments, name))
        }
        if arguments.header:
            given["headers"] = json.dumps(dict(map(_header, arguments.header)))
        if not isinstance(arguments.name, str):
            raise ValueError(
                f"a {type(arguments.name).__name__} is no endpoint: give its URL, its name or a "
                "SPARQLWrapper"
            )
        if URL.match(arguments.name) and "url" not in given:
            arguments.name, given["url"] = default_name(arguments.name), arguments.name
        if arguments.one_graph:
            given["named_graphs"] = False
        if arguments.name not in known and "url" not in given:
            others = f"It has {', '.join(known)}. " if known else ""
            raise DataError(
                f"kgnb.toml does not describe an endpoint called {arguments.name}",
                fix=f"{others}Give its URL: %kg connect {arguments.name} --url https://...",
            )
        return known.get(arguments.name, Endpoint(name=arguments.name, url="")).with_(**given)

    def _greet(self, graph: Graph) -> None:
        """Checks that a service answers, and prints how fast."""
        print(f"{graph.name} answered in {interruptible(lambda: milliseconds(graph))} ms")

    @verb("kg prefix", "%kg prefix", "%kg prefix huts http://huts.example/id/")
    @argument("prefix", metavar="PREFIX", nargs="?", default="", help="a short name [show all]")
    @argument("iri", metavar="IRI", nargs="?", default="", help="its namespace")
    def prefix(self, arguments: argparse.Namespace) -> Table:
        """Set a prefix for all queries of this notebook, or show all prefixes."""
        name = arguments.prefix.rstrip(":")
        if arguments.iri:
            if not is_iri(arguments.iri):
                raise ValueError(f"{arguments.iri!r} is not an absolute IRI")
            if not re.fullmatch(r"([^\W\d][\w.-]*)?", name):
                raise ValueError(f"{name!r} is not a valid prefix")
            self.session.prefixes[name] = arguments.iri
        elif name:
            raise ValueError(f"give the IRI of {name}: as well")
        rows: TableRows = [
            [f"{one}:", iri, "this notebook"] for one, iri in self.session.prefixes.items()
        ]
        if self.session.current:
            graph = self.session.graph()
            of_graph = dict(getattr(graph.graph, "prefixes", ()))
            rows += [
                [f"{one}:", iri, graph.name]
                for one, iri in of_graph.items()
                if one not in self.session.prefixes
            ]
        note = f"And {len(PREFIXES)} well-known ones, such as rdfs: and skos:."
        columns = texts(prefix="prefix", iri="namespace", origin="declared in")
        return Table(columns, rows, caption="Prefixes", notes=[note])

    @verb("kg schema", "%kg schema", "%kg schema huts --classes 20")
    @_GRAPH_NAME
    @argument(
        "--classes",
        metavar="N",
        type=Number(int, 1, 300),
        default=40,
        help="most classes to draw [40]",
    )
    @_time_limit(20.0)
    def schema(self, arguments: argparse.Namespace) -> GraphPicture:
        """Draw the classes of a graph and the properties between them."""
        named = self.session.graph(arguments.name)
        found = interruptible(lambda: read_schema(endable(named.graph), timeout=arguments.timeout))
        return picture_of_schema(found, named.name, arguments.classes)

    @verb("kg list", "%kg list", "%kg list --check")
    @argument("--check", action="store_true", help="check whether each answers, and how fast")
    def list(self, arguments: argparse.Namespace) -> Table:
        """Show the open graphs and mark the current one. Triples of a service are not counted: that
        may take long.
        """
        columns = (
            texts(name="name", current="current")
            + numbers(triples="triples")
            + texts(origin="opened from")
        )
        columns += texts(health="health") if arguments.check else ()
        rows: TableRows = []
        for one in self.session.graphs.values():
            size = None if is_remote(one) else one.graph.count()
            rows.append(
                [one.name, "yes" if one.name == self.session.current else "", size, one.origin]
            )
            rows[-1] += [health(one.graph)] if arguments.check else []
        notes = [] if rows else ["Open one: %kg open FILE --as NAME"]
        waiting = [
            one.name
            for one in self.session.settings.endpoints
            if one.name not in self.session.graphs
        ]
        notes += (
            [f"Also in kgnb.toml: {', '.join(waiting)}. To use one: %kg connect {waiting[0]}"]
            if waiting
            else []
        )
        return Table(columns, rows, caption="Open graphs", notes=notes)

    @verb("kg trust", "%kg trust", "%kg trust ../kgnb.toml")
    @argument("file", metavar="FILE", nargs="?", default="", help="a settings file [the one found]")
    def trust(self, arguments: argparse.Namespace) -> None:
        """Let a settings file that was found count from now on, until it changes, and read it."""
        path = Path(arguments.file).expanduser() if arguments.file else found_config()
        if path is None:
            raise DataError(
                "there is no kgnb.toml in this folder or a parent", fix="Name the file."
            )
        print(f"trusted: {path.resolve()}")
        for line in trust_config(path):
            print(f"  {line}")
        self.session.settings = Settings.load()

    @verb("kg use", "%kg use huts")
    @argument("name", metavar="NAME", help="an open graph")
    def use(self, arguments: argparse.Namespace) -> None:
        """Make a graph the current one."""
        self.session.current = self.session.graph(arguments.name).name
        print(f"current graph: {self.session.current}")

    @verb("kg info", "%kg info", "%kg info huts")
    @_GRAPH_NAME
    @_time_limit(10.0)
    def info(self, arguments: argparse.Namespace) -> Table:
        """Count a graph's triples, classes, properties, individuals, languages, named graphs and
        prefixes.

        A service is only sent bounded queries; a note says what it did not answer in time.
        """
        named = self.session.graph(arguments.name)
        return interruptible(lambda: self._info(named, arguments.timeout))

    def _info(self, named: NamedGraph, timeout: float) -> Table:
        schema = read_schema(endable(named.graph), timeout=timeout, links=False)
        title = f"{named.name} ({named.origin})"
        if is_remote(named):
            return info_table(named.graph, schema, None, title, timeout, ())
        try:
            large = named.graph.count() >= LARGE
            ontology = None if large else self.session.ontology(named.name)
        except DataError:
            ontology = None
        ontology = ontology or Ontology(named.name, "", "", ())
        return info_table(
            endable(named.graph),
            schema,
            ontology,
            title,
            timeout,
            ontology.mended or mended(named.graph),
        )

    @verb("kg close", "%kg close huts")
    @_GRAPH_NAME
    def close(self, arguments: argparse.Namespace) -> None:
        """Close a graph; its files are not changed."""
        named = self.session.graph(arguments.name)
        named.graph.close()
        del self.session.graphs[named.name]
        if self.session.current == named.name:
            self.session.current = next(reversed(self.session.graphs), "")
        print(
            f"closed {named.name}"
            + (f"; current graph: {self.session.current}" if self.session.current else "")
        )

    def suggestions(self, name: str) -> Sequence[str]:
        """Names of open graphs; our own data sets to open."""
        return (
            tuple(self.session.graphs)
            if name == "name"
            else [f"huts:{one}" for one in HUTS]
            if name == "files"
            else ()
        )

    def current(self, method: Verb) -> dict[str, object]:
        """A form starts from the current graph."""
        return {"name": self.session.current} if method.verb in ("use", "info", "close") else {}


def _header(word: str) -> tuple[str, str]:
    """The name of a header and the handle of its value; the value itself is never on the line, for
    a notebook keeps it.
    """
    name, equals, handle = word.partition("=")
    if not (equals and name and re.match(r"(env|keyring):", handle)):
        raise ValueError(
            f"--header takes NAME=env:VAR, a header and the variable with its value, not {name}=..."
        )
    return name, handle


def default_name(source: str | Path) -> str:
    """A short name for a source: its file's stem, its data set's name, or its host.

    >>> default_name("data/huts/alpine.ttl.gz"), default_name("huts:alpine"), default_name("https://x.example/sparql")
    ('alpine', 'alpine', 'x.example')
    """
    text = str(source)
    if re.match(r"https?://", text):
        return text.split("/")[2]
    last = Path(text.partition(":")[2] if re.match(r"[a-z]{2,}:", text) else text).name
    return re.sub(r"[^\w-]+", "-", last.split(".")[0]).strip("-") or "graph"


def take(session: Session, named: NamedGraph) -> None:
    """Registers a graph under its name and makes it the current one."""
    before = session.graphs.pop(named.name, None)
    if before is not None and before.graph is not named.graph:
        before.graph.close()
        if before.origin != named.origin:
            print(f"{named.name} was open already; the name now refers to {named.origin}")
    session.graphs[named.name] = named
    session.current = named.name


def mended(graph: Graph) -> tuple[Mended, ...]:
    """What loading repaired in a graph."""
    return tuple(getattr(graph, "mended", ()))


def health(graph: Graph) -> str:
    """How fast a graph answers, or why it does not."""
    try:
        return f"answers in {interruptible(lambda: milliseconds(graph, PATIENCE), timeout=PATIENCE)} ms"
    except KgnbError as error:
        return error.what
