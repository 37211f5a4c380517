"""What a call states as triples, and what it retracts or replaces: checked like a write, and kept
in the provenance.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, product

from kgnb.agents.kg_construction.arguments import Arguments, read_arguments
from kgnb.agents.kg_construction.graph_state import GraphState
from kgnb.agents.kg_construction.hints import nearest
from kgnb.agents.kg_construction.naming import key, normalised, slug
from kgnb.agents.kg_construction.pack_content import PackContent
from kgnb.agents.kg_construction.provenance import (
    DERIVED,
    DESCRIPTIONS,
    READ_WITH,
    TBOX,
    Call,
    document_iri,
    withdrawn,
)
from kgnb.agents.kg_construction.tool_values import CallResult, ToolDefinition, Violation
from kgnb.kg import vocabulary as v
from kgnb.kg.quads import Quad
from kgnb.kg.terms import Iri, Literal, Term, Triple
from kgnb.shapes.phrases import joined
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


WriteThrough = Callable[[ToolDefinition, Arguments, Call], CallResult]


class Withdrawals:
    """Retracts and replaces facts of one session."""

    def __init__(self, session: GraphState, write_through: WriteThrough) -> None:
        self.session, self.write_through = session, write_through
        self.facts = session.facts
        self.pack = session.pack

    def change(self, tool: ToolDefinition, read: Arguments, call: Call, own: bool) -> CallResult:
        """Retract or replace, wholly or not at all. ``own`` retracts only what this source's
        document said.
        """
        subject = read.terms["subject"][0]
        predicate = self._property(read.texts.get("property", ""))
        if "property" in read.texts and not predicate:
            return CallResult.refused(self._unknown(read.texts["property"]))
        old = read.plain.get("old" if tool.kind == "replace" else "value")
        chosen = self._chosen(subject, predicate, old)
        if not chosen:
            return CallResult.refused(
                self._nothing(subject, predicate, old, tool.kind == "replace")
            )
        if tool.kind == "replace" and len(chosen) > 1:
            values = tuple(_text(o) for _, _, o in chosen)
            hint = f"there are {len(values)} values: say with old which one is wrong"
            return CallResult.refused(
                Violation("old", "required argument", "nothing", values[:25], hint)
            )
        if own and call.source is not None:
            document, ends = document_iri(call.source.document), self.session.writer.values
            quads = [
                (one, graph)
                for one, graph in self._quads(chosen)
                if graph is None
                or document in ends(graph, DERIVED, DESCRIPTIONS)
                or document in ends(graph, READ_WITH, DESCRIPTIONS)
            ]
            return self._retracted(call, subject, quads)
        if tool.kind == "retract":
            return self._retracted(call, subject, self._quads(chosen))
        return self._replaced(call, subject, predicate, chosen, read.plain["value"])

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
            leading: list[Triple] = [
                (subject, Iri(p), o)
                for p, values in self.facts.about(subject).items()
                for o in values
            ]
            back: list[Triple] = [
                (s, Iri(p), subject)
                for p, ends in self.facts.pointing_at(subject).items()
                for s in ends
                if isinstance(s, Iri)
            ]
            return list(dict.fromkeys([*leading, *back]))
        return [
            (subject, Iri(predicate), o)
            for o in self.facts.objects(subject, predicate)
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
        names = [t.text for t in self.facts.objects(term, v.LABEL) if isinstance(t, Literal)]
        return str(term) == text or text in (*names, self.pack.tbox.label(str(term)))

    def _sources(self, triple: Triple) -> list[Iri | None]:
        """The graphs a fact stands in; the default one where the store names none."""
        return [*self.session.writer.graphs_of(triple)] or [None]

    def _quads(self, triples: Sequence[Triple]) -> list[Quad]:
        there = [one for one in with_mirrors(self.pack, triples) if one in self.facts]
        return [(one, graph) for one in there for graph in self._sources(one)]

    def _retracted(self, call: Call, subject: Term, quads: Sequence[Quad]) -> CallResult:
        named = set(quads)
        gone = [
            one
            for one in dict.fromkeys(triple for triple, _ in quads)
            if all((one, graph) in named for graph in self._sources(one))
        ]
        if violations := self._removed(gone):
            return CallResult.refused(*violations, iri=str(subject))
        self._store(call, quads, [])
        return CallResult(True, str(subject), triples=-len(gone))

    def _replaced(
        self, call: Call, subject: Term, predicate: str, chosen: list[Triple], value: object
    ) -> CallResult:
        """Retracts the old value and states the new one through its own tool; all or nothing."""
        adding = next((t for t in self.pack.of_kind("add") if t.term == predicate), None)
        quads = self._quads(chosen)
        gone = list(dict.fromkeys(triple for triple, _ in quads))
        if adding is None and predicate == v.LABEL and isinstance(subject, Iri):
            self._removed(gone)
            new: Triple = (subject, Iri(v.LABEL), Literal(str(value)))
            self.facts.add(new)
            self._store(call, quads, [new])
            return CallResult(True, str(subject), triples=0)
        if adding is None:
            hint = (
                "only the values of properties are replaced: retract it, and create the entity anew"
            )
            return CallResult.refused(Violation("property", "property", predicate, (), hint))
        held = {p.name for p in adding.parameters}
        known = (
            "object" in held
            and isinstance(value, str)
            and ("value" not in held or self.session.resolve(value))
        )
        arguments = {"subject": str(subject), ("object" if known else "value"): value}
        read = read_arguments(adding, arguments, self.session)
        if read.violations:
            return CallResult.refused(*read.violations)
        if violations := self._removed(gone):
            return CallResult.refused(*violations, iri=str(subject))
        result = self.write_through(adding, read, Call(adding.name, arguments, call.source))
        if not result.ok:
            for triple in gone:
                self.facts.add(triple)
            return result
        self._store(call, quads, [])
        return CallResult(True, str(subject), triples=-1)

    def _removed(self, gone: Sequence[Triple]) -> tuple[Violation, ...]:
        """Removes facts from memory, or returns the lasting violations that this would cause and
        keeps the facts.
        """
        nodes: dict[Term, None] = {}
        for subject, _, value in gone:
            for node in (subject, value):
                nodes |= dict.fromkeys([node, *self.facts.neighbours(node)])
        before = self._final(nodes)
        for triple in gone:
            self.facts.remove(triple)
        after = {place: said for place, said in self._final(nodes).items() if place not in before}
        if after and self.session.checked:
            for triple in gone:
                self.facts.add(triple)
            return tuple(dict.fromkeys(after.values()))
        self.session.version += 1
        return ()

    def _final(self, nodes: Mapping[Term, None]) -> dict[str, Violation]:
        return {
            f"{shape.id} {one.focus!r} {one.constraint.component} {one.value!r}": self.session.hints.violation(
                shape, one, self.facts
            )
            for shape, one in self.pack.checker.everything(self.facts, nodes)
            if one.final
        }

    def _store(self, call: Call, quads: Sequence[Quad], new: Sequence[Triple]) -> None:
        kept = [quad for quad in quads if quad[1] != TBOX]
        if self.session.stored:
            self.session.keep(call.described(new) + withdrawn(kept, call.graph), quads)

    def _unknown(self, said: str) -> Violation:
        near = nearest(said, [t.label for t in self.pack.of_kind("add")], 5)
        return Violation(
            "property", "unknown property", said, near, f"near: {joined(list(near), 5)}"
        )

    def _nothing(self, subject: Term, predicate: str, value: object, replacing: bool) -> Violation:
        values = tuple(map(_text, self.facts.objects(subject, predicate))) if predicate else ()
        name = self.pack.tbox.label(predicate) if predicate else "anything"
        there = (
            f"its values are {joined(list(values), 8)}"
            if values
            else f"nothing is said of it by '{name}'"
        )
        if not values and replacing:
            there += "".join(
                f": call {t.name}" for t in self.pack.of_kind("add") if t.term == predicate
            )
        what = "replace" if replacing else "take back"
        return Violation(
            name, "not there", str(value), values[:25], f"there is nothing to {what}: {there}"
        )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
