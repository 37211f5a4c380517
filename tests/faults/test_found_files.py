"""A settings file that is found, not named, does nothing that its user has not agreed to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import kgnb
from kgnb.cli import main
from kgnb.errors import ConfigError, UntrustedFile
from kgnb.settings import Settings, trust_config
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer

pytestmark = pytest.mark.fault("a stranger's settings file")

MATCH = ["match", "huts:alpine", "huts:refuge", "--judge", "rule", "--embedder", "characters"]
# what a stranger would like to choose, a table and a line each
WISHES = (
    ("model", 'base_url = "http://127.0.0.1:9/v1"'),
    ("model", 'key = "env:GITHUB_TOKEN"'),
    ("model", 'headers = {X = "env:GITHUB_TOKEN"}'),
    ("model", 'name = "dear-model"'),
    ("model", 'extra_body = {service_tier = "priority"}'),
    ("model", 'prices = "/etc/passwd"'),
    ("model", 'judge = "dear-model"'),
    ("vectors", 'index = "vectors"'),
    ("vectors", 'index = "http://127.0.0.1:9"'),
    ("vectors", 'embedder = "sentence-transformers:./evil"'),
    ("vectors", 'base_url = "http://127.0.0.1:9/v1"'),
    ("folders", 'cache = "taken"'),
    ("folders", 'data = "/"'),
    ("serve", 'tbox = "http://127.0.0.1:9/sparql"'),
    ("budget", "usd = 0"),
    ("endpoints.wikidata", 'url = "http://127.0.0.1:9/sparql"\nauth = "env:GITHUB_TOKEN"'),
)


def write(folder: Path, text: str) -> Path:
    path = folder / "kgnb.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(("table", "line"), WISHES)
def test_a_file_found_may_not_choose(tmp_path: Path, table: str, line: str) -> None:
    path = write(tmp_path, f"[{table}]\n{line}\n")
    inner = tmp_path / "deep" / "er"
    inner.mkdir(parents=True)
    for folder in (tmp_path, inner):
        with pytest.raises(UntrustedFile, match=f"(?s)not been trusted.*{table}") as caught:
            Settings.load(folder, {})
    assert f"kgnb trust {path}" in caught.value.fix
    assert Settings.load(inner, {}, found="none") == Settings.load(Path("/"), {}, found="none")


def test_a_harmless_file_counts_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, '[model]\ntemperature = 0.5\nseed = 7\n[report]\nauthor = "Ada"\n')
    settings = Settings.load(tmp_path, {})
    assert (settings.temperature, settings.seed, settings.author) == (0.5, 7, "Ada")


def test_a_trusted_file_counts_until_it_changes_and_only_where_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, '[model]\nname = "m"\n')
    assert trust_config(path) == ["model.name = m"]
    assert Settings.load(tmp_path, {}).model == "m"
    elsewhere = tmp_path / "copy"
    elsewhere.mkdir()
    write(elsewhere, path.read_text())
    with pytest.raises(UntrustedFile, match="not been trusted"):
        Settings.load(elsewhere, {})
    write(tmp_path, '[model]\nname = "m"\nbase_url = "http://127.0.0.1:9/v1"\n')
    with pytest.raises(UntrustedFile, match="has changed since"):
        Settings.load(tmp_path, {})
    trust_config(path)
    assert Settings.load(tmp_path, {}).base_url


@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a file away"
)
def test_a_file_of_another_user_is_never_trusted_but_may_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, '[vectors]\nindex = "vectors"\n')
    os.chown(path, 65534, 65534)
    inner = tmp_path / "mine"
    inner.mkdir()
    with pytest.raises(UntrustedFile, match="belongs to another user") as caught:
        Settings.load(inner, {})
    assert f"KGNB_CONFIG={path}" in caught.value.fix
    with pytest.raises(ConfigError, match="belongs to another user"):
        trust_config(path)
    # trusted while it was ours, and then given away
    os.chown(path, 0, 0)
    trust_config(path)
    os.chown(path, 65534, 65534)
    with pytest.raises(UntrustedFile, match="belongs to another user"):
        Settings.load(inner, {})
    assert Settings.load(inner, {"KGNB_CONFIG": str(path)}).index == str(tmp_path / "vectors")


def test_a_file_that_is_named_counts_whoever_wrote_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    named = tmp_path / "other.toml"
    named.write_text('[folders]\ncache = "kept"\n')
    write(tmp_path, '[folders]\ncache = "not this"\n')
    monkeypatch.delenv("KGNB_CACHE")
    assert Settings.load(tmp_path, {"KGNB_CONFIG": "other.toml"}).cache == Path("kept")
    assert main(["--config", "other.toml", "cache", "info"]) == 0
    assert capsys.readouterr().out.startswith(str(tmp_path / "kept"))
    assert main(["cache", "info"]) == 1
    assert main(["--config", "none", "cache", "info"]) == 0
    assert main(["--config", "missing.toml", "cache", "info"]) == 1
    assert "missing.toml: cannot be read" in capsys.readouterr().err


def test_the_user_s_own_settings_need_no_trust_and_their_key_stays_with_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "config"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    (home / "kgnb").mkdir(parents=True)
    write(
        home / "kgnb", '[model]\nname = "mine"\nkey = "env:MINE"\n[endpoints.a]\nurl = "http://a"\n'
    )
    project = tmp_path / "project"
    project.mkdir()
    assert Settings.load(project, {}).key == "env:MINE"
    trust_config(write(project, '[model]\nname = "theirs"\n[endpoints.b]\nurl = "http://b"\n'))
    settings = Settings.load(project, {})
    assert (settings.model, settings.key) == ("theirs", "env:MINE")
    assert [one.name for one in settings.endpoints] == ["a", "b"]
    trust_config(write(project, '[model]\nbase_url = "http://127.0.0.1:9/v1"\n'))
    assert Settings.load(project, {}).key == ""


def test_no_command_sends_a_key_for_a_file_found_and_says_what_it_would_have_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_planted-token-1")
    with StubServer(oblige) as server:
        write(
            tmp_path,
            f'[vectors]\nembedder = "openai:x"\nbase_url = "{server.url}"\nkey = "env:GITHUB_TOKEN"\n',
        )
        assert main([*MATCH[:-2], "-o", "o.sssom.tsv"]) == 1
        with pytest.raises(UntrustedFile):
            kgnb.match_ontologies("huts:alpine", "huts:refuge")
        assert not server.requests
    said = capsys.readouterr().err
    for wanted in (server.url, "env:GITHUB_TOKEN", "kgnb trust", "--config none"):
        assert wanted in said
    assert main(["--config", "none", *MATCH, "-o", "o.sssom.tsv"]) == 0


def test_kgnb_trust_says_what_it_sets_and_never_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["trust"]) == 2
    write(
        tmp_path,
        '[model]\nbase_url = "http://me:pass-word-1@127.0.0.1:9/v1?key=planted"\n'  # pragma: allowlist secret
        'headers = {Authorization = "planted"}\n',
    )
    assert main(["trust"]) == 0
    said = capsys.readouterr()
    assert "model.base_url = http://127.0.0.1:9/v1" in said.out
    assert "model.headers: Authorization" in said.out
    assert "pass-word-1" not in said.out + said.err and "planted" not in said.out + said.err
    assert main(["cache", "info"]) == 0


def test_a_notebook_goes_on_without_the_file_until_it_is_trusted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from kgnb.magics import load

    monkeypatch.chdir(tmp_path)
    write(tmp_path, '[endpoints.theirs]\nurl = "http://127.0.0.1:9/sparql"\n')
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    request.addfinalizer(InteractiveShell.clear_instance)
    load(shell)
    said = capsys.readouterr().out
    assert "endpoints.theirs = http://127.0.0.1:9/sparql" in said and "%kg trust" in said
    shell.run_cell("%kg list")
    assert "theirs" not in capsys.readouterr().out
    shell.run_cell("%kg trust")
    shell.run_cell("%kg list")
    assert "Also in kgnb.toml: theirs" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    [
        b"a = " + b"[" * 100_000,
        b"#" * (2 << 20),
        b"a = " + b"9" * 6000,
        b"\xff\xfe",
        b"[model\x00]",
    ],
    ids=["deep", "long", "number", "bytes", "nul"],
)
def test_a_file_found_that_cannot_be_read_is_one_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "kgnb.toml").write_bytes(content)
    with pytest.raises((kgnb.DataError, ConfigError), match=r"kgnb\.toml"):
        Settings.load(tmp_path, {})


def test_a_secret_is_found_by_a_scan_whether_the_file_is_trusted_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OURS", "plain-looking-4711")
    write(tmp_path, '[model]\nkey = "env:OURS"\n')
    (tmp_path / "notes.txt").write_text("it says plain-looking-4711 here\n")
    assert main(["scan", str(tmp_path)]) == 1
    assert "notes.txt" in capsys.readouterr().out


def test_a_list_of_trusted_files_that_is_damaged_trusts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = write(tmp_path, '[model]\nname = "m"\n')
    trust_config(path)
    [kept] = (tmp_path / "config").rglob("trusted.json")
    for damage in ("[]", "{", '"*"'):
        kept.write_text(damage)
        with pytest.raises(kgnb.DataError, match="trust your files again"):
            Settings.load(tmp_path, {})
