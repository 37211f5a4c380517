"""The schema of a graph as a picture: its classes, what joins them, and which is a kind of which."""

from __future__ import annotations

from kgnb.kg.schema import Schema
from kgnb.results.bundle import count
from kgnb.results.graph import Edge, GraphPicture, Node


def picture_of_schema(schema: Schema, name: str, most: int = 40) -> GraphPicture:
    """The ``most`` used classes and the lines between them; a class has more weight the more things are of it.

    A property between two classes is drawn once, at the most special classes it was found with.
    """
    linked = {end for a, _, b, _ in schema.links for end in (a, b)} | {end for pair in schema.above for end in pair}
    ranked = sorted(schema.classes, key=lambda one: (-one.count, one.iri not in linked, one.iri))[:most]
    names = {one.iri: one.name for one in (*schema.classes, *schema.properties)}
    shown = {one.iri for one in ranked}
    things = {one.iri: one.count for one in schema.classes}
    nodes = [
        Node(
            one.iri,
            one.name,
            "class in use" if one.count else "class",
            count(one.count, "thing") if one.count else "",
            weight=1.0 + one.count,
        )
        for one in ranked
    ]
    edges = [
        Edge(a, b, names.get(p, p), "property")
        for a, p, b, _ in _special(schema.links, things)
        if a in shown and b in shown
    ]
    edges += [Edge(a, b, "is a", "superclass", emphasis=True) for a, b in schema.above if a in shown and b in shown]
    left_out = len(schema.classes) - len(ranked)
    notes = [
        *(
            [f"{count(left_out, 'class', 'classes')} more are not drawn: --classes {len(schema.classes)}"]
            if left_out
            else []
        )
    ]
    return GraphPicture(nodes, edges, f"What {name} holds", (*notes, *schema.notes))


def _special(links: tuple[tuple[str, str, str, int], ...], things: dict[str, int]) -> list[tuple[str, str, str, int]]:
    """Of links of one property that count the same triples, those between the smallest classes."""
    best: dict[tuple[str, int], tuple[int, tuple[str, str, str, int]]] = {}
    kept = []
    for link in links:
        a, p, b, number = link
        if not number:
            kept.append(link)
            continue
        size = things.get(a, 0) + things.get(b, 0)
        if (p, number) not in best or size < best[p, number][0]:
            best[p, number] = (size, link)
    drawn = {(a, p, b) for _, (a, p, b, _) in best.values()}
    return [*(link for _, link in best.values()), *(link for link in kept if link[:3] not in drawn)]
