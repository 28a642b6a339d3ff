"""The mean of a column: numbers of any type, null, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.statistics import Status
from ragauge.errors import DataError, OptionError
from ragauge.metrics.column import Column
from ragauge.metrics.parse import parse


def scored(values: Any, **options: Any) -> tuple[float, list[int]]:
    """Return the mean of a column of these values, and the status of each sample."""
    metric = Column(name="x", **options)
    rows = metric.measure(Batch(pa.table({"x": values})))
    return float(metric.score(rows.totals())), rows.status.tolist()


OK, MISSING = Status.OK, Status.MISSING


@pytest.mark.parametrize(
    ("values", "mean", "status"),
    [
        (pa.array([1, 2, 6], pa.int8()), 3.0, [OK, OK, OK]),
        (pa.array([1.5, 2.5]), 2.0, [OK, OK]),
        (pa.array([True, False, True, True]), 0.75, [OK] * 4),
        (pa.array([1.0, None, math.nan, 3.0]), 2.0, [OK, MISSING, MISSING, OK]),
        (pa.array([2**48, -(2**48)], pa.int64()), 0.0, [OK, OK]),
    ],
)
def test_means_worked_by_hand(values: pa.Array, mean: float, status: list[int]) -> None:
    assert scored(values) == (mean, status)


def test_a_column_of_nulls_has_no_mean() -> None:
    mean, status = scored(pa.array([None, None], pa.float64()))
    assert math.isnan(mean)
    assert status == [MISSING, MISSING]


@pytest.mark.parametrize(
    ("fields", "shown", "remedy"),
    [
        (["0.5", None, "50%"], "50%", ".str.rstrip('%')"),
        (["1", "0,5"], "0,5", ".str.replace(',', '.')"),
        (["1", "n/a"], "n/a", ""),
        (["1", "नहीं"], "नहीं", ""),
    ],
)
def test_a_text_is_named_with_its_sample_and_what_makes_numbers(
    fields: list[str | None], shown: str, remedy: str
) -> None:
    rows = [{"id": f"q{place}", "answer": "a", "note": one} for place, one in enumerate(fields)]
    with pytest.raises(DataError) as caught:
        ragauge.evaluate(rows, "column:name=note", resamples=0)
    assert f"as '{shown}' in sample q{len(fields) - 1}; write decimals" in str(caught.value)
    share = " / 100" if "%" in shown else ""
    assert str(caught.value).endswith(f"in pandas: pandas.to_numeric(frame['note']{remedy}, errors='coerce'){share}")


@pytest.mark.parametrize(
    "words", ["yes no", "是 否", "はい いいえ", "네 아니요", "да нет", "نعم لا", "हाँ नहीं", "ใช่ ไม่ใช่", "Ja Nein"]
)
def test_yes_and_no_become_one_and_zero(words: str) -> None:
    pandas = pytest.importorskip("pandas")
    yes, no = words.split()
    rows = [{"id": str(place), "answer": "a", "right": one} for place, one in enumerate((yes, no, yes, yes))]
    with pytest.raises(DataError, match="in pandas: ") as caught:
        ragauge.evaluate(rows, "column:name=right", resamples=0)
    code = str(caught.value).partition("in pandas: ")[2]
    assert eval(code, {"frame": pandas.DataFrame(rows)}).mean() == 0.75  # noqa: S307 - what the user would type


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(DataError, match="column 'x' must hold numbers to be a metric; it holds string, as 'fast'"):
        scored(pa.array(["fast"]))
    with pytest.raises(DataError, match=r"cannot add up .*; use a larger unit"):
        scored(pa.array([2**53]))
    with pytest.raises(DataError, match="column 'x' holds an infinity, which has no mean"):
        scored(pa.array([1.0, math.inf]))
    with pytest.raises(OptionError, match="'high' of column must be a number above low=1; got 1"):
        Column(name="x", low=1, high=1)


def test_range_direction_and_needs_are_what_was_given() -> None:
    metric = parse("column:name=latency,direction=lower,low=0,high=60")
    assert (metric.range, metric.direction, metric.needs) == ((0.0, 60.0), "lower", (("latency",),))
    assert Column(name="latency").range == (-math.inf, math.inf)


@pytest.mark.parametrize("name", ["耗时", "زمن الاستجابة", "เวลา"])
def test_columns_of_any_name(name: str) -> None:
    rows = [{"answer": "a", name: 2.0}, {"answer": "b", name: 4.0}, {"answer": "c", name: None}]
    result = ragauge.evaluate(rows, [Column(name=name)], resamples=0)
    [score] = result.table
    assert (score.value, score.scored, score.missing) == (3.0, 2, 1)


def test_wrong_options_of_a_column_are_refused() -> None:
    for option, value in (("direction", "up"), ("stage", "generate"), ("average", "pooled"), ("low", "a")):
        wrong: dict[str, Any] = {option: value}
        with pytest.raises(OptionError, match=f"option '{option}' of column must be .*; got '{value}'"):
            Column(name="latency", **wrong)


@pytest.mark.parametrize("infinite", [math.inf, -math.inf])
def test_a_column_with_an_infinity_has_no_mean(infinite: float) -> None:
    with pytest.raises(DataError, match="column 'tone' holds an infinity, which has no mean"):
        ragauge.evaluate([{"tone": 1.0}, {"tone": infinite}], "column:name=tone")


@pytest.mark.parametrize(
    ("name", "direction", "measured", "unit"),
    [
        ("latency", "lower", "time", "s"),
        ("responseTime_ms", "lower", "time", "ms"),
        ("total cost (USD)", "lower", "cost", "USD"),
        ("output_tokens", "lower", "tokens", ""),
        ("耗时", "lower", "time", ""),
        ("hallucination", "lower", "harm", ""),
        ("rating", "higher", "", ""),
        ("latency_rating", "higher", "", ""),
        ("timeliness", "higher", "", ""),
    ],
)
def test_known_names_know_their_direction_and_unit(name: str, direction: str, measured: str, unit: str) -> None:
    metric = Column(name=name)
    assert (metric.direction, metric.measured, metric.unit) == (direction, measured, unit)
    assert "direction" not in str(metric)
    assert parse(str(Column(name=name, direction="higher"))).direction == "higher"


def test_decimals_with_a_comma_are_answered_with_what_to_write(tmp_path: Path) -> None:
    path = tmp_path / "noten.csv"
    path.write_text("Frage;Note\nWer?;0,5\nWo?;1,0\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"as '0,5' in sample \w+; write decimals with a full stop"):
        ragauge.evaluate(path, "column:name=Note")
