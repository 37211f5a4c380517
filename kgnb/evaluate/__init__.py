"""Metrics, one file a task: pure functions on plain values, no model and no files.

``alignment``   precision, recall, F1 of mappings; micro and mean; by relation and kind,
non-trivial; risk and coverage ``ranking``     Hits@k and MRR of entities
``answers``     lenient, strict and F1 of answers, and what cited triples are worth
``extraction``  records of a graph, slot by slot
"""
