from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from kgnb.cli import main

LEFT = """@prefix : <http://left.example.org/#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://left.example.org/> a owl:Ontology .
:Hut a owl:Class ; rdfs:label "Mountain hut" . :Warden a owl:Class ; rdfs:label "Warden" .
:Route a owl:Class ; rdfs:label "Route" . :altitude a owl:DatatypeProperty ; rdfs:domain :Hut .
"""
RIGHT = """@prefix : <http://right.example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://right.example.org/> a owl:Ontology .
:mountain_hut a owl:Class . :warden a owl:Class . :Weather a owl:Class . :route a owl:Class .
:altitude a owl:DatatypeProperty ; rdfs:domain :mountain_hut .
"""
CELL = """<map><Cell><entity1 rdf:resource="http://left.example.org/#{}"/><entity2 rdf:resource="http://right.example.org/{}"/>
<relation>=</relation><measure rdf:datatype="http://www.w3.org/2001/XMLSchema#float">1.0</measure></Cell></map>"""
REFERENCE = """<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xmlns="http://knowledgeweb.semanticweb.org/heterogeneity/alignment"
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><Alignment><xml>yes</xml><level>0</level><type>??</type>
{}</Alignment></rdf:RDF>"""


@dataclass(frozen=True)
class Pair:
    left: str
    right: str
    reference: str


@dataclass(frozen=True)
class Said:
    status: int
    out: str
    err: str


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    cells = [
        ("Hut", "mountain_hut"),
        ("Warden", "warden"),
        ("Route", "Weather"),
        ("altitude", "altitude"),
    ]
    texts = {"left.ttl": LEFT, "right.ttl": RIGHT}
    texts["reference.rdf"] = REFERENCE.format("".join(CELL.format(*cell) for cell in cells))
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return Pair(*(str(tmp_path / name) for name in texts))


@pytest.fixture
def kgnb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """Runs the command in this process, in an empty folder."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("KGNB_EMBEDDER", "characters")

    def run(*words: str, environment: Mapping[str, str] | None = None) -> Said:
        for name, value in (environment or {}).items():
            monkeypatch.setenv(name, value)
        status = main(words)
        return Said(status, *capfd.readouterr())

    return run
