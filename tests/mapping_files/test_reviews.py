from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.mapping_files import reviews
from kgnb.mapping_files.reviews import CURATED, ReviewedMapping
from kgnb.mappings import Mapping

HUT, REFUGE = "http://huts.example/alpine#Hut", "http://huts.example/refuge#Refuge"
FOUND = [
    ReviewedMapping(
        Mapping(HUT, REFUGE, "equivalent", source_label='hut "old"\tone'),
        "Ada Lovelace",
        "2025-03-01T10:00:00Z",
    ),
    ReviewedMapping(Mapping(HUT, REFUGE + "2", "different", rationale="a car park"), "", ""),
    ReviewedMapping(
        Mapping(HUT + "s", REFUGE, "broader", kind="object property"), "Bo", "2025-03-02T10:00:00Z"
    ),
]


def test_reviews_read_back_with_reviewer_and_time(tmp_path: Path) -> None:
    path = reviews.save(
        FOUND,
        tmp_path / "mine.sssom.tsv",
        "http://huts.example/alpine",
        "http://huts.example/refuge",
    )
    back = reviews.read(path)
    assert [(one.mapping.pair, one.mapping.relation, one.who, one.when) for one in back] == [
        (one.mapping.pair, one.mapping.relation, one.who, one.when) for one in FOUND
    ]
    assert back[0].mapping.source_label == FOUND[0].mapping.source_label
    assert {one.mapping.justification for one in back} == {CURATED}
    assert reviews.write(reversed(FOUND)) == reviews.write(FOUND)


def test_rows_of_other_tools_count_if_a_person_stands_behind_them(tmp_path: Path) -> None:
    rows = [
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\treviewer_id\tmapping_date",
        f"{HUT}\tskos:exactMatch\t{REFUGE}\tsemapv:LexicalMatching\torcid:0000-0001\t2024-05-06",
        f"{HUT}\tskos:exactMatch\t{REFUGE}2\tsemapv:LexicalMatching\t\t",
        f"{HUT}\tskos:broadMatch\t{REFUGE}3\t{CURATED}\t\t",
    ]
    path = tmp_path / "theirs.tsv"
    path.write_text("\n".join(rows) + "\n")
    found = reviews.read(path)
    assert [(one.mapping.target, one.who, one.when) for one in found] == [
        (REFUGE, "orcid:0000-0001", "2024-05-06"),
        (REFUGE + "3", "", ""),
    ]


def test_a_file_nobody_reviewed_and_a_wrong_suffix_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "theirs.tsv"
    path.write_text(f"subject_id\tpredicate_id\tobject_id\n{HUT}\tskos:exactMatch\t{REFUGE}\n")
    with pytest.raises(DataError, match="nobody has reviewed"):
        reviews.read(path)
    with pytest.raises(DataError, match="cannot be read"):
        reviews.read(tmp_path / "none.tsv")
    with pytest.raises(ValueError, match="sssom.tsv"):
        reviews.save(FOUND, tmp_path / "mine.rdf")
