import atexit
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from kgnb import magics
from kgnb.mapping_files import save
from kgnb.mappings import Alignment, Mapping
from kgnb.settings import Settings

ALPINE = """
@prefix : <http://huts.example/alpine#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://huts.example/alpine> a owl:Ontology .
:Building a owl:Class ; rdfs:label "building"@en .
:Hut a owl:Class ; rdfs:subClassOf :Building ; rdfs:label "hut"@en, "Hütte"@de ;
    rdfs:comment "A house in the mountains where walkers may sleep." .
:Warden a owl:Class ; rdfs:label "warden"@en ; rdfs:comment "Who runs a hut." .
:Kitchen a owl:Class ; rdfs:label "kitchen"@en .
:hasWarden a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Warden ; rdfs:label "has warden"@en .
:bedCount a owl:DatatypeProperty ; rdfs:domain :Hut ; rdfs:label "number of beds"@en .
"""
REFUGE = """
@prefix : <http://huts.example/refuge#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<http://huts.example/refuge> a owl:Ontology .
:House a owl:Class ; rdfs:label "building" .
:MountainHut a owl:Class ; rdfs:subClassOf :House ; rdfs:label "mountain hut" ; skos:altLabel "hut" .
:HutKeeper a owl:Class ; rdfs:label "hut keeper" ; skos:altLabel "warden" .
:Kitchen a owl:Class ; rdfs:label "kitchen" .
:has_keeper a owl:ObjectProperty ; rdfs:domain :MountainHut ; rdfs:range :HutKeeper ; rdfs:label "has keeper" ;
    skos:altLabel "has warden" .
:beds a owl:DatatypeProperty ; rdfs:domain :MountainHut ; rdfs:label "number of beds" .
"""
PAIRS = (
    ("Building", "House"),
    ("Hut", "MountainHut"),
    ("Warden", "HutKeeper"),
    ("Kitchen", "Kitchen"),
    ("hasWarden", "has_keeper"),
    ("bedCount", "beds"),
)


@dataclass
class Cell:
    """What running one cell gave."""

    value: Any
    error: BaseException | None
    printed: str
    shown: list[dict[str, Any]]

    @property
    def said(self) -> str:
        """What the cell printed or displayed as text, besides its value."""
        return self.printed.partition("Out[")[0] + "\n".join(
            str(bundle.get("text/plain", "")) for bundle in self.shown
        )

    @property
    def why(self) -> str:
        """The error of the cell as a person reads it; "" if it succeeded."""
        return "\n".join(self.error._render_traceback_()) if self.error is not None else ""  # type: ignore[attr-defined]


class Notebook:
    """A shell with our magics, run a cell at a time."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell

    def __call__(self, source: str) -> Cell:
        """Runs a cell that may fail."""
        with capture_output() as captured:
            result = self.shell.run_cell(source)
        shown = [output.data for output in captured.outputs]
        return Cell(
            result.result, result.error_in_exec or result.error_before_exec, captured.stdout, shown
        )

    def good(self, source: str) -> Cell:
        """Runs a cell that must not fail."""
        cell = self(source)
        assert cell.error is None, f"{source}: {cell.error!r}"
        return cell

    @property
    def session(self) -> Any:
        return self.shell.magics_manager.registry["kgnb"].session

    @property
    def matching(self) -> Any:
        """The ontology matching under way."""
        return self.session.tasks["ontology_matching"]


def write_ontologies(place: Path) -> Path:
    """Two small ontologies and a reference between them, in a folder."""
    (place / "alpine.ttl").write_text(ALPINE, encoding="utf-8")
    (place / "refuge.ttl").write_text(REFUGE, encoding="utf-8")
    base = "http://huts.example/"
    mappings = tuple(
        Mapping(f"{base}alpine#{one}", f"{base}refuge#{other}") for one, other in PAIRS
    )
    save(Alignment(mappings, f"{base}alpine", f"{base}refuge"), place / "reference.rdf")
    return place


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with the ontologies."""
    monkeypatch.chdir(tmp_path)
    return write_ontologies(tmp_path)


@pytest.fixture
def new_shell() -> Iterator[Callable[[], Any]]:
    """Makes IPython shells that keep no history, and clears them away."""
    made: list[Any] = []

    def make() -> Any:
        InteractiveShell.clear_instance()
        made.append(
            InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
        )
        return made[-1]

    yield make
    InteractiveShell.clear_instance()
    for shell in made:
        atexit.unregister(
            shell.atexit_operations
        )  # each collects garbage: minutes, at the end of all tests


@pytest.fixture
def notebook(folder: Path, new_shell: Callable[[], Any]) -> Iterator[Notebook]:
    """A shell in ``folder`` with the magics on it and the quickest embedder."""
    shell = new_shell()
    magics.load(shell, Settings.load().with_(embedder="characters"))
    yield Notebook(shell)
    magics.unload(shell)
