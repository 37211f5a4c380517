"""What starts quickly stays quick: what a list of options does not need is not imported for it."""

import subprocess
import sys

import pytest

import kgnb.agents.agent as agent_module
from kgnb.agents.known import our_agents

# each takes longer to import than a list of options takes to print
HEAVY = """anywidget, babel, httpx, ipywidgets, jsonschema, matplotlib, mcp, nbclient, nbconvert, networkx, numpy,
openai, pandas, papermill, pint, pyoxigraph, pyshacl, qdrant_client, rapidfuzz, rdflib, scipy,
SPARQLWrapper, yaml""".replace("\n", " ")
LOADED = f"""
import sys
heavy = "{HEAVY}".split(", ")
print(*[name for name in heavy if name in sys.modules], file=sys.stderr)
"""
SHELL = "from IPython.core.interactiveshell import InteractiveShell\nshell = InteractiveShell.instance()\n"


def loaded_after(code: str) -> list[str]:
    """The heavy modules that a process of its own has after this code."""
    done = subprocess.run(
        [sys.executable, "-c", code + LOADED], capture_output=True, text=True, check=True
    )
    return done.stderr.split()


@pytest.mark.parametrize("command", ["", "match", "ask", "align", "build", "evaluate", "serve"])
def test_help_of_a_command_loads_none_of_what_the_command_works_with(command: str) -> None:
    words = [*command.split(), "--help"]
    assert not loaded_after(f"from kgnb.cli import main\nassert main({words}) == 0\n")


def test_loading_the_magics_loads_none_of_what_they_work_with() -> None:
    assert not loaded_after(SHELL + "shell.run_line_magic('load_ext', 'kgnb')\n")


def test_what_an_agent_imports_later_is_there() -> None:
    def named(value: object) -> list[agent_module.later]:
        if isinstance(value, agent_module.later):
            return [value]
        parts = value.values() if isinstance(value, dict) else value
        if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
            parts = [getattr(value, name) for name in value.__dataclass_fields__]
        elif not isinstance(value, dict | tuple | list):
            return []
        return [one for part in parts for one in named(part)]  # type: ignore[attr-defined]

    for agent in our_agents():
        found = named(agent)
        assert len(found) > len(agent.stages) / 2
        for one in found:
            assert one.__wrapped__.__name__ == one.__name__
