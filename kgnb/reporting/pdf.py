"""A report's page as PDF, printed by a browser where there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from kgnb.errors import BackendError

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "brave-browser",
)
PATIENCE = 120  # seconds


def browser() -> str | None:
    """The first browser on the path that can print, or None."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def print_pdf(page: Path, command: str | None = None) -> Path:
    """Print a page to ``report.pdf`` beside it, without network and without script; gives the path.

    Raises:
        BackendError: there is no browser, or it failed.
    """
    command = command or browser()
    fix = "Open the page in any browser and print it to PDF, or install Chromium."
    if command is None:
        raise BackendError(f"there is no browser to print {page} with", service="browser", fix=fix)
    target = page.with_suffix(".pdf").resolve()
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # Chromium refuses root otherwise
    with tempfile.TemporaryDirectory() as profile:
        words = [command, "--headless", "--disable-gpu", "--disable-dev-shm-usage", *root, "--no-pdf-header-footer",
                 f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND",
                 f"--print-to-pdf={target}", page.resolve().as_uri()]  # fmt: skip
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
            said = done.stderr.strip().splitlines()
        except (OSError, subprocess.TimeoutExpired) as error:
            said = [str(error)]
    if not target.is_file():
        why = said[-1] if said else ""
        raise BackendError(f"the browser did not print {page}: {why}", service=command, fix=fix)
    return target
