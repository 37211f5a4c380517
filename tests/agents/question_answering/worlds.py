"""A small valley to ask about, a very large hut, and a SPARQL service over either."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pyoxigraph

from kgnb.agents.question_answering.pipeline import begin, open_context
from kgnb.agents.question_answering.state import GraphContext, State
from kgnb.agents.question_answering.values import Options, Question
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Iri, n3
from kgnb.kg.terms import Triple as Triple
from kgnb.vectors.character_embedder import CharacterEmbedder

V = "http://valley.example/"
TURTLE = """
@prefix : <http://valley.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:Hut a owl:Class ; rdfs:label "hut"@en , "Hütte"@de .
:warden rdfs:label "warden"@en , "Hüttenwart"@de ; skos:altLabel "run by"@en .
:livesIn rdfs:label "lives in"@en .
:altitude rdfs:label "altitude"@en ; skos:altLabel "how high"@en .
:serves rdfs:label "serves"@en .
:religion rdfs:label "religion"@en .
:upper a :Hut ; rdfs:label "Upper Hut"@en , "Obere Hütte"@de ; :warden :ann ; :altitude 2400 ; :serves :soup , :cake .
:lower a :Hut ; rdfs:label "Lower Hut"@en ; :warden :bob ; :altitude 1500 ; :serves :soup .
:ann rdfs:label "Ann Berger" ; :livesIn :village .
:bob rdfs:label "Bob Maier" ; :livesIn :village ; :religion :none .
:village rdfs:label "Deepvale"@en , "Tiefental"@de ; skos:altLabel "The Vale"@en .
:soup rdfs:label "soup"@en . :cake rdfs:label "cake"@en .
:oldvillage owl:sameAs :village .
"""


def graph(turtle: str = TURTLE) -> OxigraphGraph:
    """The valley."""
    store = pyoxigraph.Store()
    store.load(turtle.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    found = OxigraphGraph(name="valley")
    for quad in store:
        found.add([(_term(quad.subject), _term(quad.predicate), _term(quad.object))])
    return found


def _term(term: object) -> object:
    from tests.kg.n3_reader import parse_term

    return parse_term(str(term))


def big(number: int = 20_000) -> OxigraphGraph:
    """A hut with very many guests."""
    found = OxigraphGraph(name="big")
    found.add((Iri(f"{V}guest{at:06}"), Iri(V + "sleptAt"), Iri(V + "inn")) for at in range(number))
    found.add([(Iri(V + "inn"), Iri(V + "landlord"), Iri(V + "carla"))])
    return found


def context(turtle: str = TURTLE, **more: object) -> GraphContext:
    """A context over the valley, without any model of language."""
    return open_context(graph(turtle), embedder=CharacterEmbedder(), **more)  # type: ignore[arg-type]


def state(text: str, *entities: str, on: GraphContext | None = None, **options: object) -> State:
    """The first state of a question."""
    question = Question("q", text, tuple(V + entity for entity in entities))
    return begin(question, on or context(), Options(**options))  # type: ignore[arg-type]


@contextmanager
def serving(found: OxigraphGraph, most: int = 10_000, faults: list[tuple[int, bytes]] | None = None) -> Iterator[str]:
    """A SPARQL service over a graph that cuts answers after ``most`` rows, and first gives the ``faults``."""
    store = pyoxigraph.Store()
    lines = "\n".join(" ".join(map(n3, triple)) + " ." for triple in found.triples())
    store.load(lines.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    waiting = list(faults or [])

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            media, status = "application/sparql-results+json", 200
            if waiting:
                status, body = waiting.pop(0)
                media = "text/html" if body.startswith(b"<") else media
            else:
                answer = store.query(form["query"][0])
                if isinstance(answer, pyoxigraph.QueryTriples):
                    body, media = answer.serialize(format=pyoxigraph.RdfFormat.N_TRIPLES), "application/n-triples"
                else:
                    body = _cut(answer.serialize(format=pyoxigraph.QueryResultsFormat.JSON), most)
            self.send_response(status)
            self.send_header("Content-Type", media)
            self.send_header("Content-Length", str(len(body)))
            if status == 429:
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/sparql"
    finally:
        server.shutdown()
        server.server_close()


def _cut(body: bytes, most: int) -> bytes:
    import json

    value = json.loads(body)
    if "results" in value:
        value["results"]["bindings"] = value["results"]["bindings"][:most]
    return json.dumps(value).encode()
