"""Prints an invented country's geography as N-Triples (seeded: the same output every time). Every
name is made up.
"""

import random
import re

R = random.Random(20407)
NS = "http://example.org/geography/"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
CLASSES = """Country Province Town River Mountain MountainRange=mountain_range Lake Road Sea Hollow Island Bridge
    Park=national_park University Person Language Dam"""
RELATIONS = """area;square_kilometres population capital borders largestTown=largest_town highestPoint=highest_point
    lowestPoint=lowest_point country province founded elevation;metres onRiver=situated_on_river length;kilometres
    source mouth crosses tributaryOf=tributary_of range=mountain_range depth;metres start=starting_point end=end_point
    passesThrough=passes_through governor birthPlace=place_of_birth birthYear=year_of_birth
    firstClimbedBy=first_climbed_by language=language_spoken sea spans opened span;metres town
    students=number_of_students contains dams height;metres coastOn=coast_on twinTown=twin_town"""
out, stems, numbers = {}, set(), set()  # out: a dict, for its order and its no doubles


def add(s, p, o):
    out[f"<{NS}{s}> {p if p[0] == '<' else f'<{NS}relation/{p}>'} {o} ."] = (s, p, o)


def rel(s, p, *objects):
    for o in objects:
        add(s, p, f"<{NS}{o}>")


def num(s, p, v):
    add(s, p, f'"{v}"^^<{XSD}{"integer" if isinstance(v, int) else "decimal"}>')


def new(cls, label):
    iri = "entity/" + label.replace(" ", "_")
    rel(iri, TYPE, "class/" + cls)
    add(iri, f"<{RDFS}label>", f'"{label}"@en')
    return iri


def word(ends, lo=1, hi=2):
    while True:
        onset, vowel, coda = (
            "b br c d dr f g gl h j k l m n p r s sk st t tr v w y z",
            "a e i o u a e o ae ei ou",
            "lnrs",
        )
        w = "".join(
            R.choice(onset.split()) + R.choice(vowel.split()) + R.choice(["", "", *coda])
            for _ in range(R.randint(lo, hi))
        ) + R.choice(ends.split())
        if 5 <= len(w) <= 9 and w[:5] not in stems and not re.search("[aeiouy]{3}", w):
            stems.add(w[:5])
            return w.capitalize()


def fresh(lo, hi):  # no two measures alike, so no superlative has a tie
    while (v := R.randint(lo, hi)) in numbers:
        pass
    numbers.add(v)
    return v


def walk(p, n):  # a way through neighbouring provinces
    path = [p]
    while len(path) < n and (step := [q for q in near[path[-1]] if q not in path]):
        path.append(R.choice(step))
    return path


for kind, spec in [("class", CLASSES), ("relation", RELATIONS)]:
    for x in spec.split():
        x, _, unit = x.partition(";")
        name, _, label = x.partition("=")
        add(
            f"{kind}/{name}",
            TYPE,
            f"<{RDFS}Class>" if kind == "class" else f"<{TYPE[1:-5]}Property>",
        )
        add(f"{kind}/{name}", f"<{RDFS}label>", f'"{(label or name).replace("_", " ").lower()}"@en')
        if unit:
            add(f"{kind}/{name}", f"<{RDFS}comment>", f'"in {unit.replace("_", " ")}"@en')
country = new("Country", word("oria undia avia"))
seas = [new("Sea", f"{word('ic ian')} Sea") for _ in range(2)]
ranges = [
    new("MountainRange", f"{word('en or ar')} {'Hills' if i > 4 else 'Mountains'}")
    for i in range(8)
]
tongues = [new("Language", word("ish ese ic")) for _ in range(6)]
provs = [
    new("Province", word("land mark shire wald ony este")) for _ in range(30)
]  # a grid of 6 by 5
near, home, size, height, course, banks = {p: [] for p in provs}, {}, {}, {}, {}, []
for i, p in enumerate(provs):
    for j in [i + 6] + ([i + 1, i + 7] if i % 6 < 5 else []):
        if j < 30 and R.random() < (0.3 if j == i + 7 else 0.93):
            for a, b in [(p, provs[j]), (provs[j], p)]:
                near[a].append(b)
                rel(a, "borders", b)
coast = {p: seas[i % 6 == 5] for i, p in enumerate(provs) if i % 6 in (0, 5)}
towns = [new("Town", word("tun hame byr feld vard vik mund borg")) for _ in range(150)]
for i, t in enumerate(towns):
    home[t] = provs[i % 30] if i < 60 else R.choice(provs)
    size[t] = fresh(2100, 48000) if R.random() < 0.7 else fresh(50000, 890000)
    rel(t, "province", home[t]), num(t, "population", size[t])
    num(t, "founded", R.randint(780, 1925)), num(t, "elevation", fresh(95, 940))
mountains = [
    new("Mountain", f"Mount {word('os a ek un')}" if i % 3 else word("horn spitz fell"))
    for i in range(60)
]
for i, m in enumerate(mountains):
    height[m], home[m] = fresh(1000, 4900), provs[i] if i < 30 else R.choice(provs)
    (
        num(m, "elevation", height[m]),
        rel(m, "province", home[m]),
        rel(m, "range", ranges[provs.index(home[m]) // 4]),
    )
people = [new("Person", f"{word('a e o in', 1, 1)} {word('sen ak ov ard')}") for _ in range(42)]
for i, c in enumerate(people):  # the first 30 govern, the others climb
    (
        rel(c, "birthPlace", R.choice(towns)),
        num(c, "birthYear", R.randint(*((1941, 1984) if i < 30 else (1830, 1935)))),
    )
for m in R.sample(mountains, 32):
    rel(m, "firstClimbedBy", R.choice(people[30:]))
for i, p in enumerate(provs):
    mine = sorted((t for t in towns if home[t] == p), key=size.get)
    (
        num(p, "area", fresh(28000, 412000) / 10),
        num(p, "population", int(sum(map(size.get, mine)) * R.uniform(1.2, 2.4))),
    )
    (
        rel(p, "capital", mine[-1] if R.random() < 0.6 else R.choice(mine)),
        rel(p, "largestTown", mine[-1]),
    )
    rel(p, "country", country), rel(p, "governor", people[i])
    (
        rel(p, "language", tongues[i // 10], R.choice(tongues)),
        rel(p, "coastOn", *filter(None, [coast.get(p)])),
    )
    rel(p, "highestPoint", max((m for m in mountains if home[m] == p), key=height.get))
    low = new("Hollow", f"{word('och en it')} {R.choice(['Hollow', 'Marsh', 'Flats'])}")
    num(low, "elevation", fresh(-60, 90)), rel(low, "province", p), rel(p, "lowestPoint", low)
lakes = [new("Lake", f"Lake {word('a en ir o')}") for _ in range(30)]
for x in lakes:
    home[x] = R.choice(provs)
    num(x, "area", fresh(30, 9500) / 10), num(x, "depth", fresh(4, 620))
    rel(x, "province", home[x], *R.sample(near[home[x]], R.random() < 0.25))
rivers = [new("River", word("e a ene ou ay", 1, 2)) for _ in range(40)]
for i, r in enumerate(rivers):  # the first 12 reach the sea, the others a river
    main = i >= 12 and rivers[R.randrange(min(i, 20))]
    path = course[r] = walk(
        R.choice(course[main] if main else list(coast)), R.randint(*((1, 3) if main else (3, 6)))
    )
    (
        rel(r, "crosses", *path),
        rel(r, "mouth", main or coast[path[0]]),
        rel(r, "tributaryOf", *filter(None, [main])),
    )
    rel(r, "source", R.choice([x for x in mountains + lakes if home[x] == path[-1]]))
    num(r, "length", fresh(20, 180) if main else fresh(300, 900) + len(path) * 20)
    for t in R.sample([t for t in towns if home[t] in path], min(3, len(path))):
        rel(t, "onRiver", r)
        banks.append((t, r))
for i in range(20):
    path, r = walk(R.choice(provs), R.randint(2, 5)), new("Road", f"Highway {i + 1}")
    stops = [R.choice([t for t in towns if home[t] == p]) for p in path]
    (
        rel(r, "start", stops[0]),
        rel(r, "end", stops[-1]),
        num(r, "length", fresh(15, 60) + 70 * len(path) + i),
    )
    rel(r, "passesThrough", *path, *stops[1:-1])
for _ in range(28):
    p, x = R.choice(list(coast)), new("Island", f"{word('ey ay oe')} Island")
    rel(x, "province", p), rel(x, "sea", coast[p]), num(x, "area", fresh(20, 6000) / 10)
    num(x, "population", fresh(0, 9000))
for t, r in R.sample(banks, 22):
    x = new("Bridge", f"{word('er en ow')} Bridge")
    (
        rel(x, "spans", r),
        rel(x, "town", t),
        num(x, "opened", R.randint(1790, 2015)),
        num(x, "span", fresh(40, 1900)),
    )
for p in R.sample(provs, 16):
    x = new("Park", f"{word('wood moor dale')} National Park")
    rel(x, "province", p), num(x, "area", fresh(40, 2900)), num(x, "founded", R.randint(1902, 2011))
    rel(x, "contains", *[y for y in mountains + lakes if home[y] == p][:2])
for t in R.sample(towns, 15):
    x = new("University", "University of " + t.split("/")[1])
    (
        rel(x, "town", t),
        num(x, "founded", R.randint(1480, 1990)),
        num(x, "students", fresh(900, 41000)),
    )
for r in R.sample(rivers, 12):
    x = new("Dam", f"{word('el an ot')} Dam")
    rel(x, "dams", r), num(x, "height", fresh(15, 240)), num(x, "opened", R.randint(1908, 1999))
for a, b in zip(towns[:40:2], towns[41:81:2], strict=True):
    rel(a, "twinTown", b), rel(b, "twinTown", a)
print("\n".join(out))
