"""ToolPack: what compiling gives. It shows itself, is saved as files, and opens sessions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgnb.agents.kg_construction import tables
from kgnb.agents.kg_construction.pack_content import PackContent
from kgnb.agents.kg_construction.session import Session
from kgnb.kg.oxigraph_graph import OxigraphGraph

NAMESPACE = "https://example.org/kg/"


@dataclass(frozen=True)
class ToolPack(PackContent):
    """What ``compile`` gives: tools, the constraints behind them as shapes, the plan, and what is not enforced."""

    def session(
        self, namespace: str = NAMESPACE, store: OxigraphGraph | str | Path | None = None, *, checked: bool = True,
        stored: bool = True,
    ) -> Session:  # fmt: skip
        """A session that writes into ``store``: None for memory, a folder, or an open embedded store.

        ``checked=False`` writes whatever is well-formed, without asking the constraints: the ablation.
        ``stored=False`` keeps the facts in memory alone, without the store and without where they come from: for what
        is done again elsewhere.
        """
        return Session(self, namespace, store, checked=checked, stored=stored)

    def table(self) -> Any:
        """The pack as a table to browse: one row a class or property with its tools, constraints and guidance."""
        return tables.pack_table(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return dict(self.table()._repr_mimebundle_(include, exclude))
