"""Names for tools and their arguments: readable, ASCII, unique and deterministic."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from anyascii import anyascii

from kgnb.kg.labels import is_code, readable_name
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.terms import local_name

LONGEST = 64  # what function calling allows


def key(name: str) -> str:
    """A name as it is looked up, without case, spaces and punctuation.

    >>> key("step number") == key("stepNumber") == key("step_number")
    True
    """
    return "".join(c for c in name.casefold() if c.isalnum())


def normalised(text: str) -> str:
    """A name as it counts for identity: Unicode NFKC, case folded, white space collapsed.

    >>> normalised("  Berliner  HÜTTE ")
    'berliner hütte'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def slug(text: str, longest: int = 48) -> str:
    """A text as lower-case ASCII words joined by underscores, other scripts transliterated.

    >>> slug("hasPCMember"), slug("Größe (cm²)"), slug("мир"), slug("Ørsted"), slug("5 °C")
    ('has_pc_member', 'grosse_cm_2', 'mir', 'orsted', '5_c')
    """
    written = re.sub(r"\W+", " ", unicodedata.normalize("NFKC", readable_name(unquote(text))))
    joined = re.sub(r"[^a-z0-9]+", "_", anyascii(written).lower()).strip("_")
    if len(joined) > longest:
        joined = joined[: longest - 7].rstrip("_") + "_" + _digest(text)
    return joined


def unique_names(
    iris: Iterable[str], labels: Mapping[str, str], prefixes: Mapping[str, str]
) -> dict[str, str]:
    """A unique name for every term: its local name, or its label where that is a code.

    If terms share a name, the one in the namespace with most terms keeps it. The others are
    prefixed with the prefix of their namespace, or followed by six digits of their IRI's hash where
    that is not unique.
    """
    different = sorted(set(iris))
    spaces = Counter(map(_namespace, different))
    wanted: defaultdict[str, list[str]] = defaultdict(list)
    for iri in different:
        wanted[_name(iri, labels.get(iri, ""))].append(iri)
    found: dict[str, str] = {}
    for name, sharing in sorted(wanted.items()):
        first = max(sharing, key=lambda iri: (spaces[_namespace(iri)], iri))
        if sum(spaces[_namespace(iri)] == spaces[_namespace(first)] for iri in sharing) == 1:
            found[first] = name
    taken = {*wanted, *found.values()}
    for name, sharing in sorted(wanted.items()):
        for iri in sharing:
            if iri in found:
                continue
            prefix = slug(_prefix(iri, prefixes), 12)
            marked = f"{prefix}_{name}"
            if not prefix or marked in taken:
                marked = f"{name[:41]}_{_digest(iri)}"
            found[iri] = marked
            taken.add(marked)
    return found


def _namespace(iri: str) -> str:
    return iri[: max(iri.rfind("#"), iri.rfind("/"), iri.rfind(":")) + 1]


def _name(iri: str, label: str) -> str:
    local = unquote(local_name(iri))
    best = label if label and (is_code(local) or not slug(local)) else local
    return slug(best) or slug(label) or f"term_{_digest(iri)}"


def _prefix(iri: str, prefixes: Mapping[str, str]) -> str:
    known = {**PREFIXES, **prefixes}
    fitting = [
        (len(ns), prefix) for prefix, ns in known.items() if ns and prefix and iri.startswith(ns)
    ]
    return max(fitting)[1] if fitting else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def tool_name(verb: str, name: str) -> str:
    """A tool's name within the 64 characters that function calling allows."""
    whole = f"{verb}_{name}"
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 7]}_{_digest(whole)}"
