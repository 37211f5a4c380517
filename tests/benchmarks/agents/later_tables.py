"""Tables of a third make, drawn after everything was fitted and set: two booking sites' hotels, a ward's
rota and a personnel list, two dealers' electronic components, municipalities in two languages, invoices
and ledger lines, a museum's objects, vehicles, and courses of a university; then flights, flats, sensors,
games of chess and plants. Columns have other names, orders and formats on either side; a share of the
things are near twins, told apart by a column or two.
"""

from __future__ import annotations

from tests.benchmarks.agents.messy_tables import Record, TablePair
from tests.benchmarks.agents.other_tables import Draw, Make

CHAINS = ("", "", "Ibex", "Grand Meridian", "StayWell", "Hotel Krone", "Auberge du Lac")
RESORTS = {
    "Lisbon": "Lisboa",
    "Porto": "Oporto",
    "Vienna": "Wien",
    "Cologne": "Köln",
    "Lyon": "Lyon",
}
ROADS = {"Rua": "R.", "Avenida": "Av.", "Hauptstraße": "Hauptstr.", "Boulevard": "Bd"}

WARDS = {
    "Intensive care": "ICU",
    "Maternity": "MAT",
    "Cardiology": "CARD",
    "Emergency": "ED",
    "Paediatrics": "PAED",
}
GRADES = {"staff nurse": "Band 5", "senior nurse": "Band 6", "charge nurse": "Band 7"}
CALLED = {
    "Katherine": "Kate",
    "Michael": "Mike",
    "Susan": "Sue",
    "Elizabeth": "Liz",
    "Daniel": "Dan",
    "Fatima": "Fatima",
    "Joseph": "Joe",
    "Agnieszka": "Aga",
    "Olu": "Olu",
}

SORTS = {"resistor": "RES", "capacitor": "CAP", "inductor": "IND"}
UNITS = {"resistor": ("ohm", "R"), "capacitor": ("pF", "pF"), "inductor": ("nH", "nH")}
CASES = {"0402": "1005", "0603": "1608", "0805": "2012", "1206": "3216"}
MAKERS = {"Vantec": "VAN", "Murano Electric": "MUR", "Yagi Components": "YAG", "Kemtron": "KEM"}

ALPS = {
    "Bozen": "Bolzano",
    "Brixen": "Bressanone",
    "Bruneck": "Brunico",
    "Meran": "Merano",
    "Sterzing": "Vipiteno",
}
ENDINGS = {"berg": "monte", "tal": "valle", "dorf": "villa", "bach": "rio", "kirchen": "chiesa"}

WORKS = {
    "oil on canvas": "huile sur toile",
    "watercolour": "aquarelle",
    "etching": "eau-forte",
    "bronze": "bronze",
    "gouache on paper": "gouache sur papier",
}
MOTIFS = {
    "Portrait of a Lady": "Portrait de dame",
    "Landscape with Trees": "Paysage aux arbres",
    "Still Life": "Nature morte",
    "Harbour at Dusk": "Port au crépuscule",
    "Standing Figure": "Figure debout",
    "Self-portrait": "Autoportrait",
    "The Mill": "Le moulin",
    "View of the Bridge": "Vue du pont",
}

CARS = {
    "Volkswagen": ("VW", ("Golf", "Polo", "Passat")),
    "Mercedes-Benz": ("Mercedes", ("A 180", "C 200", "E 220")),
    "Škoda": ("Skoda", ("Octavia", "Fabia", "Superb")),
    "Opel": ("Opel", ("Corsa", "Astra", "Zafira")),
}
PAINTS = {"black": "schwarz", "white": "weiß", "silver": "silber", "blue": "blau", "red": "rot"}
PLACES = ("M", "B", "HH", "KA")
FUELS = {"petrol": "Benzin", "diesel": "Diesel", "electric": "Elektro"}

TOPICS = {
    "Linear Algebra": "Lineare Algebra",
    "Organic Chemistry": "Organische Chemie",
    "Microeconomics": "Mikroökonomie",
    "Roman Law": "Römisches Recht",
    "Data Structures": "Datenstrukturen",
    "Phonology": "Phonologie",
    "Statistics": "Statistik",
    "Thermodynamics": "Thermodynamik",
}
SORTED = {"Lecture": "VO", "Exercises": "UE", "Seminar": "SE", "Lab": "LU"}
DAYS = {"Monday": "Mo", "Tuesday": "Di", "Wednesday": "Mi", "Thursday": "Do", "Friday": "Fr"}
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def _day(draw: Draw, *years: int) -> str:
    return f"{draw.number(*years)}-{draw.number(1, 12):02}-{draw.number(1, 28):02}"


def _german(day: str) -> str:
    year, month, at = day.split("-")
    return f"{int(at)}.{int(month)}.{year}"


def hotel(draw: Draw) -> Record:
    return {
        "chain": draw.one_of(CHAINS),
        "own": draw.word(),
        "town": draw.one_of(RESORTS),
        "way": draw.one_of(ROADS),
        "named": draw.word(),
        "house": str(draw.number(1, 220)),
        "post": str(draw.number(1000, 9999)),
        "stars": str(draw.number(2, 5)),
        "rooms": str(draw.number(12, 400)),
        "phone": str(draw.number(10**6, 10**7 - 1)),
    }


def booking(draw: Draw, thing: Record) -> Record:
    name = f"{thing['chain']} {thing['own']}".strip()
    stars = "*" * int(thing["stars"])
    return {
        "hotel": draw.slipped(f"{name} {thing['town']}" if draw.often(0.4) else name),
        "category": draw.lost(stars, 0.15),
        "address": draw.lost(
            f"{thing['way']} {thing['named']} {thing['house']}, {thing['post']} {thing['town']}",
            0.06,
        ),
        "rooms": draw.lost(thing["rooms"], 0.25),
        "reservations": draw.lost(f"00{thing['post'][0]}9 {thing['phone']}", 0.3),
    }


def guide(draw: Draw, thing: Record) -> Record:
    name = f"{thing['own']} {thing['chain']}".strip() if draw.often(0.4) else ""
    name = name or f"Hotel {thing['chain']} {thing['own']}".replace("  ", " ").replace(
        "Hotel Hotel", "Hotel"
    )
    way = ROADS[thing["way"]] if draw.often(0.6) else thing["way"]
    return {
        "city": draw.lost(RESORTS[thing["town"]], 0.08),
        "zip": draw.lost(thing["post"], 0.12),
        "street": draw.lost(draw.slipped(f"{way} {thing['named']}"), 0.08),
        "no": draw.lost(thing["house"], 0.1),
        "name": draw.slipped(name),
        "stars": draw.lost(f"{thing['stars']},0", 0.2),
        "beds": draw.lost(str(2 * int(thing["rooms"]) + draw.number(-4, 4)), 0.3),
        "phone": draw.lost(f"+{thing['post'][0]}9-{thing['phone'][:3]}-{thing['phone'][3:]}", 0.35),
    }


def nurse(draw: Draw) -> Record:
    return {
        "given": draw.one_of(CALLED),
        "second": draw.one_of(("", "", *CALLED)),
        "family": draw.word(),
        "ward": draw.one_of(WARDS),
        "grade": draw.one_of(GRADES),
        "born": _day(draw, 1960, 1999),
        "began": _day(draw, 2005, 2022),
        "hours": draw.one_of(("20", "30", "37.5")),
        "extension": str(draw.number(2000, 7999)),
        "pin": f"{draw.number(10, 99)}{draw.one_of('ABCEG')}{draw.number(1000, 9999)}E",
    }


def rota(draw: Draw, thing: Record) -> Record:
    given = CALLED[thing["given"]] if draw.often(0.35) else thing["given"]
    return {
        "Who": draw.slipped(
            f"{thing['family']} {given[0]}." if draw.often(0.25) else f"{given} {thing['family']}"
        ),
        "Unit": draw.lost(WARDS[thing["ward"]], 0.05),
        "Band": draw.lost(GRADES[thing["grade"]].split()[1], 0.1),
        "h/wk": draw.lost(thing["hours"], 0.1),
        "ext.": draw.lost(f"x{thing['extension']}", 0.2),
        "NMC PIN": draw.lost(thing["pin"], 0.55),
    }


def personnel(draw: Draw, thing: Record) -> Record:
    second = f" {thing['second']}" if thing["second"] else ""
    return {
        "surname": draw.slipped(thing["family"].upper(), 0.07),
        "forenames": draw.slipped(thing["given"] + second, 0.05),
        "dob": draw.lost(_german(thing["born"]), 0.1),
        "department": draw.lost(thing["ward"] + " ward", 0.08),
        "job": draw.lost(thing["grade"], 0.1),
        "fte": draw.lost(f"{float(thing['hours']) / 37.5:.2f}", 0.15),
        "start": draw.lost(_german(thing["began"]), 0.1),
        "registration": draw.lost(thing["pin"].lower(), 0.5),
        "telephone": draw.lost(f"01632 96{thing['extension']}", 0.25),
    }


def component(draw: Draw) -> Record:
    maker = draw.one_of(MAKERS)
    value = draw.number(10, 99) * 10 ** draw.number(0, 4)
    return {
        "sort": draw.one_of(SORTS),
        "value": str(value),
        "tolerance": draw.one_of(("1", "2", "5", "10")),
        "case": draw.one_of(CASES),
        "volt": draw.one_of(("16", "25", "50", "100")),
        "maker": maker,
        "pieces": draw.one_of(("100", "1000", "5000")),
        "order": f"{MAKERS[maker]}{draw.number(1000, 9999)}{draw.one_of('FGJK')}T",
    }


def _short(value: int) -> str:
    for size, letter in ((10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return str(value)


def distributor(draw: Draw, thing: Record) -> Record:
    unit = UNITS[thing["sort"]][0]
    return {
        "MPN": draw.lost(thing["order"], 0.4),
        "Description": draw.slipped(
            f"{thing['sort'].title()} {_short(int(thing['value']))} {unit} {thing['case']}", 0.05
        ),
        "Tol.": draw.lost(f"±{thing['tolerance']}%", 0.08),
        "Rated V": draw.lost(f"{thing['volt']} V", 0.1),
        "Mfr": draw.lost(thing["maker"], 0.1),
        "Reel": draw.lost(f"{int(thing['pieces']):,}", 0.1),
    }


def bom(draw: Draw, thing: Record) -> Record:
    return {
        "qty": str(draw.number(1, 40)),
        "type": draw.lost(SORTS[thing["sort"]], 0.05),
        "value": draw.slipped(f"{_short(int(thing['value']))}{UNITS[thing['sort']][1]}", 0.03),
        "package": draw.lost(f"{thing['case']} ({CASES[thing['case']]})", 0.08),
        "accuracy": draw.lost(str(int(thing["tolerance"]) / 100), 0.12),
        "voltage": draw.lost(f"{thing['volt']}.0", 0.15),
        "vendor": draw.lost(draw.slipped(thing["maker"]), 0.15),
        "ordering code": draw.lost(
            f"{thing['order'][:3]}-{thing['order'][3:7]}-{thing['order'][7:]}", 0.45
        ),
        "packing": draw.lost(f"{thing['pieces']}/reel", 0.15),
    }


def municipality(draw: Draw) -> Record:
    return {
        "stem": draw.word(),
        "ending": draw.one_of(ENDINGS),
        "district": draw.one_of(ALPS),
        "people": str(draw.number(300, 40000)),
        "area": str(draw.number(300, 30000)),
        "metres": str(draw.number(220, 1800)),
        "post": f"39{draw.number(10, 99)}",
        "istat": f"0212{draw.number(10, 99)}{draw.number(0, 9)}",
        "mayor": f"{draw.word()} {draw.word()}",
    }


def gemeinde(draw: Draw, thing: Record) -> Record:
    return {
        "Gemeinde": draw.slipped(thing["stem"] + thing["ending"]),
        "Bezirk": draw.lost(thing["district"], 0.1),
        "Einwohner": draw.lost(f"{int(thing['people']):,}".replace(",", "."), 0.1),
        "Fläche km²": draw.lost(f"{int(thing['area']) / 100:.2f}".replace(".", ","), 0.15),
        "Seehöhe": draw.lost(f"{thing['metres']} m", 0.2),
        "Bürgermeister": draw.lost(draw.slipped(thing["mayor"]), 0.2),
        "PLZ": draw.lost(thing["post"], 0.2),
    }


def comune(draw: Draw, thing: Record) -> Record:
    stem = thing["stem"] + draw.one_of("aeio") if draw.often(0.5) else thing["stem"]
    grown = int(int(thing["people"]) * (1 + draw.number(-15, 25) / 1000))
    mayor = thing["mayor"] if not draw.often(0.15) else f"{draw.word()} {draw.word()}"
    return {
        "codice ISTAT": draw.lost(thing["istat"], 0.1),
        "comune": draw.slipped(f"{ENDINGS[thing['ending']].title()} {stem}"),
        "comprensorio": draw.lost(ALPS[thing["district"]], 0.1),
        "sindaco": draw.lost(mayor, 0.2),
        "CAP": draw.lost(f"I-{thing['post']}", 0.2),
        "abitanti": draw.lost(str(grown), 0.1),
        "superficie (ha)": draw.lost(thing["area"], 0.15),
        "altitudine": draw.lost(thing["metres"], 0.2),
    }


def invoice(draw: Draw) -> Record:
    return {
        "number": str(draw.number(10000, 99999)),
        "customer": f"{draw.word()} {draw.one_of(('Trading', 'Foods', 'Logistics', 'Print'))}",
        "form": draw.one_of(("Ltd", "GmbH", "SARL")),
        "day": _day(draw, 2021, 2023),
        "cents": str(draw.number(2000, 900000)),
        "for": f"{draw.one_of(('rent', 'licence', 'delivery', 'repair', 'consulting'))} {draw.one_of(MONTHS)}",
        "buyer": f"{draw.word()} {draw.word()}",
    }


def issued(draw: Draw, thing: Record) -> Record:
    return {
        "Invoice no.": draw.lost(f"INV-{thing['day'][:4]}-{thing['number']}", 0.1),
        "Customer": draw.slipped(f"{thing['customer']} {thing['form']}"),
        "Date": draw.lost(_german(thing["day"]), 0.08),
        "Net": draw.lost(f"{int(thing['cents']) / 100:.2f}", 0.08),
        "Gross": draw.lost(f"{int(thing['cents']) * 1.2 / 100:,.2f}", 0.08),
        "Text": draw.lost(thing["for"], 0.1),
        "Contact": draw.lost(thing["buyer"], 0.3),
    }


def ledger(draw: Draw, thing: Record) -> Record:
    year, month, at = thing["day"].split("-")
    paid = f"{at} {MONTHS[int(month) - 1]} {year}"
    number = thing["number"] if draw.often(0.6) else f"{thing['number']}/{year[2:]}"
    return {
        "booked": draw.lost(paid, 0.1),
        "amount": draw.lost(f"{int(thing['cents']) * 1.2 / 100:.2f}", 0.06),
        "party": draw.slipped(thing["customer"].upper() if draw.often(0.5) else thing["customer"]),
        "reference": draw.lost(
            f"Inv. {number} {thing['for']}" if draw.often(0.5) else f"{thing['for']}", 0.1
        ),
        "attn": draw.lost(thing["buyer"].split()[1], 0.4),
        "account": draw.one_of(("4000", "4100", "4400")),
    }


def exhibit(draw: Draw) -> Record:
    born = draw.number(1780, 1900)
    return {
        "motif": draw.one_of(MOTIFS),
        "given": draw.word(),
        "family": draw.word(),
        "born": str(born),
        "died": str(born + draw.number(30, 80)),
        "year": str(born + draw.number(20, 30)),
        "high": str(draw.number(150, 2000)),
        "wide": str(draw.number(150, 2000)),
        "made": draw.one_of(WORKS),
        "number": f"{draw.number(1890, 1999)}.{draw.number(1, 400)}",
        "gift": draw.word(),
    }


def inventory(draw: Draw, thing: Record) -> Record:
    circa = "c. " if draw.often(0.3) else ""
    return {
        "Accession": draw.lost(thing["number"], 0.35),
        "Artist": draw.slipped(
            f"{thing['given']} {thing['family']} ({thing['born']}-{thing['died']})"
        ),
        "Title": draw.slipped(thing["motif"]),
        "Date": draw.lost(circa + thing["year"], 0.12),
        "Medium": draw.lost(thing["made"], 0.1),
        "Dimensions": draw.lost(
            f"{int(thing['high']) / 10:g} x {int(thing['wide']) / 10:g} cm", 0.12
        ),
        "Credit line": draw.lost(f"Gift of {thing['gift']}", 0.3),
    }


def exhibition(draw: Draw, thing: Record) -> Record:
    name = (
        f"{thing['family']}, {thing['given'][0]}."
        if draw.often(0.3)
        else f"{thing['family']}, {thing['given']}"
    )
    return {
        "titre": draw.slipped(MOTIFS[thing["motif"]]),
        "auteur": draw.slipped(name),
        "technique": draw.lost(WORKS[thing["made"]], 0.15),
        "hauteur": draw.lost(f"{thing['high']} mm", 0.15),
        "largeur": draw.lost(f"{thing['wide']} mm", 0.15),
        "année": draw.lost(thing["year"], 0.15),
        "inv.": draw.lost(f"Inv. {thing['number']}", 0.45),
        "né": draw.lost(thing["born"], 0.2),
        "mort": draw.lost(thing["died"], 0.2),
    }


def vehicle(draw: Draw) -> Record:
    make = draw.one_of(CARS)
    vin = "".join(draw.one_of("ABCDEFGHJKLMNPRSTUVWXYZ0123456789") for _ in range(17))
    return {
        "make": make,
        "model": draw.one_of(CARS[make][1]),
        "vin": vin,
        "plate": f"{draw.one_of(PLACES)}-{draw.one_of('ABCDE')}{draw.number(10, 9999)}",
        "first": _day(draw, 2008, 2022),
        "km": str(draw.number(900, 240000)),
        "paint": draw.one_of(PAINTS),
        "fuel": draw.one_of(FUELS),
        "kw": str(draw.number(44, 190)),
    }


def fleet(draw: Draw, thing: Record) -> Record:
    return {
        "car": draw.slipped(f"{thing['make']} {thing['model']}"),
        "registration": draw.lost(thing["plate"], 0.2),
        "VIN": draw.lost(thing["vin"], 0.35),
        "first registered": draw.lost(thing["first"], 0.1),
        "odometer": draw.lost(f"{int(thing['km']):,} km", 0.15),
        "colour": draw.lost(thing["paint"], 0.1),
        "fuel": draw.lost(thing["fuel"], 0.1),
        "power kW": draw.lost(thing["kw"], 0.15),
    }


def insured(draw: Draw, thing: Record) -> Record:
    make = CARS[thing["make"]][0] if draw.often(0.7) else thing["make"]
    vin = thing["vin"][-6:] if draw.often(0.4) else thing["vin"]
    year, month, _ = thing["first"].split("-")
    return {
        "Fahrgestellnr.": draw.lost(vin, 0.3),
        "Hersteller": draw.lost(make, 0.05),
        "Typ": draw.slipped(thing["model"], 0.06),
        "EZ": draw.lost(f"{month}/{year}", 0.1),
        "km-Stand": draw.lost(str(int(thing["km"]) + draw.number(0, 900)), 0.15),
        "Farbe": draw.lost(PAINTS[thing["paint"]], 0.15),
        "Antrieb": draw.lost(FUELS[thing["fuel"]], 0.1),
        "PS": draw.lost(str(round(int(thing["kw"]) * 1.35962)), 0.15),
        "Kennzeichen": draw.lost(thing["plate"].replace("-", "").replace(" ", ""), 0.3),
    }


def course(draw: Draw) -> Record:
    return {
        "topic": draw.one_of(TOPICS),
        "part": draw.one_of(("", "I", "II")),
        "sort": draw.one_of(SORTED),
        "family": draw.word(),
        "given": draw.word(),
        "ects": draw.one_of(("2", "3", "4", "6")),
        "day": draw.one_of(DAYS),
        "hour": str(draw.number(8, 18)),
        "room": f"{draw.one_of('ABCH')}{draw.number(101, 420)}",
        "places": str(draw.number(10, 300)),
        "code": f"{draw.number(100, 999)}.{draw.number(100, 999)}",
    }


def prospectus(draw: Draw, thing: Record) -> Record:
    title = f"{thing['topic']} {thing['part']}".strip()
    return {
        "code": draw.lost(thing["code"], 0.4),
        "course": draw.slipped(f"{title} ({thing['sort']})"),
        "lecturer": draw.lost(draw.slipped(f"Prof. {thing['given']} {thing['family']}"), 0.06),
        "credits": draw.lost(thing["ects"], 0.1),
        "time": draw.lost(f"{thing['day']} {thing['hour']}:15-{int(thing['hour']) + 1}:45", 0.12),
        "room": draw.lost(thing["room"], 0.15),
    }


def timetable(draw: Draw, thing: Record) -> Record:
    title = f"{TOPICS[thing['topic']]} {thing['part'].replace('II', '2').replace('I', '1')}".strip()
    return {
        "Art": draw.lost(SORTED[thing["sort"]], 0.05),
        "Titel": draw.slipped(title),
        "Vortragende": draw.lost(f"{thing['family']}, {thing['given'][0]}.", 0.08),
        "Tag": draw.lost(DAYS[thing["day"]], 0.12),
        "Beginn": draw.lost(f"{int(thing['hour']):02}:15", 0.12),
        "Hörsaal": draw.lost(f"HS {thing['room']}", 0.2),
        "ECTS": draw.lost(f"{thing['ects']},0", 0.15),
        "Plätze": draw.lost(thing["places"], 0.2),
        "LV-Nr.": draw.lost(thing["code"].replace(".", ""), 0.45),
    }


LATER_KINDS = {
    "hotels": Make(hotel, booking, guide, ("chain", "town", "way", "named", "stars")),
    "rotas": Make(nurse, rota, personnel, ("family", "ward", "grade", "hours")),
    "components": Make(component, distributor, bom, ("sort", "value", "case", "maker", "pieces")),
    "municipalities": Make(municipality, gemeinde, comune, ("ending", "district", "post")),
    "invoices": Make(invoice, issued, ledger, ("customer", "form", "cents", "buyer")),
    "exhibits": Make(
        exhibit, inventory, exhibition, ("motif", "given", "family", "born", "died", "made")
    ),
    "vehicles": Make(vehicle, fleet, insured, ("make", "model", "paint", "fuel", "kw")),
    "courses": Make(course, prospectus, timetable, ("topic", "family", "given", "ects", "part")),
}


PORTS = {"Oslo": "OSL", "Madrid": "MAD", "Athens": "ATH", "Dublin": "DUB", "Zürich": "ZRH"}
LINES = {"Skyline Nordic": "SN", "Aer Celta": "EC", "Helio Air": "HX"}
PLANES = {"Airbus A320": "32A", "Boeing 737-800": "738", "Embraer 190": "E90", "ATR 72": "AT7"}
HEATING = {"gas": "Gas", "district": "Fernwärme", "heat pump": "Wärmepumpe", "oil": "Öl"}
RIVERS = ("Mitte", "Nordend", "Westhang", "Altstadt", "Südpark")
MEASURED = {
    "temperature": "Temperatur",
    "pressure": "Druck",
    "humidity": "Feuchte",
    "flow": "Durchfluss",
}
HALLS = {"Hall 1": "H1", "Hall 2": "H2", "Boiler room": "BR", "Roof": "RF", "Cellar": "CE"}
EVENTS = ("Harbour Open", "Winter Masters", "City League", "Junior Cup")
OPENINGS = {
    "Sicilian Defence": "B",
    "French Defence": "C",
    "Queen's Gambit": "D",
    "English Opening": "A",
}
GENERA = {"Acer": "maple", "Salvia": "sage", "Geranium": "cranesbill", "Sedum": "stonecrop"}
BLOOMS = {"white": "blanc", "pink": "rose", "violet": "violet", "yellow": "jaune"}


def flight(draw: Draw) -> Record:
    origin = draw.one_of(PORTS)
    return {
        "line": draw.one_of(LINES),
        "number": str(draw.number(100, 1999)),
        "from": origin,
        "to": draw.one_of([port for port in PORTS if port != origin]),
        "day": _day(draw, 2023, 2023),
        "hour": str(draw.number(6, 21)),
        "minute": draw.one_of(("00", "10", "25", "40", "55")),
        "plane": draw.one_of(PLANES),
        "tail": f"LN-{draw.one_of('ABDKR')}{draw.one_of('ABDKR')}{draw.one_of('EFGHX')}",
        "seats": str(draw.number(50, 189)),
        "lasts": str(draw.number(60, 240)),
    }


def planned_flight(draw: Draw, thing: Record) -> Record:
    return {
        "flight": draw.lost(f"{LINES[thing['line']]}{thing['number']}", 0.35),
        "carrier": draw.slipped(thing["line"]),
        "route": draw.lost(f"{thing['from']} - {thing['to']}", 0.05),
        "departure": draw.lost(f"{thing['day']} {thing['hour']}:{thing['minute']}", 0.1),
        "equipment": draw.lost(thing["plane"], 0.1),
        "block time": draw.lost(f"{int(thing['lasts']) // 60}:{int(thing['lasts']) % 60:02}", 0.15),
        "capacity": draw.lost(thing["seats"], 0.15),
    }


def flown(draw: Draw, thing: Record) -> Record:
    late = draw.number(0, 4)
    return {
        "reg": draw.lost(thing["tail"], 0.1),
        "ADEP": draw.lost(PORTS[thing["from"]], 0.05),
        "ADES": draw.lost(PORTS[thing["to"]], 0.05),
        "operator": draw.lost(LINES[thing["line"]], 0.05),
        "callsign": draw.lost(f"{LINES[thing['line']]} {thing['number']}", 0.4),
        "date": draw.lost(_german(thing["day"]), 0.1),
        "off block": draw.lost(f"{int(thing['hour']):02}{thing['minute']}", 0.15),
        "type": draw.lost(PLANES[thing["plane"]], 0.1),
        "minutes": draw.lost(str(int(thing["lasts"]) + late), 0.15),
        "pax": draw.lost(str(int(thing["seats"]) - draw.number(0, 40)), 0.2),
    }


def flat(draw: Draw) -> Record:
    return {
        "way": f"{draw.word()} {draw.one_of(('Street', 'Lane', 'Square'))}",
        "house": str(draw.number(1, 150)),
        "quarter": draw.one_of(RIVERS),
        "rooms": draw.one_of(("1", "2", "3", "4", "5")),
        "area": str(draw.number(25, 160)),
        "rent": str(draw.number(400, 2800)),
        "floor": str(draw.number(0, 9)),
        "built": str(draw.number(1900, 2020)),
        "heating": draw.one_of(HEATING),
        "agent": draw.word(),
    }


def offered(draw: Draw, thing: Record) -> Record:
    feet = round(int(thing["area"]) * 10.7639)
    return {
        "headline": draw.slipped(f"{thing['rooms']} room flat in {thing['quarter']}"),
        "address": draw.lost(draw.slipped(f"{thing['house']} {thing['way']}"), 0.2),
        "sq ft": draw.lost(f"{feet:,}", 0.1),
        "rent pcm": draw.lost(f"€{int(thing['rent']):,}", 0.08),
        "floor": draw.lost(thing["floor"], 0.2),
        "heating": draw.lost(thing["heating"], 0.2),
        "agency": draw.lost(f"{thing['agent']} Lettings", 0.2),
    }


def wohnung(draw: Draw, thing: Record) -> Record:
    way = thing["way"].replace("Street", "St.").replace("Square", "Sq.")
    return {
        "Stadtteil": draw.lost(thing["quarter"], 0.1),
        "Straße": draw.lost(draw.slipped(way), 0.2),
        "Nr": draw.lost(thing["house"], 0.2),
        "Zimmer": draw.lost(f"{thing['rooms']},0", 0.1),
        "Wohnfläche": draw.lost(f"{thing['area']} m²", 0.1),
        "Jahresmiete": draw.lost(str(12 * int(thing["rent"])), 0.15),
        "Etage": draw.lost(f"{thing['floor']}. OG", 0.2),
        "Baujahr": draw.lost(thing["built"], 0.2),
        "Heizung": draw.lost(HEATING[thing["heating"]], 0.2),
        "Makler": draw.lost(thing["agent"].upper(), 0.25),
    }


def sensor(draw: Draw) -> Record:
    return {
        "quantity": draw.one_of(MEASURED),
        "hall": draw.one_of(HALLS),
        "place": f"{draw.one_of('NSEW')}{draw.number(1, 12)}",
        "maker": draw.word(),
        "serial": f"{draw.number(10**6, 10**7 - 1)}",
        "low": str(draw.number(0, 9) * 5),
        "high": str(draw.number(10, 60) * 5),
        "checked": _day(draw, 2020, 2023),
        "period": draw.one_of(("6", "12", "24")),
    }


def fitted_sensor(draw: Draw, thing: Record) -> Record:
    return {
        "tag": draw.slipped(
            f"{thing['quantity'].title()} sensor {thing['hall']} {thing['place']}", 0.06
        ),
        "S/N": draw.lost(thing["serial"], 0.4),
        "make": draw.lost(thing["maker"], 0.12),
        "range": draw.lost(f"{thing['low']}...{thing['high']}", 0.12),
        "last cal.": draw.lost(thing["checked"], 0.12),
        "interval": draw.lost(f"{thing['period']} months", 0.1),
    }


def calibrated_sensor(draw: Draw, thing: Record) -> Record:
    return {
        "Messgröße": draw.lost(MEASURED[thing["quantity"]], 0.08),
        "Ort": draw.lost(f"{HALLS[thing['hall']]}/{thing['place']}", 0.1),
        "Gerätenr.": draw.lost(f"#{thing['serial'][-5:]}", 0.4),
        "Hersteller": draw.lost(draw.slipped(thing["maker"]), 0.15),
        "von": draw.lost(thing["low"], 0.15),
        "bis": draw.lost(thing["high"], 0.15),
        "Zyklus (a)": draw.lost(f"{int(thing['period']) / 12:g}", 0.1),
        "Datum": draw.lost(_german(thing["checked"]), 0.12),
    }


def game(draw: Draw) -> Record:
    return {
        "white": f"{draw.word()} {draw.word()}",
        "black": f"{draw.word()} {draw.word()}",
        "event": draw.one_of(EVENTS),
        "round": str(draw.number(1, 9)),
        "day": _day(draw, 1990, 2023),
        "result": draw.one_of(("1", "0", "half")),
        "opening": draw.one_of(OPENINGS),
        "moves": str(draw.number(18, 90)),
    }


def database_game(draw: Draw, thing: Record) -> Record:
    return {
        "White": draw.slipped(", ".join(reversed(thing["white"].split()))),
        "Black": draw.slipped(", ".join(reversed(thing["black"].split()))),
        "Event": draw.lost(f"{thing['event']} {thing['day'][:4]}", 0.1),
        "Rd": draw.lost(thing["round"], 0.1),
        "Result": {"1": "1-0", "0": "0-1", "half": "1/2-1/2"}[thing["result"]],
        "ECO": draw.lost(
            f"{OPENINGS[thing['opening']]}{draw.number(0, 9)}{draw.number(0, 9)}", 0.1
        ),
        "Plies": draw.lost(str(2 * int(thing["moves"]) - draw.number(0, 1)), 0.1),
    }


def bulletin(draw: Draw, thing: Record) -> Record:
    one, other = (
        f"{name.split()[0][0]}. {name.split()[1]}" for name in (thing["white"], thing["black"])
    )
    return {
        "partie": draw.slipped(f"{one} - {other}"),
        "tournoi": draw.lost(thing["event"], 0.1),
        "date": draw.lost(_german(thing["day"]), 0.15),
        "ronde": draw.lost(thing["round"], 0.15),
        "coups": draw.lost(thing["moves"], 0.15),
        "score": {"1": "1:0", "0": "0:1", "half": "½:½"}[thing["result"]],
        "début": draw.lost(thing["opening"], 0.2),
    }


def plant(draw: Draw) -> Record:
    return {
        "genus": draw.one_of(GENERA),
        "species": draw.word().lower() + "um",
        "cultivar": draw.word(),
        "pot": draw.one_of(("9", "11", "13", "19")),
        "high": str(draw.number(10, 250)),
        "colour": draw.one_of(BLOOMS),
        "blooms": str(draw.number(2, 9)),
        "price": str(draw.number(250, 3900)),
        "frost": str(draw.number(5, 30)),
    }


def nursery(draw: Draw, thing: Record) -> Record:
    return {
        "plant": draw.slipped(f"{thing['genus']} {thing['species']} '{thing['cultivar']}'"),
        "pot ø": draw.lost(f"P{thing['pot']}", 0.1),
        "height": draw.lost(f"{thing['high']} cm", 0.12),
        "flower": draw.lost(thing["colour"], 0.12),
        "month": draw.lost(MONTHS[int(thing["blooms"])], 0.15),
        "each": draw.lost(f"£{int(thing['price']) / 100:.2f}", 0.1),
        "hardy to": draw.lost(f"-{thing['frost']} °C", 0.2),
    }


def jardin(draw: Draw, thing: Record) -> Record:
    short = (
        f"{thing['genus'][0]}. {thing['species']}"
        if draw.often(0.4)
        else f"{thing['genus']} {thing['species']}"
    )
    return {
        "espèce": draw.slipped(short),
        "variété": draw.lost(draw.slipped(thing["cultivar"].upper()), 0.12),
        "fleur": draw.lost(BLOOMS[thing["colour"]], 0.15),
        "floraison": draw.lost(str(int(thing["blooms"]) + 1), 0.15),
        "conteneur": draw.lost(f"{int(thing['pot']) / 100:g} m", 0.12),
        "taille (m)": draw.lost(f"{int(thing['high']) / 100:.2f}".replace(".", ","), 0.15),
        "prix €": draw.lost(f"{int(thing['price']) * 1.17 / 100:.2f}", 0.12),
        "rusticité °F": draw.lost(str(round(-int(thing["frost"]) * 1.8 + 32)), 0.25),
    }


LAST_KINDS = {
    "flights": Make(
        flight, planned_flight, flown, ("line", "from", "to", "plane", "hour", "minute")
    ),
    "flats": Make(flat, offered, wohnung, ("way", "quarter", "rooms", "heating", "agent", "built")),
    "sensors": Make(
        sensor, fitted_sensor, calibrated_sensor, ("quantity", "hall", "maker", "period", "low")
    ),
    "games": Make(game, database_game, bulletin, ("white", "black", "event", "opening")),
    "plants": Make(plant, nursery, jardin, ("genus", "species", "pot", "blooms", "frost")),
}
"""The same, drawn once more after what the first eight showed was mended."""
LATER = ((60, 0.7, 1.0, 0.1), (120, 0.5, 1.2, 0.25), (200, 0.8, 0.8, 0.25), (80, 0.0, 1.0, 0.1))
"""Size, share that is in both, mess, share that are near twins."""


def drawn_later(
    kind: str, size: int, seed: int, *, overlap: float, mess: float, twins: float
) -> TablePair:
    """Two tables of ``size`` rows; ``overlap`` of the things are in both, and a share ``twins`` of all
    are like another in what that kind has ``alike``.
    """
    name = f"{kind}-{size}-{overlap:g}-{mess:g}-{twins:g}-{seed}"
    draw, make = Draw(name, mess), (LATER_KINDS | LAST_KINDS)[kind]
    both = round(size * overlap)
    things = [make.thing(draw) for _ in range(2 * size - both)]
    for place in draw.random.sample(range(len(things)), round(twins * len(things))):
        model = draw.random.choice(things)
        things[place] |= {key: model[key] for key in make.alike}
    keyed = []
    for letter, write, numbers in (
        ("L", make.left, range(size)),
        ("R", make.right, range(size - both, len(things))),
    ):
        order = draw.random.sample(numbers, size)
        keyed.append(
            {
                number: {"id": f"{letter}{at}"} | write(draw, things[number])
                for at, number in enumerate(order)
            }
        )
    left, right = keyed
    truth = {(left[number]["id"], right[number]["id"]) for number in range(size - both, size)}
    return TablePair(name, list(left.values()), list(right.values()), frozenset(truth))
