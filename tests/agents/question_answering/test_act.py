from dataclasses import replace

import pytest

from kgnb.agents.question_answering.act import act, act_question, allowed
from kgnb.agents.question_answering.graph_reader import GraphSchema
from kgnb.agents.question_answering.judges import RuleJudge
from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.observe import observe
from kgnb.agents.question_answering.prompts import with_prefixes
from kgnb.agents.question_answering.querying import named, patterns_of
from kgnb.agents.question_answering.state import Judges, State
from kgnb.agents.question_answering.tables import acted as acted_table
from kgnb.agents.question_answering.values import (
    Acted,
    Action,
    Finish,
    Neighbours,
    Paths,
    Query,
    read_action,
    written,
)
from kgnb.judging import Verdict
from kgnb.kg.terms import Iri
from tests.agents.question_answering.worlds import V, state

UPPER, WARDEN, ANN = Iri(V + "upper"), Iri(V + "warden"), Iri(V + "ann")
ASKED = "Who is the warden of Upper Hut?"


class Says:
    """A judge that says one thing."""

    name = "says"

    def __init__(self, choice: Action) -> None:
        self.choice = written(choice)

    def judge(self, questions: object) -> list[Verdict]:
        return [Verdict("perform", self.choice, 0.9, "because", self.name)]


def ready(text: str, *entities: str, judge: object = None) -> State:
    made = observe(link(state(text, *entities)))
    judges = Judges(judge or RuleJudge(), RuleJudge(), RuleJudge())  # type: ignore[arg-type]
    return replace(made, context=replace(made.context, judges=judges))


def done(action: Action, text: str = ASKED, *entities: str) -> Acted:
    acted = act(ready(text, *(entities or ("upper",)), judge=Says(action))).acted
    assert acted is not None
    return acted


def test_the_rule_judge_follows_the_reading_that_fits_best_and_does_nothing_twice() -> None:
    once = act(ready(ASKED, "upper"))
    assert once.acted is not None and once.acted.action == Neighbours(UPPER, WARDEN)
    assert once.acted.triples == ((UPPER, WARDEN, ANN),)
    assert acted_table(once.acted).caption == "Asked of Upper Hut: warden"
    with pytest.raises(ValueError, match="done before"):
        allowed(once, once.acted.action)
    assert written(once.acted.action) not in {option.id for option in act_question(once).options}


def test_an_action_is_read_back_as_it_was_written() -> None:
    for action in (
        Neighbours(Iri(V + "a")),
        Paths(Iri(V + "a"), Iri(V + "b"), 3),
        Query("ASK { ?s ?p ?o }"),
        Finish(),
    ):
        assert read_action(written(action)) == action
    odd = (
        '{"drop": "everything"}',
        '{"commit": {}}',
        '{"commit": [Infinity, "x"]}',
        '{"paths": "ab"}',
        '{"query": " "}',
    )
    for text in odd:
        with pytest.raises(ValueError, match="not an action"):
            read_action(text)


def test_a_query_is_given_the_prefixes_that_it_uses_also_within_a_path_and_none_that_a_text_names() -> (
    None
):
    schema = GraphSchema(prefixes={"wd": "http://e/", "wdt": "http://p/"})
    asked = 'SELECT ?a { ?a rdf:type/rdfs:subClassOf* wd:Q1 FILTER(STR(?a) != "xsd:int <http://p/wdt:P1>") }'
    declared = [line.split()[1] for line in with_prefixes(schema, asked).splitlines()[:-1]]
    assert sorted(declared) == ["rdf:", "rdfs:", "wd:"]
    own = "PREFIX wd: <http://other/>\nASK { wd:Q1 ^wdt:P1|!wdt:P2 ?x }"
    assert with_prefixes(schema, own) == "PREFIX wdt: <http://p/>\n" + own


def test_refuses_what_was_never_seen_and_names_the_nearest() -> None:
    acted = done(Neighbours(Iri(V + "uper")))
    assert acted.triples == ()
    assert (
        "was not seen in this run" in acted.refused[0].reason
        and V + "upper" in acted.refused[0].reason
    )


@pytest.mark.fault("SPARQL injection")
def test_refuses_a_query_that_does_more_than_read_this_graph() -> None:
    made = ready(ASKED, "upper")
    for query, reason in (
        ("DELETE WHERE { ?s ?p ?o }", "update"),
        ("SELECT * { SERVICE <http://evil.example/> { ?s ?p ?o } }", "another graph"),
        ("SELECT ?x FROM <http://evil.example/> { ?x ?p ?o }", "another graph"),
        ("SELECT ?x { ?x ?p <http://evil.example/x> }", "not seen"),
        ("SELECT ?x { ?x ex:p ?y }", "not declared"),
        ("SELECT ?x { ?x ?p", "well-formed"),
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "SELECT or ASK"),
    ):
        with pytest.raises(ValueError, match=reason):
            allowed(made, Query(query))


def test_runs_a_query_with_its_proof() -> None:
    acted = done(Query(f"PREFIX v: <{V}> SELECT ?w {{ v:upper v:warden ?w }}"))
    assert acted.values == (ANN,) and acted.triples == ((UPPER, WARDEN, ANN),)


def test_what_a_query_excludes_is_no_part_of_its_proof() -> None:
    for excluded in ("MINUS", "FILTER NOT EXISTS"):
        query = f"SELECT ?a {{ ?a <{V}p> ?b {excluded} {{ ?a <{V}q> ?b }} }}"
        assert [str(relation) for _, relation, _ in patterns_of(query)] == [V + "p"]


def test_offers_and_finds_paths_where_there_are_two_entities() -> None:
    two = act_question(ready("How do Upper Hut and Lower Hut hang together?", "upper", "lower"))
    assert any(isinstance(action, Paths) for action in two.actions)
    assert not any(
        isinstance(action, Paths) for action in act_question(ready(ASKED, "upper")).actions
    )
    acted = done(Paths(UPPER, Iri(V + "lower"), 2), "Upper Hut and Lower Hut?", "upper", "lower")
    assert (UPPER, V + "serves", V + "soup") in acted.triples


def test_the_iris_of_a_query_leave_out_blank_nodes_and_the_prologue() -> None:
    query = "PREFIX h: <http://h.test/> SELECT ?x { _:b h:warden ?x ; <http://h.test/beds> _:c . ?x a h:Person }"
    assert named(query) == ("http://h.test/warden", "http://h.test/beds", "http://h.test/Person")
    with pytest.raises(ValueError, match="the prefix g: is not declared"):
        named("SELECT ?x { _:b g:warden ?x }")
