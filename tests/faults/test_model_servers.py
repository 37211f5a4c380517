"""A model server that fails: every command ends, says so first, and does not take the failure for
an answer.
"""

import json
import signal
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest

from kgnb.cli import main
from tests.faults.commands import ALIGN, MATCH, Place
from tests.faults.tries import WHOLE
from tests.llm.obliging import oblige
from tests.llm.stub_server import (
    CUT_JSON,
    HTML,
    Answer,
    Body,
    Fault,
    StubServer,
    calling,
    error_body,
    rate_limited,
    server_error,
)

pytestmark = pytest.mark.fault("model server fails")
KEY = "sk-" + "Fault0Key1Never2Shown3"
FAULTS = {
    "429": rate_limited(),
    "429, wait a day": rate_limited(after=86400),
    "500": server_error(),
    "502 with HTML": Fault(502, body="<html>Bad gateway</html>", content_type="text/html"),
    "400": Fault(400, body=error_body("no such parameter")),
    "unknown model": Fault(
        404, body=error_body("The model stub does not exist", "model_not_found")
    ),
    "HTML with 200": HTML,
    "cut JSON": CUT_JSON,
    "empty body": Fault(body=""),
    "deep JSON": Fault(body="[" * 100_000),
    "empty text": Fault(text=""),
    "nonsense": Fault(text="I am a teapot, short and stout."),
    "lone surrogate": Fault(body='{"choices": [{"message": {"content": "\\ud800"}}]}'),
    "refusal": Fault(text="I cannot help with that.", finish_reason="content_filter"),
    "context overflow": Fault(
        400, body=error_body("maximum context length is 8", "context_length_exceeded", "messages")
    ),
    "hangs up": Fault(drop=True),
    "redirect elsewhere": Fault(
        307, {"Location": "http://127.0.0.1:9/v1/chat/completions"}, body=""
    ),
    "wrong key": Fault(
        401, body=error_body("Incorrect API key provided: {key}", "invalid_api_key")
    ),
    "no TLS": Fault(),  # asked by https
    "untrusted certificate": Fault(),
}
COMMANDS = {
    "match": (
        "match",
        "huts:alpine",
        "huts:refuge",
        "--judge",
        "model",
        "--embedder",
        "characters",
    ),
    "cascade": (
        "match",
        "huts:alpine",
        "huts:refuge",
        "--judge",
        "cascade",
        "--embedder",
        "characters",
    ),
    "align": ("align", "huts:hollenmark", "huts:corvane", "--judge", "model"),
    "ask": (
        "ask",
        "Who is the warden of the Hochkar House?",
        "--graph",
        "huts:graph",
        "--judge",
        "model",
    ),
    "build": ("build", "huts:kitchen", "huts:kitchen-notes", "--judge", "model"),
}


PAIRS = [(fault, command) for fault in FAULTS for command in COMMANDS]
SHORT = [
    *((fault, "cascade") for fault in list(FAULTS)[::3]),
    ("500", "align"),
    ("refusal", "match"),
    ("context overflow", "cascade"),
    ("nonsense", "ask"),
    ("cut JSON", "build"),
    ("untrusted certificate", "align"),
]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that this machine has signed itself, with its key."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(
        name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1)
    )
    signed = builder.add_extension(address, critical=False).sign(key, hashes.SHA256())
    form, pem = serialization.PrivateFormat.PKCS8, serialization.Encoding.PEM
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(
        signed.public_bytes(pem) + key.private_bytes(pem, form, serialization.NoEncryption())
    )
    return path


@pytest.mark.parametrize(("fault", "command"), PAIRS if WHOLE else SHORT)
def test_a_command_ends_with_an_error_that_says_so(
    fault: str,
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    signed = request.getfixturevalue("certificate") if fault == "untrusted certificate" else None
    with StubServer(oblige, always=FAULTS[fault], certificate=signed) as server:
        url = server.url.replace("http:", "https:" if fault == "no TLS" else "http:")
        settings = {
            "MODEL": "stub",
            "BASE_URL": url,
            "RETRIES": "0",
            "TIMEOUT": "5",
            "KEY": "env:OURS",
        }
        for name, value in (settings | {"EMBEDDER": "characters"}).items():
            monkeypatch.setenv(f"KGNB_{name}", value)
        monkeypatch.setenv("OURS", KEY)
        status = main(COMMANDS[command])
    said = capsys.readouterr()
    assert status != 0, said.err[-500:]
    assert fault != "untrusted certificate" or (
        not server.requests and "certificate" in said.err.lower()
    )
    assert "Traceback" not in said.err
    assert KEY not in said.out + said.err
    assert not [
        one for one in tmp_path.rglob("*") if one.is_file() and KEY.encode() in one.read_bytes()
    ]


ONE_CALL = {"KGNB_WIDTH": "1", "KGNB_EMBEDDER": "characters"}


def slow_after(answers: int) -> tuple[threading.Event, object]:
    seen = threading.Event()
    count = [0]

    def answer(body: Body) -> Answer:
        count[0] += "json_schema" in json.dumps(body.get("response_format") or {})
        if count[0] > answers:
            seen.set()
            time.sleep(300)
        return oblige(body)

    return seen, answer


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("words", [MATCH, ALIGN] if WHOLE else [MATCH], ids=lambda words: words[0])
def test_ctrl_c_keeps_what_is_answered_and_says_that_it_is_partial(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    seen, answer = slow_after(2)
    with StubServer(answer) as server:  # type: ignore[arg-type]
        place = Place(tmp_path, server, ONE_CALL)
        process = place.begin(*words)
        assert seen.wait(120), process.stderr.read()  # type: ignore[union-attr]
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=200)
    assert process.returncode == 130, told
    assert "stopping; answers so far are kept" in told
    assert "the result is partial" in told
    assert b"\t" in place.out(words[0])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_second_ctrl_c_leaves_at_once(tmp_path: Path) -> None:
    seen, answer = slow_after(0)
    with StubServer(answer) as server:  # type: ignore[arg-type]
        process = Place(tmp_path, server, ONE_CALL).begin(*MATCH)
        assert seen.wait(120)
        process.send_signal(signal.SIGINT)
        assert any("stopping; answers so far are kept" in line for line in process.stderr)  # type: ignore[union-attr]
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=200)  # the reply that is on its way takes longer
    assert process.returncode == 130


COUNTS = {
    "none": None,
    "zero": {"prompt_tokens": 0, "completion_tokens": 0},
    "of replies alone": {"prompt_tokens": 0, "completion_tokens": 5},
    "one each": {"prompt_tokens": 1, "completion_tokens": 1},
    "no numbers": {"prompt_tokens": True, "completion_tokens": "5"},
    "negative": {"prompt_tokens": -9000, "completion_tokens": -9000},
    "endless": {"prompt_tokens": 10**400, "completion_tokens": 10**400},
}


@pytest.mark.parametrize("counts", COUNTS)
def test_a_budget_of_tokens_is_spent_whatever_the_server_counts(
    counts: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def whole(body: Body) -> str:
        message = calling(oblige(body))
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return json.dumps({"choices": [choice], "usage": COUNTS[counts]})

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KGNB_MODEL", "stub")
    monkeypatch.setenv("KGNB_TOKENS", "9000")
    with StubServer(whole=whole) as server:
        monkeypatch.setenv("KGNB_BASE_URL", server.url)
        assert main([*MATCH]) == 0
        assert 0 < len(server.requests) <= 4
    said = capsys.readouterr().err
    assert said.count("counts no tokens, or too few, so that estimates count instead") == 1
    assert "a budget was spent, so this is partial" in said
