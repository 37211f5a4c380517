from pathlib import Path

from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.kg.terms import OWL, RDFS
from kgnb.tasks.matching import match_ontologies

TERMS = {
    "Person": "人",
    "Author": "作者",
    "Reviewer": "审稿人",
    "Conference": "会议",
    "Paper": "论文",
    "Abstract": "摘要",
    "Committee": "委员会",
    "Country": "国家",
    "University": "大学",
    "Poster": "海报",
    "Deadline": "截止日期",
}


def test_chinese_and_english_classes_find_each_other() -> None:
    """Under codes, without a model: what is found is right, and is most of what there is."""

    def side(space: str, tag: str, names: list[str]) -> Ontology:
        entities = (
            Entity(f"{space}C_{n:04}", "class", labels=(Text(name, tag),), coded=True)
            for n, name in enumerate(names)
        )
        return Ontology(space, space, space, tuple(entities))

    sides = (
        side("http://zh.example/", "zh", list(TERMS.values())),
        side("http://en.example/", "en", list(TERMS)),
    )
    found = match_ontologies(*sides, judge="rule", embedder="local")
    right = [m for m in found if m.source[-4:] == m.target[-4:]]
    assert len(right) >= 7 and len(right) >= 0.8 * len(found)


def test_names_in_another_language_wait_for_a_person_with_the_nearest(tmp_path: Path) -> None:
    shops = tmp_path / "a.ttl", tmp_path / "b.ttl"
    for file, names, tag in zip(
        shops, (("Kunde", "Rechnung", "Laden"), ("Customer", "Invoice")), ("@de", ""), strict=True
    ):
        said = (
            f'<http://{file.stem}/{name}> a <{OWL}Class> ; <{RDFS}label> "{name}"{tag} .\n'
            for name in names
        )
        file.write_text("".join(said))
    found = match_ontologies(*shops, judge="rule", embedder="characters")
    assert not len(found) and {one.source_label for one in found.unsure} == {
        "Kunde",
        "Rechnung",
        "Laden",
    }
    assert all(
        "no word in common" in one.rationale and "no language" in one.rationale
        for one in found.unsure
    )
