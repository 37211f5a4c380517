"""The verb review of an agent of which nothing is written by hand."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kgnb.agents.agent import Agent, AgentTask, Input, Review, Stage
from kgnb.agents.options import Field, options
from kgnb.judging import CallableJudge, Decisions, Option, Verdict, overridden
from kgnb.magics.agent import magics_of
from kgnb.magics.arguments import LineError
from kgnb.magics.panel import reviews
from kgnb.magics.session import Session
from kgnb.settings import Settings


@dataclass(frozen=True)
class Spelling:
    word: str

    @property
    def id(self) -> str:
        return self.word

    @property
    def text(self) -> str:
        return f"{self.word}\nWhich spelling is right?"

    @property
    def options(self) -> tuple[Option, ...]:
        return (
            Option(self.word.lower(), self.word.lower()),
            Option(self.word.upper(), self.word.upper()),
        )


@dataclass(frozen=True)
class Answer:
    question: Spelling
    verdict: Verdict


@options
class Options:
    decisions: str = Field(default="", description="file of a person's decisions")


def spell(text: str, judge: Any) -> tuple[Answer, ...]:
    """Ask how each word is spelled."""
    questions = [Spelling(word) for word in text.split()]
    return tuple(map(Answer, questions, judge.judge(questions)))


def judge_of(task: AgentTask) -> Any:
    nobody = CallableJudge(lambda question: Verdict("unsure"))
    file = task.option("decisions")
    return overridden(nobody, Decisions(file)) if file else nobody


AGENT = Agent(
    name="spelling",
    magic="spelling",
    title="Spelling",
    inputs=(Input("text", "text", "words"),),
    options={"options": Options},
    stages=(Stage(spell, ("text", "judge")),),
    provides={"judge": judge_of},
    review=Review(
        ("spell",),
        lambda answers: answers,
        file="spelled.jsonl",
        relations={"accept": "right"},
        none="no",
    ),
)


@pytest.fixture
def line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    monkeypatch.chdir(tmp_path)
    magics = magics_of(AGENT)(SimpleNamespace(user_ns={}), Session(Settings()))
    magics.dispatch('start "Hut Bed"')
    magics.dispatch("spell")
    capsys.readouterr()
    return magics.dispatch


def test_what_no_judge_decided_is_listed_answered_and_taken_over(
    line: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(line("review --list").df()["name"]) == ["Hut", "Bed"]
    line("review --accept Hut HUT --who Ada")
    line("review --reject 2")
    said = capsys.readouterr().out
    assert (
        "Hut: right HUT (Ada), saved in spelled.jsonl; 1 left. %spelling spell applies it." in said
    )
    verdicts = [one.verdict for one in line("spell")]
    assert [(one.decision, one.choice) for one in verdicts] == [("right", "HUT"), ("no", None)]
    assert verdicts[0].judged_by == "person:Ada"
    assert not len(line("review --list"))
    line("review --withdraw Hut")
    assert line("spell")[0].verdict.decision == "unsure"


def test_one_candidate_alone_is_rejected_only_where_decisions_outlive_a_question(line: Any) -> None:
    with pytest.raises(LineError, match="none does"):
        line("review --reject Hut HUT")


def test_the_panel_counts_what_waits(line: Any) -> None:
    session = line.__self__.session
    assert reviews(session, "spelling") == {"%spelling review": 2}
    line("review --accept 1 1")
    assert reviews(session, "spelling") == {"%spelling review": 1}
