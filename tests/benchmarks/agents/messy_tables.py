"""Pairs of messy tables with known matches, drawn from a seed: companies, people, products, papers,
restaurants, museums, hospitals, groceries, readers whose names are written in two scripts, firms of
one family, fasteners, tyres and cables.

The two tables say the same things differently: other column names, orders and languages, parts in
one column or in several, abbreviations, legal forms, typing errors, missing values, twins that are
not the same thing, duplicates, and lists that share little or nothing.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.agents.twin_tables import TWIN_KINDS, TWINS_ALIKE

Record = dict[str, str]

GIVEN = (
    "Anna Emma Hana Giulia Ingrid Mara Lucía Chloé Sofia Nora Petra Zoé Aisha Katarzyna Birgit Ursula Magda Alice "
    "Tomás Noah Peter Lars Jürgen Pierre Marco Omar Jan Felix Oscar Ahmed Henrik Ivan Robert William Michael Thomas "
    "Charles Daniel Matthew Elizabeth Margaret Susan Katherine Alexander Benjamin Samuel Joseph Andrew"
).split()
NICKNAMES = {
    "Robert": "Bob",
    "William": "Bill",
    "Michael": "Mike",
    "Thomas": "Tom",
    "Charles": "Charlie",
    "Daniel": "Dan",
    "Matthew": "Matt",
    "Elizabeth": "Liz",
    "Margaret": "Maggie",
    "Susan": "Sue",
    "Katherine": "Kate",
    "Alexander": "Alex",
    "Benjamin": "Ben",
    "Samuel": "Sam",
    "Joseph": "Joe",
    "Andrew": "Andy",
}
FAMILY = (
    "Müller Schmidt Weber Fischer Bauer Huber Lindqvist Nowak Kowalski Rossi Bianchi Ferrari Dubois Moreau Lefèvre "
    "García Fernández Silva Santos O'Brien Walsh Byrne Okafor Mensah Tanaka Sato Kim Park Nguyen Tran Novák Svoboda "
    "Horváth Nagy Jansen Bakker Johansson Nielsen Hansen Larsen Virtanen Popescu Ivanova Petrov Haddad Khan Singh "
    "Patel Smith Johnson Taylor Brown Wilson Davies Evans Hughes Fraser MacLeod Schönberger Grünwald"
).split()
CITIES = {
    "Vienna": "Wien",
    "Munich": "München",
    "Cologne": "Köln",
    "Geneva": "Genève",
    "Prague": "Praha",
    "Warsaw": "Warszawa",
    "Copenhagen": "København",
    "Milan": "Milano",
    "Rome": "Roma",
    "Lisbon": "Lisboa",
    "Brussels": "Bruxelles",
    "Nuremberg": "Nürnberg",
    "Graz": "Graz",
    "Leeds": "Leeds",
    "Lyon": "Lyon",
    "Oslo": "Oslo",
    "Porto": "Porto",
    "Bern": "Bern",
    "Utrecht": "Utrecht",
    "Dublin": "Dublin",
}
COUNTRIES = {
    "Austria": "AT",
    "Germany": "DE",
    "Switzerland": "CH",
    "Czechia": "CZ",
    "Poland": "PL",
    "Denmark": "DK",
    "Italy": "IT",
    "Portugal": "PT",
    "Belgium": "BE",
    "United Kingdom": "GB",
    "France": "FR",
    "Norway": "NO",
    "Netherlands": "NL",
    "Ireland": "IE",
}
STREETS = (
    "Church Road,Station Street,Mill Lane,King Street,Park Avenue,Garden Road,High Street,Hauptstraße,Bahnhofstraße,"
    "Lindenstraße,Rue de la Gare,Rue Neuve,Via Roma,Via Verdi,Calle Mayor,Storgata,Oak Drive,Ring Road,Schulgasse,"
    "Marktplatz"
).split(",")
SHORTER = {
    "Road": "Rd",
    "Street": "St",
    "Lane": "Ln",
    "Avenue": "Ave.",
    "straße": "str.",
    "Drive": "Dr",
    "gasse": "g.",
    "Conference": "Conf.",
    "Journal": "J.",
    "International": "Intl.",
    "Proceedings": "Proc.",
    "Transactions": "Trans.",
    "Machinery": "Mach.",
    "Engineering": "Eng.",
    "Systems": "Sys.",
    "Technologies": "Tech.",
    "Logistics": "Log.",
    "Brothers": "Bros.",
    "Manufacturing": "Mfg.",
    "Associates": "Assoc.",
    "Museum": "Mus.",
    "National": "Nat.",
    "Restaurant": "Rest.",
}
FIRM = (
    "Nordlicht Alder Bramble Castor Delphi Ember Falcon Granite Harbour Iris Juniper Keystone Lumen Meridian Nimbus "
    "Orchard Pinnacle Quartz Raven Summit Tern Umbra Vertex Willow Zephyr Adler Brücke Edel Fjord Gletscher"
).split()
TRADE = (
    "Machinery Engineering Systems Technologies Logistics Foods Textiles Pharma Optics Timber Trading Software "
    "Consulting Energy Design Manufacturing Shipping Instruments"
).split()
FORMS = {
    "GmbH": ("Gesellschaft mit beschränkter Haftung", "GMBH", "Ges.m.b.H."),
    "Ltd": ("Limited", "LTD.", "Ltd."),
    "AG": ("Aktiengesellschaft", "A.G."),
    "Inc": ("Incorporated", "Inc."),
    "S.A.": ("SA", "Société Anonyme"),
    "B.V.": ("BV",),
    "S.r.l.": ("SRL", "Srl"),
    "LLC": ("L.L.C.",),
    "plc": ("PLC",),
    "SE": ("SE",),
}
BRANDS = (
    "Acton Belkor Corvane Dynex Elgato Fujira Garmond Hitori Ikonic Jensen Kodar Lexmar Moshi Nikora "
    "Orbit Philar"
).split()
THINGS = (
    "Wireless Mouse,Mechanical Keyboard,Digital Camera,LCD Monitor,Bluetooth Speaker,Coffee Maker,Hard Drive,"
    "Inkjet Printer,Noise Cancelling Headphones,Microwave Oven,Gas Cooktop,DVD Player,Car Stereo,Memory Card,Router"
).split(",")
COLOURS = {
    "black": "schwarz",
    "white": "weiß",
    "silver": "silber",
    "red": "rot",
    "blue": "blau",
    "green": "grün",
}
TOPIC = (
    "Query Optimisation,Stream Processing,Graph Databases,Entity Resolution,Schema Matching,Concurrency Control,"
    "Approximate Joins,Data Cleaning,Provenance Tracking,Index Structures,View Maintenance,Federated Search,"
    "Workload Forecasting,Transaction Recovery,Spatial Indexing,Knowledge Graphs"
).split(",")
MANNER = "Scalable Adaptive Robust Incremental Distributed Parallel Declarative Secure Efficient Learned Online".split()
SETTING = (
    "for Sensor Networks,in the Cloud,with Machine Learning,on Modern Hardware,under Uncertainty,for Web Data,"
    "at Scale,in Practice,with Guarantees,for Mobile Clients,over Encrypted Data,using Sampling"
).split(",")
VENUES = {
    "International Conference on Management of Data": "SIGMOD",
    "Very Large Data Bases": "VLDB",
    "International Conference on Data Engineering": "ICDE",
    "Journal of Data Systems": "JDS",
    "Transactions on Database Systems": "TODS",
}
DISH = "Bistro Trattoria Cantina Taverna Brasserie Café Osteria Grill Diner Tearoom Brewery Kitchen".split()
PLACE = "Olive Harbour Lantern Fig Anchor Swan Garden Lemon Mill Copper Rose Oak Pepper Moon Station Corner".split()
KITCHEN = {
    "Italian": "italienisch",
    "French": "französisch",
    "Thai": "thailändisch",
    "Indian": "indisch",
    "Mexican": "mexikanisch",
    "Greek": "griechisch",
}
MUSEUM = "Maritime Railway Folk Natural Textile Mining Photography Toy Aviation Design Ceramics Postal".split()

CARE = "General University Children's Saint-Mary Holy-Cross Memorial Veterans Regional Lakeside Riverside".split()
WARD = "Hospital Clinic,Medical Centre,Hospital,Infirmary,Health Centre".split(",")
GOODS = (
    "Oat Milk,Whole Milk,Olive Oil,Sparkling Water,Dark Chocolate,Basmati Rice,Tomato Passata,Ground Coffee,"
    "Green Tea,Strawberry Jam,Peanut Butter,Apple Juice"
).split(",")
MAKERS = "Aldena Brovia Cassel Dorfmann Estrella Fontana Grana Hellas Irmaos Jolie".split()
FIRST_NAMES = {
    "Сергей": ("Sergei", "Sergey", "Serhij"),
    "Юлия": ("Yulia", "Julia", "Iuliia"),
    "Александр": ("Alexander", "Aleksandr"),
    "Наталья": ("Natalia", "Natalya"),
    "Дмитрий": ("Dmitri", "Dmitry", "Dmitrij"),
    "Γιώργος": ("Giorgos", "Yorgos"),
    "Ελένη": ("Eleni", "Heleni"),
    "Мария": ("Maria", "Mariya"),
    "Андрей": ("Andrei", "Andrey"),
    "Νίκος": ("Nikos", "Nicos"),
}
LAST_NAMES = {
    "Щербаков": ("Shcherbakov", "Scherbakow"),
    "Иванов": ("Ivanov", "Iwanow"),
    "Кузнецов": ("Kuznetsov", "Kusnezow"),
    "Чайковский": ("Tchaikovsky", "Chaikovskii"),
    "Жуков": ("Zhukov", "Schukow"),
    "Παπαδόπουλος": ("Papadopoulos", "Papadopulos"),
    "Οικονόμου": ("Oikonomou", "Ekonomou"),
    "Хрущёв": ("Khrushchev", "Chruschtschow"),
    "Ющенко": ("Yushchenko", "Juschtschenko"),
    "Попов": ("Popov", "Popow"),
    "Βασιλείου": ("Vasileiou", "Vassiliou"),
    "Соколов": ("Sokolov", "Sokolow"),
    "Лебедев": ("Lebedev", "Lebedew"),
    "Μάρκου": ("Markou", "Marcou"),
}

FAMILIES = (
    "Gruber Berger Steiner Moser Mayr Hofer Leitner Reiter Winkler Brandl Kogler Egger Lechner Pichler Auer Haas"
).split()
TRADES = (
    "Bau Reisen Optik Malerei Dachdeckerei Spedition Gartenbau Tischlerei Metzgerei Druckerei Elektro "
    "Immobilien Fleischwaren Metallbau Apotheke Weinhandel"
).split()
NORMS = {
    "hex nut": ("Sechskantmutter", ("934", "985", "439")),
    "socket screw": ("Zylinderschraube", ("912", "7984", "6912")),
    "washer": ("Unterlegscheibe", ("125", "9021", "433")),
    "set screw": ("Gewindestift", ("913", "914", "916")),
    "stud": ("Stiftschraube", ("938", "939", "976")),
}
METAL = ("A4", "A4-80", "8.8", "10.9", "12.9", "Ms")
TYRE_MAKERS = "Arvento Borealis Contara Dunmoor Everton Falcaro Gislan Hankor".split()
TYRES = "EcoGrip,Sport 5,Winter Pro,AllSeason 2,Touring,Ice Master".split(",")
CABLES = {
    "NYM-J": "Mantelleitung",
    "H07V-K": "Aderleitung",
    "NYY-J": "Erdkabel",
    "J-Y(St)Y": "Fernmeldekabel",
}


@dataclass(frozen=True)
class TablePair:
    """Two tables, their rows by key, and which keys are the same thing."""

    name: str
    left: list[Record]
    right: list[Record]
    truth: frozenset[tuple[str, str]]

    def written(self, folder: Path) -> tuple[str, str]:
        """Both tables as CSV files."""
        paths = []
        for side, rows in (("a", self.left), ("b", self.right)):
            path = folder / f"{self.name}-{side}.csv"
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
            paths.append(str(path))
        return paths[0], paths[1]


class Writer:
    """Writes values as a careless person does; ``noise`` scales how often."""

    def __init__(self, draw: random.Random, noise: float) -> None:
        self.draw, self.noise = draw, noise

    def chance(self, share: float) -> bool:
        return self.draw.random() < share * self.noise

    def typed(self, text: str, share: float = 0.12) -> str:
        """The text, at times with one letter dropped, doubled, swapped or replaced."""
        if len(text) < 4 or not self.chance(share):
            return text
        at = self.draw.randrange(1, len(text) - 1)
        return self.draw.choice(
            (
                text[:at] + text[at + 1 :],
                text[:at] + text[at] + text[at:],
                text[:at] + text[at + 1] + text[at] + text[at + 2 :],
                text[:at] + self.draw.choice("aeinrst") + text[at + 1 :],
            )
        )

    def shortened(self, text: str, share: float = 0.3) -> str:
        for word, short in SHORTER.items():
            if word in text and self.chance(share):
                text = text.replace(word, short)
        return text

    def cased(self, text: str) -> str:
        return self.draw.choice((str.upper, str.lower))(text) if self.chance(0.1) else text

    def missing(self, text: str, share: float = 0.15) -> str:
        return self.draw.choice(("", "", "", "n/a", "-")) if self.chance(share) else text

    def text(self, text: str, missing: float = 0.0) -> str:
        return self.missing(self.cased(self.typed(self.shortened(text))), missing)


def digits(draw: random.Random, number: int) -> str:
    return str(draw.randrange(10 ** (number - 1), 10**number))


def _address(draw: random.Random) -> Record:
    city = draw.choice(list(CITIES))
    return {
        "street": draw.choice(STREETS),
        "house": str(draw.randrange(1, 180)),
        "postcode": digits(draw, 5),
        "city": city,
        "country": list(COUNTRIES)[list(CITIES).index(city) % len(COUNTRIES)],
        "phone": digits(draw, 9),
    }


def company(draw: random.Random) -> Record:
    names = draw.sample(FIRM, draw.choice((1, 1, 2)))
    name = f"{' & '.join(names)} {draw.choice(TRADE)}"
    site = "-".join(name.lower().replace("&", "").split())
    return {
        "name": name,
        "form": draw.choice(list(FORMS)),
        "site": f"{site}.example",
        "founded": str(draw.randrange(1890, 2020)),
        "vat": digits(draw, 9),
        **_address(draw),
    }


def person(draw: random.Random) -> Record:
    given, family = draw.choice(GIVEN), draw.choice(FAMILY)
    day = f"{draw.randrange(1940, 2005)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}"
    mail = f"{given}.{family}@{draw.choice(('mail', 'post', 'inbox'))}{draw.randrange(1, 9)}.example".lower().replace(
        "'", ""
    )
    return {"given": given, "family": family, "born": day, "mail": mail, **_address(draw)}


def product(draw: random.Random) -> Record:
    brand, thing = draw.choice(BRANDS), draw.choice(THINGS)
    model = "".join(draw.choices("ABDKLMRSTX", k=draw.choice((2, 3)))) + str(
        draw.randrange(10, 9900)
    )
    return {
        "brand": brand,
        "thing": thing,
        "model": model,
        "colour": draw.choice(list(COLOURS)),
        "price": f"{draw.randrange(20, 1500)}.{draw.choice(('00', '99', '49'))}",
        "weight": str(draw.randrange(50, 9000)),
        "ean": digits(draw, 13),
    }


def paper(draw: random.Random) -> Record:
    title = f"{draw.choice(MANNER)} {draw.choice(TOPIC)} {draw.choice(SETTING)}"
    names = [f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}" for _ in range(draw.randrange(1, 5))]
    first = draw.randrange(1, 900)
    return {
        "title": title,
        "authors": ", ".join(names),
        "venue": draw.choice(list(VENUES)),
        "year": str(draw.randrange(1985, 2015)),
        "pages": f"{first}-{first + draw.randrange(5, 25)}",
    }


def restaurant(draw: random.Random) -> Record:
    name = f"{draw.choice(('', 'The ', 'Old '))}{draw.choice(PLACE)} {draw.choice(DISH)}"
    return {"name": name, "kitchen": draw.choice(list(KITCHEN)), **_address(draw)}


def museum(draw: random.Random) -> Record:
    address = _address(draw)
    name = f"{draw.choice(('', 'National '))}{draw.choice(MUSEUM)} Museum {address['city']}"
    return {
        "name": name,
        "founded": str(draw.randrange(1850, 2015)),
        "visitors": str(draw.randrange(3000, 900000)),
        "lat": f"{draw.uniform(38, 60):.4f}",
        "lon": f"{draw.uniform(-8, 20):.4f}",
        **address,
    }


def _phone(write: Writer, number: str, style: int) -> str:
    shapes = (
        f"+43 {number[:3]} {number[3:]}",
        f"0{number[:2]}/{number[2:]}",
        f"0{number}",
        f"({number[:3]}) {number[3:6]}-{number[6:]}",
    )
    return write.missing(write.typed(shapes[style], 0.05), 0.25)


def _day(text: str, style: int) -> str:
    year, month, day = text.split("-")
    return (text, f"{day}.{month}.{year}", f"{day}/{month}/{year}", year)[style]


def company_a(write: Writer, one: Record) -> Record:
    return {
        "company": write.text(f"{one['name']} {one['form']}"),
        "street": write.missing(write.text(f"{one['street']} {one['house']}"), 0.2),
        "postcode": write.missing(one["postcode"], 0.15),
        "city": CITIES[one["city"]] if write.chance(0.5) else one["city"],
        "country": COUNTRIES[one["country"]],
        "phone": _phone(write, one["phone"], 0),
        "website": write.missing(f"www.{one['site']}", 0.35),
        "founded": write.missing(one["founded"], 0.3),
    }


def company_b(write: Writer, one: Record) -> Record:
    form = write.draw.choice(FORMS[one["form"]]) if write.chance(0.6) else one["form"]
    name = one["name"].replace("&", write.draw.choice(("and", "und", "+", "&")))
    post = one["postcode"] + " " if not write.chance(0.25) else ""
    address = f"{write.text(one['street'])} {one['house']}, {post}{one['city']}"
    return {
        "Firma": write.text(name + ("" if write.chance(0.3) else f" {form}")),
        "Anschrift": write.missing(address, 0.1),
        "Land": one["country"],
        "Tel.": _phone(write, one["phone"], 1),
        "Homepage": write.missing(f"https://{one['site']}/", 0.4),
        "Gründung": write.missing(one["founded"], 0.3),
        "UID": write.missing(COUNTRIES[one["country"]] + one["vat"], 0.2),
    }


def person_a(write: Writer, one: Record) -> Record:
    return {
        "Vorname": write.typed(one["given"], 0.06),
        "Nachname": write.typed(one["family"], 0.06),
        "Geburtsdatum": write.missing(_day(one["born"], 1), 0.2),
        "E-Mail": write.missing(one["mail"], 0.3),
        "Telefon": _phone(write, one["phone"], 2),
        "Ort": one["city"],
        "Straße": write.missing(write.text(f"{one['street']} {one['house']}"), 0.2),
    }


def person_b(write: Writer, one: Record) -> Record:
    given, family = write.typed(one["given"], 0.06), write.typed(one["family"], 0.06)
    if write.chance(0.15):
        given = NICKNAMES.get(given, given[0] + ".")
    name = f"{family}, {given}" if write.chance(0.4) else f"{given} {family}"
    return {
        "customer": write.cased(name),
        "address": write.missing(write.text(f"{one['street']} {one['house']}"), 0.25),
        "dob": write.missing(_day(one["born"], 0), 0.3),
        "mail": write.missing(write.cased(one["mail"]), 0.35),
        "mobile": _phone(write, one["phone"], 3),
    }


def product_a(write: Writer, one: Record) -> Record:
    return {
        "name": write.text(f"{one['brand']} {one['thing']} {one['model']}"),
        "colour": write.missing(one["colour"], 0.2),
        "price": write.missing(one["price"], 0.15),
        "weight": write.missing(f"{one['weight']} g", 0.3),
        "EAN": write.missing(one["ean"], 0.6),
    }


def product_b(write: Writer, one: Record) -> Record:
    model = one["model"] if not write.chance(0.3) else f"{one['model'][:2]}-{one['model'][2:]}"
    model = "" if write.chance(0.15) else f" - {model}"
    title = f"{one['brand']} {one['colour'] if write.chance(0.3) else ''} {one['thing']}{model}"
    price = float(one["price"]) * (
        write.draw.choice((0.9, 0.95, 1.05, 1.1)) if write.chance(0.35) else 1
    )
    return {
        "Bezeichnung": write.text(" ".join(title.split())),
        "Farbe": write.missing(COLOURS[one["colour"]], 0.2),
        "Preis": write.missing(f"{price:.2f}".replace(".", ","), 0.2),
        "Gewicht": write.missing(f"{int(one['weight']) / 1000:.2f} kg", 0.3),
        "Hersteller": write.missing(one["brand"], 0.2),
        "GTIN": write.missing(one["ean"], 0.6),
    }


def paper_a(write: Writer, one: Record) -> Record:
    return {
        "title": write.text(one["title"]),
        "authors": one["authors"],
        "venue": write.missing(one["venue"], 0.1),
        "year": write.missing(one["year"], 0.1),
    }


def paper_b(write: Writer, one: Record) -> Record:
    names = [name.split(" ", 1) for name in one["authors"].split(", ")]
    written = [f"{given[0]}. {family}" for given, family in names]
    if len(written) > 2 and write.chance(0.3):
        written = [written[0], "et al."]
    return {
        "Authors": " and ".join(written),
        "Paper": write.text(one["title"]),
        "Published in": write.missing(VENUES[one["venue"]], 0.15),
        "Year": write.missing(one["year"], 0.15),
        "pp.": write.missing(one["pages"], 0.3),
    }


def restaurant_a(write: Writer, one: Record) -> Record:
    return {
        "name": write.text(one["name"]),
        "addr": write.missing(write.text(f"{one['house']} {one['street']}"), 0.1),
        "city": one["city"],
        "phone": _phone(write, one["phone"], 3),
        "type": write.missing(one["kitchen"], 0.2),
    }


def restaurant_b(write: Writer, one: Record) -> Record:
    name = one["name"].removeprefix("The ") if write.chance(0.5) else one["name"]
    return {
        "Lokal": write.text(name),
        "Küche": write.missing(KITCHEN[one["kitchen"]], 0.2),
        "Adresse": write.missing(
            f"{write.text(one['street'])} {one['house']}, {CITIES[one['city']]}", 0.15
        ),
        "Telefon": _phone(write, one["phone"], 1),
    }


def museum_a(write: Writer, one: Record) -> Record:
    return {
        "museum": write.text(one["name"]),
        "opened": write.missing(one["founded"], 0.2),
        "latitude": write.missing(one["lat"], 0.2),
        "longitude": one["lon"],
        "visitors": write.missing(one["visitors"], 0.3),
        "city": one["city"],
    }


def museum_b(write: Writer, one: Record) -> Record:
    name = one["name"].replace("Museum", "Musée") if write.chance(0.2) else one["name"]
    return {
        "Nom": write.text(name),
        "Ville": CITIES[one["city"]],
        "Fondé": write.missing(one["founded"], 0.25),
        "Coordonnées": write.missing(f"{float(one['lat']):.3f}, {float(one['lon']):.3f}", 0.25),
        "Visiteurs": write.missing(f"{int(one['visitors']):,}".replace(",", " "), 0.3),
    }


def hospital(draw: random.Random) -> Record:
    address = _address(draw)
    return {
        "name": f"{draw.choice(CARE).replace('-', ' ')} {draw.choice(WARD)}",
        "beds": str(draw.randrange(20, 1400)),
        "npi": digits(draw, 10),
        **address,
    }


def grocery(draw: random.Random) -> Record:
    goods = draw.choice(GOODS)
    return {
        "maker": draw.choice(MAKERS),
        "goods": goods,
        "grams": str(draw.choice((100, 150, 200, 250, 330, 400, 500, 750, 1000, 1500))),
        "pack": str(draw.choice((1, 1, 1, 2, 4, 6, 12))),
        "price": f"{draw.randrange(1, 20)}.{draw.choice(('19', '49', '79', '99'))}",
        "gtin": digits(draw, 13),
    }


def reader(draw: random.Random) -> Record:
    day = f"{draw.randrange(1940, 2005)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}"
    return {
        "given": draw.choice(list(FIRST_NAMES)),
        "family": draw.choice(list(LAST_NAMES)),
        "born": day,
        "card": "".join(draw.choices("ABCDEFGH", k=2)) + digits(draw, 6),
        **_address(draw),
    }


def hospital_a(write: Writer, one: Record) -> Record:
    return {
        "facility": write.text(one["name"]),
        "address": write.missing(write.text(f"{one['house']} {one['street']}"), 0.1),
        "city": write.cased(one["city"]),
        "zip": write.missing(one["postcode"], 0.15),
        "beds": write.missing(one["beds"], 0.3),
        "phone": _phone(write, one["phone"], 3),
    }


def hospital_b(write: Writer, one: Record) -> Record:
    name = one["name"].replace("Saint", "St.").replace("Centre", "Center")
    place = f"{one['postcode']} {CITIES[one['city']]}"
    beds = str(int(one["beds"]) + write.draw.choice((0, 0, 0, 5, -10)))
    return {
        "Krankenhaus": write.text(f"{name} {CITIES[one['city']]}" if write.chance(0.4) else name),
        "Standort": write.missing(f"{write.text(one['street'])} {one['house']}; {place}", 0.1),
        "Betten": write.missing(beds, 0.3),
        "Telefon": _phone(write, one["phone"], 0),
    }


def grocery_a(write: Writer, one: Record) -> Record:
    size = f"{one['grams']} g" if int(one["grams"]) < 1000 else f"{int(one['grams']) / 1000:g} kg"
    return {
        "article": write.text(f"{one['maker']} {one['goods']}"),
        "size": write.missing(size, 0.1),
        "units": write.missing(one["pack"], 0.2),
        "price": write.missing(one["price"], 0.2),
        "barcode": write.missing(one["gtin"], 0.5),
    }


def grocery_b(write: Writer, one: Record) -> Record:
    size = (
        f"{one['grams']}g"
        if write.chance(0.5)
        else f"{int(one['grams']) / 1000:g}".replace(".", ",") + "kg"
    )
    many = f"{one['pack']}x" if one["pack"] != "1" else ""
    price = f"{one['price']} EUR".replace(".", ",")
    return {
        "Produkt": write.text(f"{one['goods']} {many}{size}"),
        "Marke": write.missing(one["maker"], 0.1),
        "Preis": write.missing(price, 0.2),
        "EAN": write.missing(one["gtin"], 0.5),
    }


def reader_a(write: Writer, one: Record) -> Record:
    return {
        "имя": f"{one['given']} {one['family']}",
        "дата рождения": write.missing(_day(one["born"], 1), 0.2),
        "билет": write.missing(one["card"], 0.5),
        "телефон": _phone(write, one["phone"], 2),
    }


def reader_b(write: Writer, one: Record) -> Record:
    given = write.draw.choice(FIRST_NAMES[one["given"]])
    family = write.draw.choice(LAST_NAMES[one["family"]])
    return {
        "name": write.typed(
            f"{family}, {given}" if write.chance(0.4) else f"{given} {family}", 0.06
        ),
        "dob": write.missing(_day(one["born"], 0), 0.25),
        "card no": write.missing(one["card"], 0.5),
        "mobile": _phone(write, one["phone"], 3),
        "street": write.missing(f"{one['street']} {one['house']}", 0.2),
    }


def family_firm(draw: random.Random) -> Record:
    return {
        "family": draw.choice(FAMILIES),
        "given": draw.choice(GIVEN),
        "trade": draw.choice(TRADES),
        "form": draw.choice(("GmbH", "AG", "SE", "Ltd")),
        "vat": digits(draw, 8),
        **_address(draw),
    }


def fastener(draw: random.Random) -> Record:
    kind = draw.choice(list(NORMS))
    return {
        "kind": kind,
        "norm": draw.choice(NORMS[kind][1]),
        "thread": draw.choice(("3", "4", "5", "6", "8", "10", "12", "16", "20")),
        "long": str(draw.randrange(6, 160, 2)),
        "metal": draw.choice(METAL),
        "pack": draw.choice(("50", "100", "200", "500")),
        "cents": str(draw.randrange(150, 9000)),
        "code": digits(draw, 7),
    }


def tyre(draw: random.Random) -> Record:
    return {
        "maker": draw.choice(TYRE_MAKERS),
        "model": draw.choice(TYRES),
        "wide": str(draw.randrange(155, 285, 10)),
        "flat": str(draw.randrange(35, 75, 5)),
        "inch": str(draw.randrange(14, 21)),
        "load": str(draw.randrange(75, 106)),
        "speed": draw.choice("THVWY"),
        "price": f"{draw.randrange(45, 260)}.{draw.choice(('00', '50', '90'))}",
        "ean": digits(draw, 13),
    }


def cable(draw: random.Random) -> Record:
    return {
        "type": draw.choice(list(CABLES)),
        "cores": draw.choice(("1", "2", "3", "4", "5", "7")),
        "area": draw.choice(("0.75", "1.5", "2.5", "4", "6", "10", "16")),
        "long": draw.choice(("10", "25", "50", "100", "500")),
        "colour": draw.choice(list(COLOURS)),
        "code": f"{draw.choice('KLMN')}{digits(draw, 5)}",
        "price": f"{draw.randrange(9, 900)}.{digits(draw, 2)}",
    }


def family_firm_a(write: Writer, one: Record) -> Record:
    given = f"{one['given']} " if write.chance(0.3) else ""
    return {
        "Firma": write.text(f"{one['trade']} {given}{one['family']} {one['form']}"),
        "Straße": write.missing(write.text(f"{one['street']} {one['house']}"), 0.1),
        "PLZ": write.missing(one["postcode"], 0.1),
        "Ort": one["city"],
        "Telefon": _phone(write, one["phone"], 1),
    }


def family_firm_b(write: Writer, one: Record) -> Record:
    form = write.draw.choice(FORMS[one["form"]]) if write.chance(0.4) else one["form"]
    return {
        "customer": write.text(
            f"{one['family']} {one['trade']} {'' if write.chance(0.3) else form}".strip()
        ),
        "address": write.missing(
            f"{write.text(one['street'])} {one['house']}, {one['postcode']} {CITIES[one['city']]}",
            0.15,
        ),
        "phone": _phone(write, one["phone"], 0),
        "VAT": write.missing(f"ATU{one['vat']}", 0.3),
    }


def fastener_a(write: Writer, one: Record) -> Record:
    cross = write.draw.choice(("x", "x", " x ", "X"))
    return {
        "item": write.cased(
            f"M{one['thread']}{cross}{one['long']} DIN {one['norm']} {one['metal']}"
        ),
        "pack": write.missing(f"{one['pack']} pcs", 0.25),
        "price": write.missing(f"{int(one['cents']) / 100:.2f}", 0.2),
        "supplier no.": write.missing(one["code"], 0.6),
    }


def fastener_b(write: Writer, one: Record) -> Record:
    norm = f"DIN{one['norm']}" if write.chance(0.3) else f"DIN {one['norm']}"
    metal = "" if write.chance(0.1) else f" {one['metal']}"
    cents = int(one["cents"]) * (write.draw.choice((0.9, 1.05, 1.1)) if write.chance(0.35) else 1)
    return {
        "Bezeichnung": write.typed(
            f"{NORMS[one['kind']][0]} {norm} M{one['thread']} x {one['long']}{metal}", 0.05
        ),
        "VE": write.missing(one["pack"], 0.25),
        "Preis": write.missing(f"{cents / 100:.2f}".replace(".", ","), 0.2),
        "Lief.-Nr.": write.missing(f"{one['code'][:3]}.{one['code'][3:]}", 0.5),
    }


def tyre_a(write: Writer, one: Record) -> Record:
    size = f"{one['wide']}/{one['flat']} R{one['inch']} {one['load']}{one['speed']}"
    return {
        "tyre": write.typed(f"{size} {one['maker']} {one['model']}", 0.05),
        "price": write.missing(one["price"], 0.15),
        "EAN": write.missing(one["ean"], 0.7),
    }


def tyre_b(write: Writer, one: Record) -> Record:
    speed = "" if write.chance(0.15) else f" {one['load']} {one['speed']}"
    price = float(one["price"]) * (write.draw.choice((0.85, 0.95, 1.1)) if write.chance(0.5) else 1)
    return {
        "Marke": write.missing(one["maker"], 0.05),
        "Profil": write.text(one["model"]),
        "Dimension": f"{one['wide']}/{one['flat']}R{one['inch']}{speed}",
        "Preis": write.missing(f"{price:.2f} EUR".replace(".", ","), 0.2),
        "GTIN": write.missing(one["ean"], 0.7),
    }


def cable_a(write: Writer, one: Record) -> Record:
    return {
        "article": write.missing(one["code"], 0.5),
        "text": write.typed(
            f"{one['type']} {one['cores']}x{one['area'].replace('.', ',')} mm² {one['long']}m", 0.04
        ),
        "colour": write.missing(one["colour"], 0.2),
        "net": write.missing(one["price"], 0.2),
    }


def cable_b(write: Writer, one: Record) -> Record:
    price = float(one["price"]) * (1.2 if write.chance(0.3) else 1)
    return {
        "Artikel": write.text(
            f"{CABLES[one['type']]} {one['type']} {one['cores']} x {one['area']}"
        ),
        "Länge": write.missing(f"{one['long']} m", 0.15),
        "Farbe": write.missing(COLOURS[one["colour"]], 0.2),
        "Nr.": write.missing(f"{one['code'][0]} {one['code'][1:]}", 0.5),
        "Preis": write.missing(f"{price:.2f} €", 0.2),
    }


KINDS: dict[
    str,
    tuple[
        Callable[[random.Random], Record],
        Callable[[Writer, Record], Record],
        Callable[[Writer, Record], Record],
    ],
] = {
    "companies": (company, company_a, company_b),
    "people": (person, person_a, person_b),
    "products": (product, product_a, product_b),
    "papers": (paper, paper_a, paper_b),
    "restaurants": (restaurant, restaurant_a, restaurant_b),
    "museums": (museum, museum_a, museum_b),
}
UNSEEN = {
    "hospitals": (hospital, hospital_a, hospital_b),
    "groceries": (grocery, grocery_a, grocery_b),
    "readers": (reader, reader_a, reader_b),
}
TRADED = {
    "family firms": (family_firm, family_firm_a, family_firm_b),
    "fasteners": (fastener, fastener_a, fastener_b),
    "tyres": (tyre, tyre_a, tyre_b),
    "cables": (cable, cable_a, cable_b),
}
"""Firms of one family in several trades, and goods that are told apart by codes and measures."""
ALL_KINDS = KINDS | UNSEEN | TRADED | TWIN_KINDS
TWIN = TWINS_ALIKE | {
    "companies": ("name", "site"),
    "people": ("family", "street", "house", "city", "phone"),
    "products": ("brand", "thing"),
    "papers": ("authors", "venue"),
    "restaurants": ("name",),
    "museums": ("city", "founded"),
    "hospitals": ("name", "city"),
    "groceries": ("maker", "goods"),
    "readers": ("given", "family"),
    "family firms": ("family", "street", "house", "postcode", "city", "phone"),
    "fasteners": ("kind", "norm", "thread", "metal"),
    "tyres": ("maker", "model", "wide", "flat", "inch"),
    "cables": ("type", "cores", "area", "colour"),
}
"""What two different things of a kind may have in common."""


def drawn(
    kind: str,
    size: int,
    seed: int,
    *,
    overlap: float = 0.8,
    noise: float = 1.0,
    twins: float = 0.08,
    keyed: bool = True,
) -> TablePair:
    """Two tables of ``size`` rows each, of which this share (``overlap``) is in both."""
    draw = random.Random(f"{kind} {size} {seed} {overlap} {noise} {twins}")
    make, one_way, other_way = ALL_KINDS[kind]
    both = round(size * overlap)
    things = [make(draw) for _ in range(2 * size - both)]
    for at in draw.sample(range(len(things)), round(twins * len(things))):
        twin = draw.choice(things)
        things[at] = things[at] | {key: twin[key] for key in TWIN[kind]}
    write = Writer(draw, noise)
    left = [one_way(write, one) for one in things[:size]]
    right = [other_way(write, one) for one in things[size - both :]]
    orders = [draw.sample(range(size), size) for _ in (left, right)]
    keys = [[f"{letter}{at}" for at in order] for letter, order in zip("AB", orders, strict=True)]
    truth = {(keys[0][at], keys[1][at - size + both]) for at in range(size - both, size)}
    tables = [
        sorted(
            ({"id": key} | row for key, row in zip(own, rows, strict=True)),
            key=lambda row: int(row["id"][1:]),
        )
        for own, rows in zip(keys, (left, right), strict=True)
    ]
    return TablePair(f"{kind}-{size}-{seed}-{overlap:g}", tables[0], tables[1], frozenset(truth))


def listed_twice(
    kind: str, size: int, seed: int, *, share: float = 0.1, noise: float = 1.0, twins: float = 0.08
) -> TablePair:
    """One table, on both sides, in which a share of the things stand twice, written differently."""
    draw = random.Random(f"{kind} {size} {seed} {share} {noise} {twins} once")
    make, one_way, _ = ALL_KINDS[kind]
    things = [make(draw) for _ in range(size)]
    for at in draw.sample(range(size), round(twins * size)):
        twin = draw.choice(things)
        things[at] = things[at] | {key: twin[key] for key in TWIN[kind]}
    write = Writer(draw, noise)
    numbers = [*range(size), *draw.sample(range(size), round(share * size))]
    draw.shuffle(numbers)
    rows = [{"id": f"A{at}"} | one_way(write, things[n]) for at, n in enumerate(numbers)]
    truth = {
        (f"A{at}", f"A{numbers.index(n)}") for at, n in enumerate(numbers) if numbers.index(n) != at
    }
    name = f"{kind}-{size}-{seed}-{share:g}-twice"
    return TablePair(name, rows, rows, frozenset(truth | {pair[::-1] for pair in truth}))
