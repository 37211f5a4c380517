"""An ontology on one page for a model: each class with its properties, each constraint once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from math import fsum

from rapidfuzz import fuzz

from kgnb.agents.kg_construction.naming import key
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.tool_values import ToolDefinition, ToolParameter
from kgnb.kg.terms import RDFS, XSD, Literal
from kgnb.kg.words import stem, words
from kgnb.llm.prices import estimate_tokens
from kgnb.shapes.phrases import joined
from kgnb.shapes.shape import Constraint, Path, Shape
from kgnb.shapes.units import OM, QUDT

_COMMENT = 160  # characters of a comment on the page where whole ones do not fit
_OF_PROPERTY = 90
Comments = Callable[["Entry"], str]
"""What a description says of a comment."""
_MOST_CALLED = 24  # terms that words of a text call for, where not all can be told
_OF_COMMENT = 0.25  # what a word in a comment counts for, beside one in a name; not tuned
_MOST_LISTED = 30  # values of a closed list on the page
_DERIVED = (
    "These lists do not bind: state a property of whatever the text states it of, and lead it to whatever that names; "
    "both become members of the classes listed."
)
_COUNTING = frozenset(("number", "integer", "int"))
_LIKE_DATATYPES = _COUNTING | {
    "string",
    "text",
    "literal",
    "float",
    "double",
    "decimal",
    "boolean",
    "date",
    "datetime",
    "time",
    "year",
    "gyear",
    "anyuri",
    "url",
}
"""Classes that some ontologies use for datatypes: a plain value stands for an entity with that
label.
"""
_COUNTS = ("minCount", "maxCount", "qualifiedMinCount", "qualifiedMaxCount")
_NAMES = {"name", "title", "label"}
_TYPES = {
    "string": "text",
    "Literal": "text or number",
    "langString": "text",
    "boolean": "true or false",
    "anyURI": "URL",
    "decimal": "number",
    "double": "number",
    "float": "number",
    "dateTime": "date and time",
    "gYear": "year",
}


@dataclass(frozen=True)
class Entry:
    """A class or property with its name on the page, and the tool that creates or states it."""

    name: str
    tool: ToolDefinition

    @property
    def is_class(self) -> bool:
        """Whether it is a class."""
        return self.tool.kind == "create"


@dataclass(frozen=True)
class TermPage:
    """The description of an ontology. ``whole``: of all classes and properties; ``cut``: without
    all of their comments.
    """

    text: str
    whole: bool = True
    cut: bool = False


class OntologyTerms:
    """The classes and properties of a pack by name, and their descriptions."""

    def __init__(self, pack: ToolPack) -> None:
        self.pack = pack
        self.classes = self._named(self._ordered())
        measured = pack.quantities and {
            tool.term for tool in pack.of_kind("add") if tool.term.startswith((OM, QUDT))
        }
        self.properties = self._named(
            tool for tool in pack.of_kind("add") if tool.term not in (measured or ())
        )
        self._by_term = {entry.tool.term: entry for entry in (*self.classes, *self.properties)}
        self._keys: dict[bool, dict[str, list[Entry]]] = {True: {}, False: {}}
        for entry in self._by_term.values():
            spellings = (
                entry.name,
                entry.tool.name.split("_", 1)[1],
                entry.tool.label,
                entry.tool.term,
            )
            for spelling in dict.fromkeys(map(key, spellings)):
                self._keys[entry.is_class].setdefault(spelling, []).append(entry)

    def _ordered(self) -> list[ToolDefinition]:
        """The classes that can be created, in the order of the plan, each before its subclasses."""

        def of_units(iri: str) -> bool:  # nobody creates members of the vocabulary of units
            quantity = self.pack.quantities.get(iri)
            return (
                bool(self.pack.quantities)
                and iri.startswith((OM, QUDT))
                and not (quantity and quantity.units)
            )

        def by_depth(classes: Iterable[str]) -> list[str]:
            return sorted(classes, key=lambda iri: (len(self.pack.tbox.above(iri)), iri))

        made = {tool.term: tool for tool in self.pack.of_kind("create") if not of_units(tool.term)}
        order: dict[str, None] = {}
        for step in self.pack.plan:
            for iri in by_depth(step.classes):
                if iri not in order:
                    order |= dict.fromkeys([iri, *by_depth(self.pack.tbox.below.get(iri, ()))])
        return [made[iri] for iri in (*order, *sorted(made.keys() - order.keys())) if iri in made]

    @staticmethod
    def _named(tools: Iterable[ToolDefinition]) -> tuple[Entry, ...]:
        """Labels where they are unique, the tool's own name where not."""
        listed = tuple(tools)
        labels = [key(tool.label) for tool in listed]
        return tuple(
            Entry(
                tool.label
                if tool.label and labels.count(label) == 1
                else tool.name.split("_", 1)[1],
                tool,
            )
            for tool, label in zip(listed, labels, strict=True)
        )

    def find(self, name: str, *, is_class: bool) -> list[Entry]:
        """The classes or properties of this name, however it is spelled."""
        return self._keys[is_class].get(key(name), [])

    def of(self, iri: str) -> Entry | None:
        """The class or property of this IRI."""
        return self._by_term.get(iri)

    def like_datatype(self, iri: str, *, counting: bool = False) -> bool:
        """Whether a class stands for a datatype (``counting``: that of a number), so that a plain
        value is taken where a property leads to it.
        """
        return key(self.called(iri)) in (_COUNTING if counting else _LIKE_DATATYPES)

    def search(self, said: str, most: int = 12) -> list[Entry]:
        """The classes and properties whose names or comments match some words best, the best first."""
        wanted = set(words(said))
        ranked = []
        for entry in self._by_term.values():
            name = fuzz.token_sort_ratio(" ".join(words(said)), " ".join(words(entry.name)))
            shared = len(wanted & self._words[entry.tool.term]) / max(1, len(wanted))
            score = max(name, 90 * shared)
            if score >= 60:
                ranked.append((-score, len(entry.name), entry))
        return [entry for *_, entry in sorted(ranked, key=lambda one: one[:2])[:most]]

    @cached_property
    def _words(self) -> dict[str, set[str]]:
        return {
            e.tool.term: {*words(e.name), *words(e.tool.guidance)} for e in self._by_term.values()
        }

    def page(self, budget: int, text: str = "") -> TermPage:
        """The ontology in about ``budget`` tokens or fewer, for a model that reads ``text``.

        A description that is too long loses the ends of its comments, or for a text the comments on
        what its words do not call for; then all comments, then the properties, then the classes far
        down, those that the words of the text call for last.
        """
        called = self._called_for(text)
        comments: list[Comments] = [self._comment]
        if called:
            comments += [partial(self._some, {*called[:most]}) for most in (12, 6, 3)]
        else:
            comments.append(self._shortened)
        for comment in (*comments, _no_comment):
            parts = [
                self.entry(entry, comment=comment, whole=False)
                for entry in self.classes
                if not self.like_datatype(entry.tool.term) or entry.tool.term in self._of_domain
            ]
            parts += self._loose(comment)
            found = "\n".join([*parts, *self._overall()])
            if estimate_tokens(found) <= budget:
                cut = any(comment(one) != self._comment(one) for one in self._by_term.values())
                return TermPage(found, cut=cut)
        return TermPage(self._most_general(budget, called), whole=False, cut=True)

    def _most_general(self, budget: int, called: Sequence[str]) -> str:
        """The terms that are called for, then the classes, the most general first, in half the
        budget; with a text, in all of it.
        """
        above = self.pack.tbox.above
        classes = sorted((one.tool.term for one in self.classes), key=lambda iri: len(above(iri)))
        lines, spent = list[str](), 90  # the last line, and the tool that it names
        most = budget if called else budget // 2 + spent
        listed = 0
        for iri in dict.fromkeys([*called[:_MOST_CALLED], *classes]):
            entry = self._by_term[iri]
            line = (self._head if entry.is_class else self._stated)(entry, _no_comment)
            spent += estimate_tokens(line) + 1
            if spent > most:
                break
            lines.append(line)
            listed += entry.is_class
        lines.append(
            f"... and {len(self.classes) - listed} more classes and "
            f"{len(self.properties) - len(lines) + listed} properties: search finds them by words, describe "
            "says what a class or property takes."
        )
        return "\n".join(lines)

    def _called_for(self, text: str) -> list[str]:
        """The terms with a word of a text in their names or comments, the best first: a rare word
        tells more than one that many terms have, and a name more than a comment.
        """
        plain = words(text)
        said = {*map(stem, plain), *map("".join, pairwise(plain))}  # "auto sampler": Autosampler
        worth = defaultdict[str, float](float)
        for weight, own in ((1.0, self._names), (_OF_COMMENT, self._words)):
            shared = {iri: said & {*map(stem, names)} for iri, names in own.items() if said}
            often = Counter(word for found in shared.values() for word in found)
            for iri, found in shared.items():
                worth[iri] += weight * fsum(1 / often[word] for word in sorted(found))
        return sorted((iri for iri in worth if worth[iri]), key=lambda iri: (-worth[iri], iri))

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        split = {entry.tool.term: words(entry.name) for entry in self._by_term.values()}
        return {iri: {*name, "".join(name)} for iri, name in split.items()}

    def _comment(self, entry: Entry) -> str:
        """A comment on one line."""
        return " ".join(self.pack.tbox.comment(entry.tool.term).split()).rstrip(".")

    def _shortened(self, entry: Entry) -> str:
        return _cut(self._comment(entry), _COMMENT if entry.is_class else _OF_PROPERTY)

    def _some(self, terms: Set[str], entry: Entry) -> str:
        return self._comment(entry) if entry.tool.term in terms else ""

    def entry(self, entry: Entry, *, comment: Comments | None = None, whole: bool = True) -> str:
        """A class with the properties of its domain (``whole``: and its superclasses'), or a
        property; ``comment`` gives what is said of its comment, all by default.
        """
        comment = comment or self._comment
        if not entry.is_class:
            return self._stated(entry, comment)
        above = self.pack.tbox.above(entry.tool.term) if whole else (entry.tool.term,)
        properties = [one for iri in above for one in self._of_domain.get(iri, ())]
        if whole:
            properties += [
                one
                for one in self.properties
                if len(self.domains[one.tool.term]) > 1
                and set(self.domains[one.tool.term]) & set(above)
            ]
        lines = [
            self._head(entry, comment),
            *(f"  {self.property_line(one, comment)}" for one in properties),
        ]
        return "\n".join(dict.fromkeys(lines))

    def _head(self, entry: Entry, comment: Comments) -> str:
        iri, tbox = entry.tool.term, self.pack.tbox
        kinds = [
            self.called(one) for one in sorted(tbox.parents.get(iri, ())) if one in self._by_term
        ]
        parts = [entry.name + (f" (a kind of {joined(kinds, 3, 'and')})" if kinds else "")]
        quantity = self.pack.quantities.get(iri)
        if quantity is not None:
            units = [name for name, _ in quantity.units]
            told = f" in {joined(units, 12)}" if units else ""
            given = f'"12 {units[0] if units else "unit"}", or words such as "overnight"'
            parts.append(f"a number with its unit{told}, given as a value: {given}")
        if told := comment(entry):
            parts.append(told)
        if iri in self.pack.empty:
            parts.append(f"never create one: {self.pack.empty[iri]}")
        needs, most = self._needs(iri)
        if needs:
            parts.append(f"needs {joined(needs, 40, 'and')}")
        if most:
            parts.append(f"may have {joined(most, 40, 'and')}")
        parts += self._rest(iri)
        owner = self.pack.dependent(iri)
        if (
            owner
            and quantity is None
            and not any(map(self.pack.dependent, tbox.parents.get(iri, ())))
        ):
            parts.append(f"give within: the {owner} it belongs to")
        return f"- {': '.join(parts[:2])}{''.join('. ' + one for one in parts[2:])}".replace(
            ".. ", ". "
        )

    def _stated(self, entry: Entry, comment: Comments) -> str:
        return self.property_line(entry, comment, domain=True)

    def property_line(
        self, entry: Entry, comment: Comments | None = None, *, domain: bool = False
    ) -> str:
        """A property with its range and how often it may be stated, by default without its comment."""
        iri = entry.tool.term
        owners = [*map(self.called, self.domains[iri])] if domain else []
        told = f"{entry.name}{f' (of {joined(owners, 8)})' if owners else ''}: {self._range(entry.tool)}"
        extra = list(self._traits(iri))
        extra += filter(None, [comment(entry) if comment else ""])
        return "; ".join([told, *extra])

    def called(self, iri: str) -> str:
        """The name of a term on the page."""
        entry = self._by_term.get(iri)
        return entry.name if entry else self.pack.tbox.label(iri)

    def _range(self, tool: ToolDefinition) -> str:
        parts = []
        for parameter in tool.parameters:
            if parameter.name == "object":
                parts.append(self._entity_range(parameter))
            elif parameter.name == "value":
                parts.append(_value_range(parameter))
        return " or ".join(parts)

    def _entity_range(self, parameter: ToolParameter) -> str:
        if parameter.choices:
            return _listed([name for name, _ in parameter.choices])
        closed = self.pack.tbox.closed_lists
        if parameter.classes and all(iri in closed for iri in parameter.classes):
            names = [
                self.pack.tbox.label(i)
                for c in parameter.classes
                for i in sorted(self.pack.tbox.enumerated.get(c, ()))
            ]
            return _listed(names)
        named = joined([*map(self.called, parameter.classes)], 6) or "any"
        plain = parameter.classes and all(map(self.like_datatype, parameter.classes))
        return named if plain else f"-> {named}"

    @cached_property
    def domains(self) -> dict[str, tuple[str, ...]]:
        """The classes that each property is stated of: its domains, else those whose restrictions
        name it.
        """
        found: dict[str, tuple[str, ...]] = {}
        for entry in self.properties:
            iri = entry.tool.term
            stated = [
                str(t) for s in self._about.get(iri, ()) if s.kind == "domain" for t in _classes(s)
            ]
            found[iri] = tuple(dict.fromkeys(stated or self.pack.tbox.restricted.get(iri, ())))
        return found

    @cached_property
    def _of_domain(self) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for entry in self.properties:
            domains = self.domains[entry.tool.term]
            if len(domains) == 1:
                found.setdefault(domains[0], []).append(entry)
        return found

    def _loose(self, comment: Comments) -> list[str]:
        """The properties listed under no class: those of several classes and of any."""
        shown = {entry.tool.term for entry in self.classes}
        left = [
            e
            for e in self.properties
            if len(d := self.domains[e.tool.term]) != 1 or d[0] not in shown
        ]
        several = [self._stated(one, comment) for one in left if self.domains[one.tool.term]]
        anything = [
            self.property_line(one, comment) for one in left if not self.domains[one.tool.term]
        ]
        lines = (
            ["Properties of several classes:", *(f"  {one}" for one in several)] if several else []
        )
        return lines + (
            ["Properties of any entity:", *(f"  {one}" for one in anything)] if anything else []
        )

    def _overall(self) -> list[str]:
        """What concerns several classes: whether types are derived, and which classes are disjoint."""
        lines = [_DERIVED] if "derive_types" in self.pack.manifest else []
        pairs = {
            s.about: [*map(str, s.constraints[0].terms)]
            for s in self.pack.shapes
            if s.kind == "disjointWith"
        }
        groups: list[list[str]] = []
        done: set[frozenset[str]] = set()
        for left, others in pairs.items():
            group = [left, *(o for o in others if o != left)]
            kept = [
                g
                for g in group
                if all(g == h or h in pairs.get(g, ()) or g in pairs.get(h, ()) for h in group)
            ]
            if len(kept) > 1 and not any(set(kept) <= known for known in done):
                done.add(frozenset(kept))
                groups.append(kept)
            groups += [[left, other] for other in others if other not in kept]
        named = [sorted(map(self.called, group)) for group in groups[:12]]
        return lines + [f"Nothing is of two of these: {', '.join(group)}." for group in named]

    @cached_property
    def _about(self) -> dict[str, list[Shape]]:
        found: dict[str, list[Shape]] = {}
        for shape in self.pack.shapes:
            for iri in {shape.about, *shape.classes}:
                found.setdefault(iri, []).append(shape)
        return found

    def _needs(self, iri: str) -> tuple[list[str], list[str]]:
        """What a class must have, and what it may have at most so often."""
        low: dict[str, int] = {}
        high: dict[str, int] = {}
        for inner, constraint in self._counted(iri):
            name = self._path(inner.path) if inner.path else ""
            if constraint.component.startswith("qualified"):
                filler = self.pack.phrases.demand(constraint.shapes[0]).removeprefix("is a ")
                name += f" ({filler})" if filler not in self._leads(inner.path) else ""
            number = constraint.number
            if constraint.component in ("minCount", "qualifiedMinCount"):
                low[name] = max(low.get(name, 0), number)
            else:
                high[name] = min(high.get(name, number), number)
        needs = [_times(name, least, high.get(name)) for name, least in low.items() if least]
        return needs, [f"at most {most} {name}" for name, most in high.items() if not low.get(name)]

    def _counted(self, iri: str) -> Iterable[tuple[Shape, Constraint]]:
        for shape in self._about.get(iri, ()):
            if iri not in shape.classes:
                continue
            for inner in shape.parts():
                for constraint in inner.constraints if inner.path is not None else ():
                    if constraint.component in _COUNTS:
                        yield inner, constraint

    def naming(self, iri: str) -> Entry | None:
        """The property that a class must have and that repeats its label as text."""
        own = {*words(self.called(iri)), *_NAMES}
        for inner, constraint in self._counted(iri):
            asked = (
                inner.path
                if constraint.component == "minCount" and constraint.number == 1
                else None
            )
            if asked is None or asked.kind not in ("iri", "alternative"):
                continue
            for predicate in sorted(
                asked.predicates(), key=lambda one: (-len(self.pack.tbox.subs(one)), one)
            )[:1]:
                entry = self.of(predicate)
                said = set(words(entry.name)) if entry else set()
                if (
                    entry
                    and said & _NAMES
                    and said <= own
                    and any(p.name == "value" for p in entry.tool.parameters)
                ):
                    return entry
        return None

    def _leads(self, path: Path | None) -> set[str]:
        if path is None:
            return set()
        entries = [self._by_term[iri] for iri in path.predicates() if iri in self._by_term]
        return {self.called(c) for e in entries for p in e.tool.parameters for c in p.classes}

    def _path(self, path: Path) -> str:
        if path.kind == "iri":
            return self.called(path.iri)
        if path.kind == "alternative":
            return " or ".join(map(self._path, path.parts[:3]))
        return self.pack.phrases.path(path).replace("'", "")

    def _rest(self, iri: str) -> list[str]:
        """The other constraints on a class, in words."""
        found = []
        for shape in self._about.get(iri, ()):
            if iri not in shape.classes or shape.kind in ("disjointWith", "unit", "key"):
                continue
            if shape.kind == "unionOf" and shape.path is None:
                kinds = [self.called(str(t)) for t in _classes(shape)]
                found.append(
                    f"always one of {joined(kinds, 12)}: choose the one that fits" if kinds else ""
                )
                continue
            counted = [
                c
                for i in shape.parts()
                if i.path is not None
                for c in i.constraints
                if c.component in _COUNTS
            ]
            every = [c for i in shape.parts() for c in i.constraints]
            if len(counted) < len(every) and not self._said_by_range(shape):
                quantity = self.pack.quantities.get(iri)
                numbers = [
                    one
                    for one in shape.parts()
                    if quantity is not None and one.path == quantity.value_path
                ]
                said = [self.pack.phrases.demand(replace(one, path=None)) for one in numbers]
                found.append(
                    (" and ".join(said) or self.pack.phrases.of_shape(shape))
                    .replace("'", "")
                    .replace('"', "")
                )
        return list(dict.fromkeys(filter(None, found)))

    def _said_by_range(self, shape: Shape) -> bool:
        """Whether a shape says no more than the range of its property."""
        asked = {
            self.called(str(c.terms[0]))
            for c in shape.constraints
            if c.component in ("isA", "class")
        }
        return bool(asked) and len(shape.constraints) == 1 and self._leads(shape.path) == asked

    def _traits(self, iri: str) -> Iterable[str]:
        """The constraints on a property besides its domain and range."""
        words_of = {
            "functional": "at most one",
            "inverseFunctional": "each leads back to one only",
            "asymmetric": "never both ways",
            "irreflexive": "never to itself",
        }
        for shape in self._about.get(iri, ()):
            if shape.about != iri or shape.kind == "domain":
                continue
            if shape.kind in words_of:
                yield words_of[shape.kind]
            elif shape.kind == "propertyDisjointWith":
                others = [self.called(text) for c in shape.constraints for text in c.texts]
                yield f"never the same value as {joined(others, 4)}"
            elif shape.kind not in ("oneOf", "datatype", "class", "allValuesFrom"):
                yield from self._bounds(shape)
        for other in self.pack.tbox.mirrors.get(iri, ()):
            if other != iri:
                yield f"written together with {self.called(other)}, its inverse"

    def _bounds(self, shape: Shape) -> Iterable[str]:
        for constraint in shape.constraints:
            if (
                constraint.component.endswith(("clusive", "Length"))
                or constraint.component == "pattern"
            ):
                yield self.pack.phrases.constraint(constraint).replace('"', "")


def _classes(shape: Shape) -> list[object]:
    found: list[object] = []
    for constraint in shape.constraints:
        if constraint.component in ("isA", "class"):
            found += constraint.terms
        elif constraint.component in ("or", "xone"):
            found += [term for inner in constraint.shapes for term in _classes(inner)]
    return found


def _times(name: str, least: int, most: int | None) -> str:
    if most is None:
        return name if least == 1 else f"{least} or more {name}"
    if least == most:
        return f"one {name}" if least == 1 else f"{least} {name}"
    return f"{least} to {most} {name}"


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:_MOST_LISTED])
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return f"one of {', '.join(shown)}{more}"


def _value_range(parameter: ToolParameter) -> str:
    if parameter.choices:
        return _listed([name for name, term in parameter.choices if isinstance(term, Literal)])
    kinds = [d.removeprefix(XSD).removeprefix(RDFS).rsplit("#", 1)[-1] for d in parameter.datatypes]
    return (
        joined(list(dict.fromkeys(_TYPES.get(kind, kind) for kind in kinds)), 4) or "text or number"
    )


def _no_comment(entry: Entry) -> str:
    return ""


def _cut(text: str, longest: int) -> str:
    """A comment, cut after a sentence or a word."""
    if len(text) <= longest:
        return text
    cut = text[:longest]
    end = cut.rfind(". ")
    return cut[:end] if end > longest // 2 else cut[: cut.rfind(" ")] + " ..."
