"""``%ea``: align the entities of two graphs, a stage a cell."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from IPython.core.magic import line_cell_magic, magics_class, no_var_expand

from kgnb import mapping_files, tasks
from kgnb.agents.entity_alignment import finetuning
from kgnb.agents.entity_alignment.align import align
from kgnb.agents.entity_alignment.judges import make_judge, make_planner
from kgnb.agents.entity_alignment.looking import LookOptions
from kgnb.agents.entity_alignment.plan import plan
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.questions import AlignQuestion
from kgnb.agents.entity_alignment.reflect import reflect
from kgnb.agents.entity_alignment.reviewed import Reviewed
from kgnb.agents.entity_alignment.select import select
from kgnb.agents.entity_alignment.values import Options
from kgnb.datasets import huts
from kgnb.judging import Judge
from kgnb.llm.model import ChatModel
from kgnb.magics.aligning import STAGES, AligningTask, Looking
from kgnb.magics.arguments import Number, argument, options
from kgnb.magics.ea_explain import EntityExplanation, explain
from kgnb.magics.ea_review import EntityQueue, decisions_at
from kgnb.magics.matching import OutOfOrder, summary
from kgnb.magics.measures import COUNTS
from kgnb.magics.progress import Progress, announced
from kgnb.magics.verbs import VerbMagics, verb
from kgnb.mapping_files.whole import write_whole
from kgnb.mappings import Alignment
from kgnb.reporting.ranked import ranked_metrics
from kgnb.results.metrics import Metrics
from kgnb.results.table import Column, Table
from kgnb.run import Event, Run
from kgnb.tasks.aligning import learn_policy
from kgnb.tasks.sides import links_of, open_sides
from kgnb.vectors.cached_embedder import CachedEmbedder
from kgnb.vectors.embedder import Embedder

OWN = tuple(entry.name for entry in fields(Options) if entry.name != "names")
DECISIONS = "entity-decisions.jsonl"


@magics_class
class EaMagics(VerbMagics):
    """The ``%ea`` magic. Each verb parses, calls what a script would call, and returns its value."""

    magic = "ea"

    @verb(
        "ea start",
        "%ea start huts:hollenmark huts:corvane --reference huts:entity-reference",
        "%ea start a.ttl b.ttl --seeds known.tsv",
        "%ea start dbp15k/fr_en --names hidden",
    )
    @argument("first", metavar="A", help="a name of %%kg, files, an endpoint's URL, huts:hollenmark; or a folder")
    @argument("second", metavar="B", nargs="?", default=None, help="the other graph (none where A is a folder)")
    @argument("--seeds", metavar="FILE", default=None, help="known pairs: a file, none, or folder (default there)")
    @argument("--names", metavar="TEXT", default="native", help="native, hidden or a JSON file of names [native]")
    @argument("--universe", choices=("test", "all"), default="test", help="who may be an answer of a folder [test]")
    @argument("--reference", metavar="FILE", default="", help="pairs to be found, for evaluate and the oracle")
    @options(Options, *OWN)
    @options(LookOptions)
    @options(Looking)
    def start(self, arguments: argparse.Namespace) -> Table:
        """Name the two graphs; what is set here holds for all stages."""
        settings = self.session.settings
        specs = [self._source(spec) for spec in (arguments.first, arguments.second)]
        sides = open_sides(specs[0], specs[1], seeds=arguments.seeds, names=arguments.names, settings=settings)
        chosen = Options(**given(arguments, Options, "names"))
        self.session.aligning = AligningTask(
            sides,
            replace(chosen, names="hidden") if arguments.names == "hidden" else chosen,
            LookOptions(**given(arguments, LookOptions)),
            Looking(**given(arguments, Looking)),
            self._new_run,
            links_of(arguments.reference, settings) if arguments.reference else (),
            arguments.universe,
        )
        counted = [("source", sides.left), ("target", sides.right)]
        keys = list(sides.left.counts())
        columns = [Column("side", "side"), Column("name", "graph"), *(Column(key, key, "number") for key in keys)]
        notes = [f"{len(sides.seeds):,} seeds; {len(sides.tests):,} test pairs"] if sides.seeds or sides.tests else []
        return Table(
            columns,
            [[side, graph.name, *graph.counts().values()] for side, graph in counted],
            caption="To be aligned",
            notes=[*notes, *sides.notes, "Next: %ea propose, or all: %ea run"],
        )

    @verb("ea propose", "%ea propose", "%ea propose --assignment argmax --hops 1")
    @options(Options, *OWN)
    @options(Looking, "embedder")
    def propose(self, arguments: argparse.Namespace) -> Any:
        """Give every entity candidates and a first alignment, without a model."""
        return self._stage("propose", arguments)

    @verb("ea plan", "%ea plan", "%ea plan --share 0.05", "%ea plan --planner policy --policy policy.json")
    @options(LookOptions, "share", "sure", "attributes", "relations")
    @options(Looking, "planner", "policy")
    def plan(self, arguments: argparse.Namespace) -> Any:
        """Choose who is looked at, and by which tools."""
        return self._stage("plan", arguments)

    @verb("ea select", "%ea select", "%ea select --entropy low")
    @options(LookOptions, "shown", "attributes", "relations", "entropy")
    def select(self, arguments: argparse.Namespace) -> Any:
        """Choose the triples that tell an entity's candidates apart."""
        return self._stage("select", arguments)

    @verb("ea align", "%ea align", "%ea align --judge rule", "%ea align --judge oracle --error-rate 0.1")
    @options(Looking, "judge", "error_rate", "oracle_seed", "decisions")
    @options(LookOptions, "both_orders", "heed")
    def align(self, arguments: argparse.Namespace) -> Any:
        """Let the judge say which candidate it is, or none."""
        return self._stage("align", arguments)

    @verb("ea reflect", "%ea reflect", "%ea reflect --reflect-below 0.9")
    @options(LookOptions, "reflect_below", "heed")
    @options(Looking, "judge", "error_rate", "oracle_seed")
    def reflect(self, arguments: argparse.Namespace) -> Any:
        """Ask a second time where the answer is not sure."""
        return self._stage("reflect", arguments)

    @verb("ea optimise", "%ea optimise --save policy.json", "%ea optimise --judge oracle --error-rate 0.1")
    @argument("--train", metavar="FILE", default="", help="pairs to learn from [the seeds]")
    @argument("--rounds-of-learning", type=Number(int, 1, 20), metavar="N", default=3, help="rounds [3]")
    @argument("--save", metavar="FILE", default="", help="write the policy here (JSON), and plan with it from now on")
    @argument("--fine-tuning", metavar="FILE", default="", help="write the recorded ways here (JSON Lines)")
    @options(Looking, "judge", "error_rate", "oracle_seed")
    def optimise(self, arguments: argparse.Namespace) -> Any:
        """Learn from known pairs which way suits which entity."""
        task = self._task(arguments)
        train = links_of(arguments.train, self.session.settings) if arguments.train else task.sides.seeds
        progress = self._progress()
        with task.telling(progress):
            learned = learn_policy(
                task.sides,
                train,
                judge=task.looking.judge,
                embedder=self._embedder(task),
                model=self._model(task),
                options=task.options,
                look=task.look,
                error_rate=task.looking.error_rate,
                seed=task.looking.oracle_seed,
                rounds=arguments.rounds_of_learning,
                run=task.run,
                settings=self.session.settings,
            )
        progress.say(summary(task.run.steps[-1]))
        if arguments.save:
            path = learned.policy.save(Path(arguments.save).expanduser())
            task.choose(looking={"policy": str(path), "planner": "policy"})
            print(f"wrote the policy to {path}; %ea plan takes it from now on")
        if arguments.fine_tuning:
            target = Path(arguments.fine_tuning).expanduser()
            number = finetuning.export(learned.episodes, target, simulation=learned.simulation)
            print(f"wrote {number:,} recorded ways to {target}")
        return learned

    @verb("ea run", "%ea run", "%ea run --judge rule --share 0.05")
    @options(Options, *OWN)
    @options(LookOptions)
    @options(Looking)
    def run(self, arguments: argparse.Namespace) -> Alignment:
        """Run all stages, from the beginning."""
        task = self._task(arguments)
        task.begin_again()
        progress = self._progress()
        for stage in STAGES:
            function, inputs, given_options = self._work(stage, task)
            task.do(stage, progress, function, *inputs, **given_options)
        task.run.finish()
        return self._alignment(task)

    @verb("ea evaluate", "%ea evaluate", "%ea evaluate --reference pairs.tsv")
    @argument("--reference", metavar="FILE", default="", help="the pairs to be found [those of %%ea start]")
    def evaluate(self, arguments: argparse.Namespace) -> Metrics:
        """Compare with known pairs: Hits@1, Hits@10, MRR, precision, recall, F1; before and after the look."""
        task = self._task(arguments)
        if arguments.reference:
            task.reference = links_of(arguments.reference, self.session.settings)
        task.need("propose")
        if not task.tests():
            raise OutOfOrder("there is no pair to compare with", fix="Name some: %ea evaluate --reference FILE")
        return ranked_metrics(task.settled(), task.sides, task.tests(), COUNTS)

    @verb("ea explain", "%ea explain Adlerhütte", "%ea explain http://huts.example/hollenmark/adlerhuette")
    @argument("item", metavar="X", nargs="+", help="an entity of the first graph: an IRI, its last part or its name")
    def explain(self, arguments: argparse.Namespace) -> EntityExplanation:
        """Show an entity's candidates with scores before and after assignment, what they share, and what was said."""
        task = self._task(arguments)
        task.need("propose")
        return explain(" ".join(map(str, arguments.item)), task.settled())

    @verb("ea review", "%ea review", "%ea review --list", "%ea review --accept Adlerhütte 2 --who Ada")
    @argument("--decisions", metavar="FILE", default=argparse.SUPPRESS, help=f"where answers are kept [{DECISIONS}]")
    @argument("--below", type=float, metavar="X", default=0.0, help="also answers less confident than this [0]")
    @argument("--who", metavar="NAME", default="", help="who answers; written beside each answer")
    @argument("--list", action="store_true", help="show what waits as a table, also where a widget could be shown")
    @argument("--accept", nargs="+", metavar=("ITEM", "CHOICE"), default=(), help="the candidate is the same as ITEM")
    @argument("--reject", nargs="+", metavar=("ITEM", "CHOICE"), default=(), help="CHOICE, or any candidate, is not it")
    @argument("--withdraw", nargs="+", metavar=("ITEM", "..."), default=(), help="take back what was decided on ITEM")
    def review(self, arguments: argparse.Namespace) -> Any:
        """Answer what the judge could not decide; the alignment takes your answers over."""
        from kgnb.widgets.form import someone_is_there
        from kgnb.widgets.review import ReviewQueue, ReviewWidget

        task = self._task(arguments)
        aligned = task.values.get("reflect") or task.need("align")
        decisions = decisions_at(task.looking.decisions or DECISIONS)
        task.choose(looking={"decisions": str(decisions.path)})
        queue = EntityQueue(aligned, decisions, arguments.below)
        said = [(action, words) for action in ("accept", "reject", "withdraw") if (words := getattr(arguments, action))]
        for action, words in said:
            print(queue.decide(action, words, arguments.who))
        task.decided()
        if said and not arguments.list:
            return None
        if arguments.list or not someone_is_there(self.shell):
            return queue.table()
        return ReviewWidget(ReviewQueue([entry for _, entry in queue.entries], decisions, arguments.who))

    @verb("ea export", "%ea export pairs.tsv", "%ea export same.ttl", "%ea export alignment.sssom.tsv")
    @argument("file", metavar="FILE", help="its suffix decides: .tsv (plain), .sssom.tsv, .rdf, .ttl (owl:sameAs)")
    def export(self, arguments: argparse.Namespace) -> None:
        """Write the alignment to a file other tools read."""
        settled = self._task(arguments).settled()
        path = Path(arguments.file).expanduser()
        if path.name.lower().endswith(".tsv") and not path.name.lower().endswith(".sssom.tsv"):
            text = "".join(f"{one}\t{other}\t{sure:g}\n" for one, other, sure in settled.pairs())
            write_whole(path, text)
        else:
            mapping_files.save(settled.alignment(), path)
        print(f"wrote {settled.counts()['matched']:,} pairs to {path}")

    @verb("ea trace", "%ea trace")
    def trace(self, arguments: argparse.Namespace) -> Run:
        """Show the run so far: every step, model call and judgement, with what they took."""
        run = self._task(arguments).run
        if not run.steps:
            raise OutOfOrder("nothing has been run yet", fix="Run a stage first: %ea propose, or all: %ea run")
        return run

    def suggestions(self, name: str) -> Sequence[str]:
        """Open graphs for the two sides, entities for an item."""
        if name in ("first", "second"):
            return [*self.session.graphs, *(f"huts:{own}" for own in huts.FILES)]
        task = self.session.aligning
        return [one for one in task.sides.left.names if one][:2000] if name == "item" and task else ()

    def current(self, method: Callable[..., Any]) -> dict[str, object]:
        """What holds now, for a form to start from."""
        task = self.session.aligning
        return {**asdict(task.options), **asdict(task.look), **asdict(task.looking)} if task else {}

    def _stage(self, stage: str, arguments: argparse.Namespace) -> Any:
        task = self._task(arguments)
        function, inputs, given_options = self._work(stage, task)
        return task.do(stage, self._progress(), function, *inputs, **given_options)

    def _work(self, stage: str, task: AligningTask) -> tuple[Callable[..., Any], Sequence[Any], dict[str, Any]]:
        """A stage's function and what it is called with."""
        match stage:
            case "propose":
                sides = task.sides
                inputs = (sides.left, sides.right, self._embedder(task), task.options)
                return propose, inputs, {"seeds": sides.seeds, **task.asked()}
            case "plan":
                planner = make_planner(
                    task.looking.planner,
                    model=self._model(task),
                    policy=task.looking.policy or None,
                    decisions=task.looking.decisions or None,
                )
                return plan, (task.need("propose"), task.run.watch_judge(planner)), {"options": task.look}
            case "select":
                return select, (task.need("plan"),), {"options": task.look}
            case "align":
                selected = replace(task.need("select"), options=task.look)
                return align, (selected, self._judge(task)), {}
            case _:
                aligned = task.need("align")
                aligned = replace(aligned, selected=replace(aligned.selected, options=task.look))
                return reflect, (aligned, self._judge(task)), {}

    def _task(self, arguments: argparse.Namespace) -> AligningTask:
        """The task under way, with the options this line sets; they hold for the stages after it as well."""
        task = self.session.aligning
        if task is None:
            raise OutOfOrder("there is nothing to align yet", fix="Run first, in a cell above: %ea start A B")
        task.choose(
            options=given(arguments, Options, "names"),
            look=given(arguments, LookOptions),
            looking=given(arguments, Looking),
        )
        return task

    def _alignment(self, task: AligningTask) -> Alignment:
        totals = task.run.totals
        number = max(1, len(task.need("propose")))
        share = len(task.settled().aligned.answers) / number
        tokens = (totals["prompt_tokens"] + totals["completion_tokens"]) / number
        return task.settled().alignment(
            [f"{share:.1%} of the entities were looked at; {tokens:.1f} model tokens per entity; EA-Agent takes 672"]
        )

    def _source(self, spec: Any) -> Any:
        named = self.session.graphs.get(spec) if isinstance(spec, str) else None
        return named.graph if named is not None else spec

    def _new_run(self, task: AligningTask, tell: Callable[[Event], None]) -> Run:
        parameters = {**asdict(task.options), **asdict(task.look), **asdict(task.looking)}
        settings, data = self.session.settings, task.sides.digests()
        run = tasks.new_run("entity_alignment", data, parameters=parameters, settings=settings, on_event=tell)
        self.session.runs.append(run)
        return run

    def _progress(self) -> Progress:
        return Progress(live=getattr(self.shell, "kernel", None) is not None)

    def _model(self, task: AligningTask) -> ChatModel | None:
        wanted = task.looking.judge in ("auto", "model") or task.looking.planner == "model"
        model = self.session.model() if wanted else None
        return task.run.watch(model) if model is not None else None

    def _embedder(self, task: AligningTask) -> Embedder:
        embedder = self.session.embedder(task.looking.embedder)
        if isinstance(embedder, CachedEmbedder):
            embedder.on_progress = lambda done, total: task.run.progress(done, total, "texts embedded")
        return embedder

    def _judge(self, task: AligningTask) -> Judge[AlignQuestion]:
        looking = task.looking
        decisions = task.decisions()
        judge = make_judge(
            looking.judge,
            model=self._model(task),
            reference=task.reference or task.sides.tests or None,
            error_rate=looking.error_rate,
            seed=looking.oracle_seed,
            decisions=decisions if looking.judge == "person" else None,
            width=self.session.settings.width,
            remember=lambda asked: tasks.remembering(asked, self.session.settings),
        )
        judge = announced(judge, task.run.progress)
        if decisions is not None and looking.judge != "person":
            judge = Reviewed(decisions, judge)
        return task.run.watch_judge(judge)

    @no_var_expand
    @line_cell_magic
    def ea(self, line: str, cell: str | None = None) -> Any:
        """Align the entities of two graphs, a stage a cell: start, propose, plan, select, align, reflect, optimise."""
        return self.dispatch(line, cell)


def given(arguments: argparse.Namespace, cls: type[Any], *but: str) -> dict[str, Any]:
    """The fields of an options dataclass that the line said."""
    names = [entry.name for entry in fields(cls) if entry.name not in but]
    return {name: getattr(arguments, name) for name in names if hasattr(arguments, name)}
