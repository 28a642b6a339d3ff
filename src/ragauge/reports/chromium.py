"""Pictures and paper of a page, by the command line of a Chromium that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from ragauge.core.temporary import temporary_folder
from ragauge.errors import UsageError, excerpt

BROWSERS = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "msedge",
)  # fmt: skip
"""Commands that are looked for on the path, in this order."""
_SECONDS = 120.0


def drawn(content: str, source: str, made: str, option: str, *, otherwise: str, size: str = "") -> bytes:
    """Return what a browser makes of ``content``, a file that ends with ``source``: one that ends with ``made``.

    ``option``: of the browser's command line, which names the file; ``size``: of the window, as 1200,630;
    ``otherwise``: what a user without a browser can do. UsageError where there is none, or it writes nothing.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        template = (
            "RG-REPORT-011 a {kind} file needs Chromium or Chrome on the path ({commands}): none is there; {otherwise}"
        )
        raise UsageError(template, made, ", ".join(BROWSERS), otherwise)
    with temporary_folder() as folder:
        page, file = Path(folder, f"page{source}"), Path(folder, f"made{made}")
        page.write_text(content, encoding="utf-8", errors="backslashreplace")
        fixed = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile"]
        # Root cannot have the sandbox; the page is our own, and has no script.
        fixed += ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
        fixed += [f"--window-size={size}"] if size else []
        try:
            done = subprocess.run(  # noqa: S603 - found above
                [browser, *fixed, f"{option}={file}", page.as_uri()], capture_output=True, timeout=_SECONDS, check=False
            )
            said = done.stderr.decode("utf-8", "replace")
        except (OSError, subprocess.TimeoutExpired) as error:
            said = excerpt(error)
        if not file.is_file():
            template = "RG-REPORT-012 {browser} wrote no {kind} file: {reason}; {otherwise}"
            raise UsageError(template, browser, made, excerpt(said.strip()), otherwise)
        return file.read_bytes()
