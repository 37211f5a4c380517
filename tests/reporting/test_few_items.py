"""Reports on very little of one's own: a share of few items carries their number and its bounds."""

import json
import re
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kgnb.cli.report import headline
from kgnb.errors import DataError
from kgnb.evaluate.alignment import Score
from kgnb.reporting.entity_alignment import run_pair
from kgnb.reporting.figures import scored
from kgnb.reporting.report import find_template
from kgnb.reporting.session import ReportSession, begin, marks
from kgnb.settings import Settings
from tests.reporting.calling import arguments
from tests.reporting.conftest import drawn_cells

PREFIXES = """@prefix : <http://shop.example/{}#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
FILES = {
    "here.csv": "name,city,phone\nBakery Lindgren,Oslo,22334455\nHarbour Fish Market,Bergen,55667788\n"
    "Blue Anchor Bookshop,Molde,77665544\n",
    "there.csv": "title,town,telephone\nLindgren Bakery,Oslo,22334455\nHarbor Fish Market,Bergen,55667788\n"
    "Green Tea House,Stavanger,51223344\n",
    "rows.tsv": "Bakery Lindgren\tLindgren Bakery\nHarbour Fish Market\tHarbor Fish Market\n",
    "a.ttl": PREFIXES.format("a") + ':Customer a owl:Class ; rdfs:label "Customer" .\n',
    "b.ttl": PREFIXES.format("b")
    + ':Customer a owl:Class ; rdfs:label "Customer" .\n:Till a owl:Class ; rdfs:label "Till" .\n',
    "found.tsv": "http://shop.example/a#Customer\thttp://shop.example/b#Customer\n",
    "other.tsv": "http://shop.example/a#Customer\thttp://shop.example/b#Till\n",
    "shop.ttl": PREFIXES.format("shop")
    + """:Supplier a owl:Class ; rdfs:label "supplier" . :city a owl:ObjectProperty ; rdfs:label "city" .
:s1 a :Supplier ; rdfs:label "Nordic Timber" ; :city :oslo . :oslo rdfs:label "Oslo" .
""",
    "q.jsonl": '{"id": "q1", "question": "In which city is Nordic Timber?", '
    '"values": ["http://shop.example/shop#oslo"]}\n',
    "unknown.jsonl": '{"id": "q1", "question": "In which city is Nordic Timber?"}\n',
    "bill.ttl": PREFIXES.format("bill")
    + """<http://shop.example/bill> a owl:Ontology . :Invoice a owl:Class ; rdfs:label "Invoice" .
:number a owl:DatatypeProperty ; rdfs:label "invoice number" ; rdfs:domain :Invoice ; rdfs:range xsd:string .
""",
    "bill.txt": "Invoice A-17\n\nInvoice number: A-17\n",
    "bills.ttl": PREFIXES.format("bill")
    + '<http://shop.example/1> a :Invoice ; rdfs:label "Invoice A-17" ; :number "A-17" .\n',
}
BUILT = {"tbox": "bill.ttl", "shapes": "", "documents": "bill.txt", "against": ""}
OWN: dict[str, tuple[str, str, dict[str, str]]] = {
    "tables": ("entity-alignment", "run_pair", {"source": "here.csv", "target": "there.csv"}),
    "tables with a reference": (
        "entity-alignment",
        "run_pair",
        {"source": "here.csv", "target": "there.csv", "reference": "rows.tsv"},
    ),
    "classes": (
        "ontology-matching",
        "run_cases",
        {"source": "a.ttl", "target": "b.ttl", "reference": "found.tsv"},
    ),
    "a reference that nothing matches": (
        "ontology-matching",
        "run_cases",
        {"source": "a.ttl", "target": "b.ttl", "reference": "other.tsv"},
    ),
    "classes without a reference": (
        "ontology-matching",
        "run_cases",
        {"source": "a.ttl", "target": "b.ttl"},
    ),
    "one question": (
        "question-answering",
        "run_questions",
        {"questions": "q.jsonl", "graph": "shop.ttl"},
    ),
    "a question without a reference": (
        "question-answering",
        "run_questions",
        {"questions": "unknown.jsonl", "graph": "shop.ttl"},
    ),
    "a note": ("kg-construction", "run_report", {**BUILT, "reference": "bills.ttl"}),
    "a note without a reference": ("kg-construction", "run_report", {**BUILT, "reference": ""}),
}


def made(name: str, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """The metrics of a report on these files, and what its page says: a line a row or paragraph."""
    report, function, given = OWN[name]
    for file, text in FILES.items():
        (folder / file).write_text(text, encoding="utf-8")
    session = ReportSession(folder, Settings(embedder="characters", cache=folder / "cache"))
    begin(session)
    placed = {key: str(folder / one) if one in FILES else one for key, one in given.items()}
    values = arguments(find_template(report).parameters, placed | {"judge": "rule"})
    module: Any = import_module(f"kgnb.reporting.{report.replace('-', '_')}")
    results = getattr(module, function)(**values)
    module.save(results, session)
    page = " ".join(drawn_cells(report, results, session)).replace(str(folder), "")
    lines = re.split("<(?:tr|p|div|caption|figcaption)", page)
    said = [" ".join(unescape(re.sub("<[^>]*>|^[^>]*>", " ", line)).split()) for line in lines]
    alts = [unescape(alt) for alt in re.findall('alt="([^"]*)"', page)]
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    return metrics, [*said, *alts]


@pytest.mark.parametrize("name", OWN)
def test_a_share_of_few_items_carries_their_number_wherever_it_is_shown(
    name: str, tmp_path: Path
) -> None:
    metrics, said = made(name, tmp_path)
    first = metrics["headline"][0]
    figures = [line for line in said if line.startswith(("kgnb", "all ", "micro ", "any "))]
    assert figures
    assert [line for line in figures if "100.0 %" in line and "n = " not in line] == []
    single = re.compile(r"\b1 (pairs|mappings|questions|facts|calls|records|matches|entities)\b")
    assert [line for line in said if single.search(line)] == []
    if first.get("few"):
        assert all(0 < few["n"] < 30 for few in first["few"].values())
        assert any("n = " in line for line in headline(metrics))
        assert any("of few: " in mark for mark in marks(metrics))
    else:
        assert first["empty"]
    # nothing is about our own data, nor about a paper nobody asked for
    ours = re.compile(r"\b[Hh]uts?\b|Agent-OM|EA-Agent|\bODA\b|World Avatar|\bMOP\b|OAEI")
    assert [line for line in said if ours.search(line)] == []


def test_few_matches_have_an_interval_and_not_a_number_alone(tmp_path: Path) -> None:
    metrics, said = made("tables", tmp_path)
    few = metrics["headline"][0]["few"]["estimated_precision"]
    assert few["n"] == 2 and few["between"][0] < 50 and few["between"][1] == 100
    page = "\n".join(said)
    assert f"({few['between'][0]:.0f} to 100, n = 2)" in page
    assert "expected to be wrong" in page and "They are few: n = 2." in page


def test_what_no_reference_says_is_not_counted_as_nothing(tmp_path: Path) -> None:
    metrics, said = made("classes without a reference", tmp_path)
    assert metrics["headline"][0]["empty"]["F1"] == "no reference"
    assert [line for line in said if "reference: 0" in line or "not found: 0" in line] == []
    assert metrics["headline"][0]["found"] >= 1
    assert any(line.startswith("a-b 1 0") for line in said), said
    # what was found can be read all the same
    captions = [line for line in said if line.startswith("Found (no reference")]
    assert len(captions) == 1 and any(
        line.startswith("a-b ") and "equivalent" in line for line in said
    )


def test_an_answer_without_a_reference_is_not_shown_beside_nothing(tmp_path: Path) -> None:
    _, said = made("a question without a reference", tmp_path)
    assert any("not known" in line for line in said if line.startswith("q1"))


def test_a_graph_of_values_alone_is_not_called_empty(tmp_path: Path) -> None:
    _, said = made("a note without a reference", tmp_path)
    assert [line for line in said if "empty graph" in line] == []
    assert any("No fact joins two entities" in line for line in said)


def test_a_reference_of_nothing_gives_reasons_and_no_figures() -> None:
    none = scored(Score(0, 0, 0))
    assert [figure.value for figure in none.values()] == [None] * 3
    wrong = scored(Score(0, 2, 0))
    assert wrong["precision"].value == 0 and wrong["f1"].why == "the reference is empty"


def test_an_empty_reference_is_refused_and_is_not_taken_for_none(tmp_path: Path) -> None:
    for file in ("here.csv", "there.csv"):
        (tmp_path / file).write_text(FILES[file], encoding="utf-8")
    (tmp_path / "none.tsv").write_text("", encoding="utf-8")
    begin(ReportSession(tmp_path, Settings(embedder="characters", cache=tmp_path / "cache")))
    given = {"source": "here.csv", "target": "there.csv", "reference": "none.tsv"}
    with pytest.raises(DataError, match="it holds no pair"):
        run_pair(**{key: str(tmp_path / file) for key, file in given.items()}, judge="rule")
