"""From which similarity on a claim counts as supported: measured here, calibrated by the user, or given."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from shlex import quote
from typing import Any, Literal, TypeAlias

from ragauge.errors import DataError, UsageError

Use: TypeAlias = Literal["relevance", "support"]
"""``relevance``: does a text answer the question; ``support``: does a text say what a sentence claims."""
Similarity: TypeAlias = Literal["cosine", "ngram-recall"]

MEASURED = "measured"
_FORMAT = 1


@dataclass(frozen=True)
class Threshold:
    """A value, and where it comes from: ``given``, ``measured``, or ``calibrated`` with the digest of the file."""

    value: float
    origin: str

    def __str__(self) -> str:
        return f"{self.value:.6g} {self.origin}"


def resolve(threshold: float | str, embedder: object, similarity: Similarity, use: Use) -> Threshold:
    """Return the threshold that an option asks for: a number, ``measured``, or a file of `write`.

    Raises:
        UsageError: none was measured for the embedder.
        DataError: the file cannot be read, or is of another embedder.
    """
    if not isinstance(threshold, str):
        return Threshold(float(threshold), "given")
    signature = str(getattr(embedder, "signature", embedder))
    if threshold != MEASURED:
        return _read(Path(threshold), signature, similarity, use)
    for row in _shipped():
        if (row["embedder"], row["similarity"], row["use"]) == (signature, similarity, use):
            return Threshold(float(row["value"]), MEASURED)
    message = (
        f"no threshold was measured for {similarity} of embedder={embedder}: learn one from your own data and name it, "
        f"as in threshold=FILE; or give a number\n  ragauge calibrate DATA --embedder {quote(str(embedder))} -o FILE"
    )
    raise UsageError(message)


def write(path: Path, signature: str, similarity: Similarity, found: Mapping[str, Mapping[str, Any]]) -> None:
    """Write thresholds by use, each a ``value`` and what it was made from."""
    head = {"format": _FORMAT, "embedder": signature, "similarity": similarity}
    path.write_text(json.dumps({**head, "thresholds": found}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _read(path: Path, signature: str, similarity: Similarity, use: Use) -> Threshold:
    try:
        data = path.read_bytes()
        known = json.loads(data)
        made_for, value = (known["embedder"], known["similarity"]), known["thresholds"].get(use, {}).get("value")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        message = (
            f"cannot read the thresholds {str(path)!r} ({error!r}); give a number, or a file of: ragauge calibrate"
        )
        raise DataError(message) from None
    if made_for != (signature, similarity):
        message = f"{path} holds thresholds for {made_for[1]} of {made_for[0]}, not for {similarity} of {signature}"
        raise DataError(message)
    if not isinstance(value, int | float):
        message = f"{path} holds no threshold of {use}: its data lacked what that takes; calibrate with more columns"
        raise DataError(message)
    return Threshold(float(value), f"calibrated:{sha256(data).hexdigest()[:8]}")


@cache
def _shipped() -> list[dict[str, Any]]:
    table = files("ragauge.support").joinpath("thresholds.toml").read_text("utf-8")
    rows: list[dict[str, Any]] = tomllib.loads(table)["threshold"]
    return rows
