"""What a script gets from `import kgnb`: typed functions, and results that other libraries take."""

import inspect

import networkx
import pytest
import rdflib

import kgnb

FUNCTIONS = (
    *("match_ontologies", "answer_question", "answer_questions", "align_entities"),
    *("build_graph", "compile_ontology", "ground", "query"),
)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_visible_typed_and_by_keyword(name: str) -> None:
    signature = inspect.signature(getattr(kgnb, name))
    for parameter in signature.parameters.values():
        assert parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        assert parameter.annotation is not parameter.empty, parameter
    positional = parameter.POSITIONAL_OR_KEYWORD
    assert sum(one.kind is positional for one in signature.parameters.values()) <= 2
    assert signature.return_annotation is not signature.empty


def test_what_functions_take_raise_and_return_is_exported() -> None:
    assert issubclass(kgnb.Waiting, kgnb.KgnbError)
    for name in ("Judge", "Verdict", "Graph", "Table", "Ontology", "Question", "Answer", "Built"):
        assert inspect.isclass(getattr(kgnb, name))
    with pytest.raises(AttributeError, match="no attribute 'answer_everything'"):
        _ = kgnb.answer_everything


def test_an_answer_goes_into_a_data_frame_json_and_graphs() -> None:
    asked = "Who is the warden of the Hochkar House?"
    answer = kgnb.answer_question(asked, "huts:graph", judge="rule", embedder="characters")
    assert list(answer.df()["label"]) == ["Wilma Aschauer"]
    content = answer.to_json()
    assert content["values"] == list(answer.df()["value"]) and content["status"] == "answered"
    proof = answer.rdflib()
    assert isinstance(proof, rdflib.Graph) and len(proof) == len(answer.support) > 0
    drawn = answer.networkx()
    assert isinstance(drawn, networkx.MultiDiGraph)
    assert drawn.number_of_edges() == len(answer.support)
    assert "Wilma Aschauer" in {label for _, label in drawn.nodes(data="label")}


def test_an_alignment_and_a_built_graph_become_networks() -> None:
    pair = ("huts:alpine", "huts:refuge")
    alignment = kgnb.match_ontologies(*pair, judge="rule", embedder="characters")
    drawn = alignment.networkx()
    assert drawn.number_of_edges() == len(alignment.to_json()) == len(alignment.df())
    note = {"note": "Tea\n\nHut: Refuge de l'Ambre\nServes 4\n"}
    built = kgnb.build_graph(note, "huts:kitchen", judge="rule")
    assert built.networkx().number_of_edges() == len(built.graph) > 0
    assert list(built.df()["document"]) == ["note"]


def test_triples_are_a_network_with_their_predicates() -> None:
    found = kgnb.query("huts:alpine", "CONSTRUCT { ?a ?p ?b } WHERE { ?a ?p ?b } LIMIT 5")
    edges = found.networkx().edges(data="predicate")
    assert len(edges) == len(found) and all(
        str(predicate).startswith("http") for *_, predicate in edges
    )
