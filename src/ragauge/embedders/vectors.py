"""``vectors``: vectors that were computed elsewhere, by text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import filled, to_numpy
from ragauge.core.ingredients import Role
from ragauge.core.messages import Counted, Message
from ragauge.core.options import Text
from ragauge.core.registry import ingredient
from ragauge.embedders.base import EmbedderBase, digest_of, shared
from ragauge.embedders.dense import DenseVectors
from ragauge.errors import DataError, at, excerpt

_SHOWN = 60


@ingredient("embedder", "vectors")
@dataclass(frozen=True)
class Precomputed(EmbedderBase):
    """Dense vectors from a Parquet file with the columns ``text`` and ``vector``, a list of d numbers each.

    Args:
        path: the file.

    Raises:
        OptionError: no path is given.
        DataError: the file cannot be read, a vector is not d finite numbers, or a text is not there; all are listed.
    """

    kept: ClassVar[bool] = False

    path: Annotated[str, Text("a Parquet file with text and vector")]

    @property
    def decides(self) -> Mapping[str, str]:
        """The digest of the file, wherever it lies."""
        return {"file": digest_of(Path(self.path))}

    def encode(self, texts: Sequence[str], role: Role) -> DenseVectors:  # noqa: ARG002 - the same for both roles
        """Return one vector per text."""
        places, values = self._table
        absent = sorted({text for text in texts if text not in places})
        if absent:
            shown = [text if len(text) <= _SHOWN else text[:_SHOWN] + "..." for text in absent]
            problems = [Message("RG-EMB-012 no vector for the text {text!r}", text) for text in shown]
            raise DataError.of(self.path, problems, advice="add them, or name another embedder")
        return DenseVectors(values[np.fromiter((places[text] for text in texts), np.int64, len(texts))])

    @cached_property
    def _table(self) -> tuple[dict[str, int], npt.NDArray[np.float32]]:
        return shared(_read, self.path)


def _read(path: str) -> tuple[dict[str, int], npt.NDArray[np.float32]]:
    """Return the row of each text, and the vectors, (rows, d)."""
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=["text", "vector"])
        texts = table.column("text").to_pylist()
        vectors = table.column("vector").combine_chunks().cast(pa.list_(pa.float32()))
    except (OSError, pa.ArrowException, KeyError) as error:
        raise DataError(
            "RG-EMB-011 cannot read {path!r}: {reason}; it must be Parquet with columns text and vector (a list)",
            path,
            excerpt(str(error)),
        ) from None
    return {text: row for row, text in enumerate(texts)}, _matrix(vectors, path)


def _matrix(vectors: Any, path: str) -> npt.NDArray[np.float32]:
    lengths = to_numpy(filled(pc.list_value_length(vectors), 0)).astype(np.int64)
    width = int(lengths[0]) if len(lengths) else 1
    template = "RG-EMB-013 {numbers}, not {width}"
    odd = [(row, Counted(length, "number")) for row, length in enumerate(lengths.tolist(), 1) if length != width]
    if odd:
        raise DataError.of(path, [at("row", row, Message(template, numbers, width)) for row, numbers in odd])
    values = np.asarray(to_numpy(vectors.flatten()), dtype=np.float32).reshape(len(lengths), width)
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        what = Message("RG-EMB-014 the vector holds null, NaN or infinity")
        raise DataError.of(path, [at("row", row + 1, what) for row in bad.tolist()])
    return values
