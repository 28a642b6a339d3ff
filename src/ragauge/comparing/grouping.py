"""What samples are grouped and clustered by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.comparing.pairs import Pairs, column
from ragauge.errors import ColumnError, did_you_mean
from ragauge.hashing import HashArray, hash_strings, splitmix64
from ragauge.ragged import IntArray
from ragauge.result import Result

if TYPE_CHECKING:
    import pyarrow as pa


def sample_keys(base: Result, pairs: Pairs, cluster: str | None) -> HashArray:
    """Hash what each pair is drawn and swapped by, (n,); a sample without a cluster is a cluster of its own.

    Raises:
        ColumnError: the base has no column ``cluster``.
    """
    own = pairs.keys
    if cluster is None:
        return own
    named = _labels(base, pairs, "cluster", cluster)
    alone = named.is_null().to_numpy(zero_copy_only=False)
    # An id that happens to be the name of a cluster must not join it.
    return np.where(alone, splitmix64(own), hash_strings(named))


def groups(base: Result, pairs: Pairs, by: str) -> Iterator[tuple[dict[str, Any], IntArray]]:
    """Yield each value of column ``by`` in the base, none last, and the places of its pairs.

    Raises:
        ColumnError: the base has no such column.
    """
    encoded = _labels(base, pairs, "by", by).dictionary_encode(null_encoding="encode")
    codes = np.asarray(encoded.indices, dtype=np.int64)
    labels = encoded.dictionary.to_pylist()
    for code in sorted(range(len(labels)), key=lambda code: (labels[code] is None, labels[code] or "")):
        yield {by: labels[code]}, np.flatnonzero(codes == code).astype(np.int64)


def _labels(base: Result, pairs: Pairs, option: str, name: str) -> pa.Array:
    import pyarrow as pa

    if name not in base.data.columns:
        message = f"{option}={name}: the base has no column {name!r}{did_you_mean(name, base.data.columns)}"
        raise ColumnError(message)
    values = column(base, name).take(pa.array(pairs.base))
    try:
        return values.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        message = f"{option}={name}: the column must hold text, numbers or dates; it holds {values.type}"
        raise ColumnError(message) from None
