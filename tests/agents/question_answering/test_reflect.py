from kgnb.agents.question_answering.act import act
from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.observe import observe
from kgnb.agents.question_answering.reflect import end_of, reflect, remember
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Memory
from kgnb.kg.terms import Iri
from tests.agents.question_answering.worlds import V, desk, state

A, B, C, D, P = (Iri(V + name) for name in "abcdp")


def acted(text: str, *entities: str, **options: object) -> State:
    return act(observe(link(state(text, *entities, **options))))


def test_a_triple_goes_on_the_first_path_that_ends_where_it_begins() -> None:
    memory = remember(Memory(), [(A, P, B), (B, P, C), (A, P, D)])
    assert memory.paths == (((A, P, B), (B, P, C)), ((A, P, D),))


def test_a_path_followed_backwards_ends_at_the_subject() -> None:
    assert end_of(((B, P, A),), (A,)) == B
    assert end_of(((A, P, B), (C, P, B)), (A,)) == C


def test_keeps_no_triple_twice() -> None:
    once = remember(Memory(), [(A, P, B)])
    assert remember(once, [(A, P, B)]).added == ()


def test_the_ends_of_the_paths_are_looked_at_next() -> None:
    made = reflect(acted("Who is the warden of Upper Hut?", "upper"))
    assert made.entities == (V + "ann",) and made.stalled == 0


def test_keeps_at_most_k_triples_whole_paths_first() -> None:
    made = reflect(acted("Where does the warden of Upper Hut live?", "upper", keep=2))
    assert [len(path) for path in made.memory.paths] == [2]


def test_a_random_choice_is_the_same_for_the_same_seed() -> None:
    ways = [
        reflect(acted("What does Upper Hut serve?", "upper", reflection="random", keep=1, seed=5)).memory for _ in "12"
    ]
    assert ways[0].paths == ways[1].paths and ways[0].judged_by == "random"


def test_similarity_and_facts_choose_by_vectors() -> None:
    from kgnb.llm.scripted import ScriptedModel

    near = reflect(acted("Does Upper Hut serve cake?", "upper", reflection="similarity", keep=1))
    assert near.memory.judged_by == "similarity"
    model = ScriptedModel(["Upper Hut | serves | soup"])
    opened = desk(model=model)
    made = act(observe(link(state("What does Upper Hut serve?", "upper", on=opened, reflection="facts", keep=1))))
    assert reflect(made).memory.paths[0][0][2] == V + "soup"
    assert len(model.asked) == 1
