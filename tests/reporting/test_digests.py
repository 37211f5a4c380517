"""Which files a report's parameters name, by names that say nothing of this machine."""

from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.reporting.report import data_digests, data_files, of_benchmarks
from kgnb.settings import Settings


def test_our_own_sets_count_with_all_their_files() -> None:
    settings = Settings()
    matching = data_files({"dataset": "huts", "source": "", "target": ""}, settings)
    assert sorted(matching) == ["huts/alpine.ttl", "huts/reference.rdf", "huts/refuge.owl"]
    pair = data_files({"pair": "huts", "folder": "", "source": "", "target": ""}, settings)
    assert len(pair) == 3 and any(name.endswith("hollenmark.ttl") for name in pair)
    asked = data_files({"dataset": "huts", "questions": ""}, settings)
    assert len(asked) == 2
    read = data_files({"tbox": "huts:kitchen", "documents": "huts:kitchen-notes"}, settings)
    assert len(read) == 16 and "tbox: kitchen.ttl" in read
    assert not of_benchmarks(read.values(), settings)


def test_files_with_commas_between_and_patterns_count_one_by_one(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.md"):
        (tmp_path / name).write_text(name)
    found = data_files({"documents": f"{tmp_path}/*.txt, {tmp_path}/c.md", "context": "huts, *and* guests"}, Settings())
    assert list(found) == ["documents: a.txt", "documents: b.txt", "documents: c.md"]
    assert not any(str(tmp_path) in name for name in found)


def test_a_pair_lies_in_the_folder_of_benchmark_data(tmp_path: Path) -> None:
    home = tmp_path / "dbp15k" / "fr_en"
    home.mkdir(parents=True)
    (home / "triples_1").write_text("1\t2\t3\n")
    values = {"pair": "dbp15k/fr_en", "folder": "", "source": "", "target": ""}
    settings = Settings(data=tmp_path)
    files = data_files(values, settings)
    assert list(files) == ["fr_en/triples_1"] and of_benchmarks(files.values(), settings)
    before = data_digests(values, settings)
    (home / "triples_1").write_text("1\t2\t4\n")
    assert data_digests(values, settings) != before
    assert data_files(values | {"folder": str(home)}, settings).keys() == {"folder: triples_1"}
    with pytest.raises(DataError, match="dbp15k"):
        data_files(values, Settings())
