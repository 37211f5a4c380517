"""Judging: every judgement in kgnb is a typed question with a closed list of options, answered by a
judge.

Judges are interchangeable: a rule, a language model, a cascade of the two, a recording, a person,
any callable.
"""

from kgnb.judging.cascade import Asking, Cascade
from kgnb.judging.memory import Remembered, VerdictStore
from kgnb.judging.model_judge import ModelJudge
from kgnb.judging.person import (
    Decision,
    Decisions,
    Oracle,
    Pending,
    PersonJudge,
    Reviewed,
    overridden,
    pending,
)
from kgnb.judging.question import (
    UNSURE,
    CallableJudge,
    ClosedQuestion,
    Estimate,
    Judge,
    Option,
    Verdict,
    Wrapped,
    checked,
    estimate,
    unsure,
    verdicts,
)

__all__ = [
    "UNSURE",
    "Asking",
    "CallableJudge",
    "Cascade",
    "ClosedQuestion",
    "Decision",
    "Decisions",
    "Estimate",
    "Judge",
    "ModelJudge",
    "Option",
    "Oracle",
    "Pending",
    "PersonJudge",
    "Remembered",
    "Reviewed",
    "Verdict",
    "VerdictStore",
    "Wrapped",
    "checked",
    "estimate",
    "overridden",
    "pending",
    "unsure",
    "verdicts",
]
