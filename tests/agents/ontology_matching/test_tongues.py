from pathlib import Path

import numpy as np

from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.tongues import centred_by_language, foreign, language, strangers
from kgnb.agents.ontology_matching.values import Description
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.kg.terms import OWL, RDFS
from kgnb.tasks.matching import match_ontologies


def described(*labels: str, name: str = "X_0000001") -> Description:
    """An entity with labels written as text@tag."""
    texts = tuple(Text(text, tag or None) for text, _, tag in (label.partition("@") for label in labels))
    one = Ontology("a", "", "1", (Entity(f"http://a.example/{name}", "class", labels=texts),))
    return retrieve(one, one).of("source")[0]


def test_entities_without_a_common_language_are_foreign() -> None:
    assert foreign(described("Hütte@de"), described("hut@en"))
    assert not foreign(described("Hütte@de", "hut"), described("hut@en"))
    assert not foreign(described("Hütte@de", name="MountainHut"), described("hut@en"))
    assert foreign(described("Berghütte@de", name="Berghütte"), described("hut@en"))


def test_ontologies_are_strangers_where_most_of_each_is_in_a_language_of_its_own() -> None:
    german, both = [described("Hütte@de"), described("See@de")], [described("hut@en", "Hütte@de"), described("lake@en")]
    assert strangers(german, [described("hut@en"), described("lake@en")])
    assert not strangers(german, both)
    assert language(german[0]) == "de"


def test_what_a_language_has_in_common_is_taken_out_of_its_vectors() -> None:
    rng = np.random.default_rng(0)
    said = rng.normal(size=(20, 8)).astype(np.float32)
    accent = np.eye(8, dtype=np.float32)[0] * 9
    there, back = said, said + accent
    own = centred_by_language([there, back], [["en"] * 20, ["de"] * 20])
    assert np.allclose(np.sum(own[0] * own[1], axis=1), 1.0, atol=1e-5)
    joint = centred_by_language([there, back], [[""] * 20, ["en"] * 20])
    assert np.all(np.sum(joint[0] * joint[1], axis=1) < 0.9)


TERMS = {
    "Person": "人", "Author": "作者", "Reviewer": "审稿人", "Conference": "会议", "Paper": "论文", "Abstract": "摘要",
    "Committee": "委员会", "Country": "国家", "University": "大学", "Poster": "海报", "Deadline": "截止日期",
}  # fmt: skip


def test_chinese_and_english_classes_find_each_other() -> None:
    """Under codes, without a model: what is found is right, and is about half of what there is."""

    def side(space: str, tag: str, names: list[str]) -> Ontology:
        entities = (
            Entity(f"{space}C_{n:04}", "class", labels=(Text(name, tag),), coded=True) for n, name in enumerate(names)
        )
        return Ontology(space, space, space, tuple(entities))

    sides = side("http://zh.example/", "zh", list(TERMS.values())), side("http://en.example/", "en", list(TERMS))
    found = match_ontologies(*sides, judge="rule", embedder="local")
    right = [m for m in found if m.source[-4:] == m.target[-4:]]
    assert len(right) >= 4 and len(right) >= 0.8 * len(found)


def test_names_in_another_language_wait_for_a_person_with_the_nearest(tmp_path: Path) -> None:
    shops = tmp_path / "a.ttl", tmp_path / "b.ttl"
    for file, names, tag in zip(
        shops, (("Kunde", "Rechnung", "Laden"), ("Customer", "Invoice")), ("@de", ""), strict=True
    ):
        said = (f'<http://{file.stem}/{name}> a <{OWL}Class> ; <{RDFS}label> "{name}"{tag} .\n' for name in names)
        file.write_text("".join(said))
    found = match_ontologies(*shops, judge="rule", embedder="characters")
    assert not len(found) and {one.source_label for one in found.unsure} == {"Kunde", "Rechnung", "Laden"}
    assert all("no word in common" in one.rationale and "no language" in one.rationale for one in found.unsure)
