from __future__ import annotations

import threading
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from rdflib import Graph, URIRef

import kgnb
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.agents.kg_construction.tool_values import CallResult, Source
from kgnb.results.interchange import rdflib_of
from tests.agents.kg_construction.kitchen import OM, K, kitchen, opened, pack_of


@pytest.fixture(scope="module")
def pack():
    return kitchen()


@pytest.fixture
def session(pack) -> ConstructionSession:
    return opened(pack)


def make(session: ConstructionSession, tool: str, label: str, **more: Any) -> str:
    if tool == "create_step":
        more.setdefault("within", f"{K}main")  # a step belongs to something
    result = session.call(tool, {"label": label, **more})
    assert result.ok, result.violations
    return result.iri


def refused(result: CallResult) -> set[str]:
    assert not result.ok
    return {violation.constraint for violation in result.violations}


def test_a_wrong_unit_is_refused_with_the_allowed_ones(session: ConstructionSession) -> None:
    result = session.call("create_temperature", {"value": 120, "unit": "degrees Celcius"})
    assert refused(result) == {"unit"} and result.retryable
    (violation,) = result.violations
    assert violation.got == "degrees Celcius" and "degree Celsius" in violation.hint
    assert violation.allowed[0] == "degree Celsius" and "kelvin" in violation.allowed
    assert len(session.graph) == 0
    repaired = session.call("create_temperature", {"value": 120, "unit": violation.allowed[0]})
    assert repaired.ok and repaired.created
    (unit,) = session.graph.objects(None, URIRef(f"{OM}hasUnit"))
    assert unit == URIRef(f"{OM}degreeCelsius")


def test_a_wrong_value_is_refused_and_nothing_is_written(session: ConstructionSession) -> None:
    soup, step = (
        make(session, "create_soup", "Barley"),
        make(session, "create_step", "Boil", has_order=1),
    )
    before = session.trig()
    assert refused(
        session.call("create_step", {"label": "Stir", "has_order": 0, "within": soup})
    ) == {"facet"}
    bare = session.call("create_step", {"label": "Add"})
    assert [one.path for one in bare.violations] == ["within"] and "has_order" in bare.violations[
        0
    ].hint
    wrong = session.call("add_has_order", {"subject": step, "value": 2})
    assert {"functional", "cardinality"} == refused(wrong)
    assert len(wrong.as_json()["violations"]) == 1, "a client is told one fault once"
    assert session.trig() == before


def test_inverse_and_symmetric_facts_are_written_both_ways(session: ConstructionSession) -> None:
    soup, step = make(session, "create_soup", "Barley"), make(session, "create_step", "Boil")
    assert session.call("add_step_of", {"subject": step, "object": soup}).ok
    other = session.call(
        "add_step_of", {"subject": step, "object": make(session, "create_cake", "Apple")}
    )
    assert "inverseFunctional" in refused(other), "the inverse is checked as well"
    assert (URIRef(soup), URIRef(f"{K}hasStep"), URIRef(step)) in session.graph
    cook, guest = make(session, "create_cook", "Anna"), make(session, "create_guest", "Ben")
    session.call("add_helps", {"subject": cook, "object": guest})
    assert (URIRef(guest), URIRef(f"{K}helps"), URIRef(cook)) in session.graph


def test_finish_is_refused_while_something_required_is_missing(
    session: ConstructionSession,
) -> None:
    soup = make(session, "create_soup", "Barley")
    assert {v.constraint for v in session.missing(soup)} == {"someValuesFrom", "hasValue"}
    finish = session.call("finish")
    assert refused(finish) == {"someValuesFrom", "hasValue"} and finish.retryable
    assert any("add_has_step" in violation.hint for violation in finish.violations)
    session.call("add_served_as", {"subject": soup, "object": "starter"})
    session.call(
        "add_has_step",
        {"subject": soup, "object": make(session, "create_step", "Boil", has_order=1)},
    )
    assert session.call("missing").data == [] and session.call("finish").ok


def test_listed_values_are_given_by_name_or_iri(session: ConstructionSession) -> None:
    soup = make(session, "create_soup", "Barley")
    wrong = session.call("add_served_as", {"subject": soup, "object": "starters"})
    assert refused(wrong) == {"oneOf"} and wrong.violations[0].allowed[0] == "starter"
    assert session.call("add_served_as", {"subject": soup, "object": "Main course"}).ok
    # a soup must be a starter, and two is all: the second must be that
    assert refused(session.call("add_served_as", {"subject": soup, "object": f"{K}dessert"})) == {
        "hasValue"
    }
    assert session.call("add_served_as", {"subject": soup, "object": f"{K}starter"}).ok
    assert refused(session.call("add_served_as", {"subject": soup, "object": f"{K}dessert"})) >= {
        "maxCardinality"
    }
    assert (
        URIRef(f"{K}starter"),
        URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
        URIRef(f"{K}Course"),
    ) in session.graph


def test_a_repeated_call_is_refused_unless_it_is_from_another_document(
    session: ConstructionSession,
) -> None:
    first = session.call("create_soup", {"label": "Barley"}, Source("a.txt", 0, 6))
    again = session.call("create_soup", {"label": "Barley"}, Source("a.txt", 8, 14))
    other = session.call("create_soup", {"label": " barley "}, Source("b.txt", 0, 6))
    assert refused(again) == {"repeat"} and not again.retryable and again.iri == first.iri
    assert other.ok and not other.created and other.iri == first.iri
    invented = session.call("add_price", {"subject": first.iri[:-1] + "_", "value": 3})
    assert refused(invented) == {"unknown IRI"} and invented.violations[0].allowed[0] == first.iri


def test_bad_arguments_are_violations_and_no_exceptions(session: ConstructionSession) -> None:
    cases: list[tuple[Any, str]] = [
        ({}, "required argument"),
        ({"label": ""}, "text"),
        ({"label": 7}, "text"),
        ({"label": "a\x00b"}, "text"),
        ({"label": "a", "colour": "red"}, "unknown argument"),
        ({"label": None}, "required argument"),
        ([], "object"),
        ("soup", "object"),
        ({"label": "\ud800"}, "text"),
        ({"label": "a", "within": "x"}, "unknown IRI"),
    ]
    for arguments, constraint in cases:
        assert constraint in refused(session.call("create_soup", arguments)), arguments
        assert len(session.facts) == 0
    result = session.call("make_soup", {})
    assert refused(result) == {"unknown tool"} and "create_soup" in result.violations[0].allowed
    optional = dict.fromkeys(("within", "entity", "price"))  # null stands for one that is left out
    assert session.call("create_soup", {"label": "Barley", **optional}).ok


def test_the_same_facts_in_any_order_give_the_same_graph(pack) -> None:
    def facts(session: ConstructionSession, order: tuple[int, ...]) -> str:
        soup, step = make(session, "create_soup", "Barley"), make(session, "create_step", "Boil")
        calls = [
            ("add_has_step", {"subject": soup, "object": step}),
            ("add_has_order", {"subject": step, "value": 1}),
            ("add_price", {"subject": soup, "value": 8.5}),
            ("add_served_as", {"subject": soup, "object": "starter"}),
        ]
        assert all(session.call(*calls[at]).ok for at in order)
        return session.turtle()

    assert len({facts(opened(pack), order) for order in permutations(range(4))}) == 1


def test_iris_depend_on_name_and_owner_only(pack) -> None:
    one, other = opened(pack), opened(pack)
    make(other, "create_cake", "Something first")
    assert make(one, "create_soup", "Berliner  SUPPE") == make(
        other, "create_cake", "berliner suppe"
    )
    assert make(one, "create_step", "Boil", within=make(one, "create_soup", "A")) != make(
        one, "create_step", "Boil"
    )
    assert make(one, "create_step", "Add", has_order=2) != make(
        one, "create_step", "Add", has_order=5
    )


def test_an_entity_with_a_known_name_gets_no_new_facts(session: ConstructionSession) -> None:
    soup = make(session, "create_soup", "Barley", price=8)
    before = session.turtle()
    again = session.call("create_soup", {"label": "barley", "price": 9.5})
    assert refused(again) == {"exists already"}
    assert all(said in again.violations[0].hint for said in ("price 8", "within", soup))
    assert session.turtle() == before
    same = session.call("create_dish", {"label": "Barley"})
    assert same.ok and not same.created and "Soup" in same.data["exists"]


def test_a_name_of_a_disjoint_class_is_another_entity() -> None:
    session = opened(
        pack_of(
            ":Hut a owl:Class . :Inn a owl:Class . :Cook a owl:Class ; owl:disjointWith :Hut , :Inn . "
            ":keeps a owl:ObjectProperty ; rdfs:range :Inn ."
        )
    )
    hut = make(session, "create_hut", "Barley")
    inn = session.call("create_inn", {"label": "Barley"})
    assert f'create_inn(label="Barley", entity={hut})' in inn.violations[0].hint
    cook = make(session, "create_cook", "Barley")
    assert cook != hut
    assert make(session, "create_cook", "barley") == cook
    hints = [
        session.call("add_keeps", {"subject": cook, "object": one}).violations[0].hint
        for one in (hut, cook)
    ]
    assert f'create_inn(label="Barley", entity={hut})' in hints[0] and "nothing is both" in hints[1]
    assert session.call("create_inn", {"label": "Barley", "entity": hut}).ok
    assert len(session.entities()) == 2


PARTS = [
    # each wine of one winery, each document of one author: the axioms of a step, and no parts
    (
        ":Wine a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :maker ; owl:cardinality 1 ] . "
        ":Winery a owl:Class . :maker a owl:ObjectProperty ; rdfs:range :Winery ; owl:inverseOf :makes .",
        "",
    ),
    (
        ":Agent a owl:Class . :Document a owl:Class . :weblog a owl:ObjectProperty , owl:InverseFunctionalProperty ; "
        "rdfs:domain :Agent ; rdfs:range :Document .",
        "",
    ),
    # neither could be made before the other
    (
        ":Paper a owl:Class . :Chair a owl:Class . :accepts a owl:ObjectProperty , owl:InverseFunctionalProperty ; "
        "rdfs:domain :Chair ; rdfs:range :Paper . :acceptedBy a owl:ObjectProperty , owl:InverseFunctionalProperty ; "
        "rdfs:domain :Paper ; rdfs:range :Chair .",
        "",
    ),
    (
        ":Pizza a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :base ; owl:someValuesFrom :Base ] "
        ". :Base a owl:Class . :base a owl:ObjectProperty , owl:InverseFunctionalProperty ; rdfs:domain :Pizza ; "
        "rdfs:range :Base ; owl:inverseOf :baseOf . :baseOf a owl:ObjectProperty , owl:InverseFunctionalProperty ; "
        "rdfs:domain :Base ; rdfs:range :Pizza .",
        "Base",
    ),
    (
        ":Book a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom :Part ] . "
        ":Part a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :of ; owl:cardinality 1 ] . "
        ":has a owl:ObjectProperty . :of a owl:ObjectProperty ; rdfs:range :Book ; owl:inverseOf :has .",
        "Part",
    ),
    (
        ":Book a owl:Class . :Chapter a owl:Class . :has a owl:ObjectProperty , owl:InverseFunctionalProperty ; "
        "rdfs:domain :Book ; rdfs:range :Chapter . :number a owl:DatatypeProperty ; rdfs:domain :Chapter ; "
        "rdfs:range xsd:integer .",
        "Chapter",
    ),
]


def test_only_a_part_needs_an_owner() -> None:
    for axioms, part in PARTS:
        session = opened(pack_of(axioms))
        refusals = [
            tool.label
            for tool in session.pack.of_kind("create")
            if not session.call(tool.name, {"label": f"A {tool.label}"}).ok
        ]
        assert refusals == [part] * bool(part), axioms


def test_turtle_json_ld_and_trig_are_read_back(
    session: ConstructionSession, tmp_path: Path
) -> None:
    label = '"> . <urn:x> <urn:y> <urn:z> . # ${jndi} <script> \\ <b>'
    make(session, "create_soup", label)
    expected = {*session.graph, *rdflib_of(session.terms())}
    assert len(expected) == len(session.graph) + len(session.terms())
    assert label in map(str, session.graph.objects()) and URIRef("urn:x") not in set(
        session.graph.subjects()
    )
    assert set(Graph().parse(data=session.turtle(), format="turtle")) == expected
    assert set(Graph().parse(data=session.jsonld(), format="json-ld")) == expected
    assert session.save(tmp_path / "out.trig").read_text() == session.trig()
    with pytest.raises(ValueError, match=r"\.trig"):
        session.save(tmp_path / "out.docx")
    with pytest.raises(ValueError, match="namespace"):
        session.pack.session(namespace="data")  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["built.trig", "built.ttl", "built.jsonld"])
def test_a_file_names_the_terms_of_its_ontology_and_is_read_back_as_facts_alone(
    name: str, tmp_path: Path
) -> None:
    tbox = Graph().parse(data=OPAQUE, format="turtle")
    session = kgnb.compile_ontology(tbox).session()
    harbour = make(session, "create_harbour", "Marn")
    boat = make(session, "create_boat", "Sea Gull")
    assert session.call("add_home_port", {"subject": boat, "object": harbour}).ok
    path = session.save(tmp_path / name)
    found = kgnb.answer_question(
        "What is the home port of the Sea Gull?", path, judge="rule", embedder="characters"
    )
    assert [found.label(value) for value in found.values] == ["Marn"]
    again = kgnb.compile_ontology(tbox).session(store=kgnb.open_graph(path))
    assert set(again.facts) == set(session.facts)


OPAQUE = """
@prefix : <http://lab.example/o#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:C1 a owl:Class ; rdfs:label "boat"@en . :C2 a owl:Class ; rdfs:label "harbour"@en .
:P1 a owl:ObjectProperty ; rdfs:label "home port"@en ; rdfs:domain :C1 ; rdfs:range :C2 .
"""


def test_trig_is_the_same_before_and_after_the_store_is_opened(
    session: ConstructionSession,
) -> None:
    soup = make(session, "create_soup", "Barley")
    for document in (
        "menu.txt",
        "https://hut.example/menu",
        "zzz",
    ):  # a document's own IRI stands before the calls
        session.call("add_price", {"subject": soup, "value": 4.50}, Source(document, 3, 9))
    session.call("create_cake", {"label": "Nut"}, Source("menu.txt"))
    session.call(
        "add_served_as",
        {"subject": soup, "object": "starter"},
        Source("https://hut.example/menu", 0, 2),
    )
    before = session.trig()
    assert all(
        said in before
        for said in ("oa:start 3", "oa:end 9", "urn:kgnb:document:menu.txt", "urn:kgnb:tbox")
    )
    asked = "SELECT ?g { GRAPH ?g { ?s <https://hut.example/kitchen#servedAs> ?o } }"
    assert len(session.store.select(asked).rows) == 1
    assert session.trig() == before


def test_a_store_on_disk_is_reopened(pack, tmp_path: Path) -> None:
    first = pack.session(namespace="https://hut.example/data/", store=tmp_path / "store")
    soup = make(first, "create_soup", "Barley")
    before = first.trig()
    first.close()
    second = pack.session(namespace="https://hut.example/data/", store=tmp_path / "store")
    assert second.trig() == before
    assert second.call("add_price", {"subject": soup, "value": 4}).ok
    assert not second.call("create_soup", {"label": "Barley"}).created


def test_threads_do_not_interfere(session: ConstructionSession) -> None:
    step = make(session, "create_step", "Boil")
    results: list[bool] = []

    def work(at: int) -> None:
        results.append(session.call("add_has_order", {"subject": step, "value": at + 1}).ok)
        session.call("create_soup", {"label": f"Soup {at}"})

    threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(results) == 1 and len(session.entities(f"{K}Soup")) == 8


def test_without_checks_mistakes_are_written(pack) -> None:
    session = opened(pack, checked=False)
    step = make(session, "create_step", "Boil", has_order=0)
    assert session.call("add_has_step", {"subject": step, "object": step}).ok
    assert {"domain", "facet"} <= {violation.constraint for violation in session.validate()}


def test_earlier_violations_do_not_block_new_facts(pack, tmp_path: Path) -> None:
    wrong = pack.session(namespace="https://hut.example/data/", store=tmp_path / "s", checked=False)
    step = make(wrong, "create_step", "Boil", has_order=0)
    wrong.close()
    session = pack.session(namespace="https://hut.example/data/", store=tmp_path / "s")
    assert session.call("create_vegetarian_dish", {"label": "Salad"}).ok
    assert session.call(
        "add_follows", {"subject": step, "object": make(session, "create_step", "Stir")}
    ).ok


def test_finds_entities_by_part_and_similarity_of_their_names(session: ConstructionSession) -> None:
    soup = make(session, "create_soup", "Barley soup")
    assert session.call("find_dish", {"label": "barley soup"}).iri == soup
    assert session.call("find_dish", {"label": "barly soop"}).data["found"][0]["iri"] == soup
    assert session.call("find_cake", {"label": "barley soup"}).data["found"] == []
    assert session.call("find_course", {"label": "dessert"}).iri == f"{K}dessert"
    assert session.call("add_price", {"subject": soup, "value": 3}).ok
    data = session.call("inspect", {"iri": soup}).data
    assert data["classes"] == ["Soup"] and data["facts"] == {"price": ["3"]}
    (price,) = session.graph.objects(URIRef(soup), URIRef(f"{K}price"))
    assert str(price.datatype).endswith("#decimal")
