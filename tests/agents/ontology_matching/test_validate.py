from pathlib import Path

from kgnb.kg.terms import OWL, RDFS
from kgnb.tasks.matching import match_ontologies


def test_a_small_ontology_s_names_with_a_word_in_common_wait_for_a_person(tmp_path: Path) -> None:
    films, cinema = tmp_path / "films.ttl", tmp_path / "cinema.ttl"
    for file, ends, name in ((films, "Person", "date of birth"), (cinema, "Human", "birth date")):
        file.write_text(
            f"<http://{file.stem}/{ends}> a <{OWL}Class> . <http://{file.stem}/p> a <{OWL}DatatypeProperty> ; "
            f'<{RDFS}label> "{name}" ; <{RDFS}domain> <http://{file.stem}/{ends}> .\n'
        )
    found = match_ontologies(films, cinema, judge="rule", embedder="characters")
    assert not len(found)
    assert (
        "too little speaks for “birth date”"
        in {one.source_label: one.rationale for one in found.unsure}["date of birth"]
    )
