"""Runs and judgements with the compiled kernel and without it: the same lines, ranks and errors."""

from __future__ import annotations

import io
import random
import struct
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge.core import native
from ragauge.core.sample import Duplicates
from ragauge.errors import DataError
from ragauge.formats import trec
from ragauge.formats.trec_lines import TrecLines, plain_lines
from ragauge.ranking import DictRankings, matching
from ragauge.ranking.ranks import ScoreDtype, Ties
from tests.formats.test_trec_lines import many, rows
from tests.ranking.test_judged import DTYPES, TIES, Query, arrow, dicts, queries
from tests.ranking.test_judged import rows as ranked_rows

kernel: Any = pytest.importorskip("ragauge_native", reason="ragauge was installed without a compiler of C++20")

RUN = "q1 Q0 d1 1 2.5 tag\nq1 Q0 中 2 1.5 tag\nq2 Q0 d1 1 -1 tag\n"
LETTERS = [*" \t\r\n\0#\x1f\x7f+-.eE9é文", "\ufeff", "nan", "inf", "\U0001f600"]


def both(work: Callable[[], Any]) -> tuple[Any, Any]:
    """Return what ``work`` returns, or its error, with the kernel, of any size, and without it."""
    results = []
    for value in "10":
        with (
            mock.patch.dict("os.environ", {native.VARIABLE: value}),
            mock.patch.object(matching, "ENOUGH_DOCUMENTS", 0),
        ):
            try:
                results.append(work())
            except (DataError, TypeError) as error:
                results.append(f"{type(error).__name__}: {error}")
    return results[0], results[1]


def cut(raw: bytes, delimiter: str = " ") -> Any:
    lines: TrecLines | None = plain_lines(io.BytesIO(raw), trec.RUN, delimiter.encode())
    return None if lines is None else rows(lines)


def parts(raw: bytes, *, width: int = 6, document: int = 2, number: int = 4, threads: int = 1) -> Any:
    return kernel.lines(raw, width, document, number, ord(" "), threads, np.empty(len(raw) + 8))


@pytest.mark.parametrize("delimiter", " \t")
def test_lines_are_cut_alike(delimiter: str) -> None:
    for seed in range(20):
        one, other = both(partial(cut, many(seed, delimiter).encode(), delimiter))
        assert one == other
        assert one is not None


@given(st.lists(st.tuples(st.integers(0, len(RUN)), st.sampled_from(LETTERS)), max_size=4))
def test_letters_at_wrong_places_are_treated_alike(letters: list[tuple[int, str]]) -> None:
    content = RUN
    for place, letter in letters:
        content = content[:place] + letter + content[place:]
    one, other = both(lambda: cut(content.encode()))
    assert one == other


@given(st.binary(min_size=1, max_size=6))
def test_bytes_are_utf8_where_python_says_so(raw: bytes) -> None:
    text = b"d" + bytes(byte for byte in raw if byte > ord(" "))
    try:
        text.decode()
    except UnicodeDecodeError:
        assert parts(b"q Q0 " + text + b" 1 1 t\n") is None
    else:
        assert parts(b"q Q0 " + text + b" 1 1 t\n")[0][3] == text


@given(
    st.floats(allow_nan=False, allow_infinity=False).flatmap(
        lambda value: st.sampled_from([repr(value), f"{value:.6f}", f"{value:.3e}", f"{value:.17g}", f"{value:.0f}"])
    )
    | st.from_regex(r"\A-?[0-9]{1,25}(\.[0-9]{1,25})?([eE][-+]?[0-9]{1,3})?\Z")
)
def test_numbers_are_the_nearest_doubles(number: str) -> None:
    read = parts(f"q Q0 d 1 {number} t\n".encode())
    if read is not None:
        assert read[0][5] == struct.pack("d", float(number))
    usual = 1e-300 < abs(float(number)) < 1e300
    assert read is not None or not usual, "numbers of usual size are served"


@pytest.mark.parametrize(
    "number", ["+1", ".5", "3.", "1e", "1e+", "-", "1-", "nan", "inf", "1_0", "0x1", "1e999", "１"]
)
def test_rare_numbers_are_left_to_arrow(number: str) -> None:
    assert parts(f"q Q0 d 1 {number} t\n".encode()) is None
    one, other = both(lambda: cut(f"q Q0 d 1 {number} t\n".encode()))
    assert one == other


@pytest.mark.parametrize("threads", [-1, 1, 2, 7])
def test_parts_follow_one_another_whatever_the_threads(threads: int) -> None:
    draw = random.Random(4)  # noqa: S311
    lines = [f"q{i // 9} Q0 d{draw.randint(0, 10**9)} 1 {draw.random():.6f} tag\n" for i in range(20_000)]
    several = parts("".join(lines).encode(), threads=threads)
    assert len(several) > 2
    documents = b"".join(part[3] for part in several)
    assert documents == "".join(line.split()[2] for line in lines).encode()
    numbers = b"".join(part[5] for part in several)
    assert numbers == np.array([float(line.split()[4]) for line in lines]).tobytes()
    assert sum(np.frombuffer(part[2], np.int64).sum() for part in several) == len(lines)


def test_lines_longer_than_what_is_searched_at_a_time() -> None:
    documents = ["d" * size for size in (1, 8_191, 8_192, 40_000, 200_000, 2)]
    raw = "".join(f"q Q0 {document} 1 1 t\n" for document in documents).encode()
    assert b"".join(part[3] for part in parts(raw)) == "".join(documents).encode()


@given(queries(unique=False), TIES, DTYPES, st.booleans(), st.sampled_from(["error", "first"]))
def test_columns_are_ranked_alike(
    samples: list[Query], ties: Ties, dtype: ScoreDtype, large: bool, duplicates: Duplicates
) -> None:
    one, other = both(
        lambda: ranked_rows(arrow(samples, large=large).judged(ties=ties, score_dtype=dtype, duplicates=duplicates))
    )
    assert one == other


@given(queries(unique=True), TIES, DTYPES)
def test_dicts_are_ranked_alike(samples: list[Query], ties: Ties, dtype: ScoreDtype) -> None:
    one, other = both(lambda: ranked_rows(dicts(samples).judged(ties=ties, score_dtype=dtype, duplicates="error")))
    assert one == other


class Text(str):
    """Text of a type that may compare in its own way."""

    __slots__ = ()


class Scores(dict[str, float]):
    """A dict of a type that may look up in its own way."""


ODD: list[tuple[dict[Any, Any], dict[Any, Any]]] = [
    ({"a": value, "b": 1.0, "c": 1}, {"b": 1, "a": True})
    for value in (1, True, np.float64(1), np.float32(1), np.int64(1), Decimal(1), 10**400, -(10**400), "1", None)
]
ODD += [
    ({"a": 1.0, "b": float("nan")}, {"a": 1}),
    ({"a": 1.0}, {"a": float("nan")}),
    ({"a": 1.0}, {"a": "x"}),
    (Scores(a=1.0, b=1.0), {"b": 1}),
    ({Text("a"): 1.0, "b": 1.0}, Scores(b=1)),
    ({"a": 1.0, "b": 1.0}, {Text("b"): 1, "a": 1}),
    ({"a": 1.0, 7: 1.0}, {"a": 1}),
    ({"a": 1.0}, {"a": 1, 7: 1}),
    ({"\ud800": 1.0, "\uffff": 1.0, "\U0001f600": 1.0}, {"\uffff": 1, "\U0001f600": 1}),
    ({}, {"a": 1}),
    ({"a": 1.0}, {}),
]


@pytest.mark.parametrize("ties", ["docid-desc", "docid-asc", "input", "mean"])
@pytest.mark.parametrize(("run", "qrels"), ODD)
def test_odd_dicts_are_ranked_or_refused_alike(run: Any, qrels: Any, ties: Ties) -> None:
    rankings = lambda: DictRankings({"p": {"x": 2}, "q": run}, {"p": {"x": 0}, "q": qrels, "r": {"a": 1}})  # noqa: E731
    one, other = both(lambda: ranked_rows(rankings().judged(ties=ties, score_dtype="float64", duplicates="error")))
    assert one == other


def standings(run: list[Any], qrels: list[Any], size: int, order: int, narrow: bool = False) -> Any:
    """Return what the kernel says of dicts; False where it does not serve them."""
    outputs = [np.empty(size), *(np.empty(size, dtype=np.int64) for _ in range(3))]
    served = kernel.dict_ranks(run, qrels, narrow, order, *outputs)
    return served and [output.tolist() for output in outputs]


@pytest.mark.parametrize("more", [0, 20])
def test_what_is_common_is_served(more: int) -> None:
    # With many judged documents the retrieved ones are sorted first.
    others = {f"x{place}": 2 for place in range(more)}
    run, qrels = [{"a": 1.0, "b": 1.0, "c": 2, "d": 0.5}, {}], [{"b": 1, "x": 2, "a": True, "d": 3, **others}, {"a": 4}]
    for order, before in ((-1, [0, 1]), (1, [1, 0]), (0, [1, 0])):
        assert standings(run, qrels, 5 + more, order) == [
            [1.0, 2.0, 1.0, 3.0, *[2.0] * more, 4.0],
            [1, -1, 1, 3, *[-1] * more, -1],
            [2, 0, 2, 1, *[0] * more, 0],
            [before[0], 0, before[1], 0, *[0] * more, 0],
        ]
    for odd in (Decimal(1), float("nan"), "1"):
        assert standings([{"a": odd}], [{"a": 1}], 1, 0) is False
        assert standings([{"a": 1}], [{"a": odd}], 1, 0) is False
    for changed in (Scores(a=1.0), {7: 1.0}, {Text("a"): 1.0}):
        assert standings([changed], [{"a": 1}], 1, 0) is False
        assert standings([{"a": 1.0}], [changed], 1, 0) is False
    assert standings([{"a": 1.0}], [{"a": 1}], 2, 0) is False


def test_scores_that_are_equal_as_narrow_numbers() -> None:
    run = [{"a": 1e300, "b": 1e301, "c": 1.0, "d": 1.00000001}]
    qrels = [dict.fromkeys("abcd", 1)]
    assert standings(run, qrels, 4, 1)[1:] == [[1, 0, 3, 2], [1, 1, 1, 1], [0, 0, 0, 0]]
    assert standings(run, qrels, 4, 1, narrow=True)[1:] == [[0, 0, 2, 2], [2, 2, 2, 2], [0, 1, 0, 1]]


@given(st.integers(0, 1 << 32), TIES, DTYPES)
@settings(max_examples=40, deadline=None)
def test_many_judged_documents_are_ranked_alike(seed: int, ties: Ties, dtype: ScoreDtype) -> None:
    draw = np.random.default_rng(seed)
    ids = [f"{letter}{place}" for place in range(30) for letter in "aé中😀"]
    samples: list[Query] = []
    for judged in (3, 16, 17, 60, 100):
        ranked = [(ids[place], float(draw.integers(0, 5)) / 3) for place in draw.permutation(len(ids))[:90]]
        samples.append((ranked, {ids[place]: 1.0 for place in draw.permutation(len(ids))[:judged]}))
    one, other = both(lambda: ranked_rows(dicts(samples).judged(ties=ties, score_dtype=dtype, duplicates="error")))
    assert one == other


def test_wrong_buffers_are_refused() -> None:
    raw = b"q Q0 d 1 1 t\n"
    with pytest.raises(ValueError, match="too little room"):
        kernel.lines(raw, 6, 2, 4, 32, 1, np.empty(1))
    for width, document, number in ((1, 0, 0), (6, 0, 4), (6, 6, 4), (6, 2, 6), (6, -1, 4)):
        with pytest.raises(ValueError, match="fields of the line"):
            parts(raw, width=width, document=document, number=number)
    one = np.ones(1)
    with pytest.raises(ValueError, match="as many"):
        kernel.dict_ranks([{}], [], False, 0, one, one, one, one)
    for size in (8, 24):
        with pytest.raises(ValueError, match="as many"):
            kernel.dict_ranks([{}], [{}], False, 0, np.ones(2), np.ones(2), np.ones(2), bytearray(size))
    texts = b"ab", np.array([0, 1, 2], np.int32), False, np.array([0, 2])
    for wrong, problem in (
        ((b"a", *texts[1:]), "within the letters"),
        ((b"ab", np.array([0, 2, 1], np.int32), False, texts[3]), "must not fall|within"),
        ((*texts[:3], np.array([0, 3])), "within the values"),
        ((*texts[:3], np.array([0, 1, 2])), "as many rows"),
    ):
        with pytest.raises(ValueError, match=problem):
            kernel.matches(*wrong, *texts, 1, bytearray(16), bytearray(1))
    with pytest.raises(ValueError, match="wrong size"):
        kernel.matches(*texts, *texts, 1, bytearray(8), bytearray(1))


class Growing(str):
    """An id that adds documents to the judgements while it is looked up."""

    __slots__ = ("judged",)
    judged: dict[str, float]
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        if len(self.judged) < 10:
            self.judged.update({f"n{i}": 1.0 for i in range(100_000)})
        return True


def test_ids_with_code_of_their_own_are_left_to_python() -> None:
    def ranks() -> Any:
        judged = {"b": 1.0, "c": 1.0}
        document = Growing("b")
        document.judged = judged
        return DictRankings({"q": {document: 0.5, "z": 0.1}}, {"q": judged}).judged(
            ties="docid-desc", score_dtype="float64", duplicates="error"
        )

    errors = []
    for value in "10":
        with (
            mock.patch.dict("os.environ", {native.VARIABLE: value}),
            pytest.raises(RuntimeError, match="changed size") as error,
        ):
            ranks()
        errors.append(str(error.value))
    assert errors[0] == errors[1]


@pytest.mark.parametrize("width", [1, (1 << 20) + 1, (1 << 62) + 1])
def test_a_line_has_a_number_of_fields_that_there_can_be(width: int) -> None:
    with pytest.raises(ValueError, match="must be fields of the line"):
        parts(RUN.encode(), width=width, document=1, number=1)


def test_what_follows_the_last_end_of_line_is_left_to_python() -> None:
    assert parts(RUN.encode()) is not None
    assert not parts(f"{RUN}q3 Q0".encode())
