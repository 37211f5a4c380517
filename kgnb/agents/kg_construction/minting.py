"""IRIs made of what they stand for: class and identifying values, so that two documents meet in one node."""

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


def mint(namespace: str, kind: str, identity: Iterable[str], name: str, label: str) -> Iri:
    """The IRI of an entity: readable class and label, then sixteen digits of the hash of class and identity.

    ``kind`` is the class IRI and ``name`` its readable name; only ``kind`` and ``identity`` decide.
    """
    said = json.dumps([kind, *map(normalised, identity)], ensure_ascii=True)
    code = hashlib.sha256(said.encode()).hexdigest()[:16]
    readable = slug(normalised(label)[:60], 32)
    return Iri(f"{namespace}{name}/{readable + '-' if readable else ''}{code}")
