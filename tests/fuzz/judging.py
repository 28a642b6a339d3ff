"""One execution of a target, and what is a defect."""

from __future__ import annotations

import re
import resource
import time
import tomllib
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ragauge.errors import RagaugeError

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
TARGETS = sorted(file.stem for file in (HERE / "targets").glob("[!_]*.py"))

_SECONDS_PER_MB = 10.0
# Small inputs share the cost of a call.
_LEAST_SECONDS = 2.0
_MB = 1 << 20


@dataclass(frozen=True)
class Finding:
    """A defect: ``kind`` is the same for inputs that reach the same place."""

    kind: str
    details: str
    data: bytes


def loaded(name: str) -> ModuleType:
    """Return the module of a target."""
    return import_module(f"tests.fuzz.targets.{name}")


def corpus(name: str) -> list[Path]:
    """Return the files of a target's corpus."""
    return sorted(path for path in (CORPUS / name).glob("*") if path.is_file())


def known() -> dict[str, Any]:
    """Return defects that are known and not fixed yet, by target: their kind, and the input that shows it."""
    return tomllib.loads((HERE / "known.toml").read_text("utf-8"))


def judged(target: Callable[[bytes], None], data: bytes) -> Finding | None:
    """Return the defect that ``data`` finds; None if there is none."""
    memory, started = _resident(), time.process_time()
    try:
        target(data)
    except RagaugeError:
        pass
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever escapes is a defect
        return Finding(_kind(error), "".join(traceback.format_exception(error)[-12:]), data)
    seconds, grown = time.process_time() - started, _peak() - memory
    if seconds >= max(_LEAST_SECONDS, _SECONDS_PER_MB * len(data) / _MB):
        return Finding("too slow", f"{seconds:.1f} s for {len(data)} bytes", data)
    if grown > 20 * len(data) + 300 * _MB:
        return Finding("too much memory", f"{grown // _MB} MB for {len(data)} bytes", data)
    return None


def _peak() -> int:
    """Return the most memory that was in use. On Linux getrusage counts the process that started this one, too."""
    try:
        found = re.search(rb"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_bytes())
    except OSError:
        found = None
    return (int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * 1024


def _resident() -> int:
    """Return the memory in use, and forget a peak far above it, which would hide the peak of the next input."""
    try:
        memory = int(Path("/proc/self/statm").read_bytes().split()[1]) * resource.getpagesize()
        if _peak() > memory + 50 * _MB:
            Path("/proc/self/clear_refs").write_text("5")
    except OSError:  # not Linux, or not allowed
        return _peak()
    return memory


def _kind(error: BaseException) -> str:
    """Name the error and the innermost file of ours that it passed."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/ragauge/" in frame.filename]
    if not frames:
        return type(error).__name__
    return f"{type(error).__name__} in {frames[-1].filename.rpartition('/ragauge/')[2]}"
