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
    """Hash what each pair is drawn and swapped by, (n,).

    Raises:
        ColumnError: the base has no column ``cluster``.
    """
    own = pairs.keys
    return own if cluster is None else cluster_keys(own, _column(base, pairs, "cluster", cluster))


def cluster_keys(own: HashArray, cluster: pa.Array) -> HashArray:
    """Hash the cluster of each sample, (n,); a sample without one is a cluster of its own.

    Args:
        own: (n,) the hash of each sample's id.
        cluster: what `labelled` returned.
    """
    import pyarrow as pa

    alone = cluster.is_null().to_numpy(zero_copy_only=False)
    # An id that happens to be the name of a cluster must not join it.
    return np.where(alone, splitmix64(own), hash_strings(cluster.cast(pa.string())))


def groups(base: Result, pairs: Pairs, by: str) -> Iterator[tuple[dict[str, Any], IntArray]]:
    """Yield each value of column ``by`` in the base, rising and none last, and the places of its pairs.

    Raises:
        ColumnError: the base has no such column.
    """
    encoded = _column(base, pairs, "by", by).dictionary_encode(null_encoding="encode")
    codes = np.asarray(encoded.indices, dtype=np.int64)
    labels = encoded.dictionary.to_pylist()
    there = sorted(code for code in range(len(labels)) if labels[code] is not None)
    for code in [*sorted(there, key=lambda code: labels[code]), *(set(range(len(labels))) - set(there))]:
        yield {by: labels[code]}, np.flatnonzero(codes == code).astype(np.int64)


def labelled(values: pa.Array, option: str, name: str) -> pa.Array:
    """Return a column as text, numbers or booleans, what is no number as null.

    Raises:
        ColumnError: it holds lists or objects.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_floating(kind):
        return pc.if_else(pc.is_nan(values), None, values)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return values
    try:
        return values.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        message = f"{option}={name}: the column must hold text, numbers or dates; it holds {kind}"
        raise ColumnError(message) from None


def _column(base: Result, pairs: Pairs, option: str, name: str) -> pa.Array:
    import pyarrow as pa

    if name not in base.data.columns:
        message = f"{option}={name}: the base has no column {name!r}{did_you_mean(name, base.data.columns)}"
        raise ColumnError(message)
    return labelled(column(base, name).take(pa.array(pairs.base)), option, name)
