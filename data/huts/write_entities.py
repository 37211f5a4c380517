"""Lays the tables of entities.txt out as hollenmark.ttl, corvane.ttl and the entity reference, the same every time.

The tables were typed by hand (see WORLD.md); run ``python data/huts/write_entities.py`` after changing one.
"""

# ruff: noqa: E501, D102, D103  # tables are wide, and the names say it

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE / "entities.txt"
BASE = "http://huts.example/"

TABLES = {  # kind of thing, table; in the order in which they are laid out
    "range": "ranges", "valley": "valleys", "village": "villages", "person": "people", "hut": "huts",
    "summit": "summits", "pass": "passes", "lake": "lakes", "glacier": "glaciers", "dish": "dishes",
    "ingredient": "ingredients", "station": "stations", "helipad": "helipads", "course": "courses", "route": "routes",
}  # fmt: skip
ROOM_KINDS = {
    "h": ("FourBedRoom", "Vierbettzimmer", 4),
    "c": ("RF_0000123", "Chambre à quatre lits", 4),
}
WITH_ROOMS = (
    "laerchgrundhuette",
    "hochkarhaus",
    "rotwandhaus",
    "sonnkopfhaus",
    "sorne_refuge",
    "fonts_refuge",
)
NUMBER_OF_NETWORK = (
    "laerchgrundhuette",
    "dreibachhuette",
    "hochkarhaus",
    "sorne_refuge",
    "lac_brisette_refuge",
    "ambre_refuge",
)
COLOURS = ("rot", "gelb", "blau"), ("rouge", "jaune", "bleu")

TYPES = {  # Hollenmark, Corvane
    "range": (":MountainRange", "r:RF_0000107"), "valley": (":Valley", "r:RF_0000106"), "village": ("t:Ort", "t:Village"),
    "s": (":StaffedHut", "r:RF_0000103"), "v": (":Bivouac", "r:RF_0000104"), "r": (":RescueHut", "r:RF_0000104"),
    "summit": (":Summit", "r:RF_0000105"), "pass": (":Pass", "r:RF_0000108"), "lake": ("t:See", "t:Lac"),
    "person": (":Person", "r:RF_0000114"), "route": (":Route", "r:RF_0000110"), "stage": (":Stage", "r:RF_0000111"),
    "dish": (":Dish", "r:RF_0000129"), "glacier": ("t:Gletscher", "t:Glacier"), "station": (":WeatherStation", "r:RF_0000132"),
    "ingredient": (":Ingredient", "r:RF_0000128"),
    "helipad": (":Helipad", ""), "course": ("", "r:RF_0000112"), "room": (":FourBedRoom", "r:RF_0000123"),
}  # fmt: skip
TERMS = {
    "range": (":partOfRange", "r:belongs_to_massif"), "hut valley": (":locatedIn", "r:is_situated_in"),
    "valley": ("t:liegtImTal", "t:dans_la_vallee"), "warden": (":hasWarden", "r:is_guarded_by"),
    "cook": ("t:koch", "t:cuisinier"), "village": ("t:talort", "t:village_de_depart"),
    "climbed from": ("t:ausgangspunkt", "t:acces_depuis"), "joins": ("t:verbindet", "t:relie"),
    "near": ("t:naechsteHuette", "t:refuge_proche"), "lives in": ("t:wohnhaftIn", "t:habite"),
    "guide": ("t:gefuehrtVon", "t:guide"), "stage": (":hasStage", "r:consists_of_leg"), "from": (":startsAt", "r:departs_from"),
    "to": (":endsAt", "r:arrives_at"), "ingredient": ("t:zutat", "t:ingredient"), "served at": ("t:wirdServiertIn", "t:servi_a"), "room": (":hasRoom", "r:contains_bedroom"),
    "metres": (":altitude", "r:has_elevation"), "beds": (":capacity", "r:has_number_of_sleeping_places"),
    "built": ("t:baujahr", "t:annee_de_construction"), "born": ("t:geburtsjahr", "t:annee_de_naissance"),
    "kilometres": (":lengthInKilometres", "r:measures_kilometres"), "hours": ("t:gehzeit", "t:duree"),
    "phone": ("t:telefon", "t:telephone"), "number": ("t:netznummer", "t:numero_reseau"), "colour": ("t:farbe", "t:couleur"),
}  # fmt: skip
HEADS = (
    """# The register of the Hollenmark Hut Union. Fictional; laid out by write_entities.py; CC0-1.0. See SOURCE.md.
@prefix : <http://huts.example/alpine#> .
@prefix i: <http://huts.example/hollenmark/> .
@prefix t: <http://huts.example/hollenmark/term#> .
""",
    """# The catalogue of the Fédération des refuges de la Corvane. Fictional; laid out by write_entities.py; CC0-1.0. See SOURCE.md.
@prefix r: <http://huts.example/refuge#> .
@prefix i: <http://huts.example/corvane/> .
@prefix t: <http://huts.example/corvane/term#> .
""",
)
PREFIXES = """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


class Union:
    """What one union publishes, in the order of the tables."""

    def __init__(self, side: int) -> None:
        self.side, self.letter = side, "hc"[side]
        self.things: dict[str, tuple[str, str, list[tuple[str, str]]]] = {}

    def lists(self, who: str) -> bool:
        return who in ("b", self.letter)

    def add(self, key: str, kind: str, name: str) -> None:
        self.things[key] = (kind, name, [])

    def link(self, key: str, term: str, other: str) -> None:
        if key in self.things and other in self.things:
            self.things[key][2].append((TERMS[term][self.side], f"i:{self.local(other)}"))

    def say(self, key: str, term: str, value: str) -> None:
        self.things[key][2].append((TERMS[term][self.side], value))

    def local(self, key: str) -> str:
        """The Hollenmark's IRIs read; the Corvane's are the numbers of cards in a catalogue."""
        return (
            slug(self.things[key][1]) + suffix(key, self.things)
            if self.side == 0
            else f"fiche-{list(self.things).index(key) + 1001}"
        )

    def turtle(self) -> str:
        language = ("de", "fr")[self.side]
        blocks = []
        for key, (kind, name, said) in self.things.items():
            lines = [
                f"i:{self.local(key)} a {TYPES[kind][self.side]}",
                f'rdfs:label "{name}"@{language}',
            ]
            blocks.append(
                " ;\n    ".join(lines + [f"{term} {value}" for term, value in said]) + " .\n"
            )
        return HEADS[self.side] + PREFIXES + "\n" + "\n".join(blocks)


def slug(name: str) -> str:
    for one, other in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("–", "-")):
        name = name.replace(one, other).replace(one.upper(), other.capitalize())
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def suffix(key: str, things: dict[str, tuple[str, str, list[tuple[str, str]]]]) -> str:
    same = [other for other, (_, name, _) in things.items() if slug(name) == slug(things[key][1])]
    return f"-{same.index(key) + 1}" if len(same) > 1 else ""


def read_tables() -> dict[str, list[list[str]]]:
    """The rows of every table: who lists the thing, its key, and the other cells."""
    tables: dict[str, list[list[str]]] = {}
    for line in SOURCE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            rows = tables.setdefault(line[1 : line.index("]")], [])
        elif line and not line.startswith("#"):
            first, *others = (cell.strip() for cell in line.split("|"))
            rows.append([first[0], first[2:], *others])
    return tables


def number(key: str, most: int) -> int:
    """A number that depends on the key alone: what two surveyors read differently."""
    return sum((place + 1) * ord(letter) for place, letter in enumerate(key)) % most


def person(name: str, side: int) -> str:
    first, _, last = name.partition(" ")
    return name if side == 0 else f"{last.upper()} {first}"


def publish(side: int) -> Union:
    """One union's things: first all of them by name, then what is said of each."""
    union = Union(side)
    tables = read_tables()
    listed = {
        kind: [row for row in tables[name] if union.lists(row[0])] for kind, name in TABLES.items()
    }
    for kind, chosen in listed.items():
        for row in chosen:
            shown = person(row[2], side) if kind == "person" else row[2 + side]
            union.add(row[1], row[7] if kind == "hut" else kind, shown)
    for row in listed["valley"]:
        union.link(row[1], "range", row[4])
    for row in listed["village"]:
        union.link(row[1], "valley", row[4])
        metres(union, row[1], row[5])
    for row in listed["person"]:
        union.link(row[1], "lives in", row[3])
        if side == 0 or number(row[1], 3):
            union.say(row[1], "born", f'"{row[4]}"^^xsd:gYear')
    for row in listed["hut"]:
        hut(union, row)
    for kind, term in (
        ("summit", "climbed from"),
        ("station", "near"),
        ("helipad", "near"),
        ("course", "near"),
    ):
        for row in listed[kind]:
            union.link(row[1], term, row[4])
            if kind == "summit":
                metres(union, row[1], row[5])
    for row in listed["pass"]:
        union.link(row[1], "joins", row[4])
        union.link(row[1], "joins", row[5])
        metres(union, row[1], row[6])
    for row in (*listed["lake"], *listed["glacier"]):
        union.link(row[1], "valley", row[4])
        union.link(row[1], "near", row[5])
        metres(union, row[1], row[6])
    for row in listed["dish"]:
        for where in row[4].split():
            union.link(row[1], "served at", where)
    for row in listed["ingredient"]:
        for dish in row[4].split():
            union.link(dish, "ingredient", row[1])
    for place, row in enumerate(listed["route"]):
        route(union, row, place)
    return union


def hut(union: Union, row: list[str]) -> None:
    key, side = row[1], union.side
    union.link(key, "hut valley", row[4])
    for term, at in (("warden", 9), ("cook", 10), ("village", 11)):
        union.link(key, term, row[at])
    metres(union, key, row[5])
    union.say(key, "beds", row[6])
    if side == 0 or number(key, 4):
        union.say(key, "built", f'"{row[8]}"^^xsd:gYear')
    if row[7] == "s":
        digits = f"{100000 + 7919 * number(key, 97):06d}"
        union.say(
            key,
            "phone",
            f'"0{digits[:2]}/{digits[2:]}"'
            if side == 0
            else f'"+99 {digits[:2]} {digits[2:4]} {digits[4:]}"',
        )
    if key in NUMBER_OF_NETWORK:
        union.say(key, "number", f'"TSN-{NUMBER_OF_NETWORK.index(key) + 1:02d}"')
    for at in range(1, 4) if key in WITH_ROOMS else ():
        _, kind, beds = ROOM_KINDS[union.letter]
        room, owner = f"{key}_room_{at}", union.things[key][1]
        union.add(room, "room", f"{kind} {at}, {owner}")
        union.link(key, "room", room)
        union.say(room, "beds", str(beds))


def route(union: Union, row: list[str], place: int) -> None:
    key, side = row[1], union.side
    union.link(key, "guide", row[4])
    union.say(key, "colour", f'"{COLOURS[side][place % 3]}"')
    before, *after = [part.split() for part in row[5].split(",")]
    for at, (where, kilometres, hours) in enumerate(after, start=1):
        stage, start = f"{key}_{at}", before[0]
        union.add(stage, "stage", f"{union.things[start][1]} – {union.things[where][1]}")
        union.link(key, "stage", stage)
        union.link(stage, "from", start)
        union.link(stage, "to", where)
        longer = number(stage, 3) / 10 if side else 0.0
        union.say(stage, "kilometres", f"{float(kilometres) + longer:.1f}")
        union.say(stage, "hours", f"{float(hours):.1f}")
        before = [where]


def metres(union: Union, key: str, value: str) -> None:
    """Both unions give altitudes; the Corvane surveyed some of them anew."""
    moved = number(key, 9) - 4 if union.side and number(key, 2) else 0
    union.say(key, "metres", str(int(value) + moved))


def main() -> None:
    """Write the two graphs, and which of their things are the same."""
    hollenmark, corvane = publish(0), publish(1)
    (HERE / "hollenmark.ttl").write_text(hollenmark.turtle(), encoding="utf-8")
    (HERE / "corvane.ttl").write_text(corvane.turtle(), encoding="utf-8")
    same = [
        f"{BASE}hollenmark/{hollenmark.local(key)}\t{BASE}corvane/{corvane.local(key)}\n"
        for key in hollenmark.things
        if key in corvane.things
    ]
    (HERE / "entity-reference.tsv").write_text("".join(same), encoding="utf-8")
    (HERE / "entity-seeds.tsv").write_text("".join(same[3::4]), encoding="utf-8")


if __name__ == "__main__":
    main()
