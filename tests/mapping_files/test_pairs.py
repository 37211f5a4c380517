"""References as others ship them: tables of pairs, plain triples, SSSOM in all its dress."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.errors import DataError
from kgnb.mapping_files import load, load_reference, pairs
from kgnb.mappings import Alignment

A, B = "http://a.example/o#Hut", "http://b.example/o#Refuge"
SAME = [(A, "equivalent", B, 0.85)]
PREFIXES = "#curie_map:\n#  NO: http://no.example/\n#  ON: http://on.example/\n"
COLUMNS = "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"


def told(alignment: Alignment) -> list[tuple[str, str, str, float]]:
    return [(m.source, m.relation, m.target, m.confidence) for m in alignment]


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bio-ml.tsv", f"SrcEntity\tTgtEntity\tScore\n{A}\t{B}\t0.85\n"),
        ("logmap.txt", f"{A}|{B}|=|0.85|CLS\n"),
        ("matcher.tsv", f"{A}\t{B}\t=\t0.85\n"),
        ("pairs.csv", f'source,target,confidence\n"{A}","{B}",0.85\n'),
        ("semicolon.csv", f"{A};{B};0.85\n"),
        ("blanks.txt", f"# by hand\n{A} {B} 0.85\n"),
        ("brackets.tsv", f"<{A}>\t<{B}>\t0.85\n"),
    ],
)
def test_tables_of_pairs_are_references(tmp_path: Path, name: str, text: str) -> None:
    alignment = load_reference(written(tmp_path, name, text))
    assert told(alignment) == SAME
    assert not alignment.notes


@pytest.mark.parametrize(
    "predicate", ["owl#sameAs", "owl#equivalentClass", "owl#equivalentProperty"]
)
@pytest.mark.parametrize("suffix", ["nt", "ttl", "owl", "rdf"])
def test_plain_triples_are_references(tmp_path: Path, predicate: str, suffix: str) -> None:
    triple = f"<{A}> <http://www.w3.org/2002/07/{predicate}> <{B}> ."
    name = predicate.partition("#")[2]
    if suffix in ("owl", "rdf"):
        triple = f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        xmlns:owl="http://www.w3.org/2002/07/owl#"><rdf:Description rdf:about="{A}">
        <owl:{name} rdf:resource="{B}"/></rdf:Description></rdf:RDF>"""
    found = load_reference(written(tmp_path, f"m.{suffix}", triple))
    assert [(m.source, m.target) for m in found] == [(A, B)]


def test_logmaps_signs_say_the_relation_and_the_kind(tmp_path: Path) -> None:
    text = f"{A}|{B}|<|0.5|CLS\n{A}|{B}|>|0.6|OPROP\n"
    first, second = load(written(tmp_path, "m.txt", text))
    assert (first.relation, first.kind) == ("broader", "class")
    assert (second.relation, second.kind) == ("narrower", "object property")


def test_an_odd_row_costs_one_row_and_is_counted(tmp_path: Path) -> None:
    table = written(tmp_path, "m.tsv", f"{A}\t{B}\t0.85\nno pair\n{A}\t{B}\t7\n")
    alignment = load(table)
    assert told(alignment) == SAME
    assert alignment.notes == ("2 rows left out (the first is line 2): no pair of IRIs",)
    rows = (
        "NO:1\tskos:exactMatch\tON:1\tsemapv:LexicalMatching\n"
        "NO:2\tsemapv:crossSpeciesExactMatch\tON:2\tsemapv:LexicalMatching\n"
        "XX:3\tskos:exactMatch\tON:3\tsemapv:LexicalMatching\n"
    )
    sssom = load(written(tmp_path, "m.sssom.tsv", PREFIXES + COLUMNS + rows))
    assert [m.source for m in sssom] == ["http://no.example/1"]
    assert len(sssom.notes) == 2
    assert all(note.startswith("1 row left out") for note in sssom.notes)
    broken = "XX:3\tskos:exactMatch\tON:3\tsemapv:LexicalMatching\n"
    with pytest.raises(DataError, match="not declared"):
        load(written(tmp_path, "n.sssom.tsv", PREFIXES + COLUMNS + broken))


def test_sssom_metadata_may_stand_beside_the_table(tmp_path: Path) -> None:
    row = "NO:1\tskos:exactMatch\tON:1\tsemapv:LexicalMatching\n"
    for number, name in enumerate(("{}.sssom.yml", "{}.yaml")):
        table = written(tmp_path, f"m{number}.sssom.tsv", COLUMNS + row)
        with pytest.raises(DataError, match="not declared"):
            load(table)
        written(tmp_path, name.format(f"m{number}"), PREFIXES.replace("#", ""))
        assert [m.target for m in load(table)] == ["http://on.example/1"]


def test_condensed_literal_and_comma_rows_of_sssom(tmp_path: Path) -> None:
    condensed = f"{PREFIXES}#predicate_id: skos:exactMatch\nsubject_id\tobject_id\nNO:1\tON:1\n"
    (mapping,) = load(written(tmp_path, "c.sssom.tsv", condensed))
    assert (mapping.source, mapping.relation) == ("http://no.example/1", "equivalent")
    commas = f"{PREFIXES}subject_id,predicate_id,object_id\nNO:1,skos:exactMatch,ON:1\n"
    assert len(load(written(tmp_path, "c.sssom.csv", commas))) == 1
    literal = (
        f'{PREFIXES}#subject_type: "rdfs literal"\nsubject_id\tsubject_label\tpredicate_id\tobject_id\n'
        "\tmountain hut\tskos:exactMatch\tNO:1\n"
    )
    found = load(written(tmp_path, "l.sssom.tsv", literal))
    assert len(found) == 0
    assert "literal text" in found.notes[0]


@given(st.text(max_size=300))
def test_any_text_is_read_or_said_to_be_no_table(text: str) -> None:
    alignment = pairs.read(text.encode("utf-8", "replace"), "x.tsv")
    assert alignment is None or len(alignment) > 0
