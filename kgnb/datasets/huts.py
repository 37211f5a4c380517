"""Our own teaching data, a network of mountain huts; part of the package (``data/huts/SOURCE.md``)."""

from __future__ import annotations

from pathlib import Path

from kgnb.datasets.published import MatchingCase, MatchingSet
from kgnb.datasets.questions import QuestionSet, read_questions
from kgnb.errors import DataError

FILES = {
    "alpine": "alpine.ttl",
    "refuge": "refuge.owl",
    "reference": "reference.rdf",
    "hollenmark": "hollenmark.ttl",
    "corvane": "corvane.ttl",
    "entity-reference": "entity-reference.tsv",
    "entity-seeds": "entity-seeds.tsv",
    "kitchen": "kitchen.ttl",
    "kitchen-shapes": "kitchen-shapes.ttl",
    "kitchen-notes": "kitchen",
    "kitchen-reference": "kitchen-reference.trig",
    "pantry": "pantry.ttl",
    "dairy": "dairy.ttl",
    "dairy-notes": "dairy",
    "dairy-reference": "dairy-reference.trig",
    "dairy-register": "dairy-register.tsv",
    "graph": "graph.ttl",
    "questions": "questions.jsonl",
}


def folder() -> Path:
    """The folder of the data: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for place in (package / "data" / "huts", package.parent / "data" / "huts"):
        if (place / FILES["reference"]).is_file():
            return place
    raise DataError("kgnb's own data set is missing", where=str(package / "data" / "huts"), fix="Install kgnb again.")


def path(name: str) -> Path:
    """The file of ``alpine``, ``refuge``, ``reference``, ...; ValueError for a name that is not in ``FILES``.

    >>> path("alpine").name
    'alpine.ttl'
    """
    if name not in FILES:
        raise ValueError(f"huts has no {name!r}; it has {', '.join(FILES)}")
    return folder() / FILES[name]


def questions() -> QuestionSet:
    """Thirty questions of every kind over ``huts:graph``, with our reference answers."""
    return QuestionSet(
        "huts",
        "kgnb's mountain huts",
        tuple(read_questions(path("questions"))),
        graph="huts:graph",
        notes=("a small teaching set of our own; a figure on it says nothing about real graphs",),
    )


def huts() -> MatchingSet:
    """The two hut ontologies and our reference, with equivalences and subsumptions."""
    return MatchingSet(
        "huts",
        "kgnb's mountain huts",
        (MatchingCase("alpine-refuge", path("alpine"), path("refuge"), path("reference")),),
        context="mountain huts: hiking routes, wardens, bookings, kitchens and weather",
        notes=("a small teaching set of our own; a figure on it says nothing about real ontologies",),
    )
