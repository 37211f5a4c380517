"""The mappings that are wrong, missed or unsure, and the alignments of other systems that are stored
beside the pair: scored by us and compared with ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from kgnb.datasets.published import MatchingCase
from kgnb.evaluate.alignment import Score, Triple, oriented, scored_by_oaei, triples
from kgnb.kg.labels import readable
from kgnb.kg.ontology import Ontology
from kgnb.mapping_files import load
from kgnb.mappings import Mapping
from kgnb.reporting.ontology_matching.results import MatchingResults, PairOutcome, shares
from kgnb.reporting.sections import SCORES, SHOWN, Detail, Fragment, absent
from kgnb.results.table import LabelledIri, Table, Value, numbers, percents, texts
from kgnb.tasks.matching import iris_of

_READ = 1000  # mappings of a page without a reference
MAPPED = texts(source="Source", relation="Relation", target="Target")


def wrong(results: MatchingResults) -> Table:
    """Mappings that were found and are not in the reference, the most confident first; without a
    reference, what was found, for a person to read.
    """
    if not results.scored:
        every = [(one, mapping) for one in results.outcomes for mapping in one.alignment]
        every.sort(key=_surest_first)
        title = "Found (no reference says which are right)"
        if len(every) > _READ:
            title = f"Found, {len(every):,} in all, the most confident of them"
        return _mappings(every[:_READ], title, "no mapping was found")
    found = [
        (one, m)
        for one in results.scored
        for m in one.alignment
        if _triple(m) in one.found - one.right
    ]
    none = "no mapping was found that is not in the reference"
    return _mappings(found, "Found, but not in the reference", none)


def unsure(results: MatchingResults) -> Table:
    """Mappings the judge could not decide, likeliest first."""
    found = [(one, mapping) for one in results.outcomes for mapping in one.alignment.unsure]
    return _mappings(found, "Unsure", "the judge decided everything it was asked", decided=False)


def _surest_first(item: tuple[PairOutcome, Mapping]) -> tuple[float, str, tuple[str, str]]:
    one, mapping = item
    return -mapping.confidence, one.name, mapping.pair


def _mappings(
    found: list[tuple[PairOutcome, Mapping]], title: str, none: str, *, decided: bool = True
) -> Table:
    """What is decided, the surest first; what is not has no confidence, and stands as it was left."""
    columns = [
        *texts(pair="Pair"),
        *MAPPED,
        *(percents(confidence="Confidence") if decided else []),
        *texts(judged_by="Judged by"),
    ]
    found = sorted(found, key=_surest_first) if decided else found
    rows = [
        [
            one.name,
            *_linked(one, _triple(m), m),
            *([m.confidence] if decided else []),
            m.judged_by,
        ]
        for one, m in found
    ]
    details = [[*_evidence(m), *_instead(one, m), *_sides(one, _triple(m))] for one, m in found]
    return Table(
        columns,
        rows,
        caption=f"{title}: {len(rows)}",
        details=details,
        notes=[] if rows else [none],
    )


def missed(results: MatchingResults) -> Table | None:
    """Mappings of the reference that were not found, and how far each of them got."""
    if not results.scored:
        return None
    columns = [*texts(pair="Pair"), *MAPPED, *texts(fate="What became of it")]
    lost = [(one, triple) for one in results.scored for triple in sorted(one.right - one.found)]
    fates = [_fate(one, triple) for one, triple in lost]
    rows = [
        [one.name, *_linked(one, triple), fate]
        for (one, triple), (fate, _) in zip(lost, fates, strict=True)
    ]
    details = [
        [*_sides(one, triple), *more] for (one, triple), (_, more) in zip(lost, fates, strict=True)
    ]
    caption = f"In the reference, but not found: {len(rows)}"
    return Table(columns, rows, caption=caption, details=details)


def _triple(mapping: Mapping) -> Triple:
    return mapping.source, mapping.target, mapping.relation


def _linked(one: PairOutcome, triple: Triple, mapping: Mapping | None = None) -> list[Value]:
    """A mapping as three cells: the source's name linked to its IRI, the relation, the target's
    name.
    """
    source, target, relation = triple
    labels = (mapping.source_label, mapping.target_label) if mapping else ("", "")
    return [
        LabelledIri(source, labels[0] or _name(source, one.source)),
        relation,
        LabelledIri(target, labels[1] or _name(target, one.target)),
    ]


def _name(iri: str, ontology: Ontology) -> str:
    entity = ontology.find(iri)
    return readable(entity) if entity else iri


def _evidence(mapping: Mapping | None) -> list[Detail]:
    """Why a mapping was found, to be opened below its row."""
    if mapping is None:
        return []
    lines = [
        f"{item.kind}{'' if item.score is None else f' ({item.score:.2f})'}: {item.text}"
        for item in mapping.evidence
    ]
    told = [("why", mapping.rationale), ("evidence", "\n".join(["", *lines]) if lines else "")]
    return [(head, text) for head, text in told if text]


def _instead(one: PairOutcome, mapping: Mapping) -> list[Detail]:
    """What the reference has for the two entities."""
    others = [t for t in sorted(one.right) if t[0] == mapping.source or t[1] == mapping.target]
    return [
        ("the reference has", f"{_name(s, one.source)} {how} {_name(t, one.target)}")
        for s, t, how in others
    ]


def _sides(one: PairOutcome, triple: Triple) -> list[Detail]:
    """A line on each of the two entities of a mapping; nothing for one that its ontology does not
    have.
    """
    found = []
    for name, ontology, iri in (
        ("source", one.source, triple[0]),
        ("target", one.target, triple[1]),
    ):
        if entity := ontology.find(iri):
            synonyms = ", ".join(text.text for text in entity.synonyms[:5])
            parents = ", ".join(_name(parent, ontology) for parent in entity.parents)
            parts = [f"{entity.kind} {readable(entity)}", synonyms and f"also called {synonyms}"]
            parts += [
                parents and f"below {parents}",
                *[t.text for t in (*entity.definitions, *entity.comments)[:1]],
            ]
            found.append((name, "; ".join(filter(None, parts))))
    return found


def _fate(one: PairOutcome, triple: Triple) -> tuple[str, list[Detail]]:
    """How far a missed mapping got: dropped with a reason, unsure, another relation, or never
    accepted.
    """
    pair, alignment = triple[:2], one.alignment
    told = [(f"dropped: {dropped.reason}", dropped.mapping) for dropped in alignment.dropped]
    told += [("unsure", mapping) for mapping in alignment.unsure]
    told += [(f"found as {mapping.relation}", mapping) for mapping in alignment]
    for fate, mapping in told:
        if mapping.pair == pair:
            return fate, _evidence(mapping)
    rivals = [m for m in alignment if m.source == pair[0] or m.target == pair[1]]
    if rivals:
        taken = "; ".join(
            f"{m.source_label or m.source} = {m.target_label or m.target}" for m in rivals
        )
        return "another was chosen", [("chosen", taken)]
    if one.wanted and triple in one.wanted.strangers:
        return "the ontologies have no such entity", []
    return "never accepted", []


def stored_alignments(
    case: MatchingCase, source: Ontology, target: Ontology
) -> dict[str, frozenset[Triple]]:
    """By system, the alignments in ``baselines/*/*.rdf.gz`` beside a pair's ontologies; other
    pairs' are skipped.
    """
    folder, sides = Path(case.source).parent / "baselines", iris_of(source, target)
    read = {}
    for file in sorted(folder.glob("*/*.rdf.gz"), key=lambda path: path.name.casefold()):
        alignment = load(file)
        found = scored_by_oaei(triples(alignment, *{mapping.relation for mapping in alignment}))
        try:
            read[file.name.removesuffix(".rdf.gz")] = oriented(found, *sides).triples
        except ValueError:  # it aligns two other ontologies
            continue
    return read


Item: TypeAlias = tuple[int, Triple]  # a mapping of one of the pairs, by place


@dataclass(frozen=True)
class Others:
    """Our mappings and those of other systems, of all pairs for which such alignments are stored."""

    pairs: Sequence[PairOutcome]

    def of(self, found: Iterable[Iterable[Triple]]) -> frozenset[Item]:
        """The mappings of all pairs, given pair by pair."""
        return frozenset((at, triple) for at, triples in enumerate(found) for triple in triples)

    @cached_property
    def right(self) -> frozenset[Item]:
        """The references."""
        return self.of(one.right for one in self.pairs)

    @cached_property
    def ours(self) -> frozenset[Item]:
        """What we found."""
        return self.of(one.found for one in self.pairs)

    @cached_property
    def systems(self) -> dict[str, frozenset[Item]]:
        """What each other system found."""
        names = dict.fromkeys(name for one in self.pairs for name in one.stored)
        return {name: self.of(one.stored.get(name, ()) for one in self.pairs) for name in names}

    @cached_property
    def any(self) -> frozenset[Item]:
        """What one of them found at least."""
        return frozenset().union(*self.systems.values())

    @cached_property
    def all(self) -> frozenset[Item]:
        """What all of them found that have an alignment of the pair."""
        return frozenset(
            item for item in self.any if len(self.finders(item)) == len(self.pairs[item[0]].stored)
        )

    def finders(self, item: Item) -> list[str]:
        """The systems that found a mapping."""
        return [name for name, found in self.systems.items() if item in found]

    def score(self, found: frozenset[Item], *, trivial: bool = True) -> Score:
        """Of everything, or without the pairs that share a label."""
        kept, wanted = (
            side
            if trivial
            else {item for item in side if not self.pairs[item[0]].trivial(*item[1][:2])}
            for side in (found, self.right)
        )
        return Score(len(kept & wanted), len(kept - wanted), len(wanted - kept))


def others(results: MatchingResults) -> Others:
    """The pairs of these results that have stored alignments."""
    return Others([one for one in results.scored if one.stored])


def compared(results: MatchingResults) -> list[tuple[str, Score, Score]]:
    """Every system and ours, best first: scores, and those of the non-trivial part; of pairs with
    stored alignments.
    """
    about = others(results)
    found = {results.matcher: about.ours, **about.systems} if about.pairs else {}
    scored = [
        (name, about.score(one), about.score(one, trivial=False)) for name, one in found.items()
    ]
    return sorted(scored, key=lambda one: (-one[1].f1, one[0]))


def beside(results: MatchingResults) -> Table | Fragment:
    """All systems' scores by one evaluator, best first: of everything, and without the pairs that
    share a label.
    """
    columns = [*texts(system="System"), *numbers(found="Found", right="Right"), *SCORES]
    columns += percents(part_precision="Non-trivial: precision", part_recall="Non-trivial: recall")
    columns += percents(part_f1="Non-trivial: F1")
    scored = compared(results)
    if not scored:
        return absent("No alignments of other systems lie beside this data.")
    notes = [
        "Other systems' alignments are read from their files and scored like ours; they may have used what we do not, "
        "such as other ontologies or trained models.",
    ]
    rows: list[list[Value]] = [
        [name, one.tp + one.fp, one.tp, *shares(one), *shares(part)] for name, one, part in scored
    ]
    return Table(columns, rows, caption=results.labelled("Beside stored alignments"), notes=notes)


def overlap(results: MatchingResults) -> Table | None:
    """How our mappings overlap with those of each system, and with those of all systems together."""
    about = others(results)
    if not about.pairs:
        return None
    columns = [
        *texts(system="System"),
        *numbers(both="Right, both", ours="Right, only we", theirs="Right, only they"),
        *numbers(wrong="Wrong, both", ours_wrong="Wrong, only we", theirs_wrong="Wrong, only they"),
    ]
    rows: list[list[Value]] = []
    for name, found in {
        **about.systems,
        "any of them": about.any,
        "all of them": about.all,
    }.items():
        parts = (about.ours & found, about.ours - found, found - about.ours)
        rows.append(
            [
                name,
                *(len(part & about.right) for part in parts),
                *(len(part - about.right) for part in parts),
            ]
        )
    return Table(columns, rows, caption=results.labelled("Overlap"))


def only_ours(results: MatchingResults) -> Table | None:
    """What we found and nobody else did, right ones first; a row opens to the evidence."""
    about = others(results)
    found = sorted(about.ours - about.any, key=lambda item: (item not in about.right, item))
    return _listed(results, about, found, "Found by us alone")


def only_theirs(results: MatchingResults) -> Table | None:
    """What every other system found, is right, and we missed."""
    about = others(results)
    found = sorted((about.all & about.right) - about.ours)
    return _listed(results, about, found, "Right, found by all others, missed by us")


def often_theirs(results: MatchingResults) -> Table | None:
    """What is right, we missed, and most others found; most of them first."""
    about = others(results)
    finders = {item: len(about.finders(item)) for item in about.right - about.ours}
    found = [
        item for item, number in finders.items() if 2 * number > len(about.pairs[item[0]].stored)
    ]
    found.sort(key=lambda item: (-finders[item], item))
    return _listed(results, about, found, "Right, found by most, missed by us")


def _listed(results: MatchingResults, about: Others, found: list[Item], title: str) -> Table | None:
    if not about.pairs:
        return None
    columns = [*texts(right="In reference"), *MAPPED, *texts(systems="Found by")]
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for item in found[:SHOWN]:
        one, triple = about.pairs[item[0]], item[1]
        right = "yes" if item in about.right else "no"
        rows.append([right, *_linked(one, triple), ", ".join(about.finders(item)) or "us alone"])
        mapping = next((m for m in one.alignment if _triple(m) == triple), None)
        details.append([*_evidence(mapping), *_sides(one, triple)])
    caption = results.labelled(f"{title}: {len(found)}")
    return Table(columns, rows, caption=caption, details=details, total=len(found))
