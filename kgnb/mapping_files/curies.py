"""Short names for IRIs (CURIEs), both ways: SSSOM tables are written in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from kgnb.errors import DataError
from kgnb.mapping_files.predicates import KGNB, NAMESPACES

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_ADDRESS = re.compile(r"(https?|urn|tag|file|info):")


def namespace_of(iri: str) -> str:
    """The part of an absolute IRI up to its last ``#``, ``/`` or ``:``; "" if there is none.

    >>> namespace_of("http://example.org/huts#Hut"), namespace_of("http://cmt"), namespace_of("Hut")
    ('http://example.org/huts#', 'http://', '')
    """
    if not _ABSOLUTE.fullmatch(iri):
        return ""
    name = iri.rstrip("#/:")
    return iri[: max(name.rfind("#"), name.rfind("/"), name.rfind(":")) + 1]


@dataclass(frozen=True)
class Curies:
    """A prefix map: prefix to namespace."""

    prefixes: dict[str, str]

    @classmethod
    def of(cls, sources: Iterable[str], targets: Iterable[str]) -> Curies:
        """A map for these IRIs: each side's commonest namespace is ``source`` or ``target``, others are numbered."""
        counted = [Counter(filter(None, map(namespace_of, iris))) for iris in (sources, targets)]
        known = {namespace: prefix for prefix, namespace in (*NAMESPACES.items(), ("kgnb", KGNB))}
        for prefix, counter in zip(("source", "target"), counted, strict=True):
            for namespace in sorted(counter, key=lambda name, counter=counter: (-counter[name], name))[:1]:  # type: ignore[misc]
                known.setdefault(namespace, prefix)
        others = sorted(set().union(*counted) - set(known))
        known |= {namespace: f"ns{number}" for number, namespace in enumerate(others, start=1)}
        return cls({prefix: namespace for namespace, prefix in known.items()})

    @classmethod
    def read(cls, value: object, where: str) -> Curies:
        """The map a file's header gives, completed with the prefixes SSSOM takes for granted."""
        if value is not None and not isinstance(value, dict):
            raise DataError(
                "curie_map is not a map", where=where, fix="Write '#curie_map:' and '#  prefix: namespace'."
            )
        return cls(NAMESPACES | {str(prefix): str(namespace) for prefix, namespace in (value or {}).items()})

    def shorten(self, iri: str) -> str:
        """The CURIE of an IRI, or "" if it has none."""
        namespace = namespace_of(iri)
        prefix = next((prefix for prefix, known in self.prefixes.items() if known == namespace), "")
        return f"{prefix}:{iri[len(namespace) :]}" if namespace and prefix else ""

    def must_shorten(self, iri: str) -> str:
        """The CURIE of an IRI; ValueError for what is no absolute IRI."""
        curie = self.shorten(iri)
        if not curie:
            raise ValueError(f"{iri!r} is no absolute IRI, so it has no place in an SSSOM table")
        return curie

    def expand(self, curie: str, where: str) -> str:
        """The IRI of a CURIE; a full IRI is returned as it is. DataError for a prefix nobody declared."""
        prefix, colon, local = curie.partition(":")
        if colon and prefix in self.prefixes:
            return self.prefixes[prefix] + local
        if _ADDRESS.match(curie):
            return curie
        raise DataError(
            f"the prefix of {curie[:80]!r} is not declared",
            where=where,
            fix="Add it to the header: '#curie_map:' and below it '#  prefix: http://the/namespace#'.",
        )

    def expand_or_keep(self, text: str) -> str:
        """The IRI of a CURIE, or the text itself where it is none."""
        prefix, colon, local = text.partition(":")
        return self.prefixes[prefix] + local if colon and prefix in self.prefixes else text
