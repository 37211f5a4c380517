"""IRIs made of what they stand for, name and what it belongs to, so that two documents meet in one node."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable

from kgnb.agents.kg_construction.naming import slug
from kgnb.kg.terms import Iri


def normalised(text: str) -> str:
    """A name as it counts for identity: Unicode NFKC, case folded, white space collapsed.

    >>> normalised("  Berliner  HÜTTE ")
    'berliner hütte'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def mint(namespace: str, identity: Iterable[str], label: str) -> Iri:
    """The IRI of an entity: a readable label, then sixteen digits of the hash of what tells it from others.

    The class is no part of it, so that a first guess at the class does not decide it; only ``identity`` does.
    """
    said = json.dumps([*map(normalised, identity)], ensure_ascii=True)
    code = hashlib.sha256(said.encode()).hexdigest()[:16]
    readable = slug(normalised(label)[:60], 32)
    return Iri(f"{namespace}{readable + '-' if readable else ''}{code}")
