"""Plain sentences: the exact name of a property between two names. Language is for a model: this writes what can
hardly be meant otherwise, and leaves to a person what the sentence takes back, denies or ends.
"""

from __future__ import annotations

import re

from kgnb.agents.kg_construction.desk import Desk, Doubt, span
from kgnb.agents.kg_construction.lexicon import Lexicon, Slot
from kgnb.agents.kg_construction.passages import Passage
from kgnb.kg.words import words

_TITLE = r"[A-ZÀ-ÞŁŚŻČŠŽĐ](?:[\w.&-]|['’](?!s\b))*\w"
_NAME = re.compile(rf"\b(?!The ){_TITLE}(?:(?: (?:of|the|de|la|du|von|van|der|di|da))*(?: {_TITLE}| [IVX]+\b| \d+\b))*")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\bDr\.)(?<!\bSt\.)\s+(?=[A-Z\"“])|\n+")
_TAKEN_BACK = re.compile(
    r"\b(?:not|never|neither|nor|no longer|without|unless|if|would|may|might|former(?:ly)?|once|until|instead|except|"
    r"\w+n['’]t)\b|\bfrom\b.*\bto\b", re.IGNORECASE,
)  # fmt: skip
_RELATING = ("by", "in", "of", "at", "to", "for", "on", "with", "as", "near")
_IS = r"(?:is|was|are|were)"
_COMPLETE = re.compile(r"[.;!?]?$|;|, (?:and|but|where|which|who)\b| (?:where|which|who)\b")
_SOME = re.compile(r"(?:Most|Many|Some|All|Both|Each|Several|Part) ")


def mentions(sentence: str) -> list[re.Match[str]]:
    """The names in a sentence, left to right; a single capitalised word that only begins it is none.

    >>> [one[0] for one in mentions("Partially, the Ambre Hut was built by Ida Lang.")]
    ['Ambre Hut', 'Ida Lang']
    """
    return [one for one in _NAME.finditer(sentence) if one.start() > 0 or " " in one[0]]


def read_sentences(lexicon: Lexicon, desk: Desk, passage: Passage) -> None:
    """Writes what the sentences of a passage say in the very words of the ontology."""
    slots = [
        slot for slot in lexicon.slots if slot.is_object and len(slot.domain) == 1 and len(slot.value.classes) == 1
    ]
    named = [(slot, " ".join(words(slot.tool.label))) for slot in slots]
    single = [(slot, name) for slot, name in named if [other for _, other in named].count(name) == 1]
    for sentence in _SENTENCE.split(passage.text):
        said = sentence.strip()
        found = mentions(said) if said else []
        for slot, name in single if len(found) > 1 else ():
            for first, second in zip(found, found[1:], strict=False):
                if _states(name, said, first, second):
                    _write(lexicon, desk, passage, said, slot, first[0], second[0])


def _states(name: str, said: str, first: re.Match[str], second: re.Match[str]) -> bool:
    """Whether a sentence begins with a name, a property's name and another name, and the words that go with them.

    What follows may not belong to the second name, as in "known for the Carter constant" or "in Anderson, Indiana".
    """
    before, after = said[: first.start()].casefold(), said[second.end() :]
    between = said[first.end() : second.start()].casefold()
    if not _COMPLETE.match(after) or _SOME.match(first[0]) or min(len(first[0]), len(second[0])) < 4:
        return False
    if name.split()[-1] in _RELATING and " " in name:  # "A is located in B"
        return before in ("", "the ") and re.fullmatch(rf" (?:{_IS} )?{re.escape(name)} (?:the )?", between) is not None
    if re.fullmatch(rf"the {re.escape(name)} of (?:the )?", before):  # "the warden of A is B"
        return re.fullmatch(rf" {_IS} (?:the )?", between) is not None
    owner = rf"['’]s? {re.escape(name)} {_IS} (?:the )?"
    return before in ("", "the ") and re.fullmatch(owner, between) is not None


def _write(lexicon: Lexicon, desk: Desk, passage: Passage, said: str, slot: Slot, first: str, second: str) -> None:
    ends = ((first, slot.domain[0]), (second, slot.value.classes[0]))
    if not all(cls in lexicon.creators for _, cls in ends):
        return
    if _TAKEN_BACK.search(said):
        start, end = span(passage, said)
        reason = f"'{slot.tool.label}' may be taken back or over: read the sentence"
        desk.doubts.append(Doubt(passage.document, start, end, slot.tool.name, {"from": first, "to": second}, reason))
        return
    iris = [desk.call(lexicon.creators[cls].name, {"label": label}, passage, said).iri for label, cls in ends]
    if all(iris):
        desk.call(slot.tool.name, {"subject": iris[0], "object": iris[1]}, passage, said)
