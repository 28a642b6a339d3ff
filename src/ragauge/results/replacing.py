"""Files and folders that are put under their name whole: written beside it, locked against others, then exchanged."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from ragauge.core.messages import Argument, Message
from ragauge.core.temporary import lock_file
from ragauge.errors import UsageError, reason_of

_PATIENCE = 120.0
"""Seconds that a writer waits for another one of the same name."""
_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")
_EXCHANGE = 2
"""RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS: both names exist before, and swap what they name."""
_HERE = -100
"""AT_FDCWD of Linux: paths start in the folder of the process."""


@contextmanager
def replacing(path: Path, check: Callable[[], None] | None = None) -> Iterator[Path]:
    """Yield a free name beside ``path``; put the file or folder that is written there under ``path`` in the end.

    A reader finds the old one or the new one, whole, at any time, also if the process is killed. What killed writers
    left is removed. Links are followed; devices and pipes are written to as they are. ``check`` raises an error where
    ``path`` must not be replaced; it is called at once, and again when no other process can write there. UsageError
    where it cannot be written, or another process writes there all the time.
    """
    if check is not None:
        check()
    target = path.resolve()
    with _explained(path):
        if is_stream(path):
            yield path
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(target, path) as alone:
            if alone:
                _clean(target)
            if check is not None:
                check()
            beside = target.with_name(f".{target.name}.{os.urandom(4).hex()}.new")
            try:
                yield beside
                _put(beside, target)
            finally:
                _remove(beside)


def regular_file(path: Path) -> Path:
    """Return a path; OSError for a pipe, which would be waited for, and a device, which may be read without end."""
    if path.exists() and not path.is_file():
        raise OSError(f"{path.name} is not a regular file")
    return path


def check_place(path: Path) -> None:
    """Raise UsageError where no file can be made in the folder of ``path``, or in the nearest one that exists."""
    from tempfile import TemporaryFile

    nearest = next(parent for parent in path.resolve().parents if parent.exists())
    try:
        with TemporaryFile(dir=nearest):
            pass
    except OSError:
        raise UsageError(
            "RG-RUN-002 {path} cannot be made: {nearest} is not a folder that can be written to; name one that is",
            path,
            nearest,
        ) from None


def check_new_file(path: Path, option: str = "", *, force: bool, made: bool = False, how: str | None = None) -> None:
    """Raise UsageError where no file can be written to ``path``, or one is there that ``force`` does not replace.

    Args:
        path: the file.
        option: by which a command names it, for the message.
        force: a file that is there is replaced.
        made: a missing folder is made.
        how: a user passes ``force``; None: as an argument, or by its flag.
    """
    if path.is_dir() or not (made or path.parent.is_dir()):
        problem = Message("is a folder") if path.is_dir() else Message("its folder does not exist")
        shown = f"{option} {path}" if option else path
        raise UsageError("RG-RUN-018 {path}: {problem}; name a file in a folder that exists", shown, problem)
    if path.exists() and not force and not is_stream(path):
        raise UsageError(
            "RG-RUN-019 {path} already exists. Name another file, or pass {force} to replace it.",
            path,
            how or Argument("force", value=True),
        )


def is_stream(path: Path) -> bool:
    """Return whether ``path`` is a device, a pipe or an open file, which nothing can be renamed to."""
    if str(path).startswith(_STREAMS):
        return True
    # One look: another writer may rename a folder of that name between two.
    with suppress(OSError, ValueError):
        mode = path.stat().st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return False


def kept(path: Path) -> Path | None:
    """Return the folder that holds what was under ``path`` before a writer was killed; None if there is none.

    Only systems that cannot exchange two names leave one.
    """
    target = path.resolve()
    return None if target.exists() else next(iter(_leftovers(target, "old")), None)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError("RG-RUN-003 {path} cannot be written: {reason_of}", path, reason_of(error)) from error


@contextmanager
def _locked(target: Path, path: Path) -> Iterator[bool]:
    """Hold the lock of ``target``, which the system releases if the process is killed; False where there are none."""
    name = target.with_name(f".{target.name}.lock")
    end = monotonic() + _PATIENCE
    while True:
        file = os.open(name, os.O_RDWR | os.O_CREAT, 0o666)
        alone = lock_file(file)
        # The process that held the lock removes its file: one that is opened before does not count any more.
        if alone is None or (alone and _names(name, file)):
            break
        os.close(file)
        if monotonic() > end:
            raise UsageError(
                "RG-RUN-004 another process has been writing {path} for {patience:.0f} s. Wait for it, or name "
                "another.",
                path,
                _PATIENCE,
            )
        sleep(0.02)
    try:
        yield bool(alone)
    finally:
        # Windows does not remove open files.
        with suppress(OSError):
            name.unlink()
        os.close(file)


def _names(name: Path, file: int) -> bool:
    try:
        return os.path.samestat(name.stat(), os.fstat(file))
    except OSError:
        return False


def _clean(target: Path) -> None:
    """Remove what killed writers left; put back what one of them moved out of the way."""
    for old in _leftovers(target, "old"):
        if target.exists():
            _remove(old)
        else:
            old.rename(target)
    for new in _leftovers(target, "new"):
        _remove(new)


def _leftovers(target: Path, suffix: str) -> list[Path]:
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.{suffix}")
    with suppress(OSError):
        return sorted(path for path in target.parent.iterdir() if name.fullmatch(path.name))
    return []


def _put(new: Path, target: Path) -> None:
    """Rename ``new`` to ``target``; a folder that was there changes places with it, or is moved aside first."""
    if not target.is_dir():
        if target.exists():
            from shutil import copymode

            copymode(target, new)
        new.replace(target)
    elif not _exchange(new, target):
        old = new.with_suffix(".old")
        target.rename(old)
        try:
            new.rename(target)
        except OSError:
            old.rename(target)
            raise
        _remove(old)


def _exchange(one: Path, other: Path) -> bool:
    """Let two names change places in one step; return False where the system cannot do that."""
    import ctypes

    paths = os.fsencode(one), os.fsencode(other)
    try:
        library = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return bool(library.renamex_np(*paths, _EXCHANGE) == 0)
        return bool(library.renameat2(_HERE, paths[0], _HERE, paths[1], _EXCHANGE) == 0)
    except (OSError, TypeError, AttributeError):
        return False


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        from shutil import rmtree

        rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
