"""Graph construction: an ontology compiled into tools, documents read through them, their entities
grounded.

After "Ontology-to-tools compilation for executable semantic constraint enforcement in LLM agents"
(The World Avatar). The stages, in order:

1. compile      an ontology and its shapes become tools that can write valid facts only
2. plan         prompts for every step of the task, top-level entities first
3. instantiate  a judge reads documents and writes facts by calling the tools
4. ground       new entities are linked to an existing graph
5. serve        the same tools for any MCP client

What the paper generates with a model ($5.70 an ontology) is compiled here: deterministic, no model,
no cost.
"""

from kgnb.agents.kg_construction.agent import AGENT

__all__ = ["AGENT"]
