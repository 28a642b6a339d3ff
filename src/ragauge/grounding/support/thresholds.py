"""Thresholds: the similarity from which a claim counts as supported."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from shlex import quote
from typing import Any, Literal, TypeAlias

from ragauge.core.ingredients import Embedder
from ragauge.core.messages import Message
from ragauge.core.spec import write as spec_text
from ragauge.embedders.lexical import Lexical
from ragauge.errors import DataError, UsageError
from ragauge.grounding.support.meaning import Similarity, signature

Use: TypeAlias = Literal["relevance", "support"]
"""``relevance``: whether a text answers the question; ``support``: whether a text states what a sentence claims."""

MEASURED = "measured"
_FORMAT = 1


@dataclass(frozen=True)
class Threshold:
    """A value and its origin: ``given``, ``measured``, or ``calibrated`` with the digest of the file."""

    value: float
    origin: str

    def __str__(self) -> str:
        return f"{self.value:.6g} {self.origin}"


def resolve(threshold: float | str, embedder: Embedder, similarity: Similarity, use: Use) -> Threshold:
    """Return the threshold of an option: a number, ``measured``, or a file that `write` wrote.

    UsageError where none was measured for the embedder; DataError for a damaged file, or one of another embedder.
    """
    if not isinstance(threshold, str):
        return Threshold(float(threshold), "given")
    if threshold != MEASURED:
        return _read(Path(threshold), embedder, similarity, use)
    # Degrees by features are probabilities, whatever cosine is beside them.
    embedder = Lexical() if similarity == "features" else embedder
    measured = require_measured(embedder, similarity, use)
    if embedder.signature not in measured:
        raise _not_measured(embedder, similarity)
    return Threshold(measured[embedder.signature], MEASURED)


def require_measured(embedder: Embedder, similarity: Similarity, use: Use) -> dict[str, float]:
    """Return measured thresholds of embedders of this name, by signature, or raise UsageError. No model is loaded."""
    kind = (similarity, use)
    name = "lexical" if similarity == "features" else str(embedder).partition("[")[0]
    rows = [row for row in _shipped() if (row["similarity"], row["use"]) == kind]
    measured = {row["embedder"]: row["value"] for row in rows if row["embedder"].partition("[")[0] == name}
    if not measured:
        raise _not_measured(embedder, similarity)
    return measured


def is_measured(embedder: Embedder) -> bool:
    """Return whether support by features was measured with ``embedder`` beside it, by its signature."""
    return isinstance(embedder, Lexical) or any(row["embedder"] == embedder.signature for row in _table()["beside"])


def _not_measured(embedder: Embedder, similarity: Similarity) -> UsageError:
    name = spec_text(embedder)
    learn: str = ""
    if name == str(embedder):  # the command line can make it too
        template = ", or learn one from your own data and name it, as in threshold=FILE\n  {command}"
        learn = Message(template, f"ragauge calibrate DATA --embedder {quote(name)} -o FILE")
    return UsageError(
        "RG-SUPPORT-012 no threshold was measured for {similarity} of embedder={name}: give a number, as in "
        "threshold=0.5{learn}",
        similarity,
        name,
        learn,
    )


def write(path: Path, embedder: Embedder, similarity: Similarity, thresholds: Mapping[str, Mapping[str, Any]]) -> None:
    """Write thresholds by use, each a mapping with a ``value`` and its origin."""
    names = {"embedder": embedder.signature, "similarity": signature(similarity, embedder)}
    content = {"format": _FORMAT, **names, "thresholds": thresholds}
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _read(path: Path, embedder: Embedder, similarity: Similarity, use: Use) -> Threshold:
    try:
        data = path.read_bytes()
        content = json.loads(data)
        calibrated_for = (content["embedder"], content["similarity"])
        value = content["thresholds"].get(use, {}).get("value")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = (
            Message("file not found")
            if isinstance(error, FileNotFoundError)
            else Message("no thresholds can be read from it")
        )
        raise DataError(
            "RG-SUPPORT-011 {path}: {problem}; give a number, or a file that ragauge calibrate wrote", path, problem
        ) from None
    compared_by = signature(similarity, embedder)
    if calibrated_for != (embedder.signature, compared_by):
        raise DataError(
            "RG-SUPPORT-009 {path} holds thresholds for {calibrated_for} of {calibrated_for2}, not for "
            "{compared_by} of {signature}; calibrate again, or give a number",
            path,
            calibrated_for[1],
            calibrated_for[0],
            compared_by,
            embedder.signature,
        )
    # The greatest similarity is 1, and a threshold just above what mismatched pairs reach a little more.
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < 2:
        raise DataError(
            "RG-SUPPORT-010 {path} holds no threshold of {use}: its data lacked what that takes; calibrate with "
            "more columns",
            path,
            use,
        )
    return Threshold(float(value), f"calibrated:{sha256(data).hexdigest()[:8]}")


def _shipped() -> list[dict[str, Any]]:
    return _table()["threshold"]


@cache
def _table() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(Path(__file__).with_name("thresholds.toml").read_text("utf-8"))
