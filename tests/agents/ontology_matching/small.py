"""Two small ontologies of the same thing, written out, for the tests of the stages."""

from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.values import Options, Summarised
from kgnb.kg.ontology import Entity, Ontology, Restriction, Text
from kgnb.llm.model import ChatModel
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.index import MemoryIndex

HUT = "http://hut.example/alpine#"
REFUGE = "http://refuge.example/onto/"


def alpine() -> Ontology:
    """Local names only, camel case, one comment."""
    return Ontology(
        "alpine",
        HUT,
        "alpine-1",
        (
            Entity(
                HUT + "Booking", "class", comments=(Text("A place kept for somebody for a night"),)
            ),
            Entity(HUT + "Building", "class", children=(HUT + "MountainHut",)),
            Entity(
                HUT + "MountainHut",
                "class",
                parents=(HUT + "Building",),
                disjoint=(HUT + "Warden",),
            ),
            Entity(
                HUT + "Warden",
                "class",
                disjoint=(HUT + "MountainHut",),
                restrictions=(Restriction(HUT + "looksAfter", "some", HUT + "MountainHut"),),
            ),
            Entity(
                HUT + "looksAfter",
                "object property",
                domain=(HUT + "Warden",),
                range=(HUT + "MountainHut",),
            ),
            Entity(HUT + "hasElevation", "datatype property", domain=(HUT + "MountainHut",)),
        ),
    )


def refuge() -> Ontology:
    """Codes with labels in two languages and synonyms."""

    def entity(
        code: str, kind: str, label: str, *synonyms: str, **rest: tuple[object, ...]
    ) -> Entity:
        texts = tuple(Text(s, "en") for s in synonyms)
        return Entity(REFUGE + code, kind, labels=(Text(label, "en"),), synonyms=texts, **rest)  # type: ignore[arg-type]

    return Ontology(
        "refuge",
        REFUGE,
        "refuge-1",
        (
            entity(
                "RF_0000001", "class", "structure", "building", children=(REFUGE + "RF_0000002",)
            ),
            entity(
                "RF_0000002",
                "class",
                "mountain refuge",
                "mountain hut",
                parents=(REFUGE + "RF_0000001",),
            ),
            entity("RF_0000003", "class", "hut keeper", "warden", "guardian"),
            entity("RF_0000004", "class", "reservation", "booking"),
            entity("RF_0000005", "class", "glacier"),
            entity(
                "RF_0000011",
                "object property",
                "keeps",
                "looks after",
                domain=(REFUGE + "RF_0000003",),
                range=(REFUGE + "RF_0000002",),
            ),
            entity("RF_0000012", "datatype property", "elevation", domain=(REFUGE + "RF_0000002",)),
        ),
    )


def questions_of(
    source: Ontology,
    target: Ontology,
    options: Options = Options(),
    model: ChatModel | None = None,
) -> Summarised:
    """The questions about two ontologies, by their letters."""
    described = retrieve(source, target, options=options, model=model)
    stored = store(described, MemoryIndex(), CharacterEmbedder())
    return summarise(search(stored, options=options))
