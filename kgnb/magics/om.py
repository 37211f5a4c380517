"""``%om``: match two ontologies, a stage a cell."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from IPython.core.magic import line_cell_magic, magics_class, no_var_expand

from kgnb import mapping_files, tasks
from kgnb.agents.ontology_matching.comparable import comparable
from kgnb.agents.ontology_matching.reasoner import Coherence, check
from kgnb.agents.ontology_matching.values import KINDS, Options
from kgnb.datasets import huts
from kgnb.magics.arguments import Number, argument, options
from kgnb.magics.contrast import contrast, two_items
from kgnb.magics.explain import explain
from kgnb.magics.matching import STAGES, Judging, MatchingTask, OutOfOrder, Storing, summary
from kgnb.magics.measures import measures
from kgnb.magics.picture import MOST, picture
from kgnb.magics.progress import Progress
from kgnb.magics.reviewing import ACTIONS, DECISIONS, Queue, answers, decisions_at, export, take_over
from kgnb.magics.stage_work import StageWork
from kgnb.magics.verbs import VerbMagics, verb
from kgnb.results.table import Column, Table, Value
from kgnb.run import Run

COUNTED = ("class", "object property", "datatype property", "annotation property", "individual")


@magics_class
class OmMagics(VerbMagics):
    """The ``%om`` magic. Each verb parses, calls what a script would call, and returns its value."""

    magic = "om"

    @property
    def work(self) -> StageWork:
        """What each stage is called with."""
        return StageWork(self.session)

    @verb("om start", "%om start huts.ttl refuge.owl", '%om start huts refuge --context "mountain huts" --k 5')
    @argument("source", metavar="SOURCE", help="a name of %%kg, a file, a folder, an endpoint's URL, huts:alpine")
    @argument("target", metavar="TARGET", help="the other one")
    @argument(
        "--reference",
        metavar="FILE",
        default="",
        help="a reference alignment, for evaluate and the oracle; huts:reference is ours",
    )
    @options(Options)
    @options(Storing)
    @options(Judging)
    def start(self, arguments: argparse.Namespace) -> Table:
        """Name the two ontologies to match; what is set here holds for all stages."""
        chosen = Options(**given(arguments, Options))
        specs = (arguments.source, arguments.target)
        source, target = comparable(*(self.session.ontology(spec, individuals=chosen.individuals) for spec in specs))
        if arguments.reference:
            tasks.open_reference(arguments.reference)
        self.session.matching = MatchingTask(
            source,
            target,
            chosen,
            specs=specs,
            reference=arguments.reference,
            judging=Judging(**given(arguments, Judging)),
            storing=Storing(**given(arguments, Storing)),
            new_run=self.work.new_run,
        )
        columns = [Column("side", "side"), Column("name", "ontology"), *(Column(k, k, "number") for k in COUNTED)]
        rows: list[list[Value]] = [
            [side, ontology.name, *(len(ontology.of_kind(kind)) for kind in COUNTED)]  # type: ignore[arg-type]
            for side, ontology in (("source", source), ("target", target))
        ]
        mended = [
            f"{ontology.name}: mended {', '.join(f'{what} ({count:,})' for what, count in ontology.mended)}"
            for ontology in (source, target)
            if ontology.mended
        ]
        return Table(columns, rows, caption="To be matched", notes=[*mended, "Next: %om retrieve, or all: %om run"])

    @verb("om retrieve", "%om retrieve", '%om retrieve --context "mountain huts and their bookings"')
    @options(Options, "context")
    def retrieve(self, arguments: argparse.Namespace) -> Any:
        """Describe every entity of both in three views: syntactic, lexical, semantic."""
        return self._stage("retrieve", arguments)

    @verb("om store", "%om store", "%om store --embedder characters --index ./vectors")
    @options(Storing)
    def store(self, arguments: argparse.Namespace) -> Any:
        """Put the descriptions into the vector store."""
        return self._stage("store", arguments)

    @verb("om search", "%om search", "%om search --k 3 --similarity 0.5")
    @options(Options, "k", "similarity")
    def search(self, arguments: argparse.Namespace) -> Any:
        """Find every entity's nearest candidates in each view."""
        return self._stage("search", arguments)

    @verb("om summarise", "%om summarise", "%om summarise --fusion-constant 60")
    @options(Options, "k", "fusion_constant")
    def summarise(self, arguments: argparse.Namespace) -> Any:
        """Fuse the rankings of the views into one."""
        return self._stage("summarise", arguments)

    @verb("om validate", "%om validate", "%om validate --ask 0.3", "%om validate --judge oracle --error-rate 0.1")
    @options(Judging)
    @options(Options, "context", "ask")
    @argument("--reference", metavar="FILE", default="", help="what the oracle answers from")
    def validate(self, arguments: argparse.Namespace) -> Any:
        """Let the judge say which candidate, if any, means the same."""
        return self._stage("validate", arguments)

    @verb("om merge", "%om merge", "%om merge --cardinality n:m --confidence 0.6")
    @options(Options, "confidence", "one_sided", "cardinality")
    def merge(self, arguments: argparse.Namespace) -> Any:
        """Put both directions together into one coherent alignment."""
        self._stage("merge", arguments)
        return self.work.kept(self._task(arguments))

    @verb("om run", "%om run", "%om run --judge rule --embedder characters", "%om run --plan model")
    @options(Options)
    @options(Storing)
    @options(Judging)
    @argument("--reference", metavar="FILE", default="", help="what the oracle answers from")
    @argument("--plan", choices=("fixed", "model"), default="fixed", help="fixed, or let the model choose each stage")
    def run(self, arguments: argparse.Namespace) -> Any:
        """Run all six stages, from the beginning."""
        task = self._task(arguments)
        task.begin_again()
        progress = self._progress()
        if arguments.plan == "model":
            self.work.follow_the_model(task, progress)
        else:
            for stage in STAGES:
                task.step(stage, progress, *self.work.of(stage, task))
        task.run.finish()
        progress.say(summary(*task.run.steps, name="run"))
        return self.work.kept(task)

    @verb("om evaluate", "%om evaluate --reference reference.rdf")
    @argument("--reference", metavar="FILE", default="", help="the reference alignment [the one of %%om start]")
    def evaluate(self, arguments: argparse.Namespace) -> Any:
        """Compare the alignment with a reference: precision, recall, F1."""
        task = self._task(arguments)
        alignment = task.need("merge")
        if not task.reference:
            raise OutOfOrder("there is no reference to compare with", fix="Name one: %om evaluate --reference FILE")
        return measures(alignment, tasks.open_reference(task.reference), task.source, task.target)

    @verb("om explain", "%om explain Hut", "%om explain Hut Refuge", "%om explain http://huts.example/alpine#Hut")
    @argument("item", metavar="ITEM", nargs="+", help="an IRI, a local name or a label; two of them: why, or why not")
    def explain(self, arguments: argparse.Namespace) -> Any:
        """Show an entity's ranks, the texts compared, the verdict and what became of it; or set two side by side."""
        task = self._task(arguments)
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
        task = self._task(arguments)
        task.need("merge")
        task.need("retrieve")
        return picture(task.values, around=str(arguments.around), kind=arguments.kind, most=arguments.most)

    @verb("om coherence", "%om coherence", "%om coherence --seconds 300")
    @argument("--seconds", type=Number(float, 1, None), metavar="X", default=120.0, help="time it may take [120]")
    def coherence(self, arguments: argparse.Namespace) -> Any:
        """Let the reasoner HermiT check the alignment, where Java and the extra owlready2 are installed."""
        task = self._task(arguments)
        alignment = task.need("merge")
        graphs = [self.session.graph_of(spec) for spec in task.specs]
        if None in graphs:
            return Coherence("an ontology that was given as a Python value, or lies on a server, has no file to check")
        source, target = (graph.triples() for graph in graphs if graph is not None)
        progress = self._progress()
        progress.event({"event": "step", "name": "coherence"})
        try:
            return check(source, target, alignment, seconds=arguments.seconds, tell=progress.update)
        finally:
            progress.clear()

    @verb("om export", "%om export alignment.rdf", "%om export alignment.sssom.tsv", "%om export alignment.ttl")
    @argument("file", metavar="FILE", help="its suffix decides: .rdf (OAEI), .sssom.tsv, .ttl")
    def export(self, arguments: argparse.Namespace) -> None:
        """Write the alignment to a file other tools read."""
        alignment = self._task(arguments).need("merge")
        path = mapping_files.save(alignment, Path(arguments.file).expanduser())
        print(f"wrote {len(alignment):,} mappings to {path}")

    @verb("om trace", "%om trace")
    def trace(self, arguments: argparse.Namespace) -> Run:
        """Show the run so far: every step, model call and judgement, with what they took."""
        run = self._task(arguments).run
        if not run.steps:
            raise OutOfOrder("nothing has been run yet", fix="Run a stage first: %om retrieve, or all: %om run")
        return run

    @verb("om review", "%om review", "%om review --list --below 0.7", "%om review --accept Hut 2 --who Ada")
    @argument("--decisions", metavar="FILE", default=argparse.SUPPRESS, help=f"where answers are kept [{DECISIONS}]")
    @argument("--below", type=float, metavar="X", default=0.0, help="also verdicts less confident than this [0]")
    @argument("--who", metavar="NAME", default="", help="who answers; written beside each answer")
    @argument("--list", action="store_true", help="show what waits as a table, also where a widget could be shown")
    @answers
    @argument("--export", metavar="FILE", default="", help="write all decisions as SSSOM: FILE.sssom.tsv")
    @argument("--import", dest="imported", metavar="FILE", default="", help="take over decisions from SSSOM")
    def review(self, arguments: argparse.Namespace) -> Any:
        """Answer what the judge could not decide; %om validate then takes your answers over."""
        from kgnb.widgets.form import someone_is_there
        from kgnb.widgets.review import ReviewQueue, ReviewWidget

        task = self._task(arguments)
        validated = task.need("validate")
        decisions = decisions_at(task.judging.decisions or DECISIONS)
        task.judging = replace(task.judging, decisions=str(decisions.path))
        if arguments.imported:
            print(take_over(decisions, arguments.imported, task.source, task.target))
        queue = Queue(validated, decisions, arguments.below)
        said = [(action, words) for action in ACTIONS if (words := getattr(arguments, action))]
        for action, words in said:
            print(queue.decide(action, words, arguments.who))
        if arguments.export:
            print(export(decisions, arguments.export, task.source, task.target))
        if arguments.list or not (said or arguments.export or arguments.imported or someone_is_there(self.shell)):
            return queue.table()
        if said or arguments.export or arguments.imported:
            return None
        return ReviewWidget(ReviewQueue([entry for _, entry in queue.entries], decisions, arguments.who))

    def suggestions(self, name: str) -> Sequence[str]:
        """Open graphs for source and target, entities for an item, judges and embedders where they are asked for."""
        if name in ("source", "target"):
            return (*self.session.graphs, *(f"huts:{name}" for name in huts.FILES if name != "reference"))
        task = self.session.matching
        if name == "item" and task is not None:
            return tuple(entity.local_name for entity in (*task.source, *task.target))
        return ("local", "characters", "tiny") if name == "embedder" else ("memory",) if name == "index" else ()

    def current(self, method: Callable[..., Any]) -> dict[str, object]:
        """What the task under way has set, else what the settings say."""
        settings, task = self.session.settings, self.session.matching
        values: dict[str, object] = {**asdict(Options()), **asdict(Judging()), **asdict(Storing())}
        if task is not None:
            values.update({**asdict(task.options), **asdict(task.judging), **asdict(task.storing)})
            values.update(source=task.source.name, target=task.target.name, reference=task.reference)
        if method.verb == "start":  # type: ignore[attr-defined]
            names = [*self.session.graphs, "", ""]
            values.update(source=names[0], target=names[1])
        values["embedder"] = values["embedder"] or settings.embedder
        values["index"] = values["index"] or settings.index
        return values

    def _stage(self, stage: str, arguments: argparse.Namespace) -> Any:
        """Runs one stage on the values of those before it."""
        task = self._task(arguments)
        work = self.work.of(stage, task)
        if stage == STAGES[0] and task.run.steps:
            task.begin_again()
            work = self.work.of(stage, task)
        return task.do(stage, self._progress(), *work)

    def _task(self, arguments: argparse.Namespace) -> MatchingTask:
        """The task under way, with the options this line sets; they hold for the stages after it as well."""
        task = self.session.matching
        if task is None:
            names = list(self.session.graphs)
            example = " ".join(names[:2]) if len(names) > 1 else "SOURCE TARGET"
            raise OutOfOrder("there is nothing to match yet", fix=f"Run first, in a cell above: %om start {example}")
        task.choose(replace(task.options, **given(arguments, Options)), self.session.ontology)
        task.judging = replace(task.judging, **given(arguments, Judging))
        task.storing = replace(task.storing, **given(arguments, Storing))
        if getattr(arguments, "reference", ""):
            task.reference = arguments.reference
        return task

    def _progress(self) -> Progress:
        return Progress(live=getattr(self.shell, "kernel", None) is not None)

    @no_var_expand
    @line_cell_magic
    def om(self, line: str, cell: str | None = None) -> Any:
        """Match two ontologies, a stage a cell: start, retrieve, store, search, summarise, validate, merge."""
        return self.dispatch(line, cell)


def given(arguments: argparse.Namespace, cls: type[Any]) -> dict[str, Any]:
    """The fields of an options dataclass that the line said."""
    return {entry.name: getattr(arguments, entry.name) for entry in fields(cls) if hasattr(arguments, entry.name)}
