"""Additive statistics: what a metric keeps of each sample, and exact sums of it in any order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from types import MappingProxyType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ragauge.core.messages import Message
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.errors import DataError, OptionError, UsageError

StatusArray = npt.NDArray[np.uint8]

# A real number is cut into multiples of these, so that sums of each part are exact in float64 for up to 2^30 rows,
# whatever their order: 53 bits hold 23 bits of a part and 30 bits of carries. What lies below 2^-90 is rounded away,
# which is nothing of a value above 2^-37: the sum of one score is that score.
_GRID = (2.0**26, 2.0**3, 2.0**-20, 2.0**-43, 2.0**-66, 2.0**-89)
LEVELS = len(_GRID)
"""Parts that each statistic is cut into."""
_LARGEST = 2.0**49


class Status(IntEnum):
    """What became of one sample under one metric."""

    OK = 0
    UNDEFINED = 1
    """The metric has no value here, for a reason on the side of the reference."""
    MISSING = 2
    """The row has null where the metric needs a value."""
    FAILED = 3
    """A judge, an embedder or the system under test did not answer."""


_STATES = np.array(Status)
_OK = int(Status.OK)


class Statistics(Protocol):
    """Named float64 columns that a metric's ``score`` reads: of samples, of a corpus or of replicates."""

    def __getitem__(self, name: str, /) -> FloatArray:
        """Return column ``name`` with whatever leading axes there are."""


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums of named columns, exact, so that shards add to the same bits in any order.

    Shapes: ``parts`` (6, ..., k): each sum in six parts of falling weight; the leading axes are those of the weights
    (none for a corpus, r for replicates).

    >>> (Totals.of(match=[1, 2]) + Totals.of(match=[10, 20]))["match"]
    array([11., 22.])
    """

    names: tuple[str, ...]
    parts: FloatArray

    @classmethod
    def of(cls, **columns: npt.ArrayLike) -> Totals:
        """Build from one value, or one array of values, per name."""
        arrays = [np.asarray(column) for column in columns.values()]
        whole = np.array([array.dtype.kind in "biu" for array in arrays])
        return cls(tuple(columns), split(np.stack(np.broadcast_arrays(*arrays), axis=-1).astype(np.float64), whole))

    def __getitem__(self, name: str) -> FloatArray:
        return self.values[..., _place(name, self.names)]

    @cached_property
    def values(self) -> FloatArray:
        """The sums, (..., k)."""
        sums = self.parts[-1]
        for part in self.parts[-2::-1]:
            sums = sums + part
        return np.asarray(sums)

    def __add__(self, other: Totals) -> Totals:
        if self.names != other.names:
            raise ValueError(f"cannot add totals of {', '.join(self.names)} to totals of {', '.join(other.names)}")
        return Totals(self.names, self.parts + other.parts)


@dataclass(frozen=True, eq=False)
class Rows:
    """What a metric keeps of each of ``n`` samples: ``k`` named float64 columns, and a status.

    Shapes: ``values`` (n, k), zero where the status is not OK; ``whole`` (k,): the columns that hold whole numbers;
    ``status`` (n,) of `Status`; ``defaulted`` (n,): cells that have no value but count as one by ``undefined=zero``.
    ``reasons`` says why a row failed. ``noted`` (n,) each: counts that change no score, but that a reader of the score
    must see, as how many texts were cut; the same names in every batch.

    >>> rows = Rows.of({"hits": [1, 0, 2], "k": [2, 2, 2]}, status=[0, 1, 0])
    >>> rows["hits"]
    array([1., 0., 2.])
    >>> rows.totals()["k"]
    array(4.)
    """

    names: tuple[str, ...]
    values: FloatArray
    whole: BoolArray
    status: StatusArray
    defaulted: BoolArray
    reasons: Mapping[int, str] = field(default_factory=dict)
    noted: Mapping[str, IntArray] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        columns: Mapping[str, npt.ArrayLike],
        *,
        status: npt.ArrayLike | None = None,
        defaulted: npt.ArrayLike | None = None,
        reasons: Mapping[int, str] = MappingProxyType({}),
        noted: Mapping[str, IntArray] = MappingProxyType({}),
    ) -> Rows:
        """Build from arrays of equal length; integer and boolean arrays are whole-number columns.

        Raises:
            OptionError: a status is not one of `Status`, or there is not one for each row.
        """
        arrays = [np.asarray(column) for column in columns.values()]
        whole = [array.dtype.kind in "biu" for array in arrays]
        [shape, *others] = {array.shape for array in arrays} or {()}
        if others or len(shape) != 1:
            got = ", ".join([f"{name} {array.shape}" for name, array in zip(columns, arrays, strict=True)])
            raise UsageError("RG-CORE-037 columns of Rows must be arrays of equal length; got {columns}", got)
        # For few numbers this takes less time than np.stack.
        values = np.empty((*shape, len(arrays)))
        for place, array in enumerate(arrays):
            values[:, place] = array
        n = len(values)
        codes = np.zeros(n, np.uint8) if status is None else np.asarray(status)
        if codes.dtype == bool:
            # True would be taken as UNDEFINED: a mask of the good samples would undefine each of them.
            raise OptionError(
                "RG-CORE-029 status must be values of Status, as in np.where(total > 0, Status.OK, Status.UNDEFINED); "
                "got booleans"
            )
        if codes.shape != (n,) or not np.isin(codes, _STATES).all():
            states = ", ".join(f"{state:d} ({state.name.lower()})" for state in Status)
            raise OptionError.value(
                "Rows.of", "status", Message("one of {states} for each of {n} rows", states, n), status
            )
        state = codes.astype(np.uint8)
        filled = np.zeros(n, bool) if defaulted is None else np.asarray(defaulted, bool)
        excluded = state != _OK
        if excluded.any():
            values[excluded] = 0.0
            filled &= ~excluded
        return cls(tuple(columns), values, np.array(whole), state, filled, dict(reasons), dict(noted))

    def __getitem__(self, name: str) -> FloatArray:
        return self.values[:, _place(name, self.names)]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def ok(self) -> BoolArray:
        """Which rows count, (n,)."""
        return np.asarray(self.status == Status.OK)

    def excluding(self, mask: BoolArray, status: Status, reasons: Mapping[int, str] | None = None) -> Rows:
        """Return the rows with those of ``mask`` taken out under ``status``: zeros everywhere."""
        if not mask.any():
            return self
        return replace(
            self,
            values=np.where(mask[:, None], 0.0, self.values),
            status=np.where(mask, np.uint8(status), self.status),
            defaulted=self.defaulted & ~mask,
            reasons=self.reasons if reasons is None else {**self.reasons, **reasons},
        )

    def totals(self, weights: FloatArray | None = None) -> Totals:
        """Sum the rows.

        Args:
            weights: None (each row once), or whole numbers of shape (n,) or (r, n).

        Returns:
            Totals with no leading axis, or with r.
        """
        parts = split(self.values, self.whole)
        if weights is None:
            return Totals(self.names, np.ones(len(self)) @ parts)
        packed = Packed.of([parts])
        return Totals(self.names, packed.unpacked(np.asarray(weights, dtype=np.float64) @ packed.columns))


def _place(name: str, names: tuple[str, ...]) -> int:
    if name not in names:
        raise UsageError("RG-CORE-030 no statistic {name!r}; measure returned {names}", name, ", ".join(names))
    return names.index(name)


def split(values: FloatArray, whole: BoolArray) -> FloatArray:
    """Cut each of ``values`` (..., k) into six parts that sum without error, (6, ..., k).

    The columns that are ``whole`` (k,) stay in one part, exact up to sums of 2^53. DataError for values from 2^49 on.
    """
    parts = np.zeros((len(_GRID), *values.shape))
    for level, part in split_by_level(values, whole).items():
        parts[level] = part
    return parts


def split_by_level(values: FloatArray, whole: BoolArray) -> dict[int, FloatArray]:
    """Return the parts of `split`, (..., k) each, by their places; those that are zero everywhere are left out.

    >>> {level: part.tolist() for level, part in split_by_level(np.array([[0.5], [3.0]]), np.array([False])).items()}
    {2: [[0.5], [3.0]]}
    """
    if not np.all(np.abs(values) < _LARGEST):
        refused = values[~(np.abs(values) < _LARGEST)][0]
        raise DataError(
            "RG-CORE-010 cannot add up {refused}: only finite numbers below 2^49 (5.6e14) add exactly; use a "
            "larger unit",
            refused,
        )
    if not values.any():
        return {}
    if whole.all():
        return {0: values.copy(order="K")}
    parts: dict[int, FloatArray] = {}
    if values[..., whole].any():
        parts[0] = np.where(whole, values, 0.0)
    rest = values[..., ~whole]
    largest = np.abs(rest).max(initial=0.0)
    for level, grid in enumerate(_GRID):
        if largest < grid and grid != _GRID[-1]:
            continue
        part = (np.trunc if grid != _GRID[-1] else np.rint)(rest / grid) * grid
        if part.any():
            parts.setdefault(level, np.zeros_like(values))[..., ~whole] = part
        rest = rest - part
        if not rest.any():
            break
    return parts


@dataclass(frozen=True, eq=False)
class Packed:
    """The columns of parts as of `split` that need summing: zero ones left out, equal ones once.

    Most metrics count the same rows. Shapes: ``columns`` (n, c); ``slots``: for each of the parts (levels, k), which of
    the c each column of theirs is, or -1.
    """

    columns: FloatArray
    slots: Sequence[IntArray]

    @classmethod
    def of(cls, several: Iterable[FloatArray]) -> Packed:
        """Pack several (levels, n, k), of the same n rows."""
        alike: dict[int, list[int]] = {}
        kept: list[FloatArray] = []
        slots: list[IntArray] = []
        n = 0
        for parts in several:
            levels, n, k = parts.shape
            own = np.full((levels, k), -1, dtype=np.int64)
            # Most levels hold nothing, which is seen at once.
            for level in [level for level in range(levels) if parts[level].any()]:
                for column, values in enumerate(np.ascontiguousarray(parts[level].T)):
                    if values.any():
                        own[level, column] = _slot(values, alike, kept)
            slots.append(own)
        return cls(np.stack(kept, axis=1) if kept else np.empty((n, 0)), slots)

    def some(self, places: Sequence[int]) -> Packed:
        """Return the parts at ``places`` alone, with the columns that these have."""
        chosen = [self.slots[place] for place in places]
        used = np.unique(np.concatenate([[-1], *map(np.ravel, chosen)]))[1:]
        return Packed(self.columns[:, used], [np.where(one < 0, -1, np.searchsorted(used, one)) for one in chosen])

    def unpacked(self, sums: FloatArray, which: int = 0) -> FloatArray:
        """Put sums of the packed columns, (..., c), where they belong in parts number ``which``: (levels, ..., k)."""
        slots = self.slots[which]
        # Columns are read one by one, so each lies together.
        out = np.moveaxis(np.zeros((*slots.shape, *sums.shape[:-1])), 1, -1)
        for level, column in np.argwhere(slots >= 0).tolist():
            out[level, ..., column] = sums[..., slots[level, column]]
        return out


def _slot(values: FloatArray, alike: dict[int, list[int]], kept: list[FloatArray]) -> int:
    """Return the place of a column among those ``kept``, to which it is added; ``alike``: places by the sum of bits."""
    bits = values.view(np.uint64)
    places = alike.setdefault(int(bits.sum()), [])
    for place in places:
        if np.array_equal(bits, kept[place].view(np.uint64)):
            return place
    places.append(len(kept))
    kept.append(values)
    return places[-1]


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide, with NaN for 0/0 and no warning.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.divide(numerator, denominator))


def f_measure(precision: FloatArray, recall: FloatArray, beta: float, otherwise: float = 0.0) -> FloatArray:
    """Return (1 + beta^2) P R / (beta^2 P + R), ``otherwise`` where both are 0. Shapes: any, equal.

    >>> f_measure(np.array([0.5]), np.array([1.0]), 1.0).round(4)
    array([0.6667])
    """
    below = beta**2 * precision + recall
    above = (1 + beta**2) * precision * recall
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), otherwise)
