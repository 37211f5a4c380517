"""Coherence: mappings that together make the two ontologies contradict each other.

``incoherent`` looks for the most frequent pattern: a class and its ancestor mapped to disjoint
classes (Jiménez-Ruiz and Cuenca Grau, LogMap, 2011). That does not prove coherence; ``check`` asks
a reasoner for all that OWL 2 DL entails: after ``incoherent``, it finds classes without members in
three of ten conference pairs and one half of anatomy. HermiT (Glimm et al., 2014) runs as a process
of its own with a time limit. Its jar comes with the package owlready2, which is LGPL and therefore
only an extra.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from kgnb.agents.ontology_matching.values import Described
from kgnb.kg.ontology import Entity, Ontology
from kgnb.kg.terms import OWL, RDF, RDFS, Blank, Iri, Literal, Triple, n3
from kgnb.mappings import Alignment, Dropped, Mapping
from kgnb.results.bundle import count
from kgnb.results.table import Column, LabelledIri, Table, Value

CLEAR = 0.25
"""Of two contradictory mappings that both sides of the judge agree on, one is dropped only if it is
worth so much less: with wrong answers in half of the questions, ten conference pairs lose .009 F1
at 0.
"""


def incoherent(
    described: Described, worth: Iterable[tuple[Mapping, float]], agreed: Container[Mapping] = ()
) -> list[Dropped]:
    """The mappings of classes to drop, each with a mapping that it contradicts.

    Dropped first is the mapping against which the others that it contradicts are worth most: a
    wrong mapping often contradicts several right ones. Those ``agreed`` only go if it is clear.
    """
    classes = {mapping: value for mapping, value in worth if mapping.kind == "class"}
    conflicts = _conflicts(described, list(classes))
    dropped: list[Dropped] = []
    while True:
        against: dict[Mapping, float] = {}
        for mapping, others in conflicts.items():
            balance = sum(classes[other] for other in others) - classes[mapping]
            if balance >= (CLEAR if mapping in agreed else 0.0):
                against[mapping] = balance
        if not against:
            return dropped
        worst = max(against, key=lambda m: (against[m], m.source, m.target))
        reasons = conflicts.pop(worst)
        best = max(reasons, key=lambda m: (classes[m], m.source, m.target))
        dropped.append(Dropped(worst, reasons[best]))
        for other in reasons:
            del conflicts[other][worst]
            if not conflicts[other]:
                del conflicts[other]


def _conflicts(
    described: Described, mappings: Sequence[Mapping]
) -> dict[Mapping, dict[Mapping, str]]:
    """What each mapping contradicts, with the reason to drop the former: of a class and its
    ancestor the counterparts are disjoint.
    """
    sides = [_Disjointness(o.of_kind("class")) for o in (described.source, described.target)]
    found: defaultdict[Mapping, dict[Mapping, str]] = defaultdict(dict)
    for here, there, name in ((0, 1, "target"), (1, 0, "source")):
        by_end: defaultdict[str, list[Mapping]] = defaultdict(list)
        for mapping in mappings:
            by_end[mapping.pair[here]].append(mapping)
        for mapping in mappings:
            above = sides[here].above(mapping.pair[here]) & by_end.keys()
            for other in (other for iri in sorted(above) for other in by_end[iri]):
                if sides[there].disjoint(mapping.pair[there], other.pair[there]):
                    found[mapping][other] = _contradiction(mapping, other, there, name)
                    found[other][mapping] = _contradiction(other, mapping, there, name)
    return dict(found)


def _contradiction(mapping: Mapping, other: Mapping, end: int, side: str) -> str:
    labels = [(one.source_label, one.target_label)[end] for one in (mapping, other)]
    equal = f"{other.source_label} = {other.target_label}"
    return f"contradicts {equal}: {', '.join(labels)} are disjoint in the {side}"


class Hierarchy:
    """Ancestors and descendants by IRI; cycles are walked once, and nothing is its own ancestor."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.parents: dict[str, tuple[str, ...]] = {}
        self.children: dict[str, tuple[str, ...]] = {}
        for entity in entities:
            above, below = (*entity.parents, *entity.types), entity.children
            self.parents[entity.iri] = (*self.parents.get(entity.iri, ()), *above)
            self.children[entity.iri] = (*self.children.get(entity.iri, ()), *below)
        self._above: dict[str, frozenset[str]] = {}
        self._below: dict[str, frozenset[str]] = {}

    def __len__(self) -> int:
        return len(self.parents)

    def above(self, iri: str) -> frozenset[str]:
        """All ancestors."""
        return _reach(iri, self.parents, self._above)

    def below(self, iri: str) -> frozenset[str]:
        """All descendants."""
        return _reach(iri, self.children, self._below)


def _reach(
    start: str, steps: dict[str, tuple[str, ...]], known: dict[str, frozenset[str]]
) -> frozenset[str]:
    if start not in known:
        found: set[str] = set()
        waiting = list(steps.get(start, ()))
        while waiting:
            iri = waiting.pop()
            if iri not in found and iri != start:
                found.add(iri)
                waiting += steps.get(iri, ())
        known[start] = frozenset(found)
    return known[start]


class _Disjointness(Hierarchy):
    """A hierarchy with what is declared disjoint in it."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        known = list(entities)
        super().__init__(known)
        self._disjoint: defaultdict[str, set[str]] = defaultdict(set)
        self._known: dict[str, frozenset[str]] = {}
        for entity in known:
            for iri in entity.disjoint:
                self._disjoint[entity.iri].add(iri)
                self._disjoint[iri].add(entity.iri)

    def disjoint(self, one: str, other: str) -> bool:
        """Whether the two, or ancestors of them, are declared disjoint."""
        apart = self._apart(one)
        return bool(apart) and (other in apart or not apart.isdisjoint(self.above(other)))

    def _apart(self, iri: str) -> frozenset[str]:
        """What a class, or an ancestor of it, is declared disjoint with."""
        if iri not in self._known:
            declared = self._disjoint.keys() & {iri, *self.above(iri)}
            self._known[iri] = frozenset(one for each in declared for one in self._disjoint[each])
        return self._known[iri]


class StatedApart:
    """What two ontologies, read together, say cannot be equal.

    They can say so only if one mentions terms of the other, or both have terms in common.
    """

    def __init__(self, source: Ontology, target: Ontology) -> None:
        sides = [{entity.iri for entity in ontology} for ontology in (source, target)]
        self._related = not sides[0].isdisjoint(sides[1])
        for ontology, others in ((source, sides[1]), (target, sides[0])):
            for entity in ontology:
                mentioned = (*entity.disjoint, *entity.parents, *entity.children)
                self._related = self._related or not others.isdisjoint(mentioned)
        self._both = _Disjointness([*source, *target] if self._related else ())

    def __call__(self, source: str, target: str) -> bool:
        """Whether the two are said to be disjoint, or to be below what is."""
        return self._related and source != target and self._both.disjoint(source, target)


_TYPE, _NOTHING = RDF + "type", OWL + "Nothing"
# Annotations, imports (never followed) and statements about statements are of no use to a reasoner.
_SILENT = {
    *(RDFS + name for name in ("label", "comment", "seeAlso", "isDefinedBy")),
    *(
        OWL + name
        for name in (
            "imports",
            "versionInfo",
            "versionIRI",
            "priorVersion",
            "backwardCompatibleWith",
        )
    ),
    *(OWL + name for name in ("incompatibleWith", "deprecated", "sameAs", "differentFrom")),
    *(OWL + name for name in ("annotatedSource", "annotatedProperty", "annotatedTarget")),
}
_UNLISTED_TYPES = {OWL + "Axiom", OWL + "Annotation", OWL + "NamedIndividual", RDF + "Statement"}
_TRIED = 30  # mappings removed one at a time, to find those responsible
_MEMORY = "-Xmx2000M"
_UTF8 = (
    "-Dfile.encoding=UTF-8",
    "-Dstdout.encoding=UTF-8",
)  # Java 8 knows the first, later ones the second


@dataclass(frozen=True)
class Involved:
    """A mapping related to unsatisfiable classes, and how many are ``left`` without it (None: not
    tried).
    """

    mapping: Mapping
    left: int | None = None


@dataclass(frozen=True, repr=False)
class Coherence:
    """The reasoner's result: classes that can have no member, and the mappings involved."""

    not_checked: str = ""  # why, or "" if it was checked
    unsatisfiable: tuple[str, ...] = ()  # because of the mappings
    before: tuple[str, ...] = ()  # already in one of the ontologies alone
    involved: tuple[Involved, ...] = ()
    names: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def coherent(self) -> bool | None:
        """Whether the mappings make no class unsatisfiable; None if that was not checked."""
        return None if self.not_checked else not self.unsatisfiable

    def __str__(self) -> str:
        """The verdict in a line."""
        if self.not_checked:
            return f"not checked: {self.not_checked}"
        already = f"; {len(self.before):,} were so before" if self.before else ""
        if not self.unsatisfiable:
            return f"coherent: the mappings make no class unsatisfiable (HermiT){already}"
        return (
            f"incoherent: the mappings make "
            f"{count(len(self.unsatisfiable), 'class', 'classes')} unsatisfiable{already}"
        )

    __repr__ = __str__

    def table(self) -> Table:
        """The mappings involved; first those whose removal helps most."""
        columns = [
            Column("source", "source", "iri"),
            Column("relation", "relation"),
            Column("target", "target", "iri"),
        ]
        columns += [Column("confidence", "confidence", "percent")]
        columns += [Column("left", "unsatisfiable without it", "number")]
        rows: list[list[Value]] = []
        for one in self.involved:
            m = one.mapping
            source, target = (
                LabelledIri(m.source, m.source_label),
                LabelledIri(m.target, m.target_label),
            )
            rows.append([source, m.relation, target, m.confidence, one.left])
        names = [self.names.get(iri, iri) for iri in self.unsatisfiable]
        shown = ", ".join(names[:12]) + (
            f" and {len(names) - 12:,} more" if len(names) > 12 else ""
        )
        notes = [f"unsatisfiable: {shown}"] if names else []
        return Table(columns, rows, caption=str(self), notes=notes)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if not self.involved:
            return {"text/plain": str(self)}
        return self.table()._repr_mimebundle_(include, exclude)


def hermit_jar() -> Path | None:
    """HermiT's jar in owlready2; nothing of owlready2 is imported."""
    found = importlib.util.find_spec("owlready2")
    places = found.submodule_search_locations if found else None
    jars = [Path(place) / "hermit" / "HermiT.jar" for place in places or ()]
    return next((jar for jar in jars if jar.is_file()), None)


def check(
    source: Iterable[Triple],
    target: Iterable[Triple],
    alignment: Alignment,
    *,
    seconds: float = 120.0,
    java: str = "java",
    jar: Path | None = None,
    tell: Callable[[int, int, str], object] = lambda done, total, unit: None,
) -> Coherence:
    """The classes of both ontologies' T-Boxes, joined by the alignment's mappings, that can have no
    member.

    Args:
        source: the source ontology's triples, ``target`` the target's.
        seconds: time limit for all of it.
        java: the program, by name or path.
        jar: HermiT; by default the one in owlready2.
        tell: receives progress: how many mappings of how many were tried, and the unit.
    """
    program, jar = shutil.which(java), jar or hermit_jar()
    if program is None:
        return Coherence("Java is not installed (any JRE from version 8 on will do)")
    if jar is None or not jar.is_file():
        return Coherence(
            "owlready2, which contains HermiT, is not installed: pip install owlready2"
        )
    tboxes = [*_tbox(source, "s"), *_tbox(target, "t")]
    mappings = [mapping for mapping in alignment if _axiom(mapping)]
    with tempfile.TemporaryDirectory() as folder:
        hermit = _Hermit(program, jar, Path(folder), monotonic() + seconds, tboxes)
        try:
            found = hermit.unsatisfiable(mappings)
            before = hermit.unsatisfiable(()) if found else set()
            new = found - before
            involved = _involved(hermit, mappings, new, before, tell) if new else ()
        except _Failed as failure:
            return Coherence(str(failure))
    names = {
        end: label
        for m in mappings
        for end, label in ((m.source, m.source_label), (m.target, m.target_label))
    }
    return Coherence(
        "",
        tuple(sorted(new)),
        tuple(sorted(before)),
        involved,
        {k: v for k, v in names.items() if v},
    )


class _Failed(Exception):
    """The reasoner gave no answer; the message says why."""


@dataclass(frozen=True)
class _Hermit:
    """HermiT for the two T-Boxes with any set of mappings."""

    java: str
    jar: Path
    folder: Path
    until: float  # on the monotonic clock
    tboxes: Sequence[str]

    def unsatisfiable(self, mappings: Iterable[Mapping]) -> set[str]:
        """The IRIs of classes that can have no member.

        Raises:
            _Failed: it took too long, ran out of memory, or refused the ontologies.
        """
        file = self.folder / "merged.ttl"  # N-Triples, which are Turtle
        file.write_text(
            "\n".join([*self.tboxes, *map(_axiom, mappings), ""]),
            encoding="utf-8",
            errors="replace",
        )
        command = [
            self.java,
            _MEMORY,
            *_UTF8,
            "-cp",
            str(self.jar),
            "org.semanticweb.HermiT.cli.CommandLine",
        ]
        command += ["--ignoreUnsupportedDatatypes", "-N", "-U", file.as_uri()]
        left = self.until - monotonic()
        try:
            if left <= 0:
                raise subprocess.TimeoutExpired(command, 0)
            done = subprocess.run(
                command,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=left,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired as error:
            raise _Failed("HermiT ran out of time; --seconds N allows more") from error
        except OSError as error:
            raise _Failed(f"Java could not be started: {error.strerror}") from error
        if "InconsistentOntology" in done.stderr:
            raise _Failed(
                "the two ontologies contradict each other as a whole, so every class is unsatisfiable"
            )
        if done.returncode or "equivalent to" not in done.stdout:
            raise _Failed(f"HermiT refused the ontologies: {_reason(done.stderr)}")
        listed = (line.strip() for line in done.stdout.splitlines()[1:])
        return {iri for iri in listed if iri and iri != _NOTHING}


def _reason(said: str) -> str:
    """The first line of a Java exception, without its class's path."""
    line = next(
        (line for line in said.splitlines() if "Exception" in line or "Error" in line), said.strip()
    )
    return re.sub(r"^.*?((?:\w+\.)+)(\w+)", r"\2", line, count=1)[:200] or "it gave no reason"


def _involved(
    hermit: _Hermit,
    mappings: Sequence[Mapping],
    new: set[str],
    before: set[str],
    tell: Callable[[int, int, str], object],
) -> tuple[Involved, ...]:
    """The mappings of unsatisfiable classes, and those without which fewer classes are
    unsatisfiable.

    Mappings of such classes are tried first, then the least confident.
    """
    touching = {m for m in mappings if m.source in new or m.target in new}
    order = sorted(mappings, key=lambda m: (m not in touching, m.confidence, m.source, m.target))
    tried: dict[Mapping, int] = {}
    for mapping in order[:_TRIED]:
        tell(len(tried), min(_TRIED, len(order)), "mappings tried without")
        try:
            left = hermit.unsatisfiable([other for other in mappings if other is not mapping])
        except (
            _Failed
        ):  # out of time: the verdict stands, but the mappings responsible are not known
            break
        tried[mapping] = len(left - before)
    every = [
        Involved(m, tried.get(m))
        for m in order
        if m in touching or tried.get(m, len(new)) < len(new)
    ]
    return tuple(
        sorted(every, key=lambda one: (one.left is None, one.left or 0, one.mapping.confidence))
    )


def _tbox(triples: Iterable[Triple], mark: str) -> Iterator[str]:
    """The axioms among triples as lines of N-Triples, with blank nodes marked by side."""
    for subject, predicate, value in triples:
        if predicate in _SILENT or not predicate.startswith((RDF, RDFS, OWL)):
            continue
        if predicate == _TYPE and (
            not isinstance(value, Iri)
            or value in _UNLISTED_TYPES
            or not value.startswith((RDF, RDFS, OWL))
        ):
            continue
        yield f"{_term(subject, mark)} {_term(predicate, mark)} {_term(value, mark)} ."


def _term(term: Any, mark: str) -> str:
    if isinstance(term, Blank):
        return f"_:{mark}{re.sub(r'[^A-Za-z0-9]', lambda found: f'x{ord(found[0]):x}', term.label)}"
    return n3(term) if isinstance(term, Iri | Literal) else "<urn:x-kgnb:left-out>"


def _axiom(mapping: Mapping) -> str:
    """The mapping as an axiom, or "" if it is not one."""
    if mapping.kind not in ("class", "object property", "datatype property"):
        return ""
    noun = "Class" if mapping.kind == "class" else "Property"
    source, target = (n3(Iri(iri)) for iri in mapping.pair)
    return {
        "equivalent": f"{source} <{OWL}equivalent{noun}> {target} .",
        "broader": f"{source} <{RDFS}sub{noun}Of> {target} .",
        "narrower": f"{target} <{RDFS}sub{noun}Of> {source} .",
    }.get(mapping.relation, "")
