"""The generic tools: the same checks, short ids, and small requests for large ontologies."""

from __future__ import annotations

import json
from typing import Any

from kgnb.agents.kg_construction.generic_tools import GenericTools
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.ontology_terms import OntologyTerms
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.plan import plan
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.llm.model import Reply, Request, ToolCall
from kgnb.llm.prices import estimate_tokens
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph, compile_ontology
from tests.agents.kg_construction.kitchen import pack_of

PACK = compile_ontology("huts:kitchen", "huts:kitchen-shapes")
NOTE = "Soup\nHut: Lärchgrundhütte\nServes 12\n400 g barley\n1. Soak the barley for 8 hours.\n2. Simmer for 90 minutes."


def tools_of(pack: ToolPack) -> tuple[GenericTools, ConstructionSession]:
    session = pack.session(namespace="https://hut.example/data/")
    return GenericTools(
        OntologyTerms(pack), lambda name, given, quote: session.call(name, given), session.holds
    ), session


def recipe(**facts: Any) -> dict[str, Any]:
    return {
        "class": "recipe",
        "id": "r",
        "label": "Soup",
        "quote": "Soup",
        "facts": {
            "title": "Soup",
            "cooked at": {"class": "hut", "label": "Lärchgrundhütte", "facts": {"name": "Lärch"}},
            "makes dish": {
                "class": "dish",
                "label": "soup",
                "id": "d",
                "facts": {"name": "soup", "course": "Soup"},
            },
            "serves people": 12,
            "has portion": [
                {
                    "class": "portion",
                    "label": "400 g barley",
                    "facts": {
                        "amount": 400,
                        "in unit": "gram",
                        "of ingredient": {
                            "class": "ingredient",
                            "id": "barley",
                            "label": "barley",
                            "facts": {"name": "barley"},
                        },
                    },
                }
            ],
            "has step": [
                {
                    "class": "rest",
                    "label": "Soak",
                    "facts": {"step number": 1, "lasts": "8 hour", "uses": "barley"},
                },
                {
                    "class": "simmer",
                    "label": "Simmer",
                    "facts": {"step number": 2, "lasts": "90 minute"},
                },
            ],
            **facts,
        },
    }


def reply(*calls: tuple[str, dict[str, Any]]) -> Reply:
    return Reply("", tuple(ToolCall(f"c{n}", name, given) for n, (name, given) in enumerate(calls)))


def size(request: Request) -> int:
    tools = json.dumps(
        [[tool.name, tool.description, dict(tool.parameters)] for tool in request.tools]
    )
    return estimate_tokens("".join(message.text for message in request.messages) + tools)


def test_a_namesake_gets_no_new_facts_unless_it_is_named_by_its_id() -> None:
    tools, session = tools_of(PACK)
    tools.use("create", {"class": "dish", "label": "Soup", "id": "d", "facts": {"course": "soup"}})
    before = session.turtle()
    for facts in ({"name": "soup of the day"}, {"course": "cake"}, {"course": "soup", "name": "s"}):
        refused = tools.use("create", {"class": "dish", "label": "soup", "facts": facts})
        assert not refused["ok"] and "id" not in refused
        assert "there is a dish, Soup d (course soup" in refused["refused"][0]
        assert 'create(class="dish", label="Soup", entity=d)' in refused["refused"][0]
        assert session.turtle() == before
    named = {"class": "dish", "entity": "d", "facts": {"course": "cake"}}
    assert '"cake"' in str(
        tools.use("create", named)["refused"]["course"]
    )  # what it has room for is another matter
    assert tools.use("create", {"class": "ingredient", "label": "Tea", "id": "t"})["ok"]
    wrong = tools.use("create", {"class": "recipe", "label": "R", "facts": {"makes dish": "t"}})[
        "refused"
    ]
    assert "t" in str(wrong["makes dish"]) and "choose another value" in str(wrong["makes dish"])
    assert (
        "d is taken"
        in tools.use("create", {"class": "dish", "label": "Tea", "id": "d"})["refused"][0]
    )


def test_repeated_facts_of_a_namesake_are_confirmed() -> None:
    tools, session = tools_of(PACK)
    tools.use("create", recipe())
    before = session.turtle()
    barley = {"class": "ingredient", "label": "Barley", "facts": {"name": "barley"}}
    portion = {
        "class": "portion",
        "label": "400 g Barley",
        "facts": {"amount": "400", "of ingredient": barley},
    }
    step = {
        "class": "rest",
        "label": "soak",
        "facts": {"step number": 1, "lasts": "480 minute", "uses": "barley"},
    }
    again = tools.use(
        "create",
        {
            "class": "recipe",
            "label": "Soup",
            "facts": {
                "serves people": 12,
                "has portion": [portion],
                "has step": [step],
                "makes dish": "d",
            },
        },
    )
    assert again["ok"] and again["id"] == "r" and again["exists"].startswith("a recipe, Soup r (")
    assert session.turtle() == before
    for more in (
        {"has step": [{**step, "facts": {**step["facts"], "lasts": "7 hour"}}]},
        {"has step": [{**step, "label": "Stir", "facts": {"step number": 3}}]},
    ):
        assert not tools.use("create", {"class": "recipe", "label": "Soup", "facts": more})["ok"]
        assert "7 hour" not in session.turtle() and "Stir" not in session.turtle()


def test_missing_facts_are_named_with_ids_and_generic_tools() -> None:
    tools, _ = tools_of(PACK)
    tools.use("create", {"class": "boil", "label": "Boil", "id": "b", "facts": {"step number": 1}})
    tools.kind = lambda iri: "duration" if "duration" in iri else ""
    assert tools.use("add", {"subject": "b", "property": "lasts", "value": "5 min"})["ok"]
    assert tools.use("inspect", {"id": "b"})["facts"]["lasts"] == [
        "5 minute duration:d1"
    ]  # shown, so it gets an id
    refused = tools.use("add", {"subject": "b", "property": "lasts", "value": "9 min"})["refused"]
    assert len(refused) == 1 and "5 minute duration:d1 and 9 minute duration:d2" in refused[0]
    missing = tools.use("missing", {})
    assert missing["ok"] and any(
        "Boil b needs" in one and 'add(property="step of")' in one for one in missing["missing"]
    )
    assert tools.use("missing", {"id": "b"})["missing"] == missing["missing"]
    finished = tools.use("finish", {})
    assert not finished["ok"] and finished["refused"] == missing["missing"]
    assert "http" not in str(missing)


def test_a_whole_note_is_written_in_one_reply_of_a_small_request() -> None:
    model = ScriptedModel(lambda request: reply(("create", recipe()), ("finish", {})))
    built = build_graph({"note": NOTE}, PACK, judge="model", model=model)
    assert len(model.asked) == 1
    assert size(model.asked[0]) < 3000
    assert built.counts()["refused"] == 0
    assert built.doubts == ()
    assert built.session.missing() == ()
    assert {"Soak", "Simmer", "barley", "Lärchgrundhütte"} <= set(built.session.labels().values())
    conforms, report = built.session.shacl_report()
    assert conforms, report


def test_refusals_use_ids_and_accepted_facts_stay() -> None:
    def answer(request: Request) -> Reply:
        told = [json.loads(m.text) for m in request.messages if m.role == "tool"]
        if not told:
            return reply(("create", recipe(**{"serves people": 500})), ("finish", {}))
        return reply(
            ("add", {"subject": "r", "property": "serves people", "value": 12}), ("finish", {})
        )

    model = ScriptedModel(answer)
    built = build_graph({"note": NOTE}, PACK, judge="model", model=model)
    assert len(model.asked) == 2
    first, finish = (json.loads(m.text) for m in model.asked[1].messages if m.role == "tool")
    assert first["id"] == "r"
    assert list(first["refused"]) == ["serves people"]
    assert "80" in first["refused"]["serves people"][0]
    assert not finish["ok"]
    assert "https://" not in json.dumps([first, finish])
    assert not any("add_" in text or "create_" in text for text in finish["refused"])
    assert built.session.missing() == ()


def test_the_next_passage_lists_what_is_in_the_graph() -> None:
    text = f"{NOTE}\n\n" + "The barley grows near the hut. " * 12
    asked: list[str] = []

    def answer(request: Request) -> Reply:
        asked.append(request.messages[1].text)
        return reply(*([("create", recipe())] if len(asked) == 1 else []), ("finish", {}))

    build_graph(
        {"n": text},
        PACK,
        judge="model",
        model=ScriptedModel(answer),
        options=Options(passage=250, overlap=0),
    )
    known = next(one for one in asked[1:] if "Already in the graph" in one)
    assert '- r: recipe "Soup" (' in known
    assert "serves people: 12" in known
    assert "https://" not in known.split("Already in the graph")[1].split("=====")[0]


def test_names_are_recognised_in_any_spelling_and_wrong_ones_get_near_ones() -> None:
    tools, session = tools_of(PACK)
    done = tools.use("create", {"class": "Recipe", "label": "Tea", "facts": {"servesPeople": 4}})
    assert done == {"ok": True, "id": "recipe:r1"}
    wrong = tools.use("create", {"class": "recipes of soup", "label": "x"})
    assert "recipe" in wrong["refused"][0]
    near = tools.use("add", {"subject": "recipe:r1", "property": "serve persons", "value": 4})
    assert "serves people" in near["refused"][0]
    lost = tools.use("add", {"subject": "recipe:r1", "property": "cooked at", "value": "Ambre"})
    assert '{"class": "hut", "label": "Ambre"}' in lost["refused"][0]
    taken = tools.use("create", {"class": "hut", "label": "Other", "id": "recipe:r1"})
    assert "choose another id" in taken["refused"][0]
    assert tools.use("create", {"label": "x"})["refused"][0].startswith("give class")
    assert len(session.entities()) == 1
    for odd in ({"facts": "x"}, {"facts": {"title": {"a": 1}}}, {"within": "nobody"}, {"id": 5}):
        done = tools.use("create", {"class": "recipe", "label": "Broth", **odd})
        assert done["ok"] is False and done["refused"] and json.dumps(done)


def test_wrong_facts_are_replaced_and_retracted() -> None:
    tools, session = tools_of(PACK)
    tools.use(
        "create", {"class": "recipe", "id": "r", "label": "Tea", "facts": {"serves people": 4}}
    )
    assert tools.use("replace", {"subject": "r", "property": "serves people", "value": 6}) == {
        "ok": True
    }
    assert tools.use("inspect", {"id": "r"})["facts"] == {"title": ["Tea"], "serves people": ["6"]}
    assert not tools.use("replace", {"subject": "r", "property": "serves people", "value": 600})[
        "ok"
    ]
    assert tools.use("inspect", {"id": "r"})["facts"] == {"title": ["Tea"], "serves people": ["6"]}
    assert tools.use("retract", {"subject": "r", "property": "serves people"}) == {"ok": True}
    assert tools.use("inspect", {"id": "r"})["facts"] == {"title": ["Tea"]}  # what the label said
    assert tools.use("retract", {"subject": "r"}) == {"ok": True}
    assert len(session.facts) == 0


def large() -> ToolPack:
    parts = [":Thing0 a owl:Class ."]
    for n in range(1, 300):
        parts.append(
            f":Thing{n} a owl:Class ; rdfs:subClassOf :Thing{n // 3} ; rdfs:comment 'Kind {n} of thing.' ."
        )
        parts.append(
            f":leads{n} a owl:ObjectProperty ; rdfs:domain :Thing{n} ; rdfs:range :Thing{n // 2} ."
        )
    return pack_of(" ".join(parts))


def test_a_large_ontology_is_searched_and_described_and_the_request_stays_small() -> None:
    pack = large()
    prompts = plan(pack)
    assert len(prompts) == 1
    assert prompts.prompts[0].partial
    model = ScriptedModel(lambda request: reply(("finish", {})))
    build_graph({"note": "x " * 300}, pack, judge="model", model=model)
    assert size(model.asked[0]) < 8000
    assert {"search", "describe"} <= {tool.name for tool in model.asked[0].tools}
    tools, _ = tools_of(pack)
    assert (
        tools.use("search", {"words": "leads7"})["found"][0]
        == "property leads 7 (of Thing 7): -> Thing 3"
    )
    assert "leads 7: -> Thing 3" in tools.use("describe", {"name": "Thing7"})["text"]
    assert "near" in tools.use("describe", {"name": "Thing 9000"})["refused"][0]


def test_the_ids_of_one_reply_are_known_to_its_later_calls_and_typed_tools_take_them_too() -> None:
    pack = pack_of(
        ":Hut a owl:Class . :Valley a owl:Class . :in a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Valley ."
    )
    calls = (
        ("create_hut", {"label": "Ambre", "id": "h", "quote": "The Ambre"}),
        ("create_valley", {"label": "Sorne", "id": "v"}),
        ("add_in", {"subject": "h", "object": "v"}),
        ("finish", {}),
    )
    assert not plan(pack).prompts[0].generic and plan(pack, 0).prompts[0].generic
    model = ScriptedModel(lambda request: reply(*calls))
    built = build_graph(
        {"note": "The Ambre stands in the Sorne."}, pack, judge="model", model=model
    )
    assert built.counts()["refused"] == 0
    assert len(list(built.session.facts.pairs("https://hut.example/kitchen#in"))) == 1
    assert all(
        "http" not in m.text
        for request in model.asked
        for m in request.messages
        if m.role == "tool"
    )


def test_an_entity_of_the_document_may_be_named_by_its_label() -> None:
    pack = pack_of(
        ":Hut a owl:Class . :Valley a owl:Class . :in a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Valley ."
    )
    sorne = {"class": "Valley", "label": "Sorne"}
    made = [
        ("create", {"class": "Hut", "label": name, "facts": {"in": value}, "quote": "Huts of the"})
        for name, value in (("Ambre", sorne), ("Kar", "Sorne"), ("Rif", "Ambre"))
    ]
    model = ScriptedModel(lambda request: reply(*made, ("finish", {})))
    options = Options(tool_budget=0)
    built = build_graph(
        {"note": "Huts of the Sorne."}, pack, judge="model", model=model, options=options
    )
    assert len(list(built.session.facts.pairs("https://hut.example/kitchen#in"))) == 2
    assert [doubt.arguments["object"] for doubt in built.doubts] == ["Ambre"]  # a hut is no valley
