"""Candidates that the views find."""

import pytest

from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.rule import RuleJudge
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.values import Options, Stored
from kgnb.backends import open_ontology
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.index import MemoryIndex
from tests.agents.ontology_matching.small import questions_of


def test_a_threshold_of_one_leaves_equal_names_and_equal_vectors_only(stored: Stored) -> None:
    strict = search(stored, options=Options(similarity=1.0))
    assert all(r.view == "exact" or r.score > 0.999 for r in strict.rankings)
    assert any(r.view == "exact" for r in strict.rankings)


def test_the_order_of_the_two_ontologies_changes_neither_candidates_nor_confidence() -> None:
    huts = [open_ontology(f"huts:{name}") for name in ("alpine", "refuge")]
    there, back = (questions_of(*pair) for pair in (huts, huts[::-1]))
    ours = {pair: case.probability for pair, case in RuleJudge().weigh(there.questions).items()}
    theirs = {pair: case.probability for pair, case in RuleJudge().weigh(back.questions).items()}
    assert ours == pytest.approx(
        {(one, other, kind): value for (other, one, kind), value in theirs.items()}, abs=1e-9
    )


def test_a_few_definitions_are_not_opposites_of_each_other() -> None:
    sides = []
    for side, told in (("a", ("wood", "stone")), ("b", ("snow", "rope"))):
        named = [
            Entity(f"http://{side}.example/{text}", "class", comments=(Text(text),))
            for text in told
        ]
        more = [
            Entity(f"http://{side}.example/{text}", "class")
            for text in ("hut", "lake", "path", "guide", "key")
        ]
        sides.append(Ontology(side, "", side, (*named, *more)))
    found = search(
        store(retrieve(*sides), MemoryIndex(), CharacterEmbedder()), options=Options(k=10)
    )
    meant = [cosines.meaning for cosines in found.cosines.values() if cosines.meaning is not None]
    assert meant and all(
        meaning > -0.2 for meaning in meant
    )  # by themselves, four are at -1/3 on average
