"""Both hierarchies with the mappings between them: which rows are shown, in which order, and how they are linked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgnb.agents.ontology_matching.values import Described, Side
from kgnb.errors import DataError
from kgnb.kg.ontology import Kind
from kgnb.magics.explain import named
from kgnb.mappings import Alignment
from kgnb.mappings import Mapping as Correspondence
from kgnb.results.bundle import count
from kgnb.results.two_trees import Branch, TreeLink, TwoTrees

MOST = 40
"""Default rows on each side: one or two screens."""


def picture(values: Mapping[str, Any], *, around: str = "", kind: Kind | None = None, most: int = MOST) -> TwoTrees:
    """The two hierarchies of one kind with the mappings between them.

    Mapped entities and their ancestors come first, the rest if there is room; entities left out are counted in their
    place. ``around`` shows one entity, its relatives and what they are mapped to.

    Args:
        values: the stages' values by stage name, with retrieve and merge.
        around: an IRI, local name or label.
        most: rows on each side, without those that count what is left out.

    Raises:
        DataError: no entity is called ``around``.
    """
    described: Described = values["retrieve"]
    alignment: Alignment = values["merge"]
    about = named(around, described) if around else []
    if around and kind:
        about = [one for one in about if one.kind == kind]
    if around and not about:
        raise DataError(f"no entity is called {around!r}", where="", fix="%om retrieve lists the entities.")
    kind = kind or (about[0].kind if about else "class")
    mappings = sorted((m for m in alignment if m.kind == kind), key=lambda m: (-m.confidence, m.source, m.target))
    left, right = (_Hierarchy.of(described, side, kind) for side in ("source", "target"))
    marked = {(one.side, one.iri) for one in about if one.kind == kind}
    if around:
        wanted = _around(marked, mappings, left, right)
        mappings = [m for m in mappings if m.source in wanted["source"] and m.target in wanted["target"]]
        first = {"source": list(wanted["source"]), "target": list(wanted["target"])}
    else:
        first = {"source": [m.source for m in mappings], "target": [m.target for m in mappings]}
        first["source"] += [iri for iri in left.order(left.by_name) if iri not in set(first["source"])]
        first["target"] += [iri for iri in right.order(right.by_name) if iri not in set(first["target"])]
    shown_left, shown_right = left.room_for(first["source"], most), right.room_for(first["target"], most)
    lefts, at_left = left.rows(shown_left, left.by_name, {iri for side, iri in marked if side == "source"})
    pull = right.pull(mappings, at_left)
    marked_right = {iri for side, iri in marked if side == "target"}
    rights, at_right = right.rows(
        shown_right, lambda iri: (pull.get(iri, float("inf")), *right.by_name(iri)), marked_right
    )
    drawn = [m for m in mappings if m.source in at_left and m.target in at_right]
    drawn.sort(key=lambda m: (at_left[m.source], at_right[m.target], m.relation))
    links = [TreeLink(at_left[m.source], at_right[m.target], m.confidence, m.relation) for m in drawn]
    hidden = len(mappings) - len(drawn)
    left_out = f"{count(hidden, 'mapping')} not drawn; --most N shows more, --around ITEM a part"
    what = f"{kind} hierarchies" + (f" around {around}" if around else "")
    return TwoTrees(
        (described.source.name or "source", described.target.name or "target"),
        tuple(lefts),
        tuple(rights),
        tuple(links),
        f"The {what}, {count(len(links), 'mapping')}",
        (left_out,) if hidden else (),
    )


@dataclass
class _Hierarchy:
    """One side's entities of a kind as a forest, each below its first parent."""

    names: dict[str, str]
    parent: dict[str, str]
    children: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, described: Described, side: Side, kind: Kind) -> _Hierarchy:
        """The forest of one side; an entity that would close a cycle becomes a root."""
        found = {one.iri: one for one in described.of(side) if one.kind == kind}
        hierarchy = cls({iri: one.name for iri, one in found.items()}, {})
        for iri in sorted(found):
            for parent in sorted(found[iri].entity.parents):
                if parent in found and iri not in (parent, *hierarchy.above(parent)):
                    hierarchy.parent[iri] = parent
                    hierarchy.children.setdefault(parent, []).append(iri)
                    break
        return hierarchy

    def by_name(self, iri: str) -> tuple[Any, ...]:
        """The sort key of siblings."""
        return (self.names[iri].casefold(), iri)

    def above(self, iri: str) -> list[str]:
        """The ancestors of an entity, nearest first."""
        found = []
        while (iri := self.parent.get(iri, "")) and iri not in found:
            found.append(iri)
        return found

    def roots(self) -> list[str]:
        """Entities without a parent."""
        return [iri for iri in self.names if iri not in self.parent]

    def order(self, key: Any) -> list[str]:
        """All entities, each before its descendants."""
        waiting, found = sorted(self.roots(), key=key, reverse=True), []
        while waiting:
            found.append(waiting.pop())
            waiting += sorted(self.children.get(found[-1], ()), key=key, reverse=True)
        return found

    def below(self, iri: str) -> int:
        """How many descendants an entity has."""
        waiting, number = list(self.children.get(iri, ())), 0
        while waiting:
            number += 1
            waiting += self.children.get(waiting.pop(), ())
        return number

    def room_for(self, wanted: Iterable[str], most: int) -> set[str]:
        """As many of the wanted entities as fit, each with its ancestors."""
        shown: set[str] = set()
        for iri in wanted:
            new = {iri, *self.above(iri)} - shown
            if len(shown) + len(new) <= most:
                shown |= new
        return shown

    def pull(self, mappings: Sequence[Correspondence], places: Mapping[str, int]) -> dict[str, float]:
        """The best row for each entity: opposite what it, or a descendant, is mapped to."""
        opposite: dict[str, list[int]] = {}
        for one in mappings:
            if one.source in places and one.target in self.names:
                for iri in (one.target, *self.above(one.target)):
                    opposite.setdefault(iri, []).append(places[one.source])
        return {iri: sum(rows) / len(rows) for iri, rows in opposite.items()}

    def rows(self, shown: Collection[str], key: Any, marked: Collection[str]) -> tuple[list[Branch], dict[str, int]]:
        """The rows to draw, counting what is left out below its parent, and the row of each entity."""
        rows: list[Branch] = []
        places: dict[str, int] = {}

        def add(siblings: Iterable[str], depth: int) -> None:
            members = sorted(siblings, key=key)
            for iri in members:
                if iri in shown:
                    places[iri] = len(rows)
                    rows.append(Branch(self.names[iri], depth, marked=iri in marked))
                    add(self.children.get(iri, ()), depth + 1)
            hidden = sum(1 + self.below(iri) for iri in members if iri not in shown)
            if hidden:
                rows.append(Branch(f"+{hidden:,} more", depth, more=True))

        add(self.roots(), 0)
        return rows, places


def _around(
    marked: Collection[tuple[str, str]], mappings: Sequence[Correspondence], left: _Hierarchy, right: _Hierarchy
) -> dict[str, dict[str, None]]:
    """The marked entities, their counterparts, and the parents, children and siblings of all, in that order."""
    wanted: dict[str, dict[str, None]] = {"source": {}, "target": {}}
    for side, iri in sorted(marked):
        wanted[side][iri] = None
    for one in mappings:
        if ("source", one.source) in marked or ("target", one.target) in marked:
            wanted["source"][one.source] = wanted["target"][one.target] = None
    for side, tree in (("source", left), ("target", right)):
        core = list(wanted[side])
        for iri in core:
            near = [*tree.above(iri), *tree.children.get(iri, ()), *tree.children.get(tree.parent.get(iri, ""), ())]
            wanted[side] |= dict.fromkeys(near)
    for one in mappings:  # what the relatives are mapped to
        if one.source in wanted["source"]:
            wanted["target"].setdefault(one.target, None)
        elif one.target in wanted["target"]:
            wanted["source"].setdefault(one.source, None)
    return wanted
