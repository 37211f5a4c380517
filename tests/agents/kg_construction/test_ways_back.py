"""A way back from every legal call: dead ends refused at once, values replaced and retracted, everyday forms read."""

from typing import Any

import pytest
import rdflib

from kgnb import compile_ontology
from kgnb.agents.kg_construction.session import Session
from kgnb.agents.kg_construction.tool_values import CallResult, Source
from tests.agents.kg_construction.kitchen import opened, pack_of

PROV = rdflib.Namespace("http://www.w3.org/ns/prov#")


def made(turtle: str, **entities: str) -> tuple[Session, dict[str, str]]:
    session = opened(pack_of(turtle))
    iris = {}
    for name, kind in entities.items():
        result = session.call(f"create_{kind}", {"label": name})
        assert result.ok, result.violations
        iris[name] = result.iri
    return session, iris


FUNCTIONAL = ":F a owl:Class . :G a owl:Class . :h a owl:ObjectProperty , owl:FunctionalProperty . "


def test_a_functional_property_that_must_lead_to_a_class_leads_to_no_other() -> None:
    session, iri = made(
        FUNCTIONAL + ":B a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :h ; "
        "owl:someValuesFrom :F ] .", b="b", f="f", g="g",
    )  # fmt: skip
    wrong = session.call("add_h", {"subject": iri["b"], "object": iri["g"]})
    assert not wrong.ok
    assert iri["g"] in wrong.violations[0].hint
    assert session.call("create_f", {"label": "g", "entity": iri["g"]}).ok  # said first, it may
    assert session.call("add_h", {"subject": iri["b"], "object": iri["g"]}).ok
    assert session.call("finish").ok


def test_a_value_that_must_be_there_is_not_kept_out_by_another() -> None:
    session, iri = made(
        ":work a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:range xsd:boolean . :Student a owl:Class ; "
        "rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :work ; owl:hasValue true ] . "
        ":Graduate a owl:Class ; rdfs:subClassOf :Student .", mary="graduate",
    )  # fmt: skip
    assert not session.call("add_work", {"subject": iri["mary"], "value": False}).ok
    assert session.call("add_work", {"subject": iri["mary"], "value": True}).ok


def test_values_that_two_classes_ask_for_are_added_up() -> None:
    """As of a Chardonnay that is a Pinot Blanc as well, in the wine ontology: each asks for its own grape, of one."""
    asks = "rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :grape ; owl:hasValue :{} ]"
    grapes = ":grape a owl:ObjectProperty . :Grape a owl:Class . :white a :Grape . :blue a :Grape . "
    one = "rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :grape ; owl:maxCardinality 1 ]"
    classes = (
        f":Wine a owl:Class . :Pinot a owl:Class ; {asks.format('white')} . :Cab a owl:Class ; {asks.format('blue')} . "
    )
    free, iri = made(grapes + classes, w="pinot")
    assert free.call("create_cab", {"label": "w", "entity": iri["w"]}).ok
    session, iri = made(grapes + classes + f":Pinot {one} .", w="pinot")
    both = session.call("create_cab", {"label": "w", "entity": iri["w"]})
    assert not both.ok and all("leave one" in violation.hint for violation in both.violations)
    assert session.call("add_grape", {"subject": iri["w"], "object": "white"}).ok


COLOURS = (
    ":White a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:oneOf ( :white :red ) ] . :Wine a owl:Class . "
    ":colour a owl:ObjectProperty , owl:FunctionalProperty . :drink a owl:ObjectProperty . :Course a owl:Class . "
)
WHITE = "[ a owl:Restriction ; owl:onProperty :colour ; owl:hasValue :white ]"


@pytest.mark.parametrize("wanted", [
    f"[ a owl:Restriction ; owl:onProperty :drink ; owl:allValuesFrom {WHITE} ]",
    f"[ a owl:Class ; owl:intersectionOf ( :Course [ a owl:Restriction ; owl:onProperty :drink ; owl:allValuesFrom "
    f"[ a owl:Class ; owl:intersectionOf ( :Wine {WHITE} ) ] ] ) ]",
    f"[ a owl:Restriction ; owl:onProperty [ owl:inverseOf :drunkAt ] ; owl:allValuesFrom {WHITE} ]",
])  # fmt: skip
def test_what_a_neighbour_asks_of_its_values_is_counted(wanted: str) -> None:
    with_fish = f":Fish a owl:Class ; rdfs:subClassOf :Course , {wanted} . :drunkAt a owl:ObjectProperty . "
    back = "drunkAt" in wanted

    def call(session: Session, course: str, wine: str) -> CallResult:
        if back:
            return session.call("add_drunk_at", {"subject": wine, "object": course})
        return session.call("add_drink", {"subject": course, "object": wine})

    session, iri = made(COLOURS + with_fish, f="fish", c="course", r="wine", w="wine", n="wine")
    assert session.call("add_colour", {"subject": iri["r"], "object": "red"}).ok
    assert session.call("add_colour", {"subject": iri["w"], "object": "white"}).ok
    refused = call(session, iri["f"], iri["r"])
    assert not refused.ok and "red" in refused.violations[0].hint  # the value that is there is named
    assert call(session, iri["f"], iri["w"]).ok and call(session, iri["c"], iri["r"]).ok
    assert call(session, iri["f"], iri["n"]).ok  # may still be white
    assert not session.call("add_colour", {"subject": iri["n"], "object": "red"}).ok
    assert session.call("add_colour", {"subject": iri["n"], "object": "white"}).ok
    assert not session.call("create_fish", {"label": "c", "entity": iri["c"]}).ok  # its wine is red


def test_a_value_that_can_be_no_more_what_is_needed_is_refused() -> None:
    need = f":Dinner a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :opens ; "\
        f"owl:someValuesFrom {WHITE} ] . :opens a owl:ObjectProperty , owl:FunctionalProperty ."  # fmt: skip
    session, iri = made(COLOURS + need, d="dinner", e="dinner", r="wine", n="wine")
    assert session.call("add_colour", {"subject": iri["r"], "object": "red"}).ok
    assert not session.call("add_opens", {"subject": iri["d"], "object": iri["r"]}).ok
    assert session.call("add_opens", {"subject": iri["e"], "object": iri["n"]}).ok
    assert not session.call("add_colour", {"subject": iri["n"], "object": "red"}).ok
    assert session.call("add_colour", {"subject": iri["n"], "object": "white"}).ok


@pytest.mark.parametrize(("more", "fits"), [
    ("", True),  # nothing need be eaten or drunk
    (":Course rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :food ; owl:minCardinality 1 ] .", True),
    (":Course rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :food ; owl:minCardinality 1 ] . "
     ":Fowl owl:disjointWith :Fish .", False),
    (":FowlCourse rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :food ; owl:someValuesFrom :Soup ] . "
     ":Soup owl:disjointWith :Fish .", False),
    (":Course rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :drink ; owl:minCardinality 1 ] .", True),
    (":Course rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :drink ; owl:minCardinality 1 ] . "
     ":colour a owl:FunctionalProperty .", False),
    (":Course rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :drink ; owl:minCardinality 1 ] ; "
     "rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :drink ; owl:allValuesFrom :Wine ] . :Wine rdfs:subClassOf "
     "[ a owl:Restriction ; owl:onProperty :colour ; owl:maxCardinality 1 ] .", False),
])  # fmt: skip
def test_what_two_classes_ask_of_a_value_that_must_be_there_has_to_go_together(more: str, fits: bool) -> None:
    """As of a course of dark fowl that is one of tomatoes as well, in the wine ontology: HermiT found it."""
    only = "[ a owl:Restriction ; owl:onProperty :{} ; owl:allValuesFrom {} ]"
    colour = "[ a owl:Restriction ; owl:onProperty :colour ; owl:hasValue :{} ]"
    session, iri = made(
        ":Course a owl:Class . :Fish a owl:Class . :Fowl a owl:Class . :Soup a owl:Class . :Wine a owl:Class . "
        ":food a owl:ObjectProperty . :drink a owl:ObjectProperty . :colour a owl:ObjectProperty . "
        ":Colour a owl:Class . :white a :Colour . :red a :Colour . :FishCourse a owl:Class ; rdfs:subClassOf :Course , "
        f"{only.format('food', ':Fish')} , {only.format('drink', colour.format('white'))} . :FowlCourse a owl:Class ; "
        f"rdfs:subClassOf :Course , {only.format('food', ':Fowl')} , {only.format('drink', colour.format('red'))} . "
        + more, c="fish_course", d="course",
    )  # fmt: skip
    both = session.call("create_fowl_course", {"label": "c", "entity": iri["c"]})
    assert both.ok == fits
    assert all("leave one" in one.hint and "fish course" in one.hint.casefold() for one in both.violations)
    assert session.call("create_fowl_course", {"label": "d", "entity": iri["d"]}).ok
    assert session.call("inspect", {"iri": iri["c"]}).ok


def test_a_used_up_maximum_of_a_wider_property_counts() -> None:
    session, iri = made(
        ":name a owl:DatatypeProperty , owl:FunctionalProperty . :title a owl:DatatypeProperty ; "
        "rdfs:subPropertyOf :name . :Note a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; "
        "owl:onProperty :title ; owl:minCardinality 1 ] .", n="note",
    )  # fmt: skip
    assert not session.call("add_name", {"subject": iri["n"], "value": "x"}).ok
    assert session.call("add_title", {"subject": iri["n"], "value": "x"}).ok


def test_what_must_not_lead_to_itself_is_refused_at_once() -> None:
    session, iri = made(
        ":likes a owl:ObjectProperty . :Modest a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:complementOf "
        "[ a owl:Restriction ; owl:onProperty :likes ; owl:hasSelf true ] ] .", m="modest", o="modest",
    )  # fmt: skip
    assert not session.call("add_likes", {"subject": iri["m"], "object": iri["m"]}).ok
    assert session.call("add_likes", {"subject": iri["m"], "object": iri["o"]}).ok
    assert session.call("finish").ok


def test_a_refusal_names_the_value_that_is_there() -> None:
    session, iri = made(
        ":age a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:range xsd:integer . :P a owl:Class .", p="p"
    )
    session.call("add_age", {"subject": iri["p"], "value": 31})
    assert '"31"' in session.call("add_age", {"subject": iri["p"], "value": 32}).violations[0].hint


def test_a_replaced_and_a_retracted_fact_stay_in_the_provenance() -> None:
    session, iri = made(
        ":age a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:range xsd:integer . :P a owl:Class . "
        ":knows a owl:ObjectProperty , owl:SymmetricProperty .", p="p", q="p",
    )  # fmt: skip
    session.call("add_age", {"subject": iri["p"], "value": 31}, Source("note"))
    done = session.call("replace", {"subject": iri["p"], "property": "age", "value": 32}, Source("letter"))
    assert done.ok
    session.call("add_knows", {"subject": iri["p"], "object": iri["q"]})
    assert session.call("retract", {"subject": iri["q"], "property": "knows"}).ok  # and the other way round
    session.call("replace", {"subject": iri["q"], "property": "label", "value": "Quentin"})
    facts = {(str(p).rsplit("#", 1)[-1], str(o)) for _, p, o in session.graph}
    assert ("age", "32") in facts
    assert ("age", "31") not in facts
    assert "Quentin" in {o for _, o in facts}
    assert not any(p == "knows" for p, _ in facts)
    data = rdflib.Dataset()
    data.parse(data=session.trig(), format="trig")
    gone = {str(o) for s, _, _, _ in data.quads((None, PROV.wasInvalidatedBy, None, None))
            for _, _, o, _ in data.quads((s, rdflib.RDF.object, None, None))}  # fmt: skip
    assert {"31", iri["q"], iri["p"], "q"} <= gone
    assert session.call("add_age", {"subject": iri["p"], "value": 32}).ok
    nothing = session.call("retract", {"subject": iri["p"], "property": "age", "value": 99})
    assert "32" in nothing.violations[0].hint
    unknown = session.call("retract", {"subject": iri["p"], "property": "agee"})
    assert "age" in unknown.violations[0].hint


def test_a_replacement_that_is_refused_changes_nothing() -> None:
    session, iri = made(":age a owl:DatatypeProperty ; rdfs:range xsd:integer . :P a owl:Class .", p="p")
    session.call("add_age", {"subject": iri["p"], "value": 31})
    before = session.trig()
    assert not session.call("replace", {"subject": iri["p"], "property": "age", "value": "old"}).ok
    session.call("add_age", {"subject": iri["p"], "value": 32})
    several = session.call("replace", {"subject": iri["p"], "property": "age", "value": 33})
    assert "old" in several.violations[0].path
    assert session.call("replace", {"subject": iri["p"], "property": "age", "value": 33, "old": 32}).ok
    assert session.call("retract", {"subject": iri["p"], "property": "age", "value": 33}).ok
    assert {o.toPython() for o in session.graph.objects(rdflib.URIRef(iri["p"]))} >= {31}
    assert before.count("\n") <= session.trig().count("\n")


def test_a_datatype_told_of_one_class_binds_that_class_only() -> None:
    session, iri = made(
        ":mark a owl:DatatypeProperty . :B a owl:Class . :A a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; "
        "owl:onProperty :mark ; owl:allValuesFrom xsd:integer ] .", a="a", b="b",
    )  # fmt: skip
    assert session.call("add_mark", {"subject": iri["b"], "value": "hello"}).ok
    assert not session.call("add_mark", {"subject": iri["a"], "value": "hello"}).ok
    assert session.call("add_mark", {"subject": iri["a"], "value": 3}).ok
    assert session.validate() == ()


@pytest.mark.parametrize(
    ("unit", "name"),
    [("K", "kelvin"), ("°C", "degree Celsius"), ("degree celsius", "degree Celsius"), ("Kelvin", "kelvin")],
)
def test_units_are_taken_as_people_write_them(unit: str, name: str) -> None:
    pack = pack_of("om:Temperature a owl:Class .")
    session = opened(pack)
    assert session.call("create_temperature", {"value": 300, "unit": unit}).ok
    assert name in pack.tool("create_temperature").description


def test_the_same_quantity_in_two_units_is_one_and_what_cannot_be_is_refused() -> None:
    session = opened(pack_of("om:Duration a owl:Class . om:Temperature a owl:Class . om:Mass a owl:Class ."))
    half = session.call("create_duration", {"value": 0.5, "unit": "hour"})
    thirty = session.call("create_duration", {"value": 30, "unit": "min"})
    assert thirty.ok
    assert thirty.iri == half.iri
    assert len(list(session.graph.objects(None, rdflib.URIRef(f"{OM}hasNumericalValue")))) == 1
    cold = session.call("create_temperature", {"value": -500, "unit": "°C"})
    assert "-273.15" in cold.violations[0].hint
    assert not session.call("create_mass", {"value": -1, "unit": "kg"}).ok
    assert session.call("create_temperature", {"value": -18, "unit": "°C"}).ok


OM = "http://www.ontology-of-units-of-measure.org/resource/om-2/"


@pytest.mark.parametrize(
    ("kind", "said", "text"),
    [
        ("decimal", "1.5", "1.5"), ("integer", "12", "12"), ("date", "5 March 2024", "2024-03-05"),
        ("date", "March 5, 2024", "2024-03-05"), ("date", "2024/03/05", "2024-03-05"),
        ("dateTime", "2024-03-05 10:00", "2024-03-05T10:00:00"), ("boolean", "True", "true"),
        ("date", "05/03/2024", None), ("date", "March 2024", None), ("date", "30 February 2024", None),
        ("integer", "1.5", None), ("decimal", "1,5", None), ("date", "5 Ma 2024", None),
    ],
)  # fmt: skip
def test_everyday_forms_are_read_where_one_reading_exists(kind: str, said: Any, text: str | None) -> None:
    session, iri = made(f":A a owl:Class . :p a owl:DatatypeProperty ; rdfs:range xsd:{kind} .", a="a")
    result = session.call("add_p", {"subject": iri["a"], "value": said})
    assert result.ok == (text is not None)
    if text is not None:
        (value,) = session.graph.objects(None, rdflib.URIRef("https://hut.example/kitchen#p"))
        assert str(value) == text
        assert str(value.datatype).endswith(f"#{kind}")


def test_what_is_not_read_says_why() -> None:
    session, iri = made(
        ":A a owl:Class . :p a owl:DatatypeProperty ; rdfs:range xsd:date . :b a owl:DatatypeProperty ; "
        "rdfs:range xsd:byte . :y a owl:DatatypeProperty ; rdfs:range xsd:gYear .", a="a",
    )  # fmt: skip

    def hint(tool: str, value: Any) -> str:
        return session.call(tool, {"subject": iri["a"], "value": value}).violations[0].hint

    assert "either way round" in hint("add_p", "05/03/2024")
    assert "no such day" in hint("add_p", "2023-02-30")
    assert "from -128 up to 127" in hint("add_b", "300")
    assert "from -128 up to 127" in hint("add_b", 300)
    assert session.call("add_y", {"subject": iri["a"], "value": 2024}).ok, "a year can be nothing else"


def test_a_listed_value_is_taken_in_any_case() -> None:
    session, iri = made(
        ':A a owl:Class . :season a owl:DatatypeProperty ; '
        'rdfs:range [ a rdfs:Datatype ; owl:oneOf ( "summer" "winter" ) ] .',
        a="a",
    )  # fmt: skip
    assert session.call("add_season", {"subject": iri["a"], "value": "Summer"}).ok
    assert '"summer"' in session.turtle()


def test_a_refusal_names_the_ontologys_own_individuals_by_their_names() -> None:
    text = """@prefix : <https://x.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Wine a owl:Class . :Colour a owl:Class ; owl:disjointWith :Wine . :Red a :Colour . :White a :Colour .
    :colour a owl:ObjectProperty , owl:FunctionalProperty ; rdfs:domain :Wine ."""
    session = compile_ontology(rdflib.Graph().parse(data=text, format="turtle")).session(
        namespace="https://x.example/d/"
    )
    wine = session.call("create_wine", {"label": "Claret"}).iri
    assert session.call("add_colour", {"subject": wine, "object": "https://x.example/Red"}).ok
    refused = session.call("add_colour", {"subject": wine, "object": "https://x.example/White"})
    assert not refused.ok and any("Red <" in one.hint for one in refused.violations), refused
