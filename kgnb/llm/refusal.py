"""What a server's refusal means: try again later, ask for less, or give up with a sentence that says how to mend it."""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kgnb.llm.model import Reply
from kgnb.llm.reply import json_values
from kgnb.llm.wire import CARRIED, Form, error_text

MILDER: dict[Form, Form] = {"json_schema": "json_object", "json_object": "text"}
_OPTIONAL = ("temperature", "seed", "max_tokens", "stream_options", "tools", "parallel_tool_calls", "verbosity")
# what a server may refuse and we can spare
_OVERFLOW = re.compile(r"context[_ ](length|size|window)|maximum context|prompt is too long|too many tokens", re.I)
_FILTERED = re.compile(r"content_filter|content_policy|content management policy", re.I)


@dataclass(frozen=True)
class Refusal:
    """One try that gave no reply."""

    status: int  # 0: there was no answer
    message: str
    body: Any = None  # the error's JSON, where there was one
    headers: Mapping[str, str] | None = None
    late: bool = False  # the server took the call and did not answer in time

    @property
    def error(self) -> Mapping[str, Any]:
        """The error's fields, as ``{"error": {...}}`` or bare."""
        inner = self.body.get("error", self.body) if isinstance(self.body, Mapping) else None
        return inner if isinstance(inner, Mapping) else {}

    @property
    def code(self) -> str:
        """The error's code and type."""
        return f"{self.error.get('code') or ''} {self.error.get('type') or ''}"

    @property
    def passing(self) -> bool:
        """Whether the same call may succeed later."""
        if "insufficient_quota" in self.code or (self.headers or {}).get("x-should-retry") == "false":
            return False
        return self.status in (0, 200, 408, 409, 429) or self.status >= 500 and self.status != 501

    @property
    def retry_after(self) -> float | None:
        """Seconds the server asked to be left alone."""
        return retry_after(self.headers or {})


def advice(got: Refusal) -> str:
    """How to mend it."""
    if got.status == 0:
        return "Is the server running, and is model.base_url right? A slow one may need a larger model.timeout."
    if 300 <= got.status < 400:
        return "Set model.base_url ($KGNB_BASE_URL) to where it leads, if you trust that place."
    if got.status == 429:
        return "Lower model.requests_per_minute or model.width, or look at the account's quota."
    if got.status == 200:
        return "Something else than a chat server may be answering (a proxy, a login page): check model.base_url."
    return (
        "The server's own log may say more." if got.status >= 500 else "Try `%llm test` to see what the server can do."
    )


def ending(got: Refusal) -> str:
    """The finish_reason of a refusal that is the model's answer to this very prompt; "" for any other."""
    if got.status not in (400, 413, 422):
        return ""
    said = f"{got.code} {got.message}"
    return "context_overflow" if _OVERFLOW.search(said) else "content_filter" if _FILTERED.search(said) else ""


def responses_only(got: Refusal) -> bool:
    """Whether a refusal says that this model has no chat completions."""
    return got.status in (400, 404) and "v1/responses" in got.message


def milder(
    got: Refusal, body: Mapping[str, Any], form: Form, without: frozenset[str]
) -> tuple[Form, frozenset[str]] | None:
    """What to ask for instead, after the server refused a part of the request; None where nothing is left to spare."""
    if got.status not in (400, 422) and "--jinja" not in got.message:  # llama.cpp's 500 for tools
        return None
    param = str(got.error.get("param") or "")
    said = param or (error_text(got.body) or json.dumps(got.body)[:300])  # FastAPI's 422 names the field in a list
    for name in _OPTIONAL:
        if name in body and name not in without and re.search(rf"\b{name}\b", said.replace("tool choice", "tools")):
            return form, without | {name}
    sent_back = any("carried" not in without and set(CARRIED) & set(message) for message in body.get("messages", ()))
    if sent_back and re.search(r"reasoning|thinking", said):
        return form, without | {"carried"}
    if "response_format" in body and (not param or "response_format" in param):
        return MILDER[form], without
    return None


def ignored(reply: Reply, schema: Mapping[str, Any] | None) -> bool:
    """Whether a reply shows that the server took a JSON schema and did not hold the model to it.

    That is a whole reply in which no JSON object has the keys that the schema requires; the values are not looked at.
    """
    if schema is None or reply.tool_calls or reply.finish_reason != "stop":
        return False
    required = set(schema.get("required") or ())
    objects = [value for value in json_values(reply.text) if isinstance(value, Mapping)]
    return not any(required <= set(value) for value in objects)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from lower-case headers: ``retry-after-ms``, or ``retry-after`` in seconds or as a date.

    >>> retry_after({"retry-after": "2.5"}), retry_after({"retry-after-ms": "40"}), retry_after({"retry-after": "soon"})
    (2.5, 0.04, None)
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        if re.fullmatch(r"\s*\d{1,9}(\.\d*)?\s*", headers.get(name, "")):
            return float(headers[name]) / unit
    try:  # a date counts from the server's own clock where it tells it
        until = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        now = email.utils.parsedate_to_datetime(headers["date"]).timestamp() if "date" in headers else time.time()
    except (TypeError, ValueError):
        return None
    return max(0.0, until.timestamp() - now)
