"""Without a model, the facts of one thing never stand at another, however a page is laid out."""

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from kgnb.agents.kg_construction.documents import html_text
from kgnb.tasks.building import build_graph, compile_ontology

TBOX = """
@prefix : <https://boats.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Boat a owl:Class ; rdfs:label "boat" .
:length a owl:DatatypeProperty ; rdfs:label "length" ; rdfs:comment "in metres (m)" ;
  rdfs:domain :Boat ; rdfs:range xsd:decimal .
:cabins a owl:DatatypeProperty ; rdfs:label "cabins" ; rdfs:domain :Boat ; rdfs:range xsd:integer .
:built a owl:DatatypeProperty ; rdfs:label "built" ; rdfs:domain :Boat ; rdfs:range xsd:gYear .
"""
BOATS = compile_ontology(rdflib.Graph().parse(data=TBOX, format="turtle"))
TRUE = {"Marlin": {"length": "18", "cabins": "4"}, "Tern": {"length": "23", "cabins": "2"}}


def read(text: str, name: str = "page.md") -> tuple[dict[str, dict[str, str]], list[str]]:
    """What was stated of each thing, and the reasons in the review."""
    built = build_graph({name: text}, BOATS, judge="rule")
    labels = built.session.labels()
    found: dict[str, dict[str, str]] = {}
    for subject, predicate, value in built.session.facts:
        if predicate.startswith("https://boats.example/"):
            said = found.setdefault(labels[str(subject)], {})
            name = predicate.rsplit("/", 1)[-1]
            assert name not in said, f"two values of {name}"
            said[name] = str(getattr(value, "text", value))
    return found, [doubt.reason for doubt in built.doubts]


BOTH = {
    "blank lines": "Marlin\nlength: 18 m\ncabins: 4\n\nTern\nlength: 23 m\ncabins: 2\n",
    "no blank line": "Marlin\nlength: 18 m\ncabins: 4\nTern\nlength: 23 m\ncabins: 2\n",
    "a rule": "Marlin\nlength: 18 m\ncabins: 4\n---\nTern\nlength: 23 m\ncabins: 2\n",
    "stars": "Marlin\nlength: 18 m\ncabins: 4\n* * *\nTern\nlength: 23 m\ncabins: 2\n",
    "a page break": "Marlin\nlength: 18 m\ncabins: 4\n\fTern\nlength: 23 m\ncabins: 2\n",
    "numbers": "1. Marlin\n   length: 18 m\n   cabins: 4\n2. Tern\n   length: 23 m\n   cabins: 2\n",
    "bullets": "- Marlin\n  - length: 18 m\n  - cabins: 4\n- Tern\n  - length: 23 m\n  - cabins: 2\n",
    "indented": "Marlin\n    length: 18 m\n    cabins: 4\nTern\n    length: 23 m\n    cabins: 2\n",
    "boxes to tick": "- [x] Marlin\n  - length: 18 m\n  - cabins: 4\n- [ ] Tern\n  - length: 23 m\n  - cabins: 2\n",
    "letters": "a) Marlin\nlength: 18 m\ncabins: 4\nb) Tern\nlength: 23 m\ncabins: 2\n",
    "letters with other keys below": "(a) Marlin\nlength: 18 m\ncabins: 4\n(b) Tern\ncabins: 2\nlength: 23 m\n",
    "pages": "Page 1\nMarlin\nlength: 18 m\ncabins: 4\nPage 2\nTern\nlength: 23 m\ncabins: 2\n",
    "a number first": "| length | boat | cabins |\n|---|---|---|\n| 18 m | Marlin | 4 |\n| 23 m | Tern | 2 |\n",
    "names first": "name: Marlin\nlength: 18 m\ncabins: 4\nname: Tern\nlength: 23 m\ncabins: 2\n",
    "names last": "length: 18 m\ncabins: 4\nname: Marlin\nlength: 23 m\ncabins: 2\nname: Tern\n",
    "a line below the name": "Marlin\nOf oak\nlength: 18 m\ncabins: 4\n\nTern\nOf steel\nlength: 23 m\ncabins: 2",
    "a gap below the name": "Marlin\n\nlength: 18 m\ncabins: 4\n\nTern\n\nlength: 23 m\ncabins: 2\n",
    "HTML blocks": html_text(
        "<div><b>Marlin</b><p>length: 18 m<br>cabins: 4</div><div><b>Tern</b><p>length: 23 m<br>cabins: 2"
    ),
    "a table": html_text(
        "<table><tr><th>name<th>length<th>cabins<tr><td>Marlin<td>18 m<td>4<tr><td>Tern<td>23 m<td>2</table>"
    ),
    "infoboxes": html_text(
        "<table><tr><th colspan=2>Marlin<tr><th>length<td>18 m<tr><th>cabins<td>4</table>"
        "<table><tr><th colspan=2>Tern<tr><th>length<td>23 m<tr><th>cabins<td>2</table>"
    ),
    "definitions": html_text(
        "<h2>Marlin</h2><dl><dt>length<dd>18 m<dt>cabins<dd>4</dl>"
        "<h2>Tern</h2><dl><dt>length</dt><dd>23 m</dd><dt>cabins</dt><dd>2</dd></dl>"
    ),
    "a table as a shell prints it": "boat   | length | cabins\n-------+--------+-------\n"
    "Marlin | 18 m   | 4\nTern   | 23 m   | 2\n",
    "a title in the table": html_text(
        "<table><tr><th>name<th>length<th>cabins<tr><td colspan=3>Sail<tr><td>Marlin<td>18 m<td>4"
        "<tr><th colspan=3>Motor<tr><td>Tern<td>23 m<td>2</table>"
    ),
}


@pytest.mark.parametrize("layout", BOTH)
def test_records_of_any_layout_are_read(layout: str) -> None:
    found, _ = read(BOTH[layout])
    assert found == TRUE


DOUBTED = {
    "columns": "Marlin          Tern\nlength: 18 m    length: 23 m\ncabins: 4       cabins: 2\n",
    "names within": "length: 18 m\nname: Marlin\ncabins: 4\nlength: 23 m\nname: Tern\ncabins: 2\n",
    "a flat list": "# Boats\n- Marlin\n- length: 18 m\n- cabins: 4\n- Tern\n- length: 23 m\n- cabins: 2\n",
    "two values": "Marlin\ncabins: 4\ncabins: 2\n",
    "two of a name": "Tern\ncabins: 4\nlength: 18 m\n\nTern\ncabins: 2\nlength: 23 m\n",
    "a page's head": "Boats of 1990\ncabins: 4\n\nBoats of 1990\ncabins: 2\n",
    "rows of a name": "| name | cabins |\n|---|---|\n| Tern | 4 |\n| Tern | 2 |\n",
    "names as items": html_text(
        "<h1>Boats</h1><ul><li>Marlin<ul><li>length: 18 m</ul><li>Tern<ul><li>cabins: 2</ul></ul>"
    ),
    "keys in the name": "name: Marlin cabins: 4\n\nname: Tern cabins: 2\n",
    "a wide gap": "Marlin\ncabins: 4          Of steel, like Tern\n",
    "a name of digits": "Marlin\nlength: 18 m\n4711\ncabins: 2\n",
    "a quoted name": "Marlin\nlength: 18 m\n\u201eTern\u201c\ncabins: 2\n",
    "a key of the class": "# Marlin\nlength: 18 m\n\nboat: Tern\ncabins: 2\n",
    "names as columns": "| boat | Marlin |\n|---|---|\n| length | 18 m |\n| cabins | 4 |\n",
    "pairs side by side": html_text(
        "<table><tr><th>boat<td>Marlin<th>boat<td>Tern<tr><th>length<td>18 m<th>cabins<td>2</table>"
    ),
    "a form of two": html_text(
        "<table><tr><td>Name<td>Marlin<td>name<td>Tern<tr><td>port<td>Kiel<td>length<td>18 m</table>"
    ),
    "a form of pairs": "name | Marlin | length | 18 m\n---|---|---|---\nname | Tern | cabins | 2\n",
    "a form with other keys": "name | Marlin | length | 18 m\n---|---|---|---\nport | Kiel | owner | Ida\n",
    "a form of three": "| Marlin | length | 18 m |\n|---|---|---|\n| Tern | length | 23 m |\n",
    "rows without a name": "# Marlin\n\n| length | cabins |\n|---|---|\n| 18 m | 4 |\n| 23 m | 2 |\n",
    "a counted key": "Marlin\nlength: 18 m\n2nd boat: Tern\ncabins: 2\n",
    "two codes": "# B1 and B2\nlength: 18 m\n",
    "a row of two codes": "| boat | cabins |\n|---|---|\n| B1, B2 | 4 |\n",
    "two names and two values": "# Marlin / Tern\nlength: 18 / 23\n",
    "below notes": "# Notes\n- length: 18 m\n- cabins: 4\n",
    "below a numbered section": "# 3. Siehe auch:\n\nlength: 18 m\n",
    "a title above sentences": "# Harbour day\n\nThe sun was out. The boat was late.\n",
    "a title above a sentence": "# My summer\n\nMarlin is a boat that we saw.\n",
    "a long name above": f"The boat {'that lay in the mud ' * 5}\nlength: 18 m\nTern\n",
}


@pytest.mark.parametrize("layout", DOUBTED)
def test_what_may_be_about_several_things_is_left_to_a_person(layout: str) -> None:
    found, reasons = read(DOUBTED[layout])
    assert found == {} and reasons


PARTS = {
    "below a rule without a name": "Marlin\nlength: 18 m\n---\ncabins: 2\nbuilt: 1931\n",
    "a name with other keys": "Marlin\nlength: 18 m\nTern\ncabins: 2\n",
    "a heading with other keys": "# Marlin\nlength: 18 m\n\n# Tern\nOf steel.\ncabins: 2\n",
    "a heading with items": "# Marlin\nlength: 18 m\n\n# Tern\n- 2 cabins\n",
    "of the owner": "Marlin\nlength: 18 m\nOwner:\n  cabins: 2\n  name: Ida\n",
    "a number under another name": "Marlin\nlength: 18 m\n\nTern\n2 cabins\n",
    "an underlined name": "Marlin\n~~~~~~\nlength: 18 m\n\nTern\n~~~~\ncabins: 2\n",
    "a value that goes on": "Marlin\nlength: 18 m\ncabins: 2\nand a half\n",
    "a folded part": html_text(
        "<h1>Marlin</h1>length: 18 m<details><summary>Tern</summary>cabins: 2</details>"
    ),
    "a sentence about another": "# Marlin\nlength: 18 m\nThe Tern lies beside it.\ncabins: 2\n",
    "a paragraph about another": "# Marlin\nlength: 18 m\n\nBeside it lies\nthe Tern.\n\ncabins: 2\n",
    "an item about another": "- name: Marlin\n- length: 18 m\n- Tern is older.\n- cabins: 2\n",
    "a comparison": "Marlin\nlength: 18 m\nUnlike the Marlin, Tern sails.\ncabins: 2\n",
    "another of the class": "Marlin\nlength: 18 m\nThe next boat is for two.\ncabins: 2\n",
    "letters with other keys": "a) Marlin\nlength: 18 m\nb) Tern\ncabins: 2\n",
    "two values by a stroke": "Marlin\nlength: 18 m\ncabins: 4 / 8\n",
    "a question": "Marlin\nlength: 18 m\n\nTern?\ncabins: 2\n",
    "two sentences": "Marlin\nlength: 18 m\nIt was built here. So was Tern.\ncabins: 2\n",
    "references": "# Marlin\nlength: 18 m\n\n# References\nlength: 3 m\nbuilt: 1931\n",
    "notes without a mark": "Marlin\nlength: 18 m\n\nNotes\ncabins: 2\n",
    "below the head of a page": "Marlin\nlength: 18 m\n\fBoats - page 2\ncabins: 2\n",
}


@pytest.mark.parametrize("layout", PARTS)
def test_what_stands_under_nobody_or_another_name_is_not_stated_of_the_first(layout: str) -> None:
    found, reasons = read(PARTS[layout])
    assert found["Marlin"] == {"length": "18"} and reasons


@pytest.mark.parametrize(
    "sentence", ("It was built in Kiel.", "The Marlin sails well.", "This boat was painted twice.")
)
def test_a_sentence_about_the_thing_itself_ends_no_record(sentence: str) -> None:
    found, _ = read(f"Marlin\nlength: 18 m\n{sentence}\ncabins: 4\n")
    assert found == {"Marlin": TRUE["Marlin"]}


def test_a_title_is_a_thing_where_a_sentence_says_so() -> None:
    for text in ("# Marlin\n\nA small boat of oak.", "# Marlin\n\nMarlin is a boat."):
        built = build_graph({"page.md": text}, BOATS, judge="rule")
        assert "Marlin" in built.session.labels().values() and built.doubts, text


def test_a_cell_with_the_name_of_a_property_costs_its_row_alone() -> None:
    rows = "| Marlin | 18 m | length |\n| Tern | 23 m | new |\n| Heron | 9 m | old |\n"
    found, reasons = read(f"| boat | length | remark |\n|---|---|---|\n{rows}")
    assert found == {"Tern": {"length": "23"}, "Heron": {"length": "9"}}
    assert any("side by side" in reason for reason in reasons)


def test_a_line_that_goes_on_and_names_another_ends_a_record() -> None:
    for between in ("not Tern", "as for Tern", "and then Tern"):
        found, reasons = read(f"Marlin\nbuilt: 1931\nlength: 18 m\n{between}\ncabins: 2\n")
        assert found == {"Marlin": {"built": "1931"}} and reasons, between


BEES = """
@prefix : <https://bees.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Apiary a owl:Class ; rdfs:label "apiary"@en, "Bienenstand"@de . :Hive a owl:Class ; rdfs:label "hive"@en, "Beute"@de .
:Queen a owl:Class ; rdfs:label "queen"@en, "Königin"@de .
:queen a owl:ObjectProperty ; rdfs:label "queen"@en, "Königin"@de ; rdfs:domain :Hive ; rdfs:range :Queen .
:frames a owl:DatatypeProperty ; rdfs:label "frames"@en, "Waben"@de ; rdfs:domain :Hive ; rdfs:range xsd:integer .
:hatched a owl:DatatypeProperty ; rdfs:label "hatched"@en ; rdfs:domain :Queen ; rdfs:range xsd:gYear .
:altitude a owl:DatatypeProperty ; rdfs:label "altitude (m)"@en, "Höhe (m)"@de ; rdfs:domain :Apiary ;
  rdfs:range xsd:decimal .
"""
KINDS = {
    "# Am Moos\n\nHöhe: 812,5\n\n## Beute 4\n\nWaben: 10\nKönigin: Gold\n": {("Am Moos", "Apiary")},
    "# Am Moos\n\n## Beute 4\n\nWaben: 10\n": set(),
    "# Ausflug\n\n- Brot kaufen\n- Honig kaufen\n": set(),
    "# Hive B4\nframes: 10\nQueen:\n- hatched: 2021\n": {("Hive B4", "Hive")},
    "# Hive B4\nframes: 10\nqueen: Gold, not Blue\n": {("Hive B4", "Hive")},
}


@pytest.mark.parametrize("text", KINDS)
def test_a_thing_is_of_the_class_of_its_own_lines_and_a_list_of_none(text: str) -> None:
    tbox = compile_ontology(rdflib.Graph().parse(data=BEES, format="turtle"))
    built = build_graph({"page.md": text}, tbox, judge="rule")
    kinds = built.graph.subject_objects(rdflib.RDF.type)
    labels = built.session.labels()
    found = {(labels[str(one)], str(kind).rsplit("/", 1)[-1]) for one, kind in kinds}
    assert found == KINDS[text] and built.doubts
    stated = {str(p).rsplit("/", 1)[-1] for _, p, _ in built.graph if "bees" in str(p)}
    assert stated <= {"altitude", "frames"}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["\n", "\n\n", "\n---\n", "\n\f", "\n\n***\n\n"]),
            st.sampled_from(["", "  ", "- ", "* "]),
            st.sampled_from(["", "name: ", "# ", "## "]),
            st.permutations(["length: {} m", "cabins: {}"]),
            st.integers(1, 2),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_no_layout_mixes_two_boats(blocks: list[tuple[str, str, str, list[str], int]]) -> None:
    """Every number is of one boat, so a fact of another one shows."""
    text, own = "", {}
    for at, (gap, mark, before, keys, most) in enumerate(blocks, 1):
        name = f"Boat {'ABCD'[at - 1]}"
        lines = [f"{mark}{key.format(at * 10 + n)}" for n, key in enumerate(keys[:most])]
        own[name] = {str(at * 10 + n) for n in range(most)}
        text += f"{gap}{before}{name}\n" + "\n".join(lines)
    found, _ = read(text)
    for name, said in found.items():
        assert set(said.values()) <= own.get(name, set()), text


CREWS = compile_ontology(
    rdflib.Graph().parse(
        data=TBOX
        + """:Sailor a owl:Class ; rdfs:label "sailor" . :crew a owl:ObjectProperty ; rdfs:label "sailor" ;
        rdfs:domain :Boat ; rdfs:range :Sailor .""",
        format="turtle",
    )
)
ONE = "one name, several or none? Write each on a line"
UNREAD = (
    "sentences need a model (KGNB_MODEL, %llm use): without one, only tables, lists and "
    "'key: value' lines in the ontology's words are read"
)


@pytest.mark.parametrize(
    ("page", "sailors", "reasons"),
    [
        (
            "# Tern\n\nlength: 23 m\nSailors: Ida Kern, Lea Ott and Bo Lund",
            ["Bo Lund", "Ida Kern", "Lea Ott"],
            [],
        ),
        ("# Tern\n\nlength: 23 m\nSailors: Ida Kern; Lea Ott", ["Ida Kern", "Lea Ott"], []),
        ("# Tern\n\nlength: 23 m\nSailors: Ida Kern", ["Ida Kern"], []),
        ("# Tern\n\nSailors: Ida Kern and Lea Ott", ["Ida Kern", "Lea Ott"], []),
        ("# Tern\n\nLengths: 23 m and 24 m", [], [UNREAD]),
        ("# Tern\n\nlength: 23 m\nSailors: Kern, Ida", [], [ONE]),
        ("# Tern\n\nlength: 23 m\nSailors: Kern, I. and Ott, L.", [], [ONE]),
        ("# Tern\n\nlength: 23 m\nSailor: Ida Kern / Lea Ott", [], [ONE]),
        (
            "Tern\nlength: 23 m\nSailor: Ida Kern,\n    Lea Ott",
            [],
            ["it may go on in the next line", UNREAD],
        ),
        (
            html_text(
                "<table><tr><th colspan=2>Tern<tr><th>length<td>23 m<tr><th>Sailors"
                "<td><ul><li>Ida Kern<li>Lea Ott</ul></table>"
            ),
            ["Ida Kern", "Lea Ott"],
            [],
        ),
        (
            html_text(
                "<table><tr><th colspan=2>Tern<tr><th>length<td>23 m<tr><th>Sailor<td>Ida Kern<br>Lea Ott</table>"
            ),
            [],
            [ONE],
        ),
    ],
)
def test_several_names_of_one_key_are_several_things_or_left_to_a_person(
    page: str, sailors: list[str], reasons: list[str]
) -> None:
    built = build_graph({"page.md": page}, CREWS, judge="rule")
    labels = built.session.labels()
    crew = [labels[str(o)] for _, p, o in built.session.facts if p.endswith("/crew")]
    assert sorted(crew) == sailors
    assert [doubt.reason for doubt in built.doubts] == reasons
    assert set(labels.values()) <= {"Tern", *sailors}


def test_the_head_of_a_table_of_two_columns_names_no_thing() -> None:
    page = "<table><tr><td>Boat<td>Sailor<tr><td>Tern<td>Ida Kern<tr><td>Marlin<td>Bo Lund</table>"
    built = build_graph({"page.md": html_text(page)}, CREWS, judge="rule")
    assert not built.session.facts and "Ida Kern" in str(built.doubts)


def test_the_review_quotes_only_the_sentences_that_were_not_read() -> None:
    page = (
        "# Tern\n\nlength: 23 m\n\nIt was built for races.\n\n# Marlin\n\nlength: 18 m\n\nIt leaks."
    )
    built = build_graph({"page.md": page}, BOATS, judge="rule")
    assert [doubt.arguments["text"] for doubt in built.doubts] == [
        "It was built for races. It leaks."
    ]
    assert len(read(page)[0]) == 2


def test_thousands_may_be_parted_by_apostrophes() -> None:
    assert read("# Tern\n\ncabins: 1'200")[0] == {"Tern": {"cabins": "1200"}}


def test_a_footnote_mark_is_no_digit_of_a_number() -> None:
    page = "<table><tr><th>boat<th>cabins<tr><td>Tern<td>4<sup>1</sup><tr><td>Marlin<td>5</table>"
    found, reasons = read(html_text(page))
    assert found == {"Marlin": {"cabins": "5"}} and len(reasons) == 1
    assert html_text("10<sup>3</sup> m<sup>2</sup>, H<sub>2</sub>O") == "10³ m², H2O"


def test_a_title_that_says_more_than_a_name_is_left_to_a_person() -> None:
    found, reasons = read("Tern - 4 cabins - built 1950\nlength: 23 m")
    assert not found and reasons == [
        "Tern - 4 cabins - built 1950: is it a name, or does it say more?"
    ]
    assert "Area 51" in read("Area 51\nlength: 23 m")[0]
