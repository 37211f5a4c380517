"""Our own set is found in a checkout and in an installed package, by name, and its references hold
together.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pyshacl
import pytest
import rdflib

import kgnb
from kgnb.datasets import huts
from kgnb.datasets.oaei import matching_set
from kgnb.evaluate.extraction import read_records
from kgnb.reporting.kg_construction import reference_graph
from kgnb.tasks.building import compile_ontology

REFERENCES = {
    name: reference_graph(huts.path(f"{name}-reference")) for name in ("kitchen", "dairy")
}


def test_the_set_has_one_case_whose_files_exist() -> None:
    (case,) = matching_set("huts").cases
    assert case.reference is not None
    assert all(path.is_file() for path in (case.source, case.target, case.reference))
    assert matching_set("huts").case("refuge-alpine").source == case.target


def test_a_file_is_named_by_its_side() -> None:
    assert huts.path("refuge").name == "refuge.owl"
    with pytest.raises(ValueError, match="huts has no 'cellar'; it has alpine, refuge, reference"):
        huts.path("cellar")


@pytest.mark.parametrize("inside", [True, False])
def test_it_is_found_where_the_wheel_and_where_the_checkout_put_it(
    inside: bool, tmp_path: Path
) -> None:
    package = tmp_path / "kgnb"
    for part in ("datasets", "kg"):
        shutil.copytree(Path(kgnb.__path__[0]) / part, package / part)
    for file in Path(kgnb.__path__[0]).glob("[!_]*.py"):
        shutil.copy(file, package)
    (package / "__init__.py").touch()
    data = (package if inside else tmp_path) / "data" / "huts"
    code = "from kgnb.datasets.huts import folder; print(folder())"
    missing = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "kgnb's own data set is missing" in missing.stderr
    shutil.copytree(huts.folder(), data)
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert Path(found.stdout.strip()) == data.resolve()


@pytest.mark.parametrize(
    ("name", "ontology"),
    [("kitchen", ("huts:kitchen", "huts:kitchen-shapes")), ("dairy", ("huts:dairy",))],
)
def test_a_reference_conforms_to_the_compiled_tbox_and_shapes(
    name: str, ontology: tuple[str, ...]
) -> None:
    shapes = rdflib.Graph().parse(data=compile_ontology(*ontology).shacl(), format="turtle")
    whole = REFERENCES[name] + rdflib.Graph().parse(huts.path(name))
    conforms, _, text = pyshacl.validate(whole, shacl_graph=shapes)
    assert conforms, text[:2000]


@pytest.mark.parametrize(("name", "records"), [("recipes", 15), ("portions", 73), ("steps", 57)])
def test_every_record_of_the_kitchens_is_read_back(name: str, records: int) -> None:
    (query,) = [one for one in huts.KITCHEN_QUERIES if one.name == name]
    found = read_records(REFERENCES["kitchen"], query.query)
    assert len(found) == records
    assert all(record.get("recipe") or record.get("title") for record in found)


def test_the_dairies_register_knows_every_supply_and_puts_it_first() -> None:
    (query,) = [one for one in huts.DAIRY_QUERIES if one.name == "supplies"]
    supplies = read_records(REFERENCES["dairy"], query.query)
    first = {row["number"] for one in supplies for row in huts.register(one["name"][0])[:1]}
    assert {one["number"][0] for one in supplies} <= first
