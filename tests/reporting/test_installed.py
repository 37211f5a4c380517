"""Other matchers that are installed, run in their own process; doubles stand in for them."""

import pytest

from kgnb.backends import file_of, open_ontology
from kgnb.datasets.published import MatchingCase
from kgnb.kg.ontology import Ontology
from kgnb.reporting.ontology_matching.stored import SYSTEMS, System, installed_alignments
from kgnb.settings import Settings

HUT, REFUGE = "http://huts.example/alpine#Hut", "http://huts.example/refuge#RF_0000001"
WRITES = """
import json, sys
print("much talk")
json.dump([["{hut}", "{refuge}"], ["http://nobody.example/#x", "{refuge}"]], open(sys.argv[3], "w"))
"""


@pytest.fixture(scope="module")
def pair() -> tuple[MatchingCase, Ontology, Ontology]:
    source, target = (open_ontology(name, Settings(embedder="tiny")) for name in ("huts:alpine", "huts:refuge"))
    return MatchingCase("huts", file_of("huts:alpine"), file_of("huts:refuge")), source, target


def test_what_a_system_finds_is_taken_if_the_ontologies_know_it(pair: tuple[MatchingCase, Ontology, Ontology]) -> None:
    refuge = pair[2].of_kind("class")[0].iri
    double = System("Double", "json", WRITES.format(hut=HUT, refuge=refuge))
    [stored], notes = installed_alignments(*pair, systems=[double])
    assert stored.found == {(HUT, refuge, "equivalent")}
    assert stored.system == "Double, run here"
    assert notes == ()


@pytest.mark.parametrize(
    ("script", "seconds", "why"),
    [
        ("raise SystemExit('no such ontology format')", 120, "failed: no such ontology format"),
        ("pass", 120, "failed: it wrote nothing"),
        ("import time; time.sleep(60)", 1, "not done after 1 s"),
    ],
)
def test_a_system_that_fails_leaves_a_note(
    pair: tuple[MatchingCase, Ontology, Ontology], script: str, seconds: float, why: str
) -> None:
    found, (note,) = installed_alignments(*pair, systems=[System("Double", "json", script)], seconds=seconds)
    assert found == ()
    assert note == f"Double, run here, on huts: {why}"


def test_what_is_not_installed_is_passed_over(pair: tuple[MatchingCase, Ontology, Ontology]) -> None:
    assert installed_alignments(*pair, systems=[System("Nobody", "no_such_package", "")]) == ((), ())
    assert [system.name for system in SYSTEMS] == ["OntoAligner", "text2term"]
    for system in SYSTEMS:
        compile(system.script, system.name, "exec")
