"""Alignments to write and read: one with everything awkward in it, and hypothesis strategies for
any.
"""

import pytest

from kgnb.mappings import Alignment, Dropped, Evidence, Mapping

AWKWARD = (
    'tab\there, "quoted", line\nbreak, return\rhere, =1+1, #hash, | bar, <b>&amp;</b>, '
    "山小屋, \x85 \u2028 \U0001f3d4"
)

FULL = Alignment(
    mappings=(
        Mapping(
            "http://example.org/alpine#Hut",
            "http://example.org/refuge/RF_0000001",
            confidence=0.1 + 0.2,
            source_label="Hut",
            target_label="refuge de montagne",
            judged_by="rule",
            rationale=AWKWARD,
            evidence=(
                Evidence("exact label", AWKWARD, 1.0),
                Evidence("verdict", "same place", None),
            ),
        ),
        Mapping(
            "http://example.org/alpine#RescueHut",
            "http://example.org/refuge/RF_0000001",
            "broader",
            2 / 3,
        ),
        Mapping(
            "http://example.org/alpine#Place",
            "http://example.org/refuge/RF_0000002",
            "narrower",
            1e-07,
        ),
        Mapping(
            "http://example.org/alpine#Trail",
            "urn:refuge:rail",
            "different",
            0.9,
            judged_by="person:ada",
        ),
        Mapping(
            "http://example.org/alpine#near",
            "http://other.org/x?y=1&z=%22#near",
            "related",
            1.0,
            "object property",
        ),
        Mapping(
            "http://cmt", "http://cmt#", "unsure", 0.0, "annotation property", source_label=AWKWARD
        ),
        Mapping(
            "http://example.org/alpine#altitude",
            "http://example.org/refuge/has_altitude",
            kind="datatype property",
            justification="semapv:LexicalMatching",
        ),
        Mapping(
            "http://a.org/Ada", "http://b.org/Ada", kind="individual", justification="my own reason"
        ),
        Mapping("http://a.org/Recipe", "http://b.org/Recette", kind="shape"),
        Mapping("http://a.org/hut", "http://b.org/refuge", concepts="both"),
        Mapping("http://a.org/Hut", "http://b.org/refuge", concepts="target"),
    ),
    source="http://example.org/alpine",
    target="http://example.org/refuge/",
    dropped=(
        Dropped(
            Mapping("http://a.org/x", "http://b.org/y", confidence=0.4, rationale=AWKWARD),
            f"no: {AWKWARD}",
        ),
    ),
    unsure=(
        Mapping(
            "http://a.org/p",
            "http://b.org/q",
            "unsure",
            0.5,
            evidence=(Evidence("rank", "1", 0.5),),
        ),
    ),
    notes=("2 entities have no label", AWKWARD),
)


@pytest.fixture
def full() -> Alignment:
    return FULL
