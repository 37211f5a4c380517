"""ToolPack, the result of compiling: it shows itself and opens sessions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kgnb.agents.kg_construction.pack_content import PackContent
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.agents.kg_construction.tool_values import ToolDefinition
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.results.bundle import count
from kgnb.results.table import Column, Table, Tabled, numbers, texts

NAMESPACE = "https://example.org/kg/"


@dataclass(frozen=True)
class ToolPack(PackContent, Tabled):
    """The result of ``compile``: tools, the constraints behind them as shapes, the plan, and what
    is not enforced.
    """

    def session(
        self,
        namespace: str = NAMESPACE,
        store: OxigraphGraph | str | Path | None = None,
        *,
        checked: bool = True,
        stored: bool = True,
    ) -> ConstructionSession:
        """A session that writes into ``store``: None for memory, a folder, or an open embedded
        store.

        ``checked=False`` writes whatever is well-formed without checking the constraints: the
        ablation. ``stored=False`` keeps the facts in memory, without store and provenance, for
        calls that are repeated elsewhere.
        """
        return ConstructionSession(self, namespace, store, checked=checked, stored=stored)

    def table(self) -> Table:
        """One row per class or property: its tools, number of constraints and guidance; more when
        opened.
        """
        grouped: dict[tuple[str, str], list[ToolDefinition]] = {}
        for tool in self.tools:
            if tool.term:
                grouped.setdefault(
                    ("property" if tool.kind == "add" else "class", tool.term), []
                ).append(tool)
        rows, details = [], []
        for (kind, term), tools in grouped.items():
            constraints = list(dict.fromkeys(c for tool in tools for c in tool.constraints))
            guidance, names = tools[-1].guidance, ", ".join(tool.name for tool in tools)
            rows.append((tools[0].label, kind, names, len(constraints), _short(guidance), term))
            details.append(
                [
                    *(("constraint", text) for text in constraints),
                    *([("guidance", guidance)] if guidance else []),
                    *((tool.name, _arguments(tool)) for tool in tools),
                ]
            )
        counts = self.counts()
        kinds = ", ".join(
            f"{count} {kind}" for kind, count in counts["constraints by kind"].items()
        )
        notes = []
        for w in self.warnings[:12]:
            about = f" of {self.tbox.label(w.about)}" if w.about else ""
            end = "" if w.text.endswith((".", "?")) else "."
            notes.append(f"Not enforced: {w.kind}{about}: {w.text}{end}")
        if len(self.warnings) > 12:
            notes.append(f"... and {len(self.warnings) - 12} more warnings (pack.warnings).")
        return Table(
            [
                *texts(label="Class or property", kind="Kind", tools="Tools"),
                *numbers(constraints="Constraints"),
                *texts(guidance="Guidance"),
                Column("iri", "IRI", "iri"),
            ],
            rows,
            caption=f"{self.name}: {count(counts['tools'], 'tool')}, {count(counts['constraints'], 'constraint')}",
            details=details,
            notes=notes,
            facts=[f"constraints by kind: {kinds}"] if kinds else [],
        )


def _arguments(tool: ToolDefinition) -> str:
    told = [f"{p.name}{'' if p.required else '?'}: {p.description}" for p in tool.parameters]
    return "\n".join(told) or "no arguments"


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:119].rstrip() + "…"
