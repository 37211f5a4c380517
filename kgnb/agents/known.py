"""All agents: the four of this package, and those that other packages export.

A package registers its agent by an entry point of the group ``kgnb.agents`` whose value is an
``Agent``::

    [project.entry-points."kgnb.agents"]
    label_quality = "label_quality:AGENT"
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgnb.agents.agent import Agent

GROUP = "kgnb.agents"
OURS = ("ontology_matching", "question_answering", "entity_alignment", "kg_construction")


def our_agent(name: str) -> Agent:
    """One agent of this package, without loading the others."""
    agent: Agent = import_module(f"kgnb.agents.{name}").AGENT
    return agent


def our_agents() -> tuple[Agent, ...]:
    """The agents of this package, in the order in which they are shown."""
    return tuple(map(our_agent, OURS))


@cache
def agents_from_elsewhere() -> tuple[Agent, ...]:
    """The agents of other packages, by entry point; one that cannot be loaded is left out with a
    warning.
    """
    points = sorted(entry_points(group=GROUP), key=lambda one: one.name)
    if not points:  # without importing ours
        return ()
    taken = {name for agent in our_agents() for name in (agent.name, agent.magic, agent.command)}
    found: list[Agent] = []
    for point in points:
        agent = _loaded(point)
        if agent is None:
            continue
        names = {agent.name, agent.magic, agent.command or agent.magic}
        if names & taken:
            _left_out(point, f"the name {', '.join(sorted(names & taken))} is taken already")
            continue
        taken |= names
        found.append(agent)
    return tuple(found)


def all_agents() -> tuple[Agent, ...]:
    """Ours, then those from elsewhere."""
    return (*our_agents(), *agents_from_elsewhere())


def _loaded(point: EntryPoint) -> Agent | None:
    try:
        value = point.load()
    except (ImportError, AttributeError, ValueError, TypeError, SyntaxError) as error:
        _left_out(point, f"{type(error).__name__}: {error}")
        return None
    from kgnb.agents.agent import Agent  # not for a list of commands

    if not isinstance(value, Agent):
        _left_out(point, f"it is a {type(value).__name__}, not a kgnb.agents.agent.Agent")
        return None
    return value


def _left_out(point: EntryPoint, why: str) -> None:
    warnings.warn(f"the agent {point.name} ({point.value}) is left out: {why}", stacklevel=3)
