"""What the reader without a model takes from notes: a wrong triple is worse than a missing one."""

from pathlib import Path

import rdflib
from rdflib.namespace import RDF, RDFS

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.llm.model import Reply, ToolCall
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph, compile_ontology

M = rdflib.Namespace("https://museum.example/")
TBOX = """
@prefix : <https://museum.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Object a owl:Class ; rdfs:label "object" .
:Drawing a owl:Class ; rdfs:subClassOf :Object ; rdfs:label "drawing" .
:Sculpture a owl:Class ; rdfs:subClassOf :Object ; rdfs:label "sculpture"@en , "Skulptur"@de ; skos:altLabel "bust" .
:Material a owl:Class . :marble a :Material ; rdfs:label "marble" .
:Condition a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:oneOf ( :good :fair ) ] .
:good rdfs:label "good" . :fair rdfs:label "fair" .
:Room a owl:Class ; rdfs:label "room" .
:holds a owl:ObjectProperty ; rdfs:domain :Room ; rdfs:range :Object .
:madeOf a owl:ObjectProperty ; rdfs:label "made of" ; rdfs:domain :Object ; rdfs:range :Material .
:condition a owl:ObjectProperty ; rdfs:label "condition" ; rdfs:domain :Object ; rdfs:range :Condition .
:isIn a owl:ObjectProperty ; rdfs:label "is in" ; rdfs:domain :Object ; rdfs:range :Room .
:number a owl:DatatypeProperty ; rdfs:label "inventory number" ; rdfs:domain :Object ; rdfs:range xsd:string .
:heightCm a owl:DatatypeProperty ; rdfs:label "height" ; rdfs:comment "Height in centimetres (cm)." ;
  rdfs:domain :Object ; rdfs:range xsd:decimal .
:depth a owl:DatatypeProperty ; rdfs:label "depth" ; rdfs:domain :Object ; rdfs:range xsd:decimal .
"""
ONTOLOGY = rdflib.Graph().parse(data=TBOX, format="turtle")
PACK = compile_ontology(ONTOLOGY)


def built(text: str, name: str = "note.md") -> Built:
    return build_graph({name: text}, PACK, judge="rule")


KINDS = [
    ("# Girl\n- type: sculpture\n- inventory number: 2", "Sculpture"),
    ("# Girl\n- Art: Skulptur\n- inventory number: 2", "Sculpture"),
    ("# Girl\n- Kind: Bust\n- inventory number: 2", "Sculpture"),
    ("# Sculpture: Girl\n- inventory number: 2", "Sculpture"),
    (
        "## Sculptures\n\n### Girl\n- inventory number: 2\n\n### Horse\n- inventory number: 3",
        "Sculpture",
    ),
    ("| name | class | inventory number |\n|---|---|---|\n| Girl | Sculpture | 2 |", "Sculpture"),
    ("# Girl\n- inventory number: 2", "Object"),  # no subclass is guessed
    ("# Girl\n- type: thing of stone\n- inventory number: 2", "Object"),
    ("# Girl\n\nA bust that nobody has measured.", "Object"),
]


def test_a_note_without_a_heading_is_named_by_its_keys() -> None:
    """The class or "name" as a key; and names with a comma between them are left to a person, not
    taken for one.
    """
    for text in (
        "Sculpture: Girl\ninventory number: 2\nmade of: marble\n\nSculpture: Horse\ninventory number: 3",
        "type: sculpture\nname: Girl\ninventory number: 2\n\nname: Horse\nkind: sculpture\ninventory number: 3",
    ):
        graph = built(text).graph
        found = {
            str(label): str(graph.value(one, M.number))
            for one, label in graph.subject_objects(RDFS.label)
        }
        assert {name: found.get(name) for name in ("Girl", "Horse")} == {
            "Girl": "2",
            "Horse": "3",
        }, text
        assert set(graph.objects(None, RDF.type)) <= {M.Sculpture, M.Material}
    several = built("# Girl\n- made of: bronze, oak wood\n- inventory number: 2")
    assert (
        not list(several.graph.objects(None, M.madeOf))
        and "Write each on a line" in several.doubts[0].reason
    )
    assert (
        len(
            list(
                built("# Girl\n- made of: bronze; oak\n- inventory number: 2").graph.objects(
                    None, M.madeOf
                )
            )
        )
        == 2
    )


def test_a_thing_is_of_the_class_that_the_note_names_else_of_the_most_general_one() -> None:
    for text, kind in KINDS:
        graph = built(text).graph
        found = {
            str(label): graph.value(one, RDF.type)
            for one, label in graph.subject_objects(RDFS.label)
        }
        assert set(found) - {"Horse"} == {"Girl"} and set(found.values()) == {M[kind]}, text


VALUES = [
    ("height: 0.54 m", M.heightCm, "54"),
    ("height: 215 mm", M.heightCm, "21.5"),
    ("height: 10", M.heightCm, "10"),
    ("height: 10 in", M.heightCm, "25.4"),
    ("height (mm): 215", M.heightCm, "21.5"),
    ("height 2 m", M.heightCm, "200"),
    ("depth: 10", M.depth, "10"),
    ("height: 1/2 m", M.heightCm, "50"),
    # left to a person: other words, other units, ranges, and a unit where the property names none
    ("height: 12 people", M.heightCm, None),
    ("height: 3 kg", M.heightCm, None),
    ("height: ca. 3", M.heightCm, None),
    ("height: 20-30 cm", M.heightCm, None),
    ("height: 3 °C", M.heightCm, None),
    ("height: $ 30", M.heightCm, None),
    ("height (mm): 3 cm", M.heightCm, "3"),
    ("depth: 10 cm", M.depth, None),
    ("height of the base: 4", M.heightCm, None),
]


def test_a_number_is_converted_to_the_unit_that_its_property_names_or_left_to_a_person() -> None:
    for line, name, value in VALUES:
        found = built(f"# Girl\n- inventory number: 2\n- {line}")
        assert [str(one) for one in found.graph.objects(None, name)] == (
            [value] if value else []
        ), line
        assert len(found.review()) == (value is None), line


def test_numbers_are_read_as_the_other_numbers_of_the_text_show() -> None:
    for depth, height, value in (
        ("1,5", "1.284", "1284"),
        ("1.5", "1,284", "1284"),
        ("3", "1,284", "1284"),
    ):
        graph = built(f"# Girl\n- depth: {depth}\n- height: {height}").graph
        assert [str(one) for one in graph.objects(None, M.heightCm)] == [value]


def test_a_tool_takes_a_number_with_its_unit_and_says_which_unit_it_wants() -> None:
    session = PACK.session()
    girl = session.call("create_object", {"label": "Girl"}).iri
    assert (
        "centimetre"
        in session.call("add_height_cm", {"subject": girl, "value": "3 kg"}).violations[0].hint
    )
    assert session.call("add_height_cm", {"subject": girl, "value": "0.54 m"}).ok
    assert [str(value) for value in session.graph.objects(None, M.heightCm)] == ["54"]


def test_values_are_found_in_the_ontology_or_left_to_a_person() -> None:
    notes = "# {}\n- inventory number: {}\n- condition: {}\n- made of: Marble\n- sold by: Ida"
    one, two = built(notes.format("Girl", 2, "Fair")), built(notes.format("Horse", 3, "splendid"))
    assert (M.fair in one.graph.objects(None, M.condition)) and not list(
        two.graph.objects(None, M.condition)
    )
    assert set(one.graph.objects(None, M.madeOf)) == {M.marble} and len(one.review()) == 1
    assert [doubt.arguments for doubt in one.doubts] == [{"sold by": "Ida"}]
    assert [doubt.arguments.get("object", "") for doubt in two.doubts] == ["", "splendid"]


def test_a_refused_value_is_not_repaired_by_one_of_another_thing() -> None:
    table = "| name | height |\n|---|---|\n| A | 3 kg |\n| B | 4 kg |\n| C | 20 |\n| D | 30 °C |"
    values = [doubt.arguments["value"] for doubt in built(table).doubts]
    assert values == ["3 kilogram", "4 kilogram", "30 degree Celsius"]


def test_a_table_is_called_by_its_column_of_names_and_its_first_column_may_state_a_property(
    tmp_path: Path,
) -> None:
    for text in (
        "inventory number,name,type\nGM-1,Girl,bust\n",
        "type,inventory number,title\nbust,GM-1,Girl\n",
    ):
        (tmp_path / "a.csv").write_text(text)
        graph = build_graph(tmp_path / "a.csv", PACK, judge="rule").graph
        [girl] = graph.subjects(RDFS.label, rdflib.Literal("Girl"))
        assert graph.value(girl, RDF.type) == M.Sculpture and graph.value(
            girl, M.number
        ) == rdflib.Literal("GM-1")
    nameless = built("| inventory number | condition |\n|---|---|\n| GM-1 | good |").graph
    assert nameless.value(nameless.value(None, M.condition, M.good), M.number) == rdflib.Literal(
        "GM-1"
    )


LIBRARY = """
@prefix : <https://lib.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Book a owl:Class ; rdfs:label "book" . :Author a owl:Class ; rdfs:label "author" .
:Poet a owl:Class ; rdfs:subClassOf :Author .
:Library a owl:Class ; rdfs:label "library" .
:by a owl:ObjectProperty ; rdfs:label "written by" ; rdfs:domain :Book ; rdfs:range :Author .
:in a owl:ObjectProperty ; rdfs:label "held in" ; rdfs:domain :Book ; rdfs:range :Library .
:pages a owl:DatatypeProperty ; rdfs:label "pages" ; rdfs:domain :Book ; rdfs:range xsd:integer .
:born a owl:DatatypeProperty ; rdfs:label "date of birth" ; rdfs:domain :Author ; rdfs:range xsd:date .
"""
BOOKS = compile_ontology(rdflib.Graph().parse(data=LIBRARY, format="turtle"))


def stated(text: str, length: int = 6000) -> set[str]:
    """What is read of a note about books: labels of subject and object, the local name of the
    property.
    """
    graph = build_graph(
        {"note": text}, BOOKS, judge="rule", options=Options(passage=length, overlap=0)
    ).graph
    named = {subject: str(label) for subject, label in graph.subject_objects(RDFS.label)}
    own = [triple for triple in graph if str(triple[1]).startswith("https://lib.example/")]
    return {f"{named[s]} {str(p).rsplit('/', 1)[-1]} {named.get(o, o)}" for s, p, o in own}


TWO_BOOKS = {"Salt pages 98", "Salt in Hill Library", "Lights pages 204", "Lights in Dock Library"}
NOTES: list[tuple[str, set[str]]] = [
    (
        "Salt\npages: 98\nheld in: Hill Library\n\nLights\npages: 204\nheld in: Dock Library\n",
        TWO_BOOKS,
    ),
    (
        "# Salt\npages: 98\nheld in: Hill Library\n\n# Lights\nheld in: Dock Library\npages: 204\n",
        TWO_BOOKS,
    ),
    (
        "# Shelf\n## Salt\npages: 98\nheld in: Hill Library\n## Lights\npages: 204\nlibrary: Dock Library",
        TWO_BOOKS,
    ),
    (
        "| book | pages | held in |\n|---|---|---|\n| Salt | 98 | Hill Library |\n| a row of two | cells |\n"
        "| Lights | 204 | Dock Library |\n",
        TWO_BOOKS,
    ),
    (
        "title | held in | pages\n--- | --- | ---\nSalt | Hill Library | 98\nLights | Dock Library | 204",
        TWO_BOOKS,
    ),
    ("Ida Renn\ndate of birth: 1944-05-01", {"Ida Renn born 1944-05-01"}),
    ("Ida Renn wrote it in one winter.\n\nSalt\npages: 98", {"Salt pages 98"}),
    (
        "It was written in one winter.\npages: 98\nheld in: Hill Library",
        set(),
    ),  # a sentence is no title
    ("Opening\nMonday: 9 to 5", set()),  # neither a book nor an author
    # what follows a second heading or a heading of its own may be about another thing
    ("# Salt\npages: 98\n\n# Lights\nheld in: Dock Library", {"Salt pages 98"}),
    (
        "# Salt\npages: 98\n\n## Library\npages: 3\n\n## Authors\n- Ida Renn",
        {"Salt pages 98", "Salt by Ida Renn"},
    ),
    ("# Salt\npages: 98\n\n## Library\nwritten by: Ida Renn", {"Salt pages 98"}),
    ("# Salt\nwritten by: Ida Renn and Max Ort\npages: 98", {"Salt pages 98"}),  # one name or two?
]


def test_every_note_and_every_row_is_about_a_thing_of_its_own() -> None:
    for text, found in NOTES:
        assert stated(text) == found, text


def test_a_long_table_keeps_its_header_over_all_passages() -> None:
    rows = "\n".join(f"| Book {n} of the sea | {100 + n} |" for n in range(40))
    found = stated(f"| book | pages |\n|---|---|\n{rows}\n\n| Hut | 4 |", length=300)
    assert found == {f"Book {n} of the sea pages {100 + n}" for n in range(40)}


def test_the_review_uses_labels_and_lists_missing_facts_once() -> None:
    shapes = """@prefix : <https://museum.example/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
        :S a sh:NodeShape ; sh:targetClass :Object ; sh:property [ sh:path :number ; sh:minCount 1 ] .
        :T a sh:NodeShape ; sh:targetClass :Object ; sh:property [ sh:path :number ; sh:minCount 1 ; sh:minLength 1 ] .
    """
    pack = compile_ontology(ONTOLOGY, rdflib.Graph().parse(data=shapes, format="turtle"))
    rows = build_graph({"note": "# Girl\n- condition: bad"}, pack, judge="rule").review().rows
    assert [row[2] for row in rows] == ["add_condition", "missing"]
    assert [row[3] for row in rows] == [
        "subject: Girl; object: bad",
        "iri: Girl",
    ] and "<http" not in str(rows)


def test_values_that_a_model_could_not_state_are_reviewed() -> None:
    facts = {"condition": "splendid", "made of": "Marble", "height": "23 cm", "is in": "Hall"}
    made = ToolCall("1", "create", {"class": "object", "label": "Girl", "id": "g", "facts": facts})
    later = [
        ("2", {"subject": "g", "property": "is in", "value": {"class": "room", "label": "Hall"}}),
        ("3", {"subject": "g", "property": "made of", "value": "gold"}),
    ]
    replies = iter([[made], [ToolCall(name, "add", given) for name, given in later]])
    model = ScriptedModel(lambda _: Reply("", tuple(next(replies, [ToolCall("4", "finish", {})]))))
    found = build_graph(
        {"note": "Girl"}, PACK, judge="model", model=model, options=Options(tool_budget=0)
    )
    assert set(found.graph.objects(None, M.madeOf)) == {M.marble} and [
        *map(str, found.graph.objects(None, M.heightCm))
    ] == ["23"]
    assert {doubt.arguments["object"] for doubt in found.doubts if not doubt.written} == {
        "splendid",
        "gold",
    }  # "Hall" was mended


def test_a_step_that_says_what_not_to_do_is_left_to_a_person() -> None:
    found = build_graph(
        {"n.md": "Soup\n400 g barley\n1. Soak the barley.\n2. Do not simmer."},
        "huts:kitchen",
        judge="rule",
    )
    kitchen = rdflib.Namespace("http://huts.example/kitchen#")
    assert len(list(found.graph.objects(None, kitchen.hasStep))) == 1
    assert [doubt.reason for doubt in found.doubts if "Do not" in str(doubt.arguments)] == [
        "it says what not to do"
    ]


def test_what_a_bracket_says_beside_a_value_is_a_unit_or_left_to_a_person() -> None:
    tall = built("# Girl\n- type: sculpture\n- height: 12 (m)\n- depth: 3 (with the base 5)")
    assert [str(value) for value in tall.graph.objects(None, M.heightCm)] == ["1200"]
    assert [str(value) for value in tall.graph.objects(None, M.depth)] == ["3"]
    reasons = [one.reason for one in tall.doubts]
    assert reasons == ["written without what the brackets say: with the base 5"]
    plain = built("# Girl\n- type: sculpture\n- depth: c. 1979")
    assert not list(plain.graph.objects(None, M.depth)) and plain.doubts


def test_rows_that_add_up_and_headings_above_tables_are_no_things_and_ditto_marks_repeat() -> None:
    table = (
        "# My figures\n\nyear: 2024\n\n| sculpture | made of | inventory number |\n|---|---|---|\n"
        '| Girl | bronze | 2 |\n| Horse | " | 3 |\n| Total | | 5 |\n'
    )
    graph = built(table).graph
    named = {str(label) for label in graph.objects(None, RDFS.label)}
    assert {"Girl", "Horse", "bronze"} <= named
    assert not named & {"My figures", "Total", '"'}
    assert len(list(graph.subject_objects(M.madeOf))) == 2
    below = built("# Wish list\n\n## Girl\n\n- inventory number: 2\n- depth: 3\n")
    assert not {str(one) for one in below.graph.objects(None, RDFS.label)} & {"Wish list"}
    assert below.doubts


def test_a_value_that_says_there_is_none_is_no_value() -> None:
    """Else two books would be by one person, "unknown"."""
    text = "# Salt\nwritten by: unknown\npages: 98\n\n# Lights\nwritten by: unbekannt\npages: 204\n"
    assert stated(text) == {"Salt pages 98", "Lights pages 204"}
    table = (
        "| book | written by | pages |\n|---|---|---|\n| Salt | - | 98 |\n| n/a | Ida Renn | 3 |\n"
    )
    assert stated(table) == {"Salt pages 98"}
    assert stated("# Unknown\npages: 98\n") == set()
    built = build_graph({"note": text}, BOOKS, judge="rule")
    assert {doubt.reason for doubt in built.doubts if "written by" in doubt.arguments} == {
        "it says that none is known"
    }
