"""Why an entity was mapped as it was: ranks, texts compared, verdicts; and why two were mapped, or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from kgnb.agents.ontology_matching.values import (
    VIEWS,
    Candidate,
    Described,
    Description,
    Found,
    Judged,
    MatchQuestion,
    Validated,
)
from kgnb.errors import DataError
from kgnb.kg.ontology import Entity
from kgnb.kg.prefixes import shorten
from kgnb.mappings import Alignment
from kgnb.results.bundle import Bundled
from kgnb.results.card import Page
from kgnb.results.table import Column, Link, Table, Value

WORDS = {"syntactic": "name", "lexical": "other names", "semantic": "neighbours", "meaning": "definition"}


def explain(item: str, values: Mapping[str, Any]) -> Page:
    """What the stages so far know of an entity, named by IRI, short IRI, local name or label.

    A name may belong to a class and a property, or to both sides: then it is a page of pages.

    Args:
        item: the name, in either ontology.
        values: the stages' values by stage name; what is missing is left out of the explanation.

    Raises:
        DataError: no entity is called so; the nearest names are suggested.
    """
    described: Described = values["retrieve"]
    descriptions = named(item, described)
    if not descriptions:
        known = sorted({description.name for description in described.descriptions})
        near = get_close_matches(item, known, n=3, cutoff=0.5)
        raise DataError(
            f"no entity of either ontology is called {item!r}",
            where="",
            fix=f"Did you mean {' or '.join(near)}?" if near else "%om retrieve shows what there is.",
        )
    pages = [_explanation(description, values) for description in descriptions]
    return pages[0] if len(pages) == 1 else Page("", pages)


def named(item: str, described: Described) -> list[Description]:
    """The descriptions an item names: by IRI first, then by short IRI and local name, then by any label or synonym."""
    return named_among(item, described, described.descriptions)


def named_on_each_side(item: str, described: Described) -> list[Description]:
    """The same with each side searched by itself, source first: a local name here must not hide a label there."""
    return [
        one for side in (described.of("source"), described.of("target")) for one in named_among(item, described, side)
    ]


def named_among(item: str, described: Described, among: tuple[Description, ...]) -> list[Description]:
    """The same among these alone."""
    wanted = " ".join(item.split()).casefold()
    prefixes = {**dict(described.target.prefixes), **dict(described.source.prefixes)}

    def by_name(one: Description) -> bool:
        return wanted in (one.entity.local_name.casefold(), shorten(one.iri, prefixes).casefold())

    return (
        [one for one in among if one.iri == item.strip("<>")]
        or [one for one in among if by_name(one)]
        or [one for one in among if wanted in _labels(one.entity, one.name)]
    )


def _labels(entity: Entity, name: str) -> set[str]:
    texts = [name, *(text.text for text in (*entity.labels, *entity.synonyms))]
    return {" ".join(text.split()).casefold() for text in texts}


def _explanation(one: Description, values: Mapping[str, Any]) -> Page:
    """How an entity reads, its candidates with their ranks, the verdict, and what the alignment says of it."""
    judged = judged_on(one, values.get("validate"))
    candidates = candidates_of(one, values.get("search"), values.get("summarise"), judged, values.get("merge"))
    verdict = [f"verdict: {in_words(judged)}"] if judged else []
    heading = f"{one.name} ({one.kind} of the {one.side})"
    parts: list[str | Bundled] = [candidates, *verdict, *outcome_of(one, values.get("merge"))]
    return Page(heading, parts, one.iri, one.in_short.splitlines()[1:])


def judged_on(description: Description, validated: Validated | None) -> Judged | None:
    """The question asked about an entity, and its verdict; None if there was none."""
    about = (description.side, description.key)
    found = (one for one in (validated.judged if validated else ()))
    return next((one for one in found if (one.question.side, one.question.about.key) == about), None)


def candidates_of(
    description: Description,
    found: Found | None,
    summarised: Any,
    judged: Judged | None,
    alignment: Alignment | None = None,
) -> Table:
    """An entity's candidates with verdict, why those above the chosen one lost, and which view found them where."""
    questions = summarised.questions if summarised else ()
    question = next((q for q in questions if (q.side, q.about.key) == (description.side, description.key)), None)
    ranks = ranks_of(description, found)
    columns = [Column("rank", "rank", "number"), Column("name", "candidate", "iri")]
    columns += [Column("views", "found by: rank (cosine)"), Column("said", "verdict"), Column("lost", "why not")]
    rows, details = [], []
    offered = list(zip(question.candidates, question.others, strict=True)) if question else []
    choice = judged.verdict.choice if judged else None
    chosen = next((candidate for candidate, other in offered if other.iri == choice), None)
    for candidate, other in offered:
        places = ranks.get(other.iri, {})
        views = ["equal name"] if "exact" in places else []
        views += [f"{view} {places[view]} ({getattr(candidate.cosines, view):.2f})" for view in VIEWS if view in places]
        said = judged.verdict.decision if judged and choice == other.iri else ""
        ahead = judged is not None and other.iri != choice and (chosen is None or candidate.rank <= chosen.rank)
        lost = _why_not(candidate, other, chosen, judged, alignment) if ahead and judged else ""
        rows.append([candidate.rank, Link(other.iri, other.name), ", ".join(views), said, lost])
        evidence = [(one.kind, one.text) for one in candidate.evidence]
        cosines = ", ".join(f"{getattr(candidate.cosines, view):.2f} {view}" for view in VIEWS)
        evidence.append(("scores", f"fused {candidate.score:.3f}; cosine {cosines}"))
        details.append([("text compared", description.in_short), ("with", other.in_short), *evidence])
    return Table(columns, rows, caption="Candidates", details=details)


def _why_not(
    candidate: Candidate, other: Description, chosen: Candidate | None, judged: Judged, alignment: Alignment | None
) -> str:
    """Why a candidate that ranked as high as the chosen one, or any where none was chosen, was not taken."""
    held = dict(judged.verdict.also).get(other.iri)
    reasons = [f"held {held:.2f} likely" if held is not None else "held less than 0.05 likely"]
    if chosen is not None:
        pairs = [
            (view, getattr(candidate.cosines, view), getattr(chosen.cosines, view))
            for view in candidate.cosines._fields
        ]
        nearer = [(mine, theirs, view) for view, mine, theirs in pairs if None not in (mine, theirs) and theirs > mine]
        if nearer:
            mine, theirs, view = max(nearer, key=lambda one: one[1] - one[0])
            reasons.append(f"farther by {WORDS.get(view, view)}: {mine:.2f} against {theirs:.2f}")
    side = other.side
    taken = [m for m in alignment or () if (getattr(m, side), m.kind) == other.key and m.relation == "equivalent"]
    for mapping in taken:
        label = mapping.target_label if side == "source" else mapping.source_label
        reasons.append(f"mapped to {label} ({mapping.confidence:.2f})")
    return "; ".join(reasons)


def ranks_of(description: Description, found: Found | None) -> dict[str, dict[str, int]]:
    """For each candidate's IRI, its rank in every view that found it when this entity asked."""
    places: dict[str, dict[str, int]] = {}
    for ranked in found.rankings if found else ():
        own, other = (ranked.source, ranked.target)
        if description.side == "target":
            own, other = other, own
        if ranked.direction == description.side and (own, ranked.kind) == description.key:
            places.setdefault(other, {})[ranked.view] = ranked.rank
    return places


def in_words(judged: Judged | None) -> str:
    """A verdict in a line; "" where there is none."""
    if judged is None:
        return ""
    verdict = judged.verdict
    names = {other.iri: other.name for other in judged.question.others}
    choice = f" {names[verdict.choice]}" if verdict.choice in names else ""
    why = f": {verdict.rationale}" if verdict.rationale else ""
    return f"{verdict.decision}{choice} ({verdict.confidence:.2f}, by {verdict.judged_by}){why}"


def outcome_of(description: Description, alignment: Alignment | None) -> Iterator[str]:
    """What the alignment says of an entity, a line each."""
    if alignment is None:
        return
    side, key = description.side, description.key
    said = False
    for mapping in alignment:
        if (getattr(mapping, side), mapping.kind) == key:
            said = True
            yield f"mapped: {mapping.source_label} {mapping.relation} {mapping.target_label} ({mapping.confidence:.2f})"
    for dropped in alignment.dropped:
        mapping = dropped.mapping
        if (getattr(mapping, side), mapping.kind) == key:
            said = True
            yield f"dropped: {mapping.source_label} = {mapping.target_label}: {dropped.reason}"
    for mapping in alignment.unsure:
        if (getattr(mapping, side), mapping.kind) == key:
            said = True
            yield f"waits for a person: {mapping.source_label} and {mapping.target_label}"
    if not said:
        yield "not mapped"


def two_items(words: Sequence[str], described: Described) -> tuple[str, str] | None:
    """The two items a line names, or None where all its words together name one.

    >>> two_items(["Hut"], Described.__new__(Described)) is None
    True
    """
    if len(words) < 2 or named(" ".join(words), described):
        return None
    splits = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words)))
    return next(((a, b) for a, b in splits if named(a, described) and named(b, described)), None)


def contrast(one: str, other: str, values: Mapping[str, Any]) -> Page:
    """Why two entities, one of either ontology in any order, were mapped to each other, or not.

    Args:
        one: an IRI, short IRI, local name or label; so is ``other``.
        values: the stages' values by stage name; what is missing is left out.

    Raises:
        DataError: the items do not name an entity of each ontology, of one kind.
    """
    described: Described = values["retrieve"]
    pairs = [
        (a, b) if a.side == "source" else (b, a)
        for a in named_on_each_side(one, described)
        for b in named_on_each_side(other, described)
        if a.side != b.side and a.kind == b.kind
    ]
    if not pairs:
        raise DataError(
            f"{one!r} and {other!r} are not one of each ontology, of the same kind",
            where="",
            fix="Only such pairs can be mapped. %om explain ITEM shows each alone.",
        )
    source, target = pairs[0]
    sides = [_side(source, target, values), _side(target, source, values)]
    tables = (_texts(source, target), *(table for table, _ in sides if table is not None))
    decided = [*(line for _, line in sides if line), *_outcome(source, target, values.get("merge"))]
    return Page(f"{source.name} (source) and {target.name} (target)", [*decided, *tables])


def _texts(source: Description, target: Description) -> Table:
    """What each of the two says of itself."""
    shared = set(source.names) & set(target.names)
    rows: list[list[Value]] = [["IRI", source.iri, target.iri], ["kind", source.kind, target.kind]]
    for head, texts in (
        ("names", lambda one: "; ".join(" ".join(name) for name in one.names)),
        ("means", lambda one: "; ".join(one.told)),
        ("axioms", lambda one: one.semantic),
        ("neighbours", lambda one: "; ".join(one.related)),
    ):
        if texts(source) or texts(target):
            rows.append([head, texts(source), texts(target)])
    common = "; ".join(sorted(" ".join(name) for name in shared)) or "none"
    neighbours = "; ".join(sorted(set(source.related) & set(target.related))) or "none"
    columns = [Column("what", ""), Column("source", source.name), Column("target", target.name)]
    return Table(columns, rows, caption="Side by side", notes=[f"names in common: {common}; neighbours: {neighbours}"])


def _side(about: Description, other: Description, values: Mapping[str, Any]) -> tuple[Table | None, str]:
    """One side's view: the other entity beside the candidate it chose instead, and the verdict in a line."""
    question = _question(about, values.get("summarise"))
    if question is None:
        return None, f"{about.name} had no candidates" if values.get("summarise") else ""
    judged = judged_on(about, values.get("validate"))
    chosen = judged.verdict.choice if judged else None
    iris = [candidate.iri for candidate in question.others]
    rival = chosen if chosen not in (None, other.iri) else next((iri for iri in iris if iri != other.iri), None)
    shown = [iri for iri in (other.iri, rival) if iri in iris]
    ranks = ranks_of(about, values.get("search"))
    found = [(question.others[at], question.candidates[at]) for at in map(iris.index, shown)]
    rows = [
        [head, *(value(one.iri, candidate) for one, candidate in found)]
        for head, value in (
            ("place", lambda iri, c: f"{c.rank} of {len(iris)}"),
            ("fused score", lambda iri, c: f"{c.score:.3f}"),
            *((view, _view(view, ranks)) for view in VIEWS),
            ("equal name", lambda iri, c: "yes" if "exact" in ranks.get(iri, {}) else "no"),
            ("chosen", lambda iri, c: "yes" if iri == chosen else "no"),
        )
    ]
    columns = [Column("what", ""), *(Column(f"c{at}", one.name) for at, (one, _) in enumerate(found))]
    table = Table(columns, rows, caption=f"Asked from {about.name}") if found else None
    said = f"asked from {about.name} ({about.side}): {in_words(judged)}" if judged else ""
    if other.iri not in iris:
        missing = f"{other.name} was not among the {len(iris)} candidates of {about.name}"
        said = f"{missing}; {said}" if said else missing
    return table, said


def _view(view: str, ranks: Mapping[str, Mapping[str, int]]) -> Any:
    def cell(iri: str, candidate: Candidate) -> str:
        place = ranks.get(iri, {}).get(view)
        cosine = round(getattr(candidate.cosines, view), 2) + 0.0  # never -0.00
        return f"cosine {cosine:.2f}, " + (f"rank {place}" if place else "not found")

    return cell


def _question(about: Description, summarised: Any) -> MatchQuestion | None:
    questions = summarised.questions if summarised else ()
    return next((q for q in questions if (q.side, q.about.key) == (about.side, about.key)), None)


def _outcome(source: Description, target: Description, alignment: Alignment | None) -> Iterator[str]:
    """What became of the pair; where it was not mapped, what became of either."""
    if alignment is None:
        return
    pair = (source.iri, target.iri)
    for mapping in alignment:
        if (mapping.pair, mapping.kind) == (pair, source.kind):
            yield f"mapped: {mapping.relation} ({mapping.confidence:.2f}, by {mapping.judged_by})"
            return
    for dropped in alignment.dropped:
        if (dropped.mapping.pair, dropped.mapping.kind) == (pair, source.kind):
            yield f"dropped: {dropped.reason}"
    yield "not mapped to each other"
    for one in (source, target):
        yield from (f"{one.name}: {line}" for line in outcome_of(one, alignment))
