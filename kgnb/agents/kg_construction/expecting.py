"""What reading documents with a model takes at the least, before it is asked."""

from __future__ import annotations

from collections.abc import Sequence

from kgnb.agents.kg_construction.documents import Readable, read_document
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.passages import passages
from kgnb.agents.kg_construction.plan import SYSTEM, Plan
from kgnb.agents.kg_construction.readers import ModelReader, Reader
from kgnb.errors import DataError
from kgnb.judging import Estimate
from kgnb.llm.prices import estimate_tokens


def expected_reading(documents: Sequence[Readable], reader: Reader, plan: Plan, options: Options) -> Estimate:
    """One call for every passage and step, with its prompts: each is the first of a loop of calls.

    Nothing for a reader that is no model. A document that cannot be read counts for nothing.
    """
    if not isinstance(reader, ModelReader):
        return Estimate()
    calls = tokens = 0
    prompts = [estimate_tokens(SYSTEM + prompt.text) for prompt in plan.prompts]
    for entry in documents:
        try:
            document = read_document(entry)
        except DataError:
            continue
        cut = passages(document, options.passage, min(options.overlap, options.passage // 2))
        calls += len(cut) * len(prompts)
        tokens += len(cut) * sum(prompts) + len(prompts) * sum(estimate_tokens(one.text) for one in cut)
    return Estimate(calls, tokens)
