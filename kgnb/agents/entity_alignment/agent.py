"""The entity alignment agent: its stages, options and judges, from which magic, command and panel
are made.
"""

from __future__ import annotations

from kgnb.agents.agent import Agent, Input, Output, Review, Stage, later
from kgnb.agents.entity_alignment.options import Looking, LookOptions, Options
from kgnb.agents.options import names_of

_HERE = "kgnb.agents.entity_alignment"
_PROVIDED = f"{_HERE}.provided"
OWN = tuple(name for name in names_of(Options) if name != "names")
ORACLE = ("judge", "error_rate", "seed")
AGENT = Agent(
    name="entity_alignment",
    magic="ea",
    command="align",
    title="Entity alignment",
    summary="Align the entities of two graphs",
    inputs=(
        Input(
            "left",
            "graph",
            "a name of %kg, files, an endpoint's URL, huts:hollenmark; or a folder of both graphs",
        ),
        Input("right", "graph", "the other graph; none where the first is a folder", optional=True),
        Input(
            "seeds",
            "text",
            "known pairs: none, folder (the default for one), stated (owl:sameAs in the graphs), or a file",
            optional=True,
            named=True,
            metavar="none|folder|stated|FILE",
        ),
        Input(
            "names",
            "text",
            "names as they are, hidden (structure and values only), or a JSON file from IRI to name",
            optional=True,
            default="native",
            named=True,
            metavar="native|hidden|FILE.json",
        ),
        Input(
            "labels",
            "graph",
            "vocabularies that label properties and classes, for the judge",
            optional=True,
            many=True,
            default=(),
            named=True,
        ),
        Input(
            "universe",
            "text",
            "targets allowed as answers: the folder's test targets, or all entities",
            optional=True,
            default="test",
            named=True,
            choices=("test", "all"),
        ),
        Input(
            "candidates",
            "file",
            "someone else's candidates, as --ranking writes them or in two columns; no other pair is considered",
            optional=True,
            local=True,
            named=True,
            metavar="FILE.tsv",
        ),
        Input(
            "plans",
            "file",
            "a person's plans (.jsonl)",
            optional=True,
            local=True,
            named=True,
        ),
    ),
    options={"options": Options, "look": LookOptions, "looking": Looking},
    stages=(
        Stage(
            later(f"{_HERE}.propose:propose"),
            ("left", "right", "embedder", "options"),
            {
                "seeds": "seeds",
                "sources": "sources",
                "targets": "targets",
                "candidates": "candidates",
            },
            (*OWN, "embedder"),
            "Give every entity candidates and a first alignment, without a model.",
            ("%ea propose", "%ea propose --assignment argmax --hops 1"),
        ),
        Stage(
            later(f"{_HERE}.plan:plan"),
            ("propose", "planner"),
            {"options": "look", "known": "known"},
            ("share", "sure", "attributes", "relations", "planner"),
            "Choose which entities to judge, and with which tools.",
            ("%ea plan", "%ea plan --share 0.05", "%ea plan --planner thorough"),
        ),
        Stage(
            later(f"{_HERE}.select:select"),
            ("plan",),
            {"options": "look"},
            ("shown", "attributes", "relations", "entropy"),
            "Choose the triples that tell an entity's candidates apart.",
            ("%ea select", "%ea select --entropy low"),
        ),
        Stage(
            later(f"{_HERE}.align:align"),
            ("selected", "judge"),
            {},
            (*ORACLE, "decisions", "both_orders"),
            "Let the judge decide which candidate is the same entity, or none.",
            ("%ea align", "%ea align --judge rule", "%ea align --judge oracle --error-rate 0.1"),
        ),
        Stage(
            later(f"{_HERE}.reflect:reflect"),
            ("aligned", "judge"),
            {},
            ("reflect_below", *ORACLE),
            "Ask again where an answer is unsure.",
            ("%ea reflect", "%ea reflect --reflect-below 0.9"),
        ),
    ),
    provides={
        "judge": later(f"{_PROVIDED}:judge"),
        "planner": later(f"{_PROVIDED}:planner"),
        "selected": later(f"{_PROVIDED}:selected"),
        "aligned": later(f"{_PROVIDED}:aligned"),
    },
    task="kgnb.tasks.aligning:AligningTask",
    judges=("judge", "planner"),
    internal=("names",),
    review=Review(
        ("align", "reflect"),
        later(f"{_HERE}.final_alignment:reviewable"),
        later(f"{_HERE}.judges:EntityDecisions"),
        later(f"{_HERE}.judges:ReviewedEntities"),
        "entity-decisions.jsonl",
    ),
    exports={
        ".sssom.tsv": later(f"{_PROVIDED}:sssom"),
        ".rdf": later(f"{_PROVIDED}:rdf"),
        ".ttl": later(f"{_PROVIDED}:turtle"),
        ".tsv": later(f"{_PROVIDED}:sssom"),
        ".csv": later(f"{_HERE}.duplicates:side_by_side"),
        ".txt": later(f"{_PROVIDED}:plain_pairs"),
    },
    printed=".txt",
    outputs=(
        Output(
            "ranking",
            "the ten best targets of every test source",
            lambda task: task.rankings(),
            "FILE.tsv",
        ),
        Output(
            "trajectories",
            "every path of every entity in question, with verdict, reward and the planner's prompt (needs --reference)",
            lambda task: task.trajectories(),
            "FILE.jsonl",
        ),
        Output(
            "tuning",
            "the best path of each as a line to tune a planner on, in OpenAI's format (needs --reference)",
            lambda task: task.trajectories(tuning=True),
            "FILE.jsonl",
        ),
        Output(
            "merged",
            "of one table: each thing once, with the first known value of every property",
            later(f"{_PROVIDED}:merged_table"),
            "FILE.csv",
            check=later(f"{_PROVIDED}:check_one_table"),
        ),
    ),
    about="""Find which entities of two graphs are the same.

Give either a FOLDER in the layout of DBP15K, SRPRS or OpenEA, which holds both graphs; or LEFT and
RIGHT: files or folders of RDF, URLs of SPARQL endpoints, or our own example, huts:hollenmark and
huts:corvane.

\b
Files (UTF-8, tab-separated, full IRIs):
  --out FILE.tsv      SSSOM, as kgnb match writes it; FILE.txt holds source IRI,
                      target IRI, confidence between 0 and 1, without a header;
                      FILE.csv those and the values of both, side by side
  --ranking FILE.tsv  source IRI, rank from 1, target IRI, score; the ten best of
                      every test source, or of every source without test pairs
  --seeds FILE        source IRI, target IRI (further columns are ignored); or
                      SSSOM (.tsv), .rdf, .ttl

Existing output files are replaced, whole or not at all. Without --out the plain columns go to standard
output. Entities left without a counterpart are counted, with reasons, on standard error.""",
    examples=(
        "kgnb align data/srprs/en_fr --seeds folder --names hidden --out found.tsv --ranking best.tsv",
        "kgnb align huts:hollenmark huts:corvane --reference huts:entity-reference -o huts.ttl",
        "kgnb align a.ttl https://example.org/sparql --seeds known.tsv --judge rule | less",
        "kgnb align ours.csv theirs.csv --precision 0.8 --out same.tsv",
    ),
    start_help="Name the two graphs; what is set here holds for all stages.",
    start_examples=(
        "%ea start huts:hollenmark huts:corvane --reference huts:entity-reference",
        "%ea start a.ttl b.ttl --seeds known.tsv",
        "%ea start dbp15k/fr_en --names hidden",
    ),
)
