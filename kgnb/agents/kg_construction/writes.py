"""What a call says, as triples: a new entity with its label and values, a quantity, a fact and its mirror images."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import product

from kgnb.agents.kg_construction.arguments import Arguments
from kgnb.agents.kg_construction.graph_state import GraphState
from kgnb.agents.kg_construction.naming import slug
from kgnb.agents.kg_construction.tool_values import ToolSpec
from kgnb.kg import vocabulary as v
from kgnb.kg.terms import RDFS, Iri, Literal, Term, Triple
from kgnb.shapes.shape import TYPE, Shape
from kgnb.shapes.units import OM, QUDT, scale

_MOST_READINGS = 8
_LABEL = Iri(v.LABEL)


class Writes:
    """Turns arguments into triples for one session."""

    def __init__(self, session: GraphState) -> None:
        self.session = session
        self.pack = session.pack

    def readings(self, tool: ToolSpec, read: Arguments) -> Iterator[tuple[Iri, list[Triple]]]:
        """The entity and the triples of a call, once for each way its literals can be read."""
        names = [name for name, terms in read.terms.items() if len(terms) > 1]
        for at, chosen in enumerate(product(*(read.terms[name] for name in names))):
            if at == _MOST_READINGS:
                return
            terms = {name: found[0] for name, found in read.terms.items()} | dict(zip(names, chosen, strict=True))
            yield self._created(tool, read, terms) if tool.kind == "create" else self._added(tool, read, terms)

    def borrowed(self, triples: list[Triple]) -> list[Triple]:
        """What the ontology says of its own individuals that these triples are the first to mention."""
        tbox, facts = self.pack.tbox, self.session.facts
        found: list[Triple] = []
        for node in dict.fromkeys(end for s, _, o in triples for end in (s, o) if isinstance(end, Iri)):
            kinds = tbox.individuals.get(str(node))
            if kinds and not facts.knows(node):
                found += [(node, TYPE, Iri(kind)) for kind in sorted(kinds)]
                labels = [t for t in tbox.all(node, v.LABEL) if isinstance(t, Literal)]
                found += [(node, _LABEL, label) for label in labels]
        return found

    def derived(self, triples: list[Triple]) -> list[Triple]:
        """The classes that facts make their ends members of, where the pack derives types."""
        found: dict[Triple, None] = {}
        for triple in triples:
            for node, classes in zip((triple[0], triple[2]), self.pack.ends(triple[1]), strict=True):
                types = [
                    *self.session.facts.types(node),
                    *(o for s, p, o in (*triples, *found) if s == node and p == TYPE),
                ]
                found |= {(node, TYPE, Iri(iri)): None for iri in classes
                          if isinstance(node, Iri) and not self.pack.hierarchy.is_a(types, node, iri)}  # fmt: skip
        return list(found)

    # facts -----------------------------------------------------------------------------------------------------------

    def _added(self, tool: ToolSpec, read: Arguments, terms: dict[str, Term]) -> tuple[Iri, list[Triple]]:
        subject = terms["subject"]
        assert isinstance(subject, Iri)  # an entity is read as an IRI
        value = terms["object"] if "object" in terms else terms["value"]
        return subject, self._with_mirrors([(subject, Iri(tool.term), value)])

    def _with_mirrors(self, triples: list[Triple]) -> list[Triple]:
        """Facts, and what they say the other way round by inverse and symmetric properties."""
        found = list(triples)
        for subject, predicate, value in triples:
            if isinstance(value, Iri):
                found += [(value, Iri(other), subject) for other in self.pack.tbox.mirrors.get(predicate, ())]
        return list(dict.fromkeys(found))

    # entities --------------------------------------------------------------------------------------------------------

    def _created(self, tool: ToolSpec, read: Arguments, terms: dict[str, Term]) -> tuple[Iri, list[Triple]]:
        kind = Iri(tool.term)
        label = " ".join(read.texts.get("label", "").split())
        inline = [(p.property, terms[p.name]) for p in tool.parameters if p.kind == "value" and p.name in terms]
        quantity = self.pack.quantities.get(tool.term)
        if quantity is not None:
            label = label or f"{_text(terms['value'])} {self._unit_name(tool, terms['unit'])}"
        iri = self._named(tool, label, inline, terms)
        triples: list[Triple] = [(iri, TYPE, kind)]
        known = "entity" in terms and self.session.facts.objects(iri, v.LABEL)
        if label and not known and tool.term not in self._unlabelled:
            triples.append((iri, _LABEL, Literal(label)))
        triples += [(iri, Iri(name), value) for name, value in inline]
        if quantity is not None:
            triples += self._measure(iri, quantity.style, terms["value"], terms["unit"])
        return iri, triples

    def _named(self, tool: ToolSpec, label: str, inline: list[tuple[str, Term]], terms: dict[str, Term]) -> Iri:
        """The IRI of an entity: the one given, else minted from its label, its place in an order and its owner."""
        given = terms.get("entity")
        if isinstance(given, Iri):
            return given
        identity = [f"label={normalised(label)}"]
        if "value" in terms and "unit" in terms:  # of a quantity the value is the identity
            found = scale(self._unit_name(tool, terms["unit"]))
            said = [f"value={_text(terms['value'])}", f"unit={terms['unit']}"]
            if found is not None:  # half an hour is thirty minutes
                said = [f"SI={found.of(float(_text(terms['value'])))!r}", f"dimensions={found.dimensions}"]
                label = tool.label  # whichever unit comes first
            identity = [f"class={tool.term}", *said]
        identity += [f"{name}={_text(value)}" for name, value in inline if name in self.pack.orders]
        if "within" in terms:
            identity.append(f"within={terms['within']}")
        return mint(self.session.namespace, identity, label)

    def apart(self, tool: ToolSpec, iri: Iri, triples: list[Triple]) -> tuple[Iri, list[Triple]]:
        """The same facts about an entity of its own: one that is told from a namesake by its class."""
        label = next((_text(o) for _, p, o in triples if p == _LABEL), tool.label)
        other = mint(self.session.namespace, [f"class={tool.term}", f"namesake={iri}"], label)
        return other, [(other if s == iri else s, p, other if o == iri else o) for s, p, o in triples]

    def _unit_name(self, tool: ToolSpec, unit: Term) -> str:
        names = {str(iri): name for p in tool.parameters if p.kind == "unit" for name, iri in p.choices}
        return names.get(str(unit)) or self.pack.tbox.label(str(unit))

    def _measure(self, iri: Iri, style: str, number: Term, unit: Term) -> list[Triple]:
        if style == "qudt":
            return [(iri, Iri(f"{QUDT}numericValue"), number), (iri, Iri(f"{QUDT}unit"), unit)]
        measure = Iri(f"{iri}/measure")
        return [
            (measure, TYPE, Iri(f"{OM}Measure")),
            (iri, Iri(f"{OM}hasValue"), measure),
            (measure, Iri(f"{OM}hasNumericalValue"), number),
            (measure, Iri(f"{OM}hasUnit"), unit),
        ]

    @cached_property
    def _unlabelled(self) -> frozenset[str]:
        """The classes whose closed shapes leave no room for a label."""
        found: set[str] = set()
        for shape in self.pack.shapes:
            if shape.classes and _closed_to_labels(shape):
                found |= {b for c in shape.classes for b in self.pack.hierarchy.below.get(c, {c})}
        return frozenset(found)


def _closed_to_labels(shape: Shape) -> bool:
    return any(
        c.component == "closed" and f"{RDFS}label" not in {*c.texts, *map(str, c.terms)} for c in shape.constraints
    )


def _text(term: Term) -> str:
    return term.text if isinstance(term, Literal) else str(term)


def normalised(text: str) -> str:
    """A name as it counts for identity: Unicode NFKC, case folded, white space collapsed.

    >>> normalised("  Berliner  HÜTTE ")
    'berliner hütte'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def mint(namespace: str, identity: Iterable[str], label: str) -> Iri:
    """The IRI of an entity: a readable label, then sixteen digits of the hash of what tells it from others.

    The class is no part of it, so that a first guess at the class does not decide it; only ``identity`` does.
    """
    said = json.dumps([*map(normalised, identity)], ensure_ascii=True)
    code = hashlib.sha256(said.encode()).hexdigest()[:16]
    readable = slug(normalised(label)[:60], 32)
    return Iri(f"{namespace}{readable + '-' if readable else ''}{code}")
