"""A Virtuoso server on loopback with a file loaded: the engine behind DBpedia, which answers in its own way."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

INI = """[Database]
DatabaseFile = {folder}/v.db
ErrorLogFile = {folder}/v.log
LockFile = {folder}/v.lck
TransactionFile = {folder}/v.trx
xa_persistent_file = {folder}/v.pxa
[TempDatabase]
DatabaseFile = {folder}/t.db
TransactionFile = {folder}/t.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
ServerThreads = 5
NumberOfBuffers = 2000
DirsAllowed = {folder}
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerThreads = 5
[SPARQL]
ResultSetMaxRows = 10000
DefaultGraph = http://slice.example/
"""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def virtuoso(folder: Path, turtle: Path) -> Iterator[str]:
    """The address of the endpoint, while it runs; skips where Virtuoso is not installed."""
    server, client = shutil.which("virtuoso-t"), shutil.which("isql-vt")
    if server is None or client is None:
        pytest.skip("Virtuoso is not installed: apt-get install virtuoso-opensource-7-bin")
    shutil.copy(turtle, folder / "slice.ttl")
    sql, http = free_port(), free_port()
    (folder / "v.ini").write_text(INI.format(folder=folder, sql=sql, http=http))
    process = subprocess.Popen([server, "+foreground", "+configfile", str(folder / "v.ini")], cwd=folder)
    load = f"DB.DBA.TTLP_MT(file_to_string_output('{folder}/slice.ttl'), '', 'http://slice.example/', 0); checkpoint;"
    try:
        for _ in range(120):
            done = subprocess.run(
                [client, f"127.0.0.1:{sql}", "dba", "dba", f"exec={load}"], capture_output=True, text=True, check=False
            )
            if done.returncode == 0 and "Error" not in done.stderr + done.stdout:
                break
            time.sleep(0.5)
        else:
            raise AssertionError(f"Virtuoso did not load the slice: {done.stdout[-500:]}{done.stderr[-500:]}")
        yield f"http://127.0.0.1:{http}/sparql"
    finally:
        process.terminate()
        process.wait(timeout=30)
