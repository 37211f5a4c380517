"""Settings from ``kgnb.toml`` and the environment, which no other module reads.

Precedence: arguments of a call > ``KGNB_*`` environment variables > ``kgnb.toml`` (named by
``KGNB_CONFIG``, or found in this folder or a parent and trusted) > the user's own ``kgnb.toml`` >
defaults. A secret is named, never written: ``key = "env:OPENAI_API_KEY"``.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar
from typing import Literal as OneOf
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError

from kgnb.errors import ConfigError, DataError, UntrustedFile, nearest, shown
from kgnb.files import from_json
from kgnb.secret import SHORTEST, Secret
from kgnb.trust import SettingsFile, cache_folder, config_folder


def secret(handle: str, environment: Mapping[str, str] | None = None) -> Secret:
    """The secret behind a handle ``env:NAME``, or ``keyring:SERVICE/USER`` of the system's key
    store.

    Raises:
        ConfigError: the handle is a bare value (it would end up in a file), or the variable is not
            set.
    """
    scheme, _, name = handle.partition(":")
    if scheme == "keyring":
        service, _, user = name.rpartition("/")  # a service may be a URL
        if not service or not user:
            raise ConfigError(
                f"{handle!r} does not say whose key", fix="Write keyring:SERVICE/USER."
            )
        return Secret(_from_keyring(service, user), handle)
    if scheme != "env" or not name:
        raise ConfigError(
            "a key is named, never written out",
            fix='Put it in an environment variable and say env:NAME, for example key = "env:OPENAI_API_KEY".',
        )
    value = (
        (os.environ if environment is None else environment).get(name, "").strip("\r\n")
    )  # of a file it came from
    if not value:
        raise ConfigError(
            f"the environment variable {name} is not set",
            fix=f"export {name}=... before starting Jupyter.",
        )
    return Secret(value, handle)


SECRET_NAME = re.compile(
    r"(^|_|^PG)(API_?KEY|KEY|TOKEN|SECRET|PASS(WORD|WD|PHRASE)?|PWD|CREDENTIALS?)($|_)", re.I
)
_HANDLE = re.compile("env:|keyring:")


def secret_variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment variables with names like those of secrets, to be kept out of saved files.

    >>> secret_variables({"HF_TOKEN": "abcd-1234", "PATH": "/bin", "SSH_KEY": "/home/me/key", "KGNB_KEY": "env:MINE"})
    {'HF_TOKEN': 'abcd-1234'}
    """
    environment = os.environ if environment is None else environment
    return {
        name: value
        for name, value in environment.items()
        if SECRET_NAME.search(name)
        and len(value) >= 8
        and not value.startswith(("/", "env:", "keyring:"))
    }


def known_secrets(
    settings: Settings, environment: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """The secrets behind these settings: their keys, passwords and keys in their URLs and in those
    of the environment, and every environment variable with a name like that of a secret.
    """
    environment = os.environ if environment is None else environment
    urls = [settings.base_url, settings.embedder_url, settings.index]
    urls += [url for one in settings.endpoints for url in (one.url, one.update_url)]
    urls += [value for value in environment.values() if "://" in value]
    values = [
        *(value for url in urls for value in _within(url)),
        *secret_variables(environment).values(),
    ]
    handles = [
        settings.key,
        settings.embedder_key,
        settings.index_key,
        *(one.auth for one in settings.endpoints),
    ]
    for headers in (settings.headers, *(one.headers for one in settings.endpoints)):
        given = map(str, from_json(headers or "{}").values())
        handles += [text for text in given if _HANDLE.match(text)]
    for handle in handles:
        try:
            values.append(secret(handle, environment).reveal() if handle else "")
        except ConfigError:  # the variable is not set: there is nothing to hide
            continue
    return tuple(sorted({value for value in values if len(value) >= SHORTEST}))


def _within(url: str) -> Iterator[str]:
    """The password in a URL, with the user too (a header holds both), and what its query calls a
    key.
    """
    try:
        parts = urlsplit(url)
        fields = parse_qsl(parts.query)
        if parts.password:
            password = unquote(parts.password)
            yield from (parts.password, password, f"{unquote(parts.username or '')}:{password}")
    except ValueError:  # not a URL
        return
    for name, value in fields:
        if SECRET_NAME.search(name):
            yield value


def _from_keyring(service: str, user: str) -> str:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as error:
        raise ConfigError(
            "keyring: handles need the package keyring", fix="pip install keyring, or use env:NAME."
        ) from error
    try:
        found = keyring.get_password(service, user)
    except KeyringError as error:  # none on this machine, or it is locked
        raise ConfigError(
            f"no key store of this machine returns {service}/{user}: {type(error).__name__}",
            fix="Unlock it, set up one that keyring can use (keyring --list-backends), or use env:NAME.",
        ) from error
    if not found:
        raise ConfigError(
            f"the key store has nothing for {service}/{user}", fix=f"keyring set {service} {user}"
        )
    return str(found)


def _handle(text: str) -> str:
    if text and not _HANDLE.match(text):
        raise PydanticCustomError(
            "bare_key", "holds a key itself", {"fix": "Name it instead: env:NAME."}
        )
    return text


def _json_object(value: Any) -> str:
    """A table of kgnb.toml, or an object as JSON, as JSON; a wrong one is not shown, for it may
    hold a secret.
    """
    try:
        content = from_json(value or "{}") if isinstance(value, str) else value
        if isinstance(content, dict):
            return json.dumps(content, allow_nan=False) if content else ""
    except (TypeError, ValueError, RecursionError):
        pass
    raise PydanticCustomError(
        "json_object", "is not a table or JSON object", {"fix": 'Write {"name": "value"}.'}
    )


def _price(text: str) -> str:
    text, number = text.replace(" ", ""), r"(\d+(\.\d*)?|\.\d+)"
    if text and not re.fullmatch(rf"{number}/{number}(/{number})?", text):
        fix = "Write dollars per million tokens in and out, as 0.15/0.6."
        raise PydanticCustomError("price", "is '{text}'", {"text": text, "fix": fix})
    return text


def _number(value: Any) -> Any:
    if isinstance(value, bool):  # pydantic takes true for 1
        raise ValueError("a number is wanted")
    return value


def _placed(path: Path, info: ValidationInfo) -> Path:
    """A relative path in kgnb.toml starts from the file's folder."""
    return (info.context or Path()) / path.expanduser()


def _index_placed(location: str, info: ValidationInfo) -> str:
    """A folder of vectors in kgnb.toml starts from the file's folder, as other folders do."""
    if info.context is None or location == "memory" or "://" in location:
        return location
    return str(_placed(Path(location), info))


Handle = Annotated[str, AfterValidator(_handle)]
JsonObject = Annotated[str, BeforeValidator(_json_object)]
Price = Annotated[str, AfterValidator(_price)]
Count = Annotated[int, Field(ge=0), BeforeValidator(_number)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False), BeforeValidator(_number)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False), BeforeValidator(_number)]
Temperature = Annotated[float, Field(ge=0, le=10), BeforeValidator(_number)]
Place = Annotated[Path, AfterValidator(_placed)]
Location = Annotated[str, AfterValidator(_index_placed)]


class _Checked(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, hide_input_in_errors=True
    )

    def with_(self, **changes: Any) -> Self:
        """A copy with some values changed.

        Raises:
            ConfigError: a value is not allowed.
        """
        return _checked(type(self), dict(self) | changes)


class Endpoint(_Checked):
    """A SPARQL service by name, as ``[endpoints.NAME]`` in kgnb.toml or ``%kg connect`` describes
    it.

    ``auth`` is the handle of a token, or with ``user`` of a password; it is never the secret
    itself. ``headers`` are sent with every request (an API key); a value may be a handle. ``graph``
    is the IRI of the one named graph to ask.
    """

    name: str
    url: str
    update_url: str = ""
    user: str = ""
    auth: Handle = ""
    headers: JsonObject = ""
    graph: str = ""
    timeout: Seconds = 60.0
    named_graphs: bool = True

    def secret_headers(self, environment: Mapping[str, str] | None = None) -> dict[str, Secret]:
        """The additional headers, with handles replaced by their secrets."""
        return _secret_headers(self.headers, environment)


def _setting(default: Any, text: str, toml: str, variable: str = "") -> Any:
    """A field known by its name in kgnb.toml and by its variable: KGNB_ and the last part of that
    name by default.
    """
    _, _, name = toml.partition(".")
    names = AliasChoices(toml, variable or (f"KGNB_{name.upper()}" if name else ""))
    if callable(default):
        return Field(default_factory=default, description=text, validation_alias=names)
    return Field(default, description=text, validation_alias=names)


class Settings(_Checked):
    """Plain values: ``Settings.load()`` reads them, ``with_`` changes some."""

    model: str = _setting("", "chat model; empty: none, rules decide", "model.name", "KGNB_MODEL")
    base_url: str = _setting("", "OpenAI-compatible server", "model.base_url")
    key: Handle = _setting("", "handle of the API key, env:NAME", "model.key")
    timeout: Seconds = _setting(120.0, "seconds a model call may take in all", "model.timeout")
    retries: Count = _setting(4, "tries after the first", "model.retries")
    width: Annotated[Count, Field(ge=1)] = _setting(
        8, "model calls, questions or documents at once", "model.width"
    )
    requests_per_minute: Amount = _setting(0.0, "0: no limit", "model.requests_per_minute")
    tokens_per_minute: Amount = _setting(0.0, "0: no limit", "model.tokens_per_minute")
    replay: OneOf["record", "replay", "live"] = _setting(
        "record", "record, replay (never live) or live (no cache)", "model.replay"
    )
    remember: bool = _setting(
        True, "yes, or no: keep no verdicts, only replies (reports do so)", "model.remember"
    )
    prices: Place | None = _setting(None, "TOML file of prices per million tokens", "model.prices")
    price: Price = _setting(
        "",
        "dollars per million tokens in/out of this model, as 0.15/0.6 (/0.075 of what its server had read before); "
        "0/0: free",
        "model.price",
    )
    temperature: Temperature | OneOf["none"] | None = _setting(
        None,
        "a number, or none: the model's own; not given: 0, and none where a model refuses it",
        "model.temperature",
    )
    seed: Count = _setting(0, "sent with every call", "model.seed")
    max_tokens: Count = _setting(
        0, "tokens a reply may have; 0: no limit of ours", "model.max_tokens"
    )
    reasoning_effort: str = _setting(
        "", "low, medium, high: of thinking models", "model.reasoning_effort"
    )
    verbosity: str = _setting("", "low, medium, high, where a model has it", "model.verbosity")
    parallel_tool_calls: bool | None = _setting(
        None, "yes, no; not given: as the server does", "model.parallel_tool_calls"
    )
    strict_tools: bool = _setting(
        False, "yes: arguments must follow a tool's schema", "model.strict_tools"
    )
    extra_body: JsonObject = _setting(
        "", "further fields of each call: a table, or JSON", "model.extra_body"
    )
    headers: JsonObject = _setting(
        "", "further headers: a table, or JSON; env:NAME for secrets", "model.headers"
    )
    api_version: str = _setting(
        "", "of Azure's deployment URLs, as 2024-10-21", "model.api_version"
    )
    plan_model: str = _setting(
        "", "model that chooses stages, instead of model.name", "model.plan", "KGNB_MODEL_PLAN"
    )
    judge_model: str = _setting(
        "", "model that judges and answers questions", "model.judge", "KGNB_MODEL_JUDGE"
    )
    extract_model: str = _setting(
        "", "model that reads documents", "model.extract", "KGNB_MODEL_EXTRACT"
    )
    write_model: str = _setting(
        "", "model that writes definitions", "model.write", "KGNB_MODEL_WRITE"
    )
    embedder: str = _setting(
        "local",
        "local, characters, tiny, fastembed:MODEL, openai:MODEL or sentence-transformers:MODEL",
        "vectors.embedder",
    )
    embedder_url: str = _setting(
        "", "server of an openai: embedder", "vectors.base_url", "KGNB_EMBEDDER_URL"
    )
    embedder_key: Handle = _setting(
        "", "handle of its key, env:NAME", "vectors.key", "KGNB_EMBEDDER_KEY"
    )
    index: Location = _setting("memory", "memory, a folder or a Qdrant URL", "vectors.index")
    index_key: Handle = _setting("", "handle of its key, env:NAME", "vectors.index_key")
    cache: Place = _setting(
        cache_folder,
        "folder of the embedding and reply caches",
        "folders.cache",
    )
    data: Place | None = _setting(None, "folder of benchmark data", "folders.data")
    tbox: str = _setting("", "ontology whose tools a Jupyter server offers over MCP", "serve.tbox")
    calls_limit: Count = _setting(0, "model calls a run may make; 0: no limit", "budget.calls")
    tokens_limit: Count = _setting(0, "tokens a run may use; 0: no limit", "budget.tokens")
    usd_limit: Amount = _setting(0.0, "dollars a run may spend; 0: no limit", "budget.usd")
    seconds_limit: Amount = _setting(0.0, "seconds a run may take; 0: no limit", "budget.seconds")

    author: str = _setting("", "name on report pages; default: git's user.name", "report.author")

    endpoints: tuple[Endpoint, ...] = _setting((), "SPARQL services by name", "endpoints")

    @classmethod
    def load(
        cls,
        folder: Path | str | None = None,
        environment: Mapping[str, str] | None = None,
        *,
        found: OneOf["trusted", "any", "none"] = "trusted",
    ) -> Settings:
        """The settings for ``folder`` (default: here): the user's own, the file that ``KGNB_CONFIG``
        names, else the ``kgnb.toml`` of the folder or a parent, then the environment.

        ``found`` says which of the files that nobody named may count; "any" is for reading one,
        never for acting on it.

        Raises:
            UntrustedFile: the file found chooses a server, a key, a folder or the like, and the
                user has not trusted it.
            ConfigError: a setting is unknown, or its value is not allowed.
            DataError: the file is not TOML.
        """
        environment = os.environ if environment is None else environment
        named = {
            variable: environment.get(variable, "") for _, variable in setting_names().values()
        }
        given = _checked(cls, {name: value for name, value in named.items() if value}, "$")
        changes = {name: getattr(given, name) for name in given.model_fields_set}
        settings = _own()
        if (path := _path(Path(folder) if folder else Path.cwd(), environment, found)) is not None:
            file = SettingsFile.read(path)
            read = _parsed(file)
            if found == "trusted" and not environment.get(CONFIG):
                _refuse_untrusted(file, read)
            settings = settings.overlaid(read)
        return settings.model_copy(update=changes)

    def overlaid(self, other: Settings) -> Settings:
        """These, with what ``other`` sets; a server that it sets gets no key of another one."""
        changes = {name: getattr(other, name) for name in other.model_fields_set}
        for server, secrets in _SECRETS_OF.items():
            if server in changes:
                changes = {name: Settings.model_fields[name].default for name in secrets} | changes
        if "endpoints" in changes:
            names = [one.name for one in other.endpoints]
            kept = [one for one in self.endpoints if one.name not in names]
            changes["endpoints"] = (*kept, *other.endpoints)
        return self.model_copy(update=changes)

    def of_role(self, role: OneOf["plan", "judge", "extract", "write"]) -> Settings:
        """The settings with the model of a role, where it has one of its own."""
        name = getattr(self, f"{role}_model")
        return self.with_(model=name) if name else self

    def sampling(self) -> dict[str, Any]:
        """The parameters of every call: ``temperature``, ``seed``, ``max_tokens`` and ``options``."""
        options: dict[str, Any] = from_json(self.extra_body or "{}")
        for name in ("reasoning_effort", "verbosity"):
            options |= {name: value} if (value := getattr(self, name)) else {}
        if self.parallel_tool_calls is not None:
            options["parallel_tool_calls"] = self.parallel_tool_calls
        if self.strict_tools:
            options["strict_tools"] = True
        temperature = None if self.temperature == "none" else self.temperature or 0.0
        wanted = {
            "temperature": temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens or None,
        }
        plain = {"temperature": 0.0, "seed": 0, "max_tokens": None}
        chosen = {name: value for name, value in wanted.items() if value != plain[name]}
        return chosen | ({"options": options} if options else {})

    @property
    def models(self) -> Path | None:
        """Where fastembed keeps its models; None where its own variable says so."""
        return None if os.environ.get("FASTEMBED_CACHE_PATH") else self.cache / "fastembed"

    def secret_headers(self, environment: Mapping[str, str] | None = None) -> dict[str, Secret]:
        """The additional headers, with handles replaced by their secrets."""
        return _secret_headers(self.headers, environment)

    def api_key(self, environment: Mapping[str, str] | None = None) -> Secret:
        """The model's key: its handle's, else OPENAI_API_KEY's for the default server, else an
        empty one.
        """
        environment = os.environ if environment is None else environment
        if self.key:
            return secret(self.key, environment)
        if not self.base_url and environment.get("OPENAI_API_KEY"):
            return secret("env:OPENAI_API_KEY", environment)
        return Secret("")


def _secret_headers(headers: str, environment: Mapping[str, str] | None) -> dict[str, Secret]:
    given = {name: str(value) for name, value in from_json(headers or "{}").items()}
    return {
        name: secret(value, environment) if _HANDLE.match(value) else Secret(value)
        for name, value in given.items()
    }


def setting_names() -> dict[str, tuple[str, str]]:
    """Each field of Settings with its name in kgnb.toml and its environment variable."""
    aliases = {name: field.validation_alias for name, field in Settings.model_fields.items()}
    return {
        name: (str(one.choices[0]), str(one.choices[1]))
        for name, one in aliases.items()
        if isinstance(one, AliasChoices)
    }


CONFIG = "KGNB_CONFIG"
"""The variable that names the settings file; ``none``: use none that is merely found."""

HARMLESS = frozenset({"temperature", "seed", "author"})
"""What any file may set: it sends nothing anywhere, opens nothing, costs nothing and delays nothing."""

_SECRETS_OF = {
    "base_url": ("key", "headers"),
    "embedder_url": ("embedder_key",),
    "index": ("index_key",),
}


@contextmanager
def name_config(path: str) -> Iterator[None]:
    """Have this process, and those it starts, read this settings file (``none``: none found)."""
    before = os.environ.get(CONFIG, "")
    os.environ[CONFIG] = path if path == "none" else str(Path(path).expanduser().absolute())
    try:
        yield
    finally:
        # an empty one counts as none
        os.environ[CONFIG] = before


def found_config(folder: Path | str | None = None) -> Path | None:
    """The ``kgnb.toml`` of the folder (default: here) or of the nearest parent that has one."""
    folder = Path(folder) if folder else Path.cwd()
    places = [place / "kgnb.toml" for place in (folder, *folder.resolve().parents)]
    return next((path for path in places if path.is_file()), None)


def trust_config(path: Path | str) -> list[str]:
    """Let a settings file count from now on, as it is; returns what it sets, a line each.

    Raises:
        ConfigError: it belongs to another user, or is wrong.
        DataError: it is missing, or not TOML.
    """
    file = SettingsFile.read(Path(path))
    read = _parsed(file)
    file.trust()
    return _lines_of(read, read.model_fields_set)


def _own() -> Settings:
    """The user's own settings, from the folder of their configuration."""
    folder = config_folder()
    path = None if folder is None else folder / "kgnb.toml"
    return Settings() if path is None or not path.is_file() else _parsed(SettingsFile.read(path))


def _path(folder: Path, environment: Mapping[str, str], found: str) -> Path | None:
    named = environment.get(CONFIG, "")
    if named and named != "none":
        return Path(named).expanduser()
    return None if named or found == "none" else found_config(folder)


def _refuse_untrusted(file: SettingsFile, read: Settings) -> None:
    asks = read.model_fields_set - HARMLESS
    if not asks or file.trusted:
        return
    why = "has changed since you trusted it" if file.changed else "has not been trusted"
    if not file.own:
        why = "belongs to another user"
    trust = f"To use it: kgnb trust {file.path} (in a notebook: %kg trust)."
    if not file.own:
        trust = f"To use it: kgnb --config {file.path} ..., or KGNB_CONFIG={file.path}."
    raise UntrustedFile(
        f"{file.path} was found, not named, and {why}. It would set",
        fix="\n".join(
            [
                *(f"  {line}" for line in _lines_of(read, asks)),
                f"Read it. {trust}",
                "To go on without it: kgnb --config none ..., or KGNB_CONFIG=none.",
            ]
        ),
    )


def _lines_of(settings: Settings, names: Collection[str]) -> list[str]:
    """What is set, with keys of tables and hosts of services, never a value that may be secret."""
    lines = []
    for name, (toml, _) in setting_names().items():
        if name in names and name in ("headers", "extra_body"):
            fields = from_json(getattr(settings, name) or "{}")
            lines.append(f"{toml}: {shown(', '.join(fields))}")
        elif name in names and name != "endpoints":
            lines.append(f"{toml} = {shown(_without_password(str(getattr(settings, name))))}")
    if "endpoints" in names:
        lines += [
            shown(f"endpoints.{one.name} = {_without_password(one.url)} {one.auth}")
            for one in settings.endpoints
        ]
    return lines


def _without_password(text: str) -> str:
    """A URL without its user, password and query; anything else unchanged."""
    return re.sub(r"://[^/@]*@", "://", text).partition("?")[0] if "://" in text else text


def _parsed(file: SettingsFile) -> Settings:
    path = file.path
    try:
        content = tomllib.loads(file.content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise DataError(
            str(error), where=path, fix="Mend the file; docs/settings.md describes its form."
        ) from error
    known = [toml for toml, _ in setting_names().values()]
    values: dict[str, Any] = {}
    for table, entries in content.items():
        if isinstance(entries, dict) and table != "endpoints":
            values |= {f"{table}.{name}": value for name, value in entries.items()}
        else:
            values[table] = entries
    for setting in values:
        _refuse_unknown(setting, known, str(path))
    if "endpoints" in values:
        values["endpoints"] = list(_endpoints(values["endpoints"], f"{path}: endpoints"))
    return _checked(Settings, values, f"{path}: ", path.parent)


def _endpoints(entries: Any, where: str) -> Iterator[Endpoint]:
    known = [name for name in Endpoint.model_fields if name != "name"]
    for name, values in entries.items() if isinstance(entries, dict) else [("", {})]:
        if not isinstance(values, dict) or "url" not in values:
            fix = f'[endpoints.{name or "NAME"}]\nurl = "https://..."'
            raise ConfigError(f"{where}.{name}".rstrip(".") + " has no url", fix=fix)
        for setting in values:
            _refuse_unknown(setting, known, f"{where}.{name}")
        yield _checked(Endpoint, values | {"name": name}, f"{where}.{name}.")


def _refuse_unknown(setting: str, known: Collection[str], where: str) -> None:
    if setting not in known:
        fix = nearest(setting, known) or f"There are: {', '.join(sorted(known))}."
        raise ConfigError(f"{where}: there is no setting {setting}", fix=fix)


C = TypeVar("C", bound=_Checked)


def _checked(
    kind: type[C], values: Mapping[str, Any], where: str = "", folder: Path | None = None
) -> C:
    """The values as a model; ConfigError names the first wrong one after ``where``, without showing
    a key.
    """
    try:
        return kind.model_validate(values, context=folder)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
    setting, reason, known = str(wrong["loc"][0]), wrong["msg"], wrong.get("ctx", {})
    if "fix" not in known:
        reason = f"is {wrong['input']!r}: {reason[0].lower()}{reason[1:]}"
    raise ConfigError(
        f"{where}{setting} {reason}",
        fix=known.get("fix", "docs/settings.md describes every setting."),
    )
