"""ToolPack: what compiling gives. It shows itself, is saved as files, and opens sessions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgnb.agents.kg_construction.pack_content import PackContent
from kgnb.agents.kg_construction.session import Session
from kgnb.agents.kg_construction.tool_values import ToolSpec
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.results.table import Column, Table

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

    def table(self) -> Table:
        """The pack as a table to browse: one row a class or property with its tools, constraints and guidance."""
        return pack_table(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return dict(self.table()._repr_mimebundle_(include, exclude))


def pack_table(pack: PackContent) -> Table:
    """One row a class or property: its tools, how many constraints it has, the first of them; more when opened."""
    grouped: dict[tuple[str, str], list[ToolSpec]] = {}
    for tool in pack.tools:
        if tool.term:
            kind = "property" if tool.kind == "add" else "class"
            grouped.setdefault((kind, tool.term), []).append(tool)
    rows, details = [], []
    for (kind, term), tools in grouped.items():
        constraints = list(dict.fromkeys(c for tool in tools for c in tool.constraints))
        guidance = tools[-1].guidance
        rows.append((tools[0].label, kind, ", ".join(t.name for t in tools), len(constraints), _short(guidance), term))
        details.append([
            *(("constraint", text) for text in constraints),
            *([("guidance", guidance)] if guidance else []),
            *((tool.name, _arguments(tool)) for tool in tools),
        ])  # fmt: skip
    counts = pack.counts()
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts["constraints by kind"].items())
    notes = [f"Not enforced: {w.kind}{f' of {pack.tbox.label(w.about)}' if w.about else ''}: {w.text}."
              for w in pack.warnings[:12]]  # fmt: skip
    if len(pack.warnings) > 12:
        notes.append(f"... and {len(pack.warnings) - 12} more warnings (pack.warnings).")
    return Table(
        [
            Column("label", "Class or property"), Column("kind", "Kind"), Column("tools", "Tools"),
            Column("constraints", "Constraints", "number"), Column("guidance", "Guidance"), Column("iri", "IRI", "iri"),
        ],
        rows,
        caption=f"{pack.name}: {counts['tools']} tools, {counts['constraints']} constraints",
        details=details,
        notes=notes,
        facts=[f"constraints by kind: {kinds}"] if kinds else [],
    )  # fmt: skip


def _arguments(tool: ToolSpec) -> str:
    told = [f"{p.name}{'' if p.required else '?'}: {p.description}" for p in tool.parameters]
    return "\n".join(told) or "no arguments"


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:119].rstrip() + "…"
