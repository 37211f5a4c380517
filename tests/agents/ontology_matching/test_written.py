"""What a model writes about terms: definitions and translations, before anything is judged."""

from __future__ import annotations

import json
import re

import pytest

from kgnb.agents.ontology_matching.judges import make_judge
from kgnb.agents.ontology_matching.rule import RuleJudge
from kgnb.agents.ontology_matching.values import Options
from kgnb.errors import ConfigError
from kgnb.judging import Verdict
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.llm.model import Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.matching import match_ontologies
from tests.agents.ontology_matching.small import alpine, questions_of, refuge

GERMAN = {"Gutachten": "review", "Konferenzbeitrag": "paper", "Verfasser": "author"}


def german() -> Ontology:
    iri = "http://de.example/"
    parent = Entity(iri + "C_0000009", "class", labels=(Text("Dokument", "de"),), coded=True)
    entities = tuple(
        Entity(
            f"{iri}C_{number:07}",
            "class",
            labels=(Text(name, "de"),),
            parents=(parent.iri,),
            coded=True,
        )
        for number, name in enumerate(GERMAN)
    )
    return Ontology("de", iri, "de-1", (*entities, parent))


def english() -> Ontology:
    iri = "http://en.example/"
    names = ("Review", "Paper", "Author", "Hotel")
    return Ontology("en", iri, "en-1", tuple(Entity(iri + name, "class") for name in names))


def translator(request: Request) -> str:
    terms = json.loads(request.messages[-1].text)
    entries = [
        {"number": int(number), "english": GERMAN.get(term["name"], "document"), "also": []}
        for number, term in terms.items()
    ]
    return json.dumps({"entries": entries})


def none(request: Request) -> str:
    """The answer "none" to every question."""
    numbers = re.findall(r"##data question (\d+)", request.messages[1].text)
    answers = [
        {"question": int(number), "letter": "none", "second": "none", "confidence": 0.9}
        for number in numbers
    ]
    return json.dumps({"answers": answers})


def first(question: object) -> Verdict:
    return Verdict("different", None, 0.9, "no")


def test_names_are_translated_where_the_two_have_no_language_in_common() -> None:
    model = ScriptedModel(lambda r: translator(r) if "translate" in r.messages[0].text else none(r))
    questions = questions_of(german(), english(), model=model)
    verdicts = RuleJudge().judge(questions.questions)
    pairs = {
        (question.about.name, verdict.choice.rpartition("/")[2])
        for question, verdict in zip(questions.questions, verdicts, strict=True)
        if question.side == "source" and verdict.choice is not None
    }
    assert pairs == {
        ("Gutachten", "Review"),
        ("Konferenzbeitrag", "Paper"),
        ("Verfasser", "Author"),
    }
    (request,) = (r for r in model.asked if "translate" in r.messages[0].text)
    told = json.loads(request.messages[-1].text)
    assert told["1"] == {"name": "Gutachten", "kind": "class", "kind of": ["Dokument"]}
    for options in (Options(translate=False), Options()):
        model = ScriptedModel(none)
        sides = (german(), english()) if not options.translate else (alpine(), refuge())
        match_ontologies(*sides, model=model, judge="cascade", options=options, embedder="tiny")
        assert not [r for r in model.asked if "translate" in r.messages[0].text]


def test_definitions_are_written_with_kind_and_place_whoever_judges() -> None:
    for judge in ("rule", first):
        model = ScriptedModel(lambda request: '{"entries": []}')
        match_ontologies(
            alpine(),
            refuge(),
            model=model,
            judge=judge,
            options=Options(define=True),
            embedder="tiny",
        )
        terms = [json.loads(request.messages[-1].text) for request in model.asked]
        assert len(terms) == 2
        (hut,) = (t for t in terms[0].values() if t["name"] == "Mountain hut")
        assert hut["kind of"] == ["Building"]
        (keeps,) = (t for t in terms[1].values() if t["name"] == "keeps")
        assert keeps["kind"] == "object property"
        assert (keeps["domain"], keeps["range"]) == (["hut keeper"], ["mountain refuge"])


def test_what_a_model_wrote_is_shown_but_is_no_evidence_that_the_ontologies_give() -> None:
    def same_for_all(request: Request) -> str:
        numbers = json.loads(request.messages[-1].text)
        meaning = "A building in the mountains where guests sleep."
        return json.dumps({"entries": [{"number": int(n), "meaning": meaning} for n in numbers]})

    questions = questions_of(
        alpine(), refuge(), Options(define=True), ScriptedModel(same_for_all)
    ).questions
    assert any("guests sleep" in question.text for question in questions)
    verdicts = RuleJudge().judge(questions)
    assert not [verdict for verdict in verdicts if "definitions" in verdict.rationale]


def test_definitions_without_a_model_are_refused() -> None:
    with pytest.raises(ConfigError, match="--define"):
        match_ontologies(alpine(), refuge(), judge="rule", options=Options(define=True))


def test_a_question_shows_siblings_with_their_counterparts_and_taken_candidates() -> None:
    model = ScriptedModel(none)
    questions = questions_of(alpine(), refuge())
    cascade = make_judge("cascade", model=model)
    prepared = cascade.open(questions.questions)  # type: ignore[attr-defined]
    options = [option.text for question in prepared for option in question.options]
    assert any("counterpart of" in text for text in options)
    sisters = Ontology(
        "s",
        "http://s.example/",
        "s",
        tuple(
            Entity(f"http://s.example/{name}", "class", parents=("http://s.example/Hut",))
            for name in ("Winter", "Summer", "Spring")
        ),
    )
    (question, *_) = questions_of(sisters, refuge()).questions
    assert "beside it: Summer, Spring" in question.text
    judge = make_judge("model", model=model, examples=["hut = refuge (class)"])
    judge.judge(questions.questions)
    assert "- hut = refuge (class)" in model.asked[-1].messages[0].text
