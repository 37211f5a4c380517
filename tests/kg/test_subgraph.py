"""A neighbourhood read from a service that fails, breaks off and refuses too much."""

from pathlib import Path

import pyoxigraph
import pytest

from kgnb.backends import open_graph
from kgnb.errors import BackendError, DataError
from kgnb.kg.graph import Solutions
from kgnb.kg.subgraph import Wanted, read_subgraph
from kgnb.kg.terms import Iri

N = "http://valley.example/"
CHAIN = (
    f"@prefix : <{N}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
    + "".join(
        f':a{at} :next :a{at + 1} ; rdfs:label "thing {at}"@en, "Ding {at}"@de . '
        for at in range(9)
    )
    + ':next rdfs:label "next" . :a0 :note "x" ; :with [ :next :a1 ] ; '
    + "; ".join(f":many :m{at}" for at in range(45))
    + " ."
)


class Shy:
    """A graph that fails from the query ``dies`` on, and refuses more than ``bears`` entities."""

    def __init__(self, file: Path, dies: int = 10_000, bears: int = 100) -> None:
        self.inner, self.name = open_graph(file), "shy"
        self.left, self.bears, self.asked = dies, bears, list[str]()

    def select(self, query: str, *, limit: int | None = None, **more: object) -> Solutions:
        self.left -= 1
        self.asked.append(query)
        if self.left < 0 or query.partition("}")[0].count(f"<{N}") > self.bears:
            raise BackendError("it took too long", service="shy")
        return self.inner.select(query, limit=limit)


def triples(file: Path) -> set[str]:
    store = pyoxigraph.Store()
    store.load(path=file, format=pyoxigraph.RdfFormat.N_TRIPLES)
    return {str(quad.triple) for quad in store}


LATER = '{"run": RUN}\n{"bytes": 1000000000}\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "chain.ttl"
    file.write_text(CHAIN)
    return file


def test_it_reads_as_far_as_said_and_names_what_it_meets(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "near.nt"
    found = read_subgraph(Shy(source), [Iri(f"{N}a0")], out, hops=2)  # type: ignore[arg-type]
    text = out.read_text()
    assert f"<{N}a1> <{N}next> <{N}a2>" in text and f"<{N}a2> <{N}next>" not in text
    assert '"thing 2"@en' in text and "Ding" not in text and f"<{N}next> <http" in text
    assert (found.blank, found.failed, found.triples) == (1, [], len(triples(out)))
    assert not out.with_name("near.nt.progress").exists()
    with pytest.raises(DataError, match="there already"):
        read_subgraph(Shy(source), [Iri(f"{N}a0")], out, hops=2)  # type: ignore[arg-type]


def test_a_run_that_broke_off_goes_on_and_ends_with_the_same_file(
    source: Path, tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole.nt", tmp_path / "broken.nt"
    read_subgraph(Shy(source), [Iri(f"{N}a0")], whole)  # type: ignore[arg-type]
    for dies in (2, 3):
        with pytest.raises(BackendError, match="could be read"):
            read_subgraph(Shy(source, dies), [Iri(f"{N}a0")], broken)  # type: ignore[arg-type]
        with broken.open("a") as file:
            file.write("<http://cut off")  # written, but never noted
    last = Shy(source)
    read_subgraph(last, [Iri(f"{N}a0")], broken)  # type: ignore[arg-type]
    assert broken.read_bytes() == whole.read_bytes()
    assert not any(f"{{ <{N}a0> }}" in query for query in last.asked)


def test_what_is_too_much_for_a_service_is_asked_in_smaller_parts(
    source: Path, tmp_path: Path
) -> None:
    whole, shy = tmp_path / "whole.nt", tmp_path / "shy.nt"
    read_subgraph(Shy(source), [Iri(f"{N}a0")], whole)  # type: ignore[arg-type]
    found = read_subgraph(Shy(source, bears=3), [Iri(f"{N}a0")], shy)  # type: ignore[arg-type]
    assert triples(shy) == triples(whole) and not found.failed


def test_what_was_cut_is_said_and_only_wanted_relations_are_read(
    source: Path, tmp_path: Path
) -> None:
    cut = read_subgraph(
        Shy(source),
        [Iri(f"{N}a0")],
        tmp_path / "a.nt",
        hops=1,
        wanted=Wanted(most=5),  # type: ignore[arg-type]
    )
    assert cut.cut == [f"{N}a0"]
    out = tmp_path / "b.nt"
    read_subgraph(
        Shy(source),
        [Iri(f"{N}a0")],
        out,
        hops=1,
        wanted=Wanted(only=(f"{N}next",)),  # type: ignore[arg-type]
    )
    assert f"{N}next" in out.read_text() and f"{N}many" not in out.read_text()


@pytest.mark.fault("finished work is damaged")
@pytest.mark.parametrize(
    "progress",
    ["", "{}\n", '{"run": "another"}\n', "[]\n{}\n", '{"run": RUN}\n{"bytes": -1}\n', LATER],
)
def test_a_finished_file_is_not_emptied_for_a_progress_that_is_not_its_own(
    progress: str, source: Path, tmp_path: Path
) -> None:
    out = tmp_path / "near.nt"
    with pytest.raises(BackendError, match="could be read"):
        read_subgraph(Shy(source, 3), [Iri(f"{N}a0")], out)  # type: ignore[arg-type]
    note = out.with_name("near.nt.progress")
    run = note.read_text().partition("\n")[0]
    kept = out.read_bytes()
    assert kept
    note.write_text(progress.replace('{"run": RUN}', run))
    with pytest.raises(DataError):
        read_subgraph(Shy(source), [Iri(f"{N}a0")], out)  # type: ignore[arg-type]
    assert out.read_bytes() == kept
