"""Saving and loading by suffix; files that are not there, empty, packed or in the way."""

import gzip
from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.mapping_files import WRITERS, format_of, load, save
from kgnb.mappings import Alignment, Mapping


@pytest.mark.parametrize("name", ["huts.csv", "huts", "huts.owl", ".rdf"])
def test_an_unknown_suffix_is_refused(name: str, full: Alignment, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.sssom\.tsv, \.rdf or \.ttl"):
        save(full, tmp_path / name)
    with pytest.raises(ValueError, match=r"\.sssom\.tsv"):
        format_of(name)


@pytest.mark.parametrize("name", ["a.rdf", "a.sssom.tsv", "a.ttl"])
def test_an_empty_file_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(" \n")
    with pytest.raises(DataError, match="the file is empty"):
        load(tmp_path / name)


def test_a_failed_write_leaves_the_old_file(full: Alignment, tmp_path: Path) -> None:
    file = save(full, tmp_path / "huts.sssom.tsv")
    before = file.read_bytes()
    with pytest.raises(ValueError, match="surrogates not allowed"):
        save(
            Alignment(
                (full.mappings[0].__class__("http://a#x", "http://b#y", source_label="\ud800"),)
            ),
            file,
        )
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_packed_files_are_read(full: Alignment, tmp_path: Path) -> None:
    plain = save(full, tmp_path / "huts.rdf")
    packed = tmp_path / "huts.rdf.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert load(packed) == full
    packed.write_bytes(packed.read_bytes()[:-40])
    with pytest.raises(DataError, match="gzip data is damaged"):
        load(packed)
    content = plain.read_bytes()
    packed.write_bytes(
        gzip.compress(content[:900]) + gzip.compress(content[900:])
    )  # as bgzip and cat leave it
    assert load(packed) == full
    with pytest.raises(ValueError, match="unpacked"):
        save(full, packed)


@pytest.mark.parametrize("form", WRITERS)
def test_what_no_format_can_hold_is_not_written(form: str) -> None:
    for wrong, said in (
        (Mapping("http://a#x", "http://b#y", confidence=1.5), "not between 0 and 1"),
        (Mapping("http://a#x", "http://b#y", "same"), "the relation 'same'"),  # type: ignore[arg-type]
        (Mapping("http://a#x", "http://b#y", concepts="all"), "concepts is 'all'"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match=said):
            WRITERS[form](Alignment((wrong,)))
