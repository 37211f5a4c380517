"""``%om``: match two ontologies, a stage a cell."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from kgnb import mapping_files
from kgnb.agents.agent import OutOfOrder, Task
from kgnb.agents.ontology_matching import AGENT, pipeline
from kgnb.agents.ontology_matching.coherence import Coherence, check
from kgnb.agents.ontology_matching.reviewed import MatchDecisions, PairDecision, curated
from kgnb.agents.ontology_matching.values import KINDS, Description
from kgnb.evaluate.alignment import (
    Score,
    Triple,
    non_trivial,
    per_kind,
    per_relation,
    same_name,
    score,
    scored_by_oaei,
    triples,
)
from kgnb.kg.ontology import Entity, Ontology
from kgnb.magics.agent import AgentMagics, options_from, options_of
from kgnb.magics.arguments import Number, argument
from kgnb.magics.explain import contrast, explain, named_among, two_items
from kgnb.magics.picture import MOST, picture
from kgnb.magics.progress import summary
from kgnb.magics.reviewing import decisions_of, review_arguments
from kgnb.magics.verbs import verb
from kgnb.mapping_files import reviews
from kgnb.mapping_files.reviews import Review
from kgnb.mappings import Alignment
from kgnb.reporting.references import turned
from kgnb.results.bundle import count
from kgnb.results.table import PRECISION_RECALL_F1, Column, Table, Value, metrics
from kgnb.results.table import Score as Row
from kgnb.tasks.matching import decisions_in, keep_decisions, open_decisions, open_reference, reference_pairs
from kgnb.widgets.review import Thing


class OmMagics(AgentMagics, agent=AGENT):
    """The ``%om`` magic: what every agent has, and what matching has besides."""

    nothing_yet = "there is nothing to match yet"

    def opened(self, task: Task) -> dict[str, Any]:
        """Both ontologies; the reference is only looked at: a wrong one is to cost no work."""
        inputs = {
            name: self.session.ontology(spec, individuals=task.option("individuals"))
            for name, spec in task.specs.items()
        }
        if task.option("reference"):
            open_reference(task.option("reference"))
        return inputs

    def started(self, task: Task) -> Table:
        """Both ontologies with their counts, and what was mended in them."""
        source, target = task.inputs["source"], task.inputs["target"]
        columns = [Column("side", "side"), Column("name", "ontology"), *(Column(k, k, "number") for k in KINDS)]
        rows: list[list[Value]] = [
            [side, ontology.name, *(len(ontology.of_kind(kind)) for kind in KINDS)]
            for side, ontology in (("source", source), ("target", target))
        ]
        mended = [
            f"{ontology.name}: mended {', '.join(f'{what} ({count:,})' for what, count in ontology.mended)}"
            for ontology in (source, target)
            if ontology.mended
        ]
        return Table(columns, rows, caption="To be matched", notes=[*mended, self.next_line()])

    def lend(self, task: Task, name: str) -> Any:
        """What judges need of files, besides what every agent is lent."""
        match name:
            case "pairs":
                return reference_pairs(task.option("reference"))
            case "decided":
                return open_decisions(task.option("decisions"))
        return super().lend(task, name)

    def run_stage(self, stage: str, arguments: argparse.Namespace) -> Any:
        """A stage; the alignment holds every decision of a person."""
        value = super().run_stage(stage, arguments)
        return self._decided() if stage == "merge" else value

    def _decided(self) -> Alignment:
        task = self.current_task(argparse.Namespace())
        decisions = open_decisions(task.option("decisions")) if task.option("decisions") else None
        source, target = task.inputs["source"], task.inputs["target"]
        kept = keep_decisions(task.values["merge"], decisions, source, target, task.options["options"])
        task.values["merge"] = kept
        return kept

    @verb("om run", "%om run", "%om run --judge rule --embedder characters", "%om run --plan model")
    @options_of(AGENT.knobs())
    @argument("--plan", choices=("fixed", "model"), default="fixed", help="fixed, or let the model choose each stage")
    def run_all(self, arguments: argparse.Namespace) -> Any:
        """Run all six stages, from the beginning."""
        if arguments.plan == "fixed":
            self.run(arguments)
        else:
            self._follow_the_model(self.current_task(arguments))
        return self._decided()

    def _follow_the_model(self, task: Task) -> None:
        """Lets the model choose the stages; the task then has an alignment and nothing on the way to it."""
        model = self.session.model("plan")
        if model is None:
            raise OutOfOrder("--plan model needs a model", fix="Name one first: %llm use MODEL")
        task.begin_again()
        self.check(task)
        progress = self.progress()
        with task.telling(progress):
            alignment = pipeline.match_ontologies(
                task["source"],
                task["target"],
                index=task["index"],
                embedder=task["embedder"],
                judge=task["judge"],
                options=task["options"],
                model=task.run.watch(model),
                run=task.run,
                plan="model",
            )
        task.values.clear()
        task.keep("merge", alignment)
        progress.say(summary(*task.run.steps, name="run"))

    @verb("om evaluate", "%om evaluate --reference reference.rdf")
    @options_of(AGENT.knobs(("reference",)))
    def measure(self, arguments: argparse.Namespace) -> Any:
        """Compare the alignment with a reference: precision, recall, F1."""
        task = self.current_task(arguments)
        alignment, reference = task.need("merge"), task.option("reference")
        if not reference:
            raise OutOfOrder("there is no reference to compare with", fix="Name one: %om evaluate --reference FILE")
        return measures(alignment, open_reference(reference), task["source"], task["target"])

    @verb("om explain", "%om explain Hut", "%om explain Hut Refuge", "%om explain http://huts.example/alpine#Hut")
    @argument("item", metavar="ITEM", nargs="+", help="an IRI, a local name or a label; two of them: why, or why not")
    def why(self, arguments: argparse.Namespace) -> Any:
        """Show an entity's ranks, the texts compared, the verdict and what became of it; or set two side by side."""
        task = self.current_task(arguments)
        words = [str(word) for word in arguments.item]
        if (two := two_items(words, task.need("retrieve"))) is not None:
            return contrast(*two, task.values)
        return explain(" ".join(words), task.values)

    @verb("om picture", "%om picture", "%om picture --around Hut", '%om picture --kind "object property" --most 60')
    @argument("--around", metavar="ITEM", default="", help="one entity, its relatives and what they are mapped to")
    @argument("--kind", choices=KINDS, default=None, help="which hierarchies [class]")
    @argument("--most", type=Number(int, 1, 250), metavar="N", default=MOST, help=f"rows a side [{MOST}]")
    def picture(self, arguments: argparse.Namespace) -> Any:
        """Draw both hierarchies with the mappings between them."""
        task = self.current_task(arguments)
        task.need("merge")
        task.need("retrieve")
        return picture(task.values, around=str(arguments.around), kind=arguments.kind, most=arguments.most)

    @verb("om coherence", "%om coherence", "%om coherence --seconds 300")
    @argument("--seconds", type=Number(float, 1, None), metavar="X", default=120.0, help="time it may take [120]")
    def coherence(self, arguments: argparse.Namespace) -> Any:
        """Let the reasoner HermiT check the alignment, where Java and the extra owlready2 are installed."""
        task = self.current_task(arguments)
        alignment = task.need("merge")
        graphs = [self.session.graph_of(spec) for spec in task.specs.values()]
        if None in graphs:
            return Coherence("an ontology that was given as a Python value, or lies on a server, has no file to check")
        source, target = (graph.triples() for graph in graphs if graph is not None)
        progress = self.progress()
        progress.event({"event": "step", "name": "coherence"})
        try:
            return check(source, target, alignment, seconds=arguments.seconds, tell=progress.update)
        finally:
            progress.clear()

    @verb("om export", "%om export alignment.rdf", "%om export alignment.sssom.tsv", "%om export alignment.ttl")
    @argument("file", metavar="FILE", help="its suffix decides: .rdf (OAEI), .sssom.tsv, .ttl")
    def write(self, arguments: argparse.Namespace) -> None:
        """Write the alignment to a file other tools read."""
        alignment = self.current_task(arguments).need("merge")
        path = mapping_files.save(alignment, Path(arguments.file).expanduser())
        print(f"wrote {len(alignment):,} mappings to {path}")

    @verb("om review", "%om review", "%om review --list --below 0.7", "%om review --accept Hut 2 --who Ada")
    @options_from(review_arguments(AGENT))
    @argument("--export", metavar="FILE", default="", help="write all decisions as SSSOM: FILE.sssom.tsv")
    @argument("--import", dest="imported", metavar="FILE", default="", help="take over decisions from SSSOM")
    def settle(self, arguments: argparse.Namespace) -> Any:
        """Answer what the judge could not decide; %om validate then takes your answers over."""
        task = self.current_task(arguments)
        if not (arguments.imported or arguments.export):
            return self.review(arguments)
        task.need("validate")
        decisions, sides = cast(MatchDecisions, decisions_of(task)), (task["source"], task["target"])
        if arguments.imported:
            print(take_over(decisions, arguments.imported, *sides))
        arguments.list, wanted = True, arguments.list
        shown = self.review(arguments)
        if arguments.export:
            print(export(decisions, arguments.export, *sides))
        return shown if wanted else None

    def named(self, word: str, among: Sequence[Thing]) -> Sequence[Thing]:
        """The entities a word names, by their labels and synonyms as well."""
        described = self.task.values["retrieve"] if self.task is not None else None
        return named_among(word, described, cast(tuple[Description, ...], tuple(among))) if described else ()

    def suggestions(self, name: str) -> Sequence[str]:
        """Entities for an item; else what every agent suggests."""
        if name == "item" and self.task is not None:
            return tuple(entity.local_name for side in self.task.inputs.values() for entity in side)
        return super().suggestions(name)


def export(decisions: MatchDecisions, path: str, source: Ontology, target: Ontology) -> str:
    """Writes the decisions as SSSOM, with reviewer and time; what was done, in a line."""
    found = [Review(curated(one, source, target), one.who, one.when) for one in decisions.by_pair().values()]
    written = reviews.save(found, Path(path).expanduser(), source.iri, target.iri)
    return f"wrote {count(len(found), 'decided pair')} to {written}"


def take_over(decisions: MatchDecisions, path: str, source: Ontology, target: Ontology) -> str:
    """Adds what people decided in an SSSOM file, whichever of the two ontologies comes first in it."""
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
    beside = f"; {foreign} about other entities left out" if foreign else ""
    return f"took over {count(added, 'decided pair')} into {decisions.path}{beside}"


COUNTS = (
    Column("right", "Right", "number"),
    Column("found", "Found", "number"),
    Column("wanted", "Reference", "number"),
)


def measures(alignment: Alignment, reference: Alignment, source: Ontology, target: Ontology) -> Table:
    """Precision, recall and F1 over all, by relation, by kind of entity and over what names alone do not give away.

    Relations the reference has no example of are left out, and so are top entities, as the OAEI does. A reference that
    names the ontologies the other way round is turned.

    Raises:
        DataError: not one pair of the reference joins these two ontologies.
    """
    as_given = turned(reference, source, target, "the reference")
    wanted = as_given.triples
    relations = sorted({relation for _, _, relation in wanted})
    given = scored_by_oaei(triples(alignment, *relations))
    kinds = {mapping.source: mapping.kind for mapping in alignment}
    kinds.update((entity.iri, entity.kind) for entity in source)
    rule = same_name({entity.iri: _names(entity) for ontology in (source, target) for entity in ontology})
    parts = [*_parts(per_kind(given, wanted, kinds)), *_parts(per_relation(given, wanted))]
    notes = [f"relations scored: {', '.join(relations)}", "trivial: the pair shares a label, synonym or local name"]
    notes += ["the reference named the ontologies the other way round: it was turned"] if as_given.flipped else []
    notes += [_strangers(as_given.strangers)] if as_given.strangers else []
    summary = [_row("non-trivial", non_trivial(given, wanted, rule)), _row("all", score(given, wanted))]
    return metrics(
        (*PRECISION_RECALL_F1, *COUNTS), parts, summary=summary, caption="Against the reference", notes=notes
    )


def _parts(scores: dict[str, Score]) -> list[Row]:
    """The parts as rows; a single part would only repeat the whole."""
    return [_row(name, part) for name, part in scores.items()] if len(scores) > 1 else []


def _row(name: str, part: Score) -> Row:
    """One score; where there is nothing to find or nothing was found, a share stays empty rather than 0."""
    found, wanted = part.tp + part.fp, part.tp + part.fn
    values = {
        "precision": part.precision if found else None,
        "recall": part.recall if wanted else None,
        "f1": part.f1 if wanted else None,
    }
    return Row(name, values | {"right": part.tp, "found": found, "wanted": wanted})


def _names(entity: Entity) -> list[str]:
    return [entity.local_name, *(text.text for text in (*entity.labels, *entity.synonyms))]


def _strangers(strangers: frozenset[Triple]) -> str:
    return f"{len(strangers):,} pairs of the reference name an entity neither ontology has; they count as missed"
