from kgnb.agents.question_answering.pipeline import answer_question, learn
from kgnb.agents.question_answering.values import Options, Question
from tests.agents.question_answering.worlds import V, desk


def test_examples_teach_what_a_word_stands_for() -> None:
    question = Question("q", "Who is the boss of Lower Hut?", (V + "lower",))
    assert answer_question(question, desk()).values != (V + "bob",), "nobody said so yet"
    opened = desk()
    examples = [("Who is the boss of Upper Hut?", (V + "upper",), (V + "ann",))]
    learned = learn(opened, examples, Options())
    assert any(relation == V + "warden" for _, relation in learned)
    assert answer_question(question, opened).values == (V + "bob",)


def test_an_example_that_no_path_explains_teaches_nothing() -> None:
    assert learn(desk(), [("Who is the boss of Upper Hut?", (V + "upper",), (V + "cake", V + "bob"))], Options()) == {}
