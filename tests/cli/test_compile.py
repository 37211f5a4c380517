import json
from pathlib import Path

from kgnb.cli import main
from tests.agents.kg_construction.kitchen import TBOX


def test_writes_the_pack_and_its_statistics_the_same_bytes_each_time(
    tmp_path: Path, capsys
) -> None:
    (tmp_path / "kitchen.ttl").write_text(TBOX)
    out, again, stats = tmp_path / "pack", tmp_path / "again", tmp_path / "stats.json"
    assert (
        main(["compile", str(tmp_path / "kitchen.ttl"), "--out", str(out), "--stats", str(stats)])
        == 0
    )
    counts = json.loads(stats.read_text())
    assert (
        counts["classes"] == 15
        and counts["constraints by kind"]["facet"] == 2
        and counts["milliseconds"] > 0
    )
    names = {"tools.json", "plan.json", "shapes.ttl", "warnings.json", "manifest.json"}
    names |= {"ontology.nt"}
    assert {path.name for path in out.iterdir()} == names
    said = capsys.readouterr()
    assert "15 classes" in said.err and "property chain" in said.err and said.out == ""
    assert main(["compile", str(tmp_path / "kitchen.ttl"), "--out", str(again), "-q"]) == 0
    assert all((out / name).read_bytes() == (again / name).read_bytes() for name in names)
