"""Question sets by name.

CoDEx (Safavi and Koutra, EMNLP 2020) is a slice of Wikidata; its questions are made from test
triples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgnb.datasets import huts
from kgnb.datasets.fetch import data_folder
from kgnb.datasets.questions import Asked, QuestionSet, sampled
from kgnb.errors import DataError
from kgnb.files import from_json, open_text, packed_or_plain
from kgnb.kg.columns import entity_iri
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.terms import RDFS, Iri, Literal, Triple

ODA = {
    "qald10-oda": ("qald_10-en.json", "QALD-10 en, the 333 of ODA"),
    "creak": ("creak.json", "CREAK, the 1,371 of ODA"),
    "trex": ("T-REX.json", "T-REx, the 5,000 of ODA"),
    "zsre": ("Zero_Shot_RE.json", "Zero-Shot RE, the 3,724 of ODA"),
}
"""The question files of the ODA paper, by the names of their sets."""
SETS = ("huts", "pathquestion", "pathquestion-3h", "codex", "qald10", *ODA)


def question_set(name: str, folder: Path | None = None) -> QuestionSet:
    """The question set of this name; benchmarks are read from below ``folder`` (the settings'
    ``data``).

    ``qald10`` has no graph: its Wikidata snapshot is not available. If CoDEx is in the folder, that
    slice is used as its graph, to test the pipeline; the scores then say nothing about QALD-10.

    Raises:
        ValueError: there is no set of this name.
        DataError: its files are missing or malformed.
    """
    if name == "huts":
        return huts.questions()
    if name == "pathquestion":
        return pathquestion(data_folder("pathquestion", folder), 2)
    if name == "pathquestion-3h":
        return pathquestion(data_folder("pathquestion", folder), 3)
    if name == "codex":
        return slot_filling(data_folder("codex", folder), most=0)
    if name == "qald10":
        found = qald10(data_folder("kgqa", folder) / "qald10")
        beside = folder / "codex" if folder is not None else None
        return (
            replace(found, triples=tuple(codex_triples(beside, "s")))
            if beside and beside.is_dir()
            else found
        )
    if name in ODA:
        return oda(data_folder("kgqa", folder) / "oda", name)
    raise ValueError(f"there is no question set {name!r}; there are {', '.join(SETS)}")


def files_of(name: str, folder: Path | None) -> list[Path]:
    """The files a question set is read from."""
    if name == "huts":
        return [huts.path("graph"), huts.path("questions")]
    if name.startswith("pathquestion"):
        hops = 3 if name.endswith("3h") else 2
        below = data_folder("pathquestion", folder)
        return [path for path in sorted(below.glob(f"*{hops}H*")) if path.is_file()]
    if name == "codex":
        below = data_folder("codex", folder)
        return [
            *sorted((below / "codex-m").glob("t*.txt*")),
            below / "codex-m" / "valid.txt",
            below / "relations.en.json",
        ]
    if name in ODA:
        return [data_folder("kgqa", folder) / "oda" / ODA[name][0]]
    return [data_folder("kgqa", folder) / "qald10" / "qald_10.json"]


_ENTITY = re.compile(r"\bwd:(Q\d+)\b|<http://www\.wikidata\.org/entity/(Q\d+)>")


def qald10(folder: Path) -> QuestionSet:
    """The 394 questions in English, with the entities of their SPARQL as given entities.

    61 are yes/no; of kind "count" are the 100 others that the file marks as aggregating or whose
    SPARQL counts.

    Raises:
        DataError: the file is missing or not in the QALD format.
    """
    path = folder / "qald_10.json"
    try:
        content = from_json(path.read_text(encoding="utf-8"))
        questions = tuple([_qald_asked(entry) for entry in content["questions"]])
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        what = f"cannot be read as QALD: {type(error).__name__} {error}"
        raise DataError(what, where=path, fix="Check KGNB_DATA.") from error
    return QuestionSet(
        "qald10",
        "QALD-10",
        questions,
        graph="",
        notes=(
            "made for a snapshot of Wikidata that is not available: give an endpoint, or a slice of your own",
            "the entities are those in the reference SPARQL",
        ),
    )


def _qald_asked(entry: dict[str, Any]) -> Asked:
    text = str([each["string"] for each in entry["question"] if each["language"] == "en"][0])
    sparql, answer = entry["query"]["sparql"], entry["answers"][0]
    named = dict.fromkeys(found[1] or found[2] for found in _ENTITY.finditer(sparql))
    if "boolean" in answer:
        values, kind = (str(answer["boolean"]).lower(),), "yes/no"
    else:
        rows = [list(row.values()) for row in answer["results"]["bindings"]]
        values = tuple(dict.fromkeys(row[0]["value"] for row in rows if row))
        counted = entry.get("aggregation") or "count" in sparql.lower()
        kind = (
            "count"
            if counted
            else "list"
            if len(values) > 1
            else "single"
            if values
            else "unanswerable"
        )
    entities = tuple(PREFIXES["wd"] + name for name in named)
    return Asked(f"qald-{entry['id']}", text, kind, entities, values, sparql)


def oda(folder: Path, name: str) -> QuestionSet:
    """A question set of the ODA paper, with its topic entities as the given ones.

    The answers of T-REx and Zero-Shot RE are labels, and any of the file's aliases will do. A
    statement of CREAK is asked as the question whether it is true.

    Raises:
        DataError: the file is missing or malformed.
    """
    file, title = ODA[name]
    path = folder / file
    try:
        entries = from_json(path.read_text(encoding="utf-8"))
        questions = tuple([_oda_asked(entry, name, at) for at, entry in enumerate(entries, 1)])
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        what = f"cannot be read: {type(error).__name__} {error}"
        raise DataError(what, where=path, fix="Check KGNB_DATA.") from error
    return QuestionSet(
        name,
        title,
        questions,
        notes=(
            "made over Wikidata: give an endpoint, or the neighbourhood of its entities",
            "the topic entities of the file are given, as in the paper",
        ),
    )


def _oda_asked(entry: dict[str, Any], name: str, number: int) -> Asked:
    topics = [key for key in entry.get("topic_entity") or {} if re.fullmatch(r"Q\d+", key)]
    entities = tuple(ENTITY + topic for topic in topics)
    where = f"{name}-{number}"
    if name == "creak":
        text = f"Is it true that {str(entry['sentence']).rstrip('.')}?"
        return Asked(where, text, "yes/no", entities, (str(entry["label"]).lower(),))
    if name == "qald10-oda":
        answer = entry["answer"]
        pairs = (
            answer.items() if isinstance(answer, dict) else [(one, one) for one in _several(answer)]
        )
        named = tuple(
            (ENTITY + key if re.fullmatch(r"Q\d+", key) else str(key), str(label))
            for key, label in pairs
        )
        kind = "list" if len(named) > 1 else "single"
        values = tuple(value for value, _ in named)
        return Asked(where, str(entry["question"]), kind, entities, values, names=named)
    subject, _, relation = str(entry["input"]).partition(" [SEP] ")
    templates = entry.get("template_questions") or [f"What is the {relation} of {subject}?"]
    accepted = tuple(dict.fromkeys(map(str, (entry["answer"], *entry.get("alias", ())))))
    return Asked(where, str(templates[0]), "single", entities, accepted[:1], names=(accepted,))


def _several(answer: Any) -> list[str]:
    return list(map(str, answer)) if isinstance(answer, list) else [str(answer)]


_ANSWERS = re.compile(r"\S.*?\((?P<all>.*?)/?\)")


def pathquestion(folder: Path, hops: int = 2) -> QuestionSet:
    """The questions of ``folder`` over this many relations (2 or 3), each with its start entity.

    Paraphrases over one path form a group: a split must keep them together.

    Raises:
        DataError: a file is missing, or one of its lines is malformed.
    """
    if hops not in (2, 3):
        raise ValueError(f"hops is {hops}: PathQuestion has questions over 2 or 3 relations")
    path = packed_or_plain(folder / f"PQ-{hops}H.txt")
    if path is None:
        raise DataError(
            "the questions are not there",
            where=str(folder / f"PQ-{hops}H.txt"),
            fix="Check KGNB_DATA.",
        )
    with open_text(path) as file:
        questions = tuple(
            _path_asked(line, f"{path}:{number}", number, hops)
            for number, line in enumerate(file, start=1)
        )
    return QuestionSet(
        f"pathquestion-{hops}h",
        f"PathQuestion, {hops} relations",
        questions,
        graph=folder / f"{hops}H-kb.txt",
        notes=("the entity a question starts from is given, as in the published figures",),
    )


def _path_asked(line: str, where: str, number: int, hops: int) -> Asked:
    cells = [cell.strip() for cell in line.rstrip("\n").split("\t")]
    answers = _ANSWERS.fullmatch(cells[1]) if len(cells) == 3 else None
    if answers is None:
        raise DataError(
            "not question TAB answer(answers) TAB path", where=where, fix="Fetch the file again."
        )
    steps = cells[2].split("#")
    relations = "#".join(steps[1 : 2 * hops : 2])
    return Asked(
        f"pq{hops}-{number}",
        cells[0].replace("_", " "),
        f"{hops} relations",
        (entity_iri(steps[0]),),
        tuple(entity_iri(name) for name in dict.fromkeys(answers["all"].split("/")) if name),
        group=f"{steps[0]}#{relations}",
    )


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
        raise DataError(f"cannot be read: {error}", where=path, fix="Check KGNB_DATA.") from error


def slot_filling(folder: Path, *, size: str = "m", most: int = 400) -> QuestionSet:
    """Questions "What is the RELATION of ENTITY?" from test triples, the entity given.

    Every second question is about triples that were removed from the graph: the right answer is
    none. The reference of the others is every object in the graph.
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
            ()
            if (subject, relation) in removed
            else tuple(dict.fromkeys(objects[subject, relation])),
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
    path = packed_or_plain(folder / f"{split}.txt")
    if path is None:
        raise DataError(
            "the triples are not there", where=str(folder / f"{split}.txt"), fix="Check KGNB_DATA."
        )
    with open_text(path) as file:
        for number, line in enumerate(file, start=1):
            cells = line.split()
            if len(cells) != 3:
                raise DataError(
                    f"{len(cells)} columns, not 3",
                    where=f"{path}:{number}",
                    fix="Fetch the file again.",
                )
            yield cells
