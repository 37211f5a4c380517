"""Which files a report's parameters name, under names that do not depend on this machine."""

from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.reporting.report import data_digests, data_files, of_benchmarks
from kgnb.settings import Settings


def test_our_own_sets_count_with_all_their_files() -> None:
    matching = data_files({"dataset": "huts", "source": "", "target": ""}, Settings())
    assert list(matching) == ["huts/alpine.ttl", "huts/reference.rdf", "huts/refuge.owl"]
    pair = data_files({"pair": "huts", "folder": "", "source": "", "target": ""}, Settings())
    assert len(pair) == 3 and any(name.endswith("hollenmark.ttl") for name in pair)
    assert len(data_files({"dataset": "huts", "questions": ""}, Settings())) == 2
    read = data_files({"tbox": "huts:kitchen", "documents": "huts:kitchen-notes"}, Settings())
    assert (
        len(read) == 16
        and "tbox: kitchen.ttl" in read
        and not of_benchmarks(read.values(), Settings())
    )


def test_files_count_one_by_one_and_a_pair_with_its_folder_of_benchmark_data(
    tmp_path: Path,
) -> None:
    home = tmp_path / "dbp15k" / "fr_en"
    home.mkdir(parents=True)
    for name in ("a.txt", "b.txt", "c.md"):
        (tmp_path / name).write_text(name)
    (home / "triples_1").write_text("1\t2\t3\n")
    found = data_files(
        {"documents": f"{tmp_path}/*.txt, {tmp_path}/c.md", "context": "huts, *and* guests"},
        Settings(),
    )
    assert list(found) == ["documents: a.txt", "documents: b.txt", "documents: c.md"]
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
