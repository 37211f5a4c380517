"""A person's decisions on a matching, handed on and taken over as SSSOM."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kgnb.agents.ontology_matching.reviewed import MatchDecisions, Ruling
from kgnb.kg.labels import readable
from kgnb.kg.ontology import Kind, Ontology
from kgnb.mapping_files import reviews
from kgnb.mapping_files.reviews import Review
from kgnb.mappings import Mapping, which_concepts
from kgnb.results.bundle import count


def export(decisions: MatchDecisions, path: str, source: Ontology, target: Ontology) -> str:
    """Writes the decisions as SSSOM, with reviewer and time; what was done, in a line."""
    rulings = decisions.rulings().values()
    found = [
        Review(
            Mapping(
                *(one.source, one.target, one.relation, 1.0, one.kind),
                source_label=_label(source, one.source, one.kind),
                target_label=_label(target, one.target, one.kind),
                rationale=one.note,
                concepts=which_concepts(_is_concept(source, one.source), _is_concept(target, one.target)),
            ),
            one.who,
            one.when,
        )
        for one in rulings
    ]
    written = reviews.save(found, Path(path).expanduser(), source.iri, target.iri)
    return f"wrote {count(len(found), 'decided pair')} to {written}"


def take_over(decisions: MatchDecisions, path: str, source: Ontology, target: Ontology) -> str:
    """Adds what people decided in an SSSOM file, whichever of the two ontologies comes first in it."""
    found, foreign = list[Ruling](), 0
    for review in reviews.read(Path(path).expanduser()):
        mapping = review.mapping
        kind: Kind = mapping.kind  # type: ignore[assignment]  # a kind the ontologies lack is looked up below
        ruling = Ruling(
            mapping.source, mapping.target, kind, mapping.relation, review.who, review.when, mapping.rationale
        )
        if source.find(ruling.source) is None and target.find(ruling.source) is not None:
            ruling = ruling.turned
        entity = source.find(ruling.source, ruling.kind) or source.find(ruling.source)
        if entity is None or target.find(ruling.target) is None or ruling.relation == "unsure":
            foreign += 1
            continue
        found.append(replace(ruling, kind=entity.kind))
    added = decisions.take_over(found)
    beside = f"; {foreign} about other entities left out" if foreign else ""
    return f"took over {count(added, 'decided pair')} into {decisions.path}{beside}"


def _label(ontology: Ontology, iri: str, kind: Kind) -> str:
    entity = ontology.find(iri, kind)
    return readable(entity) if entity is not None else ""


def _is_concept(ontology: Ontology, iri: str) -> bool:
    entity = ontology.find(iri, "class")
    return entity is not None and entity.concept
