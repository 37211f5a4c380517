"""Our own set is found in a checkout and in an installed package, by name."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kgnb
from kgnb.datasets import huts
from kgnb.datasets.oaei import matching_set


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
def test_it_is_found_where_the_wheel_and_where_the_checkout_put_it(inside: bool, tmp_path: Path) -> None:
    package = tmp_path / "kgnb"
    for part in ("datasets", "kg"):
        shutil.copytree(Path(kgnb.__path__[0]) / part, package / part)
    for file in Path(kgnb.__path__[0]).glob("[!_]*.py"):
        shutil.copy(file, package)
    (package / "__init__.py").touch()
    data = (package if inside else tmp_path) / "data" / "huts"
    code = "from kgnb.datasets.huts import folder; print(folder())"
    missing = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "kgnb's own data set is missing" in missing.stderr
    shutil.copytree(huts.folder(), data)
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()) == data.resolve()
