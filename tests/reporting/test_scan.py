"""What a scan finds and what it leaves alone; thirty kinds of secrets are in
tests/faults/test_planted_kinds.py.
"""

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
    f'api_key = "{MIXED}"',
    f'{{"auth_token": "{MIXED}"}}',
    f"Authorization: Bearer {MIXED}",
    "endpoint = 'https://reader:hunter2@graph.example.org/sparql'",
    f"curl -H 'x: {KEY}'",
    'password = "hunter2!"',
    "AKIAIOSFODNN7EXAMPLE",
    "-----BEGIN RSA PRIVATE KEY-----",
    f"OPENAI_API_KEY={MIXED}",
)
HARMLESS = (
    'key = "env:OPENAI_API_KEY"',
    "max_tokens = 20000",
    f'"key": "{"ab12" * 16}"',
    'token = os.environ["HF_TOKEN"]',
    "https://example.org/a:b@c",
    '"prompt_tokens": 123456',
    'api_key="[redacted]"',
    "password: str",
)


def test_secrets_are_found_in_any_file_and_what_only_resembles_one_is_not(
    tmp_path, record_property
):
    for at, line in enumerate(SECRETS):
        (tmp_path / f"{at}.html").write_text(f"first\n{line}\n")
    found = scan(tmp_path)
    assert [(one.file.name, one.where) for one in found] == [
        (f"{at}.html", "line 2") for at in range(len(SECRETS))
    ]
    for at, line in enumerate(HARMLESS):
        (tmp_path / f"{at}.html").write_text(line)
    (tmp_path / f"{len(HARMLESS)}.html").unlink()
    assert scan(tmp_path) == []
    record_property("tries", len(SECRETS) + len(HARMLESS))
    with pytest.raises(DataError, match="no such file"):
        scan(tmp_path / "missing")


def test_the_command_finds_known_values_however_they_are_encoded_and_exits_with_1(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("MY_ODD_SECRET", "correct horse/battery")
    (tmp_path / "a.html").write_text("<p>correct horse/battery</p>")
    (tmp_path / "b.txt").write_text("q=correct%20horse%2Fbattery")
    (tmp_path / "c.json").write_text(json.dumps({"x": "correct horse/battery"}))
    assert main(["scan", str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    for place in ("a.html:1", "b.txt:1", "c.json:1"):
        assert f"{tmp_path}/{place}: a known secret" in shown
    assert "horse" not in shown
    (tmp_path / ".kgnb-scan-allow").write_text("* *\n")  # perhaps a stranger's
    assert main(["scan", str(tmp_path)]) == 0
    said = capsys.readouterr().err
    assert said == f"kgnb: no secrets found, besides what {tmp_path}/.kgnb-scan-allow lists\n"
    for path in tmp_path.iterdir():
        path.write_text("")
    assert main(["scan", str(tmp_path / "a.html")]) == 0
    assert capsys.readouterr().err == "kgnb: no secrets found\n"
