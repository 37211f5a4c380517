"""Two generated ontologies of any size and what they have in common: names like those of anatomy,
none of them real.

Deterministic in the seed. Classes form a tree; part of them are parts of others. The second
ontology shares ``SHARED`` of its classes with the first, under other codes and, more often than
not, other names.
"""

import random
from dataclasses import dataclass
from pathlib import Path

SHARED = 0.7
SYNONYMS = 0.4  # share of the classes that have one
PARTS = 0.3  # share of the classes that are part of another

_STEMS_WORDS = """cardi hepat neur oste chondr my derm gastr enter nephr pulmon bronch angi arteri phleb splen thym aden
lymph cerebr encephal mening ocul ophthalm ot rhin laryng pharyng trache esophag colon rect cyst ureter
ovari uter prostat test mamm thyr pancreat adren spin crani"""
_ENDINGS_WORDS = (
    """al ic oid ial ocytic oblastic omal ogenic opathic oplasmic itic otomic ular ary inal"""
)
_PLACES_WORDS = """left right anterior posterior superior inferior lateral medial proximal distal dorsal ventral upper
lower deep superficial primary secondary outer inner major minor common external internal fetal adult
accessory"""
_THINGS_WORDS = """artery vein nerve muscle ligament bone cartilage gland duct node plexus tissue epithelium capsule
cortex medulla wall layer membrane cavity canal fossa process tubercle surface lobe segment root branch trunk
ganglion nucleus tract fiber fold sulcus gyrus horn valve septum"""
_STEMS, _ENDINGS, _PLACES, _THINGS = (
    words.split() for words in (_STEMS_WORDS, _ENDINGS_WORDS, _PLACES_WORDS, _THINGS_WORDS)
)
_OTHER_WORDS = {
    "left": "sinistral",
    "right": "dextral",
    "anterior": "front",
    "posterior": "rear",
    "superior": "upper",
    "inferior": "lower",
    "fiber": "fibre",
    "wall": "paries",
    "layer": "stratum",
    "major": "greater",
    "minor": "lesser",
}


@dataclass(frozen=True)
class Generated:
    """Two files of Turtle, and the pairs of IRIs that mean the same."""

    source: Path
    target: Path
    reference: frozenset[tuple[str, str]]


@dataclass
class _Class:
    iri: str
    name: str
    synonyms: list[str]
    parent: int | None
    whole: int | None


def generate(classes: int, folder: Path, seed: int = 0) -> Generated:
    """Two ontologies of ``classes`` classes each, written to ``folder``."""
    draw = random.Random(seed)
    names = _names(2 * classes - round(SHARED * classes), draw)
    shared = round(SHARED * classes)
    ones = _ontology("http://one.example/", names[:classes], draw)
    picked = sorted(draw.sample(range(classes), shared))
    other_names = [_renamed(names[at], draw) for at in picked] + names[classes:]
    shuffled = list(range(classes))
    draw.shuffle(shuffled)
    others = _ontology("http://other.example/", [other_names[at] for at in shuffled], draw)
    place = {at: position for position, at in enumerate(shuffled)}
    reference = frozenset((ones[one].iri, others[place[at]].iri) for at, one in enumerate(picked))
    files = []
    for name, content in (("one", ones), ("other", others)):
        files.append(folder / f"{name}.ttl")
        files[-1].write_text(_turtle(content), encoding="utf-8")
    return Generated(files[0], files[1], reference)


def _names(number: int, draw: random.Random) -> list[str]:
    adjectives = [stem + ending for stem in _STEMS for ending in _ENDINGS]
    met: dict[str, None] = {}
    while len(met) < number:
        kind = draw.random()
        words = [draw.choice(adjectives), draw.choice(_THINGS)]
        if kind < 0.8:
            words.insert(0, draw.choice(_PLACES))
        if kind < 0.4:
            words.insert(1, draw.choice(adjectives))
        if kind < 0.15:
            words += ["of", draw.choice(adjectives), draw.choice(_THINGS)]
        met.setdefault(" ".join(words))
    return list(met)


def _renamed(name: str, draw: random.Random) -> str:
    """The same thing as another author would write it: as it is, reordered, in the plural, or with
    another word.
    """
    words, kind = name.split(), draw.random()
    if kind < 0.45:
        return name
    if kind < 0.6 and "of" not in words:
        return " ".join([words[-1], "of", *words[:-1]])
    if kind < 0.75:
        return name + "s"
    return " ".join(_OTHER_WORDS.get(word, word) for word in words)


def _ontology(prefix: str, names: list[str], draw: random.Random) -> list[_Class]:
    classes: list[_Class] = []
    for number, name in enumerate(names):
        parent = draw.randrange(max(1, number // 8)) if number else None
        whole = draw.randrange(number) if number and draw.random() < PARTS else None
        synonyms = [_renamed(name, draw)] if draw.random() < SYNONYMS else []
        classes.append(_Class(f"{prefix}C_{number:07d}", name, synonyms, parent, whole))
    return classes


def _turtle(classes: list[_Class]) -> str:
    lines = [
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
        "@prefix o: <http://www.geneontology.org/formats/oboInOwl#> .",
        f"<{classes[0].iri}> a owl:Class .",
        "<http://parts.example/part_of> a owl:ObjectProperty .",
    ]
    for one in classes:
        said = ["a owl:Class", f'rdfs:label "{one.name}"']
        said += [f'o:hasExactSynonym "{synonym}"' for synonym in one.synonyms]
        if one.parent is not None:
            said.append(f"rdfs:subClassOf <{classes[one.parent].iri}>")
        if one.whole is not None:
            said.append(
                "rdfs:subClassOf [ a owl:Restriction ; owl:onProperty <http://parts.example/part_of> ; "
                f"owl:someValuesFrom <{classes[one.whole].iri}> ]"
            )
        lines.append(f"<{one.iri}> {' ; '.join(said)} .")
    return "\n".join(lines) + "\n"
