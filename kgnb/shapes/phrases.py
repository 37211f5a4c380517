"""Constraints in plain words, for descriptions, tables and hints. Models read them: changes
invalidate recordings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kgnb.kg.prefixes import shorten
from kgnb.kg.terms import XSD, Literal, Term
from kgnb.shapes.shape import Constraint, Path, Shape
from kgnb.shapes.tbox import TBox

_OF_ONE_TERM = {
    "datatype": "is of datatype",
    "hasValue": "has the value",
    "minInclusive": "is at least",
    "maxInclusive": "is at most",
    "minExclusive": "is more than",
    "maxExclusive": "is less than",
}
_OF_ANOTHER_PROPERTY = {
    "equals": "is the same as",
    "disjoint": "shares nothing with",
    "lessThan": "is less than",
    "lessThanOrEquals": "is at most",
}
_ALONE = {
    "closed": "has no other properties than those listed",
    "uniqueLang": "has one value a language",
}


def joined(texts: Sequence[str], most: int, word: str = "or") -> str:
    """A list in words, cut after so many.

    >>> joined(["a", "b", "c", "d"], 2)
    'a, b or 2 more'
    """
    if len(texts) > most:
        return f"{', '.join(texts[:most])} {word} {len(texts) - most} more"
    return f" {word} ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _denied(demand: str) -> str:
    """A demand negated: "is a vessel" becomes "is not a vessel"."""
    if demand.startswith("does not lead ") and " and " not in demand:
        return f"leads {demand.removeprefix('does not lead ')}"
    verb, _, rest = demand.partition(" ")
    if " and " in demand or " or " in demand or verb not in ("is", "has"):
        return f"must not be so: {demand}"
    return f"is not {rest}" if verb == "is" else f"has not {rest}"


def _pattern(pattern: str) -> str:
    """A regular expression in words, where it only restricts the length of a text."""
    length = re.fullmatch(r"\^\[\\s\\S\]\{(\d+)(?:,(\d*))?\}\$", pattern)
    if length is None:
        return f"matches {pattern}"
    if length[2] is None:
        return f"has {length[1]} characters"
    return (
        f"has {length[1]} to {length[2]} characters"
        if length[2]
        else f"has {length[1]} characters or more"
    )


def a_noun(noun: str) -> str:
    """The article of a noun.

    >>> a_noun("hut"), a_noun("Award")
    ('a', 'an')
    """
    return "an" if noun[:1].casefold() in "aeio" else "a"


class Phrases:
    """Puts what shapes demand into words, with the names of one T-Box."""

    def __init__(
        self,
        tbox: TBox,
        units: Mapping[str, str] | None = None,
        named: Mapping[str, Shape] | None = None,
    ) -> None:
        self.tbox = tbox
        self.named = dict(named or {})  # the shapes that others refer to
        self.units = dict(units or {})  # names of the units in the tools, by IRI
        self._cache: dict[Shape, str] = {}

    def term(self, term: Term) -> str:
        """A term as a person would name it."""
        if isinstance(term, Literal):
            return f'"{term.text}"'
        iri = str(term)
        if iri in self.units:
            return self.units[iri]
        return iri.replace(XSD, "xsd:") if iri.startswith(XSD) else self.tbox.label(iri)

    def path(self, path: Path) -> str:
        """A path as a person would name it."""
        if path.kind == "iri":
            return f"'{self.tbox.label(path.iri)}'"
        if path.kind == "inverse":
            return f"inverse of {self.path(path.parts[0])}"
        word = {"sequence": " / ", "alternative": " | "}.get(path.kind, "")
        inner = [self.path(part) for part in path.parts]
        return (
            word.join(inner[:3]) + (word + "..." if len(inner) > 3 else "")
            if word
            else f"any number of {inner[0]}"
        )

    def of_shape(self, shape: Shape) -> str:
        """What a shape demands, without its targets."""
        if shape not in self._cache:
            about = self.tbox.label(shape.about) if shape.about else ""
            lead = {"domain": f"subject of '{about}'", "irreflexive": f"subject of '{about}'"}.get(
                shape.kind, ""
            )
            self._cache[shape] = " ".join(filter(None, [lead, self.demand(shape)]))
        return self._cache[shape]

    def demand(self, shape: Shape, depth: int = 0) -> str:
        """What a shape demands in a few words."""
        if shape.reference:
            known = self.named.get(shape.reference)
            if known is None or depth > 2:
                return f"fits {shorten(shape.reference)}"
            return self.demand(known, depth + 1)
        if depth > 4:
            return "..."
        parts = [
            f"does not lead to itself by '{self.tbox.label(one.texts[0])}'"
            if one.component == "disjoint" and shape.path is None
            else self.constraint(one, depth)
            for one in shape.constraints
        ]
        parts += [self.demand(inner, depth + 1) for inner in shape.properties]
        demand = " and ".join(filter(None, parts)) or "anything"
        return f"{self.path(shape.path)} {demand}" if shape.path is not None else demand

    def constraint(self, constraint: Constraint, depth: int = 0) -> str:
        """One component in words."""
        component, terms = constraint.component, constraint.terms
        if component in ("isA", "class"):
            name = self.term(terms[0])
            return f"is {a_noun(name)} {name}"
        if component == "noneOf":
            return f"is no {joined([self.term(term) for term in terms], 8)}"
        if component == "nodeKind":
            return f"is a {str(terms[0]).rsplit('#', 1)[-1]}"
        if component == "in":
            return f"is one of {joined([self.term(term) for term in terms], 12)}"
        if component in _OF_ONE_TERM:
            return f"{_OF_ONE_TERM[component]} {self.term(terms[0])}"
        if component.startswith("qualified"):
            side = "at least" if "Min" in component else "at most"
            return f"has {side} {constraint.number} that {self.demand(constraint.shapes[0], depth + 1)}"
        if component.endswith(("Count", "Length")):
            return f"has {self.wanted(constraint)}"
        if component in ("and", "or", "xone", "node", "not"):
            inner = [self.demand(shape, depth + 1) for shape in constraint.shapes]
            if component == "not" and terms:
                return f"is no {self.term(terms[0])}"
            if component == "not":
                denied = constraint.shapes[0]
                again = denied.constraints[0] if denied.constraints else constraint
                twice = again.component == "not" and denied == Shape((again,))
                if twice and again.shapes:
                    return self.demand(again.shapes[0], depth + 1)
                return _denied(inner[0])
            return joined(inner, 8, {"or": "or", "xone": "or else"}.get(component, "and"))
        if component == "pattern":
            return _pattern(constraint.texts[0])
        if component == "languageIn":
            return f"is in {joined(list(constraint.texts), 6)}"
        if component in _ALONE:
            return _ALONE[component]
        if component == "sameKey":
            properties = joined([f"'{self.tbox.label(one)}'" for one in constraint.texts], 5, "and")
            return f"is the only {self.term(terms[0])} with its {properties}"
        return f"{_OF_ANOTHER_PROPERTY.get(component, component)} '{self.tbox.label(constraint.texts[0])}'"

    def wanted(self, constraint: Constraint, path: str = "") -> str:
        """What a component counts, and how many: "at least 1 value of 'kept by' that is a warden"."""
        component, number, of = (
            constraint.component,
            constraint.number,
            f" of '{path}'" if path else "",
        )
        if component == "hasValue":
            return f"the value {self.term(constraint.terms[0])}{of}"
        side = "at least" if "min" in component.lower() else "at most"
        what = "character" if component.endswith("Length") else "value"
        fits = (
            f" that {self.demand(constraint.shapes[0])}"
            if component.startswith("qualified")
            else ""
        )
        return f"{side} {number} {what}{'' if number == 1 else 's'}{of}{fits}"

    def mirrored(self, iri: str) -> tuple[str, ...]:
        """The properties that are written in the other direction with this one, in words."""
        return tuple(
            f"'{self.tbox.label(other)}' is written the other way round with it"
            for other in self.tbox.mirrors.get(iri, ())
        )
