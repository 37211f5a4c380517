"""A chain of properties that implies an irreflexive property never leads back to its beginning."""

import pytest

from tests.agents.kg_construction.kitchen import pack_of

STEPS = ":Step a owl:Class . " + " ".join(
    f":{name} a owl:ObjectProperty ; rdfs:domain :Step ; rdfs:range :Step ." for name in "pqr"
)


@pytest.mark.parametrize("kind", ["Irreflexive", "Asymmetric"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_chain_back_to_its_beginning_is_refused_at_the_call(
    kind: str, order: tuple[int, int]
) -> None:
    pack = pack_of(
        f"{STEPS} :before a owl:ObjectProperty , owl:{kind}Property ; "
        "owl:propertyChainAxiom ( :p :q ) ; rdfs:domain :Step ; rdfs:range :Step ."
    )
    session = pack.session()
    a, b, c = (session.call("create_step", {"label": name}).iri for name in "abc")
    assert session.call("add_p", {"subject": a, "object": c}).ok
    assert session.call("add_q", {"subject": c, "object": b}).ok
    facts = [("add_p", {"subject": a, "object": b}), ("add_q", {"subject": b, "object": a})]
    first, second = (facts[at] for at in order)
    assert session.call(*first).ok
    refused = session.call(*second)
    assert not refused.ok and refused.violations[0].constraint == "irreflexive"
    assert "before" in refused.violations[0].hint


def test_a_longer_chain_is_checked_too() -> None:
    pack = pack_of(
        f"{STEPS} :before a owl:ObjectProperty , owl:IrreflexiveProperty ; "
        "owl:propertyChainAxiom ( :p :q :r ) ; rdfs:domain :Step ; rdfs:range :Step ."
    )
    session = pack.session()
    a, b, c = (session.call("create_step", {"label": name}).iri for name in "abc")
    assert session.call("add_p", {"subject": a, "object": b}).ok
    assert session.call("add_q", {"subject": b, "object": c}).ok
    assert session.call("add_r", {"subject": c, "object": b}).ok
    assert not session.call("add_r", {"subject": c, "object": a}).ok
