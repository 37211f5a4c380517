"""What matching does when it is asked to: many to many, individuals, labels in several languages."""

from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.values import MatchQuestion, Options
from kgnb.judging import Verdict
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.mapping_files import load, save
from kgnb.mappings import Alignment
from kgnb.settings import Settings
from kgnb.tasks.matching import match_ontologies

A, B = "http://a.example/#", "http://b.example/#"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(embedder="characters", cache=tmp_path / "cache")


def ontology(base: str, *entities: Entity) -> Ontology:
    return Ontology(base, base, base, entities)


def thing(iri: str, *labels: tuple[str, str], synonyms: tuple[str, ...] = ()) -> Entity:
    texts = tuple(Text(text, language) for language, text in labels)
    return Entity(iri, "class", labels=texts, synonyms=tuple(Text(text) for text in synonyms))


def pairs(alignment: Alignment) -> set[tuple[str, str]]:
    return {(m.source.partition("#")[2], m.target.partition("#")[2]) for m in alignment}


def test_many_to_many_keeps_what_one_to_one_must_choose_from(settings: Settings) -> None:
    def first(question: MatchQuestion) -> Verdict:
        return Verdict("equivalent", question.others[0].iri, 0.9, "the same")

    source = ontology(
        A,
        thing(A + "Hut", ("en", "mountain hut")),
        thing(A + "Lodge", ("en", "mountain hut lodge")),
    )
    target = ontology(B, thing(B + "Refuge", ("en", "mountain hut")))
    strict, loose = (
        match_ontologies(
            source,
            target,
            judge=first,
            settings=settings,
            options=Options(similarity=0.0, cardinality=cardinality),
        )
        for cardinality in ("1:1", "n:m")
    )
    assert (
        pairs(strict) == {("Hut", "Refuge")}
        and "the other side chose another" in strict.dropped[0].reason
    )
    assert pairs(loose) == {("Hut", "Refuge"), ("Lodge", "Refuge")}


def test_many_to_many_a_cascade_asks_beyond_what_the_rule_found(settings: Settings) -> None:
    source = ontology(
        A, thing(A + "Chair", ("en", "chair of the programme")), thing(A + "Meal", ("en", "meal"))
    )
    target = ontology(
        B,
        thing(B + "C1", ("en", "programme chair")),
        thing(B + "C2", ("en", "programme committee chair")),
    )
    wanted = [(A + "Chair", B + "C1"), (A + "Chair", B + "C2")]
    options = Options(cardinality="n:m", ask=2.0)
    alone = match_ontologies(source, target, judge="rule", settings=settings, options=options)
    asked = match_ontologies(
        source, target, judge="oracle", reference=wanted, settings=settings, options=options
    )
    assert pairs(alone) == {("Chair", "C1")}
    assert pairs(asked) == {("Chair", "C1"), ("Chair", "C2")}


def test_individuals_are_matched_only_when_asked_for_and_travel_as_the_same_individual(
    settings: Settings, tmp_path: Path
) -> None:
    def named(iri: str, label: str, kind: str) -> Entity:
        return Entity(iri, "individual", labels=(Text(label),), types=(kind,))

    source = ontology(A, Entity(A + "Hut", "class"), named(A + "i1", "Vernagt Hut", A + "Hut"))
    target = ontology(B, thing(B + "R", ("en", "hut")), named(B + "x9", "Vernagt hut", B + "R"))
    without = match_ontologies(source, target, judge="rule", settings=settings)
    alignment = match_ontologies(
        source, target, judge="rule", settings=settings, options=Options(individuals=True)
    )
    assert {mapping.kind for mapping in without} <= {"class"}
    assert {(m.source, m.target) for m in alignment if m.kind == "individual"} == {
        (A + "i1", B + "x9")
    }
    save(alignment, tmp_path / "o.sssom.tsv")
    assert "owl:sameAs" in (tmp_path / "o.sssom.tsv").read_text()
    assert load(tmp_path / "o.sssom.tsv").mappings == alignment.mappings


@pytest.mark.parametrize("word", ["山小屋", "جبل", "पहाड़ी झोपड़ी"])
def test_labels_in_any_script_are_matched(settings: Settings, word: str) -> None:
    source = ontology(A, thing(A + "c1", ("x", word)), thing(A + "c2", ("en", "glacier")))
    target = ontology(B, thing(B + "d1", ("x", word)), thing(B + "d2", ("en", "weather")))
    assert ("c1", "d1") in pairs(match_ontologies(source, target, judge="rule", settings=settings))
