"""Condensed lists: documents that nobody judged are left out, and those below move up."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge import score
from ragauge.core.protocol import signature_of
from ragauge.core.registry import entries
from ragauge.metrics.parse import parse
from ragauge.metrics.retrieval._ranked import Ranked
from tests.metrics.retrieval.rankings import by_ids

RANKED = [name for name, entry in entries("metric").items() if issubclass(entry.cls, Ranked) and not entry.alias_of]
RUN = {"q": {"u": 9.0, "a": 8.0, "v": 7.0, "n": 6.0, "b": 5.0}, "r": {"u": 1.0}, "s": {"x": 3.0, "c": 2.0}}
QRELS = {"q": {"a": 1, "b": 2, "n": 0, "v": -1}, "r": {"a": 1}, "s": {"c": 1, "x": 0}}


NO_MEAN = ("bpref", "err", "nerr", "infap", "iprec")
EACH = [(name, ties) for name in RANKED for ties in ("docid-desc", "mean") if ties != "mean" or name not in NO_MEAN]


@pytest.mark.parametrize(("name", "ties"), EACH)
def test_every_metric_is_that_of_the_ranking_without_them(name: str, ties: str) -> None:
    left = {query: {d: s for d, s in row.items() if QRELS[query].get(d, -1) >= 0} for query, row in RUN.items()}
    metric, whole = parse(f"{name}:unjudged=drop,ties={ties}"), parse(f"{name}:ties={ties}")
    found, expected = metric.measure(by_ids(RUN, QRELS)), whole.measure(by_ids(left, QRELS))
    np.testing.assert_array_equal(metric.score(found), whole.score(expected))


def test_a_value_worked_by_hand() -> None:
    texts = {"retrieved": ["x", "y", "a"], "relevance": {"a": 1, "b": 0}}
    assert (score("mrr", **texts), score("mrr:unjudged=drop", **texts)) == (1 / 3, 1.0)


def test_tied_documents_stay_tied() -> None:
    """Of a, n and x at one score a is first or second among the judged ones: (1 + 1/2) / 2."""
    batch = by_ids({"q": {"a": 1.0, "x": 1.0, "n": 1.0}}, {"q": {"a": 1, "n": 0}})
    metric = parse("mrr:unjudged=drop,ties=mean")
    assert metric.score(metric.measure(batch)).tolist() == [0.75]


def test_its_default_is_not_in_the_signature() -> None:
    assert "unjudged" not in str(signature_of(parse("map")))
    assert "unjudged=drop" in str(signature_of(parse("map:unjudged=drop")))
