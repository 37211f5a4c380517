"""A plain installation: what an extra brings says so where it is missing, and the rest works."""

import subprocess
import sys
from pathlib import Path

CHART = """
import kgnb
found = kgnb.query(kgnb.open_graph("huts:graph"), "SELECT ?k (COUNT(*) AS ?n) { ?s a ?k } GROUP BY ?k")
print(len(found.df()))
found.plot()
"""

FIGURE = """
from kgnb.reporting.plot import grouped_bars
shown = grouped_bars(["huts"], [("F1", [0.9])], "How good it is")._repr_mimebundle_()
print(shown["text/html"], shown["text/plain"])
"""

SHAPES = """
@prefix : <https://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Hut a owl:Class . :beds a owl:DatatypeProperty ; <http://www.w3.org/2000/01/rdf-schema#range> xsd:integer .
"""
IN_SPARQL = """
:S a sh:NodeShape ; sh:targetClass :Hut ; sh:sparql [ sh:message "no beds" ;
  sh:select "SELECT $this WHERE { $this <https://example.org/beds> ?b . FILTER(?b < 1) }" ] .
"""


def without(package: str, *words: str) -> subprocess.CompletedProcess[str]:
    blocked = f"import sys; sys.modules[{package!r}] = None; "
    run = f"from kgnb.cli import main; sys.argv = ['kgnb', *{words!r}]; sys.exit(main())"
    code = blocked + (words[1] if words[0] == "-c" else run)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)


def test_a_chart_says_what_brings_it() -> None:
    done = without("matplotlib", "-c", CHART)
    assert int(done.stdout) > 2
    last = done.stderr.strip()
    assert "ConfigError" in last and 'pip install "kgnb[charts]"' in last


NETWORK = """
import kgnb
found = kgnb.query("huts:alpine", "CONSTRUCT { ?a ?p ?b } WHERE { ?a ?p ?b } LIMIT 5")
alignment = kgnb.match_ontologies("huts:alpine", "huts:refuge", judge="rule", embedder="characters")
for one in (found, alignment):
    try:
        one.networkx()
    except kgnb.errors.ConfigError as error:
        print(len(one.df()) > 0, error)
"""


def test_a_network_says_what_brings_it() -> None:
    done = without("networkx", "-c", NETWORK)
    assert not done.stderr
    assert done.stdout.count('pip install "kgnb[networkx]"') == done.stdout.count("True") == 2


def test_a_figure_of_a_report_is_said_in_words() -> None:
    done = without("matplotlib", "-c", FIGURE)
    assert not done.stderr
    assert "How good it is" in done.stdout and "<img" not in done.stdout
    assert "pip install &quot;kgnb[charts]&quot;" in done.stdout


def test_a_graph_is_built_without_pyshacl(tmp_path: Path) -> None:
    done = without(
        "pyshacl", "build", "huts:kitchen", "huts:kitchen-notes", "-o", str(tmp_path / "g.ttl")
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "g.ttl").stat().st_size > 1000


def test_constraints_in_sparql_are_refused_before_any_work_without_pyshacl(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("The Hochkar House is a hut with 4 beds.")
    for shapes, wanted in ((SHAPES, 0), (SHAPES + IN_SPARQL, 1)):
        (tmp_path / "o.ttl").write_text(shapes)
        done = without("pyshacl", "build", str(tmp_path / "o.ttl"), str(tmp_path / "notes"))
        assert done.returncode == wanted, done.stderr
        assert ('pip install "kgnb[shacl]"' in done.stderr) == bool(wanted)
        assert "Traceback" not in done.stderr
