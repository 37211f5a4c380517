"""The OAEI tracks we measure on: conference, anatomy, materials science (MSE), MultiFarm and Bio-ML.

The files are those of the tracks, laid out as in the registry; of MultiFarm and Bio-ML, a folder a
case. Not every reference is public or available: a case without its reference file is not measured.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from kgnb.datasets import huts, published
from kgnb.datasets.fetch import data_folder
from kgnb.datasets.published import MatchingCase, MatchingFigure, MatchingSet
from kgnb.errors import DataError
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


ONTOLOGIES = (".owl", ".rdf", ".ttl")
REFERENCES = ("reference.rdf", "refs_equiv/full.tsv", "refs_equiv/test.tsv")


def _by_case(
    name: str, title: str, context: str, notes: tuple[str, ...], home: Path
) -> MatchingSet:
    """A track with a folder for each case, as MELT and Bio-ML lay it out: ``source.rdf``,
    ``target.rdf`` and ``reference.rdf``, or two ontologies in the order that the folder's name has
    them, and ``refs_equiv/full.tsv``.

    Raises:
        DataError: no folder holds two ontologies.
    """
    cases: list[MatchingCase] = []
    for folder in sorted(path for path in home.rglob("*") if path.is_dir()):
        files = [f for f in folder.iterdir() if f.suffix in ONTOLOGIES and f.stem != "reference"]
        if len(files) == 2:
            sides = folder.name.lower()
            files.sort(key=lambda file: (sides.find(file.stem.split(".")[0].lower()), file.name))
            there = (_if_there(folder / reference) for reference in REFERENCES)
            case = folder.relative_to(home).as_posix().lower()
            source, target = files
            cases.append(MatchingCase(case, source, target, next(filter(None, there), None)))
    if not cases:
        fix = "Give each case a folder with source.rdf, target.rdf and reference.rdf."
        raise DataError("no folder in it holds two ontologies", where=home, fix=fix)
    return MatchingSet(name, title, tuple(cases), context=context, notes=notes)


def multifarm(folder: Path | None) -> MatchingSet:
    """The conference ontologies in other languages; ``folder`` holds ``multifarm``."""
    home = data_folder("multifarm", folder)
    notes = (_SCORING, "the track's means are over pairs of different ontologies")
    subject = "the organisation of scientific conferences"
    return _by_case("multifarm", "OAEI MultiFarm track", subject, notes, home)


def bio_ml(folder: Path | None) -> MatchingSet:
    """The equivalence tasks of the Bio-ML track; ``folder`` holds ``bio-ml``."""
    home = data_folder("bio-ml", folder)
    notes = ("scored against the whole reference: the track's unsupervised setting",)
    return _by_case("bio-ml", "OAEI Bio-ML track", "diseases and anatomy", notes, home)


def _if_there(path: Path) -> Path | None:
    return path if path.is_file() else None


TRACKS = {
    "oaei-conference": conference,
    "oaei-anatomy": anatomy,
    "oaei-mse": mse,
    "multifarm": multifarm,
    "bio-ml": bio_ml,
}
NAMES = ("huts", *TRACKS)


def matching_set(name: str, folder: Path | None = None) -> MatchingSet:
    """The set of that name; ``folder`` is where benchmark data lies (the settings' ``data``, from
    ``KGNB_DATA``).

    ValueError for a name we do not know; DataError, which says how to get it, for a set that is not
    available.
    """
    if name == "huts":
        return huts.huts()
    if name not in TRACKS:
        raise ValueError(f"there is no matching data set {name!r}; there are {', '.join(NAMES)}")
    return TRACKS[name](folder)
