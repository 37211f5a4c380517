"""Point 5 of the issue, over real HTTP: a server that talks nonsense, breaks its JSON and turns calls away."""

import json
import re
from collections.abc import Mapping
from typing import Any

from kgnb.judging import ModelJudge, Verdict
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.pacing import Pace, Paced
from kgnb.run import Run
from tests.judging.questions import Ask, ask
from tests.llm.stub_server import (
    StubServer,
    cut_json,
    rate_limited,
    says,
    server_error,
)

QUESTIONS = [ask(f"class Number{number}", f"Bed{number}", "Route") for number in range(6)]
KEY = "sk-not-a-real-key"


def first_option(body: Mapping[str, Any]) -> str:
    """Answers every question of a prompt with its first option."""
    numbers = re.findall(r"^##\w+ question (\d+)$", body["messages"][1]["content"], re.M)
    entries = [
        {"question": int(number), "why": "so", "letter": "A", "decision": "equivalent", "confidence": 0.9}
        for number in numbers
    ]
    return json.dumps({"answers": entries})


def judged(
    server: StubServer, *, retries: int = 2, width: int = 1, patience: int = 50, run: Run | None = None
) -> tuple[Run, list[Verdict]]:
    """Six questions, two a call, as a run sees them."""
    model = Paced(OpenAIModel("stub", server.url, KEY), Pace(sleep=lambda seconds: None), retries)
    run = run or Run("example")
    judge: ModelJudge[Ask] = ModelJudge(
        run.watch(model),
        instructions="Which means the same?",
        decisions=("equivalent",),
        none_decision="different",
        batch=2,
        width=width,
        patience=patience,
    )
    return run, run.do(run.watch_judge(judge).judge, QUESTIONS)


def test_all_of_it_at_once() -> None:
    wrong = '{"answers": [{"question": 1, "why": "", "letter": "Z", "decision": "equivalent", "confidence": 0.9}, '
    half = wrong + '{"question": 2, "why": "", "letter": "B", "decision": "equivalent", "confidence": 0.6}]}'
    faults = [
        rate_limited(after_ms=1), says(half),  # batch 1: a retry, then a wrong letter for the first of its two
        says("no idea"), says("no idea"),  # batch 2: nonsense, by a schema and in words
        server_error(), server_error(), server_error(),  # batch 3: fails for good
        None,  # the repair of batch 1 is answered well
        cut_json(), says("still no idea"),  # the repair of batch 2: a broken body, then nonsense again
    ]  # fmt: skip
    with StubServer(first_option, faults) as server:
        run, verdicts = judged(server)
    assert [verdict.choice for verdict in verdicts] == ["b#Bed0", "b#Route", None, None, None, None]
    assert [verdict.decision for verdict in verdicts[2:]] == ["unsure"] * 4
    assert "even when asked again" in verdicts[2].rationale
    assert "500" in verdicts[4].rationale
    assert [verdict.failed for verdict in verdicts] == ["", "", "model", "model", "model", "model"]
    assert len(server.requests) == 10
    assert (run.totals["calls"], run.totals["retries"], run.totals["unsure"]) == (5, 5, 4)
