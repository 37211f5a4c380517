"""No recording is stale unless its card says so, and the commands of its card give the figures that
it states.
"""

from __future__ import annotations

import re

import pytest

from tests.benchmarks.llm.recordings import RECORDINGS, needs_data, replay, said_stale
from tests.faults.tries import WHOLE

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]
# 220 s of a core for each; the prompts of entity alignment are held by the huts as well
LARGE = ("srprs-en-fr", "srprs-en-fr-planned", "dbp15k-fr-en-planned")
ONLY = {
    "huts": "judge=cascade"
}  # the prompts of its other commands are replayed by tests/test_recordings.py
REACHED = {  # figures that a card states, as its commands print them
    "dbp15k-fr-en-planned": ((r"Hits@1 (\d+\.\d+)%", 99.9),),
    "dairy": (
        (r"asking register +\S.*? +(\S+) +this run", 100.0),
        # without a step plan
        (r"(?s)(?:asking register.*?){2} +\S[^\n]*? +(\S+) +this run", 100.0),
        # without outside tools
        (r"model recorded  +\S.*? +(\S+) +this run", 97.7),
    ),
    "huts": (),
    "oaei-anatomy": ((r"this pair +\S+ +\S+ +(\S+)  this run", 95.4),),
    "oaei-conference": tuple(
        (rf"cascade, \S+ +micro over these 10 pairs +\S+ +\S+ +({f1})  this run", f1)
        for f1 in (76.7, 75.8, 73.6)  # as it is, planned, with written definitions
    ),
    "questions-codex-m": ((r"cascade.*exact (\d+) of 50", 48),),
    "questions-us-geography": ((r"cascade.*exact (\d+) of 60", 60),),
    "questions-us-geography-paper": ((r"tools=paper: exact (\d+) of 60", 60),),
    "questions-webnlg-paper": ((r"tools=paper: exact (\d+) of 50", 47),),
    "questions-codex-m-paper": ((r"tools=paper: exact (\d+) of 50", 45),),
    "questions-webnlg": ((r"cascade.*exact (\d+) of 50", 47),),
    "small-pairs": ((r"final, cascade +117 of 122 right.* F1 (\S+);", 94.7),),
    "small-pairs-tongues": tuple(
        (rf"{pair}: mean F1 (\S+)", f1)
        for pair, f1 in (("04-restaurant", 92.4), ("08-museum", 87.0), ("12-publishing", 87.8))
    ),
    "srprs-en-fr": ((r"Hits@1 (\d+\.\d+)%", 99.7),),
    "srprs-en-fr-planned": ((r"Hits@1 (\d+\.\d+)%", 99.7),),
    "webnlg-sentences": (
        (r"(?s)alone:.*?\nall S.*?F1 (\S+)", 0.419),
        (r"(?s)shown, types derived:.*?\nall S.*?F1 (\S+)", 0.824),
    ),
}


@pytest.mark.parametrize(
    "name", sorted(path.name for path in RECORDINGS.iterdir() if path.is_dir())
)
def test_no_recording_is_stale_but_those_that_say_so(
    name: str, request: pytest.FixtureRequest
) -> None:
    """Without key or network; where it fails, it says how many requests a new recording takes."""
    if name in LARGE and not WHOLE:
        pytest.skip(
            f"embeds 21,000 names: FAULTS=whole, or python -m tests.benchmarks.llm.recordings {name}"
        )
    if needs_data(name):
        request.getfixturevalue("benchmark_data")
    found = replay(name, "" if WHOLE else ONLY.get(name, ""))
    assert bool(found.stale) == bool(said_stale(name)), str(found)
    for pattern, least in () if found.stale else REACHED[name]:
        figure = re.search(pattern, found.said)
        assert figure and float(figure.group(1)) >= least, found.said[-2000:]
