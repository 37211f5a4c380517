"""Tables of another make than ``messy_tables``, on which nothing in kgnb was set: two libraries'
books, two registers of premises (addresses, hardly any names), two dealers' spare parts (codes and
measures), and two lists of associations. Drawn from a seed; a share of either table's things are
listed there twice, written differently.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from tests.benchmarks.agents.messy_tables import Record, TablePair

SYLLABLES = (
    "ba bel cor da den dor el far gal gri hol il jor kal lan mar mon nor ol pel quin ras sel tor ul var "
    "wil yor zan"
).split()
SUBJECTS = (
    "Rivers Winters Islands Railways Glaciers Harbours Orchards Letters Mountains Wars Bees Kings Gardens "
    "Machines Numbers Tides"
).split()
FRAMES = (
    "A History of {0}",
    "The {0} of {1}",
    "{0} and {1}",
    "Introduction to {0}",
    "{1}: A Life",
    "On {0}",
    "The Last {0}",
    "{0} of the North",
    "Collected {0}",
    "Handbook of {0}",
)
SUBTITLES = (
    "",
    "",
    "",
    "an illustrated guide",
    "theory and practice",
    "a novel",
    "essays 1950-1970",
    "volume two",
)
HOUSES = {
    "Harrow & Sons": "Harrow",
    "Northgate University Press": "Northgate UP",
    "Edition Lind": "Lind",
    "Meridian Books Ltd.": "Meridian",
}
WAYS = {
    "Street": "St.",
    "Road": "Rd",
    "Avenue": "Ave",
    "Lane": "Ln",
    "Square": "Sq.",
    "Terrace": "Terr.",
}
DISTRICTS = "Northside Oldtown Harbour Westend Millfield".split()
PARTS = {
    "hexagon bolt": "bolt hex.",
    "ball bearing": "bearing",
    "drive belt": "V-belt",
    "gasket ring": "gasket",
    "fuel filter": "filter fuel",
    "spring washer": "washer spr.",
}
METALS = {"stainless steel": "A2", "galvanised steel": "zn", "brass": "Ms", "nylon": "PA"}
CLUBS = {
    "Association": "Assoc.",
    "Society": "Soc.",
    "Club": "Club",
    "Foundation": "Fdn",
    "Union": "Union",
}
PURSUITS = (
    "Rowing Chess Beekeeping Mountain Choral Sailing Heritage Cycling Archery Astronomy".split()
)


class Draw:
    """Draws things, and spoils how they are written."""

    def __init__(self, seed: str, mess: float) -> None:
        self.random, self.mess = random.Random(seed), mess

    def one_of(self, options: object) -> str:
        return self.random.choice(list(options))  # type: ignore[call-overload, no-any-return]

    def word(self) -> str:
        return "".join(self.random.choices(SYLLABLES, k=self.random.choice((2, 2, 3)))).title()

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def often(self, share: float) -> bool:
        return self.random.random() < share * self.mess

    def lost(self, text: str, share: float) -> str:
        return self.one_of(("", "", "n/a", "-")) if self.often(share) else text

    def slipped(self, text: str, share: float = 0.1) -> str:
        """The text, at times with two neighbours exchanged, a letter lost, or a word left out."""
        if not self.often(share) or len(text) < 5:
            return text
        at, words = self.number(1, len(text) - 2), text.split()
        spoilt = (
            text[:at] + text[at + 1] + text[at] + text[at + 2 :],
            text[:at] + text[at + 1 :],
            " ".join(words[:-1]) if len(words) > 3 else text.upper(),
        )
        return self.one_of(spoilt)


def book(draw: Draw) -> Record:
    title = draw.one_of(FRAMES).format(draw.one_of(SUBJECTS), draw.word())
    return {
        "title": title,
        "sub": draw.one_of(SUBTITLES),
        "given": draw.word(),
        "family": draw.word(),
        "house": draw.one_of(HOUSES),
        "year": str(draw.number(1920, 2020)),
        "pages": str(draw.number(80, 900)),
        "isbn": f"{draw.number(0, 9)}{draw.number(10**7, 10**8 - 1)}",
    }


def isbn(nine: str, long: bool) -> str:
    """An ISBN of ten or thirteen digits with its check digit."""
    if not long:
        rest = sum((10 - at) * int(digit) for at, digit in enumerate(nine))
        return nine + "0123456789X"[-rest % 11]
    twelve = "978" + nine
    rest = sum((3 if at % 2 else 1) * int(digit) for at, digit in enumerate(twelve))
    return twelve + str(-rest % 10)


def shelf(draw: Draw, thing: Record) -> Record:
    title = thing["title"] + (f" : {thing['sub']}" if thing["sub"] else "")
    if title.startswith(("The ", "A ")) and draw.often(0.5):
        title = f"{title.split(' ', 1)[1]}, {title.split(' ', 1)[0]}"
    return {
        "Main entry": draw.slipped(f"{thing['family']}, {thing['given']}", 0.08),
        "Title proper": draw.slipped(title),
        "Imprint": draw.lost(f"{thing['house']}, {thing['year']}", 0.15),
        "Extent": draw.lost(f"{thing['pages']} p.", 0.25),
        "ISBN": draw.lost(isbn(thing["isbn"], long=False), 0.5),
    }


def shop(draw: Draw, thing: Record) -> Record:
    given = thing["given"] if not draw.often(0.3) else thing["given"][0] + "."
    year = thing["year"] if not draw.often(0.1) else str(int(thing["year"]) + 1)
    return {
        "isbn13": draw.lost(isbn(thing["isbn"], long=True), 0.5),
        "autor": draw.slipped(f"{given} {thing['family']}", 0.08),
        "verlag": draw.lost(HOUSES[thing["house"]], 0.2),
        "titel": draw.slipped(thing["title"]),
        "jahr": draw.lost(year, 0.15),
        "seiten": draw.lost(thing["pages"], 0.35),
    }


def premises(draw: Draw) -> Record:
    district = draw.one_of(DISTRICTS)
    return {
        "way": f"{draw.word()} {draw.one_of(WAYS)}",
        "house": str(draw.number(1, 180)),
        "unit": draw.one_of(("", "", "A", "B", "2", "3")),
        "post": f"{DISTRICTS.index(district) + 1}{draw.number(0, 9)}{draw.number(10, 99)}",
        "district": district,
        "owner": f"{draw.word()} {draw.word()}",
        "area": str(draw.number(40, 900)),
        "built": str(draw.number(1880, 2015)),
    }


def register(draw: Draw, thing: Record) -> Record:
    unit = f", Flat {thing['unit']}" if thing["unit"] else ""
    return {
        "address": draw.slipped(f"{thing['house']} {thing['way']}{unit}"),
        "area_code": draw.lost(thing["post"], 0.1),
        "district": draw.lost(thing["district"], 0.15),
        "floor_area_m2": draw.lost(thing["area"], 0.3),
        "owner": draw.lost(draw.slipped(thing["owner"]), 0.25),
    }


def survey(draw: Draw, thing: Record) -> Record:
    name, kind = thing["way"].split()
    way = f"{name} {WAYS[kind]}" if draw.often(0.6) else thing["way"]
    area = str(int(thing["area"]) + draw.number(-3, 3)) if draw.often(0.4) else thing["area"]
    return {
        "POSTCODE": draw.lost(thing["post"], 0.15),
        "STREET": draw.slipped(way).upper(),
        "NO": thing["house"],
        "UNIT": draw.lost(thing["unit"], 0.2),
        "PROPRIETOR": draw.lost(" ".join(reversed(thing["owner"].split())).upper(), 0.3),
        "BUILT": draw.lost(thing["built"], 0.3),
        "SQM": draw.lost(area, 0.35),
    }


def part(draw: Draw) -> Record:
    return {
        "kind": draw.one_of(PARTS),
        "metal": draw.one_of(METALS),
        "bore": str(draw.number(3, 40)),
        "long": str(draw.number(10, 200)),
        "maker": draw.word(),
        "code": f"{draw.one_of('BKLSTV')}{draw.one_of('ADEF')}{draw.number(1000, 99999)}",
        "cents": str(draw.number(20, 9000)),
    }


def catalogue(draw: Draw, thing: Record) -> Record:
    code = thing["code"]
    return {
        "article": draw.lost(f"{code[:2]}-{code[2:4]}.{code[4:]}", 0.3),
        "description": draw.slipped(
            f"{thing['kind']} M{thing['bore']}x{thing['long']} {thing['metal']}"
        ),
        "manufacturer": draw.lost(thing["maker"], 0.15),
        "price": draw.lost(f"{int(thing['cents']) / 100:.2f} EUR", 0.2),
    }


def stock(draw: Draw, thing: Record) -> Record:
    metal = METALS[thing["metal"]] if draw.often(0.6) else thing["metal"]
    cents = int(thing["cents"]) * (0.8 if draw.often(0.3) else 1)
    return {
        "Lieferant": draw.lost(draw.slipped(thing["maker"]).upper(), 0.2),
        "Teil": draw.slipped(
            f"{PARTS[thing['kind']]} {thing['bore']} x {thing['long']} mm, {metal}"
        ),
        "VK": draw.lost(f"{cents / 100:.2f}".replace(".", ","), 0.25),
        "Herst.-Nr.": draw.lost(thing["code"], 0.35),
    }


def club(draw: Draw) -> Record:
    return {
        "town": draw.word(),
        "pursuit": draw.one_of(PURSUITS),
        "kind": draw.one_of(CLUBS),
        "founded": str(draw.number(1860, 2018)),
        "chair": f"{draw.word()} {draw.word()}",
        "phone": str(draw.number(10**7, 10**8 - 1)),
        "members": str(draw.number(8, 900)),
    }


def yearbook(draw: Draw, thing: Record) -> Record:
    return {
        "club": draw.slipped(f"{thing['town']} {thing['pursuit']} {thing['kind']}"),
        "est.": draw.lost(thing["founded"], 0.2),
        "chairperson": draw.lost(thing["chair"], 0.2),
        "tel": draw.lost(f"0{thing['phone'][:3]} {thing['phone'][3:]}", 0.3),
    }


def registry(draw: Draw, thing: Record) -> Record:
    kind = CLUBS[thing["kind"]] if draw.often(0.5) else thing["kind"]
    given, family = thing["chair"].split()
    chair = f"{family}, {given}" if draw.often(0.6) else f"{given[0]}. {family}"
    return {
        "seat": draw.lost(thing["town"], 0.1),
        "registered name": draw.slipped(f"{kind} for {thing['pursuit']} {thing['town']} e.V."),
        "represented by": draw.lost(
            draw.slipped(chair) if draw.often(0.8) else draw.word() + ", " + draw.word(), 0.2
        ),
        "phone": draw.lost(f"+43 {thing['phone']}", 0.35),
        "since": draw.lost(
            f"{draw.number(1, 28):02}.{draw.number(1, 12):02}.{thing['founded']}", 0.25
        ),
        "members": draw.lost(thing["members"], 0.3),
    }


class Make(NamedTuple):
    """How a kind of thing is drawn, how the two tables write it, and what namesakes share."""

    thing: Callable[[Draw], Record]
    left: Callable[[Draw, Record], Record]
    right: Callable[[Draw, Record], Record]
    alike: tuple[str, ...]


OTHER_KINDS = {
    "books": Make(book, shelf, shop, ("title", "given", "family", "house")),
    "premises": Make(premises, register, survey, ("way", "post", "district", "owner")),
    "parts": Make(part, catalogue, stock, ("kind", "metal", "bore", "maker")),
    "clubs": Make(club, yearbook, registry, ("town", "kind")),
}


def drawn_other(
    kind: str, size: int, seed: int, *, overlap: float = 0.75, mess: float = 1.0, twice: float = 0.0
) -> TablePair:
    """Two tables of about ``size`` rows; ``overlap`` of the things are in both, one in ten has a
    namesake, and a share ``twice`` of either table's things have a second row there.
    """
    name = f"{kind}-{size}-{overlap:g}-{mess:g}-{twice:g}-{seed}"
    draw, make = Draw(name, mess), OTHER_KINDS[kind]
    both = round(size * overlap)
    things = [make.thing(draw) for _ in range(2 * size - both)]
    for place in draw.random.sample(range(len(things)), len(things) // 10):
        model = draw.random.choice(things)
        things[place] |= {key: model[key] for key in make.alike}
    sides: list[list[tuple[int, Record]]] = []
    for write, numbers in ((make.left, range(size)), (make.right, range(size - both, len(things)))):
        again = draw.random.sample(numbers, round(twice * size))
        rows = [(number, write(draw, things[number])) for number in [*numbers, *again]]
        draw.random.shuffle(rows)
        sides.append(rows)
    keyed = [
        [(number, {"id": f"{letter}{at}"} | row) for at, (number, row) in enumerate(rows)]
        for letter, rows in zip("LR", sides, strict=True)
    ]
    truth = {
        (one["id"], other["id"])
        for number, one in keyed[0]
        for another, other in keyed[1]
        if number == another
    }
    left, right = ([row for _, row in rows] for rows in keyed)
    return TablePair(name, left, right, frozenset(truth))
