"""The ways to cut a question into phrases, each of which stands for one relation, the one nearest to X first.

"Who directed the films that share actors with X?" is cut into "actors of X", the way back along that relation, and
"who directed X".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgnb.agents.question_answering.phrases import (
    AUXILIARIES,
    EMPTY,
    PREPOSITIONS,
    QUESTION_WORDS,
    RELATIVE,
    Phrase,
    X,
    says,
)

_LONGEST = 6  # words of one phrase
_ARTICLES = ("the", "a", "an")
SHARES = frozenset(["share", "shares", "shared", "sharing"])
_OWNS = frozenset(["its", "their", "his", "her", "some", "any", "one", "same", *_ARTICLES])
_BE = ("is", "are", "was", "were")
_KINDS = frozenset(["date", "year", "day", "time", "place", "country", "city", "town", "kind", "type", "number"])
"""Words that say what kind of answer is wanted: "the place of death" is one relation."""
_NO_PARTICIPLES = frozenset(
    ["children", "women", "garden", "queen", "kitchen", "open", "even", "seed", "feed", "need", "speed", "been"]
)
_HAS = frozenset(["have", "has", "had", "having", "with", "of", "in", "at", "on", "from", "by", "to", "for"])


def segmentations(sentence: Sequence[str], longest: int) -> list[tuple[Phrase, ...]]:
    """Every way to cut a masked question into phrases, at most ``longest``, the one nearest to X first in each."""
    at = sentence.index(X)
    ways = [list(sentence)]
    if at > 1 and says(sentence[at - 1]) and sentence[at - 2] == "the":  # "the film X" is X
        ways.append([*sentence[: at - 2], *sentence[at:]])
    found = list(
        dict.fromkeys(
            cut
            for way in ways
            for cut in (*_from(way, way.index(X), way.index(X) + 1, (), longest), *_kind(way, longest))
        )
    )
    shared = [cut for cut in found if any(phrase.back for phrase in cut)]
    if shared:
        return shared
    return found or [(Phrase(_asked(list(sentence), at, at + 1), 1),)]


def _kind(sentence: list[str], longest: int) -> Iterator[tuple[Phrase, ...]]:
    """Cuttings in which the noun after "which" is a relation of its own: in which country, of where X was born."""
    begin = 1 if sentence[:1] and sentence[0] in PREPOSITIONS else 0
    if longest < 2 or sentence[begin : begin + 1] not in (["which"], ["what"]):
        return
    end = begin + 1
    while end < len(sentence) and sentence[end] not in AUXILIARIES | PREPOSITIONS | {X, "'s"}:
        end += 1
    noun, rest = sentence[begin + 1 : end], sentence[end:]
    if not _count(noun) or len(noun) > 3 or X not in rest or rest[0] not in AUXILIARIES:
        return
    if rest[0] in ("do", "does", "did", "has", "have") and not begin:
        return  # "which religion does X follow": the noun is what is followed
    asked = ["where" if begin and sentence[0] in ("in", "at", "on") else "what", *rest]
    if not _count([token for token in rest if token != X]):
        return
    at = asked.index(X)
    for cut in _from(asked, at, at + 1, (), longest - 1):
        yield (*cut, _noun(noun, _count(noun)))


def _back(sentence: list[str], i: int, j: int, done: tuple[Phrase, ...], longest: int) -> Iterator[tuple[Phrase, ...]]:
    """Cuttings of what shares something with X: "films that share actors with X", "born in the same city as X"."""
    if len(done) > longest - 2 or i < 2:
        return
    phrase, begin = None, i
    if sentence[i - 1] == "with":
        at = next((k for k in range(i - 2, max(-1, i - 7), -1) if sentence[k] in SHARES), None)
        if at is not None:
            noun, begin = [token for token in sentence[at + 1 : i - 1] if token not in _OWNS], at
            phrase = _noun(noun, _count(noun)) if _count(noun) else None
        elif sentence[i - 2].startswith("co-") and len(sentence[i - 2]) > 4:
            phrase, begin = Phrase(f"What {sentence[i - 2][3:]} X?", 1, 0, False), i - 2
    if phrase is None and (sentence[i - 1] in ("as", "with") or sentence[i - 1] in RELATIVE):
        at = next((k for k in range(i - 2, max(0, i - 7), -1) if sentence[k] == "same"), None)
        if at is not None:
            noun = sentence[at + 1 : i - 1]
            begin = at - 1 if sentence[at - 1] in _ARTICLES else at
            leads = sentence[begin - 1] if begin and sentence[begin - 1] in _HAS else ""
            begin -= bool(leads)
            verb: list[str] = []
            heads = AUXILIARIES | RELATIVE
            while leads in PREPOSITIONS and begin and len(verb) < 4 and any(t in heads for t in sentence[:begin]):
                if not says(sentence[begin - 1]) and sentence[begin - 1] not in PREPOSITIONS:
                    break
                begin -= 1
                verb = [sentence[begin], *verb]
            if _count(noun):
                phrase = _noun(noun, _count(noun))
                if verb:
                    phrase = Phrase(f"In which {' '.join(noun)} was X {' '.join(verb)}?", _count(noun) + len(verb))
    if phrase is None:
        return
    left = sentence[:begin]
    while left and (left[-1] in RELATIVE - {"who", "which"} or left[-1] in AUXILIARIES or (
        len(left) > 1 and left[-1] in RELATIVE
    )):  # fmt: skip
        left = left[:-1]
    pair = (*done, phrase, Phrase("", 0, back=True))
    if _count(left) <= 1 and not _count(sentence[j:]):
        yield pair
    kept = _nounless(left)
    if len(done) < longest - 2 and (_count(kept) or _count(sentence[j:])):
        yield from _from([*kept, X, *sentence[j:]], len(kept), len(kept) + 1, pair, longest)


def _nounless(left: list[str]) -> list[str]:
    """Words without the noun at their end: "founder of the company" X says no more than "founder of" X."""
    if left and says(left[-1]):
        left = left[:-1]
        if left and left[-1] in _ARTICLES:
            left = left[:-1]
    return left


def _from(sentence: list[str], i: int, j: int, done: tuple[Phrase, ...], longest: int) -> Iterator[tuple[Phrase, ...]]:
    """Cuttings of what lies outside ``sentence[i:j]``, which by now stands for X."""
    last = _last(sentence, i, j)
    if last is not None and (last.words or not done):
        yield (*done, replace(last, words=max(1, last.words)))
    if len(done) >= longest - 1:
        return
    yield from _back(sentence, i, j, done, longest)
    yield from _clause(sentence, i, j, done, longest)
    if j < len(sentence) and sentence[j] == "'s":
        end = next((k for k in range(j + 1, len(sentence)) if sentence[k] == "'s"), len(sentence))
        inside = [] if end < len(sentence) else [k for k in range(j + 2, end) if says(sentence[k - 1])]
        for k in (*inside, end):
            piece = sentence[j + 1 : k]
            if piece and piece[-1] in PREPOSITIONS:
                continue  # no name of anything ends so
            if (count := _count(piece)) and len(piece) <= _LONGEST:
                yield from _from(sentence, i, k, (*done, _noun(piece, count)), longest)
    elif i > 1 and sentence[i - 1] in PREPOSITIONS:
        merged = 0
        for k in range(i - 2, max(-1, i - 2 - _LONGEST), -1):
            if sentence[k] in QUESTION_WORDS or sentence[k] in AUXILIARIES or sentence[k] in (X, "'s"):
                break
            if sentence[k] in PREPOSITIONS:
                merged += 1
                if merged > 1:
                    break
                continue
            piece = [token for token in sentence[k : i - 1] if token not in ("the", "a", "an")]
            if not says(sentence[k]) or not (count := _count(piece)):
                continue
            begin = k - 1 if k and sentence[k - 1] in ("the", "a", "an") else k
            if begin and sentence[begin - 1] in ("or", "and") and begin > 1 and says(sentence[begin - 2]):
                continue  # "the wife or husband of X" is one phrase
            said = begin == k and begin > 1 and sentence[begin - 1] in _BE and _count(sentence[:begin])
            if said and sentence[begin].endswith(("en", "ed")):
                continue  # "which language is spoken in X" asks for one relation
            if begin == k and _inside(sentence, begin):
                continue
            noun = _noun(piece, count, merged, sentence[i - 1])
            noun = replace(noun, parts=_parts(piece) if merged else ())
            yield from _from(sentence, begin, j, (*done, noun), longest)


def _inside(sentence: list[str], begin: int) -> bool:
    """Whether a noun goes on to the left: "the national anthem of X" is not what is national of the anthem of X."""
    at = begin - 1
    while at >= 0 and says(sentence[at]):
        at -= 1
    return 0 <= at < begin - 1 and (sentence[at] in _ARTICLES or sentence[at] in PREPOSITIONS)


def _clause(
    sentence: list[str], i: int, j: int, done: tuple[Phrase, ...], longest: int
) -> Iterator[tuple[Phrase, ...]]:
    """Cuttings in which X stands in a relative clause: "the summit whose nearest hut is X", "the book that X wrote"."""
    if sentence[j : j + 1] == ["'s"]:
        return
    for at in range(i - 1, 0, -1):
        noun = at - 2 if at > 1 and sentence[at - 1] in PREPOSITIONS else at - 1  # "the valley in which X lies"
        used = _participle(sentence[at]) and noun > 0 and sentence[noun - 1] in _ARTICLES
        used = used and sentence[i - 1] not in PREPOSITIONS  # "the drug used to treat X"
        if (sentence[at] in RELATIVE or used) and says(sentence[noun]):
            piece = [*sentence[noun + 1 : at], *sentence[at + (not used) : i], "X", *sentence[j:]]
            if count := _count([token for token in piece if token != "X"]):
                lead = "Whose" if sentence[at] == "whose" else "What"
                phrase = Phrase(f"{lead} {' '.join(piece)}?", count, 0, False)
                yield from _from(sentence[: noun + 1] + [X], noun + 1, noun + 2, (*done, phrase), longest)
                bare = _nounless(sentence[: noun + 1])
                if _count(bare) and bare[-1] not in PREPOSITIONS:  # "who rules the country": of the country
                    yield from _from([*bare, X], len(bare), len(bare) + 1, (*done, phrase), longest)
                asks = any(token in AUXILIARIES for token in bare)
                if (after := sentence[j:]) and asks and _count(after) and _count(own := [*sentence[at + 1 : i]]):
                    # "what did the people who founded X study at": the clause ends at X
                    phrase = Phrase(f"What {' '.join(own)} X?", _count(own), 0, False)
                    yield from _from([*bare, X, *after], len(bare), len(bare) + 1, (*done, phrase), longest)
                if bare and bare[-1] in PREPOSITIONS:
                    yield from _from([*bare, X], len(bare), len(bare) + 1, (*done, phrase), longest)
            return
    if i > 2 and says(sentence[i - 1]) and sentence[i - 2] == "the" and sentence[j : j + 1] != ["'s"]:
        after = sentence[j:]  # "the country X is a citizen of": a clause without its "that"
        if (count := _count(after)) and len(after) <= _LONGEST and _count(sentence[: i - 2]):
            phrase = Phrase(f"What {sentence[i - 1]} {' '.join(['X', *after])}?", count + 1, 0, False)
            kept = sentence[: i - 2]
            yield from _from([*kept, X], len(kept), len(kept) + 1, (*done, phrase), longest)


def _last(sentence: list[str], i: int, j: int) -> Phrase | None:
    """All that is left, as one phrase; None where it plainly holds several relations."""
    left, right = sentence[:i], sentence[j:]
    merged = sum(token == "'s" for token in right[1:]) + sum(
        token == "of" and _count(left[:place]) > 0 for place, token in enumerate(left[:-1])
    )
    possessive = right[:1] == ["'s"]
    if (
        possessive
        and _count(right)
        and (_count(left) or _does(left) or any(t in ("where", "when", "why") for t in left))
    ):
        merged += 1
    if possessive and right[-1] in PREPOSITIONS and _count(right) > 1:
        merged += 1  # in "X's wife working on" the wife is one thing, and what is worked on another
    clause = _clause_in(left, right)
    merged += clause is not None
    if merged > 1:
        return None
    count = _count(left) + _count(right)
    if not count and _does(left) and right == ["do"]:
        return Phrase(f"{_asked(sentence, i, j)[:-1]} for a living?", 1, merged, False)
    keywords = not any(token in QUESTION_WORDS | AUXILIARIES for token in (*left, *right))
    forward = possessive or left[-1:] == ["of"] or (keywords and not _count(left))
    whole = [*left, X, *right]
    if clause is not None:  # without the noun that the clause is about: it is what the relation leads to
        whole = [*left[: clause[0]], X, *left[clause[1] :], X, *right]
    parts = _parts(whole) if merged else ()
    return Phrase(_asked(sentence, i, j), count, merged, forward, parts=parts)


def _clause_in(left: Sequence[str], right: Sequence[str]) -> tuple[int, int] | None:
    """Where the noun before a clause about X stands, if something more is asked of it; None where nothing is.

    "Who rules the country that X lies in" asks for a ruler, "who is the man who directed X" for no more than the man.
    """
    for at in range(len(left) - 1, 1, -1):
        end = at - 1 if left[at - 1] in PREPOSITIONS else at  # "the country in which X lies"
        opens = left[at] in RELATIVE or (_participle(left[at]) and says(left[at - 1]))
        if opens and says(left[end - 1]):
            begin = end - 1
            before = _count([token for token in left[:begin] if token not in _KINDS])
            ended = _count(left[at + 1 :]) and right[:1] != ["'s"] and _count(right)  # "the man who leads X works"
            return (begin, end) if before or ended else None
    return None


def _participle(token: str) -> bool:
    return len(token) > 3 and token.endswith(("ed", "en")) and token not in _NO_PARTICIPLES


def _parts(tokens: Sequence[str]) -> tuple[str, ...]:
    """What stands between the places where another relation may begin, each as a small question about X."""
    runs: list[list[str]] = [[]]
    for token in tokens:
        if token == "'s" or token in PREPOSITIONS or token in RELATIVE or token == X:
            runs.append([])
        elif says(token) and token not in _KINDS:
            runs[-1].append(token)
    said = [" ".join(run) for run in runs if run]
    return tuple(f"What is the {run} of X?" for run in said) if len(said) > 1 else ()


def _does(left: Sequence[str]) -> bool:
    return any(token in ("do", "does", "did") for token in left)


def _count(piece: Sequence[str]) -> int:
    return sum(map(says, piece))


def _noun(piece: Sequence[str], count: int, merged: int = 0, preposition: str = "of") -> Phrase:
    return Phrase(f"What is the {' '.join(piece)} {preposition} X?", count, merged, preposition == "of")


def _asked(sentence: list[str], i: int, j: int) -> str:
    """What is left of the question around X, in the words relations are asked for where it allows that."""
    left, right = sentence[:i], sentence[j:]
    lead = [token for token in left if token in EMPTY - PREPOSITIONS]
    if (
        right[:1] == ["'s"]
        and len(lead) == len(left)
        and not _does(left)
        and not {"where", "when", "how", "why"} & set(left)
    ):
        return f"What is the {' '.join(right[1:])} of X?"
    if not right and left[-1:] == ["of"]:
        inner = left[:-1]
        while inner and (inner[0] in EMPTY - PREPOSITIONS or (inner[0] == "of" and len(inner) > 1)):
            inner = inner[1:]
        if inner:
            return f"What is the {' '.join(inner)} of X?"
    one = {"were": "was", "are": "is"}  # how many they are makes no difference to what is asked
    plain = " ".join([one.get(token, token) for token in (*left, "X", *right)]).replace(" 's", "'s")
    return plain[:1].upper() + plain[1:] + "?"
