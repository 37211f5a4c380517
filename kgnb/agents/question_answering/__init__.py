"""Question answering: what a graph says to a question, with the triples that prove it.

After ODA ("Observation-Driven Agent for integrating LLMs and Knowledge Graphs", Sun et al., ACL
Findings 2024). The stages, in order; observe, act and reflect are repeated until there is an
answer:

1. link       find the entities the question speaks of            (section 3.1, task entities)
2. observe    look around them, relations first                   (section 3.2)
3. act        choose what to ask of the graph, and ask it         (section 3.3)
4. reflect    keep the triples that matter, as growing paths      (section 3.4)
5. answer     values, the triples that prove them, and SPARQL     (section 3.1)

``pipeline.answer_question`` runs them; ``pipeline.begin`` gives the state that a notebook moves on
stage by stage.
"""

from kgnb.agents.question_answering.agent import AGENT

__all__ = ["AGENT"]
