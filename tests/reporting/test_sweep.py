import json

import pytest

from kgnb.errors import DataError
from kgnb.reporting.grid import part_of, read_grid
from kgnb.reporting.sweep import SweepError, run_sweep

PARAMETERS = "k: int = 2  # how many [1, 9]\nword: str = 'a'  # of what"
SAVES = (
    "import json, os\nfrom kgnb.reporting.session import current\n"
    "with open(os.environ['SEEN'], 'a') as seen: seen.write(f'{k}\\n')\n"
    "if word == 'bad': raise ValueError('no such word')\n"
    "(current().folder / 'metrics.json').write_text("
    "json.dumps({'headline': [{'F1': 10.0 * k}], 'calls': k, 'tokens': 7 * k}))"
)


@pytest.fixture
def sweep_file(write_notebook, tmp_path, monkeypatch):
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    write_notebook("# Small", PARAMETERS, SAVES)

    def write(**content):
        (tmp_path / "grid.yaml").write_text(json.dumps({"report": "small.ipynb"} | content))
        return tmp_path / "grid.yaml"

    return write


def seen(tmp_path):
    return sorted((tmp_path / "seen").read_text().split())


def test_a_grid_holds_every_combination_once_and_leaves_out_what_is_excluded(sweep_file):
    include = [{"k": 3, "word": "c"}, {"k": 1, "word": "a"}]
    grid = read_grid(sweep_file(parameters={"k": [1, 2], "word": ["a", "b"]}, include=include))
    assert [(item.values["k"], item.values["word"]) for item in grid.items] == [
        (1, "a"),
        (1, "b"),
        (2, "a"),
        (2, "b"),
        (3, "c"),
    ]
    assert grid.varied == ("k", "word")
    exclude = [{"k": 2, "word": "b"}, {"k": 3}]
    grid = read_grid(sweep_file(parameters={"k": [1, 2, 3], "word": ["a", "b"]}, exclude=exclude))
    assert [(item.values["k"], item.values["word"]) for item in grid.items] == [
        (1, "a"),
        (1, "b"),
        (2, "a"),
    ]
    assert grid.label(grid.items[0]) == "k=1 word=a"


WRONG = [  # the file after its first line, the line an error names, and what it says
    ("parameters:\n  k:\n    - 1\n    - 99\n", "line 5", "k: 99 is not allowed\nIt may be"),
    ("parameters:\n  wrod: b\n", "line 3", "did you mean word?"),
    ("parametres:\n  k: 1\n", "line 2", "did you mean parameters?"),
    ("include:\n  - k: 1\n  - k: 0\n", "line 4", "from 1 to 9"),
    ("parameters: {k: 1}\nexclude:\n  - {k: 1}\n", "line 3", "no combination is left"),
    ("exclude: {k: 1}\n", "line 2", "exclude: input should be a valid list"),
    ("parameters:\n  k: [1\n  word: a\n", "line 4", "this is not YAML"),
    ("parameters:\n  k: 1\n  k: 2\n", "", "'k' occurs twice, in lines 3 and 4"),
    ("parameters: {k: []}\n", "line 2", "empty list"),
    ("grid: {}\n", "line 2", "no entry 'grid'"),
    ("parameters: [1]\n", "line 2", "parameters: input should be a valid dictionary"),
]


def test_an_error_in_the_file_names_its_line_and_what_is_allowed(sweep_file, tmp_path):
    sweep_file()
    texts = [(f"report: small.ipynb\n{text}", line, said) for text, line, said in WRONG]
    texts += [
        ("\n\nreport: nothing\n", "line 3", "there is no report 'nothing'"),
        ("k: 1\n", "", "names its report"),
    ]
    for text, line, said in texts:
        (tmp_path / "wrong.yaml").write_text(text)
        with pytest.raises((DataError, ValueError)) as caught:
            read_grid(tmp_path / "wrong.yaml")
        assert (
            "wrong.yaml" in str(caught.value)
            and line in str(caught.value)
            and said in str(caught.value)
        ), text


def test_a_value_that_is_not_allowed_is_refused_before_anything_runs(
    sweep_file, settings, tmp_path
):
    with pytest.raises(ValueError, match="from 1 to 9"):
        run_sweep(sweep_file(parameters={"k": [1, 99]}), tmp_path / "out", settings=settings)
    assert not (tmp_path / "out").exists()
    items = read_grid(sweep_file(parameters={"k": [1, 2, 3, 4, 5]})).items
    assert sorted(item.number for i in (1, 2, 3) for item in part_of(items, f"{i}/3")) == [
        1,
        2,
        3,
        4,
        5,
    ]
    for wrong in ("0/2", "3/2", "x", "1"):
        with pytest.raises(ValueError, match="I/N"):
            part_of(items, wrong)


@pytest.mark.slow
def test_one_process_several_and_dask_workers_give_the_same_and_nothing_runs_twice(
    sweep_file, settings, tmp_path
):
    distributed = pytest.importorskip("distributed", reason="the extra kgnb[dask] is not installed")
    file = sweep_file(parameters={"k": [1, 2]})
    serial = run_sweep(file, tmp_path / "serial", settings=settings)
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address=None,
        host="127.0.0.1",
    ) as cluster:  # workers that are processes of their own are killed in test_on_dask
        spread = run_sweep(
            file, tmp_path / "dask", settings=settings, scheduler=cluster.scheduler_address
        )
    assert spread.width == 2
    again = [run_sweep(file, tmp_path / "parallel", workers=2, settings=settings) for _ in range(2)]
    for other in (spread, *again):
        assert other.states == {"done": 2}
        assert other.comparison.read_bytes() == serial.comparison.read_bytes()
        assert other.html.read_bytes() == serial.html.read_bytes()
    assert (
        seen(tmp_path) == ["1"] * 3 + ["2"] * 3
    )  # serial, on Dask, in parallel; the second time nothing
    rows = json.loads(serial.comparison.read_text())["rows"]
    assert [(row["figures"]["F1"], row["cost"]["calls"]) for row in rows] == [(10.0, 1), (20.0, 2)]


@pytest.mark.slow
def test_a_failure_is_tried_twice_and_stops_nothing(sweep_file, settings, tmp_path):
    file = sweep_file(parameters={"k": [1]}, include=[{"k": 4, "word": "bad"}])
    with pytest.raises(SweepError, match="1 of 2 reports failed") as caught:
        run_sweep(file, tmp_path / "out", settings=settings)
    assert caught.value.result.states == {"done": 1, "failed": 1}
    assert seen(tmp_path) == ["1", "4", "4"]
    failed = json.loads(caught.value.result.comparison.read_text())["rows"][1]
    assert failed["state"] == "failed" and "no such word" in failed["error"]
    assert "partial" in caught.value.result.html.read_text()
