"""Lists in the paper's loop: a class or a relation where a question names no entity, pages, and
counts.
"""

import pytest

from kgnb.agents.question_answering.values import Options, Question, read_action, written
from kgnb.llm.model import Reply, Request
from kgnb.llm.scripted import ScriptedModel
from tests.agents.question_answering.test_model_judges import ask, plays, result
from tests.agents.question_answering.worlds import TURTLE, V

PAPER = Options(tools="paper")
HIGHEST = Question("q", "Which hut is the highest?")
HUTS = 120
MANY = TURTLE + "".join(
    f':h{at:03} a :Hut ; rdfs:label "Hut number {at}"@en ; :altitude {3000 + at * 7 % HUTS} ; :warden :ann .\n'
    for at in range(HUTS)
)
BARN = ':barn rdfs:label "Barn" ; :altitude 9000 .'


def listed(model: ScriptedModel, number: int = -1) -> list[str]:
    """The lines of the graph in what a call brought."""
    return [text for text in result(model, number).splitlines() if text.startswith("n:")]


def test_a_question_that_names_a_class_alone_begins_with_its_relations_and_lists_one() -> None:
    model = plays(
        ("neighbours", {"entity": "n:altitude"}),
        ("answer", {"values": ["n:upper"], "confidence": 0.95}),
    )
    found = ask(model, options=PAPER, question=HIGHEST)
    system, prompt = (message.text for message in model.asked[0].messages)
    assert "No entity is named here" in system and "FACTS (" not in prompt
    assert "n:Hut  # hut, 2 things" in prompt
    assert "hut -> n:altitude" in prompt and "hut -> n:warden" in prompt
    assert [text.split('"')[1] for text in listed(model)] == ["1500", "2400"], "sorted by value"
    assert len(model.asked) == 2, "nobody is asked what to keep of a list"
    assert found.values == (V + "upper",) and found.confidence == 0.95
    assert [triple[:2] for triple in found.support] == [(V + "upper", V + "altitude")]


def test_a_class_with_a_relation_lists_it_for_the_things_of_the_class_alone() -> None:
    for entity, relation, number in (("n:altitude", "", 3), ("n:Hut", "n:altitude", 2)):
        model = plays(("neighbours", {"entity": entity, "relation": relation}))
        ask(model, TURTLE + BARN, options=PAPER, question=HIGHEST)
        assert len(listed(model)) == number
    model = plays(("neighbours", {"entity": "n:Hut"}))
    ask(model, options=PAPER, question=HIGHEST)
    assert [text.split()[:3] for text in listed(model)] == [
        ["n:lower", "rdf:type", "n:Hut"],
        ["n:upper", "rdf:type", "n:Hut"],
    ]


def test_a_question_that_names_nothing_begins_with_classes_too_but_not_where_the_paper_has_none() -> (
    None
):
    asked = Question("q", "How high do people sleep?")
    for options, shown in (
        (PAPER, True),
        (Options(tools="paper", directions="outgoing"), False),
        (Options(tools="paper", observation=False), False),
    ):
        model = plays(("give_up", {"why": "x"}))
        ask(model, options=options, question=asked)
        assert ("RELATIONS (in" in model.asked[0].messages[1].text) == shown
    named = plays(("give_up", {"why": "x"}))
    ask(named, options=PAPER)
    assert "CLASSES" not in named.asked[0].messages[1].text


def test_a_long_list_comes_page_by_page_from_both_ends_of_its_values() -> None:
    look = ("neighbours", {"entity": "n:altitude"})
    model = plays(look, look, look, look, ("give_up", {"why": "x"}))
    found = ask(model, MANY, options=PAPER, question=HIGHEST)
    assert "call 1, lines: 1 to 50 of 122" in result(model, 1)
    assert "the lowest and the highest values" in result(model, 1)
    assert "call 1, lines: 101 to 122 of 122" in result(model, 3)
    pages = [[int(text.split('"')[1]) for text in listed(model, at)] for at in (1, 2, 3)]
    assert (pages[0][0], pages[0][-1]) == (1500, 3119)
    assert sorted(value for page in pages for value in page) == sorted(
        [1500, 2400, *range(3000, 3120)]
    )
    assert max(pages[1]) < pages[0][25] and max(pages[0][:25]) < min(pages[1])
    assert any("done before" in note for note in found.notes), "there is no fourth page"


def test_the_number_of_a_list_is_proved_by_the_call_that_brought_it_and_no_other_number_is() -> (
    None
):
    asked = Question("q", "How many huts have a warden?")
    look = ("neighbours", {"entity": "n:Hut", "relation": "n:warden"})

    def says(number: str, call: str = "call 1") -> tuple[str, dict[str, object]]:
        return ("answer", {"values": [number], "triples": [call]})

    model = plays(look, says("50"), says("122", "call 9"), says("122"))
    found = ask(model, MANY, options=PAPER, question=asked)
    assert "122 subjects, 2 objects" in result(model, 1)
    assert "most lines by object (1 of 1 with more than 1 line): n:ann (Ann Berger): 121" in result(
        model, 1
    )
    assert found.label(found.values[0]) == "122" and len(found.support) > 50
    notes = "".join(found.notes)
    assert "50 is not the number of the triples" in notes and "call 9 is no list" in notes


def test_lines_of_both_directions_are_no_count_of_things() -> None:
    beside = "".join(f":h{at:03} :near :upper . :upper :near :h{at:03} .\n" for at in range(20))
    model = plays(
        ("neighbours", {"entity": "n:upper", "relation": "n:near"}),
        ("answer", {"values": ["40"], "triples": ["call 1"]}),
    )
    asked = Question("q", "How many?", (V + "upper",))
    found = ask(model, MANY + beside, options=PAPER, question=asked)
    assert found.status == "unsure" and "both directions" in "".join(found.notes)


def test_an_answer_may_rest_on_several_lists() -> None:
    lists = [("neighbours", {"entity": entity}) for entity in ("n:livesIn", "n:serves")]
    answers = ("answer", {"values": ["n:ann", "n:upper"]})
    found = ask(plays(*lists, answers), options=PAPER, question=HIGHEST)
    assert set(found.values) == {V + "ann", V + "upper"}
    assert {triple[0] for triple in found.support} == {V + "ann", V + "upper"}


def test_which_of_two_rests_on_what_both_have_of_one_relation() -> None:
    asked = Question("q", "Which is higher, Upper Hut or Lower Hut?", (V + "upper", V + "lower"))
    says = ("answer", {"values": ["n:upper"]})
    found = ask(plays(says), options=PAPER, question=asked)
    assert found.values == (V + "upper",)
    assert {triple[:2] for triple in found.support} == {
        (V + "upper", V + "altitude"),
        (V + "lower", V + "altitude"),
    }
    unknown = TURTLE.replace(" :altitude 1500 ;", "")
    assert ask(plays(says), unknown, options=PAPER, question=asked).status == "unsure"


@pytest.mark.parametrize(("guests", "counts"), [(3, "every triple that counts"), (30, "some that")])
def test_a_reflection_does_not_ask_for_more_triples_than_it_may_keep(
    guests: int, counts: str
) -> None:
    asked: list[str] = []
    model = plays(("neighbours", {"entity": "n:soup"}), ("give_up", {"why": "x"}))

    def play(request: Request) -> str | Reply:
        if not request.tools:
            asked.append(request.messages[0].text)
            return '{"numbers": [1]}'
        return model.ask(request)

    served = "".join(f":h{at:03} :serves :soup .\n" for at in range(guests))
    soup = Question("q", "Who serves soup?", (V + "soup",))
    ask(ScriptedModel(play), TURTLE + served, options=PAPER, question=soup)
    assert len(asked) == 1 and counts in asked[0]


def test_a_page_of_a_look_is_written_and_read_again() -> None:
    for text in (
        '{"neighbours": ["http://v.example/a"]}',
        '{"neighbours": ["http://v.example/a", "http://v.example/b"]}',
        '{"neighbours": ["http://v.example/a", "", 2]}',
        '{"paths": ["http://v.example/a", "http://v.example/b", 2, 1]}',
    ):
        assert written(read_action(text)) == text
