"""The ontology matching agent: its stages, options and judges, from which magic, command and panel
are made.
"""

from __future__ import annotations

from kgnb.agents.agent import Agent, Input, Review, Stage, later
from kgnb.agents.ontology_matching.options import Judging, Options, Storing

_HERE = "kgnb.agents.ontology_matching"
_FILES = "kgnb.mapping_files"
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
            later(f"{_HERE}.retrieve:retrieve"),
            ("source", "target"),
            {**_OPTIONS, "model": "writer", "plan": "plan"},
            ("context", "define", "translate"),
            "Describe every entity of both in three views: syntactic, lexical, semantic.",
            ("%om retrieve", '%om retrieve --context "mountain huts and their bookings"'),
        ),
        Stage(
            later(f"{_HERE}.store:store"),
            ("retrieve", "index", "embedder"),
            {},
            ("embedder", "index"),
            "Put the descriptions into the vector store.",
            ("%om store", "%om store --embedder characters --index ./vectors"),
        ),
        Stage(
            later(f"{_HERE}.search:search"),
            ("store",),
            {**_OPTIONS, "plan": "plan"},
            ("k", "similarity"),
            "Find every entity's nearest candidates in each view.",
            ("%om search", "%om search --k 3 --similarity 0.5"),
        ),
        Stage(
            later(f"{_HERE}.summarise:summarise"),
            ("search",),
            {**_OPTIONS, "plan": "plan"},
            ("k", "fusion_constant"),
            "Fuse the rankings of the views into one.",
            ("%om summarise", "%om summarise --fusion-constant 60"),
        ),
        Stage(
            later(f"{_HERE}.validate:validate"),
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
            later(f"{_HERE}.merge:merge"),
            ("validate",),
            _OPTIONS,
            ("confidence", "merge", "one_sided", "cardinality"),
            "Combine both directions into one coherent alignment.",
            ("%om merge", "%om merge --merge both", "%om merge --cardinality n:m --confidence 0.6"),
        ),
    ),
    provides={
        "judge": later(f"{_HERE}.provided:judge"),
        "plan": later(f"{_HERE}.provided:plan"),
    },
    task="kgnb.tasks.matching:MatchingTask",
    judges=("judge",),
    prepare=later(f"{_HERE}.provided:prepared"),
    reopens=("individuals",),
    review=Review(
        ("validate",),
        lambda validated: validated.judged,
        later(f"{_HERE}.reviewed:MatchDecisions"),
        later(f"{_HERE}.reviewed:ReviewedMatches"),
        relations={
            "accept": "equivalent",
            "broader": "broader",
            "narrower": "narrower",
            "related": "related",
        },
    ),
    exports={
        ".sssom.tsv": later(f"{_FILES}.sssom:write"),
        ".rdf": later(f"{_FILES}.alignment_rdf:write"),
        ".ttl": later(f"{_FILES}.turtle:write"),
        ".tsv": later(f"{_FILES}.sssom:write"),
        ".xml": later(f"{_FILES}.alignment_rdf:write"),
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
