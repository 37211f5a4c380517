"""Whether the tools and a SHACL engine that is not ours say the same of the same facts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import rdflib

from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.errors import DataError
from kgnb.shapes.shape import SH
from tests.conformance.planting import Planted, replayed

_SAME = {"ClassConstraintComponent": "is", "NodeConstraintComponent": "is", "OrConstraintComponent": "or",
         "SameKeyConstraintComponent": "key", "SPARQLConstraintComponent": "key"}  # fmt: skip
Result = tuple[str, str, str]
"""Focus node, component, value."""


@dataclass(frozen=True)
class Agreement:
    """Violations that both found in the legal and in the illegal facts, and where they differ."""

    legal: int
    illegal: int
    differences: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether they agree on everything."""
        return not self.differences


def agreement(pack: ToolPack, planted: Sequence[Planted]) -> Agreement:
    """Compare the checker with pyshacl over the facts of all legal twins, and of all mistakes written unchecked.

    Raises DataError where pyshacl is not installed.
    """
    shapes = rdflib.Graph().parse(data=pack.shacl(), format="turtle")
    cases = [one for one in planted if one.case is not None]
    found, differences = [], []
    for name, calls, checked in (
        ("legal", [(*one.case.setup, *one.case.legal) for one in cases if one.case], True),
        ("illegal", [one.illegal_calls for one in cases], False),
    ):
        session = replayed(pack, calls, checked=checked)
        ours, theirs = our_results(session), their_results(session, shapes)
        found.append(sum(ours.values()))
        differences += [f"{name}: only the tools: {result}" for result in sorted(ours - theirs)]
        differences += [f"{name}: only pyshacl: {result}" for result in sorted(theirs - ours)]
    return Agreement(found[0], found[1], tuple(differences))


def our_results(session: ConstructionSession) -> Counter[Result]:
    """What the checker finds in all facts of a session."""
    found = session.pack.checker.everything(session.facts)
    results: Counter[Result] = Counter()
    for _, one in found:
        component = "class" if one.constraint.component == "isA" else one.constraint.component
        name = f"{component[0].upper()}{component[1:]}ConstraintComponent"
        value = "" if one.value is None else _text(one.value)
        results[_text(one.focus), _SAME.get(name, name), value] += 1
    return results


def their_results(session: ConstructionSession, shapes: rdflib.Graph) -> Counter[Result]:
    """What pyshacl finds in them."""
    try:
        from pyshacl import validate
    except ImportError as error:
        raise DataError("pyshacl is not installed", where="SHACL", fix="pip install pyshacl") from error
    _, report, _ = validate(session.graph, shacl_graph=shapes, advanced=False)
    sh = rdflib.Namespace(SH)
    results: Counter[Result] = Counter()
    for result in report.objects(None, sh.result):  # those without a detail of another
        name = str(report.value(result, sh.sourceConstraintComponent)).rsplit("#", 1)[-1]
        value = report.value(result, sh.value)
        focus = str(report.value(result, sh.focusNode))
        results[focus, _SAME.get(name, name), "" if value is None else str(value)] += 1
    return results


def _text(term: object) -> str:
    return str(getattr(term, "text", term))
