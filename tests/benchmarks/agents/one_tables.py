"""Single tables in which things are listed up to four times, drawn from a seed: customers of households
(father and son, twins and couples at one address), products in sizes and colours, companies with
branches, and publications whose talk and article are two things.

The second and further rows of a thing are written by another hand: slips, missing values, given and
family name exchanged, legal forms and titles shortened, telephones in two formats, another spelling of
the street. Each table also has things that are much like another and are not it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.agents.messy_tables import Record
from tests.benchmarks.agents.other_tables import Draw

GIVEN = {
    "Margarete": "Grete",
    "Johannes": "Hans",
    "Elisabeth": "Lisi",
    "Maximilian": "Max",
    "Theresia": "Resi",
    "Alexandra": "Alex",
    "Konrad": "Konrad",
    "Beatrix": "Trixi",
    "Leopold": "Poldi",
    "Valentin": "Valentin",
    "Dorothea": "Dora",
    "Sebastian": "Wastl",
    "Ludmila": "Mila",
    "Raimund": "Raimund",
    "Ottilie": "Otti",
    "Jakob": "Jakob",
}
ROADS = {"strasse": "str.", "gasse": "g.", "weg": "weg", "platz": "pl."}
TOWNS = {
    "Steyr": "4400",
    "Villach": "9500",
    "Bregenz": "6900",
    "Krems an der Donau": "3500",
    "Leoben": "8700",
    "Wels": "4600",
    "Kufstein": "6330",
    "Baden bei Wien": "2500",
}
HOSTS = ("gmx.at", "aon.at", "gmail.com", "outlook.com")

GARMENTS = (
    "rain jacket",
    "running shoe",
    "wool sweater",
    "hiking sock",
    "sun hat",
    "cycling glove",
)
SHADES = {"navy blue": "navy", "forest green": "green", "charcoal": "grey", "crimson": "red"}
SIZES = {"XS": "extra small", "S": "small", "M": "medium", "L": "large", "XL": "extra large"}

TRADES = ("Bakery", "Plumbing", "Logistics", "Dental Care", "Timber", "Print", "Catering", "Optics")
FORMS = {
    "Limited": "Ltd",
    "Incorporated": "Inc.",
    "Aktiengesellschaft": "AG",
    "Gesellschaft mbH": "GmbH",
}
SITES = {
    "Bristol": "0117",
    "Sheffield": "0114",
    "Norwich": "01603",
    "Cardiff": "029",
    "Aberdeen": "01224",
    "Exeter": "01392",
}

METHODS = ("Sampling", "Pruning", "Caching", "Indexing", "Scheduling", "Clustering", "Hashing")
MATTERS = (
    "Streaming Graphs",
    "Sparse Tensors",
    "Sensor Networks",
    "Column Stores",
    "Query Plans",
    "Spatial Joins",
    "Event Logs",
)
MANNERS = ("Adaptive", "Incremental", "Robust", "Distributed", "Approximate", "Fast")
TALKS = {
    "Intl. Conference on Data Systems": "ICDS",
    "Symposium on Large Graphs": "SLG",
    "Workshop on Storage": "WoS",
}
JOURNALS = {
    "Journal of Data Management": "J. Data Manag.",
    "Transactions on Information Retrieval": "Trans. Inf. Retr.",
}


def customer(draw: Draw) -> Record:
    given, family = draw.one_of(GIVEN), draw.word()
    return {
        "given": given,
        "family": family,
        "suffix": "",
        "born": f"{draw.number(1938, 2003)}-{draw.number(1, 12):02}-{draw.number(1, 28):02}",
        "street": draw.word() + draw.one_of(ROADS),
        "house": str(draw.number(1, 90)),
        "town": draw.one_of(TOWNS),
        "phone": f"6{draw.number(50, 99)}{draw.number(10**6, 10**7 - 1)}",
        "mail": f"{given[: draw.number(1, 4)]}.{family}{draw.number(1, 99)}@{draw.one_of(HOSTS)}".lower(),
    }


def relative(draw: Draw, thing: Record) -> Record:
    """Father and son, a twin, or husband and wife: one home, and what comes with it."""
    other = customer(draw)
    home = {key: thing[key] for key in ("family", "street", "house", "town")}
    kin = draw.one_of(("son", "twin", "spouse"))
    if kin == "son":
        year = int(thing["born"][:4]) + draw.number(22, 38)
        return (
            thing
            | {
                "born": f"{min(year, 2008)}{other['born'][4:]}",
                "mail": other["mail"],
                "suffix": "jun.",
            }
            | ({} if draw.random.random() < 0.5 else {"phone": other["phone"]})
        )
    if other["given"] == thing["given"]:
        other["given"] = next(name for name in GIVEN if name != thing["given"])
    other |= home | ({"born": thing["born"]} if kin == "twin" else {})
    other["mail"] = f"{other['given'][:3]}.{other['family']}@{draw.one_of(HOSTS)}".lower()
    return other | ({"phone": thing["phone"]} if draw.random.random() < 0.5 else {})


def customer_row(draw: Draw, thing: Record, again: bool) -> Record:
    given, family = thing["given"], thing["family"]
    street, house = thing["street"], thing["house"]
    phone = f"0{thing['phone'][:3]} {thing['phone'][3:]}"
    born = thing["born"]
    if again:
        if draw.often(0.2):
            given = GIVEN[given]
        given, family = draw.slipped(given), draw.slipped(family)
        if draw.often(0.1):
            given, family = family, given
        for road, short in ROADS.items():
            if street.endswith(road) and draw.often(0.5):
                street = street.removesuffix(road) + short
        if draw.often(0.4):
            phone = f"+43 {thing['phone'][:3]}/{thing['phone'][3:6]} {thing['phone'][6:]}"
        if draw.often(0.15):  # has moved
            street, house = draw.word() + "gasse", str(draw.number(1, 40))
    return {
        "Vorname": f"{given} {thing['suffix']}".strip() if not draw.often(0.2) else given,
        "Nachname": family,
        "Geburtsdatum": draw.lost(born, 0.15),
        "Adresse": draw.lost(draw.slipped(f"{street} {house}", 0.06), 0.05),
        "PLZ": draw.lost(TOWNS[thing["town"]], 0.06),
        "Ort": thing["town"].split(" ")[0] if draw.often(0.3) else thing["town"],
        "Telefon": draw.lost(phone, 0.2),
        "E-Mail": draw.lost(thing["mail"], 0.3),
    }


def garment(draw: Draw) -> Record:
    return {
        "brand": draw.word(),
        "line": draw.word(),
        "sort": draw.one_of(GARMENTS),
        "size": draw.one_of(SIZES),
        "shade": draw.one_of(SHADES),
        "price": str(draw.number(900, 19900)),
        "code": f"{draw.number(100, 999)}-{draw.number(1000, 9999)}",
        "grams": str(draw.number(40, 1200)),
        "ean": str(draw.number(10**12, 10**13 - 1)),
    }


def variant(draw: Draw, thing: Record) -> Record:
    other = garment(draw)
    change = draw.one_of(("size", "shade", "both"))
    size = draw.one_of([size for size in SIZES if size != thing["size"]])
    shade = draw.one_of([shade for shade in SHADES if shade != thing["shade"]])
    return (
        thing
        | {"ean": other["ean"], "code": thing["code"][:-1] + str((int(thing["code"][-1]) + 3) % 10)}
        | ({"size": size} if change != "shade" else {})
        | ({"shade": shade} if change != "size" else {})
    )


def garment_row(draw: Draw, thing: Record, again: bool) -> Record:
    name = f"{thing['brand']} {thing['line']} {thing['sort']}"
    size, shade, price = thing["size"], thing["shade"], f"{int(thing['price']) / 100:.2f}"
    if again:
        if draw.often(0.3):
            name = f"{thing['line']} {thing['sort']} by {thing['brand']}"
        name = draw.slipped(name)
        size = SIZES[size] if draw.often(0.4) else size
        shade = SHADES[shade] if draw.often(0.4) else shade
        price = f"EUR {price}" if draw.often(0.3) else price
        if draw.often(0.15):
            price = f"{int(thing['price']) * 0.9 / 100:.2f}"
    return {
        "title": name,
        "size": draw.lost(size, 0.05),
        "colour": draw.lost(shade, 0.05),
        "price": draw.lost(price, 0.1),
        "style no": draw.lost(
            thing["code"].replace("-", "") if draw.often(0.3) else thing["code"], 0.25
        ),
        "weight g": draw.lost(thing["grams"], 0.3),
        "EAN": draw.lost(thing["ean"], 0.45),
    }


def firm(draw: Draw) -> Record:
    town = draw.one_of(SITES)
    return {
        "name": f"{draw.word()} {draw.one_of(TRADES)}",
        "form": draw.one_of(FORMS),
        "street": f"{draw.number(1, 240)} {draw.word()} {draw.one_of(('Road', 'Street', 'Lane', 'Way'))}",
        "town": town,
        "post": f"{town[:2].upper()}{draw.number(1, 20)} {draw.number(1, 9)}"
        f"{draw.one_of('ABDEF')}{draw.one_of('GHJLN')}",
        "phone": str(draw.number(10**5, 10**6 - 1)),
        "vat": f"GB{draw.number(10**8, 10**9 - 1)}",
        "contact": f"{draw.word()} {draw.word()}",
    }


def branch(draw: Draw, thing: Record) -> Record:
    other = firm(draw)
    town = draw.one_of([town for town in SITES if town != thing["town"]])
    other |= {"name": thing["name"], "form": thing["form"], "town": town}
    other["post"] = town[:2].upper() + other["post"][2:]
    return other | ({"vat": thing["vat"]} if draw.random.random() < 0.3 else {})


def firm_row(draw: Draw, thing: Record, again: bool) -> Record:
    name, form, street = thing["name"], thing["form"], thing["street"]
    phone = f"{SITES[thing['town']]} {thing['phone']}"
    contact = thing["contact"]
    if again:
        form = FORMS[form] if draw.often(0.5) else ("" if draw.often(0.3) else form)
        name = draw.slipped(name.upper() if draw.often(0.2) else name)
        street = draw.slipped(street.replace("Road", "Rd").replace("Street", "St."))
        if draw.often(0.5):
            phone = f"+44 ({SITES[thing['town']][1:]}) {thing['phone'][:3]}-{thing['phone'][3:]}"
        if draw.often(0.4):
            contact = ", ".join(reversed(contact.split()))
        elif draw.often(0.2):
            contact = f"{draw.word()} {draw.word()}"
    return {
        "Company": f"{name} {form}".strip(),
        "Address": draw.lost(street, 0.08),
        "Town": draw.lost(thing["town"], 0.05),
        "Postcode": draw.lost(
            thing["post"].replace(" ", "") if draw.often(0.2) else thing["post"], 0.12
        ),
        "Tel": draw.lost(phone, 0.2),
        "VAT": draw.lost(thing["vat"], 0.45),
        "Contact person": draw.lost(contact, 0.25),
    }


def publication(draw: Draw) -> Record:
    first = draw.number(1, 380)
    return {
        "title": f"{draw.one_of(MANNERS)} {draw.one_of(METHODS)} of {draw.one_of(MATTERS)} with {draw.word()} Trees",
        "authors": "; ".join(
            f"{draw.one_of(GIVEN)} {draw.word()}" for _ in range(draw.number(1, 4))
        ),
        "venue": draw.one_of(TALKS),
        "year": str(draw.number(1994, 2019)),
        "pages": f"{first}-{first + draw.number(6, 14)}",
        "volume": "",
        "doi": f"10.{draw.number(1000, 9999)}/{draw.number(10**6, 10**7 - 1)}",
    }


def article(draw: Draw, thing: Record) -> Record:
    """The article that came of a talk, a year or two later, longer; at times an author more."""
    other, first = publication(draw), draw.number(1, 900)
    return thing | {
        "title": thing["title"] + (": Extended Version" if draw.random.random() < 0.2 else ""),
        "authors": thing["authors"]
        + (f"; {draw.one_of(GIVEN)} {draw.word()}" if draw.random.random() < 0.3 else ""),
        "venue": draw.one_of(JOURNALS),
        "year": str(int(thing["year"]) + draw.number(1, 2)),
        "pages": f"{first}-{first + draw.number(18, 40)}",
        "volume": f"{draw.number(3, 60)}({draw.number(1, 12)})",
        "doi": other["doi"],
    }


def publication_row(draw: Draw, thing: Record, again: bool) -> Record:
    title, authors, venue = thing["title"], thing["authors"].split("; "), thing["venue"]
    year, pages = thing["year"], thing["pages"]
    if again:
        title = draw.slipped(title.lower().capitalize() if draw.often(0.3) else title)
        if draw.often(0.4):
            authors = [f"{name.split()[1]}, {name[0]}." for name in authors]
        if len(authors) > 2 and draw.often(0.2):
            authors = [authors[0], "et al."]
        venue = (TALKS | JOURNALS)[venue] if draw.often(0.5) else venue
        if draw.often(0.3):
            venue = f"Proc. {venue} {year}" if thing["venue"] in TALKS else venue
        pages = "pp. " + pages.replace("-", "--") if draw.often(0.4) else pages
    return {
        "Author": draw.slipped("; ".join(authors), 0.08),
        "Title": title,
        "Published in": draw.lost(venue, 0.06),
        "Year": draw.lost(year, 0.08),
        "Vol.": draw.lost(thing["volume"], 0.15),
        "Pages": draw.lost(pages, 0.2),
        "DOI": draw.lost(thing["doi"], 0.6),
    }


class Kind(NamedTuple):
    """How a thing, one that is much like it, and a row of it are drawn."""

    thing: Callable[[Draw], Record]
    like: Callable[[Draw, Record], Record]
    row: Callable[[Draw, Record, bool], Record]


FIRST_ONES = {
    "customers": Kind(customer, relative, customer_row),
    "garments": Kind(garment, variant, garment_row),
    "branches": Kind(firm, branch, firm_row),
    "publications": Kind(publication, article, publication_row),
}
ONES = ((60, 0.3, 1.0, 0.15), (120, 0.1, 0.8, 0.2), (200, 0.4, 1.2, 0.2), (300, 0.2, 1.0, 0.15))
"""Things' rows to begin with, share of them that is listed again, mess, share that is like another."""


@dataclass(frozen=True)
class OneTable:
    """A table, and which of its rows are the same thing."""

    name: str
    rows: list[Record]
    clusters: tuple[frozenset[str], ...]

    @property
    def truth(self) -> frozenset[tuple[str, str]]:
        """Every two rows of one thing, sorted."""
        return pairs_of(self.clusters)

    def written(self, folder: Path) -> str:
        """The table as a CSV file."""
        path = folder / f"{self.name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(self.rows[0]))
            writer.writeheader()
            writer.writerows(self.rows)
        return str(path)


def pairs_of(clusters: Sequence[frozenset[str]]) -> frozenset[tuple[str, str]]:
    """Every two members of a cluster, sorted."""
    return frozenset(pair for cluster in clusters for pair in combinations(sorted(cluster), 2))


def drawn_once(
    kinds: dict[str, Kind],
    kind: str,
    size: int,
    seed: int,
    *,
    share: float,
    mess: float,
    alike: float,
) -> OneTable:
    """A table of ``size`` things and the further rows of a ``share`` of them, one to three each; a
    share ``alike`` of the things are much like another.
    """
    name = f"{kind}-{size}-{share:g}-{mess:g}-{alike:g}-{seed}"
    draw, make = Draw(name, mess), kinds[kind]
    models = [make.thing(draw) for _ in range(size - round(alike * size))]
    things = models + [
        make.like(draw, draw.random.choice(models)) for _ in range(size - len(models))
    ]
    rows: list[tuple[int, Record]] = []
    again = set(draw.random.sample(range(size), round(share * size)))
    for number, thing in enumerate(things):
        further = draw.random.choice((1, 1, 1, 1, 2, 2, 3)) if number in again else 0
        rows += [(number, make.row(draw, thing, at > 0)) for at in range(1 + further)]
    draw.random.shuffle(rows)
    clusters: dict[int, set[str]] = {}
    for at, (number, _) in enumerate(rows):
        clusters.setdefault(number, set()).add(f"R{at}")
    return OneTable(
        name,
        [{"id": f"R{at}"} | row for at, (_, row) in enumerate(rows)],
        tuple(frozenset(cluster) for cluster in clusters.values() if len(cluster) > 1),
    )


# drawn after what the first four showed was mended

SPECIES = {"dog": "canine", "cat": "feline", "rabbit": "rabbit", "horse": "equine"}
BREEDS = ("spaniel", "terrier", "tabby", "shepherd", "lop-eared", "pony", "mixed")
PETS = ("Bello", "Minka", "Luna", "Rocky", "Nero", "Sissi", "Balou", "Kira", "Filou", "Cleo")
ROLES = ("teacher", "nurse", "welder", "clerk", "cook", "driver", "analyst")


def patient(draw: Draw) -> Record:
    return {
        "pet": draw.one_of(PETS),
        "species": draw.one_of(SPECIES),
        "breed": draw.one_of(BREEDS),
        "born": f"{draw.number(2008, 2022)}-{draw.number(1, 12):02}-{draw.number(1, 28):02}",
        "owner": f"{draw.word()} {draw.word()}",
        "phone": f"{draw.number(2, 8)}{draw.number(10**5, 10**6 - 1)}",
        "chip": str(draw.number(10**14, 10**15 - 1)),
        "kilos": str(draw.number(8, 420)),
    }


def littermate(draw: Draw, thing: Record) -> Record:
    """Another animal of the owner, at times of the same litter."""
    other = patient(draw)
    if other["pet"] == thing["pet"]:
        other["pet"] = next(pet for pet in PETS if pet != thing["pet"])
    same = ("owner", "phone", "species", "breed", "born")[: draw.random.choice((2, 5))]
    return other | {key: thing[key] for key in same}


def patient_row(draw: Draw, thing: Record, again: bool) -> Record:
    owner, species, phone = thing["owner"], thing["species"], f"01/{thing['phone']}"
    kilos = int(thing["kilos"])
    if again:
        given, family = owner.split()
        if draw.often(0.5):
            owner = f"{family}, {given}" if draw.often(0.6) else f"{given[0]}. {family}"
        species = SPECIES[species] if draw.often(0.3) else species
        phone = f"0043 1 {thing['phone'][:3]} {thing['phone'][3:]}" if draw.often(0.4) else phone
        kilos += draw.number(-8, 8)
    return {
        "owner": draw.slipped(owner),
        "animal": draw.slipped(thing["pet"], 0.06),
        "species": draw.lost(species, 0.06),
        "breed": draw.lost(thing["breed"], 0.15),
        "date of birth": draw.lost(thing["born"], 0.15),
        "phone": draw.lost(phone, 0.15),
        "chip no": draw.lost(thing["chip"], 0.4),
        "weight": draw.lost(f"{max(kilos, 3) / 10:.1f} kg", 0.2),
    }


def applicant(draw: Draw) -> Record:
    return {
        "given": draw.one_of(GIVEN),
        "middle": draw.one_of("ABCDEFGHJKLMRSTW"),
        "family": draw.word(),
        "born": str(draw.number(1960, 2002)),
        "role": draw.one_of(ROLES),
        "employer": f"{draw.word()} {draw.one_of(TRADES)}",
        "town": draw.one_of(TOWNS),
        "mobile": str(draw.number(10**7, 10**8 - 1)),
        "handle": f"{draw.word().lower()}{draw.number(10, 9999)}",
    }


def colleague(draw: Draw, thing: Record) -> Record:
    """Somebody of the same employer and trade, or a namesake of the same town."""
    same = (
        ("employer", "role", "town") if draw.random.random() < 0.5 else ("given", "family", "town")
    )
    return applicant(draw) | {key: thing[key] for key in same}


def applicant_row(draw: Draw, thing: Record, again: bool) -> Record:
    name = f"{thing['given']} {thing['middle']}. {thing['family']}"
    mobile, employer = f"+43664{thing['mobile']}", thing["employer"]
    if again:
        if draw.often(0.5):
            name = f"{thing['family'].upper()} {thing['given']}"
        elif draw.often(0.3):
            name = f"{GIVEN[thing['given']]} {thing['family']}"
        mobile = f"0664 {thing['mobile'][:4]} {thing['mobile'][4:]}" if draw.often(0.5) else mobile
        employer = f"{draw.word()} {draw.one_of(TRADES)}" if draw.often(0.15) else employer
    return {
        "candidate": draw.slipped(name),
        "year of birth": draw.lost(thing["born"], 0.2),
        "profession": draw.lost(thing["role"], 0.1),
        "last employer": draw.lost(draw.slipped(employer), 0.15),
        "town": draw.lost(thing["town"], 0.1),
        "mobile": draw.lost(mobile, 0.2),
        "e-mail": draw.lost(f"{thing['handle']}@{HOSTS[int(thing['mobile']) % 4]}", 0.3),
    }


LAST_ONES = {
    "patients": Kind(patient, littermate, patient_row),
    "applicants": Kind(applicant, colleague, applicant_row),
}
