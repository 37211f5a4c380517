from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.values import Cosines, Described, Found, Ranked
from tests.agents.ontology_matching.small import HUT, REFUGE


def test_a_pair_that_one_direction_found_is_judged_in_both(described: Described) -> None:
    warden, keeper = HUT + "Warden", REFUGE + "RF_0000003"
    ranked = Ranked(warden, keeper, "class", "lexical", "target", 1, 0.5)
    cosines = {(warden, keeper, "class"): Cosines(0.0, 0.0, 0.0)}
    questions = summarise(Found(described, (ranked,), cosines)).questions  # type: ignore[arg-type]
    assert [(q.side, q.about.iri, [c.pair[:2] for c in q.candidates]) for q in questions] == [
        ("source", warden, [(warden, keeper)]),
        ("target", keeper, [(warden, keeper)]),
    ]
