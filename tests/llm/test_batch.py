"""A model that is asked by file: what is written, what may be brought back, and what a kill leaves."""

import json
from pathlib import Path
from typing import Any

import pytest

from kgnb.errors import DataError, Waiting
from kgnb.llm.asking import ask_many, raise_waiting
from kgnb.llm.batch import BatchModel, RecordedModel, answer, record, request_id, standing
from kgnb.llm.model import Message, Reply, Request, ToolSpec
from kgnb.llm.prices import Price
from kgnb.llm.replay import MissingReply

GREET = ToolSpec(
    "greet", "Says hello.", {"type": "object", "properties": {"name": {"type": "string"}}}
)


def asking(text: str, **how: Any) -> Request:
    return Request((Message("system", "Be brief."), Message("user", text)), **how)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def bring(folder: Path, *rows: dict[str, Any], name: str = "replies.jsonl") -> None:
    with (folder / name).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def completion(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    return {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": usage,
        "model": "m-2026",
    }


def test_a_request_waits_in_the_form_of_the_batch_api_and_is_written_once(tmp_path: Path) -> None:
    model = BatchModel(tmp_path, "m", Price(2.0, 8.0))
    with pytest.raises(Waiting) as caught:
        model.ask(asking("Who?", schema={"type": "object"}))
    assert str(caught.value).startswith(f"1 request waits for its reply in {tmp_path} (about ")
    assert "$0.0001" in str(caught.value)
    for again in (model, BatchModel(tmp_path, "m")):
        with pytest.raises(Waiting):
            again.ask(asking("Who?", schema={"type": "object"}))
    [row] = lines(tmp_path / "requests-001.jsonl")
    (tmp_path / "requests-001 (copy).jsonl").touch()  # a file that somebody split, or set aside
    with pytest.raises(Waiting):
        BatchModel(tmp_path, "m").ask(asking("Where?"))
    assert (tmp_path / "requests-002.jsonl").is_file()
    assert (row["method"], row["url"], row["body"]["model"]) == (
        "POST",
        "/v1/chat/completions",
        "m",
    )
    assert row["body"]["messages"][1] == {"role": "user", "content": "Who?"}
    assert row["body"]["response_format"]["type"] == "json_schema"
    with pytest.raises(Waiting):
        BatchModel(tmp_path, "m").ask(asking("And who else?"))
    assert len(lines(tmp_path / "requests-002.jsonl")) == 1, "a later run begins a file of its own"


def test_the_id_depends_on_the_request_and_not_on_the_model() -> None:
    assert request_id(asking("Who?")) == request_id(asking("Who?"))
    others = [
        asking("who?"),
        asking("Who?", schema={}),
        asking("Who?", tools=(GREET,)),
        asking("Who?", max_tokens=9),
    ]
    assert len({request_id(each) for each in [asking("Who?"), *others]}) == 5


def test_replies_come_as_batch_output_or_plain_and_a_good_one_overrides_an_error(
    tmp_path: Path,
) -> None:
    model, asked = BatchModel(tmp_path, "m"), [asking(text) for text in ("a", "b", "c", "d")]
    outcomes = ask_many(model, asked, width=4)
    assert all(isinstance(outcome, Waiting) for outcome in outcomes)
    with pytest.raises(Waiting, match="4 requests wait for their replies"):
        raise_waiting(outcomes)
    ids = [request_id(each) for each in asked]
    response = {"status_code": 200, "body": completion("A")}
    bring(
        tmp_path,
        {"id": "x", "custom_id": ids[0], "response": response, "error": None},
        name="replies-1.jsonl",
    )
    bring(
        tmp_path,
        {"custom_id": ids[1], "text": "B"},
        {"custom_id": ids[3], "error": {"message": "expired"}},
    )
    bring(
        tmp_path,
        {"custom_id": ids[2], "tool_calls": [{"name": "greet", "arguments": {"name": "Ada"}}]},
    )
    first, second, third, fourth = ask_many(model, asked, width=4)
    assert isinstance(first, Reply) and isinstance(second, Reply) and isinstance(third, Reply)
    assert (first.text, first.usage.prompt_tokens, first.model) == ("A", 7, "m-2026")
    assert second.text == "B" and second.usage.estimated
    assert third.tool_calls[0].name == "greet" and third.tool_calls[0].arguments == {"name": "Ada"}
    assert isinstance(fourth, Waiting)
    assert (
        (found := standing(tmp_path)).waiting == (ids[3],)
        and found.failed == 1
        and found.tokens > 0
    )
    assert [row["custom_id"] for row in lines(tmp_path / "requests-001.jsonl")].count(
        ids[3]
    ) == 2, "asked anew"
    bring(tmp_path, {"custom_id": ids[3], "text": "D"})
    assert model.ask(asked[3]).text == "D"


def test_a_line_that_is_not_a_reply_is_named(tmp_path: Path) -> None:
    for line in (
        '{"text": "no id"}',
        '{"custom_id": "x"}',
        '{"custom_id": "x", "response": {"body": {}}}',
        "[]",
    ):
        (tmp_path / "replies.jsonl").write_text(f'{{"custom_id": "a", "text": "fine"}}\n{line}\n\n')
        with pytest.raises(DataError, match=r"replies\.jsonl:2"):
            BatchModel(tmp_path)


def test_a_kill_in_the_middle_of_a_line_loses_nothing(tmp_path: Path) -> None:
    asked = [asking(str(number)) for number in range(3)]
    ask_many(BatchModel(tmp_path, "m"), asked, width=1)
    path = tmp_path / "requests-001.jsonl"
    whole = path.read_bytes()
    for cut in range(1, 11):
        path.write_bytes(whole[: len(whole) * cut // 11])
        ask_many(BatchModel(tmp_path, "m"), asked, width=1)
        assert {request_id(each) for each in asked} == set(standing(tmp_path).waiting)
        for added in set(tmp_path.glob("requests-*.jsonl")) - {path}:
            added.unlink()


def test_a_recording_holds_ids_and_replies_and_no_request(tmp_path: Path) -> None:
    folder, target = tmp_path / "asked", tmp_path / "recordings" / "mine"
    model = BatchModel(folder, "m")
    secret, tooled = asking("a text that is not ours"), asking("greet her", tools=(GREET,))
    ask_many(model, [secret, tooled, asking("never answered")], width=2)
    answer(folder, request_id(secret), {"text": "A"})
    answer(
        folder,
        request_id(tooled),
        {"tool_calls": [{"name": "greet", "arguments": {"name": "Ada"}}]},
    )
    assert record(folder, target) == 2
    assert "not ours" not in (target / "replies.jsonl").read_text()
    recorded = RecordedModel(target, "recorded:mine")
    reply = recorded.ask(secret)
    assert (reply.text, reply.cached, reply.usage.prompt_tokens > 0) == ("A", True, True)
    assert recorded.ask(tooled).tool_calls == model.ask(tooled).tool_calls
    with pytest.raises(MissingReply, match="recorded:mine holds no reply"):
        recorded.ask(asking("never answered"))
    before = (target / "replies.jsonl").read_bytes()
    assert record(folder, target) == 2 and (target / "replies.jsonl").read_bytes() == before
    with pytest.raises(DataError, match="no such recording"):
        RecordedModel(tmp_path / "nowhere", "recorded:nowhere")
