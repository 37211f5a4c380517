import json
from pathlib import Path

from kgnb.cli import main
from tests.agents.kg_construction.kitchen import TBOX


def test_writes_the_pack_and_its_statistics(tmp_path: Path, capsys) -> None:
    (tmp_path / "kitchen.ttl").write_text(TBOX)
    out, stats = tmp_path / "pack", tmp_path / "stats.json"
    assert main(["compile", str(tmp_path / "kitchen.ttl"), "--out", str(out), "--stats", str(stats)]) == 0
    counts = json.loads(stats.read_text())
    assert counts["classes"] == 15 and counts["constraints by kind"]["facet"] == 2 and counts["milliseconds"] > 0
    assert {path.name for path in out.iterdir()} == {
        "tools.json", "plan.json", "shapes.ttl", "warnings.json", "manifest.json",
    }  # fmt: skip
    said = capsys.readouterr()
    assert "15 classes" in said.err and "property chain" in said.err and said.out == ""


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "kitchen.ttl").write_text(TBOX)
    for name in ("a", "b"):
        assert main(["compile", str(tmp_path / "kitchen.ttl"), "--out", str(tmp_path / name), "-q"]) == 0
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_a_missing_file_is_told_in_a_line(tmp_path: Path, capsys) -> None:
    assert main(["compile", str(tmp_path / "none.ttl"), "--out", str(tmp_path / "pack")]) == 1
    assert "no such file" in capsys.readouterr().err
    assert not (tmp_path / "pack").exists()


def test_refuses_what_could_not_be_written(tmp_path: Path, capsys) -> None:
    (tmp_path / "kitchen.ttl").write_text(TBOX)
    assert main(["compile", str(tmp_path / "kitchen.ttl"), "--out", str(tmp_path / "kitchen.ttl")]) == 2
    assert "is a file" in capsys.readouterr().err
