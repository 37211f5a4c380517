"""``kgnb cache``: looked at, handed on, taken in, replayed without a model, emptied."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgnb.cli import main
from kgnb.cli.cache import cache
from kgnb.settings import Settings
from tests.agents.ontology_matching.small import alpine, refuge
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer

Said = tuple[int, str]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Said]:
    """Runs the command on a cache of this name."""

    def run(home: Path, *words: str, typed: str = "") -> Said:
        monkeypatch.setenv("KGNB_CACHE", str(home))
        done = CliRunner().invoke(cache, list(words), input=typed)
        return done.exit_code, done.output

    return run


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A cache with what matching two small ontologies by a model leaves there."""
    from kgnb.tasks.matching import match_ontologies

    with StubServer(oblige) as server:
        settings = Settings(
            embedder="characters", cache=tmp_path / "mine", model="stub", base_url=server.url
        )
        match_ontologies(alpine(), refuge(), judge="model", settings=settings)
    return tmp_path / "mine"


def counts(said: str) -> dict[str, int]:
    lines = [
        line.split()
        for line in said.splitlines()
        if line.split()[0] in ("replies", "verdicts", "vectors")
    ]
    return {words[0]: int(words[1].replace(",", "")) for words in lines}


def test_a_cache_is_handed_on_whole_and_emptied_kind_by_kind(
    say: Callable[..., Said], filled: Path, tmp_path: Path
) -> None:
    status, said = say(filled, "info")
    kept = counts(said)
    assert status == 0 and set(kept) == {"replies", "verdicts", "vectors"} and all(kept.values())
    assert counts(say(filled, "export", str(tmp_path / "shared"))[1]) == kept
    yours = tmp_path / "yours"
    assert counts(say(yours, "import", str(tmp_path / "shared"))[1]) == kept
    assert counts(say(yours, "import", str(tmp_path / "shared"))[1]) == dict.fromkeys(
        kept, 0
    )  # all there already
    assert counts(say(yours, "info")[1]) == kept
    assert counts(say(filled, "export", "--no-vectors", str(tmp_path / "small"))[1]).keys() == {
        "replies",
        "verdicts",
    }
    # deleted only when one means it, and only what is named
    assert (
        say(yours, "clear", "verdicts", typed="n\n")[0] != 0
        and counts(say(yours, "info")[1]) == kept
    )
    assert say(yours, "clear", "verdicts", typed="y\n")[0] == 0
    assert counts(say(yours, "info")[1]) == kept | {"verdicts": 0}
    assert counts(say(yours, "clear", "--yes")[1]) == kept | {"verdicts": 0}
    assert not any(counts(say(yours, "info")[1]).values())


def test_wrong_words_and_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken" / "replies").mkdir(parents=True)
    (tmp_path / "broken" / "verdicts.jsonl").write_text('{"judge": 1}\n')
    (tmp_path / "file").write_text("no folder")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KGNB_CACHE", str(tmp_path / "cache"))
    for words, told in (
        (("import", "nowhere"), "does not exist"),
        (("import", "empty"), "there is no exported cache"),
        (("import", "broken"), "verdicts.jsonl:1"),
        (("export", "file"), "is a file"),
        (("clear", "everything"), "it has replies, verdicts, vectors"),
        (("fill",), "No such command"),
    ):
        assert main(("cache", *words)) in (1, 2)
        assert told in capsys.readouterr().err, words
