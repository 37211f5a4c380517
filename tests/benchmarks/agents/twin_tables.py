"""Kinds of things that have near twins, for ``messy_tables``: vintages of a wine, versions of a track,
grades and packs of a chemical, players of one name, authors by their initials. Columns are in two
languages, names are one column here and two there, and numbers are in other units.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.benchmarks.agents.messy_tables import Record, Writer

ESTATES = (
    "Château Lascombes|Clos Beaumont|Domaine Perrin|Bodegas Olarra|Quinta do Vale|Tenuta Serristori|"
    "Weingut Kesselring|Castello Brolio|Fattoria Selva|Domaine Huber|Mas Martinet|Viña Arana"
).split("|")
CUVEES = "Vieilles Vignes|Réserve|Riserva|Grande Cuvée|Les Terrasses|Tradition".split("|")
REGIONS = {"Bordeaux": "Burdeos", "Tuscany": "Toscana", "Burgundy": "Borgoña", "Rhône": "Ródano"}
WINES = {"red": "tinto", "white": "blanco", "rosé": "rosado", "sparkling": "espumoso"}
BOTTLES = {"75": "0,75 l", "150": "1,5 l", "37.5": "0,375 l"}
ABBREVIATED = {"Château": "Ch.", "Domaine": "Dom.", "Bodegas": "Bod.", "Weingut": "Wgt."}

ACTS = (
    "The Velvet Harbour|Luna Castellano|Oskar Lind|Dead Pixels|DJ Kestrel|Northern Static|Ana Petrova|"
    "The Ironmongers|Kofi Mensah|Paper Lanterns|Blue Tarmac|Ivy Okonkwo"
).split("|")
FIRSTS = "Midnight Golden Broken Summer Paper Electric Silver Hollow Wild Neon Lost Winter".split()
SECONDS = "Rain Hearts Highway Mirror Machine River Light Dream Fever Horizon Echo Road".split()
VERSIONS = ("", "", "", "Remastered 2011", "Live", "Acoustic", "Radio Edit", "Extended Mix", "Demo")

CHEMICALS = {
    "Sodium chloride": ("7647-14-5", "Chlorure de sodium"),
    "Potassium nitrate": ("7757-79-1", "Nitrate de potassium"),
    "Acetone": ("67-64-1", "Acétone"),
    "Ethanol": ("64-17-5", "Éthanol"),
    "Sulfuric acid": ("7664-93-9", "Acide sulfurique"),
    "Sodium hydroxide": ("1310-73-2", "Soude caustique"),
    "Toluene": ("108-88-3", "Toluène"),
    "Citric acid": ("77-92-9", "Acide citrique"),
    "Glycerol": ("56-81-5", "Glycérine"),
    "Silver nitrate": ("7761-88-8", "Nitrate d'argent"),
    "Zinc oxide": ("1314-13-2", "Oxyde de zinc"),
    "Iodine": ("7553-56-2", "Iode"),
}
GRADES = {"ACS reagent": "réactif ACS", "technical": "technique", "HPLC": "qualité HPLC"}

CALLED = (
    "Luka Marco João Stefan Ivan Mohamed Kevin Pedro Sergio Mateo Kasper Emre Daniel Thomas Adam"
)
SURNAMES = (
    "Kovačić Müller Fernández Petrović Silva Diallo Novák Kowalski Öztürk Rossi Hansen Traoré García "
    "Schmidt Horvat Santos Moreau Larsson Sánchez Keita"
)
TEAMS = "FC Aldergate|Rovers 1903|Sporting Vale|Athletic Morava|Union Kastell|Real Soto".split("|")
PLACES = {"keeper": "Torwart", "back": "Verteidiger", "midfield": "Mittelfeld", "wing": "Flügel"}
NATIONS = {"Croatia": "Kroatien", "Germany": "Deutschland", "Spain": "Spanien", "Poland": "Polen"}

FIELDS = "botany geology poetry astronomy economics linguistics zoology medicine law".split()


def wine(draw: random.Random) -> Record:
    estate = draw.choice(ESTATES)
    return {
        "estate": estate,
        "cuvée": draw.choice(CUVEES),
        "vintage": str(draw.randrange(2005, 2022)),
        "bottle": draw.choice(("75", "75", *BOTTLES)),
        "region": list(REGIONS)[ESTATES.index(estate) % len(REGIONS)],
        "colour": draw.choice(list(WINES)),
        "alcohol": f"{draw.randrange(110, 150) / 10}",
        "price": str(draw.randrange(7, 90)),
    }


def _estate(write: Writer, one: Record) -> str:
    kind, _, name = one["estate"].partition(" ")
    return f"{ABBREVIATED.get(kind, kind)} {name}" if write.chance(0.3) else one["estate"]


def wine_a(write: Writer, one: Record) -> Record:
    return {
        "wine": write.typed(f"{_estate(write, one)} {one['cuvée']}"),
        "vintage": write.missing(one["vintage"], 0.04),
        "bottle": f"{one['bottle']} cl",
        "region": write.missing(one["region"], 0.15),
        "colour": write.missing(one["colour"], 0.1),
        "alcohol %": write.missing(one["alcohol"], 0.2),
        "price": f"{float(one['price']) * write.draw.uniform(0.85, 0.95):.2f}",
    }


def wine_b(write: Writer, one: Record) -> Record:
    vintage = "" if write.chance(0.04) else f" {one['vintage']}"
    return {
        "Vino": write.typed(f"{one['cuvée']}{vintage}"),
        "Bodega": write.typed(_estate(write, one)),
        "Formato": BOTTLES[one["bottle"]],
        "Región": write.missing(REGIONS[one["region"]], 0.2),
        "Tipo": write.missing(WINES[one["colour"]], 0.15),
        "Grado": write.missing(f"{one['alcohol'].replace('.', ',')} % vol", 0.25),
        "PVP": f"{float(one['price']) * write.draw.uniform(0.95, 1.3):.2f} €",
    }


def track(draw: random.Random) -> Record:
    return {
        "title": f"{draw.choice(FIRSTS)} {draw.choice(SECONDS)}",
        "act": draw.choice(ACTS),
        "version": draw.choice(VERSIONS),
        "album": f"{draw.choice(FIRSTS)} {draw.choice(SECONDS)}s",
        "year": str(draw.randrange(1975, 2023)),
        "seconds": str(draw.randrange(130, 420)),
        "isrc": f"GBAYE{draw.randrange(10**6, 10**7)}",
    }


def track_a(write: Writer, one: Record) -> Record:
    version = f" ({one['version']})" if one["version"] else ""
    seconds = int(one["seconds"])
    return {
        "Title": write.typed(one["title"] + version),
        "Artist": write.typed(one["act"]),
        "Album": write.missing(write.typed(one["album"]), 0.15),
        "Year": write.missing(one["year"], 0.15),
        "Length": write.missing(f"{seconds // 60}:{seconds % 60:02}", 0.1),
        "ISRC": write.missing(one["isrc"], 0.45),
    }


def track_b(write: Writer, one: Record) -> Record:
    version = f" - {one['version']}" if one["version"] and not write.chance(0.06) else ""
    act = one["act"]
    if act.startswith("The ") and write.chance(0.3):
        act = f"{act[4:]}, The"
    code = one["isrc"]
    return {
        "track": write.typed(one["title"] + version),
        "performer": write.typed(act),
        "release": write.missing(write.typed(one["album"]), 0.2),
        "released": write.missing(f"{one['year']}-{write.draw.randrange(1, 13):02}-05", 0.15),
        "ms": write.missing(str(int(one["seconds"]) * 1000 + write.draw.randrange(900)), 0.1),
        "isrc": write.missing(f"{code[:2]}-{code[2:5]}-{code[5:7]}-{code[7:]}", 0.45),
    }


def chemical(draw: random.Random) -> Record:
    return {
        "name": draw.choice(list(CHEMICALS)),
        "grade": draw.choice(list(GRADES)),
        "grams": draw.choice(("100", "250", "500", "1000", "2500")),
        "pure": draw.choice(("95", "97", "98", "99", "99.5")),
        "number": f"{draw.choice('ABC')}{draw.randrange(1000, 10000)}",
        "price": str(draw.randrange(9, 200)),
    }


def chemical_a(write: Writer, one: Record) -> Record:
    grams = int(one["grams"])
    return {
        "Product": write.typed(f"{one['name']}, {one['grade']}"),
        "CAS": write.missing(CHEMICALS[one["name"]][0], 0.12),
        "Assay": write.missing(f"≥{one['pure']}%", 0.15),
        "Pack": f"{grams} g" if grams < 1000 else f"{grams / 1000:g} kg",
        "Price": one["price"],
        "Maker's no.": write.missing(one["number"], 0.35),
    }


def chemical_b(write: Writer, one: Record) -> Record:
    number, french = CHEMICALS[one["name"]]
    return {
        "Désignation": write.typed(french if write.draw.random() < 0.8 else one["name"]),
        "Qualité": write.missing(GRADES[one["grade"]], 0.08),
        "N° CAS": write.missing(number, 0.12),
        "Pureté": write.missing(f"{one['pure'].replace('.', ',')} %", 0.2),
        "Conditionnement": f"{one['grams']} G",
        "Réf.": write.missing(one["number"].lower(), 0.35),
        "Prix": f"{float(one['price']) * write.draw.uniform(1, 1.4):.2f}".replace(".", ","),
    }


def player(draw: random.Random) -> Record:
    return {
        "given": draw.choice(CALLED.split()),
        "family": draw.choice(SURNAMES.split()),
        "born": f"{draw.randrange(1986, 2005)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}",
        "nation": draw.choice(list(NATIONS)),
        "team": draw.choice(TEAMS),
        "place": draw.choice(list(PLACES)),
        "cm": str(draw.randrange(168, 200)),
    }


def player_a(write: Writer, one: Record) -> Record:
    given = f"{one['given'][0]}." if write.chance(0.2) else one["given"]
    return {
        "player": write.typed(f"{given} {one['family']}"),
        "club": one["team"],
        "position": write.missing(one["place"], 0.05),
        "born": write.missing(one["born"], 0.1),
        "nationality": write.missing(one["nation"], 0.1),
        "height_cm": write.missing(one["cm"], 0.2),
    }


def player_b(write: Writer, one: Record) -> Record:
    year, month, day = one["born"].split("-")
    return {
        "Nachname": write.typed(one["family"]),
        "Vorname": "" if write.chance(0.1) else write.typed(one["given"]),
        "Verein": write.draw.choice(TEAMS) if write.chance(0.35) else one["team"],
        "Position": write.missing(PLACES[one["place"]], 0.1),
        "Geburtstag": write.missing(f"{day}.{month}.{year}", 0.1),
        "Nation": write.missing(NATIONS[one["nation"]], 0.1),
        "Größe": write.missing(f"{int(one['cm']) / 100:.2f} m".replace(".", ","), 0.2),
    }


def author(draw: random.Random) -> Record:
    born = draw.randrange(1780, 1930)
    return {
        "given": draw.choice(CALLED.split()),
        "middle": draw.choice(("", *CALLED.split()[:9])),
        "family": draw.choice(SURNAMES.split()),
        "born": str(born),
        "died": str(born + draw.randrange(35, 90)),
        "field": draw.choice(FIELDS),
        "number": str(draw.randrange(10**7, 10**8)),
    }


def author_a(write: Writer, one: Record) -> Record:
    name = f"{one['family']}, {one['given']} {one['middle']}".rstrip()
    if write.chance(0.3):
        letters = [f"{part[0]}." for part in (one["given"], one["middle"]) if part]
        name = f"{one['family']}, {' '.join(letters)}"
    return {
        "heading": write.typed(name),
        "dates": write.missing(f"{one['born']}-{one['died']}", 0.2),
        "field": write.missing(one["field"], 0.2),
        "authority": write.missing(one["number"], 0.5),
    }


def author_b(write: Writer, one: Record) -> Record:
    given = f"{one['given'][0]}." if write.chance(0.2) else one["given"]
    middle = f"{one['middle'][0]}. " if one["middle"] else ""
    return {
        "name": write.typed(f"{given} {middle}{one['family']}"),
        "birth": write.missing(one["born"], 0.15),
        "death": write.missing(one["died"], 0.2),
        "subject": write.missing(one["field"].title(), 0.25),
        "viaf": write.missing(one["number"], 0.5),
    }


TWIN_KINDS = {
    "wines": (wine, wine_a, wine_b),
    "tracks": (track, track_a, track_b),
    "chemicals": (chemical, chemical_a, chemical_b),
    "players": (player, player_a, player_b),
    "authors": (author, author_a, author_b),
}
TWINS_ALIKE = {
    "wines": ("estate", "cuvée", "region", "colour"),
    "tracks": ("title", "act"),
    "chemicals": ("name", "pure", "grams"),
    "players": ("family", "nation", "team"),
    "authors": ("given", "family"),
}
