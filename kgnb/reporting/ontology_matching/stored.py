"""Other systems on the same pair: alignments whose files lie beside the data, and matchers installed beside kgnb.

All are scored by us, and laid over ours. An installed matcher is optional and never needed. It runs in a process of
its own: what it imports, prints or breaks stays there. Settings are the libraries' defaults, save that one mapping an
entity is asked for, or a bar of 0.8 where a library would map everything; nothing is tuned.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from kgnb.datasets.published import MatchingCase
from kgnb.evaluate.alignment import Score, Triple, micro, non_trivial, oriented, score, scored_by_oaei, triples
from kgnb.kg.labels import readable
from kgnb.kg.ontology import Entity, Ontology
from kgnb.mapping_files import load
from kgnb.mappings import Mapping
from kgnb.reporting.ontology_matching.results import MatchingResults, PairOutcome, StoredAlignment, shares
from kgnb.reporting.references import iris_of
from kgnb.reporting.sections import SCORES, UNMEASURED, Words, absent
from kgnb.results.table import Column, Link, Table, Value, numbers, percents, texts


def wrong(results: MatchingResults) -> Table:
    """Mappings that were found and are not in the reference, surest first: the errors that hurt most."""
    rows = sorted(
        ((one, mapping) for one in results.scored for mapping in one.alignment if _is_wrong(one, mapping)),
        key=lambda item: (-item[1].confidence, item[0].name, item[1].pair),
    )
    return _mappings(
        rows, "Found, but not in the reference", "no mapping was found that is not in the reference", results
    )


def missed(results: MatchingResults) -> Table:
    """Mappings of the reference that were not found, and how far each of them got."""
    columns = texts(pair="Pair", source="Source", relation="Relation", target="Target", fate="What became of it")
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for one in results.scored:
        for triple in sorted(one.right - one.found):
            fate, more = _fate(one, triple)
            rows.append([one.name, *linked(one, triple), fate])
            details.append([*both_sides(one, triple), *more])
    notes = [] if results.scored else [UNMEASURED]
    return Table(columns, rows, caption=f"In the reference, but not found: {len(rows)}", details=details, notes=notes)


def unsure(results: MatchingResults) -> Table:
    """Mappings the judge could not decide: what a person should look at, likeliest first."""
    rows = sorted(
        ((one, mapping) for one in results.outcomes for mapping in one.alignment.unsure),
        key=lambda item: (-item[1].confidence, item[0].name, item[1].pair),
    )
    return _mappings(rows, "Unsure", "the judge decided everything it was asked", results)


def _mappings(rows: list[tuple[PairOutcome, Mapping]], title: str, none: str, results: MatchingResults) -> Table:
    columns = [
        *texts(pair="Pair", source="Source", relation="Relation", target="Target"),
        Column("confidence", "Confidence", "percent"),
        Column("judged_by", "Judged by"),
    ]
    shown: list[list[Value]] = [
        [one.name, *linked(one, _triple(m), (m.source_label, m.target_label)), m.confidence, m.judged_by]
        for one, m in rows
    ]
    notes = [] if rows else [none if results.scored or title == "Unsure" else UNMEASURED]
    details = [_reasons(one, mapping) for one, mapping in rows]
    return Table(columns, shown, caption=f"{title}: {len(rows)}", details=details, notes=notes)


def _is_wrong(one: PairOutcome, mapping: Mapping) -> bool:
    return one.wanted is not None and _triple(mapping) in one.found - one.right


def _triple(mapping: Mapping) -> Triple:
    return mapping.source, mapping.target, mapping.relation


def _reasons(one: PairOutcome, mapping: Mapping) -> list[Detail]:
    """What spoke for a mapping, and what the reference has for the two entities instead."""
    details = evidence_details(mapping)
    for source, target, relation in sorted(one.right):
        if source == mapping.source or target == mapping.target:
            names_of = (_name(source, one.source.find(source)), _name(target, one.target.find(target)))
            details.append(("the reference has", f"{names_of[0]} {relation} {names_of[1]}"))
    return details + both_sides(one, _triple(mapping))


def _fate(one: PairOutcome, triple: Triple) -> tuple[str, list[Detail]]:
    """How far a missed mapping got: dropped with a reason, unsure, another relation, or never accepted."""
    pair = triple[:2]
    for dropped in one.alignment.dropped:
        if dropped.mapping.pair == pair:
            return f"dropped: {dropped.reason}", evidence_details(dropped.mapping)
    for mapping in one.alignment.unsure:
        if mapping.pair == pair:
            return "unsure", evidence_details(mapping)
    for mapping in one.alignment:
        if mapping.pair == pair:
            return f"found as {mapping.relation}", evidence_details(mapping)
    rivals = [mapping for mapping in one.alignment if mapping.source == pair[0] or mapping.target == pair[1]]
    if rivals:
        taken = "; ".join(f"{m.source_label or m.source} = {m.target_label or m.target}" for m in rivals)
        return "another was chosen", [("chosen", taken)]
    if one.wanted and triple in one.wanted.strangers:
        return "the ontologies have no such entity", []
    return "never accepted", []


def evidence_details(mapping: Mapping) -> list[Detail]:
    """What spoke for a mapping, to be opened below its row."""
    said = [("why", mapping.rationale)] if mapping.rationale else []
    lines = [
        f"{item.kind}{'' if item.score is None else f' ({item.score:.2f})'}: {item.text}" for item in mapping.evidence
    ]
    return said + ([("evidence", "\n".join(["", *lines]))] if lines else [])


def entity_details(side: str, entity: Entity | None, ontology: Ontology) -> Iterable[Detail]:
    """What an entity is, in a line; nothing for one the ontology does not have."""
    if entity is None:
        return []
    parents = ", ".join(_name(iri, ontology.find(iri)) for iri in entity.parents)
    said = [
        f"{entity.kind} {_name(entity.iri, entity)}",
        *([f"also called {', '.join(text.text for text in entity.synonyms[:5])}"] if entity.synonyms else []),
        *([f"below {parents}"] if parents else []),
        *[text.text for text in (*entity.definitions, *entity.comments)[:1]],
    ]
    return [(side, "; ".join(said))]


def both_sides(one: PairOutcome, triple: Triple) -> list[Detail]:
    """What the two entities of a mapping are."""
    sides = (("source", one.source, triple[0]), ("target", one.target, triple[1]))
    return [said for side, ontology, iri in sides for said in entity_details(side, ontology.find(iri), ontology)]


def linked(one: PairOutcome, triple: Triple, labels: tuple[str, str] = ("", "")) -> list[Value]:
    """A mapping as three cells: the source's name leading to its IRI, the relation, the target's name."""
    source, target = (
        Link(iri, label or _name(iri, ontology.find(iri)))
        for iri, label, ontology in zip(triple, labels, (one.source, one.target), strict=False)
    )
    return [source, triple[2], target]


def _name(iri: str, entity: Entity | None) -> str:
    return readable(entity) if entity else iri


NONE = "No alignments of other systems lie beside this data."
SHOWN = 100  # rows of the tables one reads through

Detail = tuple[str, str]


def stored_alignments(case: MatchingCase, source: Ontology, target: Ontology) -> tuple[StoredAlignment, ...]:
    """The alignments in ``baselines/*/*.rdf.gz`` beside a pair's ontologies; those of other pairs are passed over."""
    if not isinstance(case.source, Path):
        return ()
    return tuple(_read(case.source.parent / "baselines", source, target))


def _read(folder: Path, source: Ontology, target: Ontology) -> Iterator[StoredAlignment]:
    sides = iris_of(source, target)
    for file in sorted(folder.glob("*/*.rdf.gz"), key=lambda path: path.name.casefold()):
        alignment = load(file)
        found = scored_by_oaei(triples(alignment, *{mapping.relation for mapping in alignment}))
        try:
            yield StoredAlignment(file.name.removesuffix(".rdf.gz"), oriented(found, *sides).triples)
        except ValueError:  # it aligns two other ontologies
            continue


def beside(results: MatchingResults) -> Table | Words:
    """Everyone's scores by one evaluator, best first: of everything, and without the pairs that share a label."""
    columns = [
        Column("system", "System"),
        *numbers(found="Found", right="Right"),
        *SCORES,
        *percents(
            part_precision="Non-trivial: precision", part_recall="Non-trivial: recall", part_f1="Non-trivial: F1"
        ),
    ]
    rows: list[list[Value]] = [
        [name, whole.tp + whole.fp, whole.tp, *shares(whole), *shares(part)] for name, whole, part in compared(results)
    ]
    if not rows:
        return absent(NONE)
    notes = [
        "Other systems' alignments are read from their files and scored like ours; they may have used what we do not, "
        "such as other ontologies or trained models.",
    ]
    return Table(columns, rows, caption=results.labelled("Beside stored alignments"), notes=notes)


def compared(results: MatchingResults) -> list[tuple[str, Score, Score]]:
    """Every system and ours, best first: scores, and those of the non-trivial part; of pairs with stored alignments."""
    pairs = [one for one in results.scored if one.stored]
    scored = [(results.matcher, *_scores((one, one.found) for one in pairs))] if pairs else []
    for system in dict.fromkeys(one.system for outcome in pairs for one in outcome.stored):
        scored.append((system, *_scores((one, _of(one, system)) for one in pairs)))
    return sorted(scored, key=lambda one: (-one[1].f1, one[0]))


def overlap(results: MatchingResults) -> Table | None:
    """How our mappings and theirs lie over each other, system by system and against all of them at once."""
    columns = [
        Column("system", "System"),
        *numbers(
            both="Right, both",
            ours="Right, only we",
            theirs="Right, only they",
            wrong="Wrong, both",
            ours_wrong="Wrong, only we",
            theirs_wrong="Wrong, only they",
        ),
    ]
    pairs = [one for one in results.scored if one.stored]
    rows: list[list[Value]] = []
    for system in dict.fromkeys(one.system for outcome in pairs for one in outcome.stored):
        sides = [(one, _of(one, system)) for one in pairs]
        rows.append([system, *_laid_over(sides)])
    if rows:
        rows.append(["any of them", *_laid_over([(one, _any(one)) for one in pairs])])
        rows.append(["all of them", *_laid_over([(one, _all(one)) for one in pairs])])
    return Table(columns, rows, caption=results.labelled("Overlap")) if rows else None


def only_ours(results: MatchingResults) -> Table | None:
    """What we found and nobody else did, right ones first; open a row for why."""
    found = [
        (one, triple, triple in one.right)
        for one in results.scored
        if one.stored
        for triple in sorted(one.found - _any(one))
    ]
    found.sort(key=lambda item: not item[2])
    return _listed(results, found, "Found by us alone")


def only_theirs(results: MatchingResults) -> Table | None:
    """What every other system found, is right, and we missed."""
    found = [
        (one, triple, True)
        for one in results.scored
        if one.stored and one.wanted
        for triple in sorted((_all(one) & one.right) - one.found)
    ]
    return _listed(results, found, "Right, found by all others, missed by us")


def often_theirs(results: MatchingResults) -> Table | None:
    """What is right, we missed, and most others found; most of them first."""
    found = []
    for one in results.scored:
        for triple in sorted(one.right - one.found) if one.stored else ():
            systems = [system.system for system in one.stored if triple in system.found]
            if 2 * len(systems) > len(one.stored):
                found.append((len(systems), one, triple))
    found.sort(key=lambda item: -item[0])
    return _listed(results, [(one, triple, True) for _, one, triple in found], "Right, found by most, missed by us")


def _listed(results: MatchingResults, found: list[tuple[PairOutcome, Triple, bool]], title: str) -> Table | None:
    if not any(one.stored for one in results.scored):
        return None
    columns = texts(right="In reference", source="Source", relation="Relation", target="Target", systems="Found by")
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for one, triple, right in found[:SHOWN]:
        theirs = [system.system for system in one.stored if triple in system.found]
        rows.append(["yes" if right else "no", *linked(one, triple), ", ".join(theirs) or "us alone"])
        mapping = next((m for m in one.alignment if _triple(m) == triple), None)
        details.append([*(evidence_details(mapping) if mapping else []), *both_sides(one, triple)])
    caption = results.labelled(f"{title}: {len(found)}")
    return Table(columns, rows, caption=caption, details=details, total=len(found) if len(found) > SHOWN else None)


def _scores(sides: Iterable[tuple[PairOutcome, frozenset[Triple]]]) -> tuple[Score, Score]:
    kept = list(sides)
    whole = micro(score(found, one.right) for one, found in kept)
    return whole, micro(non_trivial(found, one.right, one.trivial) for one, found in kept)


def _of(one: PairOutcome, system: str) -> frozenset[Triple]:
    return next((stored.found for stored in one.stored if stored.system == system), frozenset())


def _any(one: PairOutcome) -> frozenset[Triple]:
    return frozenset().union(*(stored.found for stored in one.stored))


def _all(one: PairOutcome) -> frozenset[Triple]:
    first, *others = (stored.found for stored in one.stored)
    return first.intersection(*others)


def _laid_over(sides: Iterable[tuple[PairOutcome, frozenset[Triple]]]) -> list[int]:
    """Right by both, by us alone, by them alone; wrong by both, by us alone, by them alone."""
    counts = [0] * 6
    for one, theirs in sides:
        for at, part in enumerate((one.found & theirs, one.found - theirs, theirs - one.found)):
            counts[at] += len(part & one.right)
            counts[at + 3] += len(part - one.right)
    return counts


SECONDS = 900  # for one pair

ONTOALIGNER = """
import json, sys
from ontoaligner.aligner import SimpleFuzzySMLightweight
from ontoaligner.encoder import ConceptLightweightEncoder
from ontoaligner.ontology import GenericOntology
source, target = (GenericOntology().parse(input_file_path=path) for path in sys.argv[1:3])
matcher = SimpleFuzzySMLightweight(fuzzy_sm_threshold=0.8)
found = matcher.generate(input_data=ConceptLightweightEncoder()(source=source, target=target))
json.dump([[one["source"], one["target"]] for one in found], open(sys.argv[3], "w"))
"""

TEXT2TERM = """
import json, sys
import text2term
from text2term.term import OntologyTermType
from text2term.term_collector import OntologyTermCollector
terms = OntologyTermCollector(sys.argv[1]).get_ontology_terms(term_type=OntologyTermType.CLASS)
named = {iri: sorted(term.labels)[0] for iri, term in terms.items() if term.labels}
found = text2term.map_terms(
    list(named.values()), sys.argv[2], source_terms_ids=tuple(named), max_mappings=1, mapper=text2term.Mapper.TFIDF
)
pairs = zip(found["Source Term ID"], found["Mapped Term IRI"]) if len(found) else ()
json.dump([list(pair) for pair in pairs], open(sys.argv[3], "w"))
"""
"""text2term maps terms to an ontology; the terms are the classes it reads itself out of the source's file."""


@dataclass(frozen=True)
class System:
    """A library that matches ontologies: its package, and a script that writes [[source IRI, target IRI], ...]."""

    name: str
    package: str
    script: str

    @property
    def installed(self) -> bool:
        """Whether it could be run."""
        return find_spec(self.package) is not None

    @property
    def label(self) -> str:
        """Its name and version, and that it was run here."""
        try:
            return f"{self.name} {version(self.package)}, run here"
        except PackageNotFoundError:
            return f"{self.name}, run here"


SYSTEMS = (System("OntoAligner", "ontoaligner", ONTOALIGNER), System("text2term", "text2term", TEXT2TERM))


def installed_alignments(
    case: MatchingCase,
    source: Ontology,
    target: Ontology,
    systems: Sequence[System] = SYSTEMS,
    seconds: float = SECONDS,
) -> tuple[tuple[StoredAlignment, ...], tuple[str, ...]]:
    """What the installed systems find for a pair of files, and a note on each that failed."""
    files = [Path(spec) for spec in (case.source, case.target) if isinstance(spec, str | Path) and Path(spec).is_file()]
    if len(files) < 2:  # an endpoint has no file to hand on
        return (), ()
    found: list[StoredAlignment] = []
    notes: list[str] = []
    sides = iris_of(source, target)
    for system in systems:
        if not system.installed:
            continue
        pairs = _run(system, *files, seconds=seconds)
        if isinstance(pairs, str):
            notes.append(f"{system.label}, on {case.name}: {pairs}")
            continue
        known = [(*pair, "equivalent") for pair in pairs if pair[0] in sides[0] and pair[1] in sides[1]]
        found.append(
            StoredAlignment(system.label, oriented(scored_by_oaei(known), *sides).triples if known else frozenset())
        )
    return tuple(found), tuple(notes)


def _run(system: System, source: Path, target: Path, *, seconds: float) -> list[tuple[str, str]] | str:
    """The pairs, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "pairs.json"
        command = [sys.executable, "-c", system.script, str(source.resolve()), str(target.resolve()), str(out)]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return f"not done after {seconds:g} s"
        if done.returncode or not out.is_file():
            return f"failed: {next(_last_words(done.stderr), 'it wrote nothing')}"
        return [(str(one), str(other)) for one, other in json.loads(out.read_text(encoding="utf-8"))]


def _last_words(text: str) -> Iterator[str]:
    return (line.strip()[:200] for line in reversed(text.splitlines()) if line.strip())
