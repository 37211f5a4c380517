"""A SPARQLWrapper that somebody already has, as a graph; and what services answer and ask for."""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from SPARQLWrapper import CSV, DIGEST, GET, JSON, POST, TSV, TURTLE, XML, SPARQLWrapper

from kgnb import query
from kgnb.backends import open_graph
from kgnb.errors import BackendError
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.terms import XSD, Blank, Iri, Literal
from tests.loopback import LoopbackServer, Request

from .stub_endpoint import Reply, StubEndpoint, solutions

Start = Callable[..., StubEndpoint]
SELECT = "SELECT ?x { ?s ?p ?x }"
GOOD = Reply(solutions({"x": {"type": "literal", "value": "Hut"}}))
XML_ROWS = b"""<?xml version="1.0"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head><variable name="s"/><variable name="x"/></head>
<results>
<result><binding name="s"><uri>http://a.example/odd one</uri></binding>
<binding name="x"><literal xml:lang="en_GB">a hut</literal></binding></result>
<result><binding name="s"><bnode>b0</bnode></binding></result>
<result><binding name="x"><literal datatype="http://www.w3.org/2001/XMLSchema#integer">12</literal></binding></result>
</results></sparql>"""


class Echo(LoopbackServer):
    """Says nothing new, and keeps each request: method, path with query, headers, form."""

    place = "/sparql"

    def __init__(self, *, digest: str = "") -> None:
        self.seen: list[tuple[str, str, dict[str, str], dict[str, list[str]]]] = []
        self.digest = digest
        super().__init__()

    def answer(self, request: Request) -> None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        split = urlsplit(request.path)
        form = parse_qs(split.query) | parse_qs(request.body.decode())
        self.seen.append((request.command, request.path, headers, form))
        if self.digest and not self._answers(headers.get("authorization", ""), request):
            challenge = 'Digest realm="SPARQL", nonce="n0nce", qop="auth", algorithm=MD5'
            request.send(401, b"who?", headers={"WWW-Authenticate": challenge})
        else:
            request.send(200, GOOD.body, "application/sparql-results+json")

    def _answers(self, given: str, request: Request) -> bool:
        fields = dict(re.findall(r'(\w+)="?([^",]*)"?', given))

        def md5(text: str) -> str:
            return hashlib.md5(text.encode()).hexdigest()

        one = md5(f"ada:SPARQL:{self.digest}")
        two = md5(f"{request.command}:{request.path}")
        parts = [fields.get(name, "") for name in ("nonce", "nc", "cnonce", "qop")]
        return fields.get("response") == md5(":".join([one, *parts, two]))


def test_its_method_format_headers_parameters_and_graph_are_kept() -> None:
    with Echo() as server:
        wrapper = SPARQLWrapper(server.url, defaultGraph="urn:g")
        wrapper.setReturnFormat(XML)
        wrapper.setMethod(GET)
        wrapper.addCustomHttpHeader("X-Key", "k3y")
        wrapper.addParameter("infer", "true")
        wrapper.setTimeout(7)
        wrapper.setQuery("ASK {}")
        graph = open_graph(wrapper)
        graph.select(SELECT)
        (method, _, headers, form) = server.seen[0]
        assert method == "GET" and "sparql-results+xml" in headers["accept"]
        assert (headers["x-key"], form["infer"]) == ("k3y", ["true"])
        assert (form["default-graph-uri"], form["query"]) == (["urn:g"], [SELECT])
        assert wrapper.queryString == "ASK {}"  # it is only read
        wrapper.setMethod(POST)  # and what is set later counts too
        graph.select(SELECT)
        assert server.seen[1][0] == "POST"
        wrapper.setMethod(GET)
        graph.select(f"{SELECT} VALUES ?s {{ {'<urn:a> ' * 2000} }}")
        assert server.seen[2][0] == "POST"  # no server takes such an address


@pytest.mark.parametrize("form", [JSON, XML, CSV, TSV, TURTLE])
def test_triples_are_asked_for_in_a_form_that_holds_them(form: str, stub: Start) -> None:
    service = stub(Reply(b"<urn:a> <urn:b> 1 .", media_type="text/turtle"))
    wrapper = SPARQLWrapper(service.url)
    wrapper.setReturnFormat(form)
    assert len(open_graph(wrapper).construct("CONSTRUCT WHERE { ?s ?p ?o }")) == 1
    accept = service.received[0].headers["Accept"]
    assert "turtle" in accept or form == XML


def test_basic_and_digest_credentials_are_used_and_never_shown() -> None:
    for kind in ("BASIC", DIGEST):
        with Echo(digest="s3same" if kind == DIGEST else "") as server:
            wrapper = SPARQLWrapper(server.url)
            wrapper.setCredentials("ada", "s3same", realm="SPARQL")
            wrapper.setHTTPAuth(kind)
            graph = open_graph(wrapper)
            assert len(graph.select(SELECT)) == 1
            given = [headers.get("authorization", "") for _, _, headers, _ in server.seen]
            if kind == DIGEST:  # the password itself is never sent
                assert given[0] == "" and given[1].startswith("Digest ")
            else:
                assert base64.b64decode(given[0].split()[1]) == b"ada:s3same"
            assert "s3same" not in f"{graph!r} {graph.name} {vars(graph)}"


def test_a_user_and_password_answer_a_digest_too_and_a_wrong_one_is_said() -> None:
    with Echo(digest="s3same") as server:
        known = EndpointGraph(server.url, user="ada", password="s3same")  # pragma: allowlist secret
        assert len(known.select(SELECT)) == 1
        with pytest.raises(BackendError, match="401") as caught:
            EndpointGraph(server.url, user="ada", password="wr0ng").select(
                SELECT
            )  # pragma: allowlist secret
        assert "does not accept" in caught.value.fix and "Digest" in caught.value.fix
        with pytest.raises(BackendError) as caught:
            EndpointGraph(server.url).select(SELECT)
        assert "--user" in caught.value.fix and "--header" in caught.value.fix


BOTH = "SELECT ?s ?x { ?s ?p ?x }"


def test_rows_are_read_from_xml_csv_and_tsv(stub: Start) -> None:
    for media_type in ("application/sparql-results+xml", "text/xml", "text/plain", ""):
        found = open_graph(stub(Reply(XML_ROWS, media_type=media_type)).url).select(BOTH)
        assert found.rows == (
            (Iri("http://a.example/odd one"), Literal("a hut", "en_GB")),
            (Blank("b0"), None),
            (None, Literal("12", datatype=f"{XSD}integer")),
        )
    tsv = b'?s\t?x\n<http://a.example/odd one>\t"a\\thut"@en-GB\n_:b0\t\n\t12\n'
    found = open_graph(stub(Reply(tsv, media_type="text/tab-separated-values")).url).select(BOTH)
    assert found.rows[0] == (Iri("http://a.example/odd one"), Literal("a\thut", "en-GB"))
    assert found.rows[1:] == (
        (Blank("b0"), None),
        (None, Literal("12", datatype=f"{XSD}integer")),
    )
    csv = b's,x\r\nhttp://a.example/1,"a, hut"\r\n_:b0,\r\n,12\r\n'
    found = open_graph(stub(Reply(csv, media_type="text/csv")).url).select(BOTH)
    assert found.rows == (
        (Iri("http://a.example/1"), Literal("a, hut")),
        (Blank("b0"), None),
        (None, Literal("12", datatype=f"{XSD}integer")),
    )
    shown = query(stub(Reply(csv, media_type="text/csv; charset=utf-8")).url, BOTH)
    assert any("no types" in note for note in shown.notes)  # type: ignore[union-attr]


def test_yes_and_no_are_read_from_every_form(stub: Start) -> None:
    head = '<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head/>'
    for answer in ("true", "false"):
        forms = {
            "application/sparql-results+xml": f"{head}<boolean>{answer}</boolean></sparql>",
            "text/csv": f"bool\r\n{answer}\r\n",
            "text/tab-separated-values": f"?bool\n{answer}\n",
            "application/sparql-results+json": json.dumps({"boolean": answer == "true"}),
        }
        for media_type, body in forms.items():
            service = stub(Reply(body.encode(), media_type=media_type))
            assert open_graph(service.url).ask("ASK {}") is (answer == "true")


@pytest.mark.parametrize(
    ("body", "media_type", "said"),
    [
        (b"<html><form><input type='password'></form></html>", "text/html", "a login page"),
        (b"<html><body>Query form</body></html>", "text/html", "a web page"),
        (XML_ROWS[:-30], "application/sparql-results+xml", "cut-off XML"),
        (b"<rss/>", "application/xml", "XML, but not SPARQL results"),
        (b"<!DOCTYPE s [<!ENTITY a 'b'>]><s>&a;</s>", "application/xml", "DOCTYPE"),
        (b"a,b\r\n1\r\n", "text/csv", "line 2 with more or fewer cells"),
        (b"%PDF-1.7", "application/pdf", "application/pdf, not SPARQL results"),
    ],
)
def test_what_came_instead_is_said(body: bytes, media_type: str, said: str, stub: Start) -> None:
    with pytest.raises(BackendError, match=said):
        open_graph(stub(Reply(body, media_type=media_type)).url).select(SELECT)


def test_a_service_without_post_is_asked_by_get() -> None:
    class GetOnly(Echo):
        def answer(self, request: Request) -> None:
            if request.command == "POST":
                request.send(405, b"no")
            else:
                super().answer(request)

    with GetOnly() as server:
        graph = open_graph(server.url)
        assert len(graph.select(SELECT)) == len(graph.select(SELECT)) == 1
        assert [method for method, *_ in server.seen] == ["GET", "GET"]


def test_what_an_engine_adds_to_the_language_goes_through(stub: Start) -> None:
    for text in (
        'define input:inference "urn:rules" SELECT ?x { ?s rdfs:label ?x }',
        "PATHS START ?x = <urn:a> END ?y VIA <urn:next> LIMIT 5",
        "PATHS SHORTEST START ?x { ?x a ?c } END ?y VIA { ?x ?p ?y }",
        'SELECT ?x { hint:Query hint:optimizer "None" . ?s ?p ?x }',
        '# pragma\ndefine sql:select-option "order" define get:soft "soft" SELECT ?x { ?s ?p ?x }',
    ):
        service = stub(GOOD)
        query(service.url, text)
        sent = service.received[0].form["query"][0]
        assert sent.replace("PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> ", "") == text
        assert not sent.startswith("PREFIX")  # Virtuoso wants its define first


def test_a_body_packed_without_being_asked_is_unpacked(stub: Start) -> None:
    packed = Reply(gzip.compress(GOOD.body), headers={"Content-Encoding": "gzip"})
    wrapper = SPARQLWrapper(stub(packed).url)
    assert len(open_graph(wrapper).select(SELECT)) == 1


def test_the_library_s_requests_of_others_are_not_changed() -> None:
    import urllib.request

    before = urllib.request._opener  # type: ignore[attr-defined]
    with Echo(digest="s3same") as server:
        wrapper = SPARQLWrapper(server.url)
        wrapper.setCredentials("ada", "s3same", realm="SPARQL")
        wrapper.setHTTPAuth(DIGEST)
        open_graph(wrapper).select(SELECT)
    assert urllib.request._opener is before  # type: ignore[attr-defined]


def test_a_text_says_in_which_characters_it_is(stub: Start) -> None:
    body = "who\nGrüne Boje\n".encode("iso-8859-1")
    service = stub(Reply(body, media_type="text/csv; charset=ISO-8859-1"))
    rows = EndpointGraph(service.url).select("SELECT ?who { ?s ?p ?who }").rows
    assert rows == ((Literal("Grüne Boje"),),)


def test_a_bare_word_answers_yes_or_no(stub: Start) -> None:
    service = stub(Reply(b"true", media_type="text/boolean"))
    assert EndpointGraph(service.url).ask("ASK {}")


def test_results_of_rdf_star_services_are_results(stub: Start) -> None:
    service = stub(Reply(GOOD.body, media_type="application/x-sparqlstar-results+json"))
    assert EndpointGraph(service.url).select(SELECT).rows == ((Literal("Hut"),),)


@pytest.mark.parametrize(
    ("body", "said"),
    [(b'{"error": "ran out of time"}', "ran out of time"), (b" \n", "an empty answer")],
)
def test_what_came_instead_of_results_is_shown(body: bytes, said: str, stub: Start) -> None:
    service = stub(Reply(body, media_type="application/sparql-results+json"))
    with pytest.raises(BackendError, match=said):
        EndpointGraph(service.url).select(SELECT)
