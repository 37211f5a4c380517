"""Folders with two graphs, in the layouts that published benchmarks have."""

import gzip
from pathlib import Path

import pytest

from kgnb.datasets.entity_folders import is_entity_folder, read_folder, read_links
from kgnb.errors import DataError


def lay_out(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


NUMBERED = {
    "ent_ids_1": '0\thttp://a.example/Hütte,_"alte"_(Tal)\n1\thttp://a.example/100%_See\n2\thttp://a.example/X\x85Y',
    "ent_ids_2": "10\thttp://b.example/Refuge\n11\thttp://b.example/Lac\n12\thttp://b.example/Z\n",
    "rel_ids_1": "0\thttp://a.example/am\n",
    "rel_ids_2": "5\thttp://b.example/pres\n",
    "triples_1": "0\t0\t1\n2\t0\t1\n",
    "triples_2": "10\t5\t11",
    "sup_pairs": "0\t10\n",
    "ref_pairs": "1\t11\n",
}
NAMED = {
    "rel_triples_1": "http://a/1\thttp://a/r\thttp://a/2\n",
    "rel_triples_2": "http://b/1\thttp://b/r\thttp://b/2\n",
    "attr_triples_1": 'http://a/1\thttp://a/beds\t"80"^^<http://www.w3.org/2001/XMLSchema#int>\n'
    'http://a/9\thttp://a/label\t"Hütte"@DE\n',
    "attr_triples_2": "http://b/1\thttp://b/beds\t80, or more\tthan that\n",
    "ent_links": "http://a/1\thttp://b/1\nhttp://a/2\thttp://b/2\nhttp://a/3\thttp://b/3\n",
    "721_5fold/1/train_links": "http://a/1\thttp://b/1\n",
    "721_5fold/1/valid_links": "http://a/2\thttp://b/2\n",
    "721_5fold/1/test_links": "http://a/3\thttp://b/3\n",
}


def test_reads_numbers_with_raw_iris_split_at_tabs_only(tmp_path: Path) -> None:
    lay_out(tmp_path, NUMBERED | {"ent_ids_2": "\ufeff" + NUMBERED["ent_ids_2"]})
    (tmp_path / "triples_1").unlink()
    (tmp_path / "triples_1.gz").write_bytes(
        gzip.compress(NUMBERED["triples_1"].replace("\n", "\r\n").encode())
    )
    found = read_folder(tmp_path)
    assert found.left.entities[0] == 'http://a.example/Hütte,_"alte"_(Tal)'
    assert found.left.entities[2] == "http://a.example/X\x85Y"
    assert found.left.triples.tolist() == [[0, 0, 1], [2, 0, 1]]
    assert found.right.relations == ("http://b.example/pres",)
    assert found.seeds == ((found.left.entities[0], "http://b.example/Refuge"),)
    assert found.tests == (("http://a.example/100%_See", "http://b.example/Lac"),)
    assert found.iri("11") == "http://b.example/Lac"
    assert found.iri("99") is None


def test_links_given_as_seeds_are_no_tests(tmp_path: Path) -> None:
    files = {**NUMBERED, "ref_ent_ids": "0\t10\n1\t11", "sup_ent_ids": NUMBERED["sup_pairs"]}
    found = read_folder(
        lay_out(tmp_path, {k: v for k, v in files.items() if not k.endswith("_pairs")})
    )
    assert len(found.seeds) == len(found.tests) == 1
    assert "1 of the test links" in found.notes[0]


def test_reads_iris_with_values_and_the_fold_asked_for(tmp_path: Path) -> None:
    found = read_folder(lay_out(tmp_path, NAMED))
    assert found.left.entities == ("http://a/1", "http://a/2", "http://a/3", "http://a/9")
    assert found.left.values == (
        ("80", "", "http://www.w3.org/2001/XMLSchema#int"),
        ("Hütte", "de", ""),
    )
    assert found.right.values == (("80, or more\tthan that", "", ""),)
    assert (len(found.seeds), len(found.valid), len(found.tests)) == (1, 1, 1)
    with pytest.raises(DataError, match="no fold 2"):
        read_folder(tmp_path, fold=2)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("triples_1", "0 0 1\n", r"triples_1:1: a line has 1 columns, not 3"),
        ("triples_1", "0\t0\t7\n", r"triples_1:1: the entity 7 is not in ent_ids_1"),
        ("rel_ids_1", "0", r"rel_ids_1:1: a line has 1 columns, not 2"),
        (
            "ent_ids_1",
            "0\thttp://a/1\n0\thttp://a/2\n",
            r"ent_ids_1:2: the number 0 is given twice",
        ),
        ("sup_pairs", "0\t99\n", r"sup_pairs:1: the number 99 is not in ent_ids_2"),
        ("sup_pairs", "10\t0\n", r"sup_pairs:1: the number 10 is not in ent_ids_1"),
    ],
)
def test_says_where_a_file_is_wrong(tmp_path: Path, file: str, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_folder(lay_out(tmp_path, {**NUMBERED, file: text}))


def test_says_what_a_folder_should_hold(tmp_path: Path) -> None:
    assert not is_entity_folder(tmp_path)
    with pytest.raises(DataError, match="neither ent_ids_1 nor rel_triples_1"):
        read_folder(tmp_path)
    with pytest.raises(DataError, match="no such folder"):
        read_folder(tmp_path / "missing")
    (tmp_path / "ent_ids_1").write_bytes(b"0\t\xff\xfe")
    with pytest.raises(DataError, match="not UTF-8"):
        read_folder(tmp_path)
    assert is_entity_folder(tmp_path)


def test_a_file_of_links_may_have_a_header_and_further_columns(tmp_path: Path) -> None:
    path = (
        lay_out(tmp_path, {"links.tsv": "Source\tTarget\tscore\nhttp://a/1\thttp://b/1\t0.9\n"})
        / "links.tsv"
    )
    assert read_links(path) == (("http://a/1", "http://b/1"),)


@pytest.mark.benchmark
@pytest.mark.parametrize(
    ("name", "entities", "triples"),
    [
        ("dbp15k/fr_en", (19661, 19993), (105998, 115722)),
        ("srprs/en_fr", (15000, 15000), (36508, 33532)),
    ],
)
def test_the_pairs_at_hand_are_complete(
    name: str, entities: tuple[int, int], triples: tuple[int, int], benchmark_data: Path
) -> None:
    found = read_folder(benchmark_data / name)
    assert (len(found.left.entities), len(found.right.entities)) == entities
    assert (len(found.left.triples), len(found.right.triples)) == triples
    assert (len(found.seeds), len(found.tests)) == (4500, 10500)


@pytest.mark.parametrize("layout", ["bert-int", "jape"])
def test_attribute_values_of_other_layouts_are_read_for_their_own_side(layout, tmp_path):
    for side, iri in (("1", "http://zh.ex/甲"), ("2", "http://ex/A")):
        (tmp_path / f"ent_ids_{side}").write_text(f"{side}\t{iri}\n", encoding="utf-8")
        (tmp_path / f"triples_{side}").write_text(f"{side}\t0\t{side}\n", encoding="utf-8")
        if layout == "bert-int":
            text = f"{iri}\thttp://p/born\t19{side}0\tinteger\n{iri}2\thttp://p/x\ty\tstring\n"
            (tmp_path / f"new_att_triples_{side}").write_text(text, encoding="utf-8")
        else:
            text = f'<{iri}> <http://p/born> "19{side}0"@en .\n<{iri}2> <http://p/x> "y" .\n'
            language = {"1": "zh", "2": "en"}[side]
            (tmp_path / f"{language}_att_triples").write_text(text, encoding="utf-8")
    (tmp_path / "ref_pairs").write_text("1\t2\n", encoding="utf-8")
    folder = read_folder(tmp_path)
    for graph, year in ((folder.left, "1910"), (folder.right, "1920")):
        assert [graph.values[at][0] for at in graph.attribute_triples[:, 2]] == [year]
        assert graph.attributes == ("http://p/born",) and len(graph.entities) == 1
