"""Retrieve: describe every entity of both ontologies in three views (Agent-OM, sections 4.1 and 5.1).

Syntactic is the name in plain words, lexical what else it is called and what it means, semantic what its axioms say.
Nothing here needs a model: axioms are put into words by templates; a model, where there is one, is asked only for
definitions that are missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from kgnb.agents.ontology_matching.define import define
from kgnb.agents.ontology_matching.values import KINDS, Described, Description, Options, Side
from kgnb.kg.labels import is_code, readable
from kgnb.kg.ontology import Entity, Ontology, Restriction
from kgnb.kg.words import normal, words
from kgnb.llm.model import ChatModel

LISTED = 6  # how many names a statement lists before it says how many more there are
SHARED = 2  # entities that may have one definition or comment; what is said of more, tells none of them from the rest
CONSTRAINTS = {"some": "some", "all": "only", "value": "is", "self": "itself", "min": "at least", "max": "at most"}


def retrieve(
    source: Ontology, target: Ontology, *, options: Options = Options(), model: ChatModel | None = None
) -> Described:
    """Both ontologies, described.

    With ``options.define`` the ``model`` writes a definition for entities that have none, in the light of
    ``options.context``; else the lexical view is made of labels, synonyms, definitions and comments alone.

    Raises:
        ValueError: an ontology has no entity that could be matched.
    """
    kinds = [kind for kind in KINDS if kind != "individual" or options.individuals]
    descriptions: list[Description] = []
    sides: tuple[tuple[Side, Ontology], ...] = (("source", source), ("target", target))
    for side, ontology in sides:
        entities = ontology.of_kind(*kinds)
        if not entities:
            raise ValueError(f"{ontology.name or ontology.iri}: there is no class or property to match")
        meanings = define(entities, model, options.context) if model and options.define else {}
        name_of = _namer(ontology)
        idle = _said_of_many(entities)
        descriptions += [_describe(side, entity, name_of, meanings.get(entity.iri, ""), idle) for entity in entities]
    return Described(source, target, tuple(descriptions))


def _said_of_many(entities: Iterable[Entity]) -> set[str]:
    """Passages that more than a few entities share: where they come from, a dimension, who made them."""
    told = Counter(passage for entity in entities for passage in _passages(entity))
    return {passage for passage, number in told.items() if number > SHARED}


def _passages(entity: Entity) -> Iterable[str]:
    """The definitions and comments, each once and on one line."""
    return dict.fromkeys(" ".join(text.text.split()) for text in (*entity.definitions, *entity.comments))


def _describe(
    side: Side, entity: Entity, name_of: Callable[[str], str], meaning: str, idle: Collection[str]
) -> Description:
    name = name_of(entity.iri)
    spoken = [] if is_code(entity.local_name) else [words(entity.local_name)]
    own = dict.fromkeys([words(name), *(words(label.text) for label in entity.labels), *spoken])
    synonyms = dict.fromkeys(words(synonym.text) for synonym in entity.synonyms)
    names = [name_words for name_words in own if name_words]
    extra = [name_words for name_words in synonyms if name_words and name_words not in own]
    told = list(dict.fromkeys(text for text in (*_passages(entity), meaning) if text and text not in idle))
    passages = dict.fromkeys([*(" ".join(n) for n in (*names, *extra)), *told])
    related = dict.fromkeys(normal(name_of(iri)) for iri in _mentioned(entity))
    return Description(
        side=side,
        entity=entity,
        name=name,
        syntactic=normal(name),
        lexical=tuple(passage for passage in passages if passage),
        semantic="; ".join(_statements(entity, name_of)),
        names=(*names, *extra),
        synonyms_from=len(names),
        told=tuple(told),
        related=tuple(text for text in related if text),
    )


def _namer(ontology: Ontology) -> Callable[[str], str]:
    """Names by IRI; an entity of another ontology is read off its IRI."""
    known: dict[str, str] = {}

    def name_of(iri: str) -> str:
        if iri not in known:
            known[iri] = readable(ontology.find(iri) or Entity(iri, "class"))
        return known[iri]

    return name_of


def _mentioned(entity: Entity) -> list[str]:
    """The IRIs an entity's axioms mention, nearest relatives first."""
    fillers = [iri for one in entity.restrictions for iri in (one.filler, one.on) if ":" in iri]
    near = (*entity.parents, *entity.domain, *entity.range, *entity.types, *fillers, *entity.equivalents)
    return [*near, *entity.children, *entity.inverse]


def _statements(entity: Entity, name_of: Callable[[str], str]) -> list[str]:
    """What the axioms say, one short statement each, by templates of our own."""
    said: list[str] = []

    def say(template: str, iris: Sequence[str], joint: str = ", ") -> None:
        if iris:
            listed = [name_of(iri) for iri in iris[:LISTED]]
            more = f" and {len(iris) - LISTED} more" if len(iris) > LISTED else ""
            said.append(template.format(joint.join(listed) + more))

    say("is a kind of {}", entity.parents)
    say("is a {}", entity.types)
    say("means the same as {}", entity.equivalents)
    say("of {}", entity.domain, " or ")
    say("gives {}", entity.range, " or ")
    say("is the inverse of {}", entity.inverse)
    said.extend(entity.characteristics[:LISTED])
    said += list(dict.fromkeys(_restriction(one, name_of) for one in entity.restrictions))[:LISTED]
    say("its kinds are {}", entity.children)
    say("is never {}", entity.disjoint)
    return said


def _restriction(one: Restriction, name_of: Callable[[str], str]) -> str:
    filler = name_of(one.filler) if ":" in one.filler else one.filler
    number = f" {one.cardinality}" if one.cardinality is not None else ""
    return f"{name_of(one.on)} {CONSTRAINTS.get(one.constraint, one.constraint)}{number} {filler}".rstrip()
