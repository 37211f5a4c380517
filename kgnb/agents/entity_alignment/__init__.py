"""Entity alignment: which entities of two graphs are the same thing.

After EA-Agent (a structured multi-step reasoning agent for entity alignment). The stages, in order:

1. propose   names, values and structure give candidates and a first alignment
2. plan      each entity's way: the first alignment stands, or which tools look closer
3. select    the triples that tell its candidates apart
4. align     a judge chooses a candidate by letter, or none
5. reflect   a second look where the first was not sure

``final_alignment`` combines their answers. The numbers behind ``propose``: ``graphs`` (two graphs
as arrays), ``names``, ``comparison``, ``relations`` (what spreads over them), ``candidates`` (and
who gets whom).
"""

from kgnb.agents.entity_alignment.agent import AGENT

__all__ = ["AGENT"]
