"""The whole path as a script takes it, with the real client against a server that misbehaves."""

import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kgnb
from kgnb.errors import BackendError, DataError
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.mappings import Alignment
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.matching import match_ontologies
from tests.agents.ontology_matching.small import HUT, REFUGE, alpine, refuge
from tests.llm.stub_server import CUT_JSON, Body, Fault, StubServer, rate_limited, server_error

RIGHT = {(HUT + "Warden", REFUGE + "RF_0000003"), (HUT + "MountainHut", REFUGE + "RF_0000002")}


def first_candidate(body: Body) -> str:
    """A model that always takes candidate A, whatever is asked."""
    numbers = range(1, len(re.findall(r"(?m)^#* *(?:Question|Item) \d+|^\d+\.", str(body))) + 1)
    return answers([(n, "A", "equivalent", 0.9) for n in numbers or (1,)])


def answers(said: list[tuple[int, str, str, float]]) -> str:
    keys = ("question", "letter", "decision", "confidence")
    return json.dumps(
        {"answers": [dict(zip(keys, one, strict=True)) | {"why": "because"} for one in said]}
    )


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(embedder="characters", cache=tmp_path / "cache", retries=2)


def asked_of(server: StubServer, settings: Settings) -> Settings:
    return settings.with_(model="stub", base_url=server.url, timeout=5.0)


def pairs(alignment: Alignment) -> set[tuple[str, str]]:
    return {mapping.pair for mapping in alignment}


def test_two_ontologies_give_an_alignment_with_reasons(settings: Settings) -> None:
    alignment = match_ontologies(alpine(), refuge(), settings=settings)
    assert pairs(alignment) >= RIGHT
    for mapping in alignment:
        assert mapping.judged_by == "rule" and mapping.rationale and mapping.evidence


def test_a_model_that_fails_throughout_is_an_error_and_every_try_is_in_the_ledger(
    settings: Settings,
) -> None:
    run = Run("ontology_matching")
    with StubServer(always=CUT_JSON) as server, pytest.raises(BackendError):
        quick = asked_of(server, settings).with_(retries=1, width=1)
        match_ontologies(alpine(), refuge(), judge="model", settings=quick, run=run)
    calls = [call for step in run.to_json()["steps"] for call in step["calls"]]
    assert sum(len(call["attempts"]) for call in calls) == len(server.requests)


@pytest.mark.parametrize(("letter", "decision"), [("Q", "equivalent"), ("A", "identical")])
def test_a_misbehaving_model_leaves_everything_unsure_and_invents_nothing(
    letter: str, decision: str, settings: Settings
) -> None:
    run = Run("ontology_matching")
    with StubServer(
        always=Fault(text=answers([(n, letter, decision, 1.0) for n in range(1, 13)]))
    ) as server:
        quick = asked_of(server, settings).with_(retries=1, width=1)
        alignment = match_ontologies(alpine(), refuge(), judge="model", settings=quick, run=run)
        seen = len(server.requests)
    assert len(alignment) == 0 and alignment.unsure
    assert all(mapping.rationale for mapping in alignment.unsure)
    record = run.to_json()
    judged = [judgement for step in record["steps"] for judgement in step["judgements"]]
    assert judged and all(
        judgement["decision"] == "unsure" and judgement["choice"] is None for judgement in judged
    )
    calls = [call for step in record["steps"] for call in step["calls"]]
    assert sum(len(call["attempts"]) for call in calls) == seen
    assert record["totals"]["unsure"] == len(judged)


def test_a_model_that_recovers_is_heard_and_its_retries_counted(settings: Settings) -> None:
    run = Run("ontology_matching")
    with StubServer(first_candidate, faults=[rate_limited(after_ms=1), server_error()]) as server:
        match_ontologies(
            alpine(),
            refuge(),
            judge="model",
            settings=asked_of(server, settings).with_(width=1),
            run=run,
        )
    assert run.totals["retries"] == 2


def test_a_second_run_asks_the_model_and_the_embedder_nothing(settings: Settings) -> None:
    with StubServer(first_candidate) as server:
        asked = asked_of(server, settings)
        first = match_ontologies(alpine(), refuge(), judge="model", settings=asked)
        calls = len(server.requests)
        run = Run("ontology_matching")
        second = match_ontologies(alpine(), refuge(), judge="model", settings=asked, run=run)
        assert calls > 0 and len(server.requests) == calls
    assert second == first
    steps = {step["name"]: step for step in run.to_json()["steps"]}
    assert steps["store"]["counts"]["embedded"] == 0
    assert run.totals["calls"] == 0
    assert steps["validate"]["counts"]["from memory"] == run.totals["judgements"] > 0


def test_a_plan_that_cannot_be_used_is_said_and_the_match_goes_on(settings: Settings) -> None:
    with StubServer(lambda body: "I am done.") as server:
        alignment = match_ontologies(
            alpine(), refuge(), judge="rule", plan="model", settings=asked_of(server, settings)
        )
    assert pairs(alignment) >= RIGHT
    assert "planned as usual" in alignment.notes[0]


def test_our_own_ontologies_match_and_read_back_the_same(
    settings: Settings, tmp_path: Path
) -> None:
    alignment = kgnb.match_ontologies("huts:alpine", "huts:refuge", settings=settings)
    kgnb.save_alignment(alignment, tmp_path / "huts.sssom.tsv")
    assert kgnb.load_alignment(tmp_path / "huts.sssom.tsv").mappings == alignment.mappings
    assert len(alignment) >= 15


def test_a_colleague_without_key_or_server_replays_the_run(settings: Settings) -> None:
    with StubServer(first_candidate) as server:
        asked = asked_of(server, settings)
        first = match_ontologies(alpine(), refuge(), judge="model", settings=asked)
    assert (
        match_ontologies(alpine(), refuge(), judge="model", settings=asked.with_(replay="replay"))
        == first
    )
    fresh = asked.with_(replay="replay", cache=settings.cache / "empty")
    with pytest.raises(DataError, match="replay"):
        match_ontologies(alpine(), refuge(), judge="model", settings=fresh)


def many_classes(changed: int = 0) -> Ontology:
    """200 classes of made-up names, two levels deep; the last ``changed`` of them have another
    comment.
    """
    draw = random.Random(7)
    syllables = [one + other for one in "bdfgklmnprstvz" for other in "aeiou"]
    names = ["".join(draw.choices(syllables, k=4)).capitalize() for _ in range(200)]
    base = "http://many.example/a#"
    parent = {name: names[number % 10] for number, name in enumerate(names) if number >= 10}
    entities = [
        Entity(
            base + name,
            "class",
            comments=(
                Text(f"Said of {name}" + (" since the change" if number >= 200 - changed else "")),
            ),
            parents=(base + parent[name],) if name in parent else (),
        )
        for number, name in enumerate(names)
    ]
    return Ontology("many", base, f"many-{changed}", tuple(entities))


def twin(ontology: Ontology) -> Ontology:
    """The same classes under other IRIs, each called a bit differently."""
    base = "http://many.example/b#"
    renamed = tuple(
        replace(
            entity,
            iri=base + entity.local_name + "Thing",
            parents=tuple(base + parent.partition("#")[2] + "Thing" for parent in entity.parents),
        )
        for entity in ontology
    )
    return Ontology("twin", base, "twin", renamed)


def test_after_a_change_of_one_percent_only_what_changed_is_embedded_and_asked(
    settings: Settings,
) -> None:
    target = twin(many_classes())
    with StubServer(first_candidate) as server:
        asked = asked_of(server, settings)
        before, after = Run("ontology_matching"), Run("ontology_matching")
        match_ontologies(many_classes(), target, judge="model", settings=asked, run=before)
        first = len(server.requests)
        match_ontologies(many_classes(changed=2), target, judge="model", settings=asked, run=after)
        again = server.requests[first:]
    new, old = (many_classes(changed=2), many_classes())
    changed = {one.local_name for one, other in zip(new, old, strict=True) if one != other}
    assert len(changed) == 2
    steps = {step["name"]: step["counts"] for step in after.to_json()["steps"]}
    assert steps["store"]["embedded"] == 2 < steps["store"]["from cache"]
    # a changed text may also change who is a candidate of whom, so a few more questions than those
    # about it are new
    asked_again = steps["validate"]["questions"] - steps["validate"]["from memory"]
    assert 4 <= asked_again <= 0.1 * steps["validate"]["questions"]
    prompts = "\n".join(seen.prompt for seen in again)
    assert all(
        f"{name} (class) | means: Said of {name} since the change" in prompts for name in changed
    )
    assert len(again) <= 2 * math.ceil(asked_again / 8)  # each batch once, and one repair
    assert (
        len(again) < first / 10 + 2
    )  # a sheet holds one direction, so the last of each is not full


def test_what_a_person_decided_holds_for_a_pair_that_is_no_candidate(
    settings: Settings, tmp_path: Path
) -> None:
    source = many_classes()
    target = twin(source)
    one, other = list(source)[20].iri, list(target)[150].iri
    rows = [
        "subject_id\tpredicate_id\tobject_id\treviewer_label",
        f"{one}\tskos:exactMatch\t{other}\tAda",
    ]
    (tmp_path / "ada.sssom.tsv").write_text("\n".join(rows) + "\n")
    told: dict[str, Any] = {
        "options": kgnb.MatchOptions(k=1),
        "judge": "rule",
        "settings": settings,
    }
    assert (one, other) not in pairs(match_ontologies(source, target, **told))
    decided = match_ontologies(source, target, decisions=tmp_path / "ada.sssom.tsv", **told)
    assert (one, other) in pairs(decided)
