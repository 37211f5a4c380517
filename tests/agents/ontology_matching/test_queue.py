"""Small vocabularies without a model: a short queue for a person, best first."""

from __future__ import annotations

from kgnb.kg.ontology import Entity, Kind, Ontology, Text
from kgnb.mapping_files import sssom
from kgnb.tasks.matching import match_ontologies

ONE = """landing page, media type, byte size, theme taxonomy, access service, end point, frequency, keyword,
spatial box, checksum, distribution, catalogue entry, contact, version note, status, qualified relation, packaging,
compression, start date, end date, served data, theme, release, series member, query form, licence text""".split(
    ","
)
TWO = """provenance, audience, mediator, type of media, extent, size in bytes, rights holder, accrual method, page
number, date accepted, has part, period, coverage, abstract, language, tables, replaces, conforms, bibliographic note,
education level, format, medium, references, source, title, valid until""".split(",")


def vocabulary(name: str, names: list[str], kind: Kind) -> Ontology:
    iri = f"http://{name}.example/"
    entities = tuple(
        Entity(
            f"{iri}T_{number:04}", kind, labels=(Text(" ".join(text.split()), "en"),), coded=True
        )
        for number, text in enumerate(names)
    )
    return Ontology(name, iri, name, entities)


def test_the_queue_is_short_best_first_and_the_rest_is_counted() -> None:
    found = match_ontologies(
        vocabulary("one", ONE, "datatype property"),
        vocabulary("two", TWO, "datatype property"),
        judge="rule",
        embedder="local",
    )
    assert 0 < len(found.unsure) <= 20
    best = {(one.source_label, one.target_label) for one in (*found, *found.unsure[:5])}
    assert {("media type", "type of media"), ("byte size", "size in bytes")} <= best
    assert any("without a likely counterpart" in note for note in found.notes)
    text = sssom.write(found)
    assert text.count('#- "{') >= len(found.unsure)
    screen = sssom.for_screen(text)
    assert '#- "{' not in screen
    assert screen.count("\n") < 25 + len(found)
