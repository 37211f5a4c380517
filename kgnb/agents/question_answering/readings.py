"""The readings of a question: what it asks for, over the relations around the entities it speaks of."""

from __future__ import annotations

from kgnb.agents.question_answering.phrases import find, masked, tokens
from kgnb.agents.question_answering.reading import Reading
from kgnb.agents.question_answering.search import path_readings
from kgnb.agents.question_answering.state import State


def read_question(state: State) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """The readings, best first, and notes on what was not tried."""
    desk, options = state.desk, state.options
    sentence = tokens(state.question.text)
    found: list[Reading] = []
    for link in state.linked.links:
        span = find(link.mention, sentence) if link.mention else None
        found += path_readings(
            link.iri, masked(sentence, span), desk.lexicon, longest=options.hops, inverse=options.directions == "both"
        )
    found.sort(key=lambda reading: -reading.score)
    return tuple(found[:20]), ()
