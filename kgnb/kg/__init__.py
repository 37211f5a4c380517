"""Graphs: terms, stores and endpoints, loading, and ontologies read out of them."""
