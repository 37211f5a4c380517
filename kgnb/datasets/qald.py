"""QALD-10 (Usbeck et al., 2023): questions over Wikidata with the SPARQL and the answers of a snapshot."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kgnb.datasets.questions import Asked, QuestionSet
from kgnb.errors import DataError
from kgnb.files import from_json
from kgnb.kg.prefixes import PREFIXES

_ENTITY = re.compile(r"\bwd:(Q\d+)\b|<http://www\.wikidata\.org/entity/(Q\d+)>")


def qald10(folder: Path, language: str = "en") -> QuestionSet:
    """The 394 questions, with what their SPARQL names as the entities given.

    61 are yes/no; of kind "count" are the 100 others that the file marks as aggregating or whose SPARQL counts.

    Raises:
        DataError: the file is missing or not in the QALD format.
    """
    path = folder / "qald_10.json"
    try:
        content = from_json(path.read_text(encoding="utf-8"))
        questions = tuple([_asked(entry, language) for entry in content["questions"]])
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        what = f"cannot be read as QALD: {type(error).__name__} {error}"
        raise DataError(what, where=str(path), fix="Check KGNB_DATA.") from error
    return QuestionSet(
        "qald10",
        "QALD-10",
        questions,
        graph="",
        notes=(
            "made for a snapshot of Wikidata that is not at hand: give an endpoint, or a slice of your own",
            "the entities are those the reference SPARQL names",
        ),
    )


def _asked(entry: dict[str, Any], language: str) -> Asked:
    text = str([each["string"] for each in entry["question"] if each["language"] == language][0])
    sparql, answer = entry["query"]["sparql"], entry["answers"][0]
    named = dict.fromkeys(found[1] or found[2] for found in _ENTITY.finditer(sparql))
    if "boolean" in answer:
        values, kind = (str(answer["boolean"]).lower(),), "yes/no"
    else:
        rows = [list(row.values()) for row in answer["results"]["bindings"]]
        values = tuple(dict.fromkeys(row[0]["value"] for row in rows if row))
        counted = entry.get("aggregation") or "count" in sparql.lower()
        kind = "count" if counted else "list" if len(values) > 1 else "single" if values else "unanswerable"
    entities = tuple(PREFIXES["wd"] + name for name in named)
    return Asked(f"qald-{entry['id']}", text, kind, entities, values, sparql)
