"""The ontology matching agent: its stages, options and judges, from which magic, command and panel
are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from kgnb.agents.agent import Agent, AgentTask, Input, Review, Stage
from kgnb.agents.ontology_matching.judges import JudgeName, make_judge
from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import comparable, retrieve
from kgnb.agents.ontology_matching.reviewed import (
    MatchDecisions,
    PairDecisions,
    ReviewedMatches,
)
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import (
    SIDES,
    VIEWS,
    Described,
    Description,
    Found,
    MatchingPlan,
    MatchQuestion,
    Options,
    Stored,
    Summarised,
    Validated,
)
from kgnb.agents.options import Field, options
from kgnb.judging import Judge
from kgnb.kg.labels import readable
from kgnb.kg.prefixes import told_apart
from kgnb.mapping_files import WRITERS
from kgnb.results.bundle import view
from kgnb.results.cells import LabelledIri, Value
from kgnb.results.table import Column, Table


@options
class Storing:
    """Where descriptions are stored, and how they are embedded."""

    embedder: str = Field(
        default="",
        description="local, characters, tiny, fastembed:MODEL, openai:MODEL or sentence-transformers:MODEL",
    )
    index: str = Field(default="", description="memory, a folder or a Qdrant URL")


@options
class Judging:
    """Who judges the candidates, and how."""

    judge: JudgeName = Field(
        default="auto",
        description="who decides; auto: cascade with a model, rule without; paper: the paper's"
        " yes/no validator; first: nobody, the best candidate counts",
    )
    error_rate: float = Field(
        default=0.0,
        ge=0.0,
        le=1.0,
        description="share of wrong answers of the oracle, a simulation",
    )
    seed: int = Field(default=0, ge=0, description="seed of the oracle's errors")
    decisions: str = Field(
        default="", description="file of a person's decisions; they override the judge"
    )
    reference: str = Field(
        default="",
        description="a reference alignment, for evaluate and the oracle; huts:reference is ours",
    )
    plan: Literal["fixed", "model"] = Field(
        default="fixed", description="as the options say, or a model plans each kind of entity"
    )


def _judge(task: AgentTask) -> Judge[MatchQuestion]:
    matching: Options = task["options"]
    return make_judge(
        task.option("judge"),
        model=task["model"],
        reference=task["pairs"],
        error_rate=task.option("error_rate"),
        seed=task.option("seed"),
        decisions=task["decided"],
        exclusive=matching.cardinality == "1:1",
        context=matching.context,
        relations=matching.relations,
        ask=matching.ask,
        examples=_examples(task),
        width=task["settings"].width,
        remember=task["remember"],
    )


def _plan(task: AgentTask) -> MatchingPlan:
    """The plan of this run; it is as the options say unless a model planned."""
    plan: MatchingPlan = getattr(task, "plan", MatchingPlan())
    return plan


EXAMPLES = 4
"""Confirmed and rejected pairs, each, that prompts quote. The oldest: further decisions leave the
prompts, and what was answered to them, as they are.
"""


def _examples(task: AgentTask) -> list[str]:
    """What a person confirmed and rejected, in words."""
    decisions: PairDecisions | None = task["decided"]
    if decisions is None:
        return []
    confirmed: list[str] = []
    rejected: list[str] = []
    for (source, target, kind), decision in decisions.by_pair().items():
        ends = task["source"].find(source, kind), task["target"].find(target, kind)
        if None in ends:
            continue
        names = [readable(end) for end in ends]
        if decision.relation == "equivalent":
            confirmed.append(f"{names[0]} = {names[1]} ({kind})")
        elif decision.relation == "different":
            rejected.append(f"{names[0]} is not {names[1]} ({kind})")
    return [*confirmed[:EXAMPLES], *rejected[:EXAMPLES]]


def _prepared(inputs: dict[str, Any]) -> dict[str, Any]:
    return dict(
        zip(("source", "target"), comparable(inputs["source"], inputs["target"]), strict=True)
    )


_OPTIONS = {"options": "options"}
AGENT = Agent(
    name="ontology_matching",
    magic="om",
    command="match",
    title="Ontology matching",
    summary="Match two ontologies",
    inputs=(
        Input(
            "source", "ontology", "a name of %kg, a file, a folder, an endpoint's URL, huts:alpine"
        ),
        Input("target", "ontology", "the other one"),
    ),
    options={"options": Options, "storing": Storing, "judging": Judging},
    stages=(
        Stage(
            retrieve,
            ("source", "target"),
            {**_OPTIONS, "model": "writer", "plan": "plan"},
            ("context", "define", "translate"),
            "Describe every entity of both in three views: syntactic, lexical, semantic.",
            ("%om retrieve", '%om retrieve --context "mountain huts and their bookings"'),
        ),
        Stage(
            store,
            ("retrieve", "index", "embedder"),
            {},
            ("embedder", "index"),
            "Put the descriptions into the vector store.",
            ("%om store", "%om store --embedder characters --index ./vectors"),
        ),
        Stage(
            search,
            ("store",),
            {**_OPTIONS, "plan": "plan"},
            ("k", "similarity"),
            "Find every entity's nearest candidates in each view.",
            ("%om search", "%om search --k 3 --similarity 0.5"),
        ),
        Stage(
            summarise,
            ("search",),
            {**_OPTIONS, "plan": "plan"},
            ("k", "fusion_constant"),
            "Fuse the rankings of the views into one.",
            ("%om summarise", "%om summarise --fusion-constant 60"),
        ),
        Stage(
            validate,
            ("summarise", "judge"),
            {"plan": "plan"},
            ("judge", "error_rate", "seed", "decisions", "reference", "context", "ask"),
            "Let the judge decide which candidate, if any, means the same.",
            (
                "%om validate",
                "%om validate --ask 0.3",
                "%om validate --judge oracle --error-rate 0.1",
            ),
        ),
        Stage(
            merge,
            ("validate",),
            _OPTIONS,
            ("confidence", "merge", "one_sided", "cardinality"),
            "Combine both directions into one coherent alignment.",
            ("%om merge", "%om merge --merge both", "%om merge --cardinality n:m --confidence 0.6"),
        ),
    ),
    provides={"judge": _judge, "plan": _plan},
    task="kgnb.tasks.matching:MatchingTask",
    judges=("judge",),
    prepare=_prepared,
    reopens=("individuals",),
    review=Review(
        ("validate",),
        lambda validated: validated.judged,
        MatchDecisions,
        ReviewedMatches,
        relations={
            "accept": "equivalent",
            "broader": "broader",
            "narrower": "narrower",
            "related": "related",
        },
    ),
    exports={
        ".sssom.tsv": WRITERS["sssom"],
        ".rdf": WRITERS["rdf"],
        ".ttl": WRITERS["turtle"],
        ".tsv": WRITERS["sssom"],
        ".xml": WRITERS["rdf"],
    },
    printed=".sssom.tsv",
    about="""Find which classes and properties of SOURCE and TARGET mean the same.

Each is a file or folder of RDF, the URL of a SPARQL endpoint, or huts:alpine / huts:refuge (our own
example). Existing output files are replaced, whole or not at all. Without --out the alignment goes to
standard output. Exit status 1 if the model's server failed on the way; unanswered questions are
reported and counted.""",
    examples=(
        "kgnb match cmt.owl confof.owl --out cmt-confof.rdf",
        'kgnb match a.ttl b.ttl --context "mountain huts" -o ab.sssom.tsv -o ab.ttl',
        "kgnb match a.ttl b.ttl --judge oracle --reference ab.rdf > ab.tsv",
        "kgnb match a.ttl https://example.org/sparql --k 10 --format ttl | less",
    ),
    start_help="Name the two ontologies to match; what is set here holds for all stages.",
    start_examples=(
        "%om start huts.ttl refuge.owl",
        '%om start huts refuge --context "mountain huts" --k 5',
    ),
)


def _names(descriptions: Iterable[Description]) -> Callable[[Description], LabelledIri]:
    """How tables name entities: two of one side that have the same name are told apart."""
    every = list(descriptions)
    sides = {side: told_apart((d.iri, d.name) for d in every if d.side == side) for side in SIDES}
    return lambda d: LabelledIri(d.iri, sides[d.side].get(d.iri, d.name))


@view.register
def described(value: Described) -> Table:
    """One row per entity, with its three views."""
    columns = [Column(name, name) for name in ("side", "kind", "entity", *VIEWS)]
    named = _names(value.descriptions)
    rows: list[list[Value]] = [
        [d.side, d.kind, named(d), d.syntactic, "; ".join(d.lexical), d.semantic]
        for d in value.descriptions
    ]
    caption = (
        f"{len(value.of('source'))} and {len(value.of('target'))} entities and their three views"
    )
    return Table(columns, rows, caption=caption)


@view.register
def stored(value: Stored) -> Table:
    """Where the vectors are, and the cost."""
    facts = {"embedder": value.embedder, "index": value.index, **value.counts()}
    rows: list[list[Value]] = [[name, str(fact)] for name, fact in facts.items()]
    return Table(
        [Column("what", "what"), Column("value", "value")], rows, caption="The hybrid store"
    )


@view.register
def found(value: Found) -> Table:
    """The number of candidates of each view, and its floor."""
    columns = [
        Column("view", "view"),
        Column("candidates", "candidates", "number"),
        Column("floor", "floor", "number"),
    ]
    counts = value.counts()
    rows: list[list[Value]] = [
        [view, counts.get(f"{view} hits", 0), round(at, 3)] for view, at in value.floors
    ]
    notes = ["Floor: 95 % of random pairs score below it."]
    return Table(columns, rows, caption=f"{counts['pairs']} candidate pairs", notes=notes)


@view.register
def summarised(value: Summarised) -> Table:
    """One row per question; it opens to the candidates."""
    columns = [
        Column("side", "asked from"),
        Column("entity", "entity"),
        Column("best", "best candidate"),
    ]
    columns += [Column("score", "fused score", "number"), Column("count", "candidates", "number")]
    named = _names(value.described.descriptions)
    rows: list[list[Value]] = []
    for q in value.questions:
        best = q.candidates[0].score
        rows.append([q.side, named(q.about), named(q.others[0]), best, len(q.others)])
    return Table(
        columns, rows, caption="Candidates, fused", details=[_listing(q) for q in value.questions]
    )


@view.register
def validated(value: Validated) -> Table:
    """One row per verdict; it opens to the reasons."""
    columns = [
        Column("side", "asked from"),
        Column("entity", "entity"),
        Column("decision", "decision"),
    ]
    columns += [
        Column("choice", "choice"),
        Column("confidence", "confidence", "number"),
        Column("by", "judged by"),
    ]
    named = _names(value.described.descriptions)
    rows: list[list[Value]] = []
    for one in value.judged:
        names = {other.iri: named(other) for other in one.question.others}
        verdict = one.verdict
        chosen = names.get(verdict.choice) if verdict.choice else None
        rows.append(
            [
                one.question.side,
                named(one.question.about),
                verdict.decision,
                chosen,
                verdict.confidence,
                verdict.judged_by,
            ]
        )
    details = [[("why", one.verdict.rationale), *_listing(one.question)] for one in value.judged]
    return Table(columns, rows, caption=f"Verdicts, judge: {value.judge}", details=details)


def _listing(question: MatchQuestion) -> list[tuple[str, str]]:
    pairs = zip(question.candidates, question.others, strict=True)
    return [(f"{candidate.rank}. {other.name}", other.in_short) for candidate, other in pairs]
