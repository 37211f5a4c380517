"""The four agents on our own small data with a model that is asked, as a script runs them.

python -m tests.tasks.asked_agents NAME CACHE FOLDER URL CALLS     kills itself after so many calls
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgnb.agents.entity_alignment.judging_values import LookOptions
from kgnb.agents.question_answering.values import Options
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.aligning import align
from kgnb.tasks.asking import answer_questions
from kgnb.tasks.building import build_graph
from kgnb.tasks.matching import match_ontologies
from kgnb.tasks.running import new_run
from tests.agents.ontology_matching.small import alpine, refuge

NOTE = {"tea": "Tea\n\nHut: Hochkar House\nServes 2\n\n- 1 l water\n"}
QUESTION = "Who is the warden of the Hochkar House?"
AGENTS = ("ontology_matching", "question_answering", "entity_alignment", "kg_construction")


def settings_for(cache: Path, url: str) -> Settings:
    """A stub at ``url`` as the model, asked one call at a time, so that a run is cut at the same
    place every time.
    """
    told: dict[str, Any] = {
        "embedder": "characters",
        "model": "stub",
        "base_url": url,
        "cache": cache,
        "width": 1,
        "remember": False,
        "timeout": 20.0,
    }
    return Settings(**told)


def run_agent(
    name: str,
    settings: Settings,
    folder: Path | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> tuple[Any, Run]:
    """What the agent finds, as plain data, and its run."""
    run = new_run(name, {}, settings=settings, folder=folder, on_event=on_event)
    given: dict[str, Any] = {"judge": "model", "run": run, "settings": settings}
    with run:
        match name:
            case "ontology_matching":
                found: Any = list(match_ontologies(alpine(), refuge(), **given))
            case "question_answering":
                found = answer_questions(
                    [QUESTION], "huts:graph", options=Options(rounds=2, depth=1), **given
                )
            case "entity_alignment":
                found = list(
                    align(
                        "huts:hollenmark", "huts:corvane", look=LookOptions(share=0.1), **given
                    ).alignment
                )
            case _:
                found = build_graph(NOTE, "huts:kitchen", **given).session.trig()
    return found, run


def _main(name: str, cache: str, folder: str, url: str, calls: str) -> None:
    left = [int(calls)]

    def kill(event: Any) -> None:
        left[0] -= event["event"] == "call"
        if left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    run_agent(name, settings_for(Path(cache), url), Path(folder), kill)


if __name__ == "__main__":
    _main(*sys.argv[1:])
