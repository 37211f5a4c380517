from kgnb.agents.ontology_matching.values import Summarised
from kgnb.judging.named import reference_oracle
from tests.agents.ontology_matching.small import HUT, REFUGE

REFERENCE = {(HUT + "Warden", REFUGE + "RF_0000003"), (HUT + "Booking", REFUGE + "RF_0000004")}


def test_answers_from_the_reference_and_counts_the_questions(summarised: Summarised) -> None:
    oracle = reference_oracle(REFERENCE)
    verdicts = oracle.judge(summarised.questions)
    assert sum(v.decision == "equivalent" for v in verdicts) == 4  # each pair is asked from both sides
    assert oracle.asked == len(summarised.questions)


def test_errs_on_everything_at_rate_one_and_never_answers_off_the_list(summarised: Summarised) -> None:
    oracle = reference_oracle(REFERENCE, error_rate=1.0)
    for question, verdict in zip(summarised.questions, oracle.judge(summarised.questions), strict=True):
        right = {c.pair[:2] for c in question.candidates} & REFERENCE
        ends = (question.about.iri, verdict.choice)
        assert verdict.choice is None or verdict.choice in {o.iri for o in question.others}
        assert not right or (ends not in right and ends[::-1] not in right)
