from dataclasses import replace

import numpy as np

from kgnb.agents.entity_alignment.align import align
from kgnb.agents.entity_alignment.final_alignment import NONE_SAID, OUTBID, settle
from kgnb.agents.entity_alignment.judges import Decided, EntityDecisions, ReviewedEntities
from kgnb.judging import CallableJudge, Verdict


def test_every_target_is_given_away_once(selected, proposal):
    greedy = CallableJudge(
        lambda question: Verdict("equivalent", max(card.iri for card in question.others), 0.8),
        "greedy",
    )
    settled = settle(align(selected, greedy))
    given = [target for target in settled.targets.tolist() if target >= 0]
    assert len(given) == len(set(given))
    counts = settled.counts()
    assert counts["matched"] + counts["unmatched"] == len(proposal)
    assert sum(settled.unmatched().values()) == counts["unmatched"]


def test_right_answers_raise_what_is_found(selected, knowing, truth, proposal):
    def right(targets):
        left, there = proposal.left.entities, proposal.right.entities
        found = zip(proposal.sources, targets, strict=True)
        return sum(
            target >= 0 and truth.get(left[source]) == there[target] for source, target in found
        )

    settled = settle(align(selected, knowing))
    assert right(settled.targets) > right(proposal.first)
    assert settled.simulation and settled.notes()[0].startswith("SIMULATION")


def test_none_takes_a_first_alignment_away_and_says_so(selected):
    for unsure in (Verdict("unsure"), Verdict("different", None, 0.3)):
        kept = settle(align(selected, CallableJudge(lambda question, said=unsure: said)))
        assert np.array_equal(kept.targets, kept.proposal.first)
        assert {choice.by for choice in kept.choices.values()} == {"similarity"}
    settled = settle(
        align(selected, CallableJudge(lambda question: Verdict("different", None, 0.9), "no"))
    )
    matched = [question for question in selected.questions if question.first]
    assert matched and all(settled.targets[question.row] == -1 for question in matched)
    assert settled.unmatched()[NONE_SAID] == len(matched)


def test_who_loses_its_counterpart_to_a_surer_one_is_dropped_with_the_reason(selected, proposal):
    question = next(q for q in selected.questions if any(c.iri != q.first for c in q.others))
    held = {proposal.right.entities[t] for t in proposal.first.tolist() if t >= 0}
    wanted = next(
        card.iri for card in question.others if card.iri != question.first and card.iri in held
    )

    def take(asked):
        return (
            Verdict("equivalent", wanted, 1.0) if asked.row == question.row else Verdict("unsure")
        )

    settled = settle(align(selected, CallableJudge(take)))
    assert proposal.right.entities[settled.targets[question.row]] == wanted
    (dropped,) = settled.alignment().dropped
    assert dropped.reason == OUTBID and dropped.mapping.target == wanted


def test_a_person_has_the_last_word_also_on_what_was_not_asked(selected, knowing, proposal):
    row = next(
        row for row in range(len(proposal)) if row not in {q.row for q in selected.questions}
    )
    source = proposal.left.entities[int(proposal.sources[row])]
    other = next(
        iri
        for iri in proposal.right.entities
        if iri != proposal.right.entities[proposal.first[row]]
    )
    settled = settle(align(selected, knowing), decided={source: Decided(source, other)})
    assert proposal.right.entities[settled.targets[row]] == other and settled.confidence(row) == 1.0
    first = proposal.right.entities[proposal.first[row]]
    taken = settle(
        align(selected, knowing), decided={source: Decided(source, "", frozenset({first}))}
    )
    assert taken.targets[row] == -1


def test_decisions_hold_when_the_question_is_worded_otherwise(selected, tmp_path):
    decisions = EntityDecisions(tmp_path / "d.jsonl", now=lambda: "2026-01-01T00:00:00Z")
    question, other = selected.questions[:2]
    decisions.decide(question, "equivalent", question.others[1].iri, who="Ada")
    decisions.reject(other, other.others[0].iri)
    reworded = replace(question, about=replace(question.about, lines=()))
    ada, open_one = ReviewedEntities(decisions).judge([reworded, other])
    assert ada.choice == question.others[1].iri and ada.judged_by == "person:Ada"
    assert not open_one.sure  # one candidate of several was rejected
    decisions.withdraw(question)
    assert question.about.iri not in decisions.by_entity()


def test_rankings_begin_with_what_was_chosen_and_scores_fall(selected, knowing, proposal):
    settled = settle(align(selected, knowing))
    for row in range(len(proposal)):
        ranking = settled.ranking(row)
        scores = [score for _, score in ranking]
        assert scores == sorted(scores, reverse=True)
        assert len({iri for iri, _ in ranking}) == len(ranking)
        if settled.targets[row] >= 0:
            assert ranking[0][0] == proposal.right.entities[settled.targets[row]]
