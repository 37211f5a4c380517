"""What the rule leaves open between two small ontologies is decided by comparison, but never surely."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.leftover import BELIEVED, LEFTOVER
from kgnb.kg.terms import OWL, RDFS
from kgnb.mappings import Alignment
from kgnb.tasks.matching import match_ontologies
from tests.benchmarks.agents.tiny_pairs import FIRST, named, written

SMALL = Path(__file__).parents[2] / "benchmarks" / "data" / "small-pairs"
OURS = """apricot bridge candle dragon engine feather glacier hammer island jacket kettle lantern mirror
needle orchard pencil quarry ribbon saddle tunnel""".split()
THEIRS = """anvil basket cushion dentist elbow forest garage harbour igloo jungle koala lemon magnet
napkin octopus parrot quilt rocket spider turtle""".split()


def matched(name: str, judge: str = "rule") -> Alignment:
    return match_ontologies(SMALL / name / "a.ttl", SMALL / name / "b.ttl", judge=judge)


@pytest.mark.parametrize("name", ["02-hospital", "06-transport", "17-veterinary"])
def test_two_small_models_of_one_domain_are_matched_without_common_names(name: str) -> None:
    found = matched(name)
    rows = (SMALL / name / "reference.tsv").read_text(encoding="utf-8").splitlines()
    wanted = {tuple(row.split("\t")[:2]) for row in rows if row}
    left = [m for m in found if m.judged_by == LEFTOVER]
    assert len(left) >= 5
    assert sum((m.source, m.target) in wanted for m in left) >= 0.6 * len(left)
    assert all(0.5 <= m.confidence <= BELIEVED for m in left)
    assert all("left" in m.rationale for m in left)
    assert len({m.source for m in found}) == len({m.target for m in found}) == len(found)


def vocabulary(folder: Path, name: str, others: list[str], relation: str) -> Path:
    """Classes that the other side lacks, and a relation."""
    file, at = folder / f"{name}.ttl", f"http://{name}.example/"
    lines = [f"<{at}{other}> a <{OWL}Class> ." for other in [*others, "Person"]]
    person = f"<{at}Person>"
    lines.append(
        f"<{at}{relation}> a <{OWL}ObjectProperty> ; <{RDFS}domain> {person} ; <{RDFS}range> {person} ."
    )
    file.write_text("\n".join(lines))
    return file


def test_a_relation_said_from_the_other_end_is_not_left_over(tmp_path: Path) -> None:
    def found(ours: str, theirs: str) -> set[str]:
        sides = vocabulary(tmp_path, "a", OURS, ours), vocabulary(tmp_path, "b", THEIRS, theirs)
        return {m.source.rsplit("/", 1)[-1] for m in match_ontologies(*sides, judge="rule")}

    assert "supervises" in found("supervises", "isSupervisorOf")
    assert "supervises" not in found("supervises", "supervisedBy")


def tiny(folder: Path, name: str) -> Alignment:
    """A pair of a handful of entities, matched."""
    sides = [
        written(spec, f"http://{side}.example/", folder / f"{side}.ttl")
        for side, spec in zip("ab", FIRST[name], strict=False)
    ]
    return match_ontologies(*sides, judge="rule")


def test_a_handful_of_entities_is_matched_and_what_is_found_tells_more(tmp_path: Path) -> None:
    found = tiny(tmp_path, "uni")
    assert {"Person=Human", "Student=Pupil", "email=mailAddress", "name=fullName"} <= named(found)
    assert {"teaches=givesLecture", "attends=enrolledIn"} <= named(found)  # by their ends
    assert all(m.confidence <= BELIEVED for m in found if m.judged_by == LEFTOVER)


def test_dates_and_amounts_alone_make_no_two_ontologies_alike(tmp_path: Path) -> None:
    found = tiny(tmp_path, "unrelated")
    assert len(found) == 0 and found.unsure
