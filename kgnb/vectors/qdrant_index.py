"""Vectors in Qdrant: in a folder, on a server by URL, or in this process (``:memory:``)."""

from __future__ import annotations

import threading
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kgnb.errors import BackendError, ConfigError, DataError, KgnbError
from kgnb.network import Transport
from kgnb.patience import Patience, TryAgain, may_pass, on_this_machine, retry_after
from kgnb.sqlite_file import Locked
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.extras import needs
from kgnb.vectors.index import (
    RESERVED,
    Hit,
    Payload,
    Point,
    checked_name,
    checked_point,
    checked_view,
    checked_views,
    matrix,
    nearest_points,
    no_collection,
    unit_vector,
)
from kgnb.vectors.point_file import PointFile

try:
    from qdrant_client import QdrantClient, models
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
except ImportError as error:
    raise needs("An index in a folder or on a server", "qdrant", "--index memory") from error

_NAMESPACE = uuid.UUID(
    "7f2f3c53-7a35-5cf4-9f0d-3f0f8d6f7f11"
)  # of this package; makes a point's UUID from its id
# points per request: about 2 MB of JSON at 384 dimensions, 15 MB at 3072 (a server takes 32)
_BATCH = 256
_PAGE = {True: 5000, False: 512}  # points per page when everything is read, by local or remote
_TIMEOUT = 60  # seconds
_SEARCHES = 64  # in one request
_BEAM = 256  # candidates that a server's graph of neighbours (HNSW) is followed with, at least
_MARGIN = 1e-5  # by how much scores of equal vectors may differ between stores


class QdrantIndex:
    """A ``VectorIndex`` over Qdrant.

    ``location`` is ``:memory:``, a folder, or the URL of a server (port 6333 unless the URL names
    one). Each point is one text of one view; its id becomes a UUID and is kept in the payload.
    A folder keeps its points in a file of ours and belongs to one process at a time: Qdrant's own
    local mode would unpickle them, and a pickle of a stranger runs code.
    """

    def __init__(
        self, location: str, *, api_key: str | None = None, patience: Patience | None = None
    ) -> None:
        self._remote = "://" in location
        self._name = "qdrant in memory" if location == ":memory:" else location
        self._patience = patience or Patience()
        self._api_key = api_key
        self._views: dict[str, dict[str, int]] = {}
        # Local mode is not made for threads; over HTTP there is nothing to guard.
        self._guard: AbstractContextManager[object] = (
            nullcontext() if self._remote else threading.RLock()
        )
        self._client: QdrantClient | None = (
            _connect(location, api_key) if self._remote else _open(api_key)
        )
        self._file: PointFile | None = None
        if not self._remote and location != ":memory:":
            self._file = self._filled(Path(location))

    @property
    def searches(self) -> bool:
        """Whether it is a server: the client's local mode compares point by point in Python, where
        a product of matrices takes a hundredth of the time.
        """
        return self._remote

    @property
    def name(self) -> str:
        """``qdrant in memory``, the folder or the URL."""
        return self._name

    def collections(self) -> tuple[str, ...]:
        """The names of its collections, sorted."""
        reply = self._ask("get_collections")
        return tuple(sorted(collection.name for collection in reply.collections))

    def create(self, collection: str, views: Mapping[str, int]) -> None:
        """Create an empty collection with these named vectors and their lengths; an existing one
        stays as it is.
        """
        checked_name(collection)
        config = {
            view: models.VectorParams(size=dimensions, distance=models.Distance.COSINE)
            for view, dimensions in checked_views(views).items()
        }
        with self._guard:
            if collection not in self.collections():
                self._views.pop(collection, None)
                self._ask("create_collection", collection, vectors_config=config)
                self._keep("create", collection, views)

    def add(self, collection: str, points: Sequence[Point]) -> None:
        """Write points, in batches; all are checked before any is written."""
        views = self._views_of(collection)
        last = {(point.view, point.id): point for point in points}
        vectors = {key: checked_point(point, views) for key, point in last.items()}
        structs = [_struct(point, vectors[key]) for key, point in last.items()]
        for start in range(0, len(structs), _BATCH):
            self._ask("upsert", collection, points=structs[start : start + _BATCH])
        self._keep("add", collection, [(point, vectors[key]) for key, point in last.items()])

    def count(self, collection: str) -> int:
        """How many points a collection holds; 0 if it does not exist."""
        if collection not in self.collections():
            return 0
        return int(self._ask("count", collection, exact=True).count)

    def read(self, collection: str, view: str) -> tuple[list[str], list[Payload], Vectors]:
        """All ids (sorted), payloads and vectors of one view."""
        dimensions = checked_view(view, self._views_of(collection))
        points = sorted(self._points(collection, view), key=lambda point: point[0])
        ids, payloads = [point[0] for point in points], [point[1] for point in points]
        return ids, payloads, matrix([point[2] for point in points], dimensions)

    def search(
        self,
        collection: str,
        view: str,
        vector: Sequence[float] | Vectors,
        *,
        k: int,
        kind: str = "",
    ) -> list[Hit]:
        """The ``k`` points of one view (of one kind, if given) nearest to a vector, best first,
        equal scores by id.

        The server compares every point. It breaks ties as it likes, so more are asked for until the
        k-th is passed.
        """
        dimensions = checked_view(view, self._views_of(collection))
        query = unit_vector(vector, dimensions).tolist()
        if not any(query):
            return []  # nothing is near to an empty text
        asked: dict[str, Any] = {"query": query, "using": view, "with_vectors": [view]}
        asked |= {"query_filter": _those({"kind": kind})} if kind else {}
        asked |= {"search_params": models.SearchParams(exact=True)} if self._remote else {}
        limit = k + 8
        while True:
            found = self._ask("query_points", collection, **asked, limit=limit).points
            if len(found) < limit or found[-1].score < found[k - 1].score - _MARGIN:
                break
            limit *= 4
        points = [_point(point, view) for point in found]
        vectors = matrix([point[2] for point in points], dimensions)
        return nearest_points(
            [point[0] for point in points], [point[1] for point in points], vectors, query, k, kind
        )

    def search_many(
        self,
        collection: str,
        view: str,
        vectors: Vectors,
        *,
        k: int,
        where: Mapping[str, str],
    ) -> list[list[Hit]]:
        """About the ``k`` nearest of each of many vectors, among points whose payload is so.

        A server follows its graph of neighbours and may miss some; none is asked for a vector of
        zeros. What is filtered by is indexed first.
        """
        dimensions = checked_view(view, self._views_of(collection))
        if self._remote:
            for key in where:
                self._ask(
                    "create_payload_index", collection, field_name=key, field_schema="keyword"
                )
        common: dict[str, Any] = {
            "using": view,
            "filter": _those(where),
            "limit": k,
            "with_payload": True,
        }
        if self._remote:
            common["params"] = models.SearchParams(hnsw_ef=max(_BEAM, 2 * k))
        queries = [unit_vector(vector, dimensions).tolist() for vector in vectors]
        found: list[list[Hit]] = [[] for _ in queries]
        asked = [number for number, query in enumerate(queries) if any(query)]
        for start in range(0, len(asked), _SEARCHES):
            part = asked[start : start + _SEARCHES]
            requests = [models.QueryRequest(query=queries[number], **common) for number in part]
            replies = self._ask("query_batch_points", collection, requests=requests)
            for number, reply in zip(part, replies, strict=True):
                found[number] = [_hit(point) for point in reply.points]
        return found

    def close(self) -> None:
        """Let go of files and connections; closing twice is allowed."""
        with self._guard:
            if self._client is not None:
                self._client.close()
            if self._file is not None:
                self._file.close()
            self._client = None

    def _filled(self, folder: Path) -> PointFile:
        """The file of a folder, whose points are now in memory as well."""
        if (folder / "meta.json").exists() or (folder / "collection").exists():
            raise BackendError(
                f"The folder {folder} holds pickles of Qdrant's own local mode, which kgnb does not read.",
                service=self.name,
                fix="Choose another folder, or delete this one; it is filled again.",
            )
        try:
            file = PointFile(folder / "points.sqlite")
            kept = file.collections()
            for collection, views in kept.items():
                self.create(collection, views)
                self.add(collection, list(file.points(collection)))
        except Locked as error:
            raise BackendError(
                f"The vector index in {folder} is in use by another kernel or program.",
                service=self.name,
                fix="Shut that one down, choose another folder, or run a Qdrant server and give its URL.",
                details=str(error),
            ) from error
        except (DataError, ValueError, TypeError) as error:
            raise BackendError(
                f"The folder {folder} cannot be opened as a vector index: {error}.",
                service=self.name,
                fix="Choose a folder that can be written, or delete this one if it is damaged; it is filled again.",
            ) from error
        return file

    def _keep(self, what: str, *given: Any) -> None:
        """Write to the folder, if it has one, what memory holds by now."""
        if self._file is None:
            return
        try:
            getattr(self._file, what)(*given)
        except DataError as error:
            raise self._failed("its folder cannot be used", str(error)) from error

    def _points(self, collection: str, view: str) -> Iterator[tuple[str, Payload, list[float]]]:
        only = models.Filter(must=[models.HasVectorCondition(has_vector=view)])
        page: dict[str, Any] = {
            "scroll_filter": only,
            "limit": _PAGE[not self._remote],
            "with_vectors": [view],
        }
        offset: Any = None
        while True:
            points, offset = self._ask("scroll", collection, **page, offset=offset)
            yield from (_point(point, view) for point in points)
            if offset is None:
                return

    def _views_of(self, collection: str) -> dict[str, int]:
        if collection not in self._views:
            existing = self.collections()
            if collection not in existing:
                raise no_collection(self.name, collection, existing)
            config = self._ask("get_collection", collection).config.params.vectors
            if not isinstance(config, Mapping):
                raise BackendError(
                    f"The collection {collection!r} in {self.name} has no named vectors: it was not made by kgnb.",
                    service=self.name,
                    fix="Choose another collection name.",
                )
            self._views[collection] = {view: params.size for view, params in config.items()}
        return self._views[collection]

    def _ask(self, what: str, collection: str | None = None, **given: Any) -> Any:
        """The client's answer; busy servers are asked again, and every failure becomes an error of
        ours.
        """
        with self._guard:
            return self._patience.repeat(lambda: self._once(what, collection, **given))

    def _once(self, what: str, collection: str | None, **given: Any) -> Any:
        if self._client is None:
            raise BackendError(
                f"{self.name} is closed.", service=self.name, fix="Open the vector index again."
            )
        about = [] if collection is None else [collection]
        try:
            return getattr(self._client, what)(*about, **given)
        except QdrantException as error:  # 429 with a Retry-After (no seconds if that is a date)
            failure: KgnbError = self._failed("it is too busy (HTTP 429)", str(error))
            pause = getattr(error, "retry_after_s", None)
            raise TryAgain(lambda tried: failure, asked=pause) from error
        except UnexpectedResponse as error:
            failure = self._refused(error, collection)
            if not may_pass(error.status_code or 0):
                raise failure from None  # it may quote the key
            pause = retry_after(error.headers)
            raise TryAgain(lambda tried: failure, asked=pause) from None
        except (ResponseHandlingException, ValueError, AssertionError) as error:
            # no connection, a timeout, or an answer that is not Qdrant's (the client asserts what
            # it expects)
            cause = getattr(error, "source", error)
            failure = self._failed(f"no usable answer ({type(cause).__name__})", str(cause))
            raise TryAgain(lambda tried: failure) from error

    def _refused(self, error: UnexpectedResponse, collection: str | None) -> KgnbError:
        if error.status_code in {401, 403}:
            return ConfigError(
                f"The vector index {self.name} refused the API key (HTTP {error.status_code}).",
                fix='Set vectors.index_key = "env:NAME" in kgnb.toml, where $NAME holds this server\'s key.',
            )
        if error.status_code == 404 and collection is not None:
            self._views.pop(collection, None)
            return no_collection(self.name, collection, ())
        return self._failed(f"HTTP {error.status_code}", error.content.decode("utf-8", "replace"))

    def _failed(self, what: str, details: str) -> BackendError:
        if self._api_key:
            details = details.replace(self._api_key, "***")
        return BackendError(
            f"The vector index {self.name} failed: {what}.",
            service=self.name,
            fix="Check that the server runs at this address and is a Qdrant of 1.12 or later.",
            details=details[:2000],
        )


def _point(
    point: models.Record | models.ScoredPoint, view: str
) -> tuple[str, Payload, list[float]]:
    """The id, payload and vector of a stored point."""
    payload = dict(point.payload or {})
    kept: Any = payload.pop(RESERVED, {})
    return str(kept.get("id", point.id)), payload, point.vector[view]  # type: ignore[index,call-overload,return-value]


def _those(where: Mapping[str, str]) -> models.Filter:
    """Points whose payload is so."""
    return models.Filter(
        must=[
            models.FieldCondition(key=key, match=models.MatchValue(value=value))
            for key, value in where.items()
        ]
    )


def _hit(point: models.ScoredPoint) -> Hit:
    payload = dict(point.payload or {})
    kept: Any = payload.pop(RESERVED, {})
    return Hit(str(kept.get("id", point.id)), point.score, payload)


def _struct(point: Point, vector: Vectors) -> models.PointStruct:
    key = str(uuid.uuid5(_NAMESPACE, f"{point.view}\0{point.id}"))
    payload = {**point.payload, RESERVED: {"id": point.id, "view": point.view}}
    return models.PointStruct(id=key, vector={point.view: vector.tolist()}, payload=payload)


def _open(api_key: str | None) -> QdrantClient:
    if api_key is not None:
        raise ConfigError(
            "An API key was given, but the vector index is not a server.",
            fix="Give its URL, or no key.",
        )
    # It would come with every cell of a notebook; the class's docstring says it once.
    warnings.filterwarnings("ignore", message="Local mode is not recommended", category=UserWarning)
    return QdrantClient(":memory:", force_disable_check_same_thread=True)


def _connect(url: str, api_key: str | None) -> QdrantClient:
    parts = urlsplit(url)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(
            "The URL of the vector index must hold no user, password or query.",
            fix='Name the key by itself: vectors.index_key = "env:NAME" in kgnb.toml.',
        )
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError(
            f"{url!r} is not the URL of a Qdrant server.", fix="For example http://localhost:6333"
        )
    with warnings.catch_warnings():
        if on_this_machine(url):  # a key that stays on this machine needs no encryption
            warnings.simplefilter("ignore", UserWarning)
        return QdrantClient(
            url=url,
            api_key=api_key,
            timeout=_TIMEOUT,
            check_compatibility=False,
            transport=Transport(url),
            trust_env=False,
            headers={"Accept-Encoding": "identity"},
        )
