"""Graph construction from documents to a grounded graph; compile comes before it, for a pack serves many batches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.documents import Readable
from kgnb.agents.kg_construction.expecting import expected_reading
from kgnb.agents.kg_construction.instantiate import Options, instantiate
from kgnb.agents.kg_construction.plan import plan
from kgnb.agents.kg_construction.readers import Reader
from kgnb.agents.kg_construction.session import Session
from kgnb.agents.kg_construction.values import ToolPack
from kgnb.llm.model import ChatModel
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
