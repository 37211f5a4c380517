"""Names for tools and their arguments: readable, ASCII, unique, and the same for the same ontology."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from kgnb.kg.labels import is_code, readable_name

LONGEST = 64  # what function calling allows


def slug(text: str, longest: int = 48) -> str:
    """A text as lower-case ASCII words joined by underscores; other scripts by the names of their letters.

    >>> slug("hasPCMember"), slug("Größe (cm²)"), slug("мир")
    ('has_pc_member', 'grosse_cm2', 'm_i_er')
    """
    words = readable_name(unquote(text).replace("ß", "ss"))
    plain = "".join(_ascii(character) for character in unicodedata.normalize("NFKD", words))
    joined = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")
    if len(joined) > longest:
        joined = joined[: longest - 7].rstrip("_") + "_" + _digest(text)
    return joined


def _ascii(character: str) -> str:
    if character.isascii():
        return character
    if unicodedata.combining(character):
        return ""
    name = unicodedata.name(character, "")
    if not character.isalnum():
        return " "
    last = name.split(" ")[-1].lower() if name else f"u{ord(character):x}"
    return re.sub(r"[^a-z0-9]+", " ", last.split("-")[-1]) + "_"


def unique_names(iris: Iterable[str], labels: Mapping[str, str], prefixes: Mapping[str, str]) -> dict[str, str]:
    """A name for every term: its local name, or its label where that is a code; terms that share one get a mark.

    The mark is the prefix of their namespace where that tells them apart, else six digits of the IRI's hash.
    """
    wanted: defaultdict[str, list[str]] = defaultdict(list)
    for iri in sorted(set(iris)):
        wanted[_name(iri, labels.get(iri, ""))].append(iri)
    found: dict[str, str] = {}
    taken = {name for name, sharing in wanted.items() if len(sharing) == 1}
    for name, sharing in sorted(wanted.items()):
        if len(sharing) == 1:
            found[sharing[0]] = name
            continue
        marked = {iri: f"{slug(_prefix(iri, prefixes), 12)}_{name}".strip("_") for iri in sharing}
        apart = len(set(marked.values())) == len(sharing) and all(_prefix(iri, prefixes) for iri in sharing)
        for iri in sharing:
            fine = apart and marked[iri] not in taken
            found[iri] = marked[iri] if fine else f"{name[:41]}_{_digest(iri)}"
            taken.add(found[iri])
    return found


def _name(iri: str, label: str) -> str:
    local = unquote(re.split(r"[#/:]", iri.rstrip("#/:"))[-1])
    best = label if label and (is_code(local) or not slug(local)) else local
    return slug(best) or slug(label) or f"term_{_digest(iri)}"


def _prefix(iri: str, prefixes: Mapping[str, str]) -> str:
    fitting = [(len(ns), prefix) for prefix, ns in prefixes.items() if ns and iri.startswith(ns)]
    return max(fitting)[1] if fitting else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def tool_name(verb: str, name: str) -> str:
    """A tool's name within the 64 characters that function calling allows."""
    whole = f"{verb}_{name}"
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 7]}_{_digest(whole)}"
