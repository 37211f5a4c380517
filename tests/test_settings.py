from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from kgnb.backends import open_embedder
from kgnb.errors import ConfigError, DataError
from kgnb.settings import Settings, known_secrets, setting_names, trust_config
from tests.vectors.embedding_server import EmbeddingServer


def write(folder: Path, text: str) -> Path:
    """A folder whose settings are trusted, as far as they can be read."""
    path = folder / "kgnb.toml"
    path.write_text(text)
    with suppress(ConfigError, DataError):
        trust_config(path)
    return folder


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    write(tmp_path, '[model]\nname = "small"\nwidth = 2\n')
    settings = Settings.load(tmp_path, {"KGNB_MODEL": "large"})
    assert (settings.model, settings.width) == ("large", 2)


def test_a_parent_folder_s_file_counts_and_its_paths_are_relative_to_it(tmp_path: Path) -> None:
    write(tmp_path, '[folders]\ncache = "kept"\n')
    inner = tmp_path / "notebooks" / "deep"
    inner.mkdir(parents=True)
    assert Settings.load(inner, {}).cache == tmp_path / "kept"


@pytest.mark.fault("bad settings and JSON")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[model]\nnmae = "x"\n', "Did you mean model.name?"),
        ('[model]\nkey = "sk-planted-0123456789"\n', "holds a key itself"),
        ('[model]\nwidth = "many"\n', "model.width is 'many'"),
        ("[model]\nwidth = 0\n", "greater than or equal to 1"),
        ('[model]\nreplay = "maybe"\n', "'record', 'replay' or 'live'"),
        ('[endpoints.ours]\nauth = "env:X"\n', "has no url"),
        (
            '[endpoints.ours]\nurl = "http://x"\nauth = "sk-planted-0123456789"\n',
            "holds a key itself",
        ),
        ('[endpoints.ours]\nurl = "http://x"\ntimeuot = 3\n', "Did you mean timeout?"),
        ("[endpoints.ours]\nurl = 3\n", "is 3"),
        ("[budget]\ncalls = 0.5\n", "budget.calls is 0.5"),  # no budget at all, if it were cut to 0
    ],
)
def test_a_wrong_setting_says_what_and_how_to_mend_it(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ConfigError) as error:
        Settings.load(write(tmp_path, text), {})
    assert message in str(error.value)
    assert "sk-planted" not in str(error.value)


@pytest.mark.fault("bad settings and JSON")
def test_a_wrong_value_in_a_call_is_refused_and_a_key_never_shown() -> None:
    for wrong, message in (
        ({"key": "sk-planted-1"}, "key holds"),
        ({"price": "5"}, "price is '5'"),
    ):
        with pytest.raises(ConfigError, match=message) as error:
            Settings().with_(**wrong)
        assert "planted" not in str(error.value)
    with pytest.raises(ValueError, match="holds a key itself") as invalid:
        Settings(key="sk-planted-1")
    assert "planted" not in str(invalid.value)


def test_a_file_of_windows_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    assert Settings.load(write(tmp_path, '\ufeff[model]\nname = "m"\n'), {}).model == "m"


def test_a_malformed_file_names_the_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"kgnb\.toml: .*line 2"):
        Settings.load(write(tmp_path, "[model]\nname = \n"), {})


def test_a_key_in_the_environment_is_found_by_its_handle() -> None:
    assert Settings(key="env:MY_KEY").api_key({"MY_KEY": "planted"}).reveal() == "planted"
    assert (
        Settings().api_key({"OPENAI_API_KEY": "planted\n"}).reveal() == "planted"
    )  # out of a file, with its line end


def test_the_default_server_s_key_never_goes_to_another_server() -> None:
    assert not Settings(base_url="http://127.0.0.1:1/v1").api_key({"OPENAI_API_KEY": "planted"})


def test_the_model_s_key_goes_to_no_other_server_of_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "planted")
    settings = Settings(embedder="openai:m", cache=tmp_path)
    with ExitStack() as stack:
        stack.callback((server := EmbeddingServer()).stop)
        open_embedder(None, settings.with_(embedder_url=server.url)).embed(["hut"])
        open_embedder(None, settings.with_(base_url=server.url, key="env:OPENAI_API_KEY")).embed(
            ["bed"]
        )
    assert [seen["authorization"] for seen in server.headers] == ["Bearer none", "Bearer planted"]


def test_the_secrets_of_headers_and_of_variables_named_by_custom_are_known() -> None:
    settings = Settings(headers='{"X-Team": "env:TEAM", "X-Title": "mountain huts"}')
    known = known_secrets(
        settings, {"TEAM": "planted-1", "PGPASSWORD": "planted-2", "DB_PASS": "planted-3"}
    )
    assert known == ("planted-1", "planted-2", "planted-3")


def test_the_settings_page_lists_every_setting() -> None:
    page = (Path(__file__).parent.parent / "docs" / "settings.md").read_text(encoding="utf-8")
    for name, (toml, variable) in setting_names().items():
        assert f"| `{toml}` | `{variable}` |" in page
        assert str(Settings.model_fields[name].description) in page


def test_services_are_described_by_name(tmp_path: Path) -> None:
    text = '[endpoints.ours]\nurl = "http://127.0.0.1:1/q"\nauth = "env:OURS"\ngraph = "urn:g"\ntimeout = 5\n'
    [ours] = Settings.load(write(tmp_path, text), {}).endpoints
    assert (ours.name, ours.url, ours.auth, ours.graph, ours.timeout) == (
        "ours",
        "http://127.0.0.1:1/q",
        "env:OURS",
        "urn:g",
        5,
    )
