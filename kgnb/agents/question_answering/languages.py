"""German and French questions with their little words in English, so that one grammar takes all three apart.

Only words that carry the form of a sentence are changed (articles, prepositions, question words, auxiliaries); what is
asked for stays as it was written, and is compared by vectors that know many languages.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgnb.agents.question_answering.phrases import PREPOSITIONS, says

_GERMAN = {
    "wer": "who", "wem": "whom", "wen": "whom", "was": "what", "wo": "where", "woher": "where", "wohin": "where",
    "wann": "when", "wie": "how", "welche": "which", "welcher": "which", "welches": "which", "welchem": "which",
    "welchen": "which", "wessen": "whose", "deren": "whose", "dessen": "whose", "ist": "is", "sind": "are",
    "war": "was", "waren": "were", "wird": "is", "werden": "are", "wurde": "was", "wurden": "were", "hat": "has",
    "haben": "have", "hatte": "had", "der": "the", "die": "the", "das": "the", "den": "the", "dem": "the", "ein": "a",
    "eine": "a", "einen": "a", "einem": "a", "einer": "a", "eines": "a", "von": "of", "vom": "of", "im": "in",
    "beim": "at", "bei": "at", "am": "at", "an": "at", "auf": "on", "aus": "from", "für": "for", "mit": "with",
    "durch": "through", "unter": "under", "über": "above", "zu": "to", "zum": "to", "zur": "to",
    "und": "and", "oder": "or", "es": "it",
    "gibt": "there", "alle": "all", "nenne": "list", "nenn": "list", "heißt": "name", "heisst": "name",
}  # fmt: skip
_FRENCH = {
    "qui": "who", "que": "what", "quel": "which", "quelle": "which", "quels": "which", "quelles": "which",
    "lequel": "which", "laquelle": "which", "où": "where", "quand": "when", "comment": "how", "combien": "how",
    "est": "is", "sont": "are", "était": "was", "étaient": "were", "a": "has", "ont": "have", "le": "the", "la": "the",
    "les": "the", "un": "a", "une": "a", "de": "of", "du": "of", "des": "of", "d": "of", "au": "at", "aux": "at",
    "à": "at", "dans": "in", "en": "in", "sur": "on", "par": "by", "pour": "for", "avec": "with", "chez": "at",
    "sous": "under", "et": "and", "ou": "or", "dont": "whose", "se": "it", "ce": "it", "il": "it", "elle": "it",
    "t": "it", "y": "there", "tous": "all", "toutes": "all", "quoi": "what",
}  # fmt: skip
_CLEAR = {
    "german": frozenset(_GERMAN) - {"was", "war", "an", "am", "die", "den", "unter", "es", "alle"},
    "french": frozenset(_FRENCH) - {"a", "un", "t", "d", "y", "en", "il", "par", "sur", "ce", "pour", "des"},
}
"""Words by which a language is told: none is an English word."""
_ENGLISH = frozenset(["the", "who", "what", "which", "where", "when", "how", "is", "are", "does", "did", "of"])
_OPENS = {
    "german": frozenset(["wer", "wem", "wen", "was", "wo", "woher", "wohin", "wann", "wie", "wessen", "nenne"]),
    "french": frozenset(["qui", "que", "quel", "quelle", "quels", "quelles", "où", "quand", "comment", "combien"]),
}


def language_of(sentence: Sequence[str]) -> str:
    """ "german", "french", or "" where the little words are of neither (English, as far as this can tell).

    >>> language_of("Wo wohnt der Koch ?".split()), language_of("Where is the Val de l'Ambre ?".split())
    ('german', '')
    """
    low = [token.lower() for token in sentence]
    english = sum(token in _ENGLISH for token in low)
    for language, clear in _CLEAR.items():
        opens = bool(low) and (low[0] in _OPENS[language] or low[0].startswith("welche"))
        if max(2, english + 1) <= sum(token in clear for token in low) + opens:
            return language
    return ""


def in_english(sentence: Sequence[str], kept: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
    """The tokens with German or French little words in English; those in the spans ``kept`` are names and stay.

    >>> " ".join(in_english("Wer ist der Wart des Hauses ?".split()))
    'who is the Wart of the Hauses ?'
    """
    names = {at for begin, end in kept for at in range(begin, end)}
    if _verb_first(sentence, kept):
        return ("does", *sentence)
    language = language_of([token for at, token in enumerate(sentence) if at not in names])
    if not language:
        return tuple(sentence)
    table = _GERMAN if language == "german" else _FRENCH
    found: list[str] = []
    for at, token in enumerate(sentence):
        low = token.lower()
        if at in names:
            found.append(token)
        elif language == "german" and (low == "des" or _genitive(sentence, at)):
            found += ["of", "the"]
        elif language == "german" and low in _RELATIVE and found and _comma(sentence, at):
            found.append("which")
        elif language == "french" and low[:2] in ("d'", "l'", "s'") and len(low) > 2:
            found += [{"d'": "of", "l'": "the", "s'": "it"}[low[:2]], token[2:]]
        elif low in ("que", "qui") and at and language == "french":
            found.append("that")
        else:
            found.append(table.get(low, token))
    return tuple(found)


def _verb_first(sentence: Sequence[str], kept: Sequence[tuple[int, int]]) -> bool:
    """Whether a verb and then two names make a question of yes or no: "Spricht Anna Deutsch?"."""
    begins = {begin for begin, _ in kept}
    opens = sentence[0].lower() if sentence else ""
    verb = says(opens) and opens not in _GERMAN and opens not in _FRENCH
    return sentence[-1:] == ["?"] and 1 in begins and len(begins) > 1 and verb


_RELATIVE = frozenset(["der", "die", "das", "dem", "den"])


def _genitive(sentence: Sequence[str], at: int) -> bool:
    """Whether a "der" between two nouns is a genitive: "der Koch der Hütte"."""
    return (
        sentence[at].lower() == "der"
        and at > 0
        and at + 1 < len(sentence)
        and sentence[at - 1][:1].isupper()
        and sentence[at + 1][:1].isupper()
        and sentence[at - 1].lower() not in _GERMAN
    )


def _comma(sentence: Sequence[str], at: int) -> bool:
    """Whether a comma opens a clause right before, or a preposition stands between."""
    between = sentence[at - 1].lower()
    return between == "," or (at > 1 and sentence[at - 2] == "," and (between in _GERMAN or between in PREPOSITIONS))
