"""How long things take beside what they stand on, in one run: the table of docs/evaluation.md.

    python -m tests.benchmarks.speed                   the rows of a few minutes
    python -m tests.benchmarks.speed --only help info  rows whose names begin so
    KGNB_DATA=DIR python -m tests.benchmarks.speed --only anatomy srprs classes

CPU seconds (user and system, child processes too) where nothing else is said, the least of
``--times`` runs, each in a process of its own. Graphs are generated, nine triples a thing.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

SPACE = "http://gen.example/"
ROWS = (
    f"SELECT ?s ?o ?n {{ ?s <{SPACE}p1>|<{SPACE}p2>|<{SPACE}p3> ?o ; <{SPACE}n> ?n }} LIMIT 100000"
)
ONE = f"SELECT ?n {{ <{SPACE}thing/7> <{SPACE}n> ?n }}"
NONE = f"SELECT ?n {{ <{SPACE}thing/7> <{SPACE}missing> ?n }}"
LINKS = f"CONSTRUCT {{ ?s <{SPACE}p1> ?o }} WHERE {{ ?s <{SPACE}p1> ?o }} LIMIT 50000"
HUNDRED_THOUSAND, MILLION = 11_111, 111_111  # things of so many triples
MISSPELT = {
    "Thnig 77 en": 77, "Thing 123e n": 123, "Ting 4567 en": 4567,
    "Thing 98 7 en": 987, "Thingg 5001 en": 5001, "Thimg 10001 de": 10001,
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A line of the table: what runs, beside what, and what is hoped for."""

    work: str
    ours: Callable[[Path], float | str]
    beside: str
    theirs: Callable[[Path], float] | None
    aim: str
    long: bool = False  # minutes: only when it is named


def lines(things: int) -> Iterator[str]:
    """A graph as N-Triples, thing by thing."""
    random.seed(1)
    xsd = "http://www.w3.org/2001/XMLSchema#"
    for at in range(things):
        thing = f"<{SPACE}thing/{at}>"
        yield f"{thing} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{SPACE}Class{at % 7}> .\n"
        for tag in ("en", "de"):
            yield f'{thing} <http://www.w3.org/2000/01/rdf-schema#label> "Thing {at} {tag}"@{tag} .\n'
        for number in range(4):
            yield f"{thing} <{SPACE}p{number}> <{SPACE}thing/{random.randrange(things)}> .\n"
        yield f'{thing} <{SPACE}n> "{random.randrange(10**6)}"^^<{xsd}integer> .\n'
        yield f'{thing} <{SPACE}y> "{1900 + at % 120}"^^<{xsd}gYear> .\n'


def spent() -> float:
    """CPU seconds of this process and of the children it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def timed(work: Callable[[], object], *, wall: bool = False, times: int = 1) -> float:
    """The least of the times that the work takes."""
    clock, found = (time.perf_counter if wall else spent), []
    for _ in range(times):
        begun = clock()
        work()
        found.append(clock() - begun)
    return min(found)


def command(*words: str) -> Callable[[Path], float]:
    """CPU seconds of a command."""
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return lambda _: timed(lambda: subprocess.run(words, check=True, **quiet))


def python(code: str) -> Callable[[Path], float]:
    """CPU seconds of a line of Python."""
    return command(sys.executable, "-c", code)


def file_of(folder: Path, things: int) -> Path:
    """The generated graph, written once."""
    path = folder / f"{things}.nt"
    if not path.exists():
        # line by line: what this process holds is measured
        with path.open("w", encoding="utf-8") as file:
            file.writelines(lines(things))
    return path


def opened(things: int, *, wall: bool = False) -> Callable[[Path], float]:
    """Reading a file with kgnb."""

    def work(folder: Path) -> float:
        from kgnb.kg.loading import load
        from kgnb.kg.oxigraph_graph import OxigraphGraph

        path = file_of(folder, things)
        return timed(lambda: load(OxigraphGraph(), path), wall=wall)

    return work


def store_of(path: Path) -> Any:
    """The same with the engine alone."""
    import pyoxigraph as ox

    store = ox.Store()
    store.load(path=path, format=ox.RdfFormat.N_TRIPLES)
    return store


def read_by_engine(things: int, *, wall: bool = False) -> Callable[[Path], float]:
    """Reading a file with the engine alone."""
    return lambda folder: timed(lambda: store_of(file_of(folder, things)), wall=wall)


def table_opened(folder: Path) -> float:
    """Reading a table of 14 MB with kgnb; its triples are written down for the engine."""
    import pyoxigraph as ox

    from kgnb.kg.loading import load
    from kgnb.kg.oxigraph_graph import OxigraphGraph

    path, graph = folder / "table.csv", OxigraphGraph()
    random.seed(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("id,name,city,street,year,price,note,phone\n")
        for at in range(138_820):
            figures = [random.randrange(10**6) for _ in range(6)]
            file.write(
                f"{at},Hut {figures[0]} of the hills,Town {figures[1]},Street {figures[2] % 9999},"
                f"{1900 + at % 120},{figures[3] / 100},a note on hut {figures[4]} written twice,"
                f"+43 {figures[5]}\n"
            )
    seconds = timed(lambda: load(graph, path))
    triples = ox.DefaultGraph()
    graph.store.dump(folder / "table.nt", format=ox.RdfFormat.N_TRIPLES, from_graph=triples)
    print(f"{path.stat().st_size / 1e6:.1f} MB, {graph.count():,} triples", file=sys.stderr)
    return seconds


def engine(things: int, work: Callable[[Any], object], *, wall: bool = False) -> Any:
    """Work on the engine's own store, which is open already."""

    def measured(folder: Path) -> float:
        store = store_of(file_of(folder, things))
        return timed(lambda: work(store), wall=wall, times=3)

    return measured


def frame(store: Any) -> object:
    """The engine's CSV, read by pandas."""
    import pandas
    import pyoxigraph as ox

    text = store.query(ROWS).serialize(format=ox.QueryResultsFormat.CSV)
    return pandas.read_csv(io.BytesIO(text))


def triples(store: Any) -> object:
    """The engine's N-Triples."""
    import pyoxigraph as ox

    return store.query(LINKS).serialize(format=ox.RdfFormat.N_TRIPLES)


def cells(things: int, cell: str, *, wall: bool = False, before: str = "") -> Any:
    """Work in a cell of a notebook with the graph open, and its query process warm."""

    def measured(folder: Path) -> float:
        from IPython.core.interactiveshell import InteractiveShell
        from IPython.utils.capture import capture_output

        shell = InteractiveShell.instance()

        def run(source: str) -> None:
            with capture_output():  # the value is formatted, as it is for the page
                assert shell.run_cell(source).success, source

        for source in ("%load_ext kgnb", f"%kg open {file_of(folder, things)} --as big", before):
            run(source)
        return timed(lambda: run(cell), wall=wall, times=3)

    return measured


def asked(folder: Path, context: bool) -> float:
    """A question again, to the function that keeps its context, or with the context in hand."""
    import kgnb
    from kgnb.tasks.asking import open_context

    graph = kgnb.open_graph(str(file_of(folder, HUNDRED_THOUSAND)))
    source = open_context(graph) if context else graph
    question = "What is the n of Thing 77 en?"
    kgnb.answer_question(question, source, judge="rule")
    return timed(lambda: kgnb.answer_question(question, source, judge="rule"), times=3)


def first_question(folder: Path) -> float:
    """The first question of a graph that is open, whose labels are read for it."""
    import kgnb

    graph = kgnb.open_graph(str(file_of(folder, MILLION)))
    return timed(lambda: kgnb.answer_question("What is the y of Thnig 77 en?", graph, judge="rule"))


def misspelt(things: int) -> Callable[[Path], str]:
    """How many misspelt names are found."""

    def found(folder: Path) -> str:
        import kgnb

        graph, right = kgnb.open_graph(str(file_of(folder, things))), 0
        for name, number in MISSPELT.items():
            answer = kgnb.answer_question(f"What is the y of {name}?", graph, judge="rule")
            right += str(1900 + number % 120) in [str(getattr(v, "text", v)) for v in answer.values]
        return f"{right} of {len(MISSPELT)}"

    return found


def measured(module: str, words: str) -> Callable[[Path], float]:
    """CPU seconds of another benchmark, which prints what came of it."""
    return lambda folder: timed(
        lambda: subprocess.run(
            [sys.executable, "-m", module, *words.format(folder=folder).split()],
            check=True, stdout=sys.stderr, env={**os.environ, "KGNB_CACHE": str(folder)},
        )
    )  # fmt: skip


def installed(_: Path) -> str:
    """Packages and megabytes that kgnb brings here, without extras."""
    from packaging.requirements import Requirement

    names, todo, size = set(), ["kgnb"], 0
    while todo:
        name = todo.pop().lower().replace("_", "-")
        if name in names:
            continue
        names.add(name)
        package = metadata.distribution(name)
        if name != "kgnb":  # this checkout
            paths = (package.locate_file(one) for one in package.files or ())
            size += sum(Path(str(p)).stat().st_size for p in paths if Path(str(p)).is_file())
        for text in package.requires or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                todo.append(needed.name)
    return f"{len(names)} packages, {size / 1e6:.0f} MB"


LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
LABELS = f"SELECT ?t (COUNT(*) AS ?n) {{ ?s <{LABEL}> ?l }} GROUP BY (LANG(?l) AS ?t)"
TYPES = "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c"
USED = "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p"
ASK_ONE, ASK_NONE = f"%%sparql\n{ONE}", f"%%sparql\n{NONE}"
EMBED = "from kgnb.vectors.local_embedder import LocalEmbedder as E; E().embed(['x'])"
GRAPH = """import kgnb
from kgnb.kg.query_process import endable
graph = endable(get_ipython().magics_manager.registry['kgnb'].session.graph().graph)"""
IPYTHON = "from IPython.core.interactiveshell import InteractiveShell as S; s = S.instance()"
SCALE = "tests.benchmarks.scale"
TABLE: Mapping[str, Row] = {
    "help": Row("`kgnb --help`", command("kgnb", "--help"), "`import click`", python("import click"), "0.35"),
    **{
        f"help-{name}": Row(
            f"`kgnb {name} --help`", command("kgnb", name, "--help"),
            "`import click, pydantic.dataclasses`", python("import click, pydantic.dataclasses"), "0.35",
        )
        for name in ("match", "ask", "align", "build", "evaluate", "serve")
    },
    "load_ext": Row(
        "IPython with `%load_ext kgnb`", python(f"{IPYTHON}; s.run_line_magic('load_ext', 'kgnb')"),
        "IPython alone", python(IPYTHON), "0.5 more",
    ),
    "open": Row(
        "open 1 M triples", opened(MILLION), "`pyoxigraph.Store.load`",
        read_by_engine(MILLION), "1.2 x",
    ),
    "open-5M": Row(
        "open 5 M triples", opened(5 * MILLION), "`pyoxigraph.Store.load`",
        read_by_engine(5 * MILLION), "1.3 x", long=True,
    ),
    "open-5M-wall": Row(
        "open 5 M triples, wall", opened(5 * MILLION, wall=True), "`pyoxigraph.Store.load`",
        read_by_engine(5 * MILLION, wall=True), "1.3 x", long=True,
    ),
    "table": Row(
        "open a table of 14 MB, 1.25 M triples", table_opened, "`pyoxigraph.Store.load` of the same",
        lambda folder: timed(lambda: store_of(folder / "table.nt")), "",
    ),
    "one-100k": Row(
        "one row in a cell, 100,000 triples, wall", cells(HUNDRED_THOUSAND, ASK_ONE, wall=True, before=ASK_ONE),
        "the engine", engine(HUNDRED_THOUSAND, lambda store: list(store.query(ONE)), wall=True), "0.005",
    ),
    "one-1M": Row(
        "one row in a cell, 1 M triples, wall", cells(MILLION, ASK_ONE, wall=True, before=ASK_ONE),
        "the engine", engine(MILLION, lambda store: list(store.query(ONE)), wall=True), "0.005",
    ),
    "frame": Row(
        "100,000 rows to a data frame, 1 M triples, wall",
        cells(MILLION, "rows.df()", wall=True, before=f"%%sparql --store rows --limit 100000\n{ROWS}"),
        "the engine's CSV and pandas", engine(MILLION, frame, wall=True), "0.8",
    ),
    "query-frame": Row(
        "the same with its query, wall",
        cells(MILLION, f"kgnb.query(graph, {ROWS!r}).df()", wall=True, before=GRAPH),
        "the engine's CSV and pandas", engine(MILLION, frame, wall=True), "0.8",
    ),
    "construct": Row(
        "CONSTRUCT of 50,000 to a picture, wall", cells(MILLION, f"%%sparql\n{LINKS}", wall=True, before=ASK_ONE),
        "the engine's N-Triples", engine(MILLION, triples, wall=True), "1.2",
    ),
    "info": Row(
        "`%kg info`, 1 M triples, wall", cells(MILLION, "%kg info", wall=True), "three counts by the engine",
        engine(MILLION, lambda store: [list(store.query(one)) for one in (LABELS, TYPES, USED)], wall=True), "1.5",
    ),
    "empty": Row(
        "an empty result again, 1 M triples, wall", cells(MILLION, ASK_NONE, wall=True, before=ASK_NONE),
        "the engine", engine(MILLION, lambda store: list(store.query(NONE)), wall=True), "0.1",
    ),
    "again": Row(
        "`answer_question(q, graph)` again, 100,000 triples", lambda folder: asked(folder, False),
        "with the context in hand", lambda folder: asked(folder, True), "0.05",
    ),
    "first": Row("the first question, 1 M triples", first_question, "", None, "5"),
    "misspelt-100k": Row("misspelt names found, 100,000 triples", misspelt(HUNDRED_THOUSAND), "", None, ""),
    "misspelt-1M": Row("misspelt names found, 1 M triples", misspelt(MILLION), "", None, "as at 100,000"),
    "embedder": Row(
        "the bundled model is read", python(EMBED),
        "`import numpy`", python("import numpy"), "",
    ),
    "report": Row(
        "matching report, warm",
        command("kgnb", "report", "ontology-matching", "-p", "dataset=huts"), "", None, "5", long=True,
    ),
    "size": Row("installed", installed, "", None, "100 packages, 450 MB"),
    "anatomy": Row(
        "anatomy, first run, then warm (above)", measured(f"{SCALE}.anatomy", "--cache {folder} --sample 0"),
        "", None, "30, warm 8", long=True,
    ),
    "srprs": Row(
        "SRPRS en-fr, no seeds: first and again (above)",
        measured("tests.benchmarks.agents.entity_alignment", "--pairs srprs/en_fr --first"),
        "", None, "90, warm 25", long=True,
    ),
    "classes": Row("16,000 x 16,000 classes", measured(f"{SCALE}.growth", "16000"), "", None, "60", long=True),
}  # fmt: skip


def one(name: str, side: str, folder: Path) -> dict[str, Any]:
    """One side of a row: its figure, and the megabytes this process took."""
    work = TABLE[name].ours if side == "ours" else TABLE[name].theirs
    assert work is not None
    found = work(folder)
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return {"found": found, "mb": max(resource.getrusage(who).ru_maxrss for who in whose) / 1024}


def side(name: str, which: str, folder: Path, times: int) -> tuple[float | str, float]:
    """The best of several processes."""
    runs = []
    for _ in range(times):
        words = [sys.executable, "-m", __spec__.name, "--one", name, which, "--folder", str(folder)]
        done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    best = min(runs, key=lambda run: run["found"])
    return best["found"], best["mb"]


def shown(figure: float | str) -> str:
    """A figure as the table has it."""
    return figure if isinstance(figure, str) else f"{figure:.2g}" if figure < 1 else f"{figure:.1f}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", help=f"of {', '.join(TABLE)}")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keeps generated graphs and caches")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(*given.one, given.folder)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(
            "| work | kgnb, s | MB | beside it | s | MB | ratio | aim |\n|---|---|---|---|---|---|---|---|"
        )
        for name, row in TABLE.items():
            if not (name.startswith(tuple(given.only)) if given.only else not row.long):
                continue
            ours, mb = side(name, "ours", folder, 1 if row.long else given.times)
            cells = [row.work, shown(ours), f"{mb:.0f}", row.beside, "", "", "", row.aim]
            if row.theirs is not None and not isinstance(ours, str):
                theirs, least = side(name, "theirs", folder, 1 if row.long else given.times)
                assert isinstance(theirs, float)
                ratios = f"{ours / theirs:.1f}, of MB {mb / least:.2f}"
                cells[4:7] = [shown(theirs), f"{least:.0f}", ratios]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
