"""Tables that say the same things differently, what is stated, and duplicates in one table."""

import csv
import io
import random
import time
from dataclasses import replace

import pytest

import kgnb
from kgnb.agents.entity_alignment.duplicates import merged
from kgnb.agents.entity_alignment.fields import (
    alike_words,
    amounts,
    kind_of,
    readings,
    same_phone,
)
from kgnb.agents.entity_alignment.values import Options
from kgnb.cli import main
from kgnb.errors import NotFit
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.agents import new_task
from kgnb.tasks.aligning import AligningTask, align
from tests.benchmarks.agents.messy_tables import KINDS, TRADED, TablePair, drawn, listed_twice


def key(iri):
    return iri.rsplit("/", 1)[-1]


def aligned(table, folder, **given):
    left, right = table.written(folder)
    return align(left, right, judge="first", embedder="characters", **given)


def pairs(outcome):
    return {(key(one), key(other)) for one, other, _ in outcome.settled.pairs()}


@pytest.mark.parametrize("kind", KINDS)
def test_most_rows_of_messy_tables_find_their_counterpart_and_the_estimate_is_true(kind, tmp_path):
    table = drawn(kind, 60, 23)
    outcome = aligned(table, tmp_path)
    found = pairs(outcome)
    right = len(found & table.truth)
    assert right / len(found) >= 0.95
    assert right / len(table.truth) >= 0.85
    assert abs(outcome.settled.estimated_precision - right / len(found)) <= 0.06


@pytest.mark.parametrize("kind", KINDS)
def test_lists_that_share_nothing_are_not_aligned(kind, tmp_path):
    assert len(pairs(aligned(drawn(kind, 60, 5, overlap=0.0, twins=0.0), tmp_path))) <= 2


def test_names_in_two_scripts_are_compared_as_they_sound(tmp_path):
    table = drawn("readers", 60, 23)
    found = pairs(aligned(table, tmp_path))
    assert len(found & table.truth) >= 0.95 * len(found) and len(found) >= 0.5 * len(table.truth)


def test_columns_may_stand_in_any_order_and_a_header_may_say_anything(tmp_path):
    table = drawn("restaurants", 40, 8)
    headers = {name: f"x{at}" for at, name in enumerate(reversed(list(table.right[0])))}
    turned = [{headers[name]: row[name] for name in reversed(list(row))} for row in table.right]
    plain = pairs(aligned(table, tmp_path))
    other = aligned(replace(table, name="turned", right=turned), tmp_path)
    assert len(pairs(other)) >= 0.9 * len(plain) > 25


def test_values_are_read_as_what_they_are():
    assert kind_of(["07.02.1999", "1999-02-07", "1980"]) == "date"
    assert kind_of(["ada@ex.org", "BO@EX.ORG"]) == "mail"
    assert kind_of(["www.ex.org", "https://a.example/x"]) == "url"
    assert (1999, 2, 7) in readings("07.02.1999") & readings("1999-02-07")
    assert set(amounts("1.250 kg")[0]) & set(amounts("1250")[0])
    assert kind_of(["1843-1894", "1879–1922", "1901"]) == "date"
    assert readings("1843-1894") == {(1843, 0, 0), (1894, 0, 0)}
    assert kind_of(["67-64-1", "7647-14-5", "64-17-5", "1310-73-2"]) == "code"
    assert kind_of(["3:28", "12:05"]) == "number" and amounts("1:00:05") == ((3605.0,),)
    assert readings("08/2011") == readings("2011-08") == {(2011, 8, 0)} and not readings("13/2011")
    assert same_phone("x7236", "01632 967236") > same_phone("x7236", "01632 967237") == 0
    assert same_phone("01632 967236 x12", "1632967236") == 1


def test_columns_in_another_unit_in_two_languages_or_within_a_text_tell_twins_apart(tmp_path):
    """Kilowatts and horsepower; month of registration; a number and what an order form calls it; and
    the fuel, a word of the model on one side.
    """
    draw, left, right, truth = random.Random(7), [], [], []
    fuels, packs = {"petrol": "Benzin", "diesel": "Gasöl", "electric": "Strom"}, ("2", "4", "5")
    for at in range(60):
        family, fuel, seats = NAMES[at % 6], draw.choice(list(fuels)), draw.choice(packs)
        power, month, year = (
            draw.randrange(40, 200),
            draw.randrange(1, 13),
            draw.randrange(2008, 2023),
        )
        left.append({"id": f"A{at}", "car": f"{family} {fuel}", "kW": str(power), "seats": seats})
        left[-1]["registered"] = f"{year}-{month:02}-{draw.randrange(1, 29):02}"
        right.append({"id": f"B{at}", "Modell": family, "Antrieb": fuels[fuel]})
        right[-1] |= {"PS": str(round(power * 1.35962)), "EZ": f"{month:02}/{year}"}
        right[-1]["Form"] = f"Typ{seats}/sitz"
        truth.append((f"A{at}", f"B{at}"))
    draw.shuffle(right)
    table = TablePair("cars", left, right, frozenset(truth))
    outcome = aligned(table, tmp_path)
    assert {"k W ~ PS", "registered ~ EZ", "seats ~ Form", "label ~ Antrieb"} <= set(
        outcome.settled.proposal.views
    )
    assert pairs(outcome) <= table.truth and len(pairs(outcome)) >= 57


def test_authors_by_their_initials_and_years_and_heights_in_other_units_are_told_apart(tmp_path):
    left, right, heights = [], [], []
    for at, family in enumerate(NAMES):
        for place, given in enumerate(("Vera", "Leo")):
            years, tall = 1800 + 5 * at + place, 160 + 2 * at + place
            own = f"{at}{given[0]}"
            left.append({"id": f"A{own}", "heading": f"{family}son, {given[0]}.", "cm": str(tall)})
            left[-1]["dates"] = f"{years}-{years + 60}"
            right.append({"id": f"B{own}", "name": f"{given} {family}son", "birth": str(years)})
            right[-1]["height"] = f"{tall / 100:.2f} m"
            heights.append((f"A{own}", f"B{own}"))
    table = TablePair("initials", left, right, frozenset(heights))
    outcome = aligned(table, tmp_path)
    assert pairs(outcome) <= table.truth and len(pairs(outcome)) >= 36
    fields = outcome.settled.proposal.views
    assert {"cm ~ height", "dates ~ birth"} <= set(fields)


PEOPLE = """@prefix : <http://{side}.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
NAMES = "Ada Bo Cem Dag Eva Fay Gus Hal Ida Jan Kai Lea Max Nia Oda Pia Rex Sol Tim Uwe".split()


def people(folder, side, stated="", born=lambda at: f"19{40 + at}-03-{at + 1:02}"):
    lines = [
        f':{name} rdfs:label "{name} {name[::-1].title()}sen" ; :born "{born(at)}" ; :town "{name[:2]}burg" .'
        for at, name in enumerate(NAMES)
    ]
    path = folder / f"{side}.ttl"
    path.write_text(PEOPLE.format(side=side) + "\n".join(lines) + "\n" + stated, encoding="utf-8")
    return str(path)


def test_what_is_stated_to_be_different_is_never_aligned_and_what_is_the_same_is_said(tmp_path):
    stated = (
        ":Ada owl:differentFrom <http://b.example/Ada> . :Bo owl:sameAs <http://b.example/Cem> .\n"
        "[] a owl:AllDifferent ; owl:distinctMembers ( :Eva <http://b.example/Eva> ) ."
    )
    files = people(tmp_path, "a", stated), people(tmp_path, "b")
    outcome = align(*files, judge="first", embedder="characters")
    found = pairs(outcome)
    assert ("Dag", "Dag") in found and ("Ada", "Ada") not in found and ("Eva", "Eva") not in found
    notes = " ".join(outcome.alignment.notes)
    assert "1 stated to be the same" in notes and "--seeds stated" in notes
    assert "stated to be different" in notes
    seeded = pairs(align(*files, judge="first", embedder="characters", seeds="stated"))
    assert ("Bo", "Cem") in seeded


def test_stated_seeds_that_are_not_there_are_an_error_that_says_what_counts(tmp_path):
    with pytest.raises(kgnb.DataError, match="owl:sameAs"):
        align(people(tmp_path, "a"), people(tmp_path, "b"), seeds="stated", judge="first")


def test_namesakes_born_on_other_days_are_left_out_where_days_agree_else(tmp_path):
    def other(at):
        return f"20{10 + at}-11-{at + 1:02}" if at < 3 else f"19{40 + at}-03-{at + 1:02}"

    outcome = align(
        people(tmp_path, "a"),
        people(tmp_path, "b", born=other),
        judge="first",
        embedder="characters",
    )
    sure = {key(one) for one, _, confidence in outcome.settled.pairs() if confidence >= 0.9}
    assert not sure & set(NAMES[:3]) and len(sure) >= 14


def test_duplicates_of_one_table_are_clustered_and_merged_out(tmp_path):
    table = drawn("companies", 60, 3, overlap=1.0, twins=0.0)
    rows = table.left
    again = [
        {
            **row,
            "id": f"C{at}",
            "company": row["company"].upper(),
            "phone": row["phone"].replace(" ", ""),
        }
        for at, row in enumerate(rows[:10])
    ]
    path = tmp_path / "one.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows([*rows, *again])
    task = new_task("align", {"left": str(path)}, judge="first", embedder="characters")
    assert isinstance(task, AligningTask)
    task.run_through()
    wanted = {frozenset((f"C{at}", row["id"])) for at, row in enumerate(rows[:10])}
    found = {frozenset((key(one), key(other))) for one, other, _ in task.settled().pairs()}
    assert len(found & wanted) >= 9 and len(found - wanted) <= 1
    table = list(csv.DictReader(io.StringIO(merged(task.settled()))))
    assert len(table) == 70 - len(found)
    assert sum(bool(row["merged from"]) for row in table) == len({min(pair) for pair in found})


def answers(letter, confidence):
    def reply(request):
        numbers = request.schema["properties"]["answers"]["items"]["properties"]["question"]["enum"]
        lines = ", ".join(
            f'{{"question": {number}, "why": "", "letter": "{letter}", "decision": "equivalent", '
            f'"confidence": {confidence}}}'
            for number in numbers
        )
        return f'{{"answers": [{lines}]}}'

    return ScriptedModel(reply)


def test_a_model_that_always_says_the_same_changes_nothing(tmp_path):
    left, right = drawn("people", 60, 9, noise=2.0).written(tmp_path)
    rule = align(left, right, judge="rule", embedder="characters")
    with pytest.warns(NotFit):
        weak = align(left, right, judge="cascade", model=answers("A", 0.9), embedder="characters")
    assert pairs(weak) == pairs(rule)


def test_plans_that_cannot_be_read_are_said(tmp_path):
    left, right = drawn("people", 40, 9, noise=2.0).written(tmp_path)
    model = ScriptedModel(
        lambda request: '{"answers": [{"question": 1, "tools": ["align", "reflect"]}]}'
    )
    outcome = align(
        left, right, judge="rule", planner="model", model=model, embedder="characters",
        options=Options(precision=0.99),
    )  # fmt: skip
    assert any("could not be used" in note for note in outcome.alignment.notes)


@pytest.mark.parametrize("kind", TRADED)
def test_goods_of_codes_and_sizes_and_firms_of_one_family_are_found(kind, tmp_path):
    table = drawn(kind, 80, 29, overlap=0.9, noise=0.8, twins=0.1)
    found = pairs(aligned(table, tmp_path))
    assert len(found & table.truth) >= 0.95 * len(found)
    assert len(found & table.truth) >= 0.7 * len(table.truth)


FASTENERS = {
    "M8x40 DIN 933 A2": "Sechskantschraube DIN 933 M8 x 40 A2",
    "M8x45 DIN 933 A2": "Sechskantschraube DIN933 M8 x 45 A2",
    "M6x20 DIN 912 8.8": "Zylinderschraube DIN 912 M6 x 20 8.8",
    "M10x60 DIN 931 A4": "Sechskantschraube DIN 931 M10x60 A4",
    "M5x16 DIN 7991 A2": "Senkschraube DIN 7991 M5 x 16 A2",
    "M12x80 DIN 931 8.8": "Sechskantschraube DIN931 M12 x 80 8.8",
}


def test_a_size_is_the_same_however_it_is_spaced(tmp_path):
    for side, names in (("a", FASTENERS), ("b", FASTENERS.values())):
        lines = [f"{side}{at},{name},{10 + at}" for at, name in enumerate(names)]
        (tmp_path / f"{side}.csv").write_text("id,item,bin\n" + "\n".join(lines), encoding="utf-8")
    outcome = align(
        str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), judge="first", embedder="characters",
        options=Options(precision=0),
    )  # fmt: skip
    assert pairs(outcome) == {(f"a{at}", f"b{at}") for at in range(6)}


def test_firms_of_one_family_in_two_trades_are_no_duplicates(tmp_path):
    table = listed_twice("family firms", 100, 5, share=0.1, noise=0.0, twins=0.25)
    path, _ = table.written(tmp_path)
    task = new_task("align", {"left": path}, judge="first", embedder="characters")
    task.run_through()
    trade = {row["id"]: row["Firma"].split()[0] for row in table.left}
    found = [(key(one), key(other)) for one, other, _ in task.settled().pairs()]
    assert len(found) >= 8 and all(trade[one] == trade[other] for one, other in found)


@pytest.mark.parametrize("turned", [False, True])
def test_several_rows_for_one_are_proposed_where_they_are_duplicates(turned, tmp_path):
    table = drawn("companies", 60, 3, overlap=0.8, twins=0.0)
    again = [
        {**row, "id": f"C{at}", "company": row["company"].upper()}
        for at, row in enumerate(table.left[:8])
    ]
    sides = [[*table.left, *again], table.right]
    left, right = sides[::-1] if turned else sides
    name = "turned" if turned else "plain"
    files = TablePair(name, left, right, table.truth).written(tmp_path)
    outcome = align(*files, judge="first", embedder="characters")
    assert any("proposed" in line for line in outcome.settled.summary()), "said on the screen too"
    proposed = [note for note in outcome.alignment.notes if "proposed" in note]
    assert len(proposed) == 1 and "--cardinality n:1" in proposed[0]
    assert proposed[0].startswith("1:n" if turned else "n:1")
    if not turned:
        several = align(
            *files, judge="first", embedder="characters", options=Options(cardinality="n:1")
        )
        assert len(several.settled.pairs()) > len(outcome.settled.pairs())
    plain = aligned(table, tmp_path)
    assert not any("proposed" in note for note in plain.alignment.notes)


@pytest.mark.fault("small files that kill or hang a reader")
def test_words_as_long_as_a_book_are_compared_by_their_beginnings() -> None:
    long = ["a" * 200_000 + tail for tail in "bcdefghi"]
    began = time.monotonic()
    alike = alike_words(["hutte", *long], ["hutte", "huttes", *long]).toarray()
    assert alike[0, 0] == 1 and 0.75 < alike[0, 1] < 1 and alike[1, 2] == 1
    assert time.monotonic() - began < 5  # a comparison of two takes the square of their length


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("kind", ["words", "one word", "figures"])
def test_cells_as_long_as_a_book_are_compared_by_their_beginnings_and_this_is_said(
    kind, tmp_path, capsys
) -> None:
    made = random.Random(1)
    letters = "".join(made.choices("abcdefghijklmnopqrstuvwxyz", k=200_000))
    spelt = [letters[at : at + made.randint(3, 9)] for at in range(0, 190_000, 9)]
    cells = {
        "words": [" ".join(made.choices(spelt, k=15_000)) for _ in range(10)],
        "one word": [letters[at:] + letters[:at] for at in range(10)],
        "figures": [" ".join(map(str, made.choices(range(10**6), k=15_000))) for _ in range(10)],
    }[kind]
    for side in "ab":
        with (tmp_path / f"{side}.csv").open("w") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "name", "about"])
            for at, cell in enumerate(cells):
                rows.writerow([f"{side}{at}", f"Hut {spelt[at]} {spelt[at + 1]}", cell])
    began = time.process_time()
    words = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--judge", "rule"]
    assert main(["align", *words, "-o", str(tmp_path / "o.csv")]) == 0
    said = capsys.readouterr().err
    assert "10 of 10 entities matched" in said
    assert "20 values of more than 2,000 characters: only the beginning is compared" in said
    assert time.process_time() - began < 20


WORDS = "Night River Shadow Glass Winter Garden Silent Border Last Summer Iron Letter House".split()
PEOPLE_NAMES = "Ana Bo Cem Dag Eva Fay Gus Hal Ida Jan Kai Lea Max Nia Oda Pia Rex Sol Tim".split()


def test_a_remake_of_the_same_title_is_another_film(tmp_path):
    films = [
        {
            "id": f"f{at}",
            "title": f"{WORDS[at % 13]} {WORDS[at * 5 % 11]}",
            "year": str(1950 + at),
            "director": f"{PEOPLE_NAMES[at * 3 % 19]} {WORDS[at * 7 % 13]}son",
            "runtime": f"{85 + at} min",
        }
        for at in range(60)
    ]
    listed = [
        {
            "id": f"m{at}",
            "name": f"{film['title']} ({film['year']})",
            "dir": ", ".join(reversed(film["director"].split())),
            "length": str(85 + at),
        }
        for at, film in enumerate(films)
        if at < 45
    ]
    listed += [
        {
            "id": f"r{at}",
            "name": f"{film['title']} ({2005 + at % 15})",
            "dir": f"{PEOPLE_NAMES[at % 19]} Petridis",
            "length": str(160 - at),
        }
        for at, film in enumerate(films)
        if at >= 53
    ]
    truth = frozenset((f"f{at}", f"m{at}") for at in range(45))
    found = pairs(aligned(TablePair("films", films, listed, truth), tmp_path))
    assert len(found & truth) >= 43
    assert sum(other.startswith("r") for _, other in found) <= 1


def test_a_host_by_its_short_name_and_a_name_with_figures_are_found_by_that_alone(tmp_path):
    roles = "web db mail app cache proxy".split()
    hosts = [
        {
            "id": f"h{at}",
            "host": f"{roles[at % 6]}{at:02}",
            "zone": ("prod", "test")[at % 2],
            "serial": f"SN{at * 7919 % 100_000:05}X",
        }
        for at in range(50)
    ]
    known = [
        {
            "id": f"c{at}",
            "fqdn": f"{host['host']}.{host['zone']}.example.org",
            "sn": host["serial"].lower() if at % 2 else "",
            "owner": PEOPLE_NAMES[at % 19],
        }
        for at, host in enumerate(hosts)
        if at % 5
    ]
    truth = frozenset((f"h{at}", f"c{at}") for at in range(50) if at % 5)
    found = pairs(aligned(TablePair("hosts", hosts, known, truth), tmp_path))
    assert found <= truth and len(found) >= 0.9 * len(truth)
    assert kind_of(["2-chlorotoluene", "2,4-dinitrobenzene"]) == "text"
    assert kind_of(["KX-TG6700B", "RE-2024-1006"]) == "code"


def test_rows_of_which_one_says_only_its_name_are_found_where_names_are_distinct(tmp_path):
    names = [f"{one} {other}" for one in WORDS[:8] for other in PEOPLE_NAMES[:7]]
    left = [
        {"id": f"a{at}", "name": name, "founded": str(1880 + at), "members": str(40 + at * 3)}
        for at, name in enumerate(names)
    ]
    right = [
        {
            "id": f"b{at}",
            "club": " ".join(reversed(name.split())),
            "since": str(1880 + at) if at % 3 else "",
        }
        for at, name in enumerate(names[:40])
    ]
    truth = frozenset((f"a{at}", f"b{at}") for at in range(40))
    found = pairs(aligned(TablePair("clubs", left, right, truth), tmp_path))
    assert found <= truth and len(found) >= 36


def test_a_code_is_the_same_in_one_word_or_in_three(tmp_path):
    """PWS 12 XL and PWS12XL; what is left over has other codes."""
    kinds = [("Grinder", "PWS"), ("Drill", "DHP"), ("Planer", "GHOL"), ("Jigsaw", "PSTX")]
    left, right = [], []
    for at in range(48):
        name, letters = kinds[at % 4]
        number, price = 110 + 7 * at, 40 + at % 3
        if at < 36:
            title = f"Acme {letters} {number} XL {name}"
            left.append({"id": f"l{at}", "title": title, "price": f"{price}.00"})
        if at >= 8:
            article = f"{name} {letters}{number}XL, new"
            right.append({"id": f"r{at}", "article": article, "euros": f"{price}"})
    truth = {(f"l{at}", f"r{at}") for at in range(8, 36)}
    found = pairs(aligned(TablePair("tools", left, right, frozenset(truth)), tmp_path))
    assert len(found & truth) >= 26 and len(found - truth) <= 1


def test_namesakes_of_two_lists_that_share_nothing_are_told_apart_by_their_days_of_birth(
    tmp_path, capsys
):
    draw = random.Random(5)
    given = "Ada Bo Cy Di Ed Flo Gus Hal Ida Jo Kit Lu".split()
    family = "Ash Birch Cedar Dale Elm Firth Gale Hill Isle".split()
    towns = "Ayr Bute Coll Deal Ely Fife".split()
    sides = []
    for side, column in (("left", "born"), ("right", "birthday")):
        rows = [
            {
                "id": f"{side}{at}",
                "name": f"{draw.choice(given)} {draw.choice(family)}",
                column: f"{draw.randrange(1940, 2000)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}",
                "town": draw.choice(towns),
            }
            for at in range(80)
        ]
        sides.append(rows)
    files = TablePair("clubs", *sides, frozenset()).written(tmp_path)
    assert main(["align", *files, "--judge", "rule", "--out", str(tmp_path / "same.csv")]) == 0
    said = capsys.readouterr().err
    assert "0 of 80 entities matched" in said and "no candidate is likely" in said
    assert "nothing seems to be shared: the likeliest pair has" in said
