"""A Jupyter kernel that runs this very Python, whatever kernels are or are not installed."""

from __future__ import annotations

import sys

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

NAME = "python3"


class ThisPython(AsyncKernelManager):
    """Starts ``sys.executable`` instead of looking up an installed kernel specification by name."""

    @property
    def kernel_spec(self) -> KernelSpec:
        """The specification of a kernel in this Python's environment."""
        return KernelSpec(
            argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=50"],
            display_name="Python 3",
            language="python",
        )
