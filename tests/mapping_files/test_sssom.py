"""SSSOM TSV: nothing is lost, others can read it, and sloppy files are read or refused with a line."""

from pathlib import Path

import pytest
import sssom_pydantic
from hypothesis import given, settings

from kgnb.errors import DataError
from kgnb.mapping_files import save, sssom
from kgnb.mappings import Alignment, Mapping
from tests.mapping_files.strategies import alignments

pytestmark = pytest.mark.fault("bad alignment files")

MINIMAL = """#curie_map:
#  a: http://a.org/
#  b: http://b.org/
subject_id\tpredicate_id\tobject_id\tmapping_justification
a:Hut\tskos:exactMatch\tb:Refuge\tsemapv:LexicalMatching
"""


def read(text: str) -> Alignment:
    return sssom.read(text.encode(), "huts.sssom.tsv")


@given(alignments)
@settings(deadline=None, max_examples=60)
def test_reads_back_exactly_what_it_wrote(alignment: Alignment) -> None:
    assert read(sssom.write(alignment)) == alignment


def test_sssom_pydantic_reads_every_row_and_slot(full: Alignment, tmp_path: Path) -> None:
    path = save(full, tmp_path / "huts.sssom.tsv")
    mappings, converter, mapping_set, errors = sssom_pydantic.read(path, return_errors=True)
    assert errors == []
    assert len(mappings) == len(full)
    assert str(mapping_set.license) == sssom.UNSPECIFIED_LICENSE
    for theirs, ours in zip(mappings, full, strict=True):
        assert converter.expand(theirs.subject.curie) == ours.source
        assert converter.expand(theirs.object.curie) == ours.target
        assert theirs.confidence == ours.confidence
    first, rescue, place, trail = mappings[:4]
    assert (first.predicate.curie, first.justification.curie) == (
        "owl:equivalentClass",
        "semapv:CompositeMatching",
    )
    assert (first.subject.name, first.object.name) == ("Hut", "refuge de montagne")
    assert first.mapping_tool.name == "rule"
    assert first.extensions["kgnb_evidence"].value.startswith('[["exact label"')
    assert (rescue.predicate.curie, place.predicate.curie) == (
        "skos:broadMatch",
        "skos:narrowMatch",
    )
    assert (trail.predicate.curie, trail.predicate_modifier) == ("skos:exactMatch", "Not")
    raw = sssom_pydantic.read_unprocessed(path).records[3]
    assert (raw.reviewer_label, raw.mapping_tool) == (["person:ada"], None)


@pytest.mark.parametrize(
    "text",
    [
        MINIMAL.replace("\n", "\r\n"),
        "\ufeff" + MINIMAL,
        MINIMAL.replace("#", "# "),
        MINIMAL + "\n\n",
    ],
)
def test_line_ends_marks_and_spaces_do_not_matter(text: str) -> None:
    assert read(text) == read(MINIMAL)


def test_header_slots_hold_for_every_row() -> None:
    text = (
        "#subject_type: owl data property\n#mapping_tool: theirs\n#subject_source: a:huts\n"
        + MINIMAL
    )
    alignment = read(text)
    assert (alignment.mappings[0].kind, alignment.mappings[0].judged_by) == (
        "datatype property",
        "theirs",
    )
    assert alignment.source == "http://a.org/huts"


def test_rows_that_say_there_is_no_match_are_counted_not_read() -> None:
    text = MINIMAL + "a:Spa\tskos:exactMatch\tsssom:NoTermFound\tsemapv:ManualMappingCuration\n"
    alignment = read(text)
    assert len(alignment) == 1
    assert alignment.notes == ("1 row left out: they say that there is no match",)


def test_denied_equivalence_is_different_and_other_denials_are_left_out() -> None:
    head = MINIMAL.replace(
        "mapping_justification\n", "mapping_justification\tpredicate_modifier\n"
    ).splitlines()[:4]
    rows = [
        "a:Hut\tskos:exactMatch\tb:Spa\tsemapv:X\tNot",
        "a:Hut\tskos:broadMatch\tb:Spa\tsemapv:X\tNot",
    ]
    alignment = read("\n".join([*head, *rows]))
    assert [mapping.relation for mapping in alignment] == ["different"]
    assert alignment.notes == ("1 row left out: they deny a relation other than equivalence",)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        (MINIMAL.replace("b:Refuge", "c:Refuge"), "huts.sssom.tsv:5", "prefix of 'c:Refuge'"),
        ("a\tb\n1\t2\n", "huts.sssom.tsv:1", "no column subject_id, predicate_id, object_id"),
        (
            MINIMAL.replace("semapv:Lex", '"semapv:Lex'),
            "huts.sssom.tsv:5",
            "quoted field is malformed",
        ),
        (
            MINIMAL.replace("Matching\n", "Matching\tmore\n"),
            "huts.sssom.tsv:5",
            "5 fields, the table 4 columns",
        ),
        ("#curie_map: [\n" + MINIMAL, "huts.sssom.tsv:", "header is not YAML"),
        ("#- a list\n" + MINIMAL.split("\n", 3)[3], "huts.sssom.tsv:1", "no slots"),
        ("#a: &a [1]\n#mapping_tool: *a\n" + MINIMAL, "huts.sssom.tsv:1", "unfold to any length"),
        ("#curie_map: 3\n" + MINIMAL.split("\n", 3)[3], "huts.sssom.tsv", "curie_map is not a map"),
        ("#kgnb_dropped: 3\n" + MINIMAL, "huts.sssom.tsv", "not a list of texts"),
        ("#kgnb_unsure: ['{']\n" + MINIMAL, "huts.sssom.tsv", "Invalid JSON"),
        ("#kgnb_dropped: ['{}']\n" + MINIMAL, "huts.sssom.tsv", "mapping: Field required"),
    ],
)
def test_a_malformed_file_is_named_with_its_line(text: str, where: str, what: str) -> None:
    with pytest.raises(DataError) as refused:
        read(text)
    assert refused.value.where.startswith(where)
    assert what in refused.value.what
    assert refused.value.fix


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("skos:exactMatch", "owl:imports", "the predicate 'owl:imports' is unknown"),
        ("skos:exactMatch", "semapv:crossSpeciesExactMatch", "CrossSpecies"),
        ("b:Refuge", "", "the row has no object_id"),
    ],
)
@pytest.mark.parametrize("others", [0, 2])
def test_an_odd_row_costs_that_row_and_is_counted(
    old: str, new: str, why: str, others: int
) -> None:
    good = MINIMAL.splitlines()[-1] + "\n"
    alignment = read(MINIMAL.replace(old, new) + good * others)
    assert len(alignment) == others
    assert alignment.notes[0].startswith("1 row left out (line 5): ")
    assert why.lower() in alignment.notes[0].lower()


@pytest.mark.parametrize("confidence", ["1.5", "-1", "nan", "high", "1e400"])
def test_a_confidence_out_of_bounds_costs_its_row(confidence: str) -> None:
    text = (
        MINIMAL.replace("mapping_justification\n", "mapping_justification\tconfidence\n").rstrip()
        + f"\t{confidence}\n"
    )
    alignment = read(text)
    assert not len(alignment) and "confidence" in alignment.notes[0]


def test_bytes_that_are_no_text_are_refused_with_their_line() -> None:
    with pytest.raises(DataError) as refused:
        sssom.read(MINIMAL.encode() + b"\xff\xfe", "huts.sssom.tsv")
    assert refused.value.where == "huts.sssom.tsv:6"


def test_what_is_no_absolute_iri_has_no_place_in_the_table() -> None:
    with pytest.raises(ValueError, match="not an absolute IRI"):
        sssom.write(Alignment((Mapping("Hut", "http://b.org/Refuge"),)))
