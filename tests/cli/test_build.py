"""``kgnb build`` and ``kgnb ground``: files in, files out, and plain words where something is
wrong.
"""

from pathlib import Path

import pytest
import rdflib

from kgnb.cli import main


def test_notes_become_a_graph_and_the_graph_is_grounded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, links = tmp_path / "kitchen.trig", tmp_path / "links.ttl"
    arguments = [
        "build",
        "huts:kitchen",
        "huts:kitchen-notes",
        "--judge",
        "rule",
        "--shapes",
        "huts:kitchen-shapes",
    ]
    assert main([*arguments, "--out", str(out), "--review", str(tmp_path / "review.csv")]) == 0
    assert "15 documents" in capsys.readouterr().err
    assert (tmp_path / "review.csv").read_text().startswith("document,")
    assert (
        main(
            [
                "ground",
                str(out),
                "huts:pantry",
                "--schema",
                "huts:kitchen",
                "--out",
                str(links),
                "--rewrite",
                str(tmp_path / "new.trig"),
            ]
        )
        == 0
    )
    assert len(rdflib.Graph().parse(links)) > 30
    rewritten = rdflib.Dataset().parse(tmp_path / "new.trig", format="trig")
    barley = rdflib.URIRef("http://huts.example/id/goods-barley")
    assert {name for *_, name in rewritten.quads((barley, None, None, None))} & {
        name for *_, name in named(out)
    }


def test_links_to_a_reference_that_nobody_keeps_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Porridge\n\nIngredients: barley\n", encoding="utf-8")
    arguments = ["build", "huts:kitchen", str(note), "--judge", "rule"]
    arguments += ["--reference", "huts:pantry", "--out", str(tmp_path / "one.trig")]
    assert main(arguments) == 0
    assert "--links FILE.ttl writes the links" in capsys.readouterr().err
    assert main([*arguments, "--links", str(tmp_path / "links.ttl")]) == 0
    assert "--links FILE.ttl writes" not in capsys.readouterr().err
    assert (tmp_path / "links.ttl").exists()


def test_every_pair_of_classes_that_is_said_to_fit_counts(tmp_path: Path) -> None:
    """Given one by one, with commas, or both."""
    names = ("Brook", "Hill", "Inn")
    for file, kinds in (("mine.ttl", names), ("theirs.ttl", ("Stream", "Summit", "Lodge"))):
        graph = rdflib.Graph()
        for at, kind in enumerate(kinds):
            one = rdflib.URIRef(f"urn:{file[:-4]}:{at}")
            graph.add((one, rdflib.RDF.type, rdflib.URIRef(f"http://a.example/{kind}")))
            graph.add((one, rdflib.RDFS.label, rdflib.Literal(f"Sorne {'abc'[at] * 3}")))
        graph.serialize(tmp_path / file)
    files, out = [str(tmp_path / file) for file in ("mine.ttl", "theirs.ttl")], tmp_path / "out.ttl"
    for given, linked in (
        ([], 0),
        (["--map", "Brook=Stream"], 1),
        (["--map", "Brook=Stream", "--map", "Hill=Summit,Inn=Lodge"], 3),
    ):
        assert main(["ground", *files, *given, "--out", str(out)]) == 0
        assert len(rdflib.Graph().parse(out)) == linked


def named(path: Path) -> list[tuple[rdflib.term.Node, ...]]:
    """The quads of a TriG file that stand in a named graph."""
    return [
        quad for quad in rdflib.Dataset().parse(path, format="trig").quads() if quad[3] is not None
    ]


def test_a_document_that_cannot_be_read_fails_the_command_and_not_the_graph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "bad.pdf").write_bytes(b"%PDF-1.4")
    (notes / "tea.md").write_text("# Tea\n\nHut: Refuge de l'Ambre\nServes 4\n")
    out = tmp_path / "built.ttl"
    assert main(["build", "huts:kitchen", str(notes), "--judge", "rule", "-o", str(out)]) == 1
    assert "bad.pdf: " in capsys.readouterr().err
    assert "Tea" in out.read_text()


NOTES = ("huts:kitchen", "huts:kitchen-notes")
WRONG = (
    (["build", "huts:kitchen", "nowhere.txt"], 1, "there is no such document"),
    (["build", *NOTES, "-o", "x.csv"], 2, "ends in .trig, .ttl, .jsonld"),
    (["build", *NOTES, "--judge", "model"], 1, "no model is set"),
    (["build", "nowhere.ttl", "huts:kitchen-notes"], 1, "there is no such file"),
    (["ground", "nowhere.ttl", "huts:pantry"], 1, "there is no such file"),
    (["ground", "nowhere.ttl", "huts:pantry", "--rewrite", "x.csv"], 2, "does not end in .trig"),
    (["serve", "huts:kitchen", "--out", "x.csv"], 2, "name a .trig"),
)


def test_what_is_wrong_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, status, said in WRONG:
        assert main(arguments) == status
        assert said in capsys.readouterr().err, arguments


def test_data_in_place_of_an_ontology_mistakes_in_shapes_and_unread_documents_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data.ttl").write_text('<http://x.example/a> <http://x.example/p> "b" .')
    (
        tmp_path / "shapes.ttl"
    ).write_text("""@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <http://x.example/> .
        :S a sh:NodeShape ; sh:property [ sh:path :p ; sh:pattern "[A-" ; sh:minCount "many" ; sh:datatyp :q ] .""")
    (tmp_path / "old.txt").write_bytes("Käse gibt es heute.".encode("cp1252"))
    (tmp_path / "bare.md").write_text("# Tea\n\nA plain sentence.")
    rule = ["--judge", "rule", "-o", str(tmp_path / "out.ttl")]
    assert main(["build", str(tmp_path / "data.ttl"), str(tmp_path / "old.txt"), *rule]) == 1
    assert "declares no class or property" in capsys.readouterr().err
    documents = [str(tmp_path / "old.txt"), str(tmp_path / "bare.md")]
    assert main(["build", "huts:kitchen", *documents, *rule]) == 0
    said = capsys.readouterr().err
    assert "nothing was read in old.txt" in said and "Windows-1252: old.txt" in said
    assert "only a name was read in bare.md" in said
    for shapes, wrong in (
        ("shapes.ttl", ("'[A-'", "minCount", "sh:datatype?")),
        ("data.ttl", ("no SHACL shape",)),
    ):
        given = ["huts:kitchen", "--shapes", str(tmp_path / shapes)]
        for line in (
            ["build", *given, *documents, *rule],
            ["compile", *given, "-o", str(tmp_path / "pack")],
        ):
            assert main(line) == 1
            said = capsys.readouterr().err
            assert shapes in said and all(word in said for word in wrong)
    assert not (tmp_path / "pack").exists()


def test_a_damaged_pdf_is_named_once_and_nothing_else_is_said_of_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "bad.pdf").write_bytes(b"%PDF-1.4\nbroken rubbish")
    out = str(tmp_path / "g.ttl")
    assert (
        main(["build", "huts:kitchen", str(tmp_path / "notes"), "--judge", "rule", "-o", out]) == 1
    )
    lines = capfd.readouterr().err.splitlines()
    assert all(line.startswith("kgnb: ") for line in lines)
    [said] = [line for line in lines if "bad.pdf" in line and "cannot be read" in line]
    assert said.count("bad.pdf") == 1
