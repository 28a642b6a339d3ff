"""``manifest.json`` of a saved run: what was computed, on what, by which version."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ragauge._version import __version__
from ragauge.errors import DataError, did_you_mean
from ragauge.fingerprint import OUTPUT, TASK, fingerprint
from ragauge.result import Result

FORMAT = 1
"""Version of the layout; raised when an older ragauge could not read it."""

MANIFEST = "manifest.json"

_SHOWN = 3


def manifest_of(result: Result) -> str:
    """Write the manifest of ``result``."""
    plain = result.to_dict()
    plain["data"] |= {"task": fingerprint(result.data, TASK), "output": fingerprint(result.data, OUTPUT)}
    run = {
        "format": FORMAT,
        "ragauge": __version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "metrics": dict(result.metrics),
    }
    return json.dumps({"run": run, **plain}, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def read_manifest(directory: Path) -> dict[str, Any]:
    """Read ``manifest.json`` of a saved run.

    Raises:
        DataError: the directory is not a run, or one of a later ragauge.
    """
    try:
        manifest: dict[str, Any] = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        written = manifest["run"]["format"], manifest["run"]["ragauge"]
    except (OSError, ValueError, KeyError, TypeError):
        message = f"{directory} is not a saved run; give a directory that ragauge score -o wrote{_near(directory)}"
        raise DataError(message) from None
    if written[0] > FORMAT:
        message = f"{directory} was written by ragauge {written[1]}, which is newer than {__version__}"
        raise DataError(message)
    return manifest


def examples(ids: Sequence[str]) -> str:
    """Name some ids, as those that were made of the content, which nobody knows.

    >>> examples(["a", "b", "c", "d"])
    "; its ids are 'a', 'b', 'c', ..."
    """
    more = ", ..." if len(ids) > _SHOWN else ""
    return f"; its ids are {', '.join(map(repr, ids[:_SHOWN]))}{more}"


def _near(directory: Path) -> str:
    """Say how a file becomes a run, or which run beside ``directory`` may be meant."""
    if directory.is_file():
        return f": ragauge score {directory} -o runs/today"
    beside = directory.parent.iterdir() if directory.parent.is_dir() else ()
    runs = [str(one) for one in beside if (one / MANIFEST).is_file()]
    return did_you_mean(str(directory), runs, otherwise="")
