"""Texts as vectors: embedders, a content cache, indexes, and what is computed from cosines."""
