"""``kgnb subgraph`` over a real service on loopback, and the graph that it makes asked."""

from pathlib import Path

import pytest

from kgnb.cli import main
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.tasks.asking import answer_question
from tests.agents.question_answering.worlds import TURTLE, V
from tests.kg.conftest import empty_server, oxigraph_server  # noqa: F401  (fixtures)


def test_the_neighbourhood_of_entities_can_be_asked_without_the_service(
    tmp_path: Path,
    empty_server: str,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("world.ttl").write_text(TURTLE)
    whole = OxigraphGraph()
    load(whole, Path("world.ttl"))
    EndpointGraph(f"{empty_server}/query", update_url=f"{empty_server}/update").add(
        list(whole.triples())
    )
    Path("topics.txt").write_text(f"# one hut\n<{V}upper>\n")
    words = ["--entities", "topics.txt", "--endpoint", f"{empty_server}/query", "--out", "near.nt"]
    assert main(["subgraph", *words, "--hops", "2"]) == 0
    assert " triples of " in capsys.readouterr().err
    found = answer_question(
        "Who is the warden of Upper Hut?", "near.nt", judge="rule", embedder="characters"
    )
    assert found.values == (f"{V}ann",)
    assert main(["subgraph", *words]) == 1 and "there already" in capsys.readouterr().err
    Path("topics.txt").write_text("Upper Hut\n")
    assert main(["subgraph", *words[:4], "--out", "b.nt"]) == 1
    assert "topics.txt:1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--entities", "missing.txt"], "no such file"),
        (["--endpoint", "http://127.0.0.1:9/sparql"], "no entity could be read"),
        (["--out", "nodir/near.nt"], "folder that exists"),
        (["--out", "near.rdf"], "N-Triples"),
        (["--only", "schema"], "does not begin an IRI"),
        (["--language", "en x"], "no language tag"),
        (["--entities", "elsewhere.txt"], "check how the endpoint writes its IRIs"),
    ],
)
def test_a_wrong_input_is_named_with_what_to_do(
    tmp_path: Path,
    words: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("world.ttl").write_text(TURTLE)
    Path("topics.txt").write_text(f"{V}upper\n")
    Path("elsewhere.txt").write_text("http://elsewhere.example/a\n")
    usual = ["--entities", "topics.txt", "--endpoint", "world.ttl", "--out", "near.nt"]
    assert main(["subgraph", *usual, *words]) in (1, 2)
    assert said in capsys.readouterr().err
