from kgnb.agents.question_answering.act import act
from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.observe import observe
from kgnb.agents.question_answering.reflect import end_of, reflect, remember
from kgnb.agents.question_answering.values import Memory
from kgnb.kg.terms import Iri
from kgnb.llm.scripted import ScriptedModel
from tests.agents.question_answering.worlds import V, context, state

A, B, C, D, P = (Iri(V + name) for name in "abcdp")


def test_triples_grow_into_paths_and_none_is_kept_twice() -> None:
    memory = remember(Memory(), [(A, P, B), (B, P, C), (A, P, D)])
    assert memory.paths == (((A, P, B), (B, P, C)), ((A, P, D),))
    assert remember(memory, [(A, P, B)]).added == ()
    assert end_of(((B, P, A),), (A,)) == B, "a path followed backwards ends at the subject"
    assert end_of(((A, P, B), (C, P, B)), (A,)) == C


def test_keeps_at_most_k_triples_whole_paths_first_and_looks_next_where_they_end() -> None:
    def memory(text: str, **options: object) -> Memory:
        made = reflect(act(observe(link(state(text, "upper", **options)))))
        assert made.stalled == 0
        return made.memory

    assert reflect(
        act(observe(link(state("Who is the warden of Upper Hut?", "upper"))))
    ).entities == (V + "ann",)
    assert [
        len(path) for path in memory("Where does the warden of Upper Hut live?", keep=2).paths
    ] == [2]
    drawn = [
        memory("What does Upper Hut serve?", reflection="random", keep=1, seed=5) for _ in "12"
    ]
    assert drawn[0].paths == drawn[1].paths and drawn[0].judged_by == "random"
    near = memory("Does Upper Hut serve cake?", reflection="similarity", keep=1)
    assert near.judged_by == "similarity"


def test_triples_may_be_chosen_by_facts_that_a_model_expects() -> None:
    model = ScriptedModel(["Upper Hut | serves | soup"])
    asked = state(
        "What does Upper Hut serve?", "upper", on=context(model=model), reflection="facts", keep=1
    )
    assert reflect(act(observe(link(asked)))).memory.paths[0][0][2] == V + "soup"
    assert len(model.asked) == 1
