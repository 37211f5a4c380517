"""Names of a document's entities: found by their words, however many there are."""

from kgnb.agents.kg_construction.desk import Desk
from kgnb.agents.kg_construction.documents import Passage
from kgnb.agents.kg_construction.rule_reader import Names, find
from tests.agents.kg_construction.kitchen import pack_of


def test_the_longest_name_takes_its_words() -> None:
    names = Names()
    for name in ("lentils", "red lentils", "lentil stew", ""):
        names.add(name, f"urn:{name.replace(' ', '-')}", "urn:Food")
    assert [iri for iri, _ in names.within("Rinse the red lentils.")] == ["urn:red-lentils"]
    assert [iri for iri, _ in names.within("Lentils go into red lentils")] == ["urn:red-lentils", "urn:lentils"]
    assert list(names.within("")) == []


def test_the_first_of_a_name_keeps_it() -> None:
    names = Names()
    names.add("barley", "urn:one", "urn:Food")
    names.add("barley", "urn:other", "urn:Food")
    assert names.called(("barley",)) == [("urn:one", "urn:Food")]
    assert names.called(("oats",)) == []


def test_a_phrase_is_found_where_it_begins() -> None:
    assert find(("b", "c"), ("a", "b", "b", "c")) == 2
    assert find(("c", "d"), ("a", "b", "c")) is None


def test_a_desk_knows_entities_by_their_label() -> None:
    pack = pack_of(":Hut a owl:Class . :Person a owl:Class .")
    desk = Desk(pack.session(namespace="https://hut.example/"), "note", {tool.name: tool for tool in pack.tools})
    passage = Passage("note", 1, 0, 5, "Ambre")
    hut = desk.call("create_hut", {"label": "Ambre"}, passage)
    person = desk.call("create_person", {"label": "Ambre", "within": hut.iri}, passage)
    assert [one.iri for one in desk.labelled("Ambre")] == [hut.iri, person.iri]
    assert list(desk.labelled("Sorne")) == []
