"""``%om``: match two ontologies, one stage per cell."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from kgnb.agents.agent import OutOfOrder
from kgnb.agents.ontology_matching import AGENT
from kgnb.agents.ontology_matching.coherence import Coherence, check
from kgnb.agents.ontology_matching.reviewed import MatchDecisions, PairDecision, curated
from kgnb.agents.ontology_matching.search import similar
from kgnb.agents.ontology_matching.values import KINDS
from kgnb.evaluate.alignment import (
    non_trivial,
    per_kind,
    per_relation,
    same_name,
    score,
    scored_by_oaei,
    triples,
)
from kgnb.kg.ontology import Ontology
from kgnb.magics.agent import AgentMagics, agent_verb, options_of
from kgnb.magics.arguments import Number, argument
from kgnb.magics.explain import contrast, explain, named_among, two_items
from kgnb.magics.picture import MOST, picture
from kgnb.magics.reviewing import decisions_of
from kgnb.magics.verbs import verb
from kgnb.mapping_files import reviews
from kgnb.mapping_files.reviews import ReviewedMapping
from kgnb.mappings import Alignment
from kgnb.results.bundle import count
from kgnb.results.table import (
    COUNTS,
    PRECISION_RECALL_F1,
    Column,
    LabelledIri,
    Table,
    TableRows,
    metrics,
    numbers,
    texts,
)
from kgnb.tasks.matching import MatchingTask, decisions_in, open_reference, turned
from kgnb.widgets.review import Thing


class OmMagics(AgentMagics[MatchingTask], agent=AGENT):
    """The ``%om`` magic."""

    nothing_yet = "no ontologies have been named yet"

    def started(self, task: MatchingTask) -> Table:
        """Both ontologies with their counts, and what was repaired in them."""
        columns = (*texts(side="side", name="ontology"), *numbers(**{kind: kind for kind in KINDS}))
        rows: TableRows = [
            [side, ontology.name, *(len(ontology.of_kind(kind)) for kind in KINDS)]
            for side, ontology in task.inputs.items()
        ]
        notes = [*task.warnings(), self.next_line()]
        return Table(columns, rows, caption="The two ontologies", notes=notes)

    @verb("om evaluate", "%om evaluate --reference reference.rdf")
    @options_of(AGENT.knobs(("reference",)))
    def measure(self, arguments: argparse.Namespace) -> Any:
        """Compare the alignment with a reference: precision, recall and F1."""
        task = self.current_task(arguments)
        alignment, reference = task.need("merge"), task.option("reference")
        if not reference:
            raise OutOfOrder(
                "there is no reference to compare with",
                fix="Name one: %om evaluate --reference FILE",
            )
        return measures(alignment, open_reference(reference), task["source"], task["target"])

    @verb(
        "om explain",
        "%om explain Hut",
        "%om explain Hut Refuge",
        "%om explain http://huts.example/alpine#Hut",
    )
    @argument(
        "item",
        metavar="ITEM",
        nargs="+",
        help="an IRI, local name or label; two of them: why, or why not",
    )
    def why(self, arguments: argparse.Namespace) -> Any:
        """Show an entity's candidates, ranks, verdict and outcome, or compare two entities side by
        side.
        """
        task = self.current_task(arguments)
        words = [*map(str, arguments.item)]
        if (two := two_items(words, task.need("retrieve"))) is not None:
            return contrast(*two, task.values)
        return explain(" ".join(words), task.values)

    @verb("om similar", "%om similar mountain hut", "%om similar warden --k 5 --kind class")
    @argument("text", metavar="TEXT", nargs="+", help="words to look for")
    @argument("--k", type=Number(int, 1, 50), metavar="N", default=10, help="of each side [10]")
    @argument("--kind", choices=KINDS, default=None, help="entities of this kind only")
    def near(self, arguments: argparse.Namespace) -> Table:
        """Find the entities of both ontologies that are nearest to a text, in the vector store."""
        task = self.current_task(arguments)
        stored, text = task.need("store"), " ".join(map(str, arguments.text))
        hits = similar(
            stored, text, task["embedder"], k=arguments.k, kind=str(arguments.kind or "")
        )
        names = {(d.side, d.iri): d.name for d in stored.described.descriptions}
        columns = [
            Column("side", "side"),
            Column("entity", "entity", "iri"),
            Column("kind", "kind"),
        ]
        columns += [Column("text", "nearest text"), Column("cosine", "cosine", "number")]
        rows: TableRows = []
        for hit in hits:
            entity = LabelledIri(hit.iri, names[hit.side, hit.iri])
            rows.append([hit.side, entity, hit.kind, hit.text, round(hit.cosine, 3)])
        return Table(columns, rows, caption=f"Nearest to “{text}” in {stored.index}")

    @verb(
        "om picture",
        "%om picture",
        "%om picture --around Hut",
        '%om picture --kind "object property" --most 60',
    )
    @argument(
        "--around",
        metavar="ITEM",
        default="",
        help="one entity, its relatives and what they are mapped to",
    )
    @argument("--kind", choices=KINDS, default=None, help="which hierarchies [class]")
    @argument(
        "--most",
        type=Number(int, 1, 250),
        metavar="N",
        default=MOST,
        help=f"rows on each side [{MOST}]",
    )
    def picture(self, arguments: argparse.Namespace) -> Any:
        """Draw both hierarchies and the mappings between them."""
        task = self.current_task(arguments)
        task.need("merge")
        task.need("retrieve")
        return picture(
            task.values, around=str(arguments.around), kind=arguments.kind, most=arguments.most
        )

    @verb("om coherence", "%om coherence", "%om coherence --seconds 300")
    @argument(
        "--seconds",
        type=Number(float, 1, None),
        metavar="X",
        default=120.0,
        help="time limit [120]",
    )
    def coherence(self, arguments: argparse.Namespace) -> Any:
        """Check the alignment with the reasoner HermiT; needs Java and the extra owlready2."""
        task = self.current_task(arguments)
        alignment = task.need("merge")
        graphs = [self.session.graph_of(task.specs[side]) for side in ("source", "target")]
        if None in graphs:
            return Coherence(
                "an ontology given as a Python value, or on a server, has no file to check"
            )
        source, target = (graph.triples() for graph in graphs if graph is not None)
        with self.progress() as progress:
            progress.event({"event": "step", "name": "coherence"})
            return check(source, target, alignment, seconds=arguments.seconds, tell=progress.update)

    @agent_verb(
        AGENT,
        "review",
        "%om review",
        "%om review --list --below 0.7",
        "%om review --accept Hut 2 --who Ada",
    )
    @argument(
        "--export", metavar="FILE", default="", help="write all decisions as SSSOM: FILE.sssom.tsv"
    )
    @argument(
        "--import",
        dest="imported",
        metavar="FILE",
        default="",
        help="take over decisions from an SSSOM file",
    )
    def settle(self, arguments: argparse.Namespace) -> Any:
        """Answer what the judge could not decide; %om validate then applies your answers."""
        if not (arguments.imported or arguments.export):
            return self.review(arguments)
        task = self.current_task(arguments)
        task.need("validate")
        decisions, sides = (
            cast(MatchDecisions, decisions_of(task)),
            (task["source"], task["target"]),
        )
        if arguments.imported:
            print(take_over(decisions, arguments.imported, *sides))
        arguments.list, wanted = True, arguments.list
        shown = self.review(arguments)
        if arguments.export:
            print(export(decisions, arguments.export, *sides))
        return shown if wanted else None

    def named(self, word: str, among: Sequence[Thing]) -> Sequence[Thing]:
        """The entities a word refers to, also by label or synonym."""
        described = self.task.values["retrieve"] if self.task is not None else None
        found = named_among(word, described, [one.origin for one in among]) if described else ()
        return [*map(Thing.of, found)]

    def suggestions(self, name: str) -> Sequence[str]:
        """Entities for an item; else what every agent suggests."""
        if name == "item" and self.task is not None:
            return tuple(entity.local_name for side in self.task.inputs.values() for entity in side)
        return super().suggestions(name)


def export(decisions: MatchDecisions, path: str, source: Ontology, target: Ontology) -> str:
    """Writes the decisions as SSSOM, with reviewer and time; returns a line that says so."""
    found = [
        ReviewedMapping(curated(one, source, target), one.who, one.when)
        for one in decisions.by_pair().values()
    ]
    written = reviews.save(found, Path(path).expanduser(), source.iri, target.iri)
    return f"wrote {count(len(found), 'decision')} to {written}"


def take_over(decisions: MatchDecisions, path: str, source: Ontology, target: Ontology) -> str:
    """Adds the decisions of an SSSOM file, which may name the ontologies in either order; returns a
    line about it.
    """
    found, foreign = list[PairDecision](), 0
    for one in decisions_in(Path(path).expanduser()):
        if source.find(one.source) is None and target.find(one.source) is not None:
            one = one.turned
        entity = source.find(one.source, one.kind) or source.find(one.source)
        if entity is None or target.find(one.target) is None or one.relation == "unsure":
            foreign += 1
            continue
        found.append(replace(one, kind=entity.kind))
    added = decisions.take_over(found)
    skipped = f"; skipped {foreign} about other entities" if foreign else ""
    return f"added {count(added, 'decision')} to {decisions.path}{skipped}"


def measures(
    alignment: Alignment, reference: Alignment, source: Ontology, target: Ontology
) -> Table:
    """Precision, recall and F1: overall, by relation, by kind of entity, and without the pairs that
    share a name.

    As the OAEI does, relations that the reference does not use and top entities are left out. The
    reference may name the ontologies in either order.

    Raises:
        DataError: no pair of the reference joins these two ontologies.
    """
    as_given = turned(reference, source, target, "the reference")
    wanted = as_given.triples
    relations = sorted({relation for _, _, relation in wanted})
    given = scored_by_oaei(triples(alignment, *relations))
    entities = [*source, *target]
    kinds = {mapping.source: mapping.kind for mapping in alignment} | {
        entity.iri: entity.kind for entity in source
    }
    names = {
        one.iri: [one.local_name, *(text.text for text in (*one.labels, *one.synonyms))]
        for one in entities
    }
    notes = [
        f"relations scored: {', '.join(relations)}",
        "trivial: the pair shares a label, synonym or local name",
    ]
    if as_given.flipped:
        notes.append("the reference names the ontologies in the other order; it was swapped")
    if as_given.strangers:
        unknown = count(len(as_given.strangers), "pair")
        notes.append(
            f"{unknown} of the reference name an entity that neither ontology has; they count as missed"
        )
    parts = {
        name: part.row()
        for scores in (per_kind(given, wanted, kinds), per_relation(given, wanted))
        for name, part in (
            scores.items() if len(scores) > 1 else ()
        )  # a single part would repeat the whole
    }
    rest = non_trivial(given, wanted, same_name(names))
    return metrics(
        (*PRECISION_RECALL_F1, *COUNTS),
        parts,
        summary={"non-trivial": rest.row(), "all": score(given, wanted).row()},
        caption="Against the reference",
        notes=notes,
    )
