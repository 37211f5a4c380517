from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from kgnb.errors import DataError, FromCache, NotKept
from kgnb.judging import Estimate, ModelJudge, Remembered, Verdict, VerdictStore
from kgnb.llm.scripted import ScriptedModel
from tests.judging.questions import Ask, ask

QUESTIONS = [ask(f"class Number{number}", f"Bed{number}", "Route") for number in range(6)]


class Counting:
    """Takes the first option, save of what fails or what it cannot tell; says what it was asked."""

    def __init__(
        self, standard: str = "plain", name: str = "model:x", failing: str = "", unsure: str = ""
    ) -> None:
        self.standard, self.name, self.failing, self.unsure = standard, name, failing, unsure
        self.asked: list[str] = []

    def judge(self, questions: Sequence[Ask]) -> list[Verdict]:
        self.asked += [question.text for question in questions]
        return [
            Verdict(
                "unsure",
                rationale="cannot tell",
                judged_by=self.name,
                failed="model" if question.text == self.failing else "",
            )
            if question.text in (self.failing, self.unsure)
            else Verdict(
                "equivalent",
                question.options[0].id,
                0.75,
                "so",
                self.name,
                ((question.options[1].id, 0.2),),
            )
            for question in questions
        ]

    def estimate(self, questions: Sequence[Ask]) -> Estimate:
        return Estimate(len(questions))


@pytest.fixture
def memory(tmp_path: Path) -> VerdictStore:
    return VerdictStore(tmp_path / "deep" / "verdicts.sqlite")


def test_decided_questions_are_not_asked_again_and_verdicts_are_the_same(
    memory: VerdictStore,
) -> None:
    first = Remembered(Counting(), memory).judge(QUESTIONS)
    judge = Counting()
    again = Remembered(judge, memory)
    with pytest.warns(FromCache, match=rf"model:x: .*\(of {date.today()}\)"):
        verdicts = again.judge([ask("class New", "Bed", "Route"), *QUESTIONS])
    assert verdicts[1:] == first
    assert judge.asked == ["class New"]
    today = date.today().isoformat()
    assert [verdict.remembered for verdict in verdicts] == ["", *[today] * 6]
    assert again.estimate(QUESTIONS) == Estimate(0)


@pytest.mark.parametrize(
    ("judge", "where"),
    [(Counting("strict"), ""), (Counting(name="model:y"), ""), (Counting(), "elsewhere")],
)
def test_another_model_standard_or_server_remembers_nothing_of_it(
    memory: VerdictStore, judge: Counting, where: str
) -> None:
    Remembered(Counting(), memory).judge(QUESTIONS)
    Remembered(judge, memory, where=where).judge(QUESTIONS)
    assert len(judge.asked) == len(QUESTIONS)


def test_failed_questions_are_asked_again_and_unsure_ones_are_not(memory: VerdictStore) -> None:
    Remembered(Counting(failing="class Number2", unsure="class Number4"), memory).judge(QUESTIONS)
    assert len(memory) == 5
    judge = Counting()
    verdicts = Remembered(judge, memory).judge(QUESTIONS)
    assert judge.asked == ["class Number2"] and len(memory) == 6
    assert [verdict.decision for verdict in verdicts] == ["equivalent"] * 4 + [
        "unsure",
        "equivalent",
    ]


def test_a_replay_asks_everything_first_and_falls_back_on_memory(memory: VerdictStore) -> None:
    class Replay(Counting):
        def judge(self, questions: Sequence[Ask]) -> list[Verdict]:
            if len(questions) not in (2, 6):
                raise DataError("no reply is kept", where="replies.sqlite")
            return super().judge(questions)

    whole = Replay()
    Remembered(whole, memory, replaying=True).judge(QUESTIONS)
    assert len(whole.asked) == 6
    shifted = Replay()
    more = [*QUESTIONS, ask("class A", "Bed", "Route"), ask("class B", "Bed", "Route")]
    assert len(Remembered(shifted, memory, replaying=True).judge(more)) == 8
    assert shifted.asked == ["class A", "class B"]
    with pytest.raises(DataError, match="no reply"):
        Remembered(Replay(), memory, replaying=True).judge([ask("class C", "Bed", "Route")])


def test_model_judges_differ_by_instructions_and_words() -> None:
    def standard(instructions: str, *words: str) -> str:
        return ModelJudge[Ask](
            ScriptedModel([]), instructions=instructions, decisions=words, none_decision="different"
        ).standard

    assert (
        len(
            {
                standard("a", "equivalent"),
                standard("b", "equivalent"),
                standard("a", "equivalent", "related"),
            }
        )
        == 3
    )


def test_many_threads_share_one_file(memory: VerdictStore) -> None:
    def work(number: int) -> int:
        mine = VerdictStore(memory.path)
        return len(
            Remembered(Counting(), mine).judge(
                [ask(f"class {number} {i}", "Bed", "Route") for i in range(20)]
            )
        )

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) == 160
    assert len(memory) == 160


def test_thousands_of_questions_at_once(memory: VerdictStore) -> None:
    many = [ask(f"class {number}", "Bed", "Route") for number in range(1100)]
    Remembered(Counting(), memory).judge(many)
    judge = Counting()
    Remembered(judge, memory).judge(many)
    assert judge.asked == []


def test_a_memory_that_cannot_be_opened_is_done_without_and_closed(tmp_path: Path) -> None:
    (tmp_path / "v.sqlite").mkdir()
    with pytest.warns(NotKept):
        memory = VerdictStore(tmp_path / "v.sqlite")
    assert memory.get("rule", ["1"]) == {}
    memory.close()
