"""What must hold of every registered metric, whoever wrote it.

All metrics see the same few examples in every run; ``RAGAUGE_EXAMPLES=200`` looks for more, at random.
"""

from __future__ import annotations

import os
import re
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ragauge.core.batch import Batch, Dataset
from ragauge.core.protocol import STAGES, Metric
from ragauge.core.ragged import IntArray
from ragauge.core.registry import entries, make_ingredient
from ragauge.core.statistics import Rows
from ragauge.errors import DataError, UsageError
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.partial import Cells, measure_cells
from ragauge.evaluation.summarize import Inference
from ragauge.metrics.function import FunctionMetric
from ragauge.metrics.parse import parse as parse_metric
from ragauge.results.result import Result
from tests.metrics.judged.toys import NEEDED, ToyJudge
from tests.repeats import others_long

from .samples import batches

IDS = ("retrieved", "retrieved_scores", "relevance")
EXAMPLES = os.environ.get("RAGAUGE_EXAMPLES")


def parse(spec: str) -> Metric:
    """Return the metric of a spec; one that asks a judge has one whose replies follow from the question alone."""
    return parse_metric(spec, {"judge": ToyJudge()})


def specs() -> list[str]:
    """Every registered metric, with and without its cutoff, and each average that it allows; each metric once."""
    found: dict[str, str] = {}
    for name, entry in entries("metric").items():
        needed = "".join(f":{key}={value}" for key, value in NEEDED.get(entry.alias_of or name, {}).items())
        plain = {"column": "column:name=latency,direction=lower"}.get(name, name + needed)
        joint = "," if ":" in plain else ":"
        averages = (f"{plain}{joint}average={average}" for average in ("samples", "pooled"))
        for spec in (plain, *([f"{plain}@3"] if entry.at == "k" else []), *averages):
            if _takes(spec):
                found.setdefault(str(parse(spec)), spec)
    return list(found.values())


def _takes(spec: str) -> bool:
    try:
        parse(spec)
    except UsageError:
        return False
    return True


every_metric = pytest.mark.parametrize("spec", specs())
some_examples = settings(
    max_examples=int(EXAMPLES or 5),
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class Example:
    """Samples, an order of them, and how often each is repeated, as batches that all metrics share, as in a run.

    What metrics derive from a batch, such as its claims or its relevance, costs the most, and each derives it once.
    """

    def __init__(self, batch: Batch, order: IntArray, weights: IntArray) -> None:
        self.batch, self.order, self.weights = batch, order, weights
        self.before = batch.table().to_pylist()
        self._taken: dict[bytes, Batch] = {}

    def take(self, rows: IntArray) -> Batch:
        """Return the rows as a batch of their own."""
        key = rows.tobytes()
        if key not in self._taken:
            self._taken[key] = self.batch.take(rows)
        return self._taken[key]

    @cached_property
    def repeated(self) -> Batch:
        """Each row as often as its weight says."""
        return self.take(np.repeat(np.arange(len(self.batch)), self.weights))

    @cached_property
    def shards(self) -> list[Batch]:
        """The rows in the other order, in three pieces."""
        return cut(self.take(self.order), 3)

    @cached_property
    def without_ids(self) -> Example:
        """The same without ids of passages."""
        return Example(Batch(self.batch.table().drop_columns(list(IDS))), self.order, self.weights)


@st.composite
def examples(draw: st.DrawFn) -> Example:
    batch = draw(batches)
    order = draw(st.permutations(range(len(batch))))
    weights = draw(st.lists(st.integers(0, 3), min_size=len(batch), max_size=len(batch)).filter(any))
    return Example(batch, np.array(order, dtype=np.int64), np.array(weights))


@cache
def shared_examples() -> list[Example]:
    """Draw the examples once for all metrics: drawing them costs as much as a third of checking a metric."""
    found: list[Example] = []

    @some_examples
    @given(example=examples())
    def draw(example: Example) -> None:
        found.append(example)

    draw()
    return found


def variants(metric: Metric, example: Example) -> list[Example]:
    """The example, and for retrieval metrics also without ids: relevance then comes from text."""
    if metric.stage != "retrieval":
        return [example]
    texts = example.without_ids
    return [example, texts] if any(set(names).issubset(texts.batch.names) for names in metric.needs) else [example]


def measured(metric: Metric, batch: Batch) -> Cells:
    try:
        return measure_cells(metric, batch)
    except DataError:
        assume(False)
        raise


def result(metric: Metric, shards: list[Batch], by: tuple[str, ...] = ("language",)) -> Result:
    evaluator = Evaluator({"m": metric}, by=by, inference=Inference(resamples=40))
    data = Dataset("test", sum(map(len, shards)), shards[0].names, lambda: iter(shards))
    try:
        return evaluator(data)
    except DataError:
        assume(False)
        raise


def same(left: Result, right: Result) -> bool:
    return repr(left.table) == repr(right.table)


def cut(batch: Batch, pieces: int) -> list[Batch]:
    table = batch.table()
    edges = sorted({0, *np.linspace(0, len(batch), pieces + 1).astype(int).tolist()})
    return [Batch(table.slice(a, b - a)) for a, b in pairwise(edges)]


_NULLS = pa.table(
    {
        "id": ["a", "b"],
        "answer": ["it is so", None],
        "references": [["it is so"], None],
        "question": ["q", None],
        "contexts": [["it is so"], None],
        "reference_contexts": [["it is so"], None],
        "earlier_contexts": [["it is so"], None],
        "retrieved": [["d1"], None],
        "relevance": [[{"id": "d1", "grade": 1.0}], None],
        "latency": [1.0, None],
        "other_answer": ["x", None],
        "language": ["en", "en"],
        "answerable": [True, None],
        "is_answerable": [True, None],
        "is_impossible": [False, None],
        "unanswerable": [False, None],
        "nuggets": [[{"text": "it is so", "importance": "vital", "assignment": "support"}], None],
        "subtopics": [[["d1"]], None],
        **{name: [[{"start": 0, "end": 9}], None] for name in ("retrieved_spans", "reference_spans")},
        **{name: [[{"name": "search"}], None] for name in ("tool_calls", "reference_tool_calls")},
    }
)
"""A sample that has all columns, and one that has none."""
_WITH_NULLS = Batch(_NULLS)


@every_metric
def test_describes_itself(spec: str) -> None:
    metric = parse(spec)
    assert metric.stage in STAGES
    assert metric.direction in ("higher", "lower")
    assert metric.range[0] < metric.range[1]
    assert metric.revision >= 1
    summary = (type(metric).__doc__ or "").partition("\n")[0]
    assert re.match(r"[^\W\d_][^:]*: ", summary), f"{summary!r} must begin with the usual name: Name: what it is."


@every_metric
def test_each_alternative_of_needs_suffices(spec: str) -> None:
    check_each_alternative_suffices(parse(spec))


def check_each_alternative_suffices(metric: Metric) -> None:
    for alternative in metric.needs:
        try:
            measure_cells(metric, with_values(alternative))
        except KeyError as error:
            pytest.fail(f"{metric} reads a column that {alternative} of its needs does not name: {error.args[0]}")


@cache
def with_values(names: tuple[str, ...]) -> Batch:
    """Return the sample that has all columns, with the columns of these names only."""
    return Batch(_NULLS.select(["id", *[name for name in _NULLS.column_names if name in names]]).slice(0, 1))


def test_a_column_that_needs_do_not_name_is_seen() -> None:
    class Reader(FunctionMetric):
        def measure(self, batch: Batch) -> Rows:
            return Rows.of({"value": batch.texts("references").lengths, "count": np.ones(len(batch))})

    reader = Reader("reader", lambda _: None, (("answer",),), (0, 1), "higher", "generation")
    with pytest.raises(pytest.fail.Exception, match=r"reads a column that \('answer',\) of .*: Field \"references\""):
        check_each_alternative_suffices(reader)


@every_metric
def test_spec_round_trip(spec: str) -> None:
    metric = parse(spec)
    if hasattr(metric, "judge"):
        metric = parse_metric(spec, {"judge": make_ingredient("judge", "chat[url=http://localhost:1,model=m]")})
    assert parse(str(metric)) == metric
    assert str(parse(str(metric))) == str(metric)


@every_metric
@pytest.mark.parametrize("these", others_long([slice(-2, None), slice(-2)]), ids=["two", "others"])
def test_scores_depend_on_the_samples_alone(spec: str, these: slice) -> None:
    metric = parse(spec)
    if EXAMPLES:
        some_examples(given(example=examples())(lambda example: check_all(metric, example)))()
    for example in shared_examples()[these]:
        check_all(metric, example)


def check_all(metric: Metric, example: Example) -> None:
    """Check all invariants of one example: measuring it costs as much as one check."""
    for one in variants(metric, example):
        cells = measured(metric, one.batch)
        check_order_does_not_matter(metric, one, cells)
        check_whole_weights_repeat_and_zero_removes(metric, one, cells)
        check_excluded_rows_never_reach_a_total(metric, one, cells)
        check_scores_stay_in_range(metric, cells)
        # Samples alone cost the most, so without RAGAUGE_EXAMPLES they are four of each example.
        check_a_sample_alone_scores_as_among_others(metric, one, cells, one.order[: None if EXAMPLES else 4])
        check_shards_and_order_give_the_same_bits_intervals_included(metric, one)
        assert one.batch.table().to_pylist() == one.before


def check_order_does_not_matter(metric: Metric, example: Example, cells: Cells) -> None:
    mixed = measured(metric, example.take(example.order))
    np.testing.assert_array_equal(cells.scores[example.order], mixed.scores)
    np.testing.assert_array_equal(cells.sums.totals().values, mixed.sums.totals().values)


def check_whole_weights_repeat_and_zero_removes(metric: Metric, example: Example, cells: Cells) -> None:
    again = measured(metric, example.repeated).sums
    np.testing.assert_array_equal(cells.sums.totals(example.weights.astype(float)).values, again.totals().values)


def check_excluded_rows_never_reach_a_total(metric: Metric, example: Example, cells: Cells) -> None:
    ok = cells.sums.ok
    assert not cells.sums.values[~ok].any()
    assert np.isnan(cells.scores[~ok]).all()
    if ok.any():
        kept = measured(metric, example.take(np.flatnonzero(ok)))
        np.testing.assert_array_equal(kept.sums.totals().values, cells.sums.totals().values)


def check_scores_stay_in_range(metric: Metric, cells: Cells) -> None:
    low, high = metric.range
    outside = cells.scores[(cells.scores < low - 1e-12) | (cells.scores > high + 1e-12)]
    assert not len(outside), f"{metric} has the range {low} to {high}, and scores {outside[0]}; correct one of them"


def check_a_sample_alone_scores_as_among_others(metric: Metric, example: Example, cells: Cells, rows: IntArray) -> None:
    alone = [measured(metric, example.take(np.array([row]))).scores[0] for row in rows]
    np.testing.assert_array_equal(cells.scores[rows], alone)


def check_shards_and_order_give_the_same_bits_intervals_included(metric: Metric, example: Example) -> None:
    assert same(result(metric, [example.batch]), result(metric, example.shards))


@every_metric
def test_null_is_missing_and_counted(spec: str) -> None:
    metric = parse(spec)
    score = result(metric, [_WITH_NULLS]).table[0]
    assert (score.scored, score.missing, score.total) == (1, 1, 2)
