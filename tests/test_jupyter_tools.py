"""The tools of an ontology as functions that jupyter-server-mcp registers by name."""

import inspect
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from kgnb.settings import Settings
from kgnb.tasks import jupyter_tools
from kgnb.tasks.building import compile_ontology
from tests.apart import run_apart

TBOX = """@prefix : <https://hut.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Hut a owl:Class . :beds a owl:DatatypeProperty ; rdfs:domain :Hut ; rdfs:range xsd:integer ."""


def test_the_entry_point_names_a_function_that_gives_a_list() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"]["jupyter_server_mcp.tools"]["kgnb"].partition(":")
    assert getattr(import_module(module), name)(Settings()) == []


def test_each_tool_is_found_by_name_and_says_what_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "huts.ttl").write_text(TBOX)
    monkeypatch.setenv("KGNB_TBOX", str(tmp_path / "huts.ttl"))
    monkeypatch.setenv("KGNB_CACHE", str(tmp_path / "cache"))
    names = jupyter_tools.tool_names()
    assert "kgnb.tasks.jupyter_tools:create_hut" in names
    create = jupyter_tools.create_hut  # as the extension gets it
    signature = inspect.signature(create)
    assert signature.parameters["label"].default is inspect.Parameter.empty
    assert signature.parameters["beds"].default is None
    hut = create(label="Ambre", beds=28)
    assert hut["ok"]
    assert not jupyter_tools.add_beds(subject=hut["iri"], value="many")["ok"]
    jupyter_tools.shared(str(tmp_path / "huts.ttl")).close()
    [built] = (tmp_path / "cache" / "jupyter").glob("built-*.trig")
    assert "28" in built.read_text()
    with pytest.raises(AttributeError):
        _ = jupyter_tools.create_castle


@pytest.mark.fault("two at once")
def test_each_ontology_has_a_graph_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNB_CACHE", str(tmp_path / "cache"))
    for name in ("Hut", "Tent"):
        path = tmp_path / f"{name}.ttl"
        path.write_text(TBOX.replace("Hut", name))
        server = jupyter_tools.shared.__wrapped__(str(path))
        assert len(server.session.entities()) == 0
        assert server.call(f"create_{name.lower()}", {"label": name}).ok
        server.close()
    one, other = (path.read_text() for path in (tmp_path / "cache" / "jupyter").glob("*.trig"))
    assert ("Tent" in one) is not ("Tent" in other)


def test_the_sdk_of_mcp_takes_such_a_function(tmp_path: Path) -> None:
    from mcp import Client
    from mcp.server.mcpserver import MCPServer

    from kgnb.agents.kg_construction.serve import Shared

    (tmp_path / "huts.ttl").write_text(TBOX)
    pack = compile_ontology(tmp_path / "huts.ttl")
    own = Shared(pack, pack.session())
    server = MCPServer("jupyter")
    for tool in pack.tools:
        server.add_tool(jupyter_tools.tool_function(own, tool))

    async def talk() -> None:
        async with Client(server) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert listed["create_hut"].input_schema["required"] == ["label"]
            done = await client.call_tool("create_hut", {"label": "Ambre"})
            assert not done.is_error

    run_apart(talk)
    assert len(own.session.entities()) == 1
