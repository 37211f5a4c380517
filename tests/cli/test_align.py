import csv
import json
import re
from pathlib import Path

import pytest

HUTS = Path(__file__).parents[2] / "data" / "huts"
NAMES = [
    "Adler",
    "Birke",
    "Dachs",
    "Eiche",
    "Falke",
    "Gams",
    "Hirsch",
    "Igel",
    "Kiebitz",
    "Luchs",
    "Marder",
    "Natter",
]


@pytest.fixture
def sample(tmp_path):
    """A folder in the layout of SRPRS: twelve entities a side in a ring, raw IRIs with commas and
    quotes.
    """
    folder = tmp_path / "sample"
    folder.mkdir()
    ends = range(len(NAMES))
    iris = [f'http://left.example/resource/{name},_der_"Erste"_(1)' for name in NAMES]
    others = [f"http://right.example/resource/{name}e" for name in NAMES]
    files = {
        "ent_ids_1": [f"{at}\t{iri}" for at, iri in enumerate(iris)],
        "ent_ids_2": [f"{at + 100}\t{iri}" for at, iri in enumerate(others)],
        "triples_1": [f"{at}\t0\t{(at + 1) % 12}" for at in ends],
        "triples_2": [f"{at + 100}\t9\t{(at + 1) % 12 + 100}" for at in ends],
        "sup_ent_ids": [f"{at}\t{at + 100}" for at in ends if at < 4],
        "ref_ent_ids": [f"{at}\t{at + 100}" for at in ends],
    }
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return folder, iris, others


def rows(file):
    return [line.split("\t") for line in Path(file).read_text(encoding="utf-8").splitlines()]


def test_a_folder_gives_pairs_and_a_ranking_over_its_tests(kgnb, sample, tmp_path):
    folder, iris, others = sample
    out, ranking = tmp_path / "out.txt", tmp_path / "ranking.tsv"
    said = kgnb(
        "align", str(folder), "--seeds", "folder", "--out", str(out), "--ranking", str(ranking)
    )
    assert said.status == 0, said.err
    found = rows(out)
    assert all(len(row) == 3 and 0 <= float(row[2]) <= 1 for row in found)
    assert {row[0] for row in found} <= set(iris)
    ranked = rows(ranking)
    assert {row[0] for row in ranked} == set(iris[4:])
    assert {row[2] for row in ranked} <= set(others[4:])
    for source in iris[4:]:
        mine = [row for row in ranked if row[0] == source]
        assert [int(row[1]) for row in mine] == list(range(1, len(mine) + 1)) and len(mine) <= 10
        scores = [float(row[3]) for row in mine]
        assert scores == sorted(scores, reverse=True)
    assert (
        "Hits@1" in said.err
        and "4 seeds (33%)" in said.err
        and "model tokens an entity" in said.err
    )
    # the universe may be all entities
    words = ("--seeds", "none", "--universe", "all", "--ranking", str(ranking), "-q")
    said = kgnb("align", str(folder), *words)
    assert (said.status, said.err) == (0, "") and len(said.out.splitlines()) >= 8
    assert {row[0] for row in rows(ranking)} == set(iris[4:])


def test_names_are_hidden_or_taken_from_a_file(kgnb, sample, tmp_path):
    folder, iris, others = sample
    names = tmp_path / "names.json"
    names.write_text(
        json.dumps({**dict(zip(iris, NAMES, strict=True)), **dict(zip(others, NAMES, strict=True))})
    )
    given = kgnb("align", str(folder), "--seeds", "none", "--names", str(names))
    assert "Hits@1 100.00%" in given.err
    hidden = kgnb("align", str(folder), "--seeds", "none", "--names", "hidden")
    assert hidden.status == 0 and "Hits@1 100.00%" not in hidden.err


def test_two_files_give_every_format(kgnb, tmp_path):
    outs = [tmp_path / name for name in ("a.txt", "a.ttl", "a.rdf", "a.sssom.tsv", "a.tsv")]
    words = [word for out in outs for word in ("--out", str(out))]
    measured = ("--reference", "huts:entity-reference", "--confidence", "0")
    said = kgnb("align", "huts:hollenmark", str(HUTS / "corvane.ttl"), *measured, *words)
    assert said.status == 0 and "left unmatched" in said.err and "F1" in said.err
    assert "of entities that are not in the reference: not scored" in said.err
    assert (
        "owl:sameAs" in outs[1].read_text()
        and "http://huts.example/corvane/fiche-" in outs[0].read_text()
    )
    assert "subject_id" in outs[3].read_text() and all(out.stat().st_size > 10_000 for out in outs)
    assert outs[3].read_text() == outs[4].read_text()
    assert "%ea" not in said.err and "mean confidence" not in said.err
    again = kgnb("align", *OURS, "--judge", "first", "--seeds", str(outs[4]))
    assert again.status == 0, again.err


def test_a_simulation_says_so(kgnb):
    words = ("--judge", "oracle", "--reference", "huts:entity-reference", "--error-rate", "0.1")
    said = kgnb("align", "huts:hollenmark", "huts:corvane", *words)
    assert said.status == 0 and said.err.startswith("kgnb: SIMULATION")


OURS = ("huts:hollenmark", "huts:corvane")
WRONG = (
    (("nowhere",), 1, "there is no such folder"),
    ((*OURS, "--seeds", "folder"), 2, "no folder to take seeds from"),
    ((*OURS, "--seeds", "nofile.tsv"), 1, "no such file"),
    ((*OURS, "--names", "names.json"), 1, "names.json: there is no such file"),
    (("huts:hollenmark", "huts:alpine"), 1, "no individual"),
    ((*OURS, "--out", "x.docx"), 2, "unknown suffix"),
    ((*OURS, "--out", "no/x.tsv"), 2, "there is no folder"),
    ((*OURS, "--judge", "model"), 1, "asks a model"),
    ((*OURS, "--share", "2"), 2, "--share"),
    ((*OURS[::-1], "--seeds", "huts:entity-seeds"), 1, "the other way round"),
    ((*OURS, "--candidates", "nofile.tsv"), 1, "no such file"),
)


def test_what_cannot_be_done_is_said_with_how_to_mend_it(kgnb):
    for words, status, says in WRONG:
        said = kgnb("align", *words)
        assert said.status == status and says in said.err, words
        assert "Traceback" not in said.err


def test_no_other_pair_than_the_listed_candidates_is_considered(kgnb, tmp_path):
    first = kgnb("align", *OURS, "--judge", "first", "--ranking", "best.tsv", "--out", "all.tsv")
    assert first.status == 0
    lines = Path("best.tsv").read_text(encoding="utf-8").splitlines()
    sources = list(dict.fromkeys(line.split("\t")[0] for line in lines))[:40]
    listed = [line for line in lines if line.split("\t")[0] in sources]
    Path("listed.tsv").write_text("\n".join(listed), encoding="utf-8")
    said = kgnb(
        "align", *OURS, "--judge", "first", "--candidates", "listed.tsv", "--ranking", "mine.tsv"
    )
    assert said.status == 0
    allowed = {(line.split("\t")[0], line.split("\t")[2]) for line in listed}
    ranked = Path("mine.tsv").read_text(encoding="utf-8").splitlines()
    found = {(line.split("\t")[0], line.split("\t")[2]) for line in ranked}
    assert found and found <= allowed
    total = int(re.search(r"of (\d+) entities matched", said.err)[1])
    assert (
        f"{total - 40} left unmatched: the candidates that were given name none for it" in said.err
    )
    assert "there is nothing to compare by" not in said.err


def test_candidates_of_other_graphs_are_refused(kgnb):
    Path("other.tsv").write_text("http://a.example/x\thttp://b.example/y\n", encoding="utf-8")
    said = kgnb("align", *OURS, "--candidates", "other.tsv")
    assert said.status == 1 and "an entity the graphs do not have" in said.err


def test_pairs_of_two_tables_are_written_side_by_side_and_read_again(kgnb, tmp_path):
    kinds = ["Hex bolt", "Ball bearing", "Shaft seal", "Oil filter", "Wedge belt", "Garden hose"]
    sizes = [f"{at}x{at + 13}" for at in range(11, 17)]
    named = list(zip(kinds, sizes, strict=True))
    left = [f"P{at},{kind} {size},{at + 0.5}" for at, (kind, size) in enumerate(named)]
    right = [f'S{at};"{kind}, {size}";"Acme\nLtd"' for at, (kind, size) in enumerate(named)]
    ours, theirs, out = tmp_path / "ours.csv", tmp_path / "theirs.csv", tmp_path / "same.csv"
    once = tmp_path / "once.csv"
    ours.write_text("\n".join(["part,name,price", *left]), encoding="utf-8")
    theirs.write_text("\n".join(["sku;article;maker", *right]), encoding="utf-8")
    said = kgnb("align", str(ours), str(theirs), "--precision", "0", "--out", str(out))
    assert said.status == 0, said.err
    table = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert len(table) == 6
    for row in table:
        assert row["source part"][1:] == row["target sku"][1:] == row["source"][-1]
        assert row["target maker"] == "Acme Ltd" and 0 < float(row["confidence"]) <= 1
        assert float(row["source price"]) == int(row["source"][-1]) + 0.5
    again = kgnb("evaluate", str(out), str(out))
    assert again.status == 0 and "6" in again.out.splitlines()[-1]
    both = kgnb("align", str(ours), str(theirs), "--merged", str(once))
    assert both.status == 1 and "these are two" in both.err
    assert not both.out and not once.exists(), "refused before anything is computed"
    alone = kgnb("align", str(ours), "--merged", str(once))
    assert alone.status == 0 and len(once.read_text(encoding="utf-8").splitlines()) == 7
