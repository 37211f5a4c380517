"""Answers over a small valley, without a model of language: values, proof, query; unsure where the
graph is silent.
"""

from collections.abc import Sequence
from dataclasses import replace

from kgnb.agents.question_answering.judges import QaQuestion, RuleJudge
from kgnb.agents.question_answering.pipeline import answer_question, learn, open_context
from kgnb.agents.question_answering.state import Judges
from kgnb.agents.question_answering.tables import answered
from kgnb.agents.question_answering.values import Answer, Options, Question
from kgnb.judging import Verdict
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.terms import Iri, Literal
from kgnb.llm.scripted import ScriptedModel
from kgnb.patience import Patience
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.question_answering.worlds import TURTLE, SparqlService, V, big, context, graph


def ask(text: str, *entities: str, turtle: str = TURTLE, **options: object) -> Answer:
    question = Question("q", text, tuple(V + e for e in entities))
    return answer_question(question, context(turtle), options=Options(**options))  # type: ignore[arg-type]


def texts(answer: Answer) -> list[str]:
    return [
        str(v).removeprefix(V) if isinstance(v, Iri) else getattr(v, "text", "")
        for v in answer.values
    ]


def test_answers_every_kind_of_question() -> None:
    for text, entities, values in (
        ("Who is the warden of Upper Hut?", ("upper",), ["ann"]),
        ("Where does the warden of Upper Hut live?", ("upper",), ["village"]),
        ("What is the altitude of Lower Hut?", ("lower",), ["1500"]),
        ("Which hut has a warden who lives in Deepvale?", ("village",), ["lower", "upper"]),
        ("Who lives in Deepvale?", ("village",), ["ann", "bob"]),
        ("How many huts serve soup?", ("soup",), ["2"]),
        ("Which hut is the highest?", (), ["upper"]),
        ("Which hut is the lowest?", (), ["lower"]),
        ("Which huts have an altitude of more than 2000?", (), ["upper"]),
        ("Is Upper Hut higher than Lower Hut?", ("upper", "lower"), ["true"]),
        ("Does Lower Hut serve cake?", ("lower", "cake"), ["false"]),
        ("Does Upper Hut serve cake?", ("upper", "cake"), ["true"]),
        ("List all huts.", (), ["lower", "upper"]),
        ("Is Upper Hut a hut?", ("upper",), ["true"]),
    ):
        found = ask(text, *entities)
        assert (found.status, texts(found)) == ("answered", values), found.rationale
        assert found.support and found.source == "graph" and found.confidence > 0.25
        assert found == ask(text, *entities), "the same question has the same answer"


def test_every_triple_of_the_proof_is_in_the_graph_and_the_query_gives_the_values() -> None:
    found = ask("Where does the warden of Upper Hut live?", "upper")
    graph = context().graph
    assert all(graph.triples(*triple) for triple in found.support)
    assert tuple(row[0] for row in graph.select(found.sparql)) == found.values


def test_is_unsure_where_the_graph_does_not_say_it() -> None:
    for case, text, entities in (
        ("the relation, but not for this entity", "What is the religion of Ann Berger?", ("ann",)),
        ("the relation, but the other way round", "Who is the warden of Ann Berger?", ("ann",)),
        ("no entity", "What is the meaning of it all?", ()),
    ):
        found = ask(text, *entities)
        assert (found.status, found.values, found.sparql) == (
            "unsure",
            (),
            "",
        ) and found.rationale, case
    assert texts(ask("Is Deepvale a hut?", "village")) in (["false"], [])


def test_what_is_unsure_offers_what_its_best_reading_gives_and_no_answer() -> None:
    found = ask("Who is the warden of Upper Hut?", "upper", confidence=1.0)
    assert (found.status, found.values, found.sparql, found.support) == ("unsure", (), "", ())
    assert found.guess is not None and found.guess.values == (V + "ann",)
    assert tuple(row[0] for row in context().graph.select(found.guess.sparql)) == found.guess.values
    card = answered(found)
    assert card.json()["answers"] == [] and card.json()["query"] == ""
    for shown in (card.html(), card.plain()):
        assert (
            "Not an answer" in shown and "Ann Berger" in shown and "SPARQL of that reading" in shown
        )
    assert "SELECT" not in " ".join(
        card.json()["notes"]
    )  # behind a fold, for those who ask how it was found
    unlikely = answered(replace(found, confidence=0.1)).html()
    assert (
        "Not an answer" not in unlikely and "Ann Berger" not in unlikely
    )  # it would be taken for one
    sure = ask("Who is the warden of Upper Hut?", "upper")
    assert sure.guess is None and "Not an answer" not in answered(sure).html()


def test_gives_all_values_even_where_memory_keeps_few() -> None:
    turtle = TURTLE + " ".join(f":upper :serves :dish{n} ." for n in range(40))
    found = ask("What does Upper Hut serve?", "upper", turtle=turtle, keep=3)
    assert len(found.values) == 42 and len(found.paths) == 3


def test_no_query_is_shown_that_gives_more_than_the_values_chosen() -> None:
    class First(RuleJudge):
        def judge(self, questions: Sequence[QaQuestion]) -> list[Verdict]:
            return [replace(verdict, also=()) for verdict in super().judge(questions)]

    opened = context(judge=Judges(RuleJudge(), RuleJudge(), First()))
    found = answer_question(Question("q", "What does Upper Hut serve?", (V + "upper",)), opened)
    assert (
        len(found.values) == 1
        and found.sparql == ""
        and "none gives exactly these" in found.notes[-1]
    )
    assert len(found.support) == 1


def test_the_models_own_answer_is_marked_and_has_no_proof() -> None:
    opened = context(model=ScriptedModel(['{"values": ["Buddhism"], "confidence": 0.4}']))
    question = Question("q", "What is the religion of Ann Berger?", (V + "ann",))
    found = answer_question(question, opened, options=Options(own_knowledge=True))
    assert (found.source, found.values, found.support, found.sparql) == (
        "model",
        (Literal("Buddhism"),),
        (),
        "",
    )
    assert answer_question(question, opened).source == "graph", "only where it is allowed"


def test_examples_teach_what_a_word_stands_for_where_a_path_explains_them() -> None:
    question = Question("q", "Who is the boss of Lower Hut?", (V + "lower",))
    assert answer_question(question, context()).values != (V + "bob",), "nobody said so yet"
    opened, asked = context(), "Who is the boss of Upper Hut?"
    learned = learn(opened, [(asked, (V + "upper",), (V + "ann",))], Options())
    assert any(relation == V + "warden" for _, relation in learned)
    assert answer_question(question, opened).values == (V + "bob",)
    assert learn(context(), [(asked, (V + "upper",), (V + "cake", V + "bob"))], Options()) == {}


# over a SPARQL service

WD, WDT, P = (
    "http://www.wikidata.org/entity/",
    "http://www.wikidata.org/prop/direct/",
    "http://www.wikidata.org/prop/",
)
WIKIDATA = f"""
@prefix wd: <{WD}> . @prefix wdt: <{WDT}> . @prefix p: <{P}> .
@prefix ps: <{P}statement/> . @prefix pq: <{P}qualifier/> .
@prefix wikibase: <http://wikiba.se/ontology#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
wd:P39 wikibase:directClaim wdt:P39 ; wikibase:claim p:P39 ; rdfs:label "position held"@en ;
    rdfs:label "Amt"@de ; skos:altLabel "office held"@en .
wd:P26 wikibase:directClaim wdt:P26 ; rdfs:label "spouse"@en , "Ehepartner"@de ; skos:altLabel "married to"@en .
wd:Q1 rdfs:label "Ilse Varnhagen"@en , "Ilse Varnhagen"@de ; wdt:P39 wd:Q3 ; p:P39 wd:s1 ; wdt:P26 wd:Q2 .
wd:s1 ps:P39 wd:Q3 ; pq:P580 "1991" .
wd:Q2 rdfs:label "Tom Varnhagen"@en . wd:Q3 rdfs:label "mayor"@en , "Bürgermeisterin"@de .
wd:Q99 owl:sameAs wd:Q1 .
"""


def served(url: str, text: str, *entities: str) -> Answer:
    endpoint = EndpointGraph(url, patience=Patience(tries=4, first=0.01, longest=0.05))
    return answer_question(
        Question("q", text, entities), open_context(endpoint, embedder=CharacterEmbedder())
    )


def test_an_endpoint_answers_as_a_file_does_also_where_it_falters() -> None:
    with SparqlService(graph()) as service:
        found = served(service.url, "Where does the warden of Upper Hut live?", V + "upper")
    assert found.values == (V + "village",) and len(found.support) == 2
    for faults in (
        [(429, b"{}"), (503, b"{}")],
        [(200, b"<html>maintenance</html>")],
        [(200, b'{"head": {"vars": ["p"]}, "results": {"bin')],
    ):
        with SparqlService(graph(), faults=faults) as service:
            assert served(service.url, "Who is the warden of Upper Hut?", V + "upper").values == (
                V + "ann",
            ), faults


def test_a_graph_in_the_shape_of_wikidata_is_read_by_the_labels_of_its_properties() -> None:
    with SparqlService(graph(WIKIDATA)) as service:
        assert served(service.url, "Who is Ilse Varnhagen married to?").values == (WD + "Q2",)
        assert served(
            service.url, "What is the position held of Ilse Varnhagen?", WD + "Q1"
        ).values == (WD + "Q3",)
        redirected = served(service.url, "Who is the spouse of Ilse Varnhagen?", WD + "Q99")
    assert redirected.values == (WD + "Q2",)


def test_a_service_that_cuts_its_answers_gives_what_it_gives() -> None:
    with SparqlService(big(1500), most=400) as service:
        found = served(service.url, "Who slept at the inn?", V + "inn")
    assert found.status == "answered" and len(found.values) == 1500
