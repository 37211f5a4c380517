"""``%ea``: align the entities of two graphs, a stage a cell."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from IPython.core.magic import magics_class

from kgnb import mapping_files
from kgnb.agents.agent import OutOfOrder, Task
from kgnb.agents.entity_alignment import AGENT, finetuning
from kgnb.agents.entity_alignment.agent import ORACLE, decisions_of
from kgnb.agents.entity_alignment.final_alignment import Settled, settle
from kgnb.agents.entity_alignment.judges import tuned_model
from kgnb.agents.entity_alignment.judging_values import Aligned, Planned, Selected
from kgnb.datasets import huts
from kgnb.files import write_whole
from kgnb.llm.model import ChatModel
from kgnb.magics.agent import AgentMagics, entry, options_of
from kgnb.magics.arguments import Number, argument
from kgnb.magics.ea_explain import EntityExplanation, explain
from kgnb.magics.om import COUNTS
from kgnb.magics.progress import summary
from kgnb.magics.verbs import verb
from kgnb.mappings import Alignment
from kgnb.reporting.ranked import ranked_metrics
from kgnb.results.table import Column, Table
from kgnb.tasks.aligning import learn_policy
from kgnb.tasks.running import answering_model
from kgnb.tasks.sides import Links, Sides, links_of, open_sides


class AligningTask(Task):
    """An alignment under way; what its stages come to is reckoned once and forgotten when anything changes."""

    _settled: Settled | None = None

    def settled(self) -> Settled:
        """What the stages so far come to: the first alignment, changed by what was answered."""
        if self._settled is None:
            proposal = self.need("propose")
            aligned = self.values.get("reflect") or self.values.get("align")
            if aligned is None:
                aligned = Aligned(Selected(Planned(proposal, {}, {}, "nobody"), (), self["look"]), (), "nobody")
            decisions = decisions_of(self)
            self._settled = settle(aligned, rulings=decisions.rulings() if decisions else None)
        return self._settled

    def keep(self, stage: str, value: Any) -> Any:
        """Takes a value as that of a stage."""
        self.forget()
        return super().keep(stage, value)

    def choose(self, given: Any) -> None:
        """Takes other options for the stages to come."""
        self.forget()
        super().choose(given)

    def forget(self) -> None:
        """Something changed: what was settled is out of date."""
        self._settled = None


@magics_class
class EaMagics(AgentMagics, agent=AGENT):
    """The ``%ea`` magic: what every agent has, and what alignment has besides."""

    ea = entry(AGENT)

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
    @argument("--labels", metavar="FILE", nargs="+", default=(), help="vocabularies with labels of properties, classes")
    @argument("--universe", choices=("test", "all"), default="test", help="who may be an answer of a folder [test]")
    @options_of(AGENT.knobs())
    def begin(self, arguments: argparse.Namespace) -> Table:
        """Name the two graphs; what is set here holds for all stages."""
        started: Table = self.start(arguments)
        return started

    def opened(self, task: Task) -> dict[str, Any]:
        """Both graphs with their seeds, names and test pairs."""
        given, settings = task.specs, self.session.settings
        first, second = (self._source(given[name]) for name in ("first", "second"))
        labels = [self._source(spec) for spec in given["labels"]]
        sides = open_sides(first, second, seeds=given["seeds"], names=given["names"], labels=labels, settings=settings)
        if task.option("reference"):
            links_of(task.option("reference"), settings)  # a wrong one is to cost no work
        return {"left": sides.left, "right": sides.right, "sides": sides}

    def started(self, task: Task) -> Table:
        """Both graphs with their counts, and what is known beforehand."""
        sides: Sides = task["sides"]
        keys = list(sides.left.counts())
        columns = [Column("side", "side"), Column("name", "graph"), *(Column(key, key, "number") for key in keys)]
        notes = [f"{len(sides.seeds):,} seeds; {len(sides.tests):,} test pairs"] if sides.seeds or sides.tests else []
        return Table(
            columns,
            [[side, graph.name, *graph.counts().values()] for side, graph in
             (("source", sides.left), ("target", sides.right))],
            caption="To be aligned",
            notes=[*notes, *sides.notes, self.next_line()],
        )  # fmt: skip

    def new_task(self, arguments: argparse.Namespace) -> AligningTask:
        """A task over two graphs, or a folder that holds both."""
        specs = {name: getattr(arguments, name) for name in ("first", "second", "seeds", "names", "labels", "universe")}
        chosen = AGENT.chosen({**vars(arguments), "names": "hidden" if arguments.names == "hidden" else "native"})
        return AligningTask(
            AGENT, specs, chosen, opener=self.opened, lend=self.lend, new_run=self.new_run, watch=self.watched
        )

    def nothing_yet(self) -> str:
        """What is said before ``start``."""
        return "there is nothing to align yet"

    def first_line(self) -> str:
        """The line to start with."""
        return "%ea start A B"

    def lend(self, task: Task, name: str) -> Any:
        """The pairs the oracle answers from and those to be asked about, besides what every agent is lent."""
        match name:
            case "pairs":
                return self._reference(task) or task["sides"].tests
            case "planning_model":
                return self._tuned(task) or task["model"]
            case "tested":
                return task["sides"].tests if task.specs["universe"] == "test" else ()
        return super().lend(task, name)

    def _tuned(self, task: Task) -> ChatModel | None:
        """The model tuned for planning, where the planner is "model:NAME"."""
        name = tuned_model(task.option("planner"))
        model = answering_model(self.session.settings.with_(model=name)) if name else None
        return task.run.watch(model) if model is not None else None

    def _reference(self, task: Task) -> Links:
        reference = task.option("reference")
        return links_of(reference, self.session.settings) if reference else ()

    @verb("ea optimise", "%ea optimise --save policy.json", "%ea optimise --judge oracle --error-rate 0.1")
    @argument("--train", metavar="FILE", default="", help="pairs to learn from [the seeds]")
    @argument("--rounds-of-learning", type=Number(int, 1, 20), metavar="N", default=3, help="rounds [3]")
    @argument("--save", metavar="FILE", default="", help="write the policy here (JSON), and plan with it from now on")
    @argument("--fine-tuning", metavar="FILE", default="", help="write the recorded ways here (JSON Lines)")
    @options_of(AGENT.knobs(ORACLE))
    def learn(self, arguments: argparse.Namespace) -> Any:
        """Learn from known pairs which way suits which entity."""
        task = self._task(arguments)
        train = links_of(arguments.train, self.session.settings) if arguments.train else task["sides"].seeds
        progress = self.progress()
        with task.telling(progress):
            learned = learn_policy(
                task["sides"],
                train,
                judge=task.option("judge"),
                embedder=task["embedder"],
                model=self.session.model() if task.option("judge") in ("auto", "model") else None,
                options=task["options"],
                look=task["look"],
                error_rate=task.option("error_rate"),
                seed=task.option("oracle_seed"),
                rounds=arguments.rounds_of_learning,
                run=task.run,
                settings=self.session.settings,
            )
        progress.say(summary(task.run.steps[-1]))
        if arguments.save:
            path = learned.policy.save(Path(arguments.save).expanduser())
            task.choose({"policy": str(path), "planner": "policy"})
            print(f"wrote the policy to {path}; %ea plan takes it from now on")
        if arguments.fine_tuning:
            target = Path(arguments.fine_tuning).expanduser()
            number = finetuning.export(learned.episodes, target, learned.policy.record, simulation=learned.simulation)
            print(f"wrote {number:,} recorded ways to {target}")
        return learned

    def run(self, arguments: argparse.Namespace) -> Alignment:
        """All stages, and the alignment they come to."""
        super().run(arguments)
        task = self._task(arguments)
        totals, number = task.run.totals, max(1, len(task.need("propose")))
        share = len(task.settled().aligned.answers) / number
        tokens = (totals["prompt_tokens"] + totals["completion_tokens"]) / number
        return task.settled().alignment(
            [f"{share:.1%} of the entities were looked at; {tokens:.1f} model tokens per entity; EA-Agent takes 672"]
        )

    @verb("ea evaluate", "%ea evaluate", "%ea evaluate --reference pairs.tsv")
    @options_of(AGENT.knobs(("reference",)))
    def measure(self, arguments: argparse.Namespace) -> Table:
        """Compare with known pairs: Hits@1, Hits@10, MRR, precision, recall, F1; before and after the look."""
        task = self._task(arguments)
        task.need("propose")
        sides = task["sides"]
        seeded = {one for one, _ in sides.seeds}
        tests = tuple(pair for pair in self._reference(task) or sides.tests if pair[0] not in seeded)
        if not tests:
            raise OutOfOrder("there is no pair to compare with", fix="Name some: %ea evaluate --reference FILE")
        return ranked_metrics(task.settled(), sides, tests, COUNTS)

    @verb("ea explain", "%ea explain Adlerhütte", "%ea explain http://huts.example/hollenmark/adlerhuette")
    @argument("item", metavar="X", nargs="+", help="an entity of the first graph: an IRI, its last part or its name")
    def why(self, arguments: argparse.Namespace) -> EntityExplanation:
        """Show an entity's candidates with scores before and after assignment, what they share, and what was said."""
        task = self._task(arguments)
        task.need("propose")
        return explain(" ".join(map(str, arguments.item)), task.settled())

    def review(self, arguments: argparse.Namespace) -> Any:
        """The alignment takes the answers over."""
        shown = super().review(arguments)
        self._task(arguments).forget()
        return shown

    @verb("ea export", "%ea export pairs.tsv", "%ea export same.ttl", "%ea export alignment.sssom.tsv")
    @argument("file", metavar="FILE", help="its suffix decides: .tsv (plain), .sssom.tsv, .rdf, .ttl (owl:sameAs)")
    def write(self, arguments: argparse.Namespace) -> None:
        """Write the alignment to a file other tools read."""
        settled = self._task(arguments).settled()
        path = Path(arguments.file).expanduser()
        if path.name.lower().endswith(".tsv") and not path.name.lower().endswith(".sssom.tsv"):
            text = "".join(f"{one}\t{other}\t{sure:g}\n" for one, other, sure in settled.pairs())
            write_whole(path, text)
        else:
            mapping_files.save(settled.alignment(), path)
        print(f"wrote {settled.counts()['matched']:,} pairs to {path}")

    def suggestions(self, name: str) -> Sequence[str]:
        """Open graphs for the two sides, entities for an item."""
        if name in ("first", "second"):
            return [*self.session.graphs, *(f"huts:{own}" for own in huts.FILES)]
        if name == "item" and self.task is not None:
            return [one for one in self.task["left"].names if one][:2000]
        return super().suggestions(name)

    def _task(self, arguments: argparse.Namespace) -> AligningTask:
        task = self.current_task(arguments)
        assert isinstance(task, AligningTask)
        return task

    def _source(self, spec: Any) -> Any:
        named = self.session.graphs.get(spec) if isinstance(spec, str) else None
        return named.graph if named is not None else spec
