"""Hypothesis strategies for alignments."""

from dataclasses import replace

from hypothesis import strategies as st

from kgnb.mapping_files.plain import RELATIONS
from kgnb.mappings import Alignment, Dropped, Evidence, Mapping

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["", "\t", '"', "\r\n", " x "]
)
locals_ = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=8)
iris = st.builds(
    "{}{}".format,
    st.sampled_from(
        [
            "http://a.org/",
            "http://a.org/x#",
            "https://b.org/y/",
            "urn:z:",
            "http://www.w3.org/2002/07/owl#",
        ]
    ),
    locals_,
)
scores = st.floats(0, 1)
evidence = st.builds(
    Evidence, texts, texts, st.none() | st.floats(allow_nan=False, allow_infinity=False)
)
mappings = st.builds(
    Mapping,
    iris,
    iris,
    st.sampled_from(RELATIONS),
    scores,
    st.sampled_from(["class", "object property", "datatype property", "individual", "shape"]),
    texts,
    texts,
    st.sampled_from(["semapv:CompositeMatching", "semapv:LexicalMatching", "because", ""]),
    st.sampled_from(["", "rule", "model:x|y", "person", "person:ada"]),
    texts,
    st.lists(evidence, max_size=2).map(tuple),
    st.sampled_from(["", "source", "target", "both"]),
).map(lambda mapping: mapping if mapping.kind == "class" else replace(mapping, concepts=""))
alignments = st.builds(
    Alignment,
    st.lists(mappings, max_size=4).map(tuple),
    st.sampled_from(["", "http://a.org/x", "a name"]),
    st.sampled_from(["", "https://b.org/y/", "a\tname"]),
    st.lists(st.builds(Dropped, mappings, texts), max_size=2).map(tuple),
    st.lists(mappings, max_size=2).map(tuple),
    st.lists(texts, max_size=2).map(tuple),
)
