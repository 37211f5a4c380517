"""The magics in real kernels, headless as papermill runs them; with a front end:
tests/browser/test_session.py.
"""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

LOAD = "%load_ext kgnb"
START = "%om start alpine.ttl refuge.ttl --embedder characters"


def notebook_of(*cells: str) -> Any:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    made.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    return made


def test_a_query_to_a_dead_endpoint_stops_papermill_and_the_third_cell_has_not_run(
    folder: Path,
) -> None:
    """The command-line program itself: what a scheduler sees is its exit status."""
    dead = "%kg connect gone --url http://127.0.0.1:9/sparql\n"
    nbformat.write(notebook_of(LOAD, dead, "open('ran.txt', 'w').close()"), folder / "in.ipynb")
    command = [sys.executable, "-m", "papermill", "in.ipynb", "out.ipynb", "--no-progress-bar"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and "cannot be reached" in done.stderr
    assert not (folder / "ran.txt").exists()
    outputs = [
        output
        for cell in nbformat.read(folder / "out.ipynb", 4).cells
        for output in cell.get("outputs", [])
    ]
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
def works(main):
    stacks = {thread: [frame.f_code for frame, _ in traceback.walk_stack(top)]
              for thread, top in sys._current_frames().items()}
    called = [at for at, c in enumerate(stacks[main]) if c.co_filename.endswith("verbs.py") and c.co_name == "call"]
    others = [code for thread, stack in stacks.items() for code in stack if thread != main]  # questions are asked there
    return bool(called) and any("/kgnb/agents/" in code.co_filename for code in stacks[main][:called[0]] + others)
def stop():
    stopped = False
    while not stopped:
        time.sleep(0.02)
        try:
            stopped = works(threading.main_thread().ident)
        except BaseException:  # a frame has ended meanwhile, and an iterator of the store's is let go of here
            pass
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
            # A kernel aborts what is asked right behind an error: here that is the next agent's
            # start, or is not.
            asked = client.execute(
                f"{STOPS}for _ in range(9_999):\n    {work}", stop_on_error=False
            )
            while (reply := client.get_shell_msg(timeout=120))["parent_header"]["msg_id"] != asked:
                pass
            [said] = reply["content"]["traceback"]
            assert reply["content"]["ename"] == "KeyboardInterrupt"
            assert said.startswith(
                f"Stopped: you interrupted {work.partition(' huts')[0]}"
            ) and said.endswith(".")
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
