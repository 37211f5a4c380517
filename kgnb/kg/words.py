"""Names split into words, in any style and script: camel case, underscores, digits, Arabic,
Chinese.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

ROMAN = dict(
    zip(
        "ii iii iv vi vii viii ix xi xii xiii".split(),
        "2 3 4 6 7 8 9 11 12 13".split(),
        strict=True,
    )
)  # noqa: SIM905
"""Numerals that are hardly ever words; i, v and x alone are not read as numerals."""

_CARDINALS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
)
NUMBERS = {
    **ROMAN,
    **{word: str(n) for n, word in enumerate(_CARDINALS.split())},
    **{word: str(n) for n, word in enumerate(_ORDINALS.split())},
}
"""Words for numbers as digits: Roman numerals, English cardinals and ordinals."""

# The rule of ``_starts_a_word`` for ASCII, at a twentieth of its time: most names are of that kind.
_ASCII = re.compile(r"[0-9]+|[A-Z]+s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@lru_cache(maxsize=1 << 17)
def words(name: str) -> tuple[str, ...]:
    """The words of a name, case-folded (Unicode NFKC), in order.

    No word is dropped and none is stemmed (Agent-OM found both harmful, section 5.1).

    >>> words("hasProgramCommittee_Member2")
    ('has', 'program', 'committee', 'member', '2')
    >>> words("PCMember"), words("E-mail"), words("عضو اللجنة")
    (('pc', 'member'), ('e', 'mail'), ('عضو', 'اللجنة'))
    """
    if name.isascii() and "'" not in name:
        return tuple(map(str.lower, _ASCII.findall(name)))
    found: list[str] = []
    current = ""
    text = unicodedata.normalize("NFKC", name)
    for position, character in enumerate(text):
        if not character.isalnum() and not (
            current and unicodedata.category(character).startswith("M")
        ):
            after = text[position + 1 : position + 3]
            if (
                character in "'’"
                and current
                and after[:1] in "sS"
                and not after[1:].isalpha()
                and after
            ):
                continue  # Parkinson's stays one word; d'adhérent is two
            found.append(current)
            current = ""
            continue
        if current and _starts_a_word(text, position):
            found.append(current)
            current = ""
        current += character
    return tuple(word.casefold() for word in (*found, current) if word)


def _starts_a_word(text: str, position: int) -> bool:
    """Whether a word starts at this letter or digit although nothing separates it."""
    before, here, after = text[position - 1], text[position], text[position + 1 : position + 2]
    if before.isdigit() != here.isdigit():
        return True
    if here.isupper() and before.islower():
        return True
    # the last of several capitals starts the next word: PCMember is PC Member; a plural of capitals
    # stays whole: PCs
    plural = after == "s" and not text[position + 2 : position + 3].islower()
    return here.isupper() and before.isupper() and after.islower() and not plural


@lru_cache(maxsize=1 << 17)
def normal(name: str) -> str:
    """A name as plain words with single spaces, for comparing and embedding.

    >>> normal("Program_Committee-Member")
    'program committee member'
    """
    return " ".join(words(name))


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """A word without its English plural ending.

    >>> [stem(word) for word in ("bodies", "classes", "vertebrae", "axis", "authors")]
    ['body', 'class', 'vertebra', 'axis', 'author']
    """
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    if word.endswith("ae"):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=1 << 17)
def key(name: str) -> tuple[str, ...]:
    """The words of a name, stemmed and with numbers as digits: equal keys are equal names.

    >>> key("Cranial Nerves VII") == key("cranial_nerve7")
    True
    """
    return tuple(map(plain, words(name)))


def plain(word: str) -> str:
    """A word without its plural ending, or a number as digits.

    >>> plain("beds"), plain("four"), plain("vii")
    ('bed', '4', '7')
    """
    return NUMBERS.get(word) or stem(word)
