"""A report's function called as its notebook calls it."""

from collections.abc import Mapping, Sequence
from typing import Any

from kgnb.reporting.parameters import ReportParameter, check

RUNS = {
    "ontology-matching": "run_cases",
    "question-answering": "run_questions",
    "entity-alignment": "run_pair",
    "kg-construction": "run_report",
}


def arguments(parameters: Sequence[ReportParameter], given: Mapping[str, object]) -> dict[str, Any]:
    """What a report's function is called with: the parameters of its cell by name, and as
    ``options`` those of the agent that are not at their default.
    """
    values = check(parameters, given)
    of_agent = {one.name: one.default for one in parameters if one.of_agent}
    named: dict[str, Any] = {key: value for key, value in values.items() if key not in of_agent}
    changed = {key: values[key] for key, default in of_agent.items() if values[key] != default}
    return named | ({"options": changed} if changed else {})
