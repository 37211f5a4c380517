"""Thirty kinds of secrets planted in files of thirty kinds, the own tree without any, and what may
be allowed.
"""

import base64
import gzip
import io
import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kgnb.cli import main
from kgnb.errors import DataError
from kgnb.reporting.scan import ALLOW_FILE, scan

pytestmark = pytest.mark.fault("scan for secrets")
ROOT = Path(__file__).parent.parent.parent
MIXED = "hj3K9sLq0vXz" + "81PdQ7Rt"
SK = "sk-" + "Ab3dEf6hIj9kLm2nOp5q"


def joined(*parts: str) -> str:
    """A key that this file itself does not hold in one piece."""
    return "".join(parts)


def zipped(text: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("inner.txt", text)
    return out.getvalue()


WIDGETS = {
    "application/vnd.jupyter.widget-state+json": {
        "state": {"a": {"model_name": "PasswordModel", "state": {"value": "correct horse"}}}
    }
}
PLANTED: dict[str, tuple[str, str | bytes]] = {
    "YAML password": ("a.yml", joined("db:\n  password: hunter2", "hunter2x\n")),
    "netrc": (".netrc", joined("machine h.example login me password plain", "words4\n")),
    "SendGrid": (
        "a.py",
        joined(
            "client('SG.",
            "ngeVfQFYQlKU0ufo8x5d1A",
            ".",
            "TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr')",
        ),
    ),
    "Azure": (
        "a.txt",
        joined(
            "DefaultEndpointsProtocol=https;AccountKey=",
            "lJzRc1YdHaAA2KCNJJ1tkYwF/+mKK6Ygw0NGe170Xu592euJv2wYUtBlV8z+qnlcNQSnIYVTkLWntUO1F8j8rQ==",
        ),
    ),
    "DigitalOcean": ("a.sh", joined("doctl auth init -t dop_v1_", "0123456789abcdef" * 4)),
    "Telegram": ("a.txt", joined("110201543:AAHdqTcvCH1vGWJxf", "SeofSAs0K5PALDsaw")),
    "session cookie": ("a.log", joined("Cookie: lang=en; sessionid=", "h3k9sl0qvxz81pdq7rtb")),
    "key below its name": ("a.json", joined('{"api_key":\n  "', MIXED, '"}')),
    "Base64 of a key": ("a.txt", "blob " + base64.b64encode(SK.encode()).decode()),
    "colours": ("a.log", joined("\x1b[31msk-", "Ab3dEf6hI\x1b[0mj9kLm2nOp5q")),
    "password widget": ("a.ipynb", json.dumps({"cells": [], "metadata": {"widgets": WIDGETS}})),
    "gzip": ("a.log.gz", gzip.compress(f"key {SK}\n".encode())),
    "zip": ("a.zip", zipped(f"key {SK}\n")),
    "UTF-16 without a mark": ("a.txt", f"the key is {SK}\n".encode("utf-16-le")),
    "OpenAI": ("a.py", f"key = '{SK}'"),
    "GitHub": ("a.txt", joined("ghp_", "Ab3dEf6hIj9kLm2nOp5qAb3dEf6hIj9k1234")),
    "GitLab": ("a.txt", joined("glpat-", "hellOworld380_testin")),
    "Hugging Face": ("a.txt", joined("hf_", "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789")),
    "AWS": ("a.txt", joined("AKIA", "ZZZZ1234ABCD5678")),
    "Google": ("a.txt", joined("AIza", "SyA1234567890abcdefghijklmnopqrstuv")),
    "Slack": ("a.txt", joined("xoxb-", "34532454-e039d02840a0b9379c")),
    "Slack webhook": (
        "a.txt",
        joined("https://hooks.slack.com/services/", "Txxxxxxxx/Bxxxxxxxx/a1b2c3d4e5f6g7h8i9j0k1l2"),
    ),
    "Stripe": ("a.txt", joined("sk_live_", "Ab3dEf6hIj9kLm2nOp5q")),
    "Mailchimp": ("a.txt", joined("343ea45721923ed956e2b38c31db76aa", "-us30")),
    "Twilio": ("a.txt", joined("SK", "d3b2c4f5a6978877665544332211aabb")),
    "npm": (
        ".npmrc",
        joined("//registry.example/:_authToken=", "npm_", "a1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"),
    ),
    "Square": ("a.txt", joined("sq0csp-", "ABCDEFGHIJK_LMNOPQRSTUVWXYZ-0123456789\\abcd")),
    "Discord": ("a.txt", joined("MTk4NjIyNDgzNDcxOTI1MjQ4", ".Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs")),
    "private key": ("a.pem", joined("-----BEGIN RSA ", "PRIVATE KEY-----\nMIIB\n")),
    "JWT": (
        "a.txt",
        joined(
            "eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"
        ),
    ),
    "password in a URL": ("a.txt", joined("postgres://me:open", "sesame@db.example/x")),
    "key in a URL": ("a.txt", joined("https://h.example/sparql?api_", "key=", MIXED)),
    "authorization header": ("a.txt", joined("Authorization: Bearer ", MIXED)),
    "assigned": ("a.py", joined("API_", "KEY = '", MIXED, "'")),
}


def test_a_planted_secret_of_every_kind_is_found_and_not_shown(
    tmp_path: Path, record_property: Any
) -> None:
    for number, (kind, (name, content)) in enumerate(PLANTED.items()):
        file = tmp_path / str(number) / name
        file.parent.mkdir()
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        found = scan(file.parent)
        assert found, kind
        assert not [
            one for one in found if MIXED in str(one) or SK in str(one) or "hunter2" in str(one)
        ]
    record_property("tries", len(PLANTED))


def test_our_own_tree_is_clean() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if tracked.returncode:
        pytest.skip("not a git checkout")
    ours = [ROOT / name for name in tracked.stdout.splitlines()]
    assert len(ours) > 500
    found = [
        str(one) for file in ours if file.is_file() for one in scan(file, allowed=ROOT / ALLOW_FILE)
    ]
    assert not found


def test_findings_are_allowed_by_digest_or_mark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "project"
    home.mkdir()
    (home / "a.py").write_text(f"API_KEY = '{MIXED}'\n")
    (home / "b.py").write_text(f"API_KEY = '{MIXED}'  # pragma: allowlist secret\n")
    assert [one.file.name for one in scan(home)] == ["a.py"]
    assert main(["scan", str(home), "--digests"]) == 1
    digest = capsys.readouterr().out.split()[0]
    (home / ALLOW_FILE).write_text(f"# ours\n{digest} *.py  # an example\n")
    assert scan(home) == []
    (home / "a.py").write_text(f"API_KEY = '{MIXED[::-1]}'\n")
    assert len(scan(home)) == 1
    (home / ALLOW_FILE).write_text("what is this\n")
    with pytest.raises(DataError, match=":1: a line is a digest"):
        scan(home)
