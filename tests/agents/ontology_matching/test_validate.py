from collections.abc import Sequence
from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import MatchQuestion, Summarised
from kgnb.judging import UNSURE, Verdict
from kgnb.kg.terms import OWL, RDFS
from kgnb.tasks.matching import match_ontologies


class Stubborn:
    """A judge that says the same to everything."""

    name = "stubborn"

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        return [self.verdict for _ in questions]


def test_answers_that_are_not_on_the_list_count_as_unsure(summarised: Summarised) -> None:
    for verdict, reason in (
        (Verdict("equivalent", "http://invented.example/x", 1.0), "which is not an option"),
        (Verdict("same", None, 1.0), "'same' is not a decision"),
        (Verdict("broader", None, 0.9), "without a candidate"),
        (Verdict("different", None, 7.0), "not between 0 and 1"),
    ):
        for one in validate(summarised, Stubborn(verdict)).judged:
            assert one.verdict.decision == UNSURE and one.verdict.choice is None
            assert reason in one.verdict.rationale
    verdict = Verdict(
        "different", summarised.questions[0].others[0].iri, 0.5, also=(("http://invented.example/x", 0.4),)
    )
    first = validate(summarised, Stubborn(verdict)).judged[0].verdict
    assert first.decision == "different" and first.choice is None and first.also == ()


def test_a_judge_that_skips_questions_is_refused(summarised: Summarised) -> None:
    class Lazy(Stubborn):
        def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
            return []

    with pytest.raises(ValueError, match=f"0 verdicts on {len(summarised.questions)} questions"):
        validate(summarised, Lazy(Verdict(UNSURE)))


def test_a_small_ontology_s_names_with_a_word_in_common_wait_for_a_person(tmp_path: Path) -> None:
    films, cinema = tmp_path / "films.ttl", tmp_path / "cinema.ttl"
    for file, ends, name in ((films, "Person", "date of birth"), (cinema, "Human", "birth date")):
        file.write_text(
            f"<http://{file.stem}/{ends}> a <{OWL}Class> . <http://{file.stem}/p> a <{OWL}DatatypeProperty> ; "
            f'<{RDFS}label> "{name}" ; <{RDFS}domain> <http://{file.stem}/{ends}> .\n'
        )
    found = match_ontologies(films, cinema, judge="rule", embedder="characters")
    assert not len(found)
    assert (
        "too little speaks for “birth date”"
        in {one.source_label: one.rationale for one in found.unsure}["date of birth"]
    )
