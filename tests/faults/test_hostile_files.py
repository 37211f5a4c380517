"""One small file neither ends the process nor keeps it busy: it is read, or refused with file and
line.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgnb.errors import DataError
from kgnb.kg.loading import load, read_quads
from kgnb.kg.oxigraph_graph import OxigraphGraph
from tests.faults.cpu import within
from tests.faults.hostile_text import NESTED, PREFIX, RDF, REPEATED, nested, repetition
from tests.faults.tries import WHOLE

pytestmark = pytest.mark.fault("small files that kill or hang a reader")

SECONDS = 10


def read(path: Path) -> int:
    with within(SECONDS):
        return len(read_quads(path)[0])


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


READ_DEEP = ("collection.ttl", "blank.ttl")  # level by level


def test_what_nests_too_deep_is_read_or_refused_with_the_line_and_honest_nesting_is_read(
    tmp_path: Path, record_property: Any
) -> None:
    for name in NESTED:
        path = write(tmp_path, name, nested(name, 100_000 if name in READ_DEEP else 1_000_000))
        try:
            assert read(path) > 0
            assert name in READ_DEEP, name
        except DataError as error:
            assert "nest deeper than" in error.what and str(path) in error.where
            assert error.where.endswith(f":{1 if not name.endswith('ttl') else 2}"), name
        read(
            write(
                tmp_path,
                name,
                nested(name, 60 if name in ("quoted.ttl", "quoted.nt", "reified.ttl") else 900),
            )
        )
    record_property("tries", 2 * len(NESTED))


@pytest.mark.parametrize(
    ("name", "read_so_deep", "refused_so_deep"),
    [
        ("elements.owl", 4_990, 5_010),  # two elements each
        ("objects.jsonld", 990, 1_010),
        ("quoted.ttl", 99, 101),
        ("reified.ttl", 99, 101),
    ],
)
def test_the_limits_of_nesting_are_those_that_are_promised(
    name: str, read_so_deep: int, refused_so_deep: int, tmp_path: Path
) -> None:
    assert read(write(tmp_path, name, nested(name, read_so_deep))) > 0
    with pytest.raises(DataError, match="nest deeper than"):
        read(write(tmp_path, name, nested(name, refused_so_deep)))


@pytest.mark.parametrize("suffix", [".owl", ".ttl"])
def test_a_unit_that_repeats_costs_no_more_than_its_length(
    tmp_path: Path, suffix: str, record_property: Any
) -> None:
    heads = ("", RDF, '<?xml version="1.0"?>\n')
    for unit in REPEATED:
        for head in heads:
            path = write(tmp_path, f"a{suffix}", head + unit * (400_000 // len(unit)))
            with pytest.raises(DataError):
                read(path)
    record_property("tries", len(REPEATED) * len(heads))


def test_random_repetitions_are_read_or_refused(tmp_path: Path, record_property: Any) -> None:
    for seed in range(60):
        suffix, text = repetition(seed)
        try:
            read(write(tmp_path, f"a{suffix}", text))
        except DataError as error:
            assert "a" + suffix in error.where
    record_property("tries", 60)


def test_comments_after_the_root_do_not_double_the_work_each(tmp_path: Path) -> None:
    body = (
        f'{RDF}<rdf:Description rdf:about="urn:a"><h:p>x</h:p></rdf:Description></rdf:RDF>'
        + "<!---->" * 5_000
    )
    assert read(write(tmp_path, "a.owl", body)) == 1
    with pytest.raises(DataError):
        read(write(tmp_path, "b.owl", body + "x"))


def test_entities_are_found_behind_a_long_comment(tmp_path: Path, record_property: Any) -> None:
    layers = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    laughs = f'r [<!ENTITY l0 "ha">{layers}]>{RDF}<h:D><h:p>&l11;</h:p></h:D></rdf:RDF>'
    for doctype in ("<!DOCTYPE", "<!doctype"):
        with pytest.raises(DataError, match="grow without bounds"):
            read(write(tmp_path, "laughs.owl", f"<!--{'x' * 100_000}-->{doctype} {laughs}"))
    record_property("tries", 2)


@pytest.mark.parametrize(
    ("name", "head", "tail"),
    [
        ("a.ttl", f'{PREFIX}:a :b "c" .\n:a :b """', '""" .'),
        ("a.nt", '<urn:a> <urn:b> "c" .\n\n<urn:a> <urn:b> "', '" .\n'),
    ],
)
def test_a_literal_longer_than_the_parser_holds_is_named_with_its_line(
    tmp_path: Path, name: str, head: str, tail: str
) -> None:
    graph = OxigraphGraph()
    with pytest.raises(DataError, match="longer than 16 MiB") as caught:
        load(graph, write(tmp_path, name, head + "x" * (17 << 20) + tail))
    assert caught.value.where.endswith(f"{name}:3")
    assert graph.count() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on addresses is Linux's")
def test_a_small_file_is_read_with_little_address_space(tmp_path: Path) -> None:
    path = write(tmp_path, "a.ttl", f"{PREFIX}:a :b :c .")
    script = (
        "import resource, sys; from kgnb.kg.loading import read_quads;"
        "from pathlib import Path; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30));"
        "print(len(read_quads(Path(sys.argv[1]))[0]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False
    )
    assert (run.stdout.strip(), run.returncode) == ("1", 0), run.stderr


# ------------------------------------------------------------------------------------------------
# large files


MANY = 1_000_000 if WHOLE else 100_000

READ = """
import resource, sys, time
from collections import Counter
from pathlib import Path
from kgnb.errors import DataError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
graph = OxigraphGraph()
try:
    load(graph, sys.argv[1])
    said = f"read {graph.count()}"
except DataError as error:
    said = "refused " + error.what.rpartition(": ")[2][:60]
print(said, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10, sep="|")
"""


def long_literal(path: Path) -> None:
    path.write_text(f'{PREFIX}:a :b "{"x" * (100 << 20)}" .')


def deep_collection(path: Path) -> None:
    path.write_text(f"{PREFIX}:a :b {'(' * MANY}{')' * MANY} .")


def long_collection(path: Path) -> None:
    path.write_text(f"{PREFIX}:a :b ({' :c' * MANY} ) .")


def tiny_triples(path: Path) -> None:
    with path.open("w") as out:
        for number in range(MANY):
            out.write(f"<a:s{number}> <a:p> <a:o{number % 1000}> .\n")


CASES: dict[
    str, tuple[Callable[[Path], None], str, int]
] = {  # writes it, what must be said, MB a million units may take
    "long.ttl": (long_literal, "refused a single term", 1_500),
    "deep.ttl": (deep_collection, "read", 3_000),
    "collection.ttl": (long_collection, "read", 3_000),
    "tiny.nt": (tiny_triples, "read", 2_000),
}


@pytest.mark.fault("large files, bounded memory")
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit on addresses is Linux's")
@pytest.mark.parametrize("name", CASES if WHOLE else [name for name in CASES if name != "long.ttl"])
def test_it_is_read_or_refused_within_its_memory(tmp_path: Path, name: str) -> None:
    write, wanted, most = CASES[name]
    path = tmp_path / name
    write(path)
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    said, _, grown = done.stdout.strip().partition("|")
    print(f"{name}: {said}, {grown} MB")
    assert said.startswith(wanted)
    assert int(grown) <= (most if WHOLE else most // 5)


@pytest.mark.fault("large files, bounded memory")
@pytest.mark.skipif(sys.platform != "linux", reason="the limit on addresses is Linux's")
def test_a_table_takes_what_its_triples_cost_in_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    rows = (
        f"{at},Hut {at * 7919 % 99991} of the hills,Town {at % 977},Street {at % 9999},"
        f"{1900 + at % 120},{at / 100},a note on hut {at * 31 % 99991} written twice,+43 {at * 13}\n"
        for at in range(28_000)
    )
    path.write_text("id,name,city,street,year,price,note,phone\n" + "".join(rows))
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=False
    )
    said, _, grown = done.stdout.strip().partition("|")
    assert said.startswith("read"), done.stderr[-500:]
    assert int(grown) <= 60 * path.stat().st_size / 1e6
