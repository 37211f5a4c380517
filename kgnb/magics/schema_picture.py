"""The schema of a graph as a picture: its classes, what joins them, and which is a kind of which."""

from __future__ import annotations

from collections import Counter, defaultdict

from kgnb.kg.schema import Named, Schema
from kgnb.results.bundle import count
from kgnb.results.graph import Edge, GraphPicture, Node


def picture_of_schema(schema: Schema, name: str, most: int = 40) -> GraphPicture:
    """The ``most`` central classes and the lines between them; a class has more weight the more things are of it.

    Central is what has the most things of it or of its kinds, then the most kinds, then the most properties.
    A property between two classes is drawn once, at the most special classes it was found with.
    """
    below = _below(schema)
    things = {one.iri: one.count for one in schema.classes}
    joins = Counter(end for a, _, b, _ in schema.links for end in {a, b})
    reach = {one: sum(things.get(kind, 0) for kind in {one, *kinds}) for one, kinds in below.items()}

    def central(one: Named) -> tuple[int, int, int, str]:
        return (-reach[one.iri], -len(below[one.iri]), -joins[one.iri], one.iri)

    ranked = sorted(schema.classes, key=central)[:most]
    names = {one.iri: one.name for one in (*schema.classes, *schema.properties)}
    shown = {one.iri for one in ranked}
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


def _below(schema: Schema) -> dict[str, set[str]]:
    """Every class with all kinds of it, however deep; circles do no harm."""
    kinds = defaultdict(list)
    for narrower, broader in schema.above:
        kinds[broader].append(narrower)
    found = {}
    for one in schema.classes:
        seen: set[str] = set()
        waiting = [one.iri]
        while waiting:
            fresh = [kind for kind in kinds[waiting.pop()] if kind not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
        found[one.iri] = seen - {one.iri}
    return found


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
