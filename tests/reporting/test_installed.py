"""Other matchers that are installed, run in their own process; doubles stand in for them."""

from kgnb.backends import file_of, open_ontology
from kgnb.datasets.published import MatchingCase
from kgnb.reporting.ontology_matching.stored import SYSTEMS, System, installed_alignments

WRITES = """
import json, sys
print("much talk")
json.dump([["{}", "{}"], ["http://nobody.example/#x", "{}"]], open(sys.argv[3], "w"))
"""
FAILING = (
    ("raise SystemExit('no such ontology format')", 120, "failed: no such ontology format"),
    ("pass", 120, "failed: it wrote nothing"),
    ("import time; time.sleep(60)", 1, "not done after 1 s"),
)


def test_what_a_system_finds_is_taken_and_one_that_fails_or_is_missing_stops_nothing() -> None:
    case = MatchingCase("huts", file_of("huts:alpine"), file_of("huts:refuge"))
    source, target = (open_ontology(name) for name in ("huts:alpine", "huts:refuge"))
    hut, refuge = (side.of_kind("class")[0].iri for side in (source, target))
    double = System("Double", "json", WRITES.format(hut, refuge, refuge))
    found = installed_alignments(case, source, target, [double, System("Nobody", "no_such_package", "")])
    assert found == ({"Double, run here": {(hut, refuge, "equivalent")}}, [])
    for script, seconds, why in FAILING:
        found = installed_alignments(case, source, target, [System("Double", "json", script)], seconds)
        assert found == ({}, [f"Double, run here, on huts: {why}"])
    for system in SYSTEMS:
        compile(system.script, system.name, "exec")
