"""What went wrong, said so that a person or a model can mend it: findings of the checker as violations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process

from kgnb.agents.kg_construction.datatypes import datatype_of, example
from kgnb.agents.kg_construction.facts import Facts
from kgnb.agents.kg_construction.phrases import joined
from kgnb.agents.kg_construction.shapes import SH, Path, Shape
from kgnb.agents.kg_construction.values import Violation
from kgnb.kg import vocabulary as v
from kgnb.kg.terms import Iri, Literal, Term

if TYPE_CHECKING:
    from kgnb.agents.kg_construction.checking import Found
    from kgnb.agents.kg_construction.pack import ToolPack

_MOST_ALLOWED = 25


def nearest(said: str, known: Iterable[str], most: int = _MOST_ALLOWED) -> tuple[str, ...]:
    """The known names, the likeliest first."""
    listed = list(dict.fromkeys(known))
    if len(listed) <= 1 or not said:
        return tuple(listed[:most])
    scored = process.extract(said.casefold(), listed, scorer=fuzz.WRatio, processor=str.casefold, limit=most)
    return tuple(name for name, _, _ in scored)


class Hints:
    """Turns what the checker found into violations, with the names of one pack."""

    def __init__(self, pack: ToolPack) -> None:
        self.pack = pack
        self.phrases = pack.phrases
        self._adding = {tool.term: tool.name for tool in pack.of_kind("add")}
        self._creating = {tool.term: tool.name for tool in pack.of_kind("create")}
        self._symbols = {
            iri: name for quantity in pack.quantities.values() for name, iri in quantity.units
        }  # names of units the ontology does not hold

    def name(self, term: Term, facts: Facts) -> str:
        """What to call a term: an entity's label with its IRI, a literal with its datatype."""
        if isinstance(term, Literal):
            kind = datatype_of(term).rsplit("#", 1)[-1]
            return f'"{term.text}"' + (
                f"@{term.language}" if term.language else "" if kind == "string" else f" ({kind})"
            )
        label = next((t.text for t in facts.objects(term, v.LABEL) if isinstance(t, Literal)), "")
        return f"{label} <{term}>" if label else f"<{term}>"

    def plain(self, term: Term) -> str:
        """A term of the ontology as an allowed value."""
        if isinstance(term, Literal):
            return term.text
        iri = str(term)
        return self._symbols.get(iri) or self.pack.tbox.label(iri)

    def violation(self, top: Shape, found: Found, facts: Facts) -> Violation:
        """One finding as a violation."""
        constraint = found.constraint
        component = "class" if constraint.component == "isA" else constraint.component
        path = found.path
        told = self.told(top, path)
        value = found.value if found.value is not None else found.focus
        got = self.name(value, facts)
        if component.endswith("Count"):
            got = self._count(found, facts)
        name = top.kind or f"sh:{component}"
        return Violation(
            path=told, constraint=name, got=got, allowed=self._allowed(found, got), focus=str(found.focus),
            hint=found.shape.message or top.message or self._hint(top, found, facts, told),
            component=f"{SH}{component[0].upper()}{component[1:]}ConstraintComponent", shape=top.id,
        )  # fmt: skip

    def told(self, top: Shape, path: Path | None) -> str:
        """What a path is called in violations of a shape."""
        if path is not None and path.kind != "sequence" and top.about in path.predicates():
            return self.pack.tbox.label(top.about)
        if path is not None and path.kind == "iri":
            return self.pack.tbox.label(path.iri)
        if path is not None:
            return self.phrases.path(path).replace("'", "")
        return self.pack.tbox.label(top.about) if top.about else "itself"

    def _count(self, found: Found, facts: Facts) -> str:
        count = len(facts.follow(found.focus, found.path)) if found.path is not None else 1
        return f"{count} value{'' if count == 1 else 's'}"

    def _allowed(self, found: Found, got: str) -> tuple[str, ...]:
        constraint = found.constraint
        if constraint.component == "in":
            return nearest(got, [self.plain(term) for term in constraint.terms])
        if constraint.component in ("isA", "class", "datatype", "hasValue"):
            return tuple(self.phrases.term(term) for term in constraint.terms)
        if constraint.component.endswith(("Count", "Length")):
            return (str(constraint.number),)
        if constraint.component in ("or", "xone"):
            return tuple(self.phrases.demand(shape) for shape in constraint.shapes[:_MOST_ALLOWED])
        if constraint.component == "languageIn":
            return constraint.texts
        return tuple(self.plain(term) for term in constraint.terms) if "clusive" in constraint.component else ()

    def _hint(self, top: Shape, found: Found, facts: Facts, told: str) -> str:
        """How to mend it."""
        constraint, component = found.constraint, found.constraint.component
        who = self.name(found.focus, facts)
        tool = self._tool(found.path)
        demand = self.phrases.constraint(constraint)
        if top.kind == "domain":
            makers = [self._creating[str(t)] for t in constraint.terms if str(t) in self._creating]
            made = f" (made by {joined(makers, 3)})" if makers else ""
            return f"the domain of '{told}': its subject {demand}{made}; {who} is {self._types(found.focus, facts)}"
        if component in ("minCount", "qualifiedMinCount", "hasValue"):
            with_tool = f": call {tool}" if tool else ""
            return f"{who} needs '{told}': it {demand}{with_tool}"
        if component in ("maxCount", "qualifiedMaxCount"):
            return f"{who} {demand} of '{told}', and has its {'only one' if constraint.number == 1 else 'last'}"
        if component in ("isA", "class") and isinstance(found.value, Iri):
            makers = [self._creating[str(t)] for t in constraint.terms if str(t) in self._creating]
            made = f"; make one with {joined(makers, 3)}" if makers else ""
            return f"'{told}' must lead to what {demand}, and this is {self._types(found.value, facts)}{made}"
        if component == "datatype":
            given = example(str(constraint.terms[0]))
            return f"the range of '{told}' {demand}" + (f", as in {given}" if given else "")
        if top.kind == "disjointWith":
            return f"{who} is {self._types(found.focus, facts)}, and nothing is both: it {demand}"
        if component in ("or", "xone") and top.kind == "unionOf":
            return f"{who} must be one of these: {demand}"
        if top.kind in ("asymmetric", "irreflexive", "propertyDisjointWith"):
            words = {"asymmetric": "does not hold both ways", "irreflexive": "leads from nothing to itself"}
            return f"'{self.pack.tbox.label(top.about)}' {words.get(top.kind, f'never holds where the value {demand}')}"
        if component == "in" and (near := self._allowed(found, self.name(found.value or found.focus, facts))):
            return f"choose one of {joined(list(near), 8)}"
        return f"'{told}': what it leads to {demand}" if found.path is not None else f"{who} must be so: {demand}"

    def _tool(self, path: Path | None) -> str:
        if path is None or path.kind not in ("iri", "alternative", "inverse"):
            return ""
        widest = sorted(path.predicates(), key=lambda iri: (-len(self.pack.tbox.subs(iri)), iri))
        return next((self._adding[iri] for iri in widest if iri in self._adding), "")

    def _types(self, node: Term, facts: Facts) -> str:
        kinds = sorted(self.pack.tbox.label(str(kind)) for kind in facts.types(node))
        return f"a {joined(kinds, 4, 'and')}" if kinds else "of no known class"
