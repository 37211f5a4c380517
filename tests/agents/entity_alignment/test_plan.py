import numpy as np

from kgnb.agents.entity_alignment.judging_values import PATHS, LookOptions, named
from kgnb.agents.entity_alignment.plan import possible, worth_a_look
from kgnb.agents.entity_alignment.values import FEATURES, statistics


def test_no_more_than_the_share_is_looked_at_and_the_sure_are_left_alone(proposal):
    for share in (0.0, 0.05, 0.1):
        rows = worth_a_look(proposal, LookOptions(share=share))
        assert len(rows) <= share * len(proposal)
        assert all(proposal.first[row] < 0 or proposal.confidence[row] < 0.9 for row in rows)
    few, more = (set(worth_a_look(proposal, LookOptions(share=share))) for share in (0.04, 0.1))
    assert few < more  # the most doubtful first
    matched = [row for row in more if proposal.first[row] >= 0]
    left = [row for row in range(len(proposal)) if row not in more and proposal.first[row] >= 0]
    assert max(proposal.confidence[matched]) <= min(proposal.confidence[left]) + 1e-6
    assert worth_a_look(proposal, LookOptions(share=0.0)) == []
    assert len(worth_a_look(proposal, LookOptions(share=1.0))) == len(proposal)


def test_statistics_count_what_the_graph_says_of_each_entity(proposal):
    graph, columns = proposal.left, dict(zip(FEATURES, statistics(proposal).T, strict=True))
    for row in range(0, len(proposal), 20):
        entity = proposal.sources[row]
        said = graph.attribute_triples[graph.attribute_triples[:, 0] == entity]
        links = [
            (r, end)
            for h, r, t in graph.triples
            for end, one in (("head", h), ("tail", t))
            if one == entity
        ]
        assert columns["attribute triples"][row] == len(said) and columns["attributes"][row] == len(
            set(said[:, 1])
        )
        assert columns["relation triples"][row] == len(links) and columns["relations"][row] == len(
            set(links)
        )
        assert columns["has a name"][row] == bool(graph.names[entity])
        likest = sorted(proposal.similarities[row][proposal.candidates[row] >= 0], reverse=True)[:3]
        assert [columns[f"{nth} similarity"][row] for nth in ("first", "second", "third")][
            : len(likest)
        ] == likest
    assert np.array_equal(columns["confidence"], proposal.confidence.astype(np.float32))


def test_paths_have_only_tools_with_something_to_work_on(proposal):
    row = statistics(proposal)[0].copy()
    row[FEATURES.index("attribute triples")] = 0
    assert not any("attributes" in path for path in possible(row, LookOptions()))
    row[FEATURES.index("relation triples")] = 0
    assert () in possible(row, LookOptions()) and len(possible(row, LookOptions())) > 1


def test_the_rule_reflects_where_candidates_are_hardly_apart(planned):
    proposal = planned.proposal
    hardly = [row for row in planned.asked if proposal.margin[row] < 0.02]
    assert hardly and all("reflect" in planned.path(row) for row in hardly)
    assert {named(path) for path in planned.paths.values()} <= {named(path) for path in PATHS}
    assert planned.path(max(set(range(len(proposal))) - set(planned.asked))) == ()
