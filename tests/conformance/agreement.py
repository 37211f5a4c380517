"""What the checker, and a SHACL engine that is not ours, find in the same facts."""

from collections import Counter

import rdflib
from pyshacl import validate

from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.shapes.shape import SH

_SAME = {
    "ClassConstraintComponent": "is",
    "NodeConstraintComponent": "is",
    "OrConstraintComponent": "or",
    "SameKeyConstraintComponent": "key",
    "SPARQLConstraintComponent": "key",
}
Result = tuple[str, str, str]
"""Focus node, component, value."""


def differences(session: ConstructionSession) -> list[str]:
    """Where the two differ on all facts of a session."""
    ours = our_results(session)
    theirs = their_results(
        session, rdflib.Graph().parse(data=session.pack.shacl(), format="turtle")
    )
    return [
        *(f"only the tools: {one}" for one in sorted(ours - theirs)),
        *(f"only pyshacl: {one}" for one in sorted(theirs - ours)),
    ]


def our_results(session: ConstructionSession) -> Counter[Result]:
    """What the checker finds in all facts of a session."""
    results: Counter[Result] = Counter()
    for _, one in session.pack.checker.everything(session.facts):
        component = "class" if one.constraint.component == "isA" else one.constraint.component
        name = f"{component[0].upper()}{component[1:]}ConstraintComponent"
        results[
            _text(one.focus), _SAME.get(name, name), "" if one.value is None else _text(one.value)
        ] += 1
    return results


def their_results(session: ConstructionSession, shapes: rdflib.Graph) -> Counter[Result]:
    """What pyshacl finds in them."""
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
