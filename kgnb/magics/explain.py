"""Why an entity was mapped as it was, with ranks, texts and verdicts; and why two entities were
mapped, or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgnb.agents.ontology_matching.values import (
    VIEWS,
    Candidate,
    Described,
    Description,
    Judged,
    MatchQuestion,
)
from kgnb.errors import DataError, nearest
from kgnb.kg.prefixes import shorten
from kgnb.magics.names import named as called
from kgnb.mappings import Alignment
from kgnb.mappings import Mapping as Correspondence
from kgnb.results.bundle import Bundled
from kgnb.results.card import Page
from kgnb.results.table import Column, LabelledIri, Table, TableRows, numbers, texts
from kgnb.results.wording import percent

WORDS = {
    "syntactic": "name",
    "lexical": "other names",
    "semantic": "neighbours",
    "meaning": "definition",
}


def explain(item: str, values: Mapping[str, Any]) -> Page:
    """What the stages so far know about an entity, given by IRI, short IRI, local name or label.

    A name may belong to a class and a property, or to both sides; the result is then a page of
    pages.

    Args:
        item: the name, in either ontology.
        values: the stages' values by stage name; missing ones are left out of the explanation.

    Raises:
        DataError: no entity is called that; the nearest names are suggested.
    """
    described: Described = values["retrieve"]
    descriptions = named(item, described)
    if not descriptions:
        known = sorted({description.name for description in described.descriptions})
        fix = nearest(item, known, 3, 0.5) or "%om retrieve lists the entities."
        raise DataError(f"no entity of either ontology is called {item!r}", fix=fix)
    pages = [_page(description, StageFacts(values)) for description in descriptions]
    return pages[0] if len(pages) == 1 else Page("", pages)


def named(item: str, described: Described) -> list[Description]:
    """The entities an item names: by IRI, else by short IRI or local name, else by a label or
    synonym.
    """
    return named_among(item, described, described.descriptions)


def named_among(item: str, described: Described, among: Sequence[Description]) -> list[Description]:
    """Those among these entities that an item names."""
    prefixes = {**dict(described.target.prefixes), **dict(described.source.prefixes)}

    def labels(one: Description) -> list[str]:
        return [one.name, *(text.text for text in (*one.entity.labels, *one.entity.synonyms))]

    return called(
        item,
        among,
        lambda one: one.iri,
        lambda one: [one.entity.local_name, shorten(one.iri, prefixes)],
        labels,
    )


def two_items(words: Sequence[str], described: Described) -> tuple[str, str] | None:
    """The two items a line names; None if all its words together name one.

    >>> two_items(["Hut"], Described.__new__(Described)) is None
    True
    """
    if len(words) < 2 or named(" ".join(words), described):
        return None
    splits = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words)))
    return next(((a, b) for a, b in splits if named(a, described) and named(b, described)), None)


@dataclass(frozen=True)
class StageFacts:
    """What the stages so far say about an entity."""

    values: Mapping[str, Any]

    def question(self, about: Description) -> MatchQuestion | None:
        """The question about an entity, if there is one."""
        summarised = self.values.get("summarise")
        asked = summarised.questions if summarised else ()
        return next((q for q in asked if (q.side, q.about.key) == (about.side, about.key)), None)

    def judged(self, about: Description) -> Judged | None:
        """The question about an entity with its verdict, if there is one."""
        validated = self.values.get("validate")
        judged: Sequence[Judged] = validated.judged if validated else ()
        about_it = (
            one
            for one in judged
            if (one.question.side, one.question.about.key) == (about.side, about.key)
        )
        return next(about_it, None)

    def ranks(self, about: Description) -> dict[str, dict[str, int]]:
        """For each candidate's IRI, its rank in every view that found it from this entity."""
        found = self.values.get("search")
        ranks: dict[str, dict[str, int]] = {}
        for ranked in found.rankings if found else ():
            own, other = (ranked.source, ranked.target)
            if about.side == "target":
                own, other = other, own
            if ranked.direction == about.side and (own, ranked.kind) == about.key:
                ranks.setdefault(other, {})[ranked.view] = ranked.rank
        return ranks

    @property
    def alignment(self) -> Alignment | None:
        """The alignment, once there is one."""
        return self.values.get("merge")

    def outcome(self, about: Description) -> Iterator[str]:
        """What the alignment says about an entity, one line each."""
        if self.alignment is not None:
            lines = list(
                _lines(self.alignment, lambda m: (getattr(m, about.side), m.kind) == about.key)
            )
            yield from lines or ["not mapped"]


def _lines(alignment: Alignment, concerned: Callable[[Correspondence], bool]) -> Iterator[str]:
    """What an alignment says about the mappings concerned, one line each."""
    for one in filter(concerned, alignment):
        sure = f"confidence {percent(one.confidence)}, by {one.judged_by}"
        yield f"mapped: {one.source_label} {one.relation} {one.target_label} ({sure})"
    for dropped in alignment.dropped:
        if concerned(dropped.mapping):
            yield f"dropped: {dropped.mapping.source_label} = {dropped.mapping.target_label}: {dropped.reason}"
    for one in filter(concerned, alignment.unsure):
        yield f"left for a person: {one.source_label} and {one.target_label}"


def _page(about: Description, known: StageFacts) -> Page:
    """An entity's description, its candidates with their ranks, the verdict, and the outcome."""
    judged = known.judged(about)
    parts: list[str | Bundled] = [_candidates(about, known), *known.outcome(about)]
    if judged is not None:
        parts.insert(1, f"verdict: {in_words(judged)}")
    return Page(
        f"{about.name} ({about.kind} of the {about.side})",
        parts,
        about.iri,
        about.in_short.splitlines()[1:],
    )


def in_words(judged: Judged) -> str:
    """A verdict in one line."""
    verdict = judged.verdict
    names = {other.iri: other.name for other in judged.question.others}
    choice = f" {names[verdict.choice]}" if verdict.choice in names else ""
    why = f": {verdict.rationale}" if verdict.rationale else ""
    sure = f", {percent(verdict.confidence)} sure" if verdict.sure else ""
    return f"{verdict.decision}{choice} ({verdict.judged_by}{sure}){why}"


def _candidates(about: Description, known: StageFacts) -> Table:
    """An entity's candidates: the views that found them, the verdict, and why those above the
    chosen one lost.
    """
    question, judged, ranks = known.question(about), known.judged(about), known.ranks(about)
    columns = [*numbers(rank="rank"), Column("name", "candidate", "iri")]
    columns += texts(views="found by: rank (cosine)", said="verdict", lost="why not")
    offered = list(zip(question.candidates, question.others, strict=True)) if question else []
    choice = judged.verdict.choice if judged else None
    chosen = next((candidate for candidate, other in offered if other.iri == choice), None)
    rows: TableRows = []
    details = []
    for candidate, other in offered:
        places = ranks.get(other.iri, {})
        views = ["equal name"] if "exact" in places else []
        views += [
            f"{view} {places[view]} ({getattr(candidate.cosines, view):.2f})"
            for view in VIEWS
            if view in places
        ]
        said = judged.verdict.decision if judged and choice == other.iri else ""
        ahead = other.iri != choice and (chosen is None or candidate.rank <= chosen.rank)
        lost = (
            _why_not(candidate, other, chosen, judged, known.alignment) if judged and ahead else ""
        )
        rows.append(
            [candidate.rank, LabelledIri(other.iri, other.name), ", ".join(views), said, lost]
        )
        cosines = ", ".join(f"{getattr(candidate.cosines, view):.2f} {view}" for view in VIEWS)
        evidence = [(one.kind, one.text) for one in candidate.evidence]
        evidence.append(("scores", f"fused {candidate.score:.3f}; cosine {cosines}"))
        details.append([("text compared", about.in_short), ("with", other.in_short), *evidence])
    return Table(columns, rows, caption="Candidates", details=details)


def _why_not(
    candidate: Candidate,
    other: Description,
    chosen: Candidate | None,
    judged: Judged,
    alignment: Alignment | None,
) -> str:
    """Why a candidate was not taken that ranked at least as high as the chosen one, or where none
    was chosen.
    """
    held = dict(judged.verdict.also).get(other.iri)
    reasons = [f"probability {percent(held)}" if held is not None else "probability below 5 %"]
    if chosen is not None:
        pairs = [
            (view, getattr(candidate.cosines, view), getattr(chosen.cosines, view))
            for view in candidate.cosines._fields
        ]
        nearer = [
            (mine, theirs, view)
            for view, mine, theirs in pairs
            if None not in (mine, theirs) and theirs > mine
        ]
        if nearer:
            mine, theirs, view = max(nearer, key=lambda one: one[1] - one[0])
            reasons.append(
                f"less similar by {WORDS.get(view, view)}: {mine:.2f} against {theirs:.2f}"
            )
    side = other.side
    for mapping in alignment or ():
        if (getattr(mapping, side), mapping.kind) == other.key and mapping.relation == "equivalent":
            label = mapping.target_label if side == "source" else mapping.source_label
            reasons.append(f"mapped to {label} ({percent(mapping.confidence)})")
    return "; ".join(reasons)


def contrast(one: str, other: str, values: Mapping[str, Any]) -> Page:
    """Why two entities, one of each ontology in either order, were mapped to each other, or not.

    Args:
        one: an IRI, short IRI, local name or label; so is ``other``.
        values: the stages' values by stage name; missing ones are left out.

    Raises:
        DataError: the items do not name an entity of each ontology, of the same kind.
    """
    described: Described = values["retrieve"]
    # Each side is searched by itself: a local name in one ontology must not hide a label in the
    # other.
    found = [
        [
            each
            for side in ("source", "target")
            for each in named_among(item, described, described.of(side))
        ]
        for item in (one, other)
    ]
    pairs = [(a, b) for a in found[0] for b in found[1] if a.side != b.side and a.kind == b.kind]
    if not pairs:
        what = f"{one!r} and {other!r} are not an entity of each ontology, of the same kind"
        raise DataError(
            what,
            fix="Only such pairs can be mapped. %om explain ITEM shows each by itself.",
        )
    source, target = sorted(pairs[0], key=lambda each: each.side)
    known = StageFacts(values)
    sides = [_side(source, target, known), _side(target, source, known)]
    tables = [_texts(source, target), *(table for table, _ in sides if table is not None)]
    decided = [*(line for _, line in sides if line), *_pair_outcome(source, target, known)]
    return Page(f"{source.name} (source) and {target.name} (target)", [*decided, *tables])


def _pair_outcome(source: Description, target: Description, known: StageFacts) -> Iterator[str]:
    """What became of a pair; if it was not mapped, what became of each."""
    if known.alignment is None:
        return
    about = (source.iri, target.iri, source.kind)
    lines = list(_lines(known.alignment, lambda m: (*m.pair, m.kind) == about))
    yield from lines
    if not any(line.startswith("mapped") for line in lines):
        yield "not mapped to each other"
        for one in (source, target):
            yield from (f"{one.name}: {line}" for line in known.outcome(one))


def _texts(source: Description, target: Description) -> Table:
    """The names, definitions, axioms and neighbours of both."""
    rows: TableRows = [["IRI", source.iri, target.iri], ["kind", source.kind, target.kind]]
    for head, mine, theirs in (
        ("names", *("; ".join(map(" ".join, one.names)) for one in (source, target))),
        ("means", *("; ".join(one.told) for one in (source, target))),
        ("axioms", source.semantic, target.semantic),
        ("neighbours", *("; ".join(one.related) for one in (source, target))),
    ):
        if mine or theirs:
            rows.append([head, mine, theirs])
    shared = "; ".join(sorted(map(" ".join, {*source.names} & {*target.names}))) or "none"
    neighbours = "; ".join(sorted({*source.related} & {*target.related})) or "none"
    columns = texts(what="", source=source.name, target=target.name)
    return Table(
        columns,
        rows,
        caption="Side by side",
        notes=[f"names in common: {shared}; neighbours: {neighbours}"],
    )


def _side(about: Description, other: Description, known: StageFacts) -> tuple[Table | None, str]:
    """From one side: the other entity beside the candidate chosen instead, and the verdict in one
    line.
    """
    question, judged = known.question(about), known.judged(about)
    if question is None:
        return None, f"{about.name} had no candidates" if known.values.get("summarise") else ""
    chosen = judged.verdict.choice if judged else None
    iris = [candidate.iri for candidate in question.others]
    rival = (
        chosen
        if chosen not in (None, other.iri)
        else next((iri for iri in iris if iri != other.iri), None)
    )
    shown = [iri for iri in (other.iri, rival) if iri in iris]
    found = [(question.others[at], question.candidates[at]) for at in map(iris.index, shown)]
    ranks = known.ranks(about)
    cells: list[tuple[str, Callable[[str, Candidate], str]]] = [
        ("place", lambda iri, c: f"{c.rank} of {len(iris)}"),
        ("fused score", lambda iri, c: f"{c.score:.3f}"),
        *((view, _view(view, ranks)) for view in VIEWS),
        ("equal name", lambda iri, c: "yes" if "exact" in ranks.get(iri, {}) else "no"),
        ("chosen", lambda iri, c: "yes" if iri == chosen else "no"),
    ]
    rows: TableRows = [
        [head, *(cell(one.iri, candidate) for one, candidate in found)] for head, cell in cells
    ]
    columns = [
        Column("what", ""),
        *(Column(f"c{at}", one.name) for at, (one, _) in enumerate(found)),
    ]
    table = Table(columns, rows, caption=f"Asked from {about.name}") if found else None
    said = f"asked from {about.name} ({about.side}): {in_words(judged)}" if judged else ""
    if other.iri not in iris:
        said = "; ".join(filter(None, (f"{other.name} was not a candidate of {about.name}", said)))
    return table, said


def _view(view: str, ranks: Mapping[str, Mapping[str, int]]) -> Callable[[str, Candidate], str]:
    def cell(iri: str, candidate: Candidate) -> str:
        place = ranks.get(iri, {}).get(view)
        cosine = round(getattr(candidate.cosines, view), 2) + 0.0  # never -0.00
        return f"cosine {cosine:.2f}, " + (f"rank {place}" if place else "not found")

    return cell
