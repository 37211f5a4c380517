"""What a model wrote is kept, whatever it does next; and every fact says truly where it is from."""

import json
from pathlib import Path

import pytest
import rdflib

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.workspace import find_quote
from kgnb.llm.model import Reply, Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph
from tests.agents.kg_construction.kitchen import pack_of
from tests.agents.kg_construction.test_instantiate import PACK, calls

KITCHEN = pack_of(
    ":Dish a owl:Class . :Food a owl:Class . :contains a owl:ObjectProperty ; rdfs:domain :Dish ; "
    "rdfs:range :Food . :serves a owl:DatatypeProperty ; rdfs:domain :Dish ; rdfs:range xsd:integer ; "
    'rdfs:label "serves" . :minutes a owl:DatatypeProperty ; rdfs:domain :Dish ; rdfs:range xsd:integer .'
)
PROV = rdflib.Namespace("http://www.w3.org/ns/prov#")


def replies(*said: Reply) -> ScriptedModel:
    """A model that gives these replies in turn, and the last one again and again."""
    left = list(said)
    return ScriptedModel(lambda request: left.pop(0) if len(left) > 1 else left[0])


def provenance(trig: str) -> rdflib.Dataset:
    graph = rdflib.Dataset(default_union=True)
    graph.parse(data=trig, format="trig")
    return graph


def test_a_model_that_ends_in_words_after_a_refusal_keeps_what_it_wrote() -> None:
    model = replies(
        calls(
            ("create_dish", {"label": "Soup", "id": "s", "quote": "Soup"}),
            ("add_serves", {"subject": "s", "value": 4, "quote": "for 4"}),
            ("add_serves", {"subject": "s", "value": "many", "quote": "for 4"}),
        ),
        Reply("Done: what was refused has no place in the ontology."),
    )
    built = build_graph({"n": "Soup for 4"}, KITCHEN, judge="model", model=model)
    assert built.counts()["failed"] == 0 and built.counts()["facts"] == 3
    assert [doubt.arguments["value"] for doubt in built.doubts] == ["many"]


def test_a_model_that_stops_calling_tools_keeps_what_it_wrote_and_the_review_says_so() -> None:
    model = replies(
        calls(("create_dish", {"label": "Soup", "quote": "Soup"})),
        Reply("", finish_reason="content_filter"),
    )
    built = build_graph({"n": "Soup for 4"}, KITCHEN, judge="model", model=model)
    assert built.counts()["stopped"] == 1 and built.counts()["failed"] == 0
    assert "Soup" in built.session.turtle()
    assert any("stopped" in doubt.reason for doubt in built.doubts)
    assert "no answer" in built.table().text()


def test_a_reading_that_never_ends_keeps_its_facts_and_says_where_it_stopped() -> None:
    from kgnb.agents.kg_construction.instantiate import Options

    model = replies(
        calls(("create_dish", {"label": "Soup", "quote": "Soup"})),
        calls(("add_wings", {"subject": "s", "value": 4})),
    )
    options = Options(calls=3)
    built = build_graph({"n": "Soup for 4"}, KITCHEN, judge="model", model=model, options=options)
    assert built.counts()["stopped"] == 1 and "Soup" in built.session.turtle()
    assert "3 replies (--calls)" in built.journals[0].stopped
    idle = replies(calls(("find_dish", {})))
    built = build_graph({"n": "Soup for 4"}, KITCHEN, judge="model", model=idle, options=options)
    assert [journal.document for journal in built.failed] == ["n"]


def test_a_half_refused_creation_may_be_made_again_with_its_id() -> None:
    wide = KITCHEN
    first = {"class": "Dish", "id": "s", "label": "Soup", "quote": "Soup"}
    model = replies(
        calls(("create", {**first, "facts": {"serves": "many", "minutes": 20}})),
        calls(("create", {**first, "facts": {"serves": 4, "minutes": 20}})),
        calls(("finish", {})),
    )
    from kgnb.agents.kg_construction.instantiate import Options

    options = Options(tool_budget=0)
    built = build_graph(
        {"n": "Soup for 4, 20 minutes"}, wide, judge="model", model=model, options=options
    )
    told = [json.loads(m.text) for m in model.asked[-1].messages if m.role == "tool"]
    assert not told[0]["ok"] and told[1]["ok"], told
    assert built.counts()["refused"] == 1 and built.counts()["repaired"] == 1 and not built.doubts


def test_four_refused_calls_of_one_reply_are_four_things() -> None:
    dishes = [f"Soup {n}" for n in range(4)]
    made = [("create_dish", {"label": name, "id": f"s{n}"}) for n, name in enumerate(dishes)]
    wrong = [("add_serves", {"subject": f"s{n}", "value": "many"}) for n in range(4)]
    more = [("add_serves", {"subject": "s0", "value": word}) for word in ("few", "some", "none")]
    model = replies(calls(*made), calls(*wrong, *more), calls(("finish", {})))
    built = build_graph({"n": " ".join(dishes)}, KITCHEN, judge="model", model=model)
    answers = [m.text for m in model.asked[-1].messages if m.role == "tool"]
    assert not any("left to a person" in text for text in answers)
    left = [doubt.arguments["value"] for doubt in built.doubts if doubt.tool == "add_serves"]
    assert sorted(left) == ["few", "many", "many", "many", "many", "none", "some"]


def test_a_namesake_is_first_told_apart() -> None:
    model = replies(
        calls(("create_hut", {"label": "Ambre", "beds": 28, "quote": "Ambre has 28"})),
        calls(("create_hut", {"label": "Ambre", "beds": 12, "quote": "Ambre has 12"})),
        calls(("finish", {})),
    )
    build_graph({"n": "Ambre has 28. Ambre has 12."}, PACK, judge="model", model=model)
    told = " ".join(m.text for r in model.asked for m in r.messages if "already" in m.text)
    assert 0 < told.index("tell the two apart") < told.index("the very same")


def test_a_call_about_what_a_refused_call_was_to_make_says_that_it_waits_for_it() -> None:
    pack = pack_of(
        ":Choir a owl:Class . :Person a owl:Class . :led a owl:ObjectProperty ; rdfs:label 'led by' ; "
        "rdfs:domain :Choir ; rdfs:range :Person ."
    )
    asked: list[Request] = []

    def answer(request: Request) -> Reply:
        asked.append(request)
        person = {"label": "Larks", "id": "p", "quote": "the Larks"}
        led = ("add_led", {"subject": "l", "object": "p", "quote": "the Larks lead"})
        if len(asked) == 1:
            choir = ("create_choir", {"label": "Larks", "id": "l", "quote": "the Larks"})
            return calls(choir, ("create_person", person), led, ("finish", {}))
        if len(asked) == 2:
            return calls(("create_person", person | {"label": "A. Lark"}), led, ("finish", {}))
        return calls(("finish", {}))

    built = build_graph(
        {"n": "Here the Larks lead themselves."},
        pack,
        judge="model",
        model=ScriptedModel(answer),
        options=Options(feedback=True),
    )
    told = [json.loads(message.text) for message in asked[1].messages if message.role == "tool"]
    assert "already" in told[1]["refused"][0]
    assert told[2]["refused"] == [
        "there is no p, because create_person was refused: make that again first, then this"
    ]
    assert told[3]["refused"][1] == "then make the calls again that name p (1)", "once, not each"
    assert len(built.session.facts.about(next(iter(built.journals[0].acts)).iri)) == 3, "led, too"


def test_a_quote_that_is_not_in_the_text_is_refused() -> None:
    model = replies(
        calls(("create_dish", {"label": "Soup", "quote": "99.9 % invented words"})),
        calls(("create_dish", {"label": "Soup", "quote": "“soup” of the day"})),
        calls(("finish", {})),
    )
    built = build_graph({"n": '"Soup" of the day'}, KITCHEN, judge="model", model=model)
    [journal] = built.journals
    assert [act.ok for act in journal.acts] == [False, True] and built.counts()["repaired"] == 1
    assert "not in the text" in journal.acts[0].violations[0].hint
    always = replies(calls(("create_dish", {"label": "Soup", "quote": "no such"})), Reply("Done."))
    built = build_graph({"n": "Soup"}, KITCHEN, judge="model", model=always)
    assert not built.session.facts and [d.violations[0].constraint for d in built.doubts] == [
        "quote"
    ]


def test_what_is_written_without_a_quote_and_is_not_in_the_text_is_left_to_a_person() -> None:
    model = replies(
        calls(
            ("create_dish", {"label": "Soup", "id": "s"}),
            ("add_serves", {"subject": "s", "value": 4}),
            ("add_minutes", {"subject": "s", "value": 30}),
        ),
        calls(("finish", {})),
    )
    text = "For the Soup, for 4 people, take half an hour."
    built = build_graph({"n": text}, KITCHEN, judge="model", model=model)
    assert [(d.arguments["value"], d.written) for d in built.doubts] == [(30, True)]
    assert "no words of the text" in built.review().text()
    spans = [text[act.start : act.end] for act in built.journals[0].acts]
    assert spans == ["Soup", "4", text]


def servings(dish: str) -> dict[str, object]:
    """How many a dish serves."""
    return {"dish": dish, "serves": 12}


@pytest.mark.parametrize("quote", ["", '"serves": 12', "the Soup"])
def test_what_an_outside_tool_said_is_attributed_to_the_tool(quote: str, tmp_path: Path) -> None:
    def asking(request: Request) -> Reply:
        answers = [m for m in request.messages if m.role == "tool"]
        if not answers:
            return calls(("servings", {"dish": "Soup"}))
        if len(answers) > 1:
            return calls(("finish", {}))
        return calls(
            ("create_dish", {"label": "Soup", "id": "s", "quote": "the Soup"}),
            ("add_serves", {"subject": "s", "value": 12} | ({"quote": quote} if quote else {})),
        )

    note = {"note": "Then eat the Soup."}
    built = build_graph(
        note,
        KITCHEN,
        judge="model",
        model=ScriptedModel(asking),
        outside=[servings],
        folder=tmp_path,
    )
    graph = provenance(built.session.trig())
    [row] = graph.query(
        """PREFIX prov: <http://www.w3.org/ns/prov#>
        SELECT ?said ?asked ?who ?when { GRAPH ?g { ?s ?p 12 } ?g prov:wasDerivedFrom ?a .
        ?a prov:value ?said ; prov:wasGeneratedBy ?activity .
        ?activity rdfs:label ?asked ; prov:endedAtTime ?when ; prov:wasAssociatedWith/rdfs:label ?who }"""
    )
    assert '"serves": 12' in row.said and "Soup" in row.asked and str(row.who) == "servings"
    assert row.when.datatype == rdflib.XSD.dateTime and row.when.toPython()
    [(of, _)] = graph.query("SELECT ?d ?g { GRAPH ?g { ?s a ?c } ?g prov:wasDerivedFrom ?d }")
    assert str(of) == "urn:kgnb:document:note" and not built.doubts
    never = ScriptedModel(lambda request: pytest.fail("it was asked again"))
    again = build_graph(
        note, KITCHEN, judge="model", model=never, outside=[servings], folder=tmp_path
    )
    assert again.session.trig() == built.session.trig()


@pytest.mark.parametrize(
    ("text", "quote", "there"),
    [
        ("the well-\nknown crys-\ntalline salt", "crystalline salt", True),
        ("at −5 °C", "-5 °C", True),
        ("**Hochkar** House: 40 beds", "Hochkar House: 40 beds", True),
        ("It has 140 beds", "40 beds", False),
        ("It has 40 beds", "has 4", False),
        ("Ko\u0308nigin \u201eGold\u201c", "K\u00f6nigin 'Gold'", True),
        ("zwi\u2010\nschen A\u200bB", "zwischen AB", True),
        ("It is open. It has 40 beds in six rooms", "It is open ... in six rooms", True),
        ("It is open. " + "x " * 900 + "in six rooms", "It is open ... in six rooms", False),
        ("a b c", "a ... c", False),
        ("Add 1½ cups of milk", "1 1/2 cups", True),
        ("Add 1 1/2 cups of milk", "1½ cups", True),
        ("Add ¾ l, 3 × 4 cm at 20 ˚C", "3/4 l, 3 x 4 cm at 20 °C", True),
        ("on 10/2020 and 12/11/20 it", "2020", True),
        ("Add ½ cup or 1/2 cup", "2 cup", False),
        ("Add 1½ cups or 1 1/2 cups", "1/2 cups", False),
        ("Add 1½ cups", "½ cups", False),
        ("Add 1½ cups", "11/2 cups", False),
        ("Add ½ cup", "Add 1", False),
        ("", "x", False),
        ("x", "...", False),
    ],
)
def test_quotes_are_found_as_a_reader_would_find_them(text: str, quote: str, there: bool) -> None:
    assert (find_quote(text, quote) is not None) is there


def test_one_and_the_same_wrong_call_is_told_once_and_ends_the_document() -> None:
    wrong = ("add_serves", {"subject": "s", "value": "many", "quote": "for 4"})
    for same in (wrong, ("add_wings", {"subject": "s", "value": 4})):
        model = replies(
            calls(("create_dish", {"label": "Soup", "id": "s", "quote": "Soup"})), calls(same)
        )
        built = build_graph({"n": "Soup for 4"}, KITCHEN, judge="model", model=model)
        assert len(model.asked) == 4 and built.counts()["stopped"] == 1
        told = [m.text for m in model.asked[-1].messages if m.role == "tool"]
        assert ["refused before" in text for text in told] == [False, False, True]
        assert "Soup" in built.session.turtle() and built.counts()["failed"] == 0
        assert any("the same refused call" in doubt.reason for doubt in built.doubts)
        left = [doubt.arguments["value"] for doubt in built.doubts if doubt.tool == "add_serves"]
        assert left == (["many"] if same is wrong else [])


def test_different_wrong_calls_end_nothing() -> None:
    wrong = [("add_serves", {"subject": "s", "value": f"many {n}"}) for n in range(5)]
    model = replies(
        calls(("create_dish", {"label": "Soup", "id": "s", "quote": "Soup"})),
        *[calls(one) for one in wrong],
        calls(wrong[0], wrong[0], wrong[0]),
        calls(("add_serves", {"subject": "s", "value": 4, "quote": "for 4"})),
        calls(("finish", {})),
    )
    built = build_graph({"n": "Soup for 4"}, KITCHEN, judge="model", model=model)
    assert built.counts()["stopped"] == 0 and len(list(built.graph)) == 3


def test_a_document_of_nothing_but_the_same_wrong_call_has_failed_and_is_reviewed() -> None:
    model = replies(calls(("create_dish", {"label": "Stew", "quote": "Stew"})))
    built = build_graph({"n": "Soup for 4"}, KITCHEN, judge="model", model=model)
    assert [one.document for one in built.failed] == ["n"] and len(model.asked) == 3
    assert [doubt.arguments["label"] for doubt in built.doubts if doubt.tool] == ["Stew"]


def test_a_server_that_dies_in_a_document_keeps_what_was_written(tmp_path: Path) -> None:
    from kgnb.agents.kg_construction.instantiate import Options
    from kgnb.errors import BackendError

    dead = True
    notes = {name: f"{name} for 4, {'and so on ' * 80}" for name in ("Soup", "Stew", "Roast")}
    notes |= {f"Cake {n}": f"Cake {n} for 4, {'and so on ' * 80}" for n in range(9)}

    def answer(request: Request) -> Reply:
        text = str(request.messages[1].text)
        name = next(one for one in notes if f"({one}," in text)
        if any(message.role == "tool" for message in request.messages):
            if dead and name == "Stew":
                raise BackendError("the server is away", service="model")
            return calls(("finish", {}))
        if dead and name not in ("Soup", "Stew"):
            raise BackendError("the server is away", service="model")
        return calls(("create_dish", {"label": name, "quote": name}))

    def build() -> tuple[Built, ScriptedModel]:
        model = ScriptedModel(answer)
        options = Options(width=1)
        return build_graph(
            notes, KITCHEN, judge="model", model=model, folder=tmp_path, options=options
        ), model

    built, _ = build()
    assert [one.document for one in built.journals if one.acts] == ["Soup", "Stew"]
    assert set(built.session.labels().values()) == {"Soup", "Stew"}
    stew = built.journals[1]
    assert "the server is away" in stew.stopped and not stew.error
    assert any("stopped here" in one.reason for one in built.doubts if one.document == "Stew")
    assert all("server is away" in one.error for one in built.journals[2:]) and built.partial
    dead = False
    built, model = build()
    assert len(built.session.labels()) == len(notes) and not built.partial
    assert built.counts()["resumed"] == 1 and len(model.asked) == 2 * (len(notes) - 1)


@pytest.mark.parametrize("many", [5, 130])
def test_of_many_entities_those_that_a_tool_takes_are_listed_and_the_rest_is_counted(
    many: int,
) -> None:
    pack = pack_of(
        ":Choir a owl:Class . :Person a owl:Class . :Song a owl:Class . :led a owl:ObjectProperty ; "
        "rdfs:label 'led by' ; rdfs:domain :Choir ; rdfs:range :Person ."
    )
    text = "The Larks sing many songs, led by Ida Renn. " * 16
    asked: list[str] = []

    def answer(request: Request) -> Reply:
        asked.append(request.messages[1].text)
        made = [("create_choir", {"label": "Larks", "id": "larks", "quote": "Larks"})]
        made += [
            ("create_song", {"label": f"Song {at}", "id": f"s{at}", "quote": "songs"})
            for at in range(many)
        ]
        return calls(*(made if len(asked) == 1 else ()), ("finish", {}))

    build_graph(
        {"n": text},
        pack,
        judge="model",
        model=ScriptedModel(answer),
        options=Options(passage=400, overlap=0),
    )
    known = asked[1].partition("Already in the graph")[2].partition("=====")[0]
    assert '- larks: Choir "Larks"' in known, "the first, which later facts are about"
    assert f'"Song {many - 1}"' in known, "and the latest"
    assert ("not listed: 31 Song" in known) == (many == 130)
    assert ("taken as well: s0, s1," in known) == (many == 130)
