"""A Virtuoso server on loopback: the engine behind DBpedia, which answers in its own way."""

import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ports import free_port

GRAPH = "http://hut.example/graph"
MOST_ROWS = 10_000
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
ServerThreads = 10
NumberOfBuffers = 2000
DirsAllowed = {folder}
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerThreads = 10
[SPARQL]
ResultSetMaxRows = {rows}
{default}
"""

INDEX = "DB.DBA.RDF_OBJ_FT_RULE_ADD(null, null, 'all'); DB.DBA.VT_INC_INDEX_DB_DBA_RDF_OBJ();"


@contextmanager
def virtuoso(
    folder: Path,
    turtle: Path | None = None,
    named: Mapping[str, str] | None = None,
    *,
    indexed: bool = False,
) -> Iterator[str]:
    """The address of its endpoint while it runs, with a file loaded and the Turtle of named graphs,
    else open to updates; ``indexed``: with its full-text index. Skips where it is not.
    """
    server, client = shutil.which("virtuoso-t"), shutil.which("isql-vt")
    if server is None or client is None:
        pytest.skip("Virtuoso is not installed: apt-get install virtuoso-opensource-7-bin")
    sql, http = free_port(), free_port()
    default = (
        f"DefaultGraph = {GRAPH}" if turtle is not None else ""
    )  # without, a query sees all graphs
    (folder / "v.ini").write_text(
        INI.format(folder=folder, sql=sql, http=http, rows=MOST_ROWS, default=default)
    )
    begin = 'GRANT SPARQL_UPDATE TO "SPARQL";'
    if turtle is not None:
        shutil.copy(turtle, folder / "data.ttl")
        begin = f"DB.DBA.TTLP_MT(file_to_string_output('{folder}/data.ttl'), '', '{GRAPH}', 0); checkpoint;"
    for at, (graph, text) in enumerate((named or {}).items()):
        (folder / f"{at}.ttl").write_text(text, encoding="utf-8")
        begin += f"DB.DBA.TTLP_MT(file_to_string_output('{folder}/{at}.ttl'), '', '{graph}', 0);"
    if indexed:
        begin += INDEX
    process = subprocess.Popen(
        [server, "+foreground", "+configfile", str(folder / "v.ini")],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    command = [client, f"127.0.0.1:{sql}", "dba", "dba", f"exec={begin}"]
    try:
        for _ in range(240):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0 and "Error" not in done.stderr + done.stdout:
                break
            time.sleep(0.5)
        else:
            raise AssertionError(
                f"Virtuoso did not start: {done.stdout[-500:]}{done.stderr[-500:]}"
            )
        yield f"http://127.0.0.1:{http}/sparql"
    finally:
        process.kill()  # nothing of it is kept
        process.wait()
