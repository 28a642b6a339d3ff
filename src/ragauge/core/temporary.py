"""Temporary folders that do not stay: one that a killed process left is removed when the next is made."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

_PREFIX = "ragauge-"
HELD = f".held-{platform.node()}"
"""A file in each folder that its process keeps locked; the system releases the lock however the process ends.

Locks of some shared disks hold on one machine only, so a folder of another machine is left alone.
"""


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Yield a new folder where ``tempfile.gettempdir()`` says, and remove it in the end.

    Folders that killed processes left there are removed first. FileNotFoundError where no folder can hold temporary
    files.

    >>> with temporary_folder() as folder:
    ...     there = Path(folder).is_dir()
    >>> there, Path(folder).exists()
    (True, False)
    """
    import tempfile

    _clean(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as folder:
        # It gets its name when it is locked, so that no other process finds it free.
        new = Path(folder, f"{HELD}.new")
        file = os.open(new, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            with suppress(OSError):
                if lock_file(file):
                    new.rename(new.with_name(HELD))
            yield folder
        finally:
            # Windows does not remove open files.
            os.close(file)


def _clean(parent: Path) -> None:
    """Remove the folders whose process has ended."""
    for held in parent.glob(f"{_PREFIX}*/{escape(HELD)}"):
        # A folder may be another user's.
        with suppress(OSError):
            file = os.open(held, os.O_RDWR)
            try:
                if lock_file(file):
                    from shutil import rmtree

                    rmtree(held.parent, ignore_errors=True)
            finally:
                os.close(file)


def lock_file(file: int) -> bool | None:
    """Lock an open file and return whether that worked; None where the file system has no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return None
    return True
