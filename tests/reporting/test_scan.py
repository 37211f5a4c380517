import json

import nbformat
import pytest

from kgnb.cli import main
from kgnb.errors import DataError
from kgnb.reporting.scan import scan

pytestmark = pytest.mark.fault("scan for secrets")

KEY = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5q"
MIXED = "hj3K9sLq0vXz81PdTr47"


def notebook(path, **places):
    cell = nbformat.v4.new_code_cell(places.get("source", "1"))
    cell.outputs = [nbformat.v4.new_output("stream", text=places.get("output", ""))]
    cell.metadata["note"] = places.get("metadata", "")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# T"), cell])
    if "widget" in places:
        book.metadata["widgets"] = {"state": {"a": {"state": {"value": places["widget"]}}}}
    nbformat.write(book, path)


def test_a_key_in_a_notebook_is_found_where_it_is(tmp_path, record_property):
    record_property("tries", 4)
    for place, where in (
        ("source", "cell 2, source, line 2"),
        ("output", "cell 2, output 1, line"),
        ("metadata", "cell 2, metadata"),
        ("widget", "widget state"),
    ):
        notebook(tmp_path / "a.ipynb", **{place: f"x = 1\nuse {KEY} here"})
        [found] = scan(tmp_path)
        assert where in found.where
        assert KEY not in str(found) and KEY[8:] not in str(found)


SECRETS = (
    f'api_key = "{MIXED}"', f'{{"auth_token": "{MIXED}"}}', f"Authorization: Bearer {MIXED}",
    "endpoint = 'https://reader:hunter2@graph.example.org/sparql'", f"curl -H 'x: {KEY}'", 'password = "hunter2!"',
    "AKIAIOSFODNN7EXAMPLE", "-----BEGIN RSA PRIVATE KEY-----", f"OPENAI_API_KEY={MIXED}",
)  # fmt: skip
NONE = (
    'key = "env:OPENAI_API_KEY"', "max_tokens = 20000", f'"key": "{"ab12" * 16}"', 'token = os.environ["HF_TOKEN"]',
    "https://example.org/a:b@c", '"prompt_tokens": 123456', 'api_key="[redacted]"', "password: str",
)  # fmt: skip


def test_what_looks_like_a_secret_is_found_in_any_file_and_what_is_none_is_left_alone(tmp_path, record_property):
    names = ("a.toml", "page.html", "run.json")
    for line in SECRETS:
        for name in names:
            (tmp_path / name).write_text(f"first\n{line}\n")
        assert [(one.file.name, one.where) for one in scan(tmp_path)] == [(name, "line 2") for name in names], line
    for line in NONE:
        for name in names:
            (tmp_path / name).write_text(line)
        assert scan(tmp_path) == [], line
    record_property("tries", len(SECRETS) + len(NONE))


def test_a_known_value_is_found_however_it_is_written(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"x": "correct horse/battery"}))
    (tmp_path / "b.txt").write_text("q=correct%20horse%2Fbattery")
    assert [one.what for one in scan(tmp_path, ["correct horse/battery"])] == ["a known secret"] * 2


def test_the_command_names_what_it_finds_and_exits_with_1(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("MY_ODD_SECRET", "plain words only")
    (tmp_path / "a.html").write_text("<p>plain words only</p>")
    assert main(["scan", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert f"{tmp_path / 'a.html'}:1: a known secret" in shown.out
    assert "plain words" not in shown.out
    (tmp_path / "a.html").write_text("<p>nothing</p>")
    assert main(["scan", str(tmp_path)]) == 0


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        scan(tmp_path / "missing")
