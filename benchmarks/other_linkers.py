"""Real tables beside recordlinkage (Python Record Linkage Toolkit), which kgnb does not need:

    pip install --target FOLDER recordlinkage
    PYTHONPATH=FOLDER:. KGNB_DATA=DIR python -m benchmarks.other_linkers

Its columns are named by hand and compared by Jaro and Winkler with a threshold of .85, its pairs
chosen by its classifier that needs no examples (expectation maximisation); of pairs that share a row
the likelier one stays. kgnb is given the files and nothing else.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pandas
import recordlinkage

from benchmarks.tables import Line, installed, real, sampled
from tests.benchmarks.agents.messy_tables import TablePair

COLUMNS = {
    "restaurants-1": (("name", "name"), ("addr", "addr"), ("city", "city"), ("phone", "phone")),
    "cora": (("title", "title"), ("author", "author"), ("year", "year"), ("venue", "venue")),
    "abt-buy": (("name", "name"), ("description", "description"), ("price", "price")),
    "acm-dblp": (("title", "title"), ("authors", "authors"), ("year", "year"), ("venue", "venue")),
}


def by_recordlinkage(
    table: TablePair, columns: tuple[tuple[str, str], ...]
) -> set[tuple[str, str]]:
    """The pairs it finds, one to one."""
    left, right = (
        pandas.DataFrame(rows).set_index("id").fillna("") for rows in (table.left, table.right)
    )
    indexer = recordlinkage.Index()
    indexer.full()
    pairs = indexer.index(left, right)
    compare = recordlinkage.Compare()
    for one, other in columns:
        compare.string(one, other, method="jarowinkler", threshold=0.85)
    features = compare.compute(pairs, left, right)
    classifier = recordlinkage.ECMClassifier()
    found = classifier.fit_predict(features)
    chances = classifier.prob(features).loc[found]
    kept: set[tuple[str, str]] = set()
    used: set[tuple[int, str]] = set()
    for one, other in chances.sort_values(ascending=False, kind="stable").index:
        if (0, one) not in used and (1, other) not in used:
            used |= {(0, one), (1, other)}
            kept.add((one, other))
    return kept


def main() -> int:
    """Run it."""
    data = Path(os.environ["KGNB_DATA"]) / "er-tables"
    print("| table | recordlinkage: P | R | F1 | kgnb: P | R | F1 | said |")
    with tempfile.TemporaryDirectory() as folder:
        for name, columns in COLUMNS.items():
            whole = real(data / name)
            for table in (sampled(whole, 60, 0.6, 5), sampled(whole, 120, 0.6, 6)):
                found = by_recordlinkage(table, columns)
                theirs = Line(name, "", len(found), len(found & table.truth), len(table.truth), 0)
                ours = installed(name, table, Path(folder))
                print(
                    f"| {table.name} | {theirs.precision:.3f} | {theirs.recall:.3f} | {theirs.f1:.3f} | "
                    f"{ours.precision:.3f} | {ours.recall:.3f} | {ours.f1:.3f} | {ours.said:.3f} |",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
