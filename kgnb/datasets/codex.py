"""CoDEx (Safavi and Koutra, EMNLP 2020): a slice of Wikidata, and slot-filling questions made from its test triples."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

from kgnb.datasets.questions import Asked, QuestionSet, sampled
from kgnb.errors import DataError
from kgnb.files import from_json
from kgnb.kg.terms import RDFS, Iri, Literal, Triple

ENTITY, DIRECT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
SPLITS = ("train", "valid", "test")


def codex_triples(folder: Path, size: str = "m") -> list[Triple]:
    """The triples of a slice with Wikidata's own IRIs, and English labels of the relations.

    Raises:
        DataError: a file is missing or malformed.
    """
    found: list[Triple] = [
        (Iri(ENTITY + head), Iri(DIRECT + relation), Iri(ENTITY + tail))
        for split in SPLITS
        for head, relation, tail in _rows(folder / f"codex-{size}", split)
    ]
    labels = relation_labels(folder)
    used = sorted({triple[1] for triple in found})
    return found + [
        (iri, Iri(RDFS + "label"), Literal(labels[iri.removeprefix(DIRECT)], "en"))
        for iri in used
        if iri.removeprefix(DIRECT) in labels
    ]


def relation_labels(folder: Path) -> dict[str, str]:
    """English labels of the relations, by Wikidata's id."""
    path = folder / "relations.en.json"
    try:
        content = from_json(path.read_text(encoding="utf-8"))
        return {name: str(entry["label"]) for name, entry in content.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"cannot be read: {error}", where=str(path), fix="Check KGNB_DATA.") from error


def slot_filling(folder: Path, *, size: str = "m", most: int = 400) -> QuestionSet:
    """Questions "What is the RELATION of ENTITY?" from test triples, the entity given.

    Every second question is about triples that were taken out of the graph: the right answer to it is none. The
    reference of the others is every object the graph has.
    """
    labels = relation_labels(folder)
    triples = codex_triples(folder, size)
    objects: dict[tuple[str, str], list[str]] = {}
    for subject, relation, value in triples:
        objects.setdefault((str(subject), relation), []).append(str(value))
    tests = _rows(folder / f"codex-{size}", "test")
    slots = dict.fromkeys((ENTITY + head, DIRECT + relation) for head, relation, _ in tests)
    named = [slot for slot in slots if slot[1].removeprefix(DIRECT) in labels]
    chosen = sampled(named, most)
    removed = set(chosen[1::2])
    questions = tuple(
        Asked(
            f"codex-{number}",
            f"What is the {labels[relation.removeprefix(DIRECT)]} of {subject.removeprefix(ENTITY)}?",
            "taken out of the graph" if (subject, relation) in removed else "in the graph",
            (subject,),
            () if (subject, relation) in removed else tuple(dict.fromkeys(objects[subject, relation])),
        )
        for number, (subject, relation) in enumerate(chosen, start=1)
    )
    kept = tuple(triple for triple in triples if (str(triple[0]), str(triple[1])) not in removed)
    return QuestionSet(
        f"codex-{size}",
        f"CoDEx-{size.upper()}, slot filling",
        questions,
        triples=kept,
        notes=(
            "questions made by a template from the test triples; the entity is given",
            "half of them are about triples that were taken out: there unsure is right",
        ),
    )


def _rows(folder: Path, split: str) -> Iterator[Sequence[str]]:
    path = next((each for each in (folder / f"{split}.txt", folder / f"{split}.txt.gz") if each.is_file()), None)
    if path is None:
        raise DataError("the triples are not there", where=str(folder / f"{split}.txt"), fix="Check KGNB_DATA.")
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            cells = line.split()
            if len(cells) != 3:
                raise DataError(f"{len(cells)} columns, not 3", where=f"{path}:{number}", fix="Fetch the file again.")
            yield cells
