"""Prose among notes with a form: names of sections, and whom a sentence is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgnb.agents.kg_construction.lexicon import Lexicon, Phrase
from kgnb.kg.words import words

_SECTIONS = """
see also, references, notes, note, footnotes, sources, source, bibliography, literature, contents,
further reading, external links, links, table of contents, appendix, introduction, overview,
summary, abstract, conclusion, conclusions, discussion, remarks, acknowledgements, history,
description, details, data, technical data, specifications, contact, imprint, index, glossary,
siehe auch, einzelnachweise, belege, anmerkungen, anmerkung, fußnoten, quellen, quelle, literatur,
weblinks, inhalt, inhaltsverzeichnis, anhang, einleitung, überblick, übersicht, zusammenfassung,
fazit, bemerkungen, hinweise, hinweis, geschichte, beschreibung, einzelheiten, technische daten,
daten, kontakt, impressum, voir aussi, références, remarques, bibliographie, liens externes, liens,
sommaire, annexe, aperçu, résumé, histoire, données, véase también, ver también, referencias, notas,
nota, bibliografía, enlaces externos, fuentes, contenido, anexo, introducción, resumen, historia,
descripción, datos, contacto, vedi anche, riferimenti, bibliografia, collegamenti esterni, fonti,
indice, appendice, introduzione, sommario, storia, descrizione, dati, contatti, zie ook,
referenties, voetnoten, noten, bronnen, inhoud, bijlage, inleiding, samenvatting, veja também,
ver também, referências, ligações externas, fontes, conteúdo, introdução, resumo, descrição
"""
SECTIONS = frozenset(words(name) for name in _SECTIONS.replace("\n", " ").split(","))
"""What parts of a text are called that are about no thing of that name."""
_ARTICLES = frozenset("a an ein eine un une una uno een um uma".split())  # noqa: SIM905
_THIS = frozenset(
    """
    the this that its his her their der die das dieser diese dieses den dem sein seine ihr ihre le la
    les l ce cet cette son sa ses el los las este esta esto su sus lo il questo questa de het deze dit
    zijn haar o os as
    """.split()
)
_OPENING = (
    _THIS
    | _ARTICLES
    | frozenset(
        """
        it he she they these those in on at from since for with by of to there here all after before
        until when while as but and or if no not some many most both each every once today now then
        also however about only built made er sie es im am an auf seit mit von vom nach vor zu zum zur
        bei dort hier alle und aber oder wenn als auch noch nur man elle ils elles ces dans sur au aux
        depuis avec par pour du et mais ou si on des y en con por para del desde pero se al ella ello
        hay nel nella dal con per e ma anche lui lei essa esso op in van met voor aan er zij hij
        em no na desde com por ele ela
        """.split()
    )
)
"""First words of a sentence that are no names."""
_ITSELF = frozenset(
    "it she he they er sie es il elle ils elles ella lei lui esso zij hij ele ela".split()  # noqa: SIM905
)
_TOKEN = re.compile(r"[^\W_]+")
_FOREMOST = 6  # words that a sentence names the class in: "is a small, very old bust"


_NOTHING = frozenset(
    """
    na n/a n.a. #n/a none null nil nan tbd unknown anonymous unnamed not.known not.specified not.given
    k.a. unbekannt keine.angabe ohne.angabe anonym entfällt inconnu inconnue anonyme néant s.o. s.d.
    desconocido desconocida anónimo anónima ninguno ninguna sconosciuto sconosciuta anonimo nessuno
    onbekend anoniem geen desconhecido desconhecida nenhum
    """.split()
)


def says_nothing(value: str) -> bool:
    """Whether a value says that there is none, or that it is not known: "-", "n/a", "unknown"."""
    plain = ".".join(value.strip(" ()[]").casefold().split())
    return plain in _NOTHING or not any(char.isalnum() for char in plain)


def names_section(text: str) -> bool:
    """Whether a heading names a part of a text, as "3. References:" does."""
    return words(re.sub(r"^[\s\d.)]+", "", text)) in SECTIONS


def names_another(lexicon: Lexicon, text: str, name: str) -> bool:
    """Whether a sentence may be about another thing than the one of this name: it begins with
    neither the name nor a pronoun, and has another name, or a class that is not "this" one.
    """
    tokens = _TOKEN.findall(text)
    first = [token.casefold() for token in tokens[:2]]
    named = [token.casefold() for token in _TOKEN.findall(name)[:1]]
    of_it = (
        first[:1] == named
        or {*first[:1]} & _ITSELF
        or ({*first[:1]} & _THIS and first[1:] == named)
    )
    if of_it and not re.search(r"[.!?]\s+\S", text):
        return False
    for at, token in enumerate(tokens):
        begins = at == 0 or re.search(rf"[.!?:]\s*\W*{token}", text) is not None
        plain = begins and token.casefold() in _OPENING
        cased = token.lower() != token.upper()
        this = at > 0 and tokens[at - 1].casefold() in _THIS and lexicon.class_called(token)
        if not this and not plain and token[0].isalpha() and (token[0].isupper() or not cased):
            return True
    return any(before not in _THIS for before in _before_classes(lexicon, words(text)))


def _before_classes(lexicon: Lexicon, said: Phrase) -> Iterator[str]:
    """The words that stand before the classes that a text names."""
    for at in range(len(said)):
        for size in (1, 2, 3):
            if at + size <= len(said) and lexicon.class_called(" ".join(said[at : at + size])):
                yield said[at - 1] if at else ""


def says_what_it_is(lexicon: Lexicon, title: str, text: str) -> bool:
    """Whether a sentence says what a title is, as an entry of a catalogue or a glossary does: "A bust
    that nobody has measured", or with a class of the ontology's root, "Girl is a bust".
    """
    said, named = words(text), words(title)
    if said[: len(named)] != named:
        return said[:1] != () and said[0] in _ARTICLES
    kinds = (
        lexicon.class_called(" ".join(said[at : at + size]))
        for at in range(len(named), len(named) + _FOREMOST)
        for size in (1, 2, 3)
    )
    return any(cls and lexicon.is_a(cls, lexicon.root) for cls in kinds)


def names_several(lexicon: Lexicon, title: str) -> bool:
    """Whether a title names several things: codes of one kind, as in "S1 and S2" or "B 4, B 7", or
    names on both sides of a stroke.
    """
    between = rf"\s+(?:{lexicon.conjunction}|and|und|et|y|e)\s+"
    parts = re.split(rf"\s*[,;]\s+|\s+/\s+|{between}", title)
    shapes = {re.sub(r"\d+", "0", part) for part in parts}
    codes = len(shapes) == 1 and "0" in shapes.pop()
    return len(parts) > 1 and (codes or " / " in title)
