"""Signatures of metrics and fingerprints of samples: the identity of a number and of the data behind it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from ragauge._version import __version__
from ragauge.core.arrow import filled, to_numpy
from ragauge.core.batch import Dataset
from ragauge.core.hashing import HashArray, combine, hash_strings, splitmix64
from ragauge.core.options import option_texts
from ragauge.core.protocol import Metric

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Signature:
    """The identity of a number, and the versions that computed it.

    Two numbers may be compared when their identities are equal; other versions are worth a note only, since a metric
    or ingredient raises its revision when its numbers change.
    """

    identity: str
    """Name, every option, and the revision: ``ndcg|gain=linear|...|revision=1``."""
    versions: str

    @property
    def short(self) -> str:
        """Eight hexadecimal digits of the identity's SHA-256."""
        return sha256(self.identity.encode()).hexdigest()[:8]

    def __str__(self) -> str:
        return f"{self.identity}|{self.versions} #{self.short}"


def signature_of(metric: Metric) -> Signature:
    """Return the signature of ``metric``: its own ``identity`` if it has one, and ``versions`` of what it uses."""
    own = "".join([f"|{library}={version}" for library, version in getattr(metric, "versions", {}).items()])
    versions = f"ragauge={__version__}|unicode={unicodedata.unidata_version}{own}"
    if hasattr(metric, "identity"):
        return Signature(metric.identity, versions)
    options = [f"{key}={text}" for key, text in option_texts(metric, all_of_them=True).items()]
    return Signature("|".join([name_of(metric), *options, f"revision={metric.revision}"]), versions)


def name_of(metric: Metric) -> str:
    """Return the name of ``metric`` without ``@`` and options."""
    return str(metric).partition(":")[0].partition("@")[0]


TASK = ("question", "references", "reference_contexts", "relevance")
"""The columns of the task. Runs are comparable when these agree."""
OUTPUT = ("answer", "contexts", "retrieved", "retrieved_scores")
"""The columns that a system filled."""

_NULL = np.uint64(0x6E756C6C)


def fingerprint(data: Dataset, columns: Iterable[str]) -> str:
    """Return 16 hexadecimal digits of the ids and ``columns`` of ``data``; columns that it lacks count as absent."""
    used = [name for name in columns if name in data.columns]
    total = np.uint64(0)
    with np.errstate(over="ignore"):
        for batch in data.batches():
            rows = hash_column(batch.column("id"))
            for name in used:
                rows = combine(rows, combine(hash_strings([name]), hash_column(batch.column(name))))
            total += splitmix64(rows).sum(dtype=np.uint64)
    return f"{int(total):016x}"


def hash_column(array: pa.Array) -> HashArray:
    """Hash each value of an Arrow array, nested or not, to 64 bits.

    >>> import pyarrow as pa
    >>> same, other = hash_column(pa.array([["a", "b"], ["b", "a"]]))
    >>> bool(same == other)
    False
    """
    import pyarrow as pa

    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        hashes = _hash_lists(array)
    elif pa.types.is_struct(array.type):
        hashes = _hash_structs(array)
    elif pa.types.is_floating(array.type):
        hashes = splitmix64(to_numpy(filled(array.cast(pa.float64()), 0.0)).view(np.uint64))
    else:
        hashes = hash_strings(array.cast(pa.string()))
    return np.where(to_numpy(array.is_null()), _NULL, hashes)


def _hash_lists(array: pa.Array) -> HashArray:
    import pyarrow.compute as pc

    parents = to_numpy(pc.list_parent_indices(array)).astype(np.int64)
    lengths = np.bincount(parents, minlength=len(array))
    positions = np.arange(len(parents)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    values = combine(splitmix64(positions.astype(np.uint64)), hash_column(array.flatten()))
    sums = np.zeros(len(array), dtype=np.uint64)
    filled = lengths > 0
    if filled.any():
        sums[filled] = np.add.reduceat(values, (np.cumsum(lengths) - lengths)[filled])
    return combine(splitmix64(lengths.astype(np.uint64)), sums)


def _hash_structs(array: pa.Array) -> HashArray:
    hashes = np.zeros(len(array), dtype=np.uint64)
    for field in array.flatten():
        hashes = combine(hashes, hash_column(field))
    return hashes
