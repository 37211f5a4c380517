"""Keys, strict orders, negative assertions and SPARQL constraints are enforced."""

import rdflib
from pyshacl import validate

from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.tasks.building import compile_ontology
from tests.agents.kg_construction.kitchen import PREFIXES, K, made, opened, pack_of


def conforms(session: ConstructionSession, *more: tuple[str, str, str]) -> bool:
    """What pyshacl says of the graph, with some facts more, under the pack's own shapes."""
    data = session.graph + rdflib.Graph()
    for s, p, o in more:
        data.add(
            (
                rdflib.URIRef(s),
                rdflib.URIRef(f"{K}{p}"),
                rdflib.URIRef(o) if ":" in o else rdflib.Literal(o),
            )
        )
    shapes = rdflib.Graph().parse(data=session.pack.shacl(), format="turtle")
    return bool(validate(data, shacl_graph=shapes)[0])


def test_no_two_instances_share_a_key() -> None:
    session, iri = made(
        ":Card a owl:Class ; owl:hasKey ( :no ) . :Box a owl:Class . :no a owl:DatatypeProperty ; "
        "rdfs:range xsd:string .",
        a="card",
        b="card",
        c="box",
    )
    assert all(session.call("add_no", {"subject": iri[one], "value": "7"}).ok for one in "ac")
    wrong = session.call("add_no", {"subject": iri["b"], "value": "7"})
    assert [one.constraint for one in wrong.violations] == ["key"]
    assert conforms(session)
    assert not conforms(session, (iri["b"], "no", "7"))
    session, iri = made(
        ":Room a owl:Class ; owl:hasKey ( :of :number ) . :Dorm a owl:Class ; rdfs:subClassOf :Room . "
        ":Hut a owl:Class . :Bed a owl:Class . :of a owl:ObjectProperty . :partOf a owl:ObjectProperty ; "
        "rdfs:subPropertyOf :of . :number a owl:DatatypeProperty ; rdfs:range xsd:integer .",
        x="hut",
        y="hut",
        a="room",
        b="dorm",
        bed="bed",
    )
    assert all(
        session.call("add_number", {"subject": iri[one], "value": 1}).ok
        for one in ("a", "b", "bed")
    )
    assert all(
        session.call("add_of", {"subject": iri[one], "object": iri["x"]}).ok for one in ("a", "bed")
    ), "no room"
    wrong = session.call("add_part_of", {"subject": iri["b"], "object": iri["x"]})
    assert [one.constraint for one in wrong.violations] == ["key"]
    assert "'of' and 'number'" in wrong.violations[0].hint and iri["a"] in wrong.violations[0].hint
    assert session.call("add_of", {"subject": iri["b"], "object": iri["y"]}).ok
    assert conforms(session)
    assert not conforms(session, (iri["b"], "partOf", iri["x"]))


def test_cycles_in_a_strict_order_and_negative_assertions_are_refused() -> None:
    session, iri = made(
        ":S a owl:Class . :before a owl:ObjectProperty , owl:TransitiveProperty , owl:IrreflexiveProperty .",
        a="s",
        b="s",
        c="s",
    )
    for one, other in ("ab", "bc", "ac"):
        assert session.call("add_before", {"subject": iri[one], "object": iri[other]}).ok
    wrong = session.call("add_before", {"subject": iri["c"], "object": iri["a"]})
    assert {one.constraint for one in wrong.violations} == {"irreflexive"}
    assert "would lead to itself" in wrong.violations[0].hint
    assert conforms(session)
    assert not conforms(session, (iri["c"], "before", iri["a"]))
    session = opened(
        pack_of(
            ":P a owl:Class . :ida a :P . :max a :P . :knows a owl:ObjectProperty . "
            "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :ida ; owl:assertionProperty :knows ; "
            "owl:targetIndividual :max ."
        )
    )
    wrong = session.call("add_knows", {"subject": f"{K}ida", "object": f"{K}max"})
    assert [one.constraint for one in wrong.violations] == ["negative assertion"]
    assert session.call("add_knows", {"subject": f"{K}max", "object": f"{K}ida"}).ok
    assert conforms(session)
    assert not conforms(session, (f"{K}ida", "knows", f"{K}max"))


def hut_pack(constraint: str, more: str = "") -> ToolPack:
    turtle = PREFIXES + (
        ":Hut a owl:Class . :Inn a owl:Class ; rdfs:subClassOf :Hut . :beds a owl:DatatypeProperty ; "
        "rdfs:range xsd:integer . :guests a owl:DatatypeProperty ; rdfs:range xsd:integer . "
        ":near a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Hut . "
        f":S a sh:NodeShape ; sh:targetClass :Hut ; sh:sparql [ {constraint} ] . {more}"
    )
    return compile_ontology(rdflib.Graph().parse(data=turtle, format="turtle"))


def test_a_constraint_in_sparql_is_checked_at_the_call_where_no_later_fact_mends_it() -> None:
    session = opened(
        hut_pack(
            'sh:message "{?g} guests, and {?b} beds" ; sh:prefixes :here ; sh:select "SELECT $this ?g ?b '
            'WHERE { $this k:beds ?b ; k:guests ?g . FILTER(?g > ?b) }"',
            f':here sh:declare [ sh:prefix "k" ; sh:namespace "{K}"^^xsd:anyURI ] .',
        )
    )
    inn = session.call("create_inn", {"label": "Ambre"}).iri
    assert session.call("add_beds", {"subject": inn, "value": 4}).ok
    wrong = session.call("add_guests", {"subject": inn, "value": 5})
    assert not wrong.ok and wrong.violations[0].focus == inn
    assert wrong.violations[0].hint == "Ambre: 5 guests, and 4 beds"
    assert session.call("add_guests", {"subject": inn, "value": 3}).ok
    assert not session.call("replace", {"subject": inn, "property": "guests", "value": 7}).ok
    assert session.call("finish").ok and len(session.graph) == 4
    loose = session.pack.session(checked=False)
    inn = loose.call("create_inn", {"label": "Ambre"}).iri
    for name, value in (("beds", 4), ("guests", 5)):
        assert loose.call(f"add_{name}", {"subject": inn, "value": value}).ok
    assert "5 guests" in loose.call("finish").violations[0].hint
    loose.checked = True  # what was broken before is nobody's fault now
    assert loose.call("add_near", {"subject": inn, "object": inn}).ok


def test_the_entities_beside_a_new_fact_are_checked_in_sparql_too() -> None:
    session = opened(
        hut_pack(
            f'sh:select "SELECT $this WHERE {{ $this <{K}near>/<{K}near> ?h . ?h <{K}beds> ?b . '
            'FILTER(?b > 90) }"'
        )
    )
    a, b, c = (session.call("create_hut", {"label": name}).iri for name in "abc")
    assert session.call("add_near", {"subject": a, "object": b}).ok
    assert session.call("add_near", {"subject": b, "object": c}).ok
    refused = session.call("add_beds", {"subject": c, "value": 91})
    assert not refused.ok and refused.violations[0].focus == a
    assert session.call("add_beds", {"subject": c, "value": 9}).ok


def test_a_constraint_in_sparql_that_a_later_fact_mends_is_checked_at_finish() -> None:
    session = opened(
        hut_pack(
            'sh:message "no beds" ; sh:select "SELECT $this WHERE { $this a ?c . '
            f'FILTER NOT EXISTS {{ $this <{K}beds> ?b }} }}"'
        )
    )
    inn = session.call("create_inn", {"label": "Ambre"}).iri
    wrong = session.call("finish")
    assert "no beds" in wrong.violations[0].hint and wrong.violations[0].focus == inn
    assert session.call("add_beds", {"subject": inn, "value": 4}).ok
    assert session.call("finish").ok


def test_properties_without_a_range_are_warned_of_and_may_take_values() -> None:
    turtle = (
        ":Film a owl:Class . :released a owl:ObjectProperty ; rdfs:domain :Film . "
        ":maker a owl:ObjectProperty ; rdfs:range :Q4 ."
    )
    graph = rdflib.Graph().parse(data=PREFIXES + turtle, format="turtle")
    for loose in (False, True):
        pack = compile_ontology(graph, loose_ranges=loose)
        warned = {(one.kind, one.about.rsplit("#", 1)[-1]) for one in pack.warnings}
        assert {("no range", "released"), ("undeclared class", "Q4")} <= warned
        session = opened(pack)
        film = session.call("create_film", {"label": "Circus"}).iri
        assert session.call("add_released", {"subject": film, "value": "1928"}).ok == loose


def test_refusals_are_explained() -> None:
    session = opened(
        pack_of(
            ":P a owl:Class . :likes a owl:ObjectProperty . "
            ":hates a owl:ObjectProperty ; owl:propertyDisjointWith :likes . "
            ":Bowl a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:complementOf :Vessel ] . :Vessel a owl:Class . "
            ":S a sh:NodeShape ; sh:targetClass :P ; sh:closed true ; "
            "sh:property [ sh:path :likes ] , [ sh:path rdfs:label ] ; "
            "sh:ignoredProperties ( rdf:type ) ."
        )
    )
    one, other = (session.call("create_p", {"label": name}).iri for name in "ab")
    assert session.call("add_likes", {"subject": one, "object": other}).ok
    hints = [
        v.hint for v in session.call("add_hates", {"subject": one, "object": other}).violations
    ]
    assert any("by 'likes' already" in hint and "never lead to the same" in hint for hint in hints)
    assert any("may have no 'hates'; it may have" in hint and "likes" in hint for hint in hints)
    bowl = session.call("create_bowl", {"label": "bowl"}).iri
    wrong = session.call("create_vessel", {"label": "bowl", "entity": bowl}).violations[0].hint
    assert "is not: is" not in wrong
