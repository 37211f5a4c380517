"""The names of exported attributes are those of OpenTelemetry's semantic conventions (1.41), or begin with kgnb."""

from kgnb.run import Run
from kgnb.run.otel import to_otel
from kgnb.run.record import Call, Query, Record, Step

KNOWN = {
    *("gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.agent.name", "gen_ai.agent.id"),
    *("gen_ai.request.model", "gen_ai.response.model", "gen_ai.response.finish_reasons"),
    *("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "error.type"),
    *("db.system.name", "db.namespace", "db.query.text", "db.response.returned_rows"),
}


def spans(record: Record) -> list[dict[str, object]]:
    return to_otel(record)["resourceSpans"][0]["scopeSpans"][0]["spans"]


def test_attributes_are_named_by_the_conventions() -> None:
    call = Call(1, "m", 10, 2, 0.5, finish_reason="stop", error="ModelError: the server said no: sk-" + "a1B2" * 6)
    step = Step(1, "validate", calls=[call], queries=[Query("g", "ASK {}", 1)], error="LimitError: spent")
    record = Record(id="1", agent="ontology_matching", state="limited", by_number={1: step}, limit="calls", partial="p")
    told = {span["name"]: {one["key"]: one["value"] for one in span["attributes"]} for span in spans(record)}  # type: ignore[attr-defined]
    assert {name for one in told.values() for name in one if not name.startswith("kgnb.")} <= KNOWN
    assert told["chat m"]["error.type"] == {"stringValue": "ModelError"}
    assert told["chat m"]["kgnb.call.usd"] == {"doubleValue": 0.5}
    assert told["invoke_agent ontology_matching"]["kgnb.run.partial"] == {"stringValue": "p"}
    statuses = {span["name"]: span.get("status") for span in spans(record)}
    assert statuses["chat m"] == {"code": 2, "message": "ModelError: the server said no: [redacted]"}


def test_a_run_without_calls_is_exported_too() -> None:
    run = Run("example")
    run.do(sorted, [2, 1])
    assert [span["name"] for span in spans(run._record)] == ["invoke_agent example", "sorted"]
