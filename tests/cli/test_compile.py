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


CONCEPTS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <https://wood.example/> .
:wood a skos:Concept ; skos:prefLabel "wood"@en, "Holz"@de .
:oak a skos:Concept ; skos:prefLabel "oak"@en ; skos:broader :wood .
"""
TABLES = """@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <https://wood.example/tables#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:Table a owl:Class ; rdfs:label "table" .
:madeOf a owl:ObjectProperty ; rdfs:label "made of" ; rdfs:domain :Table ; rdfs:range skos:Concept .
"""


def test_concepts_alone_are_said_and_beside_an_ontology_they_are_its_values(
    tmp_path: Path, capsys
) -> None:
    concepts, tables, note = (tmp_path / name for name in ("c.ttl", "t.ttl", "n.md"))
    concepts.write_text(CONCEPTS)
    tables.write_text(TABLES)
    note.write_text("# Old table\n\nmade of: Holz\n")
    pack, out = str(tmp_path / "pack"), tmp_path / "out.ttl"
    build = ["--judge", "rule", "--out", str(out)]
    assert main(["compile", str(concepts), "--out", pack]) == 0
    assert "SKOS concepts and no property" in capsys.readouterr().err
    assert main(["build", str(concepts), str(note), *build]) == 0
    assert "SKOS concepts and no property" in capsys.readouterr().err
    assert main(["compile", str(concepts), str(tables), "--out", pack]) == 0
    assert "SKOS" not in capsys.readouterr().err
    assert main(["build", pack, str(note), *build]) == 0
    assert "<https://wood.example/tables#madeOf> <https://wood.example/wood>" in out.read_text()
