import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from kgnb.agents.kg_construction.arguments import read_arguments
from tests.agents.kg_construction.kitchen import kitchen, opened, pack_of

PACK = kitchen()
SESSION = opened(PACK)
SOUP = SESSION.call("create_soup", {"label": "Barley"}).iri
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 120),
    st.floats(-5, 5),
    st.text(max_size=5),
    st.sampled_from(
        [SOUP, "easy", "starter", "degree Celsius", "C", "2024-05-31", "2024-13-01", "en"]
    ),
    st.lists(st.integers(), max_size=2),
)


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(PACK.tools), st.data())
def test_what_is_accepted_fits_the_lossless_schema(tool, data) -> None:
    names = [*tool.input_schema["properties"], "surprise"]
    given_ = data.draw(st.dictionaries(st.sampled_from(names), VALUES, max_size=4))
    read = read_arguments(tool, given_, SESSION)
    said = {name: value for name, value in given_.items() if value is not None}
    if not read.refusals:
        jsonschema.validate(said, tool.input_schema)
    elif not jsonschema.Draft202012Validator(tool.input_schema).is_valid(said):
        violations = SESSION.refused(tool, read.refusals).violations
        assert all(violation.hint and violation.constraint for violation in violations)


def test_a_wide_range_takes_the_narrowest_datatype_that_fits_and_language_strings_need_a_language() -> (
    None
):
    session = opened(
        pack_of(
            ":A a owl:Class . :q a owl:DatatypeProperty ; rdfs:domain :A ; rdfs:range rdf:langString . "
            ":p a owl:DatatypeProperty ; rdfs:domain :A ; "
            "rdfs:range [ a rdfs:Datatype ; owl:unionOf ( xsd:string xsd:integer xsd:date ) ] ."
        )
    )
    iri = session.call("create_a", {"label": "one"}).iri
    for value in (4, "2024-05-31", "soon"):
        assert session.call("add_p", {"subject": iri, "value": value}).ok
    kinds = {
        str(o.datatype).rsplit("#")[-1]
        for p, o in session.graph.predicate_objects()
        if str(p).endswith("#p")
    }
    assert kinds == {"integer", "date", "None"}
    assert "language" in session.call("add_q", {"subject": iri, "value": "Hut"}).violations[0].hint
    assert session.call("add_q", {"subject": iri, "value": "Hut", "language": "en"}).ok
