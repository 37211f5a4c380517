"""Runs async code in a thread of its own: a browser test may have left an event loop in the main
one.
"""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio


def run_apart(work: Callable[..., Awaitable[Any]], *args: Any) -> Any:
    """What ``anyio.run`` gives, whatever runs in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, work, *args).result()
