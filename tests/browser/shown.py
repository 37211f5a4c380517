"""What the notebook of the browser tests shows; the tests copy this file beside the notebook, and
import it too.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from kgnb.results.graph import Edge, GraphPicture, Node
from kgnb.results.run_view import RunView
from kgnb.results.table import Column, LabelledIri, Table, Value, metrics

ALPINE, REFUGE = "https://huts.example.org/alpine#", "https://huts.example.org/refuge#"
SOURCES = "Hut Warden Bunk Route sleeps Dormitory Booking Kitchen Recipe Pass Glacier Summit altitude Guide Stove"
TARGETS = "Refuge Guardian Berth Itinerary capacity SharedRoom Reservation Galley Dish Col IceField Peak elevation"
TARGETS += " Leader Cooker Pantry Footwear Forecast"
PAIRS = [*zip(f"{SOURCES} Larder Boots Weather".split(), TARGETS.split(), strict=True)] * 3


def table() -> Table:
    """An alignment of 54 rows that open."""
    columns = [Column("source", "Source"), Column("target", "Target"), Column("kind", "Kind")]
    columns += [Column("confidence", "Confidence", "percent"), Column("rank", "Rank", "number")]
    columns.append(Column("checked", "Checked", "boolean"))
    rows: list[list[Value]] = [
        [
            *(LabelledIri(ALPINE + source, source), LabelledIri(REFUGE + target, target)),
            "property" if source.islower() else "class",
            *(1 - number / 60, number * 731 % 97, number % 3 == 0),
        ]
        for number, (source, target) in enumerate(PAIRS)
    ]
    details = [
        [
            ("same label", "no"),
            ("parents", f"{source} and {target} have 2 parents in common"),
            ("verdict", "both are places\nwhere people sleep <script>alert(1)</script>"),
        ]
        for source, target in PAIRS
    ]
    caption = "Alignment of alpine and refuge"
    return Table(
        columns, rows, caption=caption, details=details, notes=["3 pairs wait for a person."]
    )


def run(file: Path = Path("run.json")) -> RunView:
    """The run of the fixture."""
    return RunView(json.loads(file.read_text(encoding="utf-8")))


def scores() -> Table:
    """Three cases and two summaries."""
    return metrics(
        cases={
            "cmt-conference": measured(0.73, 0.53),
            "cmt-confof": measured(0.8, 0.5),
            "edas-iasted": measured(1.0, 0.32),
        },
        summary={"micro": measured(0.78, 0.47), "mean": measured(0.84, 0.45)},
        caption="OAEI conference, three pairs",
        case_title="Pair",
        notes=["Reference: ra1-M3, equivalences only."],
    )


def measured(precision: float, recall: float) -> Mapping[str, float]:
    """Precision, recall and their harmonic mean."""
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
    }


def graph() -> GraphPicture:
    """A few huts, who keeps them and where they lie."""
    return GraphPicture(
        [
            Node(ALPINE + "hochkar", "Hochkarhaus", "hut", emphasis=True),
            Node(ALPINE + "dreibach", "Dreibachhütte", "hut"),
            Node(
                ALPINE + "wilma", "Wilma Aschauer", "person", note="also <script>alert(1)</script>"
            ),
            Node(ALPINE + "korbin", "Korbin Tesch", "person"),
            Node(ALPINE + "ottertal", "Ottertal", "valley"),
            Node(ALPINE + "hollenmark", "Hollenmark", "range"),
            Node("group", "12 routes", "route", more=12),
            Node("javascript:alert(1)", "a hostile <b>name</b>"),
            Node(ALPINE + "nebelsattel", "Nebelsattel pass", "pass"),
        ],
        [
            Edge(ALPINE + "hochkar", ALPINE + "wilma", "has warden", emphasis=True),
            Edge(ALPINE + "dreibach", ALPINE + "korbin", "has warden"),
            Edge(ALPINE + "dreibach", ALPINE + "korbin", "has cook"),
            Edge(ALPINE + "hochkar", ALPINE + "ottertal", "lies in"),
            Edge(ALPINE + "dreibach", ALPINE + "ottertal", "lies in"),
            Edge(ALPINE + "ottertal", ALPINE + "hollenmark", "part of"),
            Edge(ALPINE + "hollenmark", ALPINE + "ottertal", "has part"),
            Edge("group", ALPINE + "hochkar", "lead past"),
            Edge("javascript:alert(1)", ALPINE + "hochkar", "<i>hostile</i>"),
        ],
        "The Hochkarhaus and around it",
        ["One pass lies apart."],
    )
