"""Both hierarchies with the mappings between them: which rows are shown, in which order, and how
they are linked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kgnb.agents.ontology_matching.values import Described, Side
from kgnb.errors import DataError
from kgnb.kg.ontology import Kind
from kgnb.magics.explain import named
from kgnb.mappings import Alignment
from kgnb.mappings import Mapping as Correspondence
from kgnb.results import graph_svg
from kgnb.results.bundle import count
from kgnb.results.graph import Edge, GraphPicture, Node
from kgnb.results.wording import percent

MOST = 40
"""Default rows on each side: one or two screens."""
ROW, INDENT, MIDDLE = (
    32.0,
    22.0,
    210.0,
)  # pixels: of a row, a step down the tree, between the two trees
CERTAIN = 0.9  # confidence from which a line stands out


def picture(
    values: Mapping[str, Any], *, around: str = "", kind: Kind | None = None, most: int = MOST
) -> GraphPicture:
    """The two hierarchies of one kind, as indented rows, with the mappings between them as lines.

    Mapped entities and their ancestors come first, the rest if there is room; entities left out are
    counted in their place. ``around`` shows one entity, its relatives and what they are mapped to.

    Args:
        values: the stages' values by stage name, with retrieve and merge.
        around: an IRI, local name or label.
        most: rows on each side, without those that count what is left out.

    Raises:
        DataError: no entity is called ``around``.
    """
    described: Described = values["retrieve"]
    alignment: Alignment = values["merge"]
    about = [one for one in named(around, described) if kind in (None, one.kind)] if around else []
    if around and not about:
        raise DataError(f"no entity is called {around!r}", fix="%om retrieve lists the entities.")
    kind = kind or (about[0].kind if about else "class")
    mappings = sorted(
        (m for m in alignment if m.kind == kind), key=lambda m: (-m.confidence, m.source, m.target)
    )
    left, right = (_Hierarchy(described, side, kind) for side in ("source", "target"))
    marked = {(one.side, one.iri) for one in about if one.kind == kind}
    if around:
        first = _around(marked, mappings, left, right)
        mappings = [
            m for m in mappings if m.source in first["source"] and m.target in first["target"]
        ]
    else:
        first = {
            "source": dict.fromkeys([*(m.source for m in mappings), *left.order()]),
            "target": dict.fromkeys([*(m.target for m in mappings), *right.order()]),
        }
    lefts = left.rows(left.room_for(first["source"], most), left.by_name)
    at_left = {row.iri: at for at, row in enumerate(lefts)}
    pull = right.pull(mappings, at_left)
    rights = right.rows(
        right.room_for(first["target"], most),
        lambda iri: (pull.get(iri, float("inf")), *right.by_name(iri)),
    )
    titles = described.source.name or "source", described.target.name or "target"
    begin = (
        max(
            [graph_svg.width(graph_svg.cut(row.name)) + INDENT * row.depth for row in lefts],
            default=0.0,
        )
        + MIDDLE
    )
    nodes, places = [], []
    for side, rows, title, edge in (
        ("source", lefts, titles[0], 0.0),
        ("target", rights, titles[1], begin),
    ):
        for at, row in enumerate(rows):
            key = (
                row.iri
                if side == "source" or row.iri not in left.names
                else f"{row.iri} of the target"
            )
            emphasis = (side, row.iri) in marked
            nodes.append(Node(key, row.name, title, emphasis=emphasis, more=row.hidden))
            middle = edge + INDENT * row.depth + graph_svg.width(graph_svg.cut(row.name)) / 2
            places.append((middle, ROW * at + graph_svg.HEIGHT / 2))
    keys = {row.iri: node.id for row, node in zip(rights, nodes[len(lefts) :], strict=True)}
    drawn = sorted(
        (m for m in mappings if m.source in at_left and m.target in keys),
        key=lambda m: at_left[m.source],
    )
    edges = []
    for one in drawn:
        relation = "" if one.relation == "equivalent" else f"{one.relation} "
        label = f"{relation}{percent(one.confidence)}"
        edges.append(Edge(one.source, keys[one.target], label, emphasis=one.confidence >= CERTAIN))
    hidden = len(mappings) - len(edges)
    what = f"{kind} hierarchies" + (f" around {around}" if around else "")
    return GraphPicture(
        nodes,
        edges,
        f"The {what} of {titles[0]} and {titles[1]}, {count(len(edges), 'mapping')}",
        (f"{count(hidden, 'mapping')} not drawn; --most N shows more, --around ITEM a part",)
        if hidden
        else (),
        places=places,
    )


class _Row(NamedTuple):
    """One row of a tree; one that stands for ``hidden`` others has an id of its own."""

    iri: str
    name: str
    depth: int
    hidden: int = 0


class _Hierarchy:
    """One side's entities of a kind as a forest, each below its first parent; one that closes a
    cycle is a root.
    """

    def __init__(self, described: Described, side: Side, kind: Kind) -> None:
        found = {one.iri: one for one in described.of(side) if one.kind == kind}
        self.side = side
        self.names = {iri: one.name for iri, one in found.items()}
        self.parent: dict[str, str] = {}
        self.children: dict[str, list[str]] = {}
        for iri in sorted(found):
            for parent in sorted(found[iri].entity.parents):
                if parent in found and iri not in (parent, *self.above(parent)):
                    self.parent[iri] = parent
                    self.children.setdefault(parent, []).append(iri)
                    break
        self.roots = [iri for iri in self.names if iri not in self.parent]

    def by_name(self, iri: str) -> tuple[Any, ...]:
        """The sort key of siblings."""
        return (self.names[iri].casefold(), iri)

    def above(self, iri: str) -> list[str]:
        """The ancestors of an entity, nearest first."""
        found = []
        while iri := self.parent.get(iri, ""):
            found.append(iri)
        return found

    def order(self, roots: Sequence[str] | None = None) -> list[str]:
        """All entities, or the descendants of these, each before its own descendants."""
        waiting, found = (
            sorted(self.roots if roots is None else roots, key=self.by_name, reverse=True),
            [],
        )
        while waiting:
            found.append(waiting.pop())
            waiting += sorted(self.children.get(found[-1], ()), key=self.by_name, reverse=True)
        return found

    def room_for(self, wanted: Iterable[str], most: int) -> set[str]:
        """As many of the wanted entities as fit, each with its ancestors."""
        shown: set[str] = set()
        for iri in wanted:
            new = {iri, *self.above(iri)} - shown
            if len(shown) + len(new) <= most:
                shown |= new
        return shown

    def pull(
        self, mappings: Sequence[Correspondence], places: Mapping[str, int]
    ) -> dict[str, float]:
        """The best row for each entity: opposite what it, or a descendant, is mapped to."""
        opposite: dict[str, list[int]] = {}
        for one in mappings:
            if one.source in places and one.target in self.names:
                for iri in (one.target, *self.above(one.target)):
                    opposite.setdefault(iri, []).append(places[one.source])
        return {iri: sum(rows) / len(rows) for iri, rows in opposite.items()}

    def rows(self, shown: Collection[str], key: Callable[[str], Any]) -> list[_Row]:
        """The rows to draw, siblings in the order of ``key``; what is left out is counted below its
        parent.
        """
        rows: list[_Row] = []

        def add(siblings: Iterable[str], depth: int, parent: str) -> None:
            members = sorted(siblings, key=key)
            for iri in members:
                if iri in shown:
                    rows.append(_Row(iri, self.names[iri], depth))
                    add(self.children.get(iri, ()), depth + 1, iri)
            hidden = len(self.order([iri for iri in members if iri not in shown]))
            if hidden:
                rows.append(
                    _Row(
                        f"more of the {self.side} below {parent}",
                        f"+{hidden:,} more",
                        depth,
                        hidden,
                    )
                )

        add(self.roots, 0, "")
        return rows


def _around(
    marked: Collection[tuple[str, str]],
    mappings: Sequence[Correspondence],
    left: _Hierarchy,
    right: _Hierarchy,
) -> dict[str, dict[str, None]]:
    """The marked entities, their counterparts, and the parents, children and siblings of all, in
    that order.
    """
    wanted: dict[str, dict[str, None]] = {"source": {}, "target": {}}
    for side, iri in sorted(marked):
        wanted[side][iri] = None
    for one in mappings:
        if ("source", one.source) in marked or ("target", one.target) in marked:
            wanted["source"][one.source] = wanted["target"][one.target] = None
    for side, tree in (("source", left), ("target", right)):
        core = list(wanted[side])
        for iri in core:
            near = [
                *tree.above(iri),
                *tree.children.get(iri, ()),
                *tree.children.get(tree.parent.get(iri, ""), ()),
            ]
            wanted[side] |= dict.fromkeys(near)
    for one in mappings:  # what the relatives are mapped to
        if one.source in wanted["source"]:
            wanted["target"].setdefault(one.target, None)
        elif one.target in wanted["target"]:
            wanted["source"].setdefault(one.source, None)
    return wanted
