"""Quantities and their units: from OM-2 or QUDT where the ontology includes them, else from the
short list in ``units.toml``.

An ontology often only names a quantity class (``om:Temperature``) without importing OM-2. The short
list then says which units such a quantity may have. Names and IRIs are those of OM-2 (Rijgersberg
et al.) and QUDT, both CC BY 4.0.
"""

from __future__ import annotations

import pathlib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

from kgnb.kg import vocabulary as v
from kgnb.kg.terms import OWL, RDFS, XSD, Iri, Literal, Term, local_name
from kgnb.shapes.datatypes import locales
from kgnb.shapes.shape import Constraint, Path, Shape, one
from kgnb.shapes.tbox import TBox

if TYPE_CHECKING:
    from babel import Locale

OM = "http://www.ontology-of-units-of-measure.org/resource/om-2/"
QUDT, QUDT_UNIT = "http://qudt.org/schema/qudt/", "http://qudt.org/vocab/unit/"
MOST_UNITS = 100  # a schema lists no more

_TABLES = tomllib.loads(pathlib.Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_UNITS: Mapping[str, tuple[str, str, Sequence[str]]] = _TABLES["units"]
_QUANTITIES: Mapping[str, Sequence[str]] = _TABLES["quantities"]
_OTHERS: Mapping[str, Sequence[str]] = _TABLES["others"]


@dataclass(frozen=True)
class Quantity:
    """How a quantity class is written, and the units it may have; no units: any unit the graph
    knows.
    """

    style: str  # om or qudt
    units: tuple[tuple[str, str], ...]  # name, IRI
    symbols: tuple[tuple[str, str], ...] = ()  # how people write it, and the name
    number: str = f"{XSD}decimal"  # datatype of the number

    @property
    def value_path(self) -> Path:
        """From the quantity to its number."""
        return (
            one(f"{QUDT}numericValue") if self.style == "qudt" else _chain(f"{OM}hasNumericalValue")
        )

    @property
    def unit_path(self) -> Path:
        """From the quantity to its unit."""
        return one(f"{QUDT}unit") if self.style == "qudt" else _chain(f"{OM}hasUnit")


def _chain(last: str) -> Path:
    return Path("sequence", parts=(one(f"{OM}hasValue"), one(last)))


def quantities(tbox: TBox) -> dict[str, Quantity]:
    """The quantity classes of an ontology, by IRI."""
    found: dict[str, Quantity] = {}
    for iri in tbox.classes:
        above = tbox.above(iri)
        style = "om" if any(a.startswith(OM) and _is_om_quantity(a, tbox) for a in above) else ""
        if not style and any(a in (f"{QUDT}QuantityValue", f"{QUDT}Quantity") for a in above):
            style = "qudt"
        if style:
            found[iri] = _quantity(tbox, style, above)
    return found


def _is_om_quantity(iri: str, tbox: TBox) -> bool:
    name = iri.removeprefix(OM)
    if name in ("Measure", "Point", "Unit", "Scale", "Dimension", "Prefix"):
        return False
    if (
        f"{OM}Quantity" in tbox.below
        and f"{OM}Unit" in tbox.below.get(f"{OM}Unit", ())
        and tbox.parents.get(iri)
    ):
        return f"{OM}Quantity" in tbox.above(iri)
    return name in _QUANTITIES or name == "Quantity"


def _quantity(tbox: TBox, style: str, above: tuple[str, ...]) -> Quantity:
    ranges = [
        str(r)
        for p in (f"{OM}hasNumericalValue", f"{QUDT}numericValue")
        for r in tbox.all(Iri(p), f"{RDFS}range")
        if isinstance(r, Iri) and str(r).startswith(XSD)
    ]
    number = ranges[0] if ranges else f"{XSD}decimal"
    for iri in above:
        listed = _listed_units(tbox, iri)
        if listed:
            named = _named(tbox, listed)
            return Quantity(style, named, _symbols(named, tbox), number)
    local = next(
        (name for name in map(local_name, above) if name in _QUANTITIES),
        "",
    )
    names = _QUANTITIES.get(local, ())
    if not names and style == "qudt":
        kinds = [
            local_name(str(k)) for a in above for k in _values(tbox, a, f"{QUDT}hasQuantityKind")
        ]
        names = next((_QUANTITIES[kind] for kind in kinds if kind in _QUANTITIES), tuple(_UNITS))
    at, base = (1, QUDT_UNIT) if style == "qudt" else (0, OM)
    named = tuple((name, f"{base}{_UNITS[name][at]}") for name in names)
    return Quantity(style, named, _symbols(named, tbox), number)


def _values(tbox: TBox, iri: str, on: str) -> list[Term]:
    """The values a class is restricted to have of a property."""
    return [
        value
        for e in tbox.facts.objects(Iri(iri), v.SUBCLASS)
        if Iri(on) in tbox.facts.objects(e, v.ON_PROPERTY)
        for value in tbox.facts.objects(e, f"{OWL}hasValue")
    ]


def _listed_units(tbox: TBox, iri: str) -> list[str]:
    """The units that the ontology lists for a quantity class: its common ones, else those it is
    restricted to.
    """
    common = [
        str(u)
        for u in tbox.all(Iri(iri), f"{OM}commonlyHasUnit", f"{QUDT}applicableUnit")
        if isinstance(u, Iri)
    ]
    if common:
        return common
    return sorted(
        {unit for e in tbox.facts.objects(Iri(iri), v.SUBCLASS) for unit in _restricted(tbox, e, 0)}
    )


def _restricted(tbox: TBox, expression: Term, depth: int) -> set[str]:
    """The members of the classes that a unit is restricted to, at any depth of nesting."""
    found: set[str] = set()
    if depth > 6:
        return found
    on_unit = any(
        str(p) in (f"{OM}hasUnit", f"{QUDT}unit")
        for p in tbox.facts.objects(expression, v.ON_PROPERTY)
    )
    for filler in tbox.facts.objects(expression, f"{OWL}allValuesFrom"):
        for name in tbox._named(filler) if on_unit else ():
            found |= set(tbox.enumerated.get(str(name), ()))
            below = tbox.below.get(str(name), frozenset())
            found |= {unit for unit, kinds in tbox.individuals.items() if kinds & below}
        if on_unit:
            found |= tbox._listed(filler)
        else:
            found |= _restricted(tbox, filler, depth + 1)
    return found


def _named(tbox: TBox, iris: list[str]) -> tuple[tuple[str, str], ...]:
    """Units with unique names, the most usual first."""
    usual = {f"{OM}{om}": at for at, (om, _, _) in enumerate(_UNITS.values())}
    usual |= {f"{QUDT_UNIT}{qudt}": at for at, (_, qudt, _) in enumerate(_UNITS.values())}
    ordered = sorted(set(iris), key=lambda iri: (usual.get(iri, 999), len(iri), iri))
    labels = {iri: tbox.label(iri) for iri in ordered}
    twice = {label for label in labels.values() if list(labels.values()).count(label) > 1}
    return tuple((labels[i] if labels[i] not in twice else local_name(i), i) for i in ordered)


def _symbols(named: tuple[tuple[str, str], ...], tbox: TBox) -> tuple[tuple[str, str], ...]:
    """How people write these units: the symbols of the ontology and of the list above."""
    ours = {
        f"{base}{entry[at]}": entry[2]
        for entry in _UNITS.values()
        for at, base in ((0, OM), (1, QUDT_UNIT))
    }
    found: dict[str, str] = {}
    for name, iri in named:
        listed = [
            getattr(t, "text", "")
            for t in tbox.all(Iri(iri), f"{OM}symbol", f"{OM}alternativeSymbol", f"{QUDT}symbol")
        ]
        for symbol in (*ours.get(iri, ()), *listed):
            found.setdefault(symbol, name)
    return tuple(sorted((symbol, name) for symbol, name in found.items() if symbol))


def unit_names(found: Mapping[str, Quantity]) -> dict[str, str]:
    """The name of each unit by IRI, as used in descriptions, lists and hints."""
    return {iri: name for quantity in found.values() for name, iri in quantity.units}


@dataclass(frozen=True)
class Scale:
    """How a unit converts: SI = value * factor + offset, for quantities with these dimensions."""

    dimensions: str
    factor: float
    offset: float

    def of(self, value: float) -> float:
        """The value in SI base units, to twelve digits."""
        return float(f"{value * self.factor + self.offset:.12g}")


_NEVER_NEGATIVE = (
    "[mass]",
    "[length] ** 3",
    "[substance]",
    "[mass] / [length] ** 3",
    "[substance] / [length] ** 3",
)


@lru_cache(maxsize=512)
def scale(name: str) -> Scale | None:
    """The scale of a unit by its English name, from pint; None for a unit it does not know.

    >>> scale("hour").of(0.5) == scale("minute").of(30) == 1800.0
    True
    """
    spelled = re.sub(
        r"\b(square|cubic) (\w+)", lambda m: f"{m[2]}**{2 if m[1] == 'square' else 3}", name
    )
    spelled = re.sub(r"\bdegree (Celsius|Fahrenheit)", lambda m: f"degree_{m[1]}", spelled)
    spelled = (
        spelled.replace(" per ", "/").replace("metre of mercury", "meter_Hg").replace("-Time", "")
    )
    spelled = "dimensionless" if spelled == "one" else spelled.replace(" ", "_")
    registry = _registry()
    try:
        one, none = (registry.Quantity(value, spelled).to_base_units() for value in (1, 0))
    except (
        AttributeError,
        ValueError,
        TypeError,
        SyntaxError,
        TokenError,
    ):  # pint's errors for unknown names
        return None
    return Scale(
        str(one.dimensionality), float(one.magnitude - none.magnitude), float(none.magnitude)
    )


_NO_MEASURES = re.compile(
    r"graphics|concentr|consumption|force|light|.*(-generic|-point|-night|-quarter|-person)$"
)


@lru_cache(maxsize=16)
def _spellings(languages: frozenset[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The name of a unit by every spelling in these languages (CLDR), and by the longer ones
    without case and plural.

    Of two units with the same spelling, as tonne and the Danish hour, the one in the list above or
    in English wins.
    """
    exact: dict[str, str] = {}
    units = {name: symbols for name, (_, _, symbols) in _UNITS.items() if name != "one"}
    for name, symbols in (*units.items(), *_OTHERS.items()):
        for spelling in (name, f"{name}s", *symbols):
            exact.setdefault(spelling, name)
            exact.setdefault(spelling.replace("metre", "meter").replace("litre", "liter"), name)
    for locale in locales(languages):
        for unit in map(str, locale.unit_display_names):
            plain = unit.partition("-")[2].replace("-", " ")
            for spelling in _spelled(unit, locale) if not _NO_MEASURES.match(unit) else ():
                exact.setdefault(spelling, exact.get(plain, plain))
    exact.pop("", None)
    return exact, {
        unit_key(spelling): name for spelling, name in reversed(exact.items()) if len(spelling) > 1
    }


def _spelled(unit: str, locale: Locale) -> Iterator[str]:
    """A unit in singular and plural, in words and as a symbol."""
    from babel.units import format_unit

    for number in (1, 2, 5):
        for text in (
            format_unit(number, unit, "long", "#", locale),
            format_unit(number, unit, "short", "#", locale),
        ):
            yield text.strip("\xa0 0123456789")


@lru_cache(maxsize=1 << 16)
def unit_key(text: str) -> str:
    """A unit's spelling for comparison: without spaces, dots and the plural ending.

    >>> unit_key("Minutes") == unit_key("minute"), unit_key("°C")
    (True, '°c')
    """
    plain = text.strip().casefold().replace(" ", "").replace(".", "")
    for ending in ("es", "s", "n", "en"):
        if len(plain) > 4 and plain.endswith(ending) and plain.isalpha():
            return plain[: -len(ending)].rstrip("e")
    return plain.rstrip("e") if len(plain) > 4 and plain.isalpha() else plain


def unit_named(text: str, languages: frozenset[str] = frozenset()) -> str:
    """The English name of the unit that a text names in English or one of these languages; "" where
    it names none.

    >>> unit_named("cm"), unit_named("Quadratmetern", frozenset({"de"})), unit_named("people")
    ('centimetre', 'square metre', '')
    """
    exact, folded = _spellings(languages)
    plain = text.strip(" .,;:()[]")
    return exact.get(plain) or folded.get(unit_key(plain), "")


def unit_after(text: str, languages: frozenset[str] = frozenset()) -> str:
    """The unit at the beginning of the text after a number, or ""."""
    words = text.split()
    if len(words) > 1 and words[0] in ("a", "in"):  # "4 in two rooms"
        return ""
    return next(
        filter(None, (unit_named(" ".join(words[:size]), languages) for size in (3, 2, 1))), ""
    )


_MENTIONS = re.compile(
    r"\b[IiEe]n\s+((?:[^\s.,;()]{2,}(?: [^\s.,;()]+){0,2})|[^\W\d](?=[.,;)]|$))|[(\[]([^()\[\]]{1,20})[)\]]"
)


_CALENDAR = frozenset(("year", "month", "week", "day", "hour", "minute", "second", "century"))


def property_unit(tbox: TBox, iri: str) -> str:
    """The one unit that a property's label, comment or IRI names: "height (cm)", "in centimetres",
    heightCm; or "".
    """
    languages = tbox.languages
    labels = [term.text for term in tbox.all(Iri(iri), f"{RDFS}label") if isinstance(term, Literal)]
    mentions = [
        match for text in (*labels, tbox.comment(iri)) for match in _MENTIONS.finditer(text)
    ]
    found = {unit_after(m[1], languages) if m[1] else unit_named(m[2], languages) for m in mentions}
    # "year", "day" and the like by themselves say when, not how long
    labels = [label for label in labels if unit_named(label, languages) not in _CALENDAR]
    name = local_name(iri)
    spaced = "" if unit_named(name) in _CALENDAR else re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)
    names = [spaced, *labels]
    found |= {
        unit_named(last, languages)
        for name in names
        if len(last := re.split(r"[\s#/:]", name)[-1]) > 1
    }
    found.discard("")
    return found.pop() if len(found) == 1 else ""


def converted(value: float, unit: str, wanted: str) -> float | None:
    """A number converted from one unit to another, to twelve digits; None between different
    dimensions.

    >>> converted(0.54, "metre", "centimetre"), converted(3, "metre", "gram")
    (54.0, None)
    """
    if unit == wanted:
        return value
    one, other = scale(unit) if wanted else None, scale(wanted)
    if one is None or other is None or one.dimensions != other.dimensions:
        return None
    return float(f"{(one.of(value) - other.offset) / other.factor:.12g}")


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint  # takes half a second, and most ontologies have no quantity

    return pint.UnitRegistry()


def impossible(value: float, name: str) -> str:
    """Why this quantity is impossible, or ""."""
    found = scale(name)
    if found is None:
        return ""
    if found.dimensions == "[temperature]" and found.of(value) < 0:
        lowest = -found.offset / found.factor
        return f"nothing is colder than {lowest:g} {name}"
    if found.dimensions in _NEVER_NEGATIVE and value < 0:
        return f"there is no negative amount of {name}"
    return ""


def unit_shapes(found: Mapping[str, Quantity]) -> list[Shape]:
    """The shapes that restrict a quantity to its units, one per class; the caller names them."""
    return [
        Shape(
            (Constraint("in", tuple(Iri(unit) for _, unit in quantity.units)),),
            path=quantity.unit_path,
            kind="unit",
            about=iri,
            classes=(iri,),
        )
        for iri, quantity in sorted(found.items())
        if quantity.units
    ]
