"""Why these two were mapped to each other, or why not: both sides' candidates set side by side, and what decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgnb.agents.ontology_matching.values import VIEWS, Candidate, Described, Description, MatchQuestion
from kgnb.errors import DataError
from kgnb.magics.explain import in_words, judged_on, named, named_on_each_side, outcome_of, ranks_of
from kgnb.mappings import Alignment
from kgnb.results.escaping import escaped, one_line
from kgnb.results.table import Column, Table, Value


@dataclass(frozen=True)
class Contrast:
    """Two entities, how they read, how each one's candidates compare, and what decided."""

    source: Description
    target: Description
    tables: tuple[Table, ...]
    decided: tuple[str, ...]

    @property
    def heading(self) -> str:
        """Which two this is about."""
        return f"{self.source.name} (source) and {self.target.name} (target)"

    def __str__(self) -> str:
        decided = [one_line(f"- {line}") for line in self.decided]
        return "\n\n".join(["\n".join([one_line(self.heading), *decided]), *(table.text() for table in self.tables)])

    __repr__ = __str__

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        decided = "".join(f"<li>{escaped(line)}</li>" for line in self.decided)
        head = f"<p><strong>{escaped(self.heading)}</strong></p><ul>{decided}</ul>"
        return {"text/plain": str(self), "text/html": head + "".join(table.html() for table in self.tables)}


def two_items(words: Sequence[str], described: Described) -> tuple[str, str] | None:
    """The two items a line names, or None where all its words together name one.

    >>> two_items(["Hut"], Described.__new__(Described)) is None
    True
    """
    if len(words) < 2 or named(" ".join(words), described):
        return None
    splits = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words)))
    return next(((a, b) for a, b in splits if named(a, described) and named(b, described)), None)


def contrast(one: str, other: str, values: Mapping[str, Any]) -> Contrast:
    """Why two entities, one of either ontology in any order, were mapped to each other, or not.

    Args:
        one: an IRI, short IRI, local name or label; so is ``other``.
        values: the stages' values by stage name; what is missing is left out.

    Raises:
        DataError: the items do not name an entity of each ontology, of one kind.
    """
    described: Described = values["retrieve"]
    pairs = [
        (a, b) if a.side == "source" else (b, a)
        for a in named_on_each_side(one, described)
        for b in named_on_each_side(other, described)
        if a.side != b.side and a.kind == b.kind
    ]
    if not pairs:
        raise DataError(
            f"{one!r} and {other!r} are not one of each ontology, of the same kind",
            where="",
            fix="Only such pairs can be mapped. %om explain ITEM shows each alone.",
        )
    source, target = pairs[0]
    sides = [_side(source, target, values), _side(target, source, values)]
    tables = (_texts(source, target), *(table for table, _ in sides if table is not None))
    outcome = _outcome(source, target, values.get("merge"))
    return Contrast(source, target, tables, (*(line for _, line in sides if line), *outcome))


def _texts(source: Description, target: Description) -> Table:
    """What each of the two says of itself."""
    shared = set(source.names) & set(target.names)
    rows: list[list[Value]] = [["IRI", source.iri, target.iri], ["kind", source.kind, target.kind]]
    for head, texts in (
        ("names", lambda one: "; ".join(" ".join(name) for name in one.names)),
        ("means", lambda one: "; ".join(one.told)),
        ("axioms", lambda one: one.semantic),
        ("neighbours", lambda one: "; ".join(one.related)),
    ):
        if texts(source) or texts(target):
            rows.append([head, texts(source), texts(target)])
    common = "; ".join(sorted(" ".join(name) for name in shared)) or "none"
    neighbours = "; ".join(sorted(set(source.related) & set(target.related))) or "none"
    columns = [Column("what", ""), Column("source", source.name), Column("target", target.name)]
    return Table(columns, rows, caption="Side by side", notes=[f"names in common: {common}; neighbours: {neighbours}"])


def _side(about: Description, other: Description, values: Mapping[str, Any]) -> tuple[Table | None, str]:
    """One side's view: the other entity beside the candidate it chose instead, and the verdict in a line."""
    question = _question(about, values.get("summarise"))
    if question is None:
        return None, f"{about.name} had no candidates" if values.get("summarise") else ""
    judged = judged_on(about, values.get("validate"))
    chosen = judged.verdict.choice if judged else None
    iris = [candidate.iri for candidate in question.others]
    rival = chosen if chosen not in (None, other.iri) else next((iri for iri in iris if iri != other.iri), None)
    shown = [iri for iri in (other.iri, rival) if iri in iris]
    ranks = ranks_of(about, values.get("search"))
    found = [(question.others[at], question.candidates[at]) for at in map(iris.index, shown)]
    rows = [
        [head, *(value(one.iri, candidate) for one, candidate in found)]
        for head, value in (
            ("place", lambda iri, c: f"{c.rank} of {len(iris)}"),
            ("fused score", lambda iri, c: f"{c.score:.3f}"),
            *((view, _view(view, ranks)) for view in VIEWS),
            ("equal name", lambda iri, c: "yes" if "exact" in ranks.get(iri, {}) else "no"),
            ("chosen", lambda iri, c: "yes" if iri == chosen else "no"),
        )
    ]
    columns = [Column("what", ""), *(Column(f"c{at}", one.name) for at, (one, _) in enumerate(found))]
    table = Table(columns, rows, caption=f"Asked from {about.name}") if found else None
    said = f"asked from {about.name} ({about.side}): {in_words(judged)}" if judged else ""
    if other.iri not in iris:
        missing = f"{other.name} was not among the {len(iris)} candidates of {about.name}"
        said = f"{missing}; {said}" if said else missing
    return table, said


def _view(view: str, ranks: Mapping[str, Mapping[str, int]]) -> Any:
    def cell(iri: str, candidate: Candidate) -> str:
        place = ranks.get(iri, {}).get(view)
        cosine = round(getattr(candidate.cosines, view), 2) + 0.0  # never -0.00
        return f"cosine {cosine:.2f}, " + (f"rank {place}" if place else "not found")

    return cell


def _question(about: Description, summarised: Any) -> MatchQuestion | None:
    questions = summarised.questions if summarised else ()
    return next((q for q in questions if (q.side, q.about.key) == (about.side, about.key)), None)


def _outcome(source: Description, target: Description, alignment: Alignment | None) -> Iterator[str]:
    """What became of the pair; where it was not mapped, what became of either."""
    if alignment is None:
        return
    pair = (source.iri, target.iri)
    for mapping in alignment:
        if (mapping.pair, mapping.kind) == (pair, source.kind):
            yield f"mapped: {mapping.relation} ({mapping.confidence:.2f}, by {mapping.judged_by})"
            return
    for dropped in alignment.dropped:
        if (dropped.mapping.pair, dropped.mapping.kind) == (pair, source.kind):
            yield f"dropped: {dropped.reason}"
    yield "not mapped to each other"
    for one in (source, target):
        yield from (f"{one.name}: {line}" for line in outcome_of(one, alignment))
