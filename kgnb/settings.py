"""Settings: ``kgnb.toml`` and the environment, read in this one place and nowhere else.

Precedence: what a call passes > ``KGNB_*`` environment variables > ``kgnb.toml`` (this folder or a parent) > defaults.
A secret is named, never written: ``key = "env:OPENAI_API_KEY"``.
"""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from typing import Literal as OneOf
from urllib.parse import parse_qsl, unquote, urlsplit

import platformdirs

from kgnb.errors import ConfigError, DataError
from kgnb.secret import SHORTEST, Secret


def secret(handle: str, environment: Mapping[str, str] | None = None) -> Secret:
    """The secret behind a handle ``env:NAME``, or ``keyring:SERVICE/USER`` of the system's key store.

    Raises:
        ConfigError: the handle is a bare value (it would end up in a file), or the variable is not set.
    """
    scheme, _, name = handle.partition(":")
    if scheme == "keyring":
        service, _, user = name.rpartition("/")  # a service may be a URL
        if not service or not user:
            raise ConfigError(f"{handle!r} does not say whose key", fix="Write keyring:SERVICE/USER.")
        return Secret(_from_keyring(service, user), handle)
    if scheme != "env" or not name:
        raise ConfigError(
            "a key is named, never written out",
            fix='Put it in an environment variable and say env:NAME, for example key = "env:OPENAI_API_KEY".',
        )
    value = (os.environ if environment is None else environment).get(name, "").strip("\r\n")  # of a file it came from
    if not value:
        raise ConfigError(
            f"the environment variable {name} is not set", fix=f"export {name}=... before starting Jupyter."
        )
    return Secret(value, handle)


SECRET_NAME = re.compile(r"(^|_|^PG)(API_?KEY|KEY|TOKEN|SECRET|PASS(WORD|WD|PHRASE)?|PWD|CREDENTIALS?)($|_)", re.I)
_HANDLE = re.compile("env:|keyring:")


def secret_variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment variables whose names look like those of secrets, to be kept out of what is saved.

    >>> secret_variables({"HF_TOKEN": "abcd-1234", "PATH": "/bin", "SSH_KEY": "/home/me/key", "KGNB_KEY": "env:MINE"})
    {'HF_TOKEN': 'abcd-1234'}
    """
    environment = os.environ if environment is None else environment
    return {
        name: value
        for name, value in environment.items()
        if SECRET_NAME.search(name) and len(value) >= 8 and not value.startswith(("/", "env:", "keyring:"))
    }


def known_secrets(settings: Settings, environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The secrets these settings lead to: their keys, passwords and keys within their URLs and within those of the
    environment, and every environment variable whose name looks like that of a secret."""
    environment = os.environ if environment is None else environment
    urls = [settings.base_url, settings.embedder_url, settings.index]
    urls += [url for one in settings.endpoints for url in (one.url, one.update_url)]
    urls += [value for value in environment.values() if "://" in value]
    values = [*(value for url in urls for value in _within(url)), *secret_variables(environment).values()]
    handles = [settings.key, settings.embedder_key, settings.index_key, *(one.auth for one in settings.endpoints)]
    handles += [text for text in map(str, json.loads(settings.headers or "{}").values()) if _HANDLE.match(text)]
    for handle in handles:
        try:
            values.append(secret(handle, environment).reveal() if handle else "")
        except ConfigError:  # the variable is not set: there is nothing to hide
            continue
    return tuple(sorted({value for value in values if len(value) >= SHORTEST}))


def _within(url: str) -> Iterator[str]:
    """The password in a URL, with the user too (a header holds both), and what its query calls a key."""
    try:
        parts = urlsplit(url)
        fields = parse_qsl(parts.query)
        if parts.password:
            password = unquote(parts.password)
            yield from (parts.password, password, f"{unquote(parts.username or '')}:{password}")
    except ValueError:  # no URL at all
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
            f"no key store of this machine gives {service}/{user} away: {type(error).__name__}",
            fix="Unlock it, set up one that keyring can use (keyring --list-backends), or use env:NAME.",
        ) from error
    if not found:
        raise ConfigError(f"the key store has nothing for {service}/{user}", fix=f"keyring set {service} {user}")
    return str(found)


@dataclass(frozen=True)
class Endpoint:
    """A SPARQL service by name, as ``[endpoints.NAME]`` in kgnb.toml or ``%kg connect`` describes it.

    ``auth`` is the handle of a token, or with ``user`` of a password; it is never the secret itself. ``graph`` is the
    IRI of the one named graph to ask.
    """

    name: str
    url: str
    update_url: str = ""
    user: str = ""
    auth: str = ""
    graph: str = ""
    timeout: float = 60.0
    named_graphs: bool = True


_CHOICES = {"replay": ("record", "replay", "live")} | dict.fromkeys(
    ("parallel_tool_calls", "strict_tools", "remember"), ("yes", "no")
)


def _setting(default: Any, text: str, toml: str, variable: str = "") -> Any:
    """A field. Its variable is KGNB_ and the last part of its name in kgnb.toml, save where another is given."""
    _, _, name = toml.partition(".")
    told = {"help": text, "toml": toml, "variable": variable or (f"KGNB_{name.upper()}" if name else "")}
    return field(**{"default_factory" if callable(default) else "default": default}, metadata=told)


@dataclass(frozen=True)
class Settings:
    """Plain values; ``Settings.load()`` reads them, ``with_`` changes some, nothing else looks at the environment."""

    model: str = _setting("", "chat model; empty: none, rules decide", "model.name", "KGNB_MODEL")
    base_url: str = _setting("", "OpenAI-compatible server", "model.base_url")
    key: str = _setting("", "handle of the API key, env:NAME", "model.key")
    timeout: float = _setting(120.0, "seconds a model call may take in all", "model.timeout")
    retries: int = _setting(4, "tries after the first", "model.retries")
    width: int = _setting(8, "model calls, questions or documents at once", "model.width")
    requests_per_minute: float = _setting(0.0, "0: no limit", "model.requests_per_minute")
    tokens_per_minute: float = _setting(0.0, "0: no limit", "model.tokens_per_minute")
    replay: str = _setting("record", "record, replay (never live) or live (no cache)", "model.replay")
    remember: str = _setting("yes", "yes, or no: keep no verdicts, only replies (reports do so)", "model.remember")
    prices: Path | None = _setting(None, "TOML file of prices per million tokens", "model.prices")
    price: str = _setting(
        "",
        "dollars per million tokens in/out of this model, as 0.15/0.6 (/0.075 of what its server had read before); "
        "0/0: free",
        "model.price",
    )
    temperature: str = _setting(
        "", "a number, or none: the model's own; not given: 0, and none where a model refuses it", "model.temperature"
    )
    seed: int = _setting(0, "sent with every call", "model.seed")
    max_tokens: int = _setting(0, "tokens a reply may have; 0: no limit of ours", "model.max_tokens")
    reasoning_effort: str = _setting("", "low, medium, high: of thinking models", "model.reasoning_effort")
    verbosity: str = _setting("", "low, medium, high, where a model has it", "model.verbosity")
    parallel_tool_calls: str = _setting("", "yes, no; not given: as the server does", "model.parallel_tool_calls")
    strict_tools: str = _setting("no", "yes: arguments must follow a tool's schema", "model.strict_tools")
    extra_body: str = _setting("", "further fields of each call: a table, or JSON", "model.extra_body")
    headers: str = _setting("", "further headers: a table, or JSON; env:NAME for secrets", "model.headers")
    api_version: str = _setting("", "of Azure's deployment URLs, as 2024-10-21", "model.api_version")
    plan_model: str = _setting("", "model that chooses stages, instead of model.name", "model.plan", "KGNB_MODEL_PLAN")
    judge_model: str = _setting("", "model that judges and answers questions", "model.judge", "KGNB_MODEL_JUDGE")
    extract_model: str = _setting("", "model that reads documents", "model.extract", "KGNB_MODEL_EXTRACT")
    write_model: str = _setting("", "model that writes definitions", "model.write", "KGNB_MODEL_WRITE")
    embedder: str = _setting(
        "local", "local, characters, tiny, openai:MODEL or sentence-transformers:MODEL", "vectors.embedder"
    )
    embedder_url: str = _setting("", "server of an openai: embedder", "vectors.base_url", "KGNB_EMBEDDER_URL")
    embedder_key: str = _setting("", "handle of its key, env:NAME", "vectors.key", "KGNB_EMBEDDER_KEY")
    index: str = _setting("memory", "memory, a folder or a Qdrant URL", "vectors.index")
    index_key: str = _setting("", "handle of its key, env:NAME", "vectors.index_key")
    cache: Path = _setting(
        lambda: Path(platformdirs.user_cache_dir("kgnb", appauthor=False)),
        "folder of the embedding and reply caches",
        "folders.cache",
    )
    data: Path | None = _setting(None, "folder of benchmark data", "folders.data")
    tbox: str = _setting("", "ontology whose tools a Jupyter server offers over MCP", "serve.tbox")
    calls_limit: int = _setting(0, "model calls a run may make; 0: no limit", "budget.calls")
    tokens_limit: int = _setting(0, "tokens a run may use; 0: no limit", "budget.tokens")
    usd_limit: float = _setting(0.0, "dollars a run may spend; 0: no limit", "budget.usd")
    seconds_limit: float = _setting(0.0, "seconds a run may take; 0: no limit", "budget.seconds")

    author: str = _setting("", "name on report pages; default: git's user.name", "report.author")

    endpoints: tuple[Endpoint, ...] = _setting((), "SPARQL services by name", "endpoints")

    @classmethod
    def load(cls, folder: Path | str | None = None, environment: Mapping[str, str] | None = None) -> Settings:
        """The settings for ``folder`` (default: here): its ``kgnb.toml`` or a parent's, then the environment."""
        environment = os.environ if environment is None else environment
        values = _from_file(Path(folder) if folder else Path.cwd())
        for entry in fields(cls):
            variable = entry.metadata["variable"]
            if variable and environment.get(variable, "") != "":
                values[entry.name] = _typed(entry.name, str(entry.type), environment[variable], f"${variable}")
        return cls(**values)

    def with_(self, **changes: Any) -> Settings:
        """A copy with some values changed."""
        return replace(self, **changes)

    def of_role(self, role: OneOf["plan", "judge", "extract", "write"]) -> Settings:
        """The settings with the model of a role, where it has one of its own."""
        name = getattr(self, f"{role}_model")
        return self.with_(model=name) if name else self

    def sampling(self) -> dict[str, Any]:
        """What is asked of every call besides its prompt: ``temperature``, ``seed``, ``max_tokens`` and ``options``."""
        options: dict[str, Any] = json.loads(self.extra_body or "{}")
        for name in ("reasoning_effort", "verbosity"):
            options |= {name: value} if (value := getattr(self, name)) else {}
        if self.parallel_tool_calls:
            options["parallel_tool_calls"] = self.parallel_tool_calls == "yes"
        if self.strict_tools == "yes":
            options["strict_tools"] = True
        temperature = float(self.temperature or 0) if self.temperature != "none" else None
        wanted = {"temperature": temperature, "seed": self.seed, "max_tokens": self.max_tokens or None}
        plain = {"temperature": 0.0, "seed": 0, "max_tokens": None}
        chosen = {name: value for name, value in wanted.items() if value != plain[name]}
        return chosen | ({"options": options} if options else {})

    def secret_headers(self, environment: Mapping[str, str] | None = None) -> dict[str, Secret]:
        """The further headers; a value that is a handle stands for its secret."""
        given = json.loads(self.headers or "{}").items()
        return {
            name: secret(value, environment) if _HANDLE.match(value) else Secret(value)
            for name, value in ((name, str(value)) for name, value in given)
        }

    def api_key(self, environment: Mapping[str, str] | None = None) -> Secret:
        """The model's key: its handle's, else OPENAI_API_KEY's for the default server, else an empty one."""
        environment = os.environ if environment is None else environment
        if self.key:
            return secret(self.key, environment)
        if not self.base_url and environment.get("OPENAI_API_KEY"):
            return secret("env:OPENAI_API_KEY", environment)
        return Secret("")


def _from_file(folder: Path) -> dict[str, Any]:
    path = next((p / "kgnb.toml" for p in [folder, *folder.resolve().parents] if (p / "kgnb.toml").is_file()), None)
    if path is None:
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(
            str(error), where=str(path), fix="Mend the file; its form is described in docs/settings.md."
        ) from error
    known = {entry.metadata["toml"]: entry for entry in fields(Settings)}
    values: dict[str, Any] = {}
    for table, entries in content.items():
        if table == "endpoints":
            values["endpoints"] = _endpoints(entries, path)
            continue
        for name, value in entries.items() if isinstance(entries, dict) else [("", entries)]:
            setting = f"{table}.{name}".rstrip(".")
            if setting not in known:
                near = get_close_matches(setting, known, n=1)
                raise ConfigError(
                    f"{path}: there is no setting {setting}",
                    fix=f"Did you mean {near[0]}?" if near else f"There are: {', '.join(sorted(known))}.",
                )
            entry = known[setting]
            values[entry.name] = _typed(entry.name, str(entry.type), value, f"{path}: {setting}", path.parent)
    return values


def _endpoints(entries: Any, path: Path) -> tuple[Endpoint, ...]:
    """The services under ``[endpoints.NAME]``."""
    known = {entry.name: entry.type for entry in fields(Endpoint) if entry.name != "name"}
    found = []
    for name, values in entries.items() if isinstance(entries, dict) else [("", entries)]:
        where = f"{path}: endpoints.{name}".rstrip(".")
        if not isinstance(values, dict) or "url" not in values:
            raise ConfigError(f"{where} has no url", fix=f'[endpoints.{name or "NAME"}]\nurl = "https://..."')
        for key, value in values.items():
            if key not in known:
                near = get_close_matches(key, known, n=1)
                fix = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."
                raise ConfigError(f"{where}: there is no setting {key}", fix=fix)
            if key == "auth" and not _HANDLE.match(str(value)):
                raise ConfigError(f"{where}.auth holds a key itself", fix="Name it instead: env:NAME.")
            wanted = {"timeout": (int, float), "named_graphs": bool}.get(key, str)
            if not isinstance(value, wanted):  # type: ignore[arg-type]  # a tuple of types is one too
                raise ConfigError(f"{where}.{key} is {value!r}", fix="See docs/settings.md for what it takes.")
        found.append(Endpoint(name=str(name), **values))
    return tuple(found)


def checked_price(text: str, where: str = "the price") -> str:
    """Dollars per million tokens in and out, as 0.15/0.6; "" for none.

    Raises:
        ConfigError: it is neither.
    """
    text = text.replace(" ", "")
    number = r"(\d+(\.\d*)?|\.\d+)"
    if text and not re.fullmatch(rf"{number}/{number}(/{number})?", text):
        raise ConfigError(f"{where} is {text!r}", fix="Write dollars per million tokens in and out, as 0.15/0.6.")
    return text


def _json_object(value: Any, where: str) -> str:
    """A table of kgnb.toml, or an object as JSON, as JSON."""
    try:
        content = json.loads(value) if isinstance(value, str) else value
        if isinstance(content, dict):
            return json.dumps(content, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        pass
    raise ConfigError(f"{where} is no table and no JSON object", fix='Write {"name": "value"}.')


def _typed(name: str, kind: str, value: Any, where: str, folder: Path | None = None) -> Any:
    """``value`` as the setting's type; a key that is not a handle is refused before it can be shown."""
    if name in ("key", "embedder_key", "index_key") and not _HANDLE.match(str(value)):
        raise ConfigError(f"{where} holds a key itself", fix="Name it instead: env:NAME of an environment variable.")
    least = {"width": 1, "timeout": 0.001}.get(name, 0)
    try:
        if kind.startswith("Path"):
            if not isinstance(value, str):
                raise ConfigError(f"{where} is {value!r}, not a path", fix='Write it in quotes: "folder/file".')
            path = Path(str(value)).expanduser()
            return path if path.is_absolute() or folder is None else folder / path
        if kind in ("int", "float"):
            number = float(value) if kind == "float" else int(value)
            if not math.isfinite(number) or isinstance(value, bool) or number < least or number != float(value):
                raise ValueError
            return number
    except (TypeError, ValueError, OverflowError) as error:
        bound = "more than 0" if 0 < least < 1 else f"{least} or more"
        raise ConfigError(
            f"{where} is {value!r}, not a number of type {kind}, {bound}", fix="Write a plain number."
        ) from error
    if name in _CHOICES and value not in (words := _CHOICES[name]) and (value or getattr(Settings, name)):
        raise ConfigError(f"{where} is {value!r}", fix=f"Choose {', '.join(words[:-1])} or {words[-1]}.")
    if name in ("extra_body", "headers"):
        return _json_object(value, where)
    if name == "temperature" and str(value) not in ("", "none"):
        try:
            if not 0 <= float(value) <= 10:
                raise ValueError
        except (TypeError, ValueError, OverflowError) as error:
            raise ConfigError(f"{where} is {value!r}", fix="Write a number from 0 to 2, or none.") from error
    if name == "price":
        return checked_price(str(value), where)
    return str(value)
