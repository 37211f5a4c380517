from kgnb.agents.question_answering.pipeline import answer_question, open_desk
from kgnb.agents.question_answering.values import Answer, Options, Question
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.patience import Patience
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.question_answering.worlds import V, big, graph, serving

WD, WDT, P = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/", "http://www.wikidata.org/prop/"
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


def ask(url: str, text: str, *entities: str, **options: object) -> Answer:
    endpoint = EndpointGraph(url, patience=Patience(tries=4, first=0.01, longest=0.05))
    opened = open_desk(endpoint, embedder=CharacterEmbedder(), options=Options(**options))  # type: ignore[arg-type]
    return answer_question(Question("q", text, entities), opened, options=Options(**options))  # type: ignore[arg-type]


def test_an_endpoint_answers_as_a_file_does() -> None:
    with serving(graph()) as url:
        found = ask(url, "Where does the warden of Upper Hut live?", V + "upper")
    assert found.values == (V + "village",) and len(found.support) == 2


def test_a_graph_in_the_shape_of_wikidata_is_read_by_the_labels_of_its_properties() -> None:
    with serving(graph(WIKIDATA)) as url:
        assert ask(url, "Who is Ilse Varnhagen married to?").values == (WD + "Q2",)
        assert ask(url, "What is the position held of Ilse Varnhagen?", WD + "Q1").values == (WD + "Q3",)
        redirected = ask(url, "Who is the spouse of Ilse Varnhagen?", WD + "Q99")
    assert redirected.values == (WD + "Q2",)


def test_a_service_that_falters_is_asked_again() -> None:
    with serving(graph(), faults=[(429, b"{}"), (503, b"{}")]) as url:
        assert ask(url, "Who is the warden of Upper Hut?", V + "upper").values == (V + "ann",)


def test_a_service_that_answers_nonsense_once_does_not_bring_the_question_down() -> None:
    for fault in ((200, b"<html>maintenance</html>"), (200, b'{"head": {"vars": ["p"]}, "results": {"bin')):
        with serving(graph(), faults=[fault]) as url:
            assert ask(url, "Who is the warden of Upper Hut?", V + "upper").values == (V + "ann",)


def test_a_service_that_cuts_its_answers_gives_what_it_gives() -> None:
    with serving(big(3000), most=700) as url:
        found = ask(url, "Who slept at the inn?", V + "inn")
    assert found.status == "answered" and len(found.values) == 3000
