"""Metrics, one file a task: pure functions on plain values, no model and no files.

``alignment``  precision, recall, F1 of mappings; micro and mean; per relation, per kind, non-trivial; risk and coverage
"""
