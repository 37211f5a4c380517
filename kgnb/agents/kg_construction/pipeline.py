"""Graph construction from documents to a grounded graph; compile comes before it, for a pack serves many batches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.desk import Desk
from kgnb.agents.kg_construction.documents import Readable, passages, read_document
from kgnb.agents.kg_construction.instantiate import Options, instantiate
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.plan import Plan, plan
from kgnb.agents.kg_construction.readers import ModelReader, Reader, Task
from kgnb.agents.kg_construction.session import Session
from kgnb.errors import DataError
from kgnb.judging import Estimate
from kgnb.llm.model import ChatModel
from kgnb.llm.prices import estimate_tokens, estimate_usage
from kgnb.run import Forecast, Run


def build_graph(
    documents: Sequence[Readable],
    pack: ToolPack,
    reader: Reader,
    *,
    options: Options = Options(),
    polish: ChatModel | None = None,
    session: Session | None = None,
    folder: Path | None = None,
    checked: bool = True,
    run: Run | None = None,
) -> Built:
    """The graph of the documents: prompts planned, then every document read through the tools."""
    run = run or Run("kg_construction")
    prompts = run.do(plan, pack, polish, options.tool_budget)
    if run.foretells:
        run.expect(expected_reading(documents, pack, reader, prompts, options))
    forecast = Forecast(run)

    def came(done: int, total: int) -> None:
        run.progress(done, total, "documents")
        forecast.done(done, total)

    return run.do(
        instantiate, documents, pack, reader, prompts, options, session=session, folder=folder, checked=checked,
        on_document=came,
    )  # fmt: skip


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
