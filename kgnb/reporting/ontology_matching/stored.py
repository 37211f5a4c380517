"""The mappings that are wrong, missed or unsure, and other systems on the same pairs: stored alignments, matchers run.

All are scored by us and compared with ours. An installed matcher is optional and runs in a process of its own, with its
library's defaults, except that one mapping an entity is asked for, or a threshold of 0.8 where a library would map
everything; nothing is tuned.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from kgnb.datasets.published import MatchingCase
from kgnb.evaluate.alignment import Score, Triple, micro, non_trivial, oriented, score, scored_by_oaei, triples
from kgnb.kg.labels import readable
from kgnb.kg.ontology import Ontology
from kgnb.mapping_files import load
from kgnb.mappings import Mapping
from kgnb.reporting.ontology_matching.results import MatchingResults, PairOutcome, StoredAlignment, shares
from kgnb.reporting.references import iris_of
from kgnb.reporting.sections import SCORES, SHOWN, UNMEASURED, Detail, Words, absent
from kgnb.results.table import LabelledIri, Table, Value, numbers, percents, texts


def wrong(results: MatchingResults) -> Table:
    """Mappings that were found and are not in the reference, the most confident first."""
    rows = [
        (one, mapping)
        for one in results.scored
        for mapping in one.alignment
        if _triple(mapping) in one.found - one.right
    ]
    none = "no mapping was found that is not in the reference" if results.scored else UNMEASURED
    return _mappings(rows, "Found, but not in the reference", none)


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
    """Mappings the judge could not decide, likeliest first."""
    rows = [(one, mapping) for one in results.outcomes for mapping in one.alignment.unsure]
    return _mappings(rows, "Unsure", "the judge decided everything it was asked")


def _mappings(rows: list[tuple[PairOutcome, Mapping]], title: str, none: str) -> Table:
    rows = sorted(rows, key=lambda item: (-item[1].confidence, item[0].name, item[1].pair))
    columns = [
        *texts(pair="Pair", source="Source", relation="Relation", target="Target"),
        *percents(confidence="Confidence"),
        *texts(judged_by="Judged by"),
    ]
    shown: list[list[Value]] = [
        [one.name, *linked(one, _triple(m), (m.source_label, m.target_label)), m.confidence, m.judged_by]
        for one, m in rows
    ]
    details = [_reasons(one, mapping) for one, mapping in rows]
    return Table(columns, shown, caption=f"{title}: {len(rows)}", details=details, notes=[] if rows else [none])


def _triple(mapping: Mapping) -> Triple:
    return mapping.source, mapping.target, mapping.relation


def _reasons(one: PairOutcome, mapping: Mapping) -> list[Detail]:
    """The evidence for a mapping, and what the reference has for the two entities instead."""
    details = evidence_details(mapping)
    for triple in sorted(one.right):
        if triple[0] == mapping.source or triple[1] == mapping.target:
            source, target = (_name(iri, side) for iri, side in zip(triple, (one.source, one.target), strict=False))
            details.append(("the reference has", f"{source} {triple[2]} {target}"))
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
    """The evidence for a mapping, to be opened below its row."""
    lines = [
        f"{item.kind}{'' if item.score is None else f' ({item.score:.2f})'}: {item.text}" for item in mapping.evidence
    ]
    reason = [("why", mapping.rationale)] if mapping.rationale else []
    return reason + ([("evidence", "\n".join(["", *lines]))] if lines else [])


def both_sides(one: PairOutcome, triple: Triple) -> list[Detail]:
    """A line on each of the two entities of a mapping; nothing for one that its ontology does not have."""
    found = []
    for name, ontology, iri in (("source", one.source, triple[0]), ("target", one.target, triple[1])):
        if entity := ontology.find(iri):
            parts = [
                f"{entity.kind} {readable(entity)}",
                *([f"also called {', '.join(text.text for text in entity.synonyms[:5])}"] if entity.synonyms else []),
                *(
                    [f"below {', '.join(_name(parent, ontology) for parent in entity.parents)}"]
                    if entity.parents
                    else []
                ),
                *[text.text for text in (*entity.definitions, *entity.comments)[:1]],
            ]
            found.append((name, "; ".join(parts)))
    return found


def linked(one: PairOutcome, triple: Triple, labels: tuple[str, str] = ("", "")) -> list[Value]:
    """A mapping as three cells: the source's name linked to its IRI, the relation, the target's name."""
    source, target = (
        LabelledIri(iri, label or _name(iri, ontology))
        for iri, label, ontology in zip(triple, labels, (one.source, one.target), strict=False)
    )
    return [source, triple[2], target]


def _name(iri: str, ontology: Ontology) -> str:
    entity = ontology.find(iri)
    return readable(entity) if entity else iri


def stored_alignments(case: MatchingCase, source: Ontology, target: Ontology) -> tuple[StoredAlignment, ...]:
    """The alignments in ``baselines/*/*.rdf.gz`` beside a pair's ontologies; those of other pairs are skipped."""
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
    """All systems' scores by one evaluator, best first: of everything, and without the pairs that share a label."""
    columns = [
        *texts(system="System"),
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
        return absent("No alignments of other systems lie beside this data.")
    notes = [
        "Other systems' alignments are read from their files and scored like ours; they may have used what we do not, "
        "such as other ontologies or trained models.",
    ]
    return Table(columns, rows, caption=results.labelled("Beside stored alignments"), notes=notes)


def _systems(pairs: Sequence[PairOutcome]) -> dict[str, list[frozenset[Triple]]]:
    """What each system found, pair by pair; empty for a pair of which it has no alignment."""
    names = dict.fromkeys(stored.system for one in pairs for stored in one.stored)
    found = [{stored.system: stored.found for stored in one.stored} for one in pairs]
    return {name: [theirs.get(name, frozenset()) for theirs in found] for name in names}


def compared(results: MatchingResults) -> list[tuple[str, Score, Score]]:
    """Every system and ours, best first: scores, and those of the non-trivial part; of pairs with stored alignments."""
    pairs = [one for one in results.scored if one.stored]
    found = {results.matcher: [one.found for one in pairs], **_systems(pairs)} if pairs else {}
    scored = []
    for name, sets in found.items():
        sides = list(zip(sets, pairs, strict=True))
        whole = micro(score(theirs, one.right) for theirs, one in sides)
        scored.append((name, whole, micro(non_trivial(theirs, one.right, one.trivial) for theirs, one in sides)))
    return sorted(scored, key=lambda one: (-one[1].f1, one[0]))


def overlap(results: MatchingResults) -> Table | None:
    """How our mappings overlap with those of each system, and with those of all systems together."""
    pairs = [one for one in results.scored if one.stored]
    if not pairs:
        return None
    columns = [
        *texts(system="System"),
        *numbers(both="Right, both", ours="Right, only we", theirs="Right, only they"),
        *numbers(wrong="Wrong, both", ours_wrong="Wrong, only we", theirs_wrong="Wrong, only they"),
    ]
    found = _systems(pairs)
    found |= {"any of them": [_any(one) for one in pairs], "all of them": [_all(one) for one in pairs]}
    rows: list[list[Value]] = [[name, *_overlap(pairs, sets)] for name, sets in found.items()]
    return Table(columns, rows, caption=results.labelled("Overlap"))


def _overlap(pairs: Sequence[PairOutcome], found: Sequence[frozenset[Triple]]) -> list[int]:
    """Right by both, by us alone, by them alone; wrong by both, by us alone, by them alone."""
    counts = [0] * 6
    for one, theirs in zip(pairs, found, strict=True):
        for at, part in enumerate((one.found & theirs, one.found - theirs, theirs - one.found)):
            counts[at] += len(part & one.right)
            counts[at + 3] += len(part - one.right)
    return counts


def _any(one: PairOutcome) -> frozenset[Triple]:
    return frozenset().union(*(stored.found for stored in one.stored))


def _all(one: PairOutcome) -> frozenset[Triple]:
    first, *others = (stored.found for stored in one.stored)
    return first.intersection(*others)


def only_ours(results: MatchingResults) -> Table | None:
    """What we found and nobody else did, right ones first; a row opens to the evidence."""
    found = [(one, triple) for one in results.scored if one.stored for triple in sorted(one.found - _any(one))]
    found.sort(key=lambda item: item[1] not in item[0].right)
    return _listed(results, found, "Found by us alone")


def only_theirs(results: MatchingResults) -> Table | None:
    """What every other system found, is right, and we missed."""
    found = [
        (one, triple) for one in results.scored if one.stored for triple in sorted((_all(one) & one.right) - one.found)
    ]
    return _listed(results, found, "Right, found by all others, missed by us")


def often_theirs(results: MatchingResults) -> Table | None:
    """What is right, we missed, and most others found; most of them first."""
    found = [
        (one, triple)
        for one in results.scored
        for triple in sorted(one.right - one.found)
        if 2 * len(_finders(one, triple)) > len(one.stored)
    ]
    found.sort(key=lambda item: -len(_finders(*item)))
    return _listed(results, found, "Right, found by most, missed by us")


def _finders(one: PairOutcome, triple: Triple) -> list[str]:
    return [stored.system for stored in one.stored if triple in stored.found]


def _listed(results: MatchingResults, found: list[tuple[PairOutcome, Triple]], title: str) -> Table | None:
    if not any(one.stored for one in results.scored):
        return None
    columns = texts(right="In reference", source="Source", relation="Relation", target="Target", systems="Found by")
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for one, triple in found[:SHOWN]:
        right = "yes" if triple in one.right else "no"
        rows.append([right, *linked(one, triple), ", ".join(_finders(one, triple)) or "us alone"])
        mapping = next((m for m in one.alignment if _triple(m) == triple), None)
        details.append([*(evidence_details(mapping) if mapping else []), *both_sides(one, triple)])
    caption = results.labelled(f"{title}: {len(found)}")
    return Table(columns, rows, caption=caption, details=details, total=len(found))


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
"""text2term maps terms to an ontology; the terms are the classes that it reads from the source's file."""


@dataclass(frozen=True)
class System:
    """A library that matches ontologies: its package, and a script that writes [[source IRI, target IRI], ...]."""

    name: str
    package: str
    script: str

    @property
    def label(self) -> str:
        """Its name and version, marked as run here."""
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
    if len(files) < 2:  # an endpoint has no file to pass on
        return (), ()
    found: list[StoredAlignment] = []
    notes: list[str] = []
    sides = iris_of(source, target)
    for system in systems:
        if find_spec(system.package) is None:
            continue
        pairs = _run(system, *files, seconds=seconds)
        if isinstance(pairs, str):
            notes.append(f"{system.label}, on {case.name}: {pairs}")
            continue
        known = [(*pair, "equivalent") for pair in pairs if pair[0] in sides[0] and pair[1] in sides[1]]
        mapped = oriented(scored_by_oaei(known), *sides).triples if known else frozenset()
        found.append(StoredAlignment(system.label, mapped))
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
            lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
            return f"failed: {lines[-1][:200] if lines else 'it wrote nothing'}"
        return [(str(one), str(other)) for one, other in json.loads(out.read_text(encoding="utf-8"))]
