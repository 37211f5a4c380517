"""What an answer changes: claims that exclude each other, and claims that stand side by side."""

from dataclasses import dataclass

import pytest

from kgnb.judging.cascade import Beliefs
from kgnb.judging.question import Option, Verdict


@dataclass(frozen=True)
class Which:
    """Which of these is the thing."""

    options: tuple[Option, ...] = (Option("a", "first"), Option("b", "second"))


def believed(*, exclusive: bool) -> Beliefs[Which]:
    verdict = Verdict("this", "a", 0.5, also=(("b", 0.4),))
    return Beliefs([Which()], [verdict], "this", lambda _, option: option, exclusive=exclusive)


def test_an_answer_speaks_against_what_it_excludes_and_leaves_alone_what_may_stand_beside_it() -> None:
    for exclusive in (True, False):
        beliefs = believed(exclusive=exclusive)
        before = beliefs.held(0)
        beliefs.learn({0: (0, 0.9)})
        after = beliefs.held(0)
        assert after[0] > before[0]
        assert after[1] < before[1] if exclusive else after[1] == pytest.approx(before[1])
    beliefs = believed(exclusive=False)
    beliefs.learn({0: (None, 0.9)})  # none of them: against all
    assert all(now < then for now, then in zip(beliefs.held(0), before, strict=True))
