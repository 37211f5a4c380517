"""A graph as a picture: drawn by the extension, as an image in HTML, or as lines of text.

The layout is computed here with a fixed seed and kept in the result, so live, saved and printed
pictures agree. What the picture shows is also listed below it, for keyboards and screen readers.
"""

from __future__ import annotations

import heapq
import urllib.parse
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kgnb.kg.terms import Blank, Iri, Term, Triple
from kgnb.results import graph_svg
from kgnb.results.bundle import GRAPH_MIME, Bundled, Json, count
from kgnb.results.cells import LabelledIri, Value
from kgnb.results.escaping import escaped, fold, kept, link_target, one_line, shortened
from kgnb.results.graph_svg import Arrow, Drawing, Spot, lay_out
from kgnb.results.table import Column, Table
from kgnb.results.wording import short_iri, term_text

if TYPE_CHECKING:
    import pandas

MOST = 300  # nodes drawn one by one: more is a smear, and a picture that makes a notebook heavy
MOST_BEYOND = 2000  # more nodes that are sent along and drawn when their neighbours are opened
HTML_LINES, TEXT_LINES = 60, 40
_NAME = 200  # characters of a name or note that are kept
_VALUE, _OTHER = (
    "value",
    "other",
)  # the kind of a literal; what the legend calls kinds that are rare, or none
_NOTHING = '<div style="opacity: 0.75">Nothing to draw.</div>'


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its id (an IRI, any text), its name, its kind (a colour), a note, whether it stands
    out.
    """

    id: str
    label: str
    kind: str = ""
    note: str = ""
    weight: float = 1.0  # the heavier stay when there are too many
    emphasis: bool = False
    more: int = 0  # how many others it stands for


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from one node to another, with its name."""

    source: str
    target: str
    label: str = ""
    emphasis: bool = False


@dataclass(frozen=True, repr=False)
class GraphPicture(Bundled):
    """Nodes and the lines between them. An end of a line that is not among the nodes is drawn under
    its id.

    Above 300 nodes, those with a single line are grouped by kind, then the lightest are left out;
    ``notes`` says so, and ``table()`` and ``df()`` hold them all.

    >>> huts = GraphPicture([Node("a", "Hochkarhaus", "hut")], [Edge("a", "b", "has warden")])
    >>> print(huts)
    Hochkarhaus -- has warden --> b

    Raises:
        ValueError: two nodes share an id.
    """

    nodes: Sequence[Node]
    edges: Sequence[Edge] = ()
    title: str = ""
    notes: Sequence[str] = ()
    places: Sequence[
        tuple[float, float]
    ] = ()  # the middle of each node in pixels; () to have them laid out
    mime = GRAPH_MIME

    def __post_init__(self) -> None:
        nodes = {node.id: node for node in self.nodes}
        if len(nodes) < len(self.nodes):
            twice = Counter(node.id for node in self.nodes).most_common(1)[0][0]
            raise ValueError(f"two nodes have the id {twice!r}")
        for edge in self.edges:
            for end in (edge.source, edge.target):
                nodes.setdefault(end, Node(end, short_iri(end)))
        object.__setattr__(self, "nodes", tuple(nodes.values()))
        object.__setattr__(self, "edges", tuple(self.edges))
        object.__setattr__(self, "notes", tuple(self.notes))

    @classmethod
    def of(
        cls,
        triples: Iterable[Triple],
        *,
        name: Callable[[Term], str] | None = None,
        kind: Callable[[Term], str] | None = None,
        emphasis: Collection[Triple] = (),
        title: str = "",
        notes: Sequence[str] = (),
    ) -> GraphPicture:
        """The picture of some triples; each statement about a literal gets a node of its own.

        ``name`` says how a term reads (short forms of IRIs by default), ``kind`` what colours it.
        """
        named = name or term_text
        nodes: dict[str, Node] = {}
        edges: list[Edge] = []
        marked = set(emphasis)
        for number, triple in enumerate(triples):
            ends = []
            for term in (triple[0], triple[2]):
                resource = isinstance(term, Iri | Blank)
                key = term_text(term) if not isinstance(term, Iri) else str(term)
                key = key if resource else f"{shortened(key, _NAME)} #{number}"
                if key not in nodes:
                    own = kind(term) if kind else ""
                    nodes[key] = Node(key, named(term), own or ("" if resource else _VALUE))
                if triple in marked:
                    nodes[key] = replace(nodes[key], emphasis=True)
                ends.append(key)
            edges.append(Edge(ends[0], ends[1], named(triple[1]), emphasis=triple in marked))
        return cls(tuple(nodes.values()), tuple(edges), title, notes)

    def __repr__(self) -> str:
        return f"<GraphPicture: {count(len(self.nodes), 'node')}, {count(len(self.edges), 'line')}>"

    def table(self) -> Table:
        """Every line as a row: from, name, to."""
        names = self._names
        columns = [
            Column("source", "From", "iri"),
            Column("label", "Line"),
            Column("target", "To", "iri"),
        ]
        rows: list[list[Value]] = [
            [
                LabelledIri(edge.source, names[edge.source]),
                edge.label,
                LabelledIri(edge.target, names[edge.target]),
            ]
            for edge in self.edges
        ]
        return Table(columns, rows, caption=self.title)

    def df(self) -> pandas.DataFrame:
        """The lines as a data frame: source, label, target."""
        return self.table().df()

    def json(self) -> Json:
        """What the extension draws (``GraphData`` in ``graph-data.ts``): positions in pixels, lines
        by position.
        """
        drawn, drawing = self._drawn, self._drawing
        nodes = [
            [_kept(node.id), _kept(node.label), self._at(node), x, y]
            + (
                [_kept(node.note), int(node.emphasis), node.more]
                if node.note or node.emphasis or node.more
                else []
            )
            for node, (x, y) in zip(drawn.nodes, drawing.places.tolist(), strict=True)
        ]
        at = {node.id: position for position, node in enumerate(drawn.nodes)}
        edges = [
            [at[edge.source], at[edge.target], _kept(edge.label), *([1] if edge.emphasis else [])]
            for edge in drawn.edges
        ]
        return {
            "version": 1,
            "title": _kept(self.title),
            "size": list(drawing.size),
            "kinds": [_kept(kind) for kind in self._legend],
            "fills": list(self._legend.values()),
            "nodes": nodes,
            "edges": edges,
            "beyond": self._beyond(),
            "notes": [_kept(note) for note in self._drawn.notes],
        }

    def _beyond(self) -> Json:
        """Nodes that are not drawn at first: the extension draws them when a neighbour is opened."""
        shown = [node.id for node in self._drawn.nodes]
        there = set(shown)
        rest = [node for node in self.nodes if node.id not in there][:MOST_BEYOND]
        at = {key: position for position, key in enumerate([*shown, *(node.id for node in rest)])}
        new = {node.id for node in rest}
        edges = [
            edge
            for edge in self.edges
            if edge.source in at and edge.target in at and {edge.source, edge.target} & new
        ]
        return {
            "nodes": [[_kept(node.id), _kept(node.label), self._at(node)] for node in rest],
            "edges": [[at[edge.source], at[edge.target], _kept(edge.label)] for edge in edges],
        }

    def svg(self) -> str:
        """The picture as SVG, the same bytes for the same graph."""
        return self._drawing.svg()

    def html(self) -> str:
        """The picture as an image, and its lines behind a fold below it."""
        drawn, drawing = self._drawn, self._drawing
        source = urllib.parse.quote(self.svg(), safe=" ='/:;,.()-!*+?@_~")
        says = one_line(
            f"{_kept(self.title) or 'A graph'}: {count(len(drawn.nodes), 'node')}, {count(len(drawn.edges), 'line')}; "
            "the list below names them"
        )
        title = f'<div style="font-weight: 600; padding: 0 0 6px 0">{escaped(one_line(_kept(self.title)))}</div>'
        left = count(drawing.unnamed, "line") if drawing.unnamed else ""
        told = [*drawn.notes, *([f"{left} without room for a name: see the list."] if left else [])]
        notes = "".join(
            f'<div style="opacity: 0.75; margin: 2px 0">{escaped(_kept(note))}</div>'
            for note in told
        )
        if not drawn.nodes:
            return f'<div style="font-size: 13px">{title if self.title else ""}{notes or _NOTHING}</div>'
        return (
            f'<div style="font-size: 13px; overflow-x: auto; max-width: 100%">{title if self.title else ""}'
            f'<img alt="{escaped(says)}" width="{drawing.size[0]}" style="max-width: 100%; height: auto" '
            f'src="data:image/svg+xml,{source}">{notes}'
            f"{fold('The same as a list', self._list())}</div>"
        )

    def text(self) -> str:
        """One line of text for each line of the picture, then the nodes without a line."""
        drawn, names = self._drawn, self._names
        lines = [one_line(_kept(self.title)), ""] if self.title else []
        for edge in drawn.edges[:TEXT_LINES]:
            way = f"-- {shortened(one_line(edge.label), 60)} -->" if edge.label else "-->"
            ends = [shortened(one_line(names[end]), 60) for end in (edge.source, edge.target)]
            lines.append(f"{ends[0]} {way} {ends[1]}")
        if len(drawn.edges) > TEXT_LINES:
            lines.append(f"... and {len(drawn.edges) - TEXT_LINES:,} more")
        joined = {end for edge in drawn.edges for end in (edge.source, edge.target)}
        alone = [
            shortened(one_line(node.label), 60) for node in drawn.nodes if node.id not in joined
        ]
        if alone:
            more = f", and {len(alone) - TEXT_LINES} more" if len(alone) > TEXT_LINES else ""
            lines.append(f"by themselves: {', '.join(alone[:TEXT_LINES])}{more}")
        if not drawn.nodes:
            lines.append("(an empty graph)")
        return "\n".join([*lines, *(one_line(_kept(note)) for note in drawn.notes)])

    def _list(self) -> str:
        drawn, names = self._drawn, self._names
        shown = "".join(
            f"<div>{_linked(edge.source, names)} — {escaped(graph_svg.cut(edge.label))} → "
            f"{_linked(edge.target, names)}</div>"
            for edge in drawn.edges[:HTML_LINES]
        )
        left = len(drawn.edges) - HTML_LINES
        return shown + (f"<div>and {left:,} more</div>" if left > 0 else "")

    # ------------------------------------------------------------------------------------------
    # what is drawn

    @cached_property
    def _names(self) -> dict[str, str]:
        return {
            node.id: node.label or short_iri(node.id) for node in (*self.nodes, *self._drawn.nodes)
        }

    @cached_property
    def _drawn(self) -> GraphPicture:
        """This graph, or a reduced one when there is too much to draw."""
        return self if self.places or len(self.nodes) <= MOST else _fewer(self)

    @cached_property
    def _legend(self) -> dict[str, int]:
        """The kinds, the commonest first, and their colours; then the colours of all others and of
        values.
        """
        kinds = Counter(node.kind for node in self.nodes)
        ordered = sorted(kinds.keys() - {"", _VALUE}, key=lambda kind: (-kinds[kind], kind))[
            : graph_svg.OTHER
        ]
        others = kinds.keys() - {*ordered, _VALUE} and len(kinds) > 1
        return (
            {kind: at for at, kind in enumerate(ordered)}
            | ({_OTHER: graph_svg.OTHER} if others else {})
            | ({_VALUE: graph_svg.VALUE} if _VALUE in kinds else {})
        )

    def _at(self, node: Node) -> int:
        """The position of a node's kind in the legend; -1 where there is no legend."""
        kinds = list(self._legend)
        return kinds.index(node.kind if node.kind in kinds else _OTHER) if kinds else -1

    @cached_property
    def _drawing(self) -> Drawing:
        nodes, legend = self._drawn.nodes, self._legend
        spots = [
            Spot(
                graph_svg.cut_node(self._names[n.id]),
                legend.get(n.kind, graph_svg.OTHER),
                n.emphasis,
                n.more > 0,
            )
            for n in nodes
        ]
        at = {node.id: position for position, node in enumerate(nodes)}
        pairs: dict[tuple[int, int], list[Edge]] = {}
        for edge in self._drawn.edges:
            pairs.setdefault((at[edge.source], at[edge.target]), []).append(edge)
        arrows = []
        for (source, target), edges in pairs.items():
            names = list(dict.fromkeys(edge.label for edge in edges if edge.label))
            said = ", ".join(names[:2]) + (f" +{len(names) - 2}" if len(names) > 2 else "")
            bend = 26.0 if source != target and (target, source) in pairs else 0.0
            arrows.append(Arrow(source, target, said, any(edge.emphasis for edge in edges), bend))
        lines = {(arrow.source, arrow.target): graph_svg.named(arrow.name) for arrow in arrows}
        widths = [graph_svg.width(spot.name) for spot in spots]
        places = np.array(self.places) if self.places else lay_out(widths, lines)
        return Drawing(places, spots, arrows, legend)


def _fewer(graph: GraphPicture) -> GraphPicture:
    """The graph with its leaves grouped by kind and line, then without its lightest nodes."""
    lines: dict[str, list[Edge]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        lines[edge.source].append(edge)
        lines[edge.target].append(edge)
    loose: dict[tuple[str, str, str, bool], list[Node]] = {}
    for node in graph.nodes:
        if len(lines[node.id]) == 1 and not node.emphasis:
            [edge] = lines[node.id]
            outward = edge.target == node.id
            hub = edge.source if outward else edge.target
            if hub != node.id:
                loose.setdefault((hub, edge.label, node.kind, outward), []).append(node)
    gone, groups, joins = set[str](), [], []
    for number, ((hub, label, kind, outward), members) in enumerate(loose.items()):
        if len(members) > 2 and hub not in gone:
            gone.update(node.id for node in members)
            key = f"group {number}"
            groups.append(
                Node(key, f"{len(members):,} {kind or 'others'}", kind, more=len(members))
            )
            joins.append(Edge(*((hub, key) if outward else (key, hub)), label))
    nodes = [node for node in graph.nodes if node.id not in gone] + groups
    edges = [
        edge for edge in graph.edges if edge.source not in gone and edge.target not in gone
    ] + joins
    note = f"{count(len(gone), 'node')} at the end of one line are grouped." if gone else ""
    left_out = ""
    if len(nodes) > MOST:
        kept = _connected(nodes, edges)
        left_out = f"{MOST} of {count(len(nodes), 'node')} are drawn, grown along the lines from the one with most."
        nodes = [node for node in nodes if node.id in kept]
        edges = [edge for edge in edges if edge.source in kept and edge.target in kept]
    notes = tuple(filter(None, (*graph.notes, note, left_out)))
    return GraphPicture(nodes, edges, graph.title, notes)


def _connected(nodes: Sequence[Node], edges: Sequence[Edge]) -> set[str]:
    """The ids of a connected part of the graph, grown from the best node, best neighbours first.

    When a component is used up, the next one starts at the best node left.
    """
    near: dict[str, list[str]] = {node.id: [] for node in nodes}
    for edge in edges:
        near[edge.source].append(edge.target)
        near[edge.target].append(edge.source)
    worth = {
        node.id: (not node.emphasis, -node.weight, -len(near[node.id]), node.id) for node in nodes
    }
    kept: set[str] = set()
    seeds = iter(sorted(near, key=worth.__getitem__))
    border: list[tuple[tuple[bool, float, int, str], str]] = []
    while len(kept) < min(MOST, len(near)):
        key = heapq.heappop(border)[1] if border else next(seeds)
        if key not in kept:
            kept.add(key)
            for other in near[key]:
                heapq.heappush(border, (worth[other], other))
    return kept


def _linked(key: str, names: dict[str, str]) -> str:
    name = escaped(graph_svg.cut_node(names[key]))
    target = link_target(key) if len(key) <= _NAME else None
    return f'<a href="{escaped(target)}" rel="nofollow">{name}</a>' if target else name


def _kept(text: str) -> str:
    return kept(text, _NAME)
