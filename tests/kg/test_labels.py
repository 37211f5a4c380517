"""Readable names."""

import unicodedata
from pathlib import Path
from urllib.parse import unquote

import rdflib
from hypothesis import given
from hypothesis import strategies as st

import kgnb
from kgnb.kg.labels import choose_label, is_code, readable, readable_name, shorten
from kgnb.kg.loading import load
from kgnb.kg.ontology import Entity, Text
from kgnb.kg.oxigraph_graph import OxigraphGraph

CODES = """MA_0000270 C12345 NCI_C12345 Q42 P31 GO:0008150 IAO_0000115 FBbt_00000001 genid6381 12345 UBERON_0002113
    EMMO_967080e5_2f42_4eb2_a3a9_c58143e835f9 967080e5-2f42-4eb2-a3a9-c58143e835f9 RBxyzAbcdEf1Gh2Ijk3Lmn4
    d41d8cd98f00b204e9800998ecf8427e"""
NAMES = """Paper hasAuthor H2O CO2 Meta-Reviewer Year2020 Review_2020 A1C Track2 会议 عضو_اللجنة defaced Vitamin_B12"""
READABLE = {
    "hasPCMember": "has PC member",
    "ConferenceMember": "Conference member",
    "Barack_Obama": "Barack Obama",
    "camera_ready_paper": "camera ready paper",
    "is-part-of": "is part of",
    "E-mail": "E-mail",
    "3DModel": "3D model",
    "CO2Level": "CO2 level",
    "Track2": "Track 2",
    "hasURL": "has URL",
    "gehörtZuÄmtern": "gehört zu ämtern",
    "会议论文": "会议论文",
    "عضو_اللجنة": "عضو اللجنة",
    "%C3%89cole_primaire": "École primaire",
    "": "",
    "_": "_",
}


def test_tells_codes_from_names() -> None:
    for code in CODES.split():
        assert is_code(code) and readable_name(code) == code, code
    assert not [name for name in NAMES.split() if is_code(name)]


def test_splits_names_into_words() -> None:
    assert {name: readable_name(name) for name in READABLE} == READABLE


@given(st.text(st.characters(exclude_characters="%", exclude_categories=["Cs"]), max_size=30))
def test_never_loses_a_letter(name: str) -> None:
    def letters(text: str) -> str:
        return "".join(
            c for c in unicodedata.normalize("NFC", unquote(text)).casefold() if c.isalnum()
        )

    assert letters(readable_name(name)) == letters(name)


LABELS = (
    Text("Hütte", "de"),
    Text("hut", "en"),
    Text("shelter", "en-US"),
    Text("capanna", "it"),
    Text("bare"),
)


def test_chooses_a_label_by_language_and_prefers_names_to_codes() -> None:
    for languages, chosen in {
        ("en",): "hut",
        ("de", "en"): "Hütte",
        ("DE",): "Hütte",
        ("en-US",): "shelter",
        ("en-GB",): "hut",
        ("fr", "it"): "capanna",
        ("fr",): "bare",
        (): "bare",
    }.items():
        label = choose_label(LABELS, languages)
        assert label is not None and label.text == chosen
        assert choose_label(reversed(LABELS), languages) == label
    assert choose_label((Text("MA_0000270", "en"), Text("Augapfel", "de"), Text("  "))) == Text(
        "Augapfel", "de"
    )
    assert choose_label((Text(" "),)) is None


def test_an_entity_has_a_readable_name() -> None:
    for entity, name in (
        (
            Entity(
                "http://h.example/o#MountainHut", "class", labels=(Text("mountain\n hut", "en"),)
            ),
            "mountain hut",
        ),
        (
            Entity("http://h.example/o#MountainHut", "class", labels=(Text("H_0001"),)),
            "Mountain hut",
        ),
        (Entity("http://h.example/o/MountainHut/", "class"), "Mountain hut"),
        (Entity("http://h.example/H_0001", "class", synonyms=(Text("hut"),)), "hut"),
        (Entity("http://h.example/H_0001", "class"), "H_0001"),
        (Entity("http://h.example/H_0001", "class", labels=(Text("H_0001x9"),)), "H_0001x9"),
        (Entity("urn:h:Mountain%20hut", "class"), "Mountain hut"),
    ):
        assert readable(entity) == name


def test_shortens_iris_only_where_they_can_be_read_back() -> None:
    owl = "http://www.w3.org/2002/07/owl#Class"
    assert shorten(owl) == "owl:Class"
    assert shorten(owl, {"owl": "urn:mine:"}) == owl
    assert shorten("http://xmlns.com/foaf/0.1/a/b") == "http://xmlns.com/foaf/0.1/a/b"
    assert shorten("http://x/a b", {"x": "http://x/"}) == "http://x/a b"
    assert shorten("http://x/y#z", {"x": "http://x/", "y": "http://x/y#"}) == "y:z"
    assert shorten("http://x/y-z", {"y": "http://x/y-", "x": "http://x/"}) == "y:z"
    assert shorten("http://x/", [("x", "http://x/")]) == "x:"


XL = """@prefix : <http://boats.example/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
:c1 a skos:Concept ; xl:prefLabel :l1 ; xl:altLabel [ xl:literalForm "skiff"@en ] .
:l1 a xl:Label ; xl:literalForm "rowing boat"@en .
"""


def test_labels_that_are_nodes_are_found_by_every_reader_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "boats.ttl").write_text(XL)
    report = load(graph := OxigraphGraph(), tmp_path / "boats.ttl")
    assert [(one.count, "SKOS-XL" in one.kind) for one in report.mended] == [(2, True)]
    skos = "http://www.w3.org/2004/02/skos/core#"
    assert graph.ask(
        f'ASK {{ ?s <{skos}prefLabel> "rowing boat"@en ; <{skos}altLabel> "skiff"@en }}'
    )
    found = kgnb.query(graph, "SELECT ?s { ?s a skos:Concept }", labels="en")
    assert "rowing boat" in str(found)
    answer = kgnb.answer_question("What is the rowing boat?", graph, embedder="characters")
    assert "rowing boat" in str(answer)
    theirs = kgnb.query(
        rdflib.Graph().parse(data=XL, format="turtle"),
        "SELECT ?s { ?s a skos:Concept }",
        labels="en",
    )
    assert "rowing boat" in str(theirs)
