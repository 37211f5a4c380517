"""The graphs the questions are asked of, two of them real and laid out as RDF from the data folder.

``codex``: CoDEx-M with its types; labels of entities are ours (``labels.txt``), those in question
files at hand, and those of classes: most people have none. ``webnlg``: the DBpedia triples behind
Text2KGBench's dbpedia_webnlg (train and reference); types come from each ontology's domains and
ranges, numbers and dates are typed. ``geography``: ours, made up by ``geography.py``;
``us_geography``: ours, facts of ``us-geography.tsv``; ``huts``: our teaching graph.
"""

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyoxigraph

HERE = Path(__file__).parent
RDF, RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"
WD, WDT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
WEBNLG = "http://example.org/webnlg/"
US = "http://example.org/us-geography/"
SKOS = "http://www.w3.org/2004/02/skos/core#"
NO_CLASS = re.compile("xsd|string|date|number|integer|double|year")


def codex(data: Path) -> list[str]:
    """CoDEx-M as N-Triples, sorted."""
    folder = data / "codex"
    triples: set[tuple[str, ...]] = set()
    for name in ("train.txt.gz", "test.txt", "valid.txt"):
        file = folder / "codex-m" / name
        with gzip.open(file, "rt") if name.endswith(".gz") else file.open() as lines:
            triples |= {tuple(line.split()) for line in lines}
    relations = json.loads((folder / "relations.en.json").read_text())
    types = json.loads(gzip.decompress((folder / "types.en.json.gz").read_bytes()))
    kinds = json.loads(gzip.decompress((folder / "entity2types.json.gz").read_bytes()))
    entities = {end for head, _, tail in triples for end in (head, tail)}
    labels = dict(line.split(" ", 1) for line in (HERE / "labels.txt").read_text().splitlines())
    for name in ("T-REX", "Zero_Shot_RE", "qald_10-en"):
        for row in json.loads((data / "kgqa" / "oda" / f"{name}.json").read_text()):
            for entity, label in (row.get("topic_entity") or {}).items():
                if isinstance(label, str):
                    labels.setdefault(entity, label)
    for entity in sorted(entities | {kind for one in entities for kind in kinds.get(one, [])}):
        if types.get(entity, {}).get("label"):
            labels.setdefault(entity, types[entity]["label"])
    out = {f"<{WD}{head}> <{WDT}{relation}> <{WD}{tail}> ." for head, relation, tail in triples}
    out |= {
        _labelled(f"{WDT}{one}", relations[one]["label"])
        for one in {relation for _, relation, _ in triples}
    }
    out |= {_labelled(WD + entity, label) for entity, label in labels.items() if entity in entities}
    for entity in entities:
        for kind in kinds.get(entity, []):
            if types.get(kind, {}).get("label"):
                out |= {
                    f"<{WD}{entity}> <{RDF}type> <{WD}{kind}> .",
                    *_class(WD + kind, types[kind]["label"]),
                }
    return sorted(out)


def webnlg(data: Path) -> list[str]:
    """The triples of dbpedia_webnlg as N-Triples, sorted."""
    root, out = data / "text2kg" / "dbpedia_webnlg", set[str]()
    for path in sorted((root / "ontologies").glob("*.json")):
        name, ontology = path.name.removesuffix("_ontology.json"), json.loads(path.read_text())
        concepts = {one["qid"]: one["label"] for one in ontology["concepts"]}
        relations = {one["label"]: one for one in ontology["relations"]}
        for file in (
            root / "train" / f"ont_{name}_train.jsonl",
            root / "ground_truth" / f"ont_{name}_ground_truth.jsonl",
        ):
            for line in file.read_text().splitlines():
                for triple in json.loads(line)["triples"]:
                    out |= _webnlg(triple, relations.get(triple["rel"], {}), concepts)
    return sorted(out)


def _webnlg(triple: dict[str, str], relation: dict[str, Any], concepts: dict[str, str]) -> set[str]:
    subject, rel, said = triple["sub"].strip('"'), triple["rel"], triple["obj"]
    value, predicate = said.strip('"'), f"{WEBNLG}relation/{quote(rel)}"
    out = {_labelled(_entity(subject), _name(subject)), _labelled(predicate, _spaced(rel).lower())}
    out |= _typed(subject, concepts.get(relation.get("domain", "")))
    number = re.fullmatch(r"(-?\d+(?:\.\d+)?(?:[eE]\+?\d+)?)(?: \((?:\w| )+\))?", value)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        ending = f'"{value}"^^<{XSD}date>'
    elif number and re.search("[.eE]", number[1]):
        ending = f'"{float(number[1]):.6g}"^^<{XSD}double>'
    elif number:
        ending = f'"{number[1]}"^^<{XSD}integer>'
    elif said.startswith('"'):
        ending = f'"{_escaped(value)}"'
    else:
        ending = f"<{_entity(said)}>"
        out |= {
            _labelled(_entity(said), said.replace("_", " ")),
            *_typed(said, concepts.get(relation.get("range", ""))),
        }
    return out | {f"<{_entity(subject)}> <{predicate}> {ending} ."}


def _typed(entity: str, concept: str | None) -> set[str]:
    if not concept or NO_CLASS.search(concept.lower()):
        return set()
    kind = f"{WEBNLG}class/{quote(concept)}"
    return {f"<{_entity(entity)}> <{RDF}type> <{kind}> .", *_class(kind, _spaced(concept).lower())}


def _entity(name: str) -> str:
    return f"{WEBNLG}entity/{quote(name, safe='_(),.-')}"


def _name(entity: str) -> str:
    return entity.replace("_", " ") if "_" in entity else _spaced(entity)


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ")


def _class(iri: str, label: str) -> set[str]:
    return {f"<{iri}> <{RDF}type> <{RDFS}Class> .", _labelled(iri, label)}


def _labelled(iri: str, label: str) -> str:
    return f'<{iri}> <{RDFS}label> "{_escaped(label)}"@en .'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def geography(_: Path) -> list[str]:
    """The invented country, as N-Triples, sorted."""
    done = subprocess.run(
        [sys.executable, HERE / "geography.py"], check=True, capture_output=True, text=True
    )
    return sorted(done.stdout.splitlines())


def us_geography(_: Path) -> list[str]:
    """The geography of the United States as N-Triples, sorted: tables of classes, properties,
    things and names.
    """
    ranges, out = dict[str, str](), set[str]()
    for table in (HERE / "us-geography.tsv").read_text().strip().split("\n\n"):
        (kind, *columns), *rows = (line.split("\t") for line in table.splitlines())
        for key, *cells in rows:
            row = {column: cell for column, cell in zip(columns, cells, strict=False) if cell}
            if kind == "Class":
                out |= _class(f"{US}class/{key}", row["label"])
                if "subClassOf" in row:
                    out.add(
                        f"<{US}class/{key}> <{RDFS}subClassOf> <{US}class/{row['subClassOf']}> ."
                    )
            elif kind == "Property":
                ranges[key] = row["range"]
                out |= _us_property(f"{US}relation/{key}", row)
            elif kind == "Alias":
                out |= {
                    f'{_us(key, "")} <{SKOS}altLabel> "{one}"@en .'
                    for one in row["name"].split(";")
                }
            else:
                subject = _us(key, kind)
                out |= {
                    f"{subject} <{RDF}type> <{US}class/{kind}> .",
                    _labelled(subject[1:-1], key.split(", ")[0]),
                }
                for column, cell in row.items():
                    out |= {
                        f"{subject} <{US}relation/{column}> {_us(one, ranges[column])} ."
                        for one in cell.split(";")
                    }
    return sorted(out)


def _us(cell: str, kind: str) -> str:
    if kind == "string":
        return f'"{_escaped(cell)}"@en'
    if kind[0:1].islower():
        return f'"{cell}"^^<{XSD}{kind}>'
    key = cell if "/" in cell else f"{kind}/{cell}"
    return f"<{US}{quote(key.replace(', ', '_').replace(' ', '_'))}>"


def _us_property(iri: str, row: dict[str, str]) -> set[str]:
    of = row["range"]
    ends = (
        f"{RDF}langString"
        if of == "string"
        else f"{XSD}{of}"
        if of[0].islower()
        else f"{US}class/{of}"
    )
    out = {
        _labelled(iri, row["label"]),
        f"<{iri}> <{RDF}type> <{RDF}Property> .",
        f"<{iri}> <{RDFS}domain> <{US}class/{row['domain']}> .",
        f"<{iri}> <{RDFS}range> <{ends}> .",
    }
    return out | (
        {f'<{iri}> <{RDFS}comment> "{row["comment"]}"@en .'} if "comment" in row else set()
    )


def huts(_: Path) -> list[str]:
    """Our huts as N-Triples, sorted."""
    return _turtle(HERE.parents[2] / "data" / "huts" / "graph.ttl")


def _turtle(file: Path) -> list[str]:
    store = pyoxigraph.Store()
    store.load(path=file, format=pyoxigraph.RdfFormat.TURTLE)
    return sorted(f"{quad.triple} ." for quad in store)


GRAPHS: dict[str, Callable[[Path], list[str]]] = {
    "codex-m": codex,
    "codex-m-2": codex,
    "codex-m-unanswerable": codex,
    "geography": geography,
    "geography-unanswerable": geography,
    "huts-paraphrases": huts,
    "huts-unanswerable": huts,
    "us-geography": us_geography,
    "us-geography-unanswerable": us_geography,
    "webnlg": webnlg,
    "webnlg-2": webnlg,
    "webnlg-unanswerable": webnlg,
    **{
        name: lambda _, name=name: _turtle(HERE / f"{name}.ttl")  # type: ignore[misc]
        for name in ("museum", "rota", "catalogue", "chamber")
    },
}
"""The graph of each file of questions."""


def lines_of(name: str) -> list[str]:
    """The graph of a file of questions, as N-Triples."""
    return GRAPHS[name](Path(os.environ.get("KGNB_DATA", "")))
