"""Planted mistakes: for every constraint of a pack a call that breaks it and a twin that keeps it.

What the tools refuse is then compared with what was meant, and the same facts with what a SHACL engine says.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.agents.kg_construction.tool_values import CallResult
from kgnb.shapes.shape import Constraint, Shape
from tests.conformance.planted_cases import cases
from tests.conformance.planted_facts import Case
from tests.conformance.samples import Call, Samples

_MOST_TRIES = 40
_SAID_BY_SCHEMA = {
    kind: ("datatype", "oneOf", "unit")
    for kind in ("range", "facet", "allValuesFrom", "someValuesFrom", "unionOf", "sh:in", "sh:or", "sh:nodeKind")
}
"""What a tool's own schema says where it holds such a constraint."""


@dataclass(frozen=True)
class Planted:
    """How one constraint fared."""

    shape: str
    kind: str
    about: str
    case: Case | None
    refused: bool = False  # the illegal call was
    named: bool = False  # ... and the violation is this constraint
    accepted: bool = False  # the legal twin was
    note: str = ""  # why there is no case, or what went wrong
    illegal_calls: tuple[Call, ...] = field(default=(), repr=False)

    @property
    def fine(self) -> bool:
        """Refused with the right name, and the twin accepted."""
        return self.refused and self.named and self.accepted


def plant(pack: ToolPack, *, most: int | None = None) -> tuple[Planted, ...]:
    """Plant a mistake against every constraint of a pack, or the first ``most`` of each kind.

    A case is tried in a session of its own. Constraints that no call can break (a class that is a closed list has no
    create tool) and those whose class cannot have an instance are listed with a note.
    """
    found: list[Planted] = []
    seen: Counter[str] = Counter()
    planter = _Planter(pack)
    for shape in pack.shapes:
        if shape.deactivated:
            continue
        for chain, constraint in _single((shape,)):
            kind = shape.kind or f"sh:{constraint.component}"
            seen[kind] += 1
            if most is None or seen[kind] <= most:
                found.append(planter.planted(kind, chain, constraint))
    return tuple(found)


def _single(chain: tuple[Shape, ...]) -> Iterator[tuple[tuple[Shape, ...], Constraint]]:
    """The constraints of a shape one by one, each with the shapes it is nested in, outermost first."""
    for constraint in chain[-1].constraints:
        yield chain, constraint
    for inner in chain[-1].properties:
        if not inner.reference and len(chain) < 4:
            yield from _single((*chain, inner))


class _Planter:
    def __init__(self, pack: ToolPack) -> None:
        self.pack = pack
        self.samples = Samples(pack.session(namespace="https://planted.example/kg/"))
        self.empty = {one.about for one in pack.warnings if one.kind == "unsatisfiable class"}

    def planted(self, kind: str, chain: tuple[Shape, ...], constraint: Constraint) -> Planted:
        """The first case that is refused and accepted as it should be; else the last one tried."""
        shape = chain[0]
        last = Planted(shape.id, kind, shape.about, None, note="no call of these tools can break it")
        for case in self._cases(chain, constraint):
            last = self._tried(kind, chain, case)
            if last.fine:
                return last
        if shape.classes and self.empty.issuperset(shape.classes):
            return Planted(shape.id, kind, shape.about, None, note="nothing can be an instance of its class")
        return last

    def _cases(self, chain: tuple[Shape, ...], constraint: Constraint) -> Iterator[Case]:
        yield from islice(cases(self.samples, chain, constraint), _MOST_TRIES)

    def _tried(self, kind: str, chain: tuple[Shape, ...], case: Case) -> Planted:
        shape = chain[0]

        def fresh() -> tuple[ConstructionSession, str]:
            session = self.pack.session(namespace="https://planted.example/kg/")
            for name, arguments in case.setup:
                result = session.call(name, arguments)
                if not result.ok and not _is_repeat(result):
                    return session, f"the way to it was refused: {name}: {result.violations[0].hint}"
            return session, ""

        session, trouble = fresh()
        if trouble:
            return Planted(shape.id, kind, shape.about, case, note=trouble)
        refused, named, heard = self._illegal(session, kind, shape, case)
        session, _ = fresh()
        path = session.hints.told(shape, chain[-1].path)
        accepted, note = _legal(session, shape, case, (kind, path))
        told = note or ("" if named else f"heard instead: {heard}")
        return Planted(shape.id, kind, shape.about, case, refused, named, accepted, told,
                       (*case.setup, *case.illegal))  # fmt: skip

    def _illegal(self, session: ConstructionSession, kind: str, shape: Shape, case: Case) -> tuple[bool, bool, str]:
        result = CallResult(True)
        for name, arguments in case.illegal or (("finish", {}),):
            result = session.call(name, arguments)
            if not result.ok:
                break
        heard = [(v.shape, v.constraint, v.focus) for v in result.violations]
        said = {kind.removeprefix("sh:"), *_SAID_BY_SCHEMA.get(kind, ())}
        named = any(s == shape.id or (not s and c in said) for s, c, _ in heard)
        if case.focus:
            named = any(s == shape.id and focus == case.focus for s, _, focus in heard)
        return not result.ok, named, ", ".join(dict.fromkeys(c for _, c, _ in heard))[:120]


def _legal(session: ConstructionSession, shape: Shape, case: Case, meant: tuple[str, str]) -> tuple[bool, str]:
    for name, arguments in case.legal:
        result = session.call(name, arguments)
        if not result.ok and not _is_repeat(result):
            return False, f"the legal twin was refused: {name}: {result.violations[0].hint}"
    open_ = session.missing(case.focus) if case.focus else ()
    if any(v.shape == shape.id and (shape.kind or (v.constraint, v.path) == meant) for v in open_):
        return False, "the legal twin does not mend it"
    return True, ""


def _is_repeat(result: CallResult) -> bool:
    return all(violation.constraint == "repeat" for violation in result.violations)


def replayed(pack: ToolPack, calls: Sequence[Sequence[Call]], *, checked: bool) -> ConstructionSession:
    """A session in which these calls were made, case after case; unchecked, mistakes are written as they stand."""
    session = pack.session(namespace="https://planted.example/kg/", checked=checked)
    for case in calls:
        for name, arguments in case:
            session.call(name, arguments)
    return session


__all__ = ["Case", "Planted", "plant", "replayed"]
