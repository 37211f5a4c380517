"""What the tools refuse: one mistake planted against every constraint, and its legal twin. Stored: it takes minutes.

``tests/conformance`` makes the mistakes out of the constraints of four ontologies that state every kind, holds these
numbers to what comes of them, and has pyshacl judge the same facts.
"""

from __future__ import annotations

PLANTED: tuple[tuple[str, int, int, int], ...] = (
    ("allValuesFrom", 3, 3, 3),
    ("asymmetric", 2, 2, 2),
    ("cardinality", 24, 24, 24),
    ("complementOf", 1, 1, 1),
    ("datatype", 12, 12, 12),
    ("disjointWith", 19, 19, 19),
    ("domain", 38, 38, 38),
    ("facet", 6, 6, 6),
    ("functional", 16, 16, 16),
    ("hasValue", 2, 2, 2),
    ("inverseFunctional", 3, 3, 3),
    ("irreflexive", 1, 1, 1),
    ("maxCardinality", 7, 7, 7),
    ("minCardinality", 2, 2, 2),
    ("oneOf", 5, 5, 5),
    ("propertyDisjointWith", 1, 1, 1),
    ("range", 24, 24, 24),
    ("sh:datatype", 1, 1, 1),
    ("sh:disjoint", 1, 1, 1),
    ("sh:equals", 1, 1, 1),
    ("sh:hasValue", 1, 1, 1),
    ("sh:in", 1, 1, 1),
    ("sh:lessThan", 1, 1, 1),
    ("sh:maxCount", 7, 7, 7),
    ("sh:maxExclusive", 1, 1, 1),
    ("sh:maxInclusive", 4, 4, 4),
    ("sh:maxLength", 2, 2, 2),
    ("sh:minCount", 2, 2, 2),
    ("sh:minExclusive", 2, 2, 2),
    ("sh:minInclusive", 2, 2, 2),
    ("sh:minLength", 2, 2, 2),
    ("sh:node", 1, 1, 1),
    ("sh:pattern", 4, 4, 4),
    ("sh:qualifiedMaxCount", 1, 1, 1),
    ("sh:qualifiedMinCount", 1, 1, 1),
    ("sh:uniqueLang", 1, 1, 1),
    ("someValuesFrom", 7, 7, 7),
    ("unionOf", 3, 3, 3),
    ("unit", 3, 3, 3),
)
"""Kind of constraint; mistakes planted; of them refused and rightly named; legal twins accepted."""
HOW = "Stored results. To run them again, in a checkout: python -m pytest tests/conformance"
