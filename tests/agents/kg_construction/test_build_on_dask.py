"""Documents read by the workers of a Dask cluster: the same graph, byte for byte."""

from pathlib import Path
from typing import Any

import pytest

from kgnb.agents.kg_construction.instantiate import Options
from kgnb.cli import main
from kgnb.errors import ConfigError
from kgnb.llm.model import Reply
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph, compile_ontology

distributed: Any = pytest.importorskip(
    "distributed", reason="the extra kgnb[dask] is not installed"
)


@pytest.mark.slow
def test_two_workers_build_what_one_process_builds_and_nothing_is_read_twice(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.pdf"
    empty.write_bytes(b"%PDF-1.4 nothing")
    build = ["build", "huts:kitchen", "huts:kitchen-notes", str(empty), "--judge", "rule"]
    build += ["--shapes", "huts:kitchen-shapes"]
    alone, spread, again = (tmp_path / f"{name}.trig" for name in ("alone", "spread", "again"))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        there = ["--scheduler", cluster.scheduler_address, "--folder", str(tmp_path / "kept")]
        for out, more in ((alone, []), (spread, there), (again, there)):
            assert main([*build, "--out", str(out), *more]) == 1
            said = capfd.readouterr().err
            assert "1 failed" in said and ("15 resumed" in said) == (out == again), said
    assert alone.read_bytes() == spread.read_bytes() == again.read_bytes()


def test_a_model_is_asked_by_one_process() -> None:
    pack = compile_ontology("huts:kitchen")
    options = Options(scheduler="tcp://127.0.0.1:9")
    model = ScriptedModel(lambda request: Reply(""))
    with pytest.raises(ConfigError, match="without a model"):
        build_graph({"note": "Tea"}, pack, judge="model", model=model, options=options)
