"""The OAEI tracks we measure on: conference, anatomy, and materials science (MSE).

The files are those of the tracks, laid out as in the registry. Not every reference is public or
available: a case without its reference file is not measured.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from kgnb.datasets import huts, published
from kgnb.datasets.fetch import data_folder
from kgnb.datasets.published import MatchingCase, MatchingFigure, MatchingSet
from kgnb.mapping_files import load_reference

CONFERENCE = ("cmt", "conference", "confof", "edas", "ekaw", "iasted", "sigkdd")
PAIRS = tuple(f"{source}-{target}" for source, target in combinations(CONFERENCE, 2))
"""The 21 pairs of the conference track, each ontology named before those after it in the alphabet.
"""

_SCORING = (
    "scored on classes and properties; pairs with owl:Thing "
    "and pairs of instances are left out, as the OAEI does"
)


def conference(folder: Path | None) -> MatchingSet:
    """The 21 pairs of the conference track with reference ra1-M3; ``folder`` holds
    ``oaei-conference``.

    With Agent-OM's result table, every pair has its published figure, and the set has Agent-OM's
    mean and micro average over exactly the pairs that can be measured here. LogMap's figures are
    not available pair by pair.
    """
    home = data_folder("oaei-conference", folder)
    figures = published.agent_om_pairs(home.parent)
    cases = tuple(
        MatchingCase(
            pair,
            home / "ontologies" / f"{pair.split('-')[0]}.owl",
            home / "ontologies" / f"{pair.split('-')[1]}.owl",
            _if_there(home / "reference" / f"{pair}.rdf"),
            (figures[pair],) if pair in figures else (),
        )
        for pair in PAIRS
    )
    at_hand = [case for case in cases if case.reference]
    missing = len(PAIRS) - len(at_hand)
    return MatchingSet(
        "oaei-conference",
        "OAEI conference track, reference ra1-M3",
        cases,
        (*published.CONFERENCE, *_here(at_hand)),
        context="the organisation of scientific conferences",
        notes=(
            f"reference ra1-M3; {_SCORING}",
            *(
                [
                    f"{missing} of the 21 references are not at hand; figures over 21 pairs cover more than this"
                ]
                * (missing > 0)
            ),
            "LogMap's published figures are not available pair by pair, so they cover all 21 pairs",
        ),
    )


def _here(cases: list[MatchingCase]) -> tuple[MatchingFigure, ...]:
    sized = [
        (case.published[0], len(load_reference(case.reference)))
        for case in cases
        if case.published and case.reference
    ]
    return published.over_pairs(sized) if sized and len(sized) == len(cases) < len(PAIRS) else ()


def anatomy(folder: Path | None) -> MatchingSet:
    """Mouse anatomy to human anatomy; ``folder`` holds ``oaei-anatomy``."""
    home = data_folder("oaei-anatomy", folder)
    reference = _if_there(home / "reference.rdf")
    return MatchingSet(
        "oaei-anatomy",
        "OAEI anatomy track",
        (
            MatchingCase(
                "mouse-human",
                home / "mouse.owl",
                home / "human.owl",
                reference,
                published.ANATOMY[:1],
            ),
        ),
        published.ANATOMY,
        context="the anatomy of mice and humans",
        notes=(
            f"{_SCORING}, and so are pairs of the oboInOwl vocabulary and the UNDEFINED properties",
            "non-trivial figures leave out pairs with equal names; say which names count",
        ),
    )


def mse(folder: Path | None) -> MatchingSet:
    """The materials science track; ``folder`` holds ``oaei-mse``.

    Test 1 comes twice: against the original reference, which is mostly subsumptions, and against
    the one the Agent-OM authors edited, where 20 of 23 pairs are dummies nobody can find.
    """
    home = data_folder("oaei-mse", folder)
    reduced, whole, matonto, emmo = (
        home / f"{name}.owl"
        for name in ("MaterialInformationReduced", "MaterialInformation", "MatOnto", "EMMO")
    )
    return MatchingSet(
        "oaei-mse",
        "OAEI materials science and engineering track",
        (
            MatchingCase(
                "mse-1-original", reduced, matonto, _if_there(home / "reference-1-original.rdf")
            ),
            MatchingCase(
                "mse-1-edited",
                reduced,
                matonto,
                _if_there(home / "reference-1-agentom-dummied.rdf"),
                published.MSE[1],
            ),
            MatchingCase(
                "mse-2", whole, matonto, _if_there(home / "reference-2.rdf"), published.MSE[2]
            ),
            MatchingCase(
                "mse-3", whole, emmo, _if_there(home / "reference-3.rdf"), published.MSE[3]
            ),
        ),
        context="materials science and engineering",
        notes=(
            "test 1's original reference holds 3 equivalences, 19 broader and 1 narrower mapping",
            "test 1's edited reference holds 20 dummies: recall cannot exceed 13 % there",
        ),
    )


def _if_there(path: Path) -> Path | None:
    return path if path.is_file() else None


NAMES = ("huts", "oaei-conference", "oaei-anatomy", "oaei-mse")


def matching_set(name: str, folder: Path | None = None) -> MatchingSet:
    """The set of that name; ``folder`` is where benchmark data lies (the settings' ``data``, from
    ``KGNB_DATA``).

    ValueError for a name we do not know; DataError, which says how to get it, for a set that is not
    available.
    """
    if name == "huts":
        return huts.huts()
    tracks = {"oaei-conference": conference, "oaei-anatomy": anatomy, "oaei-mse": mse}
    if name not in tracks:
        raise ValueError(f"there is no matching data set {name!r}; there are {', '.join(NAMES)}")
    return tracks[name](folder)
