from dataclasses import replace

import rdflib

from kgnb.agents.entity_alignment.judging_values import LookOptions
from kgnb.agents.entity_alignment.names import from_graph
from kgnb.agents.entity_alignment.plan import RulePlanner, plan
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.select import Selector, select
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.vectors.character_embedder import CharacterEmbedder


def test_high_entropy_shows_what_differs_and_low_entropy_what_does_not(planned):
    def spread(entropy):
        questions = select(
            planned, options=LookOptions(entropy=entropy, attributes=1, relations=0)
        ).questions
        return sum(
            len({line.text for card in question.others for line in card.lines})
            for question in questions
        )

    assert spread("high") > spread("low")


def test_neighbours_that_are_matched_are_shown_as_such(proposal):
    row = proposal.row("http://huts.example/hollenmark/hochkarhaus")
    question = Selector(proposal, LookOptions(relations=20)).question(row, ("relations",))
    own = " ".join(line.text for line in question.about.lines)
    assert "Ottertal (=)" in own and "(= Petit Hollen)" in own
    right = next(card for card in question.others if card.name == "Maison du Hochkar")
    assert any(line.text.endswith("Ottertal (=)") for line in right.lines)
    assert any("(=)" not in line.text for line in right.lines)


LABELLED = """
@prefix : <http://{side}.example/> . @prefix o: <http://{side}.example/term/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
o:P19 rdfs:label "keeper"@en, "Wirt"@de . o:Q5 rdfs:label "Alpine  hut"@en . o:P31 rdfs:label "state" .
<http://states.example/Q7> rdfs:label "open all year"@en .
:h1 a o:Q5 ; rdfs:label "Bergsee hut" ; o:P19 :a ; o:P31 <http://states.example/Q7> . :a rdfs:label "Ada" .
:h2 a o:Q5 ; rdfs:label "Bergsee old hut" ; o:P19 :b . :b rdfs:label "Bo" .
"""


def test_classes_properties_and_terms_are_shown_by_their_labels():
    graphs = []
    for side in ("one", "other"):
        graph = rdflib.Graph()
        graph.parse(data=LABELLED.replace("{side}", side), format="turtle")
        graphs.append(from_graph(RdflibGraph(graph)))
    proposal = propose(*graphs, CharacterEmbedder())
    question = Selector(proposal, LookOptions()).question(proposal.row("http://one.example/h1"))
    for text in (question.text, " ".join(option.text for option in question.options)):
        assert all(
            shown in text for shown in ("type: Alpine hut", "keeper: Ada", "state: open all year")
        )
        assert "P19" not in text and "Q5" not in text and "Q7" not in text


def test_a_candidate_that_another_entity_has_is_shown_as_taken(selected):
    for question in selected.questions:
        for card in question.others:
            assert card.iri != question.first or not card.taken
    taken = [card for question in selected.questions for card in question.others if card.taken]
    assert taken and all(f"{card.name} [taken: {card.taken}]" in card.inline for card in taken)


def test_the_first_alignment_is_among_the_candidates_however_few_are_shown(planned):
    for question in select(planned, options=LookOptions(shown=1)).questions:
        assert len(question.others) == len(question.candidates) == 1
        assert not question.first or question.others[0].iri == question.first


def test_only_the_tools_of_the_way_are_used(proposal):
    given = plan(proposal, RulePlanner(), rows=[0, 1, 2])
    only = replace(given, paths={0: ("attributes", "align"), 1: ("relations", "align"), 2: ()})
    questions = select(only).questions
    assert [question.row for question in questions] == [0, 1]
    for question, kind in zip(questions, ("attribute", "relation"), strict=True):
        assert {
            line.kind for card in (question.about, *question.others) for line in card.lines
        } <= {kind}


def test_hidden_names_are_told_to_nobody(proposal):
    bare = replace(proposal, left=proposal.left.unnamed(), right=proposal.right.unnamed())
    question = Selector(bare, LookOptions(attributes=0)).question(5)
    names = [name for name in (*proposal.left.names, *proposal.right.names) if len(name) > 4]
    shown = question.text + " ".join(option.text for option in question.options)
    assert not [name for name in names if name in shown]
