"""Ontology matching: which classes and properties of two ontologies mean the same.

After Agent-OM (Qiang, Wang and Taylor, PVLDB 18(3), 2024). The stages, in order:

1. retrieve   describe every entity in three views                      (section 4.1)
2. store      embed the views into a hybrid store                       (section 4.1)
3. search     nearest entities of the other side, view by view          (section 4.2)
4. summarise  fuse the rankings by reciprocal rank                      (section 4.2)
5. validate   a judge decides which candidate is meant                  (section 4.2)
6. merge      both directions into one coherent alignment               (section 4.2)

``AGENT`` says it all to the shells; ``plan.planned`` lets a model choose how each kind is matched.
"""

from kgnb.agents.ontology_matching.agent import AGENT

__all__ = ["AGENT"]
