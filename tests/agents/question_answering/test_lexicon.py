"""How well phrases fit relations, what a graph has no relation for, and the vectors that come with
the package.

After a change of the lists or of the embedder: ``python -m
tests.agents.question_answering.test_lexicon``.
"""

import numpy as np

from kgnb.agents.question_answering.lexicon import (
    ASKED,
    ASKED_FOR,
    BUNDLED,
    Wording,
    bundled,
    not_elsewhere,
)
from kgnb.agents.question_answering.segmentation import Phrase
from kgnb.kg.terms import Iri
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.local_embedder import LocalEmbedder
from tests.agents.question_answering.worlds import context

BOOKS = """
@prefix : <http://books.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:one rdfs:label "The Last Hut" ; :publisher :press . :publisher rdfs:label "publisher" .
"""
PUBLISHER = Iri("http://books.example/publisher")


def test_a_thing_of_its_own_that_the_graph_cannot_say_is_not_the_nearest_thing_it_can() -> None:
    lexicon = context(BOOKS).lexicon
    lexicon.meet()
    fit = lexicon.fit(Phrase("What is the isbn of X?", 1))
    assert fit.absent
    assert not_elsewhere(fit, PUBLISHER, frozenset([PUBLISHER]), False) < 0.01
    lexicon = context(BOOKS + ':one :isbn "1" . :isbn rdfs:label "ISBN" .').lexicon
    lexicon.meet()
    assert not lexicon.fit(Phrase("What is the isbn of X?", 1)).absent
    assert not lexicon.fit(Phrase("What is the publisher of X?", 1)).absent


def test_what_one_question_meets_does_not_change_how_another_is_read() -> None:
    shared = context(BOOKS).lexicon
    first, second, rare = shared.own(), shared.own(), Iri("http://books.example/rare")
    asked = Phrase("What is the publisher of X?", 1)
    first.meet([(rare, None)])
    second.meet()
    assert rare in first.relations and rare not in second.relations and rare not in shared.relations
    assert second.fit(asked) == shared.fit(asked) != first.fit(asked)


def usual_texts() -> list[str]:
    """Every form in which the lists are embedded: as a question, as it stands, and without its X."""
    asked = [ASKED.format(name) for name in ASKED_FOR]
    return sorted({*asked, *ASKED_FOR, *(text.removesuffix(" of X?") for text in asked)})


def test_the_bundled_vectors_are_those_of_the_default_embedder_and_of_no_other() -> None:
    embedder = LocalEmbedder()
    kept = bundled(embedder.name)
    assert sorted(kept) == usual_texts()
    some = usual_texts()[::40]
    np.testing.assert_allclose([kept[text] for text in some], embedder.embed(some), atol=1e-6)
    assert bundled("characters-3") == {}


def test_a_first_question_embeds_nothing_but_its_own_words_and_relations() -> None:
    asked: list[str] = []

    class Counting(LocalEmbedder):
        def embed(self, texts: list[str]) -> Vectors:  # type: ignore[override]
            asked.extend(texts)
            return super().embed(texts)

    Wording(Counting()).nearness(["Who wrote X?"], ["author", *ASKED_FOR])
    assert sorted(asked) == ["Who wrote", "Who wrote X?"]


if __name__ == "__main__":
    embedder = LocalEmbedder()
    np.savez_compressed(
        BUNDLED, embedder=embedder.name, texts=usual_texts(), vectors=embedder.embed(usual_texts())
    )
