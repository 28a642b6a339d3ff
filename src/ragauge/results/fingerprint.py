"""Fingerprints of samples: the identity of the data behind a number."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ragauge.core.batch import Dataset
from ragauge.core.hashing import combine, hash_array, hash_strings, splitmix64
from ragauge.core.sample import SCHEMA

TASK = ("question", "references", "reference_contexts", "relevance")
"""The columns of the task. Runs are comparable when these agree."""
OUTPUT = ("answer", "contexts", "retrieved", "retrieved_scores")
"""The columns that a system filled."""


def fingerprint(data: Dataset, columns: Iterable[str]) -> str:
    """Return 16 hexadecimal digits of the ids and ``columns`` of ``data``.

    The order of samples and of judgements does not matter; a column that is not there is left out.
    """
    used = [name for name in columns if name in data.columns]
    total = np.uint64(0)
    with np.errstate(over="ignore"):
        for batch in data.batches():
            rows = hash_array(batch.column("id"))
            for name in used:
                hashes = hash_array(batch.column(name), ordered=SCHEMA[name] != "judgements")
                rows = combine(rows, combine(hash_strings([name]), hashes))
            total += splitmix64(rows).sum(dtype=np.uint64)
    return f"{int(total):016x}"
