"""Readable names of entities: the best label, or the last part of the IRI split into words."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from urllib.parse import unquote

from kgnb.kg.ontology import Entity, Text
from kgnb.kg.prefixes import PREFIXES, shorten
from kgnb.kg.words import words

__all__ = ["PREFIXES", "choose_label", "coded", "is_code", "readable", "readable_name", "shorten"]

_UUID = r"[0-9a-fA-F]{8}[_\-]?[0-9a-fA-F]{4}[_\-]?[0-9a-fA-F]{4}[_\-]?[0-9a-fA-F]{4}[_\-]?[0-9a-fA-F]{12}"
_CODES = re.compile(
    rf"""(?:\w+[_\-:])?{_UUID}                    # a UUID, bare or after a prefix
    |(?:[A-Z]{{2,}}[_:\-]){{0,2}}[A-Z]\d+            # Q42, P31, NCI_C12345
    |(?:[A-Za-z]+[_:\-])?[A-Z]{{0,12}}[_:\-]?\d{{3,}}(?:[_.\-]\d+)*  # MA_0000270, GO:0008150, IAO_0000115, 12345
    |[A-Za-z]{{1,3}}\d{{3,}}                        # c12345
    |[A-Za-z]+[_:\-](?:0\d{{2,}}|\d{{5,}})          # FBbt_00000001
    |(?:genid|node|bnode|b|_|id)[_\-]?\d+
    |(?=(?:\D*\d){{4}})[0-9a-f]{{16,}}              # a hash
    |R(?=(?:[A-Za-z]*\d){{2}})(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z0-9]{{20,}}  # as WebProtégé mints them
    """,
    re.VERBOSE,
)
_YEARS = re.compile(r"[A-Z][a-z]+[_\-](?:1[0-9]|20)\d\d")


def is_code(name: str) -> bool:
    """Whether a local name is an identifier that means nothing to a reader.

    >>> [name for name in ("MA_0000270", "Q42", "C12345", "Paper", "H2O", "Review_2020") if is_code(name)]
    ['MA_0000270', 'Q42', 'C12345']
    """
    return _CODES.fullmatch(name) is not None and not _YEARS.fullmatch(name)


FEW_NAMES = 5
"""In a namespace with fewer labelled entities, each local name is judged on its own."""


def coded(entities: Collection[Entity]) -> frozenset[str]:
    """The IRIs whose local name is an identifier, judged by the names of all entities of a
    namespace.

    Where hardly any label repeats its local name and most local names look like identifiers
    (digits, no vowel), all names that no label repeats are; else each is judged by its shape. A
    name that its own label repeats never is.
    """
    spaces: dict[str, list[tuple[Entity, bool]]] = defaultdict(list)
    for entity in entities:
        space = entity.iri[: len(entity.iri) - len(entity.local_name)]
        spaces[space].append((entity, _repeated(entity)))
    found: set[str] = set()
    for members in spaces.values():
        labelled = [(entity, repeated) for entity, repeated in members if entity.labels]
        shaped = sum(_identifier_shaped(entity.local_name) for entity, _ in labelled)
        repeating = sum(repeated for _, repeated in labelled)
        opaque = len(labelled) >= FEW_NAMES and 10 * repeating <= len(labelled) <= 2 * shaped
        found.update(
            e.iri
            for e, repeated in members
            if not repeated and (opaque or is_code(unquote(e.local_name)))
        )
    return frozenset(found)


def _repeated(entity: Entity) -> bool:
    """Whether a label or synonym contains a word of the local name."""
    own = {word for word in words(unquote(entity.local_name)) if len(word) > 2}
    texts = [words(text.text) for text in (*entity.labels, *entity.synonyms)]
    whole = "".join(words(unquote(entity.local_name)))
    return any(not own.isdisjoint(text) or "".join(text) == whole for text in texts)


def _identifier_shaped(name: str) -> bool:
    letters = [letter for letter in name.casefold() if letter.isalpha()]
    vowels = any(
        unicodedata.normalize("NFD", letter)[0] in "aeiouy" or not letter.isascii()
        for letter in letters
    )
    return not vowels or any(letter.isdigit() for letter in name)


def choose_label(texts: Iterable[Text], languages: Sequence[str] = ("en",)) -> Text | None:
    """The best text for a reader of ``languages``, in order of preference, or None where there is
    no text.

    A tag is followed by its regional forms (``en-GB`` for ``en``), then texts without a language,
    then the rest by tag. Texts that are codes come last; of otherwise equal ones the shorter wins.

    >>> choose_label((Text("Hütte", "de"), Text("hut", "en-GB"), Text("Q42")), ("fr", "en")).text
    'hut'
    """
    wanted = [language.lower() for language in languages]

    def rank(text: Text) -> tuple[bool, int, int, str, int, str]:
        tag = (text.language or "").lower()
        exact = [place for place, language in enumerate(wanted) if tag == language]
        regional = [
            place
            for place, language in enumerate(wanted)
            if tag.split("-")[0] == language.split("-")[0]
        ]
        if exact or (tag and regional):
            place, order = ((exact or regional)[0], 0 if exact else 1)
        else:
            place, order = (len(wanted), 0 if not tag else 1)
        return (is_code(text.text.strip()), place, order, tag, len(text.text), text.text)

    return min((text for text in texts if text.text.strip()), key=rank, default=None)


def readable(entity: Entity, languages: Sequence[str] = ("en",)) -> str:
    """A readable name of an entity: its label, else its local name in words, else a synonym, else
    the local name.

    >>> readable(Entity("http://hut.example/onto#hasMountainGuide", "object property"))
    'has mountain guide'
    >>> readable(Entity("http://hut.example/HUT_0000012", "class", synonyms=(Text("bivouac", "en"),)))
    'bivouac'
    """
    name = unquote(entity.local_name)
    label = choose_label(entity.labels, languages)
    if label is not None and not is_code(label.text.strip()):
        return _one_line(label.text)
    if name and not (entity.coded or is_code(name)):
        return readable_name(name)
    other = choose_label(entity.synonyms, languages) or label
    return _one_line(other.text) if other is not None else name or entity.iri


@lru_cache(maxsize=1 << 16)  # the same property names occur again and again
def readable_name(name: str) -> str:
    """A local name as words: percent-encoding decoded, camel case and underscores split, acronyms
    kept.

    >>> [readable_name(name) for name in ("hasPCMember", "Barack_Obama", "H2O", "ProgramCommittee2", "%C3%89cole")]
    ['has PC member', 'Barack Obama', 'H2O', 'Program committee 2', 'École']
    """
    text = unicodedata.normalize("NFC", unquote(name))
    if is_code(text):
        return text
    dashed = (
        text.count("-") > 1 or text.islower()
    )  # is-part-of, but E-mail and Meta-Reviewer keep theirs
    pieces = [piece for piece in re.split(r"[\s_+\-]+" if dashed else r"[\s_+]+", text) if piece]
    return " ".join(" ".join(_sentence(_humps(piece))) for piece in pieces) or text


def _humps(piece: str) -> list[str]:
    """The parts of a camel-case name; digits are split only from words, so that H2O and CO2 stay
    whole.
    """
    cuts = [0]
    for at in range(1, len(piece)):
        before, here, after = piece[at - 1], piece[at], piece[at + 1 : at + 2]
        word_before = at > 1 and before.islower() and piece[at - 2].isalpha()
        if (
            (here.isupper() and before.islower())
            or (
                here.isupper()
                and (before.isupper() or before.isdigit())
                and after.islower()
                and at - cuts[-1] > 0
            )
            or (here.isdigit() and word_before)
        ):
            cuts.append(at)
    return [piece[start:end] for start, end in zip(cuts, [*cuts[1:], len(piece)], strict=True)]


def _sentence(words: list[str]) -> list[str]:
    """The words, those after the first in lower case except acronyms."""
    return words[:1] + [
        word.lower() if word[:1].isupper() and not word.isupper() else word for word in words[1:]
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())
