"""The functions of Arrow that are called without `pyarrow.compute` are the same as there."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as theirs
import pytest

from ragauge.core import compute

NUMBERS = pa.array([3, None, 1, 3])
FLOATS = pa.array([1.5, None, float("nan"), float("inf")])
TEXTS = pa.array(["tea ", None, "té", "tea "])
TRUTHS = pa.array([True, None, False, True])
LISTS = pa.array([["a", "b"], None, [], ["a"]])
OBJECTS = pa.array([{"id": "a", "grade": 1}, None, {"id": "b", "grade": 2}, {"id": None, "grade": 0}])
ON = {
    **dict.fromkeys(("all", "any", "invert"), (TRUTHS,)),
    **dict.fromkeys(("sum", "is_null", "is_valid", "drop_null", "dictionary_encode", "unique"), (NUMBERS,)),
    **dict.fromkeys(("equal", "not_equal"), (TEXTS, pa.scalar("té"))),
    **dict.fromkeys(("is_finite", "is_nan"), (FLOATS,)),
    **dict.fromkeys(
        ("utf8_length", "utf8_lower", "utf8_rtrim_whitespace", "binary_length", "string_is_ascii"), (TEXTS,)
    ),
    **dict.fromkeys(("list_flatten", "list_parent_indices", "list_value_length"), (LISTS,)),
    "filter": (TEXTS, TRUTHS),
    "take": (TEXTS, pa.array([2, 0])),
    "coalesce": (NUMBERS, pa.scalar(7)),
    "if_else": (TRUTHS, TEXTS, pa.scalar("no")),
}


def test_each_function_is_tried_here() -> None:
    assert set(ON) == vars(compute)["_WITHOUT_OPTIONS"]


@pytest.mark.parametrize("name", sorted(ON))
@pytest.mark.parametrize("chunked", [False, True])
def test_equal_to_pyarrow(name: str, *, chunked: bool) -> None:
    arrays = [
        pa.chunked_array([one[:1], one[1:]]) if chunked and isinstance(one, pa.Array) else one for one in ON[name]
    ]
    assert getattr(compute, name)(*arrays).equals(getattr(theirs, name)(*arrays))


def test_options_and_other_names_are_those_of_pyarrow() -> None:
    assert compute.all(TRUTHS, skip_nulls=False).equals(theirs.all(TRUTHS, skip_nulls=False))
    assert compute.utf8_upper is theirs.utf8_upper
    with pytest.raises(AttributeError):
        compute.nonsense  # noqa: B018


@pytest.mark.parametrize("array", [NUMBERS, pa.chunked_array([NUMBERS[:1], NUMBERS[1:]])])
def test_cast(array: pa.Array) -> None:
    for kind in (pa.int64(), pa.float64(), pa.string()):
        assert compute.cast(array, kind).equals(theirs.cast(array, kind))
    large = pa.array([2**53 + 1])
    assert compute.cast(large, pa.float64(), safe=False).equals(theirs.cast(large, pa.float64(), safe=False))
    with pytest.raises(pa.ArrowInvalid):
        compute.cast(large, pa.float64())


def test_functions_with_options() -> None:
    values = pa.array(["té", None])
    assert compute.is_in(TEXTS, value_set=values).equals(theirs.is_in(TEXTS, value_set=values))
    assert compute.match_substring(TEXTS, "e").equals(theirs.match_substring(TEXTS, "e"))
    assert compute.match_substring_regex(TEXTS, "[ é]").equals(theirs.match_substring_regex(TEXTS, "[ é]"))
    given = TEXTS, "(t)[eé]", r"\1"
    assert compute.replace_substring_regex(*given).equals(theirs.replace_substring_regex(*given))
    for place in ("grade", [0]):
        assert compute.struct_field(OBJECTS, place).equals(theirs.struct_field(OBJECTS, place))


def test_calling_them_does_not_import_the_rest() -> None:
    program = (
        "import sys\nfrom ragauge.core import compute\nfrom ragauge.core.arrow import to_arrow\n"
        "lists = to_arrow([['a'], ['b', 'c']])\n"
        "compute.filter(compute.list_flatten(lists), to_arrow([True, False, True]))\n"
        "compute.cast(compute.list_value_length(lists), to_arrow([1.5]).type)\n"
        "print('pyarrow.compute' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
