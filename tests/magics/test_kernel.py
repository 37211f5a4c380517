"""The magics in real kernels: headless as papermill runs them, and with a front end that presses buttons."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

from tests.magics.conftest import write_ontologies

LOAD = "%load_ext kgnb"
START = "%om start alpine.ttl refuge.ttl --embedder characters"


def notebook_of(*cells: str) -> Any:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return made


def test_a_query_to_a_dead_endpoint_stops_papermill_and_the_third_cell_has_not_run(folder: Path) -> None:
    """The command-line program itself: what a scheduler sees is its exit status."""
    dead = "%kg connect gone --url http://127.0.0.1:9/sparql\n"
    nbformat.write(notebook_of(LOAD, dead, "open('ran.txt', 'w').close()"), folder / "in.ipynb")
    command = [sys.executable, "-m", "papermill", "in.ipynb", "out.ipynb", "--no-progress-bar"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and "cannot be reached" in done.stderr
    assert not (folder / "ran.txt").exists()
    outputs = [output for cell in nbformat.read(folder / "out.ipynb", 4).cells for output in cell.get("outputs", [])]
    [error] = [output for output in outputs if output["output_type"] == "error"]
    assert error["ename"] == "BackendError" and len("\n".join(error["traceback"]).splitlines()) <= 6


AGENTS = (
    ("%om start alpine.ttl refuge.ttl --embedder characters", "%om run"),
    ("%ea start huts:hollenmark huts:corvane --embedder characters", "%ea run"),
    ("%qa start huts:graph --embedder characters", "%qa evaluate huts:questions"),
    ("%kgc compile huts:kitchen", "%kgc run huts:kitchen-notes"),
)


STOPS = """
import os, signal, sys, threading, time, traceback
def stop():
    main, works = threading.main_thread().ident, False
    while not works:
        time.sleep(0.02)
        stack = [frame.f_code for frame, _ in traceback.walk_stack(sys._current_frames()[main])]
        called = [at for at, c in enumerate(stack) if c.co_filename.endswith("verbs.py") and c.co_name == "call"]
        works = bool(called) and any("/kgnb/agents/" in code.co_filename for code in stack[:called[0]])
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=stop).start()
"""  # as Stop does, at a moment when the cell is sure to be at work: at another the kernel itself would be stopped


def test_stop_ends_a_slow_query_and_the_cell_of_any_agent_with_one_line(folder: Path) -> None:
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder))
    try:
        client.execute_interactive(f"{LOAD}\n%kg open alpine.ttl", timeout=60)
        slow = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p . ?q ?r ?s }"
        asked = client.execute(f"%%sparql --silent\n{slow}", stop_on_error=False)
        while client.get_iopub_msg(timeout=60)["msg_type"] != "execute_input":
            pass
        time.sleep(0.5)
        begun = time.monotonic()
        manager.interrupt_kernel()
        while (reply := client.get_shell_msg(timeout=60))["parent_header"]["msg_id"] != asked:
            pass
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        assert time.monotonic() - begun < 30  # a second on an idle machine; the query takes hours
        for start, work in AGENTS:
            started = client.execute_interactive(start, timeout=120)
            assert started["content"]["status"] == "ok", started["content"]
            # A kernel aborts what is asked right behind an error: here that is the next agent's start, or is not.
            asked = client.execute(f"{STOPS}for _ in range(9_999):\n    {work}", stop_on_error=False)
            while (reply := client.get_shell_msg(timeout=120))["parent_header"]["msg_id"] != asked:
                pass
            [said] = reply["content"]["traceback"]
            assert reply["content"]["ename"] == "KeyboardInterrupt"
            assert said.startswith(f"Stopped: {work.partition(' huts')[0]}") and said.endswith("was ended by you.")
            assert "\n" not in said
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_headless_forms_print_their_line_and_run_at_once(folder: Path) -> None:
    made = notebook_of(LOAD, START, "%om run --form --judge rule", "%om review")
    NotebookClient(made, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = made.cells[2]["outputs"]
    assert outputs[0]["text"].splitlines()[0] == "%om run --judge rule"
    assert any("application/vnd.kgnb.table+json" in output.get("data", {}) for output in outputs)
    assert "widgets" not in made.metadata
    assert len(nbformat.writes(made)) < 60_000


class FrontEnd:
    """A front end that runs cells and presses widget buttons over the real protocol."""

    def __init__(self, client: BlockingKernelClient, folder: Path) -> None:
        self.client, self.folder = client, folder

    def run(self, source: str) -> list[dict[str, Any]]:
        """Runs a cell; returns the messages it caused."""
        return self._until_idle(self.client.execute(source, allow_stdin=True, stop_on_error=False))

    def send(self, comm: str, data: dict[str, Any]) -> list[dict[str, Any]]:
        """Sends a message to a widget; returns the messages it caused."""
        message = self.client.session.msg("comm_msg", {"comm_id": comm, "data": data})
        self.client.shell_channel.send(message)
        return self._until_idle(message["header"]["msg_id"])

    def _until_idle(self, number: str) -> list[dict[str, Any]]:
        seen = []
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != number:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return seen
            seen.append(message)


@pytest.fixture(scope="module")
def front_end(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FrontEnd]:
    """One kernel for the tests below: each starts a task of its own."""
    place = write_ontologies(tmp_path_factory.mktemp("kernel"))
    manager, client = start_new_kernel(cwd=str(place), env=os.environ | {"KGNB_CACHE": str(place / "cache")})
    try:
        yield FrontEnd(client, place)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def opened(messages: list[dict[str, Any]], **wanted: str) -> str:
    """The comm of the widget whose state has these values."""
    for message in messages:
        if message["msg_type"] == "comm_open":
            state = message["content"]["data"]["state"]
            if all(state.get(name) == value for name, value in wanted.items()):
                return str(message["content"]["comm_id"])
    raise AssertionError(f"no widget with {wanted}")


def test_a_form_follows_its_controls_and_its_button_runs_the_line(front_end: FrontEnd) -> None:
    for line in (LOAD, START, "%om retrieve", "%om store"):
        front_end.run(line)
    made = front_end.run("%om search --form")
    slider = opened(made, _model_name="IntSliderModel", description="k")
    moved = front_end.send(slider, {"method": "update", "state": {"value": 2}, "buffer_paths": []})
    lines = [message["content"]["data"]["state"].get("line") for message in moved if message["msg_type"] == "comm_msg"]
    assert "%om search --k 2" in lines
    pressed = front_end.send(
        opened(made, _model_name="ButtonModel"), {"method": "custom", "content": {"event": "click"}}
    )
    shown = [message["content"]["data"] for message in pressed if message["msg_type"] == "display_data"]
    assert any(str(data["text/plain"]).startswith("search: ") for data in shown)
    task = "get_ipython().magics_manager.registry['OmMagics'].session.tasks['ontology_matching']"
    done = front_end.run(f"print(sorted({task}.values))")
    printed = "".join(message["content"]["text"] for message in done if message["msg_type"] == "stream")
    assert printed.strip() == "['retrieve', 'search', 'store']"


def test_the_review_widget_takes_answers_from_its_front_end(front_end: FrontEnd) -> None:
    for line in (LOAD, START, "%om run --judge person --decisions mine.jsonl"):
        front_end.run(line)
    made = front_end.run("%om review --who Ada")
    widget = next(
        message["content"]
        for message in made
        if message["msg_type"] == "comm_open" and "view" in message["content"]["data"]["state"]
    )
    view = widget["data"]["state"]["view"]
    answer = {"action": "equivalent", "choice": 0, "question": view["question"]["id"]}
    answered = front_end.send(widget["comm_id"], {"method": "custom", "content": answer})
    states = [message["content"]["data"].get("state", {}) for message in answered if message["msg_type"] == "comm_msg"]
    assert any(state.get("view", {}).get("decided") == 1 for state in states)
    assert '"who": "Ada"' in (front_end.folder / "mine.jsonl").read_text(encoding="utf-8")


def test_progress_of_long_work_is_one_display_that_ends_as_the_summary(front_end: FrontEnd) -> None:
    front_end.run(LOAD)
    messages = front_end.run(
        "import time\n"
        "from kgnb.magics.progress import Progress\n"
        "progress = Progress(live=True, quiet=0.05, every=0.05)\n"
        "progress.event({'event': 'step', 'name': 'validate'})\n"
        "for n in range(1, 11):\n"
        "    time.sleep(0.03)\n"
        "    progress.update(n, 10, 'questions')\n"
        "progress.say('validate: done')\n"
    )
    shown = [message for message in messages if message["msg_type"] in ("display_data", "update_display_data")]
    assert [message["msg_type"] for message in shown].count("display_data") == 1
    assert shown[-1]["content"]["data"]["text/plain"] == "validate: done"
    assert len({message["content"]["transient"]["display_id"] for message in shown}) == 1
