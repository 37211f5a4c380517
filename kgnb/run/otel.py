"""A run as OpenTelemetry spans, named by the semantic conventions for generative AI (OTLP's JSON
form).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kgnb.run.record import Record, Step
from kgnb.secret import blot

Span = dict[str, Any]


def to_otel(record: Record) -> dict[str, Any]:
    """One span for the run, below it one per step, and below that one per model call or graph
    query.

    Names are those of OpenTelemetry's semantic conventions (1.41: GenAI spans and agent spans,
    database spans), or begin with ``kgnb.``. A run records how long things took, not when each
    began: spans of one level follow each other, even if the calls were concurrent. Prompts and
    replies are not included.
    """
    trace = _id(record.id or record.agent, 32)
    begun = int(datetime.fromisoformat(record.started).timestamp() * 1e9) if record.started else 0
    spans: list[Span] = []
    clock = begun
    for step in record.steps:
        clock = _step(spans, trace, step, clock)
    totals = record.totals
    about = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "kgnb",
        "gen_ai.agent.name": record.agent,
        "gen_ai.agent.id": record.id,
        "gen_ai.usage.input_tokens": totals["prompt_tokens"],
        "gen_ai.usage.output_tokens": totals["completion_tokens"],
        "kgnb.run.state": record.state,
        "kgnb.run.judgements": totals["judgements"],
        "kgnb.run.usd": totals["usd"],
        "kgnb.run.partial": record.partial or None,
    }
    ended = max(clock, begun + int((record.seconds or 0) * 1e9))
    root = _span(trace, "run", "", f"invoke_agent {record.agent}", begun, ended, about)
    root["status"] = {"code": 2 if record.state in ("failed", "cancelled") else 1}
    scope = {"name": "kgnb", "version": record.versions.get("kgnb", "")}
    resource = {
        "attributes": _attributes({"service.name": "kgnb", "service.version": scope["version"]})
    }
    return {
        "resourceSpans": [
            {"resource": resource, "scopeSpans": [{"scope": scope, "spans": [root, *spans]}]}
        ]
    }


def _step(spans: list[Span], trace: str, step: Step, start: int) -> int:
    """Add a step and what it asked; returns when all of that had ended."""
    name = f"step-{step.number}"
    about: dict[str, Any] = {
        "kgnb.step.number": step.number,
        "kgnb.step.judgements": len(step.judgements),
    }
    about |= {f"kgnb.count.{key}": value for key, value in step.counts.items()}
    ended = start + int((step.seconds or 0) * 1e9)
    spans.append(_span(trace, name, "run", step.name, start, ended, about, error=step.error))
    clock = start
    for call in sorted(step.calls, key=lambda one: one.number):
        before, clock = clock, clock + int(call.seconds * 1e9)
        about = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",  # the protocol, whatever the server
            "gen_ai.request.model": call.model,
            "gen_ai.response.model": call.model,
            "gen_ai.response.finish_reasons": [call.finish_reason] if call.finish_reason else [],
            "gen_ai.usage.input_tokens": call.prompt_tokens,
            "gen_ai.usage.output_tokens": call.completion_tokens,
            "kgnb.call.cached": call.cached,
            "kgnb.call.usd": call.usd,
            "kgnb.call.retries": max(0, len(call.attempts) - 1),
            "kgnb.call.request": call.request,
        }
        title = f"chat {call.model}"
        spans.append(
            _span(trace, f"call-{call.number}", name, title, before, clock, about, 3, call.error)
        )
    for number, query in enumerate(step.queries, start=1):
        before, clock = clock, clock + int(query.seconds * 1e9)
        about = {
            "db.system.name": "sparql",
            "db.namespace": query.graph,
            "db.query.text": query.query,
            "db.response.returned_rows": query.rows,
        }
        title = f"query {query.graph}"
        spans.append(_span(trace, f"{name}-query-{number}", name, title, before, clock, about, 3))
        del spans[-1]["status"]  # whether it failed is not on record
    return max(ended, clock)


def _span(
    trace: str,
    name: str,
    parent: str,
    title: str,
    begun: int,
    ended: int,
    about: Mapping[str, Any],
    kind: int = 1,
    error: str | None = None,
) -> Span:
    kinds = (
        {"error.type": error.partition(":")[0]} if error else {}
    )  # of which there are few; the rest is in the status
    return {
        "traceId": trace,
        "spanId": _id(trace + name, 16),
        **({"parentSpanId": _id(trace + parent, 16)} if parent else {}),
        "name": title,
        "kind": kind,
        "startTimeUnixNano": str(begun),
        "endTimeUnixNano": str(ended),
        "attributes": _attributes({**about, **kinds}),
        "status": {"code": 2, "message": blot(error)} if error else {"code": 1},
    }


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": _value(value)}
        for key, value in values.items()
        if value is not None and value != []
    ]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
    return {"stringValue": blot(str(value))}


def _id(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]
