"""The triples that a call states, and those that it retracts or replaces."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice, product

from kgnb.agents.kg_construction.arguments import Arguments
from kgnb.agents.kg_construction.graph_state import GraphState
from kgnb.agents.kg_construction.naming import key, normalised, slug
from kgnb.agents.kg_construction.pack_content import PackContent
from kgnb.agents.kg_construction.tool_values import RefusedArgument, ToolDefinition
from kgnb.kg import vocabulary as v
from kgnb.kg.terms import Iri, Literal, Term, Triple
from kgnb.shapes.shape import TYPE
from kgnb.shapes.units import OM, QUDT, scale

_MOST_READINGS = 8
_LABEL = Iri(v.LABEL)


class Writes:
    """Turns arguments into triples for one session."""

    def __init__(self, session: GraphState) -> None:
        self.session = session
        self.pack = session.pack

    def readings(self, tool: ToolDefinition, read: Arguments) -> Iterator[tuple[Iri, list[Triple]]]:
        """The entity and the triples of a call, once for each way its literals can be read."""
        for chosen in islice(product(*read.terms.values()), _MOST_READINGS):
            terms = dict(zip(read.terms, chosen, strict=True))
            yield (
                self._created(tool, read, terms)
                if tool.kind == "create"
                else self._added(tool, terms)
            )

    def borrowed(self, triples: list[Triple]) -> list[Triple]:
        """Types and labels of the ontology's own individuals that these triples are the first to
        mention.
        """
        tbox, facts = self.pack.tbox, self.session.facts
        found: list[Triple] = []
        for node in dict.fromkeys(
            end for s, _, o in triples for end in (s, o) if isinstance(end, Iri)
        ):
            kinds = tbox.individuals.get(str(node))
            if kinds and not facts.knows(node):
                found += [(node, TYPE, Iri(kind)) for kind in sorted(kinds)]
                labels = [t for t in tbox.all(node, v.LABEL) if isinstance(t, Literal)]
                found += [(node, _LABEL, label) for label in labels]
        return found

    def derived(self, triples: list[Triple]) -> list[Triple]:
        """The types that facts imply of their ends, where the pack derives types."""
        found: dict[Triple, None] = {}
        for triple in triples:
            for node, classes in zip(
                (triple[0], triple[2]), self.pack.ends(triple[1]), strict=True
            ):
                stated = (o for s, p, o in (*triples, *found) if s == node and p == TYPE)
                types = [*self.session.facts.types(node), *stated]
                found |= {
                    (node, TYPE, Iri(iri)): None
                    for iri in classes
                    if isinstance(node, Iri) and not self.pack.hierarchy.is_a(types, node, iri)
                }
        return list(found)

    def _added(self, tool: ToolDefinition, terms: dict[str, Term]) -> tuple[Iri, list[Triple]]:
        subject = terms["subject"]
        assert isinstance(subject, Iri)  # an entity is read as an IRI
        return subject, with_mirrors(
            self.pack, [(subject, Iri(tool.term), terms.get("object") or terms["value"])]
        )

    def _created(
        self, tool: ToolDefinition, read: Arguments, terms: dict[str, Term]
    ) -> tuple[Iri, list[Triple]]:
        kind = Iri(tool.term)
        label = " ".join(read.texts.get("label", "").split())
        inline = [
            (p.property, terms[p.name])
            for p in tool.parameters
            if p.kind == "value" and p.name in terms
        ]
        quantity = self.pack.quantities.get(tool.term)
        if quantity is not None:
            measured = "value" in terms and "unit" in terms
            label = label or (
                f"{_text(terms['value'])} {self._unit_name(tool, terms['unit'])}"
                if measured
                else ""
            )
        iri = self._named(tool, label, inline, terms)
        triples: list[Triple] = [(iri, TYPE, kind)]
        known = "entity" in terms and self.session.facts.objects(iri, v.LABEL)
        if label and not known and tool.term not in self._unlabelled:
            triples.append((iri, _LABEL, Literal(label)))
        triples += [(iri, Iri(name), value) for name, value in inline]
        if quantity is not None and measured:
            triples += _measure(iri, quantity.style, terms["value"], terms["unit"])
        return iri, triples

    def _named(
        self,
        tool: ToolDefinition,
        label: str,
        inline: list[tuple[str, Term]],
        terms: dict[str, Term],
    ) -> Iri:
        """The IRI of an entity: the one given, else minted from its label, its place in an order
        and its owner.
        """
        given = terms.get("entity")
        if isinstance(given, Iri):
            return given
        identity = [f"label={normalised(label)}"]
        if tool.term in self.pack.quantities:  # a time called "overnight" is no film of that name
            identity.append(f"class={tool.term}")
        if "value" in terms and "unit" in terms:  # of a quantity the value is the identity
            found = scale(self._unit_name(tool, terms["unit"]))
            said = [f"value={_text(terms['value'])}", f"unit={terms['unit']}"]
            if found is not None:  # half an hour is thirty minutes
                said = [
                    f"SI={found.of(float(_text(terms['value'])))!r}",
                    f"dimensions={found.dimensions}",
                ]
                label = tool.label  # whichever unit comes first
            identity = [f"class={tool.term}", *said]
        identity += [f"{name}={_text(value)}" for name, value in inline if name in self.pack.orders]
        if "within" in terms:
            identity.append(f"within={terms['within']}")
        return mint(self.session.namespace, identity, label)

    def apart(
        self, tool: ToolDefinition, iri: Iri, triples: list[Triple]
    ) -> tuple[Iri, list[Triple]]:
        """The same facts about an entity of its own: one that is told from a namesake by its class."""
        label = next((_text(o) for _, p, o in triples if p == _LABEL), tool.label)
        other = mint(self.session.namespace, [f"class={tool.term}", f"namesake={iri}"], label)
        return other, [
            (other if s == iri else s, p, other if o == iri else o) for s, p, o in triples
        ]

    def withdrawn(self, tool: ToolDefinition, read: Arguments) -> list[Triple] | RefusedArgument:
        """The facts that a call retracts or replaces."""
        subject = read.terms["subject"][0]
        said = read.texts.get("property", "")
        predicate = self._property(said)
        if said and not predicate:
            return RefusedArgument("unknown property", "property", said)
        replacing = tool.kind == "replace"
        value = read.plain.get("old" if replacing else "value")
        chosen = self._chosen(subject, predicate, value)
        values = tuple(_text(o) for _, _, o in chosen)
        if replacing and len(chosen) > 1:
            return RefusedArgument("several values", "old", "nothing", str(len(values)), values)
        if chosen:
            return chosen
        there = self.session.facts.objects(subject, predicate) if predicate else ()
        name = self.pack.tbox.label(predicate) if predicate else "anything"
        return RefusedArgument(
            "nothing there", name, str(value), predicate, tuple(map(_text, there))
        )

    def _property(self, said: str) -> str:
        """The IRI of a property, by IRI, name or label; the class and the label of an entity are
        properties too.
        """
        plain = key(said)
        if plain in ("type", "rdftype", "class") or said == TYPE:
            return str(TYPE)
        if said == v.LABEL or plain in ("label", "rdfslabel"):
            return v.LABEL
        adding = self.pack.of_kind("add")
        found = {t.term for t in adding if said == t.term} or {
            t.term
            for t in adding
            if plain in (key(t.label), key(t.name), key(t.name.removeprefix("add_")))
        }
        return next(iter(found)) if len(found) == 1 else ""

    def _chosen(self, subject: Term, predicate: str, value: object) -> list[Triple]:
        """The facts that are meant: of an entity, of one property, or the one with this value."""
        if not isinstance(subject, Iri):
            return []
        if not predicate:
            return self.session.facts.triples_of(subject)
        return [
            (subject, Iri(predicate), o)
            for o in self.session.facts.objects(subject, predicate)
            if value is None or self._is(o, value)
        ]

    def _is(self, term: Term, said: object) -> bool:
        text = str(said).lower() if isinstance(said, bool) else str(said)
        if isinstance(term, Literal):
            return (
                term.text == text
                or _number(term.text) is not None
                and _number(term.text) == _number(text)
            )
        labels = self.session.facts.objects(term, v.LABEL)
        names = [t.text for t in labels if isinstance(t, Literal)]
        return str(term) == text or text in (*names, self.pack.tbox.label(str(term)))

    def _unit_name(self, tool: ToolDefinition, unit: Term) -> str:
        names = {
            str(iri): name for p in tool.parameters if p.kind == "unit" for name, iri in p.choices
        }
        return names.get(str(unit)) or self.pack.tbox.label(str(unit))

    @cached_property
    def _unlabelled(self) -> frozenset[str]:
        """The classes whose closed shapes allow no label."""
        closed = {
            cls
            for shape in self.pack.shapes
            for c in shape.constraints
            for cls in shape.classes
            if c.component == "closed" and v.LABEL not in {*c.texts, *map(str, c.terms)}
        }
        return frozenset(
            below for cls in closed for below in self.pack.hierarchy.below.get(cls, {cls})
        )


def with_mirrors(pack: PackContent, triples: Iterable[Triple]) -> list[Triple]:
    """Facts, and what they state the other way round by inverse and symmetric properties."""
    found = dict.fromkeys(triples)
    for subject, predicate, value in list(found):
        if isinstance(value, Iri) and isinstance(subject, Iri):
            found |= {
                (value, Iri(other), subject): None for other in pack.tbox.mirrors.get(predicate, ())
            }
    return list(found)


def _measure(iri: Iri, style: str, number: Term, unit: Term) -> list[Triple]:
    if style == "qudt":
        return [(iri, Iri(f"{QUDT}numericValue"), number), (iri, Iri(f"{QUDT}unit"), unit)]
    measure = Iri(f"{iri}/measure")
    return [
        (measure, TYPE, Iri(f"{OM}Measure")),
        (iri, Iri(f"{OM}hasValue"), measure),
        (measure, Iri(f"{OM}hasNumericalValue"), number),
        (measure, Iri(f"{OM}hasUnit"), unit),
    ]


def _text(term: Term) -> str:
    return term.text if isinstance(term, Literal) else str(term)


def mint(namespace: str, identity: Iterable[str], label: str) -> Iri:
    """The IRI of an entity: a readable label, then sixteen digits of the hash of what distinguishes
    it.

    The class is left out of the identity, so that a wrong first guess at the class does not change
    the IRI.
    """
    said = json.dumps([*map(normalised, identity)], ensure_ascii=True)
    code = hashlib.sha256(said.encode()).hexdigest()[:16]
    readable = slug(normalised(label)[:60], 32)
    return Iri(f"{namespace}{readable + '-' if readable else ''}{code}")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
