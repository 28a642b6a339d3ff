"""``column:name=latency``: the mean of any numeric column."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Annotated, ClassVar, Literal, TypeAlias, cast

import numpy as np
import pyarrow as pa

from ragauge import languages
from ragauge.core.arrow import to_numpy
from ragauge.core.batch import Batch
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.core.options import Range, Text, check
from ragauge.core.protocol import Direction, Needs, Stage
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, Status, ratio
from ragauge.errors import DataError
from ragauge.formats.column_names import folded
from ragauge.formats.json_text import shortened

_BY_NAME = "by-name"
_PLAIN = lazy_pattern(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*")
Bound: TypeAlias = Annotated[float, Range(infinite=True)]


@register("column")
@dataclass(frozen=True, kw_only=True)
class Column:
    """Mean of a column: the mean of a numeric column of the data, such as latency, tokens, cost or human labels.

    Formula:
        mean = sum of values / number of values

    Unit and range: those of the column. Booleans count as 0 and 1. Null and NaN are ``missing``. ``undefined``: never.

    Args:
        name: the column.
        direction: whether ``higher`` or ``lower`` is better; by default ``lower`` where the name is known to measure
            time, tokens, cost or harm, as ``latency_ms`` and ``hallucination`` are, else ``higher``.
        low: the lowest value that there can be; bounds for failed cells need it.
        high: the highest value that there can be.
        stage: where results show it.

    Raises:
        OptionError: ``name`` is not given, or an option has a value that it does not take.
        DataError: the column does not hold numbers, or holds infinities.

    >>> import pyarrow as pa
    >>> metric = Column(name="latency", direction="lower")
    >>> rows = metric.measure(Batch(pa.table({"latency": [2.0, 4.0]})))
    >>> metric.score(rows.totals())
    array(3.)

    Source: the arithmetic mean.

    Not for: values of which a few are far out, as latency often has: the mean says little of most samples. Take the
    median or a percentile of ``result.scores(...)``. Categories have no mean.
    """

    name: Annotated[str, Text("the name of a numeric column, as in column:name=latency")]
    direction: Direction = field(
        default_factory=lambda: cast("Direction", _BY_NAME), metadata={"implied": attrgetter("_usual_direction")}
    )
    low: Bound = -math.inf
    high: Bound = math.inf
    stage: Stage = "end-to-end"
    average: Literal["samples"] = "samples"
    revision: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.direction == cast("Direction", _BY_NAME):
            object.__setattr__(self, "direction", self._usual_direction)
        check(self, "high", Message("a number above low={low:g}", self.low), holds=self.low < self.high)

    @property
    def _usual_direction(self) -> Direction:
        return "lower" if self.measured else "higher"

    @property
    def measured(self) -> str:
        """What the name says that the column measures: ``time``, ``tokens``, ``cost``, ``harm``, or empty.

        >>> [Column(name=name).measured for name in ("latency_ms", "Total Cost", "output_tokens", "rating")]
        ['time', 'cost', 'tokens', '']
        """
        return _first(self.name, "measured")

    @property
    def unit(self) -> str:
        """The unit that the name says: ``ms``, ``s``, ``USD``, or empty; a system's ``latency`` is in seconds."""
        return _first(self.name, "units")

    @property
    def needs(self) -> Needs:
        """The column."""
        return ((self.name,),)

    @property
    def range(self) -> tuple[float, float]:
        """``low`` and ``high``."""
        return (self.low, self.high)

    def measure(self, batch: Batch) -> Rows:
        """Return the value of each sample and a count of one; NaN is ``missing``, as null is."""
        values = _numbers(batch, self.name)
        columns = {"value": values, "count": np.ones(len(batch), dtype=np.int64)}
        return Rows.of(columns, status=np.where(np.isnan(values), Status.MISSING, Status.OK))

    def score(self, totals: Statistics) -> FloatArray:
        """Return the mean."""
        return ratio(totals["value"], totals["count"])


def _first(name: str, table: str) -> str:
    """Return the first word of a table of patterns whose pattern is in the name of a column; empty where none is."""
    patterns: dict[str, str] = languages.table("columns")[table]
    found = (word for word, pattern in patterns.items() if re.search("".join(pattern.split()), folded(name)))
    return next(found, "")


def _as_numbers(name: str, text: str, given: set[str]) -> str:
    """Return code for pandas that makes numbers of a column of texts. ``text``: one that is not a number."""
    # An error pays for the words of all languages, not each command.
    from ragauge.grounding.evasion import stances

    words = sorted(given)
    stand_for = stances(words)
    if stand_for.all():
        # Yes and no, in any language that is known.
        return f"frame[{name!r}].map({dict(zip(words, (stand_for > 0).astype(int).tolist(), strict=True))})"
    forms = {"%": ".str.rstrip('%')", ",": ".str.replace(',', '.')"}
    form = next((mark for mark in forms if mark in text and any(map(str.isdigit, text))), "")
    share = " / 100" if form == "%" else ""
    return f"pandas.to_numeric(frame[{name!r}]{forms.get(form, '')}, errors='coerce'){share}"


def _numbers(batch: Batch, name: str) -> FloatArray:
    """Read the column as float64, null as NaN."""
    column = batch.column(name)
    try:
        # Integers beyond 2^53 are rounded here, and refused as too large to add up.
        rounded = pa.types.is_integer(column.type)
        values = column.cast(pa.int8() if pa.types.is_boolean(column.type) else pa.float64(), safe=not rounded)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        given = [(place, str(one)) for place, one in enumerate(column.to_pylist()) if one is not None]
        place, text = next((one for one in given if not _PLAIN.fullmatch(one[1])), given[0])
        remedy = _as_numbers(name, text, {one for _, one in given})
        template = (
            "RG-METRIC-002 column {name!r} must hold numbers to be a metric; it holds {type}, as {example} in sample "
            "{id}; write decimals with a full stop, and nothing where there is no number, in pandas: {remedy}"
        )
        sample = batch.column("id")[place].as_py() if "id" in batch.names else place + 1
        raise DataError(template, name, column.type, shortened(text), sample, remedy) from None
    numbers: FloatArray = np.asarray(to_numpy(values), dtype=np.float64)
    if np.isinf(numbers).any():
        raise DataError(
            "RG-METRIC-001 column {name!r} holds an infinity, which has no mean; set it to null or to a finite value",
            name,
        )
    return numbers
