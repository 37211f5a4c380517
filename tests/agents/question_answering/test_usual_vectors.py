"""The vectors that come with the package are those that the default embedder makes.

After a change of the lists or of the embedder: ``python -m tests.agents.question_answering.test_usual_vectors``.
"""

import numpy as np

from kgnb.agents.question_answering.lexicon import ASKED, ASKED_FOR, BUNDLED, Wording, bundled
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.local_embedder import LocalEmbedder


def usual_texts() -> list[str]:
    """Every form in which the lists are embedded: as a question, as it stands, and without its X."""
    asked = [ASKED.format(name) for name in ASKED_FOR]
    return sorted({*asked, *ASKED_FOR, *(text.removesuffix(" of X?") for text in asked)})


def test_the_bundled_vectors_are_those_of_the_default_embedder() -> None:
    embedder = LocalEmbedder()
    kept = bundled(embedder.name)
    assert sorted(kept) == usual_texts()
    some = usual_texts()[::20]
    np.testing.assert_allclose([kept[text] for text in some], embedder.embed(some), atol=1e-4)


def test_a_first_question_embeds_nothing_but_its_own_words_and_relations() -> None:
    asked: list[str] = []

    class Counting(LocalEmbedder):
        def embed(self, texts: list[str]) -> Vectors:  # type: ignore[override]
            asked.extend(texts)
            return super().embed(texts)

    Wording(Counting()).nearness(["Who wrote X?"], ["author", *ASKED_FOR])
    assert sorted(asked) == ["Who wrote", "Who wrote X?"]


def test_another_embedder_gets_none_of_them() -> None:
    assert bundled("characters-3") == {}


if __name__ == "__main__":
    embedder = LocalEmbedder()
    np.savez_compressed(BUNDLED, embedder=embedder.name, texts=usual_texts(), vectors=embedder.embed(usual_texts()))
