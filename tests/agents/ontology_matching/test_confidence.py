from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.ontology_matching.merge import LEAST, LINES, MOST, calibrated, evidence_of
from kgnb.agents.ontology_matching.values import Described
from tests.agents.ontology_matching.small import HUT, REFUGE


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from(sorted(LINES)))
def test_the_order_of_a_kind_is_kept(one: float, other: float, kind: str) -> None:
    low, high = sorted((one, other))
    assert calibrated(low, kind) <= calibrated(high, kind) or high < LEAST
    assert all(p < LEAST or LEAST <= calibrated(p, kind) <= MOST for p in (one, other))


def test_what_an_ontology_states_is_not_doubted() -> None:
    assert calibrated(0.999, "stated") == 0.999


def test_only_a_name_in_common_is_shown_as_nine_in_ten() -> None:
    assert [kind for kind in LINES if calibrated(1.0, kind) >= 0.9] == ["name"]


def test_a_pair_s_evidence_is_its_names_or_its_sort(described: Described) -> None:
    kinds = {
        evidence_of(source, target)
        for source in described.of("source")
        for target in described.of("target")
        if source.kind == target.kind
    }
    assert kinds >= {"words", "property"} and kinds <= {"stated", *LINES}
    warden = described.find("source", HUT + "Warden", "class")
    assert evidence_of(warden, warden) == "name"
    assert evidence_of(warden, described.find("target", REFUGE + "RF_0000003", "class")) in {"words", "name"}
