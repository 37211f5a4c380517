"""The last mile: a graph pushed to a real service, extended, served from a pack, packs compared."""

import json
from pathlib import Path

import pytest

from kgnb.cli import main
from kgnb.cli.serve import client_config
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.pushing import push
from kgnb.kg.quads import Quad, quads
from kgnb.kg.terms import Blank, Iri, Literal
from tests.kg.conftest import (  # noqa: F401  (fixtures)
    empty_server,
    oxigraph_server,
    virtuoso_server,
)

BOAT = """@prefix : <https://boats.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Boat a owl:Class ; rdfs:label "boat" .
:length a owl:DatatypeProperty ; rdfs:label "length" ; rdfs:domain :Boat ; rdfs:range xsd:integer .
"""
SHAPES = """@prefix : <https://boats.example/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
:S a sh:NodeShape ; sh:targetClass :Boat ; sh:property [ sh:path :length ; sh:maxCount 1 ; sh:minInclusive 1 ] .
"""

PUSHED = 3 + 4  # facts, and the kind and label of the class and of the relation in use


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "boats.ttl").write_text(BOAT)
    (tmp_path / "shapes.ttl").write_text(SHAPES)
    (tmp_path / "marlin.txt").write_text("Marlin\nlength: 18\n")
    (tmp_path / "tern.txt").write_text("Tern\nlength: 23\n")
    return tmp_path


def counted(url: str, where: str) -> int:
    found = EndpointGraph(f"{url}/query").select(f"SELECT (COUNT(*) AS ?n) WHERE {{ {where} }}")
    return int(found.rows[0][0].text)  # type: ignore[union-attr]


def test_a_graph_is_pushed_with_its_named_graphs_or_into_one(here: Path, empty_server: str) -> None:  # noqa: F811
    assert main(["build", "boats.ttl", "marlin.txt", "--judge", "rule", "-o", "g.trig"]) == 0
    update = f"{empty_server}/update"
    for _ in range(2):  # a second time changes nothing
        assert main(["push", "g.trig", update]) == 0
    graph = OxigraphGraph()
    load(graph, here / "g.trig")
    assert counted(empty_server, "GRAPH ?g { ?s ?p ?o }") == len(list(graph.store))
    assert main(["push", "g.trig", update, "--graph", "urn:boats"]) == 0
    assert counted(empty_server, "GRAPH <urn:boats> { ?s ?p ?o }") == PUSHED
    assert main(["push", "g.trig", update, "--graph", "boats"]) == 2
    assert not list(here.glob("*.push"))


def test_a_graph_is_pushed_by_the_graph_store_protocol(here: Path, empty_server: str) -> None:  # noqa: F811
    assert main(["build", "boats.ttl", "marlin.txt", "--judge", "rule", "-o", "g.trig"]) == 0
    store = ["push", "g.trig", f"{empty_server}/store", "--graph-store"]
    for _ in range(2):
        assert main(store) == 0
    whole = counted(empty_server, "GRAPH ?g { ?s ?p ?o }")
    assert whole > 3 and main([*store, "--graph", "urn:boats"]) == 0
    assert counted(empty_server, "GRAPH <urn:boats> { ?s ?p ?o }") == PUSHED
    (here / "plain.ttl").write_text(BOAT)
    assert main(["push", "plain.ttl", f"{empty_server}/store", "--graph-store"]) == 0
    assert counted(empty_server, "?s ?p ?o FILTER(?s = <https://boats.example/Boat>)") == 2
    for wrong in (f"{empty_server}/nowhere", "ftp://store.example"):
        assert main(["push", "g.trig", wrong, "--graph-store"]) != 0
    assert main([*store, "--graph", "boats"]) == 2


def test_virtuoso_takes_a_graph_with_and_without_a_password(
    here: Path,
    virtuoso_server: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main(["build", "boats.ttl", "marlin.txt", "--judge", "rule", "-o", "g.trig"]) == 0
    monkeypatch.setenv("DBA", "dba")
    place = virtuoso_server.rpartition("/")[0]
    signed = ["--user", "dba", "--key", "env:DBA"]
    ways = {
        "sparql": [],
        "sparql-auth": signed,
        "sparql-graph-crud": ["--graph-store"],
        "sparql-graph-crud-auth": ["--graph-store", *signed],
    }
    for path, options in ways.items():
        into = ["push", "g.trig", f"{place}/{path}", "--graph", f"urn:{path}", *options]
        assert main(into) == main(into) == 0
        graph = EndpointGraph(virtuoso_server, default_graph=f"urn:{path}")
        assert graph.count() == PUSHED
    monkeypatch.setenv("DBA", "wrong")
    assert main(["push", "g.trig", f"{place}/sparql-auth", "--graph", "urn:no", *signed]) == 1


def test_a_graph_that_extends_virtuoso_is_read_back_as_it_was_written(
    here: Path,
    virtuoso_server: str,  # noqa: F811
) -> None:
    """Facts, provenance and the names of terms: numbers, a day, text with quotes and other scripts."""
    kinds = {"draught": "decimal", "beam": "double", "launched": "date", "motto": "string"}
    lines = (
        f':{name} a owl:DatatypeProperty ; rdfs:label "{name}" ; rdfs:domain :Boat ; '
        f"rdfs:range xsd:{kind} .\n"
        for name, kind in kinds.items()
    )
    (here / "boats.ttl").write_text(BOAT + "".join(lines))
    (here / "tern.txt").write_text(
        "Tern\nlength: 23\ndraught: 1.5\nbeam: 7.25\nlaunched: 1971-05-03\n"
        'motto: "Über 海" \\ und\n',
        encoding="utf-8",
    )
    signed = virtuoso_server.replace("://", f"://{':'.join(['dba'] * 2)}@") + "-auth"
    for address in (virtuoso_server, virtuoso_server, signed):  # again changes nothing
        build = ["build", "boats.ttl", "tern.txt", "--judge", "rule", "--into", address]
        assert main([*build, "-o", "g.trig"]) == 0
    wrote = OxigraphGraph()
    load(wrote, here / "g.trig")
    content = list(quads(wrote))
    assert {predicate.rsplit("/", 1)[-1] for (_, predicate, _), _ in content} > {*kinds, "length"}
    for graph in {graph for _, graph in content}:
        there = EndpointGraph(virtuoso_server, default_graph=graph)
        assert set(there.triples()) == {triple for triple, name in content if name == graph}


def test_a_service_that_takes_no_updates_is_known_before_a_model_is_asked(
    here: Path,
    virtuoso_server: str,  # noqa: F811
) -> None:
    def asked(address: str) -> bool:
        model = ["--judge", "model", "--model", f"batch:{here / 'asked'}"]
        build = ["build", "boats.ttl", "tern.txt", *model, "--into", address, "-o", "g.trig"]
        assert main(build) != 0
        return any(here.glob("asked/requests*"))

    assert not asked(f"{virtuoso_server}-auth")
    assert not asked("http://127.0.0.1:9/sparql")
    assert asked(virtuoso_server)


def test_a_push_that_broke_off_goes_on_behind_what_was_sent(
    tmp_path: Path,
    empty_server: str,  # noqa: F811
) -> None:
    content: list[Quad] = [((Blank("b"), Iri("urn:p"), Literal(str(n))), None) for n in range(2500)]
    progress = tmp_path / "file.push"
    service = EndpointGraph(f"{empty_server}/query", update_url=f"{empty_server}/update")

    def broken(done: int, total: int) -> None:
        if done == 2000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        push(content, service, progress=progress, on_batch=broken)
    assert json.loads(progress.read_text())["sent"] == 2000
    seen: list[int] = []
    assert (
        push(content, service, progress=progress, on_batch=lambda done, _: seen.append(done))
        == 2500
    )
    assert seen == [2500] and not progress.exists()
    assert counted(empty_server, "?s <urn:p> ?o") == 2500
    assert counted(empty_server, "SELECT DISTINCT ?s { ?s <urn:p> ?o }") == 1


def test_building_extends_a_file_and_a_service(here: Path, empty_server: str) -> None:  # noqa: F811
    for note in ("marlin.txt", "tern.txt"):
        assert (
            main(
                ["build", "boats.ttl", note, "--judge", "rule", "--into", "all.trig", "-o", "x.ttl"]
            )
            == 0
        )
    text = (here / "all.trig").read_text()
    assert "Marlin" in text and "Tern" in text and "Marlin" in (here / "x.ttl").read_text()
    update = f"{empty_server}/update"
    assert (
        main(["build", "boats.ttl", "tern.txt", "--judge", "rule", "--into", update, "-o", "y.ttl"])
        == 0
    )
    assert counted(empty_server, "GRAPH ?g { ?s <https://boats.example/length> 23 }") == 1
    assert (
        main(
            ["build", "boats.ttl", "tern.txt", "--judge", "rule", "--into", "a.csv", "-o", "z.ttl"]
        )
        == 1
    )


def test_a_pack_is_opened_as_it_was_compiled(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", "boats.ttl", "--shapes", "shapes.ttl", "--out", "pack"]) == 0
    (here / "zero.txt").write_text("Zero\nlength: 0\n")
    capsys.readouterr()
    assert (
        main(["build", "pack", "zero.txt", "--judge", "rule", "-o", "g.ttl", "--review", "r.csv"])
        == 0
    )
    assert "length" not in (here / "g.ttl").read_text().replace("@prefix", "")
    from kgnb.tasks.building import compile_ontology

    pack = compile_ontology("pack")
    assert pack.tools_json() == (here / "pack" / "tools.json").read_text()
    (here / "pack" / "tools.json").write_text("[]")
    assert main(["serve", "pack"]) == 1
    assert "not what its ontology gives" in capsys.readouterr().err
    (here / "pack" / "ontology.nt").unlink()
    assert main(["serve", "pack"]) == 1


def test_two_packs_are_compared_and_the_documents_to_read_again_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", "boats.ttl", "--out", "old"]) == 0
    (here / "boats.ttl").write_text(BOAT + ':Mast a owl:Class ; rdfs:label "mast" .')
    assert main(["compile", "boats.ttl", "--shapes", "shapes.ttl", "--out", "new"]) == 0
    (here / "boats.ttl").write_text(BOAT)
    (here / "calm.txt").write_text("Nothing here.\n")
    built = ["build", "boats.ttl", "marlin.txt", "calm.txt", "--judge", "rule", "-o", "g.ttl"]
    assert main([*built, "--folder", "kept"]) == 0
    capsys.readouterr()
    assert main(["compare", "old", "new", "--journals", "kept"]) == 0
    said = capsys.readouterr().out
    assert "added (2): create_mast, find_mast" in said and "narrowed" in said
    assert "create_boat" in said and "read again (1): marlin.txt" in said
    assert main(["compare", "old", "old"]) == 0 and "the same" in capsys.readouterr().out


def test_a_clients_configuration_is_printed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "boats.ttl", "--out", "g.trig", "--client-config"]) == 0
    [(name, entry)] = json.loads(capsys.readouterr().out)["mcpServers"].items()
    assert name == "kgnb-boats" and entry["args"][:2] == ["-m", "kgnb"]
    words = ["serve", "boats.ttl", "--out=new.trig", "--client-config", "--shapes", "shapes.ttl"]
    entry = json.loads(client_config("boats.ttl", words))["mcpServers"]["kgnb-boats"]
    paths = [str(here / name) for name in ("boats.ttl", "new.trig", "shapes.ttl")]
    assert entry["args"][2:] == ["serve", paths[0], "--out", paths[1], "--shapes", paths[2]]
