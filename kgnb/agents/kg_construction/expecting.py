"""What reading documents with a model takes at the least, before it is asked."""

from __future__ import annotations

from collections.abc import Sequence

from kgnb.agents.kg_construction.desk import Desk
from kgnb.agents.kg_construction.documents import Readable, read_document
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.passages import passages
from kgnb.agents.kg_construction.plan import Plan
from kgnb.agents.kg_construction.readers import ModelReader, Reader, Task
from kgnb.agents.kg_construction.values import ToolPack
from kgnb.errors import DataError
from kgnb.judging import Estimate
from kgnb.llm.prices import estimate_tokens, estimate_usage

_WRITES = 4.5  # tokens of calls for a token of text


def expected_reading(
    documents: Sequence[Readable], pack: ToolPack, reader: Reader, plan: Plan, options: Options
) -> Estimate:
    """A reply of calls for every passage and step; a reply that mends, where one is needed, comes on top.

    How much a model writes hangs on how dense a text is: ``_WRITES`` is what recordings show, of recipes and of
    encyclopaedic sentences. Nothing for a reader that is no model. A document that cannot be read counts
    for nothing.
    """
    if not isinstance(reader, ModelReader):
        return Estimate()
    calls = tokens = written = 0
    least: list[int] | None = None  # of each step's first call, the passage aside
    desk = Desk(pack.session(stored=False), "", {tool.name: tool for tool in pack.tools})
    for entry in documents:
        try:
            document = read_document(entry)
        except DataError:
            continue
        cut = passages(document, options.passage, min(options.overlap, options.passage // 2))
        if least is None and cut:
            tasks = [Task(cut[0], prompt, pack) for prompt in plan.prompts]
            own = estimate_tokens(cut[0].text)
            least = [estimate_usage(reader.first_request(task, desk)).prompt_tokens - own for task in tasks]
        text = sum(estimate_tokens(one.text) for one in cut)
        calls += len(cut) * len(plan.prompts)
        tokens += len(cut) * sum(least or ()) + len(plan.prompts) * text
        written += round(_WRITES * text)
    return Estimate(calls, tokens, written)
