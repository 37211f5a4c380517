# ruff: noqa: E501
"""What a model, a client of the tools or an endpoint may send, odd in every way: refused in words,
never a traceback.
"""

import json
import string
from collections.abc import Callable
from typing import Any

import pytest
import rdflib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from kgnb.agents.entity_alignment.judging_values import PATHS, named
from kgnb.agents.entity_alignment.plan import _canonical
from kgnb.agents.kg_construction.generic_tools import _SCHEMAS
from kgnb.agents.kg_construction.serve import Shared
from kgnb.agents.question_answering.values import read_action
from kgnb.errors import KgnbError
from kgnb.judging import Option
from kgnb.judging.sheet import Sheet, entries
from kgnb.kg.endpoint_results import read_boolean, read_solutions, read_triples
from kgnb.kg.endpoint_wire import ServiceReply, Wire
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.placeholders import fill
from kgnb.kg.sparql import bind, limited, refuse_update
from kgnb.kg.terms import Iri, Literal
from kgnb.llm.reply import json_values
from kgnb.llm.wire import from_wire
from kgnb.tasks.building import compile_ontology
from tests.faults.cpu import within
from tests.faults.mutations import ODD, broken, odd
from tests.faults.test_fuzzed_files import BATCH, OURS, SECONDS, TBOX
from tests.faults.tries import WHOLE

EXAMPLES = 1_000 if WHOLE else 60
PACK = compile_ontology(rdflib.Graph().parse(data=TBOX, format="turtle"))
bounded = settings(
    max_examples=EXAMPLES,
    derandomize=not WHOLE,
    database=None,
    suppress_health_check=list(HealthCheck),
)
values = some.recursive(
    some.sampled_from(ODD) | some.text(max_size=8) | some.integers() | some.floats(),
    lambda inner: (
        some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
RESULTS = {
    "head": {"vars": ["x", "y"]},
    "results": {
        "bindings": [
            {
                "x": {"type": "uri", "value": "http://a/x"},
                "y": {"type": "literal", "value": "3", "xml:lang": "en"},
            },
            {
                "x": {"type": "bnode", "value": "b"},
                "y": {
                    "type": "triple",
                    "value": {
                        "subject": {"type": "uri", "value": "http://a/s"},
                        "predicate": {"type": "uri", "value": "http://a/p"},
                        "object": {"type": "literal", "value": "o", "datatype": "http://a/d"},
                    },
                },
            },
        ]
    },
}
ANSWERS = {
    "answers": [
        {"question": 1, "why": "alike", "letter": "A", "second": "none", "confidence": 0.9},
        {"question": 2, "letter": "none", "confidence": 1},
    ]
}
SHEET = Sheet(
    "Which?",
    ("hut", "pass"),
    ((Option("a", "refuge"),), (Option("b", "saddle"), Option("c", "peak"))),
    ("equivalent",),
    "none",
    duplicates=True,
)
WIRE = Wire("http://127.0.0.1:9/sparql")
QUERY = 'PREFIX h: <http://hut.example/>\nSELECT ?x (COUNT(*) AS ?n) WHERE { ?x h:beds ?b . FILTER(?b > 3) # so\n { SELECT ?x { ?x a h:Hut } LIMIT 3 } } GROUP BY ?x ORDER BY ?n LIMIT 10\nVALUES ?x { h:a """q\\"s""" {{name}} }'


def tried(
    record_property: Callable[[str, object], None], strategy: Any, read: Callable[[Any], object]
) -> None:
    """Read many of these; only our own errors, or ValueError, may come of it."""
    count = 0

    @bounded
    @given(strategy)
    def one(case: Any) -> None:
        nonlocal count
        count += 1
        with within(SECONDS):
            try:
                read(case)
            except OURS as error:
                assert str(error)

    one()
    record_property("tries", count)


@pytest.mark.fault("odd tool arguments")
@pytest.mark.parametrize("how", ["typed", "generic"])
def test_arguments_of_any_shape_are_refused_with_a_reason(how: str, record_property: Any) -> None:
    shared = Shared(PACK, PACK.session(), documents={"notes": "The Ambre hut has 28 beds."})
    hut = shared.call("create_hut", {"label": "Ambre"}).iri
    names = [tool.name for tool in PACK.tools] if how == "typed" else list(_SCHEMAS)
    keys = [
        "label",
        "subject",
        "value",
        "object",
        "class",
        "facts",
        "property",
        "quote",
        "document",
        "words",
        "iri",
        "new",
    ]
    told = some.sampled_from(
        [hut, "hut:h1", "hut", "Ambre", 28, "28", {"beds": 28}, {"beds": [1, {}]}, "beds", "notes"]
    )
    arguments = some.dictionaries(
        some.sampled_from(keys) | some.text(max_size=4), told | values, max_size=5
    )

    def call(case: tuple[str, Any]) -> None:
        if how == "typed":
            result = shared.call(*case)
            assert result.ok or result.violations
            json.dumps(result.as_json(), default=str)
        else:
            done = shared.use(*case)
            assert done["ok"] or done.get("refused") or done, done
            json.dumps(done, default=str)

    tried(record_property, some.tuples(some.sampled_from(names), arguments), call)
    rdflib.Dataset().parse(
        data=shared.session.trig(), format="trig"
    )  # what was let in can be written and read


@pytest.mark.fault("odd model replies")
def test_a_completion_of_any_shape_is_a_reply_or_an_error(record_property: Any) -> None:
    tried(
        record_property,
        odd([BATCH["response"]["body"]]) | values,
        lambda body: from_wire(body[0] if isinstance(body, list) and body else body, "m"),
    )


@pytest.mark.fault("odd model replies")
def test_answers_of_any_shape_are_read_one_by_one(record_property: Any) -> None:
    texts = odd(ANSWERS).map(json.dumps) | broken(json.dumps(ANSWERS).encode()).map(
        lambda data: data.decode("utf-8", "replace")
    )

    def read(text: str) -> None:
        answers = SHEET.read(text)
        assert {*answers.verdicts, *answers.problems} == {1, 2}
        assert all(0 <= verdict.confidence <= 1 for verdict in answers.verdicts.values())
        for entry in entries(text):
            _canonical(entry.get("tools"), [named(path) for path in PATHS])

    tried(record_property, texts | some.text(alphabet='[]{}",:\\ a1`', max_size=60), read)


@pytest.mark.fault("odd model replies")
def test_json_amid_prose_is_found_in_time(record_property: Any) -> None:
    pieces = [
        "{",
        "}",
        "[",
        "]",
        '"',
        "\\",
        "```json\n",
        "```",
        ",",
        ":",
        "1",
        '"a"',
        "\n",
        "<think>",
        "</think>",
        "NaN",
    ]
    repeated = some.tuples(
        some.lists(some.sampled_from(pieces), min_size=1, max_size=4), some.integers(1, 3_000)
    )
    tried(record_property, repeated.map(lambda case: "".join(case[0]) * case[1]), json_values)


@pytest.mark.fault("odd model replies")
def test_an_action_of_any_shape_is_an_action_or_none(record_property: Any) -> None:
    actions = [
        {"neighbours": ["http://a/x", "http://a/p"]},
        {"paths": ["http://a/x", "http://a/y", 2]},
        {"commit": [1, "x", "y"]},
        {"query": "ASK {}"},
    ]
    tried(record_property, some.sampled_from(actions).flatmap(odd).map(json.dumps), read_action)


@pytest.mark.fault("SPARQL endpoint fails")
def test_a_results_document_of_any_shape_is_read_or_refused(record_property: Any) -> None:
    def read(body: bytes) -> None:
        answer = ServiceReply("application/sparql-results+json", body, {})
        for reader in (read_solutions, read_boolean):
            try:
                reader(WIRE, answer)
            except KgnbError as error:
                assert "127.0.0.1" in str(error)

    deep = (
        '{"head":{"vars":["x"]},"results":{"bindings":[{"x":'
        + '{"type":"triple","value":{"subject":' * 400
    ).encode()
    documents = (
        odd(RESULTS).map(lambda value: json.dumps(value).encode())
        | broken(json.dumps(RESULTS).encode())
        | broken(deep)
    )
    tried(record_property, documents, read)


@pytest.mark.fault("SPARQL endpoint fails")
def test_triples_of_any_shape_are_read_or_refused(record_property: Any) -> None:
    body = b'<http://a/s> <http://a/p> "o"@en, <<( <http://a/s> <http://a/p> 3 )>> .\n'
    tried(
        record_property,
        broken(body),
        lambda data: read_triples(WIRE, ServiceReply("text/turtle", data, {})),
    )


@pytest.mark.fault("SPARQL injection")
def test_a_query_of_any_shape_is_taken_apart_or_refused(record_property: Any) -> None:
    graph = OxigraphGraph()

    def read(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        refuse_update(text)
        graph.select(
            limited(bind(fill(text, {"name": 'x" } DROP ALL #'}), {"x": Iri("http://a/x")}), 5)
        )

    tried(record_property, broken(QUERY.encode()), read)
    assert graph.count() == 0


@pytest.mark.fault("SPARQL injection")
def test_a_bound_text_comes_back_unchanged_and_has_no_effect(record_property: Any) -> None:
    graph = OxigraphGraph()
    graph.add([(Iri("http://a/x"), Iri("http://a/p"), Literal("kept"))])
    closing = [
        '" } ; DROP ALL #',
        "'''",
        '"""',
        "\\",
        "\\u0022",
        "{{name}}",
        "?x",
        "> <http://evil/",
    ]
    closing.append("\n} INSERT DATA { <a:a> <a:b> 1 }")
    hostile = some.text(
        alphabet=string.printable + "\u202e\x00é\\\"'<>{}#", max_size=30
    ) | some.sampled_from(closing)

    def ask(text: str) -> None:
        rows = graph.select(fill("SELECT ?v { BIND({{name}} AS ?v) }", {"name": text})).rows
        assert rows == ((Literal(text),),)
        assert graph.ask(bind("ASK { FILTER(?v = ?v) }", {"v": Literal(text)}))

    tried(record_property, hostile, ask)
    assert graph.count() == 1
