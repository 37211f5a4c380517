import pytest

from kgnb.agents.ontology_matching.coherence import incoherent
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.mappings import Mapping


def ontology(base: str, domain: str, disjoint: tuple[str, ...] = ()) -> Ontology:
    hut = Entity(base + "Hut", "class", labels=(Text("hut"),), disjoint=tuple(base + one for one in disjoint))
    season = Entity(base + "Season", "class", labels=(Text("season"),))
    opens = Entity(base + "opens", "datatype property", labels=(Text("opens"),), domain=(base + domain,))
    return Ontology(base, base, base, (hut, season, opens))


@pytest.mark.parametrize("turned", [False, True])
def test_properties_of_disjoint_domains_are_not_equal_whichever_side_comes_first(turned: bool) -> None:
    sides = [ontology("http://a.example/#", "Season", ("Season",)), ontology("http://b.example/#", "Hut")]
    source, target = sides[::-1] if turned else sides
    mappings = [
        Mapping(source.iri + name, target.iri + name, "equivalent", 0.9, kind, name, name, "semapv:LexicalMatching")
        for name, kind in (("Hut", "class"), ("Season", "class"), ("opens", "datatype property"))
    ]
    (dropped,) = incoherent(retrieve(source, target), mappings)
    assert dropped.mapping.kind == "datatype property"
    assert "disjoint with the other domain" in dropped.reason
