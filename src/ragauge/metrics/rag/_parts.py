"""What each part of a blend found, as columns of evidence."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.messages import Message
from ragauge.core.texts import TextVectors
from ragauge.embedders.blend import BlendVectors
from ragauge.grounding.support.pairs import Best


def with_parts(table: pa.Table, texts: TextVectors, others: TextVectors, best: Best) -> pa.Table:
    """Return evidence with a column ``similarity NAME`` for each part of a blend; as it is for other embedders.

    A part's cosine is that of a text with its best counterpart; null where there is none, where the part does not
    compare the two, or where it failed.

    Shapes: ``table`` and ``texts`` have s rows, ``others`` the t counterparts that ``best.place`` numbers.
    """
    vectors = texts.space.vectors
    if not isinstance(vectors, BlendVectors):
        return table
    paired = best.place >= 0
    cosines = vectors.by_part(texts.numbers.values[paired], others.numbers.values[best.place[paired]])
    for name, values in cosines.items():
        column = np.full(len(paired), np.nan)
        column[paired] = values
        table = table.append_column(Message("similarity {name}", name), to_arrow(column, mask=np.isnan(column)))
    return table
