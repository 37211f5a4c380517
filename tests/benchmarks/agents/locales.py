"""Entity alignment across scripts: the world's territories, languages, currencies and cities, named
in two languages.

python -m tests.benchmarks.agents.locales [--languages zh ja ru ...] [--seeds 0 0.3] [--hidden]
[--embedder characters]

Names and relations come from the Unicode CLDR as Babel carries it, so nothing is stored here.
Either side keeps four of five statements, drawn apart, and every entity that still has one; a city
is named, located and in a zone of no name. Nothing of entity alignment was tuned on these pairs but
whether romanised names are compared at all.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from babel import Locale
from babel.core import get_global
from babel.dates import get_timezone_location

from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.values import Options
from tests.benchmarks.agents.entity_alignment import Case, asked, embedder

LANGUAGES = ("zh", "ja", "ko", "ru", "el", "ar", "he", "hi", "th", "fr", "fi", "hu")
KEPT = 0.8  # of the statements, on either side
RELATIONS = ("speaks", "official language", "pays in", "located in")
Fact = tuple[str, int, str]


def facts() -> list[Fact]:
    """What CLDR says of territories, languages, currencies and cities, in order."""
    found: list[Fact] = []
    for territory, languages in sorted(get_global("territory_languages").items()):
        for language, share in sorted(languages.items()):
            place = f"language/{language.split('_')[0]}"
            found.append((f"territory/{territory}", 0, place))
            if str(share["official_status"]).startswith("official"):
                found.append((f"territory/{territory}", 1, place))
    for territory, currencies in sorted(get_global("territory_currencies").items()):
        found += [
            (f"territory/{territory}", 2, f"currency/{code}")
            for code, _, until, _ in currencies
            if until is None
        ]
    for zone, territory in sorted(get_global("zone_territories").items()):
        if "/" in zone and not zone.startswith("Etc/"):
            found.append((f"city/{zone}", 3, f"territory/{territory}"))
    return list(dict.fromkeys(found))


def name_of(thing: str, locale: Locale) -> str:
    """How a thing is called in a language, "" where the locale does not say."""
    kind, _, code = thing.partition("/")
    if kind == "city":
        return str(get_timezone_location(code, locale=locale, return_city=True))
    names = {
        "territory": locale.territories,
        "language": locale.languages,
        "currency": locale.currencies,
    }[kind]
    return str(names.get(code, ""))


def pair(first: str, second: str, ratio: float = 0.0, seed: int = 0) -> Case:
    """The world in two languages, ``ratio`` of the links as seeds and the rest to be found."""
    draw = np.random.default_rng(seed)
    locales = [Locale.parse(first), Locale.parse(second)]
    known = facts()
    named = {
        thing
        for fact in known
        for thing in (fact[0], fact[2])
        if all(name_of(thing, one) for one in locales)
    }
    known = [fact for fact in known if fact[0] in named and fact[2] in named]
    sides = []
    for locale in locales:
        kept = [fact for fact in known if draw.random() < KEPT]
        things = sorted({thing for fact in kept for thing in (fact[0], fact[2])})
        order = draw.permutation(len(things))  # so that equal places say nothing
        things = [things[place] for place in order]
        at = {thing: place for place, thing in enumerate(things)}
        triples = np.array([(at[s], r, at[o]) for s, r, o in kept], dtype=np.int32)
        names = tuple(name_of(thing, locale) for thing in things)
        sides.append(
            (
                things,
                EntityGraph(
                    str(locale),
                    tuple(f"urn:{locale}:{n}" for n in order),
                    names,
                    RELATIONS,
                    triples,
                ),
            )
        )
    (left_things, left), (right_things, right) = sides
    there = {thing: place for place, thing in enumerate(right_things)}
    links = np.array(
        [(i, there[t]) for i, t in enumerate(left_things) if t in there], dtype=np.int32
    )
    links = links[draw.permutation(len(links))]
    cut = round(ratio * len(links))
    return Case(left, right, links[:cut], links[cut:])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each language and share of seeds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--languages", nargs="+", default=list(LANGUAGES))
    parser.add_argument("--seeds", nargs="+", type=float, default=[0.0, 0.3])
    parser.add_argument("--hidden", action="store_true", help="names hidden: structure alone")
    parser.add_argument("--embedder", choices=["local", "characters"], default="local")
    chosen = parser.parse_args(arguments)
    opened = embedder(chosen.embedder)
    print("language  seeds   tests  Hits@1  Hits@10   P      F1     CPU s")
    for ratio in chosen.seeds:
        reached = []
        for language in chosen.languages:
            given = pair("en", language, ratio)
            options = Options(names="hidden") if chosen.hidden else Options()
            row = asked(language, given, opened, options, given.seeds)
            reached.append(row.hits1)
            figures = f"{row.hits1:.4f}  {row.hits10:.4f}  {row.precision:.4f} {row.f1:.4f} {row.cpu:6.1f}"
            print(f"{language:9s} {ratio:5.2f} {len(given.tests):7d}  {figures}", flush=True)
        print(f"mean      {ratio:5.2f}          {np.mean(reached):.4f}")


if __name__ == "__main__":
    main()
