"""A shim that speaks Qdrant's REST wire, not a Qdrant server.

Bodies are validated by the models that qdrant-client generates from Qdrant's OpenAPI description
and carried out by its in-memory mode. It tests our client side over real HTTP (JSON, the api-key
header, paging, retries); it proves nothing about a server.
"""

import json
import threading
from typing import Any
from urllib.parse import unquote, urlsplit

from qdrant_client import QdrantClient, models

from tests.loopback import LoopbackServer, Request


class QdrantShim(LoopbackServer):
    """``answer_next(status, headers, text)`` makes it fail the next request so; ``requests`` lists
    what came as (method, path, headers, body).
    """

    def __init__(self, *, api_key: str | None = None) -> None:
        self.api_key = api_key
        self.requests: list[tuple[str, str, dict[str, str], Any]] = []
        self.engine = QdrantClient(":memory:", force_disable_check_same_thread=True)
        self.lock = threading.Lock()
        self.failures: list[tuple[int, dict[str, str], str]] = []
        super().__init__()

    def answer(self, request: Request) -> None:
        with self.lock:
            status, headers, text = self.said(
                request.command, request.path, dict(request.headers), request.body
            )
        request.send(status, text.encode(), headers=headers)

    def answer_next(
        self, status: int, headers: dict[str, str] | None = None, text: str = "{}"
    ) -> None:
        self.failures.append((status, headers or {}, text))

    def said(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], str]:
        parsed = json.loads(body) if body else None
        headers = {name.lower(): value for name, value in headers.items()}
        self.requests.append((method, path, headers, parsed))
        if self.api_key is not None and headers.get("api-key") != self.api_key:
            return 401, {}, '{"status": {"error": "wrong key: ' + headers.get("api-key", "") + '"}}'
        if self.failures:
            return self.failures.pop(0)
        try:
            result = self.carry_out(
                method, [unquote(part) for part in urlsplit(path).path.split("/")[1:]], parsed
            )
        except (
            LookupError,
            ValueError,
        ) as error:  # pydantic's errors of validation are ValueErrors
            status = 404 if isinstance(error, LookupError) else 400
            return status, {}, json.dumps({"status": {"error": str(error)}})
        return 200, {}, json.dumps({"result": result, "status": "ok", "time": 0.0})

    def carry_out(self, method: str, parts: list[str], body: Any) -> Any:
        match method, parts:
            case "GET", ["collections"]:
                return self.engine.get_collections().model_dump(mode="json")
            case "PUT", ["collections", name]:
                made = models.CreateCollection.model_validate(body)
                return self.engine.create_collection(name, vectors_config=made.vectors)
            case "GET", ["collections", name]:
                self.known(name)
                return self.engine.get_collection(name).model_dump(mode="json")
            case "PUT", ["collections", name, "index"]:
                self.known(name)  # which the in-memory mode needs no index for
                return {"operation_id": 0, "status": "completed"}
        if (
            method not in {"PUT", "POST"}
            or len(parts) < 3
            or parts[0] != "collections"
            or parts[2] != "points"
        ):
            raise LookupError(f"the shim has no {method} {'/'.join(parts)}")
        self.known(parts[1])
        return self.points(parts[1], method, parts[3:], body)

    def points(self, name: str, method: str, rest: list[str], body: Any) -> Any:
        match method, rest:
            case "PUT", []:
                points = models.PointsList.model_validate(body).points
                return self.engine.upsert(name, points).model_dump(mode="json")
            case "POST", ["count"]:
                return self.engine.count(
                    name, exact=models.CountRequest.model_validate(body).exact
                ).model_dump()
            case "POST", ["scroll"]:
                asked = models.ScrollRequest.model_validate(body)
                found, after = self.engine.scroll(
                    name,
                    asked.filter,
                    limit=asked.limit or 10,
                    offset=asked.offset,
                    with_payload=asked.with_payload,
                    with_vectors=asked.with_vector,
                )
                return {
                    "points": [point.model_dump(mode="json") for point in found],
                    "next_page_offset": after,
                }
            case "POST", ["query"]:
                query = models.QueryRequest.model_validate(body)
                found = self.engine.query_points(
                    name,
                    query=query.query,
                    using=query.using,
                    query_filter=query.filter,
                    limit=query.limit or 10,
                    with_payload=query.with_payload,
                    with_vectors=query.with_vector,
                ).points
                return {"points": [point.model_dump(mode="json") for point in found]}
            case "POST", ["query", "batch"]:
                many = models.QueryRequestBatch.model_validate(body).searches
                replies = self.engine.query_batch_points(name, requests=many)
                return [reply.model_dump(mode="json") for reply in replies]
        raise LookupError(f"the shim has no {method} points/{'/'.join(rest)}")

    def known(self, name: str) -> None:
        if not self.engine.collection_exists(name):
            raise LookupError(f"Collection `{name}` doesn't exist!")
