"""``%vectors``: where vectors are kept, what is in there, and what lies near a text."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from IPython.core.magic import line_cell_magic, magics_class, no_var_expand

from kgnb.errors import DataError
from kgnb.magics.arguments import Number, argument
from kgnb.magics.interruptible import interruptible
from kgnb.magics.verbs import VerbMagics, verb
from kgnb.results.table import Column, Link, Table, Value
from kgnb.vectors.index import Hit, Payload

KINDS = ("class", "object property", "datatype property", "annotation property", "individual")


@magics_class
class VectorsMagics(VerbMagics):
    """The ``%vectors`` magic."""

    magic = "vectors"

    @verb("vectors use", "%vectors use memory", "%vectors use ./vectors", "%vectors use http://localhost:6333")
    @argument("location", metavar="WHERE", help="memory, a folder, or the URL of a Qdrant server")
    @argument("--key", metavar="env:NAME", default="", help="where the server's key is kept, never itself")
    @argument("--embedder", metavar="NAME", default="", help="local, characters, tiny, openai:MODEL, ...")
    def use(self, arguments: argparse.Namespace) -> Table:
        """Choose where vectors are kept, and what makes them, for the cells below."""
        changes = {"index": arguments.location}
        changes |= {"index_key": arguments.key} if arguments.key else {}
        changes |= {"embedder": arguments.embedder} if arguments.embedder else {}
        before = self.session.settings
        self.session.settings = before.with_(**changes)
        try:
            return self._info()
        except Exception:  # a place that cannot be opened is not kept
            self.session.settings = before
            raise

    @verb("vectors info", "%vectors info")
    def info(self, arguments: argparse.Namespace) -> Table:
        """Show where vectors are kept, what makes them, and how many there are."""
        return self._info()

    def _info(self) -> Table:
        index = self.session.index()
        rows: list[list[Value]] = [[name, index.count(name)] for name in interruptible(index.collections)]
        note = f"embedder: {self.session.settings.embedder}"
        columns = [Column("collection", "collection"), Column("points", "points", "number")]
        return Table(columns, rows, caption=f"Vectors in {index.name}", notes=[note])

    @verb("vectors search", '%vectors search "mountain hut"', "%vectors search warden --view lexical --kind class")
    @argument("text", metavar="TEXT", help="what to look for; quote several words")
    @argument("--view", choices=("syntactic", "lexical", "semantic"), default="syntactic", help="by [syntactic]")
    @argument("--kind", choices=KINDS, default="", help="of this kind only")
    @argument("--k", metavar="N", type=Number(int, 1, 1000), default=10, help="most hits of each collection [10]")
    @argument("--collection", metavar="NAME", default="", help="in this one only [all]")
    def search(self, arguments: argparse.Namespace) -> Table:
        """Find what lies nearest to a text, with scores."""
        index = self.session.index()
        names = [arguments.collection] if arguments.collection else list(index.collections())
        if not names:
            raise DataError("there are no vectors yet", where=index.name, fix="Store some first, as %om store does.")
        vector = interruptible(lambda: self.session.embedder().embed([arguments.text]))[0]
        where: Payload | None = {"kind": arguments.kind} if arguments.kind else None
        hits: list[tuple[str, Hit]] = []
        for name in names:
            found = index.search(name, arguments.view, vector.tolist(), k=arguments.k, where=where)
            hits += [(name, hit) for hit in found]
        hits.sort(key=lambda one: (-one[1].score, one[1].id))
        rows: list[list[Value]] = [
            [hit.score, str(hit.payload.get("text", "")), _entity(hit), str(hit.payload.get("kind", "")), name]
            for name, hit in hits
        ]
        columns = [
            Column("score", "cosine", "number"),
            Column("text", "text"),
            Column("iri", "of", "iri"),
            Column("kind", "kind"),
            Column("collection", "collection"),
        ]
        return Table(columns, rows, caption=f"Nearest to “{arguments.text}” ({arguments.view})")

    def suggestions(self, name: str) -> Sequence[str]:
        """Names of collections."""
        return self.session.index().collections() if name == "collection" else ()

    @no_var_expand
    @line_cell_magic
    def vectors(self, line: str, cell: str | None = None) -> Any:
        """Look at the vectors the agents store and search."""
        return self.dispatch(line, cell)


def _entity(hit: Hit) -> Value:
    iri = str(hit.payload.get("iri", ""))
    return Link(iri, iri.rstrip("/#").replace("#", "/").split("/")[-1]) if iri else None
