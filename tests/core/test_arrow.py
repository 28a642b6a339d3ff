"""Conversions of ours against pyarrow's own, and that they leave pandas alone."""

import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ragauge.core.arrow import filled, scalar, to_arrow, to_numpy

LISTS: list[list[Any]] = [
    [],
    [None, None],
    ["a", None, "", "猫é", "b\x00c"],
    ["plain", "ascii"],
    [True, None, False],
    [1, None, -(2**63), 2**63 - 1],
    [2**63, 1],
    [1.5, None, float("nan"), 2],
    [["a", None], None, [], ["猫"]],
    [[1.0], (2.0,)],
    [[[1], []], [], None],
    [{"id": "a", "grade": 1.0}, None],
    [{"b": 1, "a": [{"c": True}]}, {}, None, {"c": None}],
    [{"b": 1}, {"b": "x"}],
    [{1: 2}],
    [2**60 + 1, 2.5],
    [1, "a"],
    [1, True],
    [2**70],
    ["\ud800"],
]
KINDS = [
    None, pa.string(), pa.large_string(), pa.bool_(), pa.int32(), pa.int64(), pa.float64(), pa.list_(pa.string()),
    pa.large_list(pa.string()), pa.list_(pa.float64()), pa.list_(pa.list_(pa.int64())),
]  # fmt: skip


def outcome(make: Any) -> tuple[Any, Any]:
    try:
        array = make()
    except (pa.ArrowException, UnicodeError, OverflowError, TypeError) as error:
        return type(error), None
    array.validate(full=True)
    return array.type, repr(array.to_pylist())


@pytest.mark.parametrize("values", LISTS, ids=ascii)
def test_lists_become_what_pyarrow_makes_of_them(values: list[Any]) -> None:
    sorts_fields = pa.array([{"b": 0, "a": 0}]).type[0].name == "a"
    for kind in KINDS:
        ours, theirs = outcome(partial(to_arrow, values, kind)), outcome(partial(pa.array, values, kind))
        if ours[0] != theirs[0] and isinstance(theirs[0], pa.StructType) and sorts_fields:
            pytest.skip("this version of Arrow orders fields of records otherwise")
        assert ours == theirs, kind


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "int64", "uint8", "uint64", "float32", "float64", "O", "U"])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("step", [1, 2])
def test_numpy_arrays_become_what_pyarrow_makes_of_them(dtype: str, *, masked: bool, step: int) -> None:
    values = np.arange(20).astype(dtype)[::step]
    mask = np.arange(len(values)) % 3 == 0 if masked else None
    assert to_arrow(values, mask=mask).equals(pa.array(values, mask=mask))


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, 2, 3], pa.int16()),
        pa.array([1, None, 3]),
        pa.array([1.5, None], pa.float32()),
        pa.array(np.array([1.0, 2.0], dtype=np.float16)),  # Arrow 17 takes no floats of Python here.
        pa.array([True, False, True]),
        pa.array([True, None]),
        pa.array(["a", None]),
        pa.array([], pa.int64()),
        pa.array([], pa.bool_()),
        pa.array([None, None], pa.float64()),
        pa.nulls(3),
        pa.chunked_array([[1, 2], [3]]),
        pa.chunked_array([], pa.int64()),
    ],
    ids=str,
)
def test_arrays_become_what_pyarrow_makes_of_them(array: pa.Array) -> None:
    for part in (array, array.slice(1), array.slice(0, 1)):
        copy = {} if isinstance(part, pa.ChunkedArray) else {"zero_copy_only": False}
        ours, theirs = to_numpy(part), part.to_numpy(**copy)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_null_is_filled_with_the_value() -> None:
    assert filled(pa.array([None, "a"]), "").to_pylist() == ["", "a"]
    assert scalar(1, pa.int32()) == pa.scalar(1, pa.int32())


def test_pandas_is_not_loaded() -> None:
    pytest.importorskip("pandas")
    program = (
        "import sys, numpy as np, pyarrow as pa\n"
        "from ragauge.core.arrow import filled, to_arrow, to_numpy\n"
        "to_numpy(filled(to_arrow([1, None]), 0)), to_numpy(to_arrow([True, None])), to_arrow(np.ones(2) > 0)\n"
        "to_arrow(['a', None]), to_arrow([['a'], []], pa.list_(pa.string()))\n"
        "print('pandas' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
