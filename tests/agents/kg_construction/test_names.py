"""Names of a document's entities: found by their words, however many there are."""

from kgnb.agents.kg_construction.documents import Passage
from kgnb.agents.kg_construction.rule_reader import named_in
from kgnb.agents.kg_construction.workspace import Workspace
from tests.agents.kg_construction.kitchen import pack_of


def test_the_longest_name_takes_its_words() -> None:
    names = {name: (f"urn:{name.replace(' ', '-')}", "urn:Food") for name in ("lentils", "red lentils", "stew", "")}
    assert [iri for iri, _ in named_in("Rinse the red lentils.", names)] == ["urn:red-lentils"]
    assert [iri for iri, _ in named_in("Lentils go into red lentils", names)] == ["urn:red-lentils", "urn:lentils"]
    assert list(named_in("", names)) == []


def test_a_workspace_knows_entities_by_their_label() -> None:
    pack = pack_of(":Hut a owl:Class . :Person a owl:Class .")
    workspace = Workspace(pack.session(namespace="https://hut.example/"), "note")
    passage = Passage("note", 1, 0, 5, "Ambre")
    hut = workspace.call("create_hut", {"label": "Ambre"}, passage)
    person = workspace.call("create_person", {"label": "Ambre", "within": hut.iri}, passage)
    assert [one.iri for one in workspace.labelled("Ambre")] == [hut.iri, person.iri]
    assert list(workspace.labelled("Sorne")) == []
