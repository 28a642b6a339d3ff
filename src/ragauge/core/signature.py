"""Signatures of metrics and fingerprints of samples: the identity of a number and of the data behind it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from ragauge._version import __version__
from ragauge.core.batch import Dataset
from ragauge.core.hashing import combine, hash_array, hash_strings, splitmix64
from ragauge.core.options import option_texts
from ragauge.core.protocol import Metric
from ragauge.core.sample import SCHEMA


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
