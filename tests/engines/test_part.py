"""Parts travel and merge, in any order and grouping, to the bytes of one process."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.batch import Batch, Dataset
from ragauge.engines.part import ScoredPart, finish, merge, score_part
from ragauge.engines.plan import Plan, plan
from ragauge.errors import ColumnError, DataError, UsageError
from ragauge.evaluation.request import RunRequest
from ragauge.formats import read
from ragauge.results.result import Result
from tests.repeats import others_long

TEXTS = [
    ("zh", "茶是热的。", "茶很热。"), ("ja", "お茶は熱いです。", "お茶は熱い。"),
    ("ko", "차가 뜨겁습니다.", "차는 뜨겁다."),
    ("ru", "Чай горячий.", "Чай очень горячий."), ("ar", "الشاي ساخن.", "الشاي ساخن جدا."),
    ("hi", "चाय गर्म है।", "चाय बहुत गर्म है।"), ("th", "ชาร้อน", "ชาร้อนมาก"),
    ("en", "Tea is hot.", "The tea is hot."),
]  # fmt: skip
METRICS = ("bleu", "rouge-l", "chrf", "token-f1", "ndcg@2", "mrr", "groundedness", "context-recall", "column:name=x")


def rows(count: int) -> list[dict[str, Any]]:
    made = []
    for i in range(count):
        language, answer, reference = TEXTS[i % 8]
        made.append(
            {"id": f"q{i}", "question": f"{reference} {i % 7}?", "answer": None if i % 11 == 3 else f"{answer} {i % 5}",
             "references": [reference, f"{reference} {i % 3}"] if i % 13 else [], "contexts": [reference, f"{i}"],
             "reference_contexts": [reference], "retrieved": [f"d{i % 3}", "d7"], "relevance": {f"d{i % 4}": 1 + i % 2},
             "language": language, "topic": None if i % 9 == 0 else i % 4, "document": f"doc{i % 17}",
             "x": (i * 37 % 100) / 7, "failure": "down" if i % 19 == 5 else None}
        )  # fmt: skip
    return made


def in_parts(data: Dataset, made: Plan, shares: int, order: Sequence[int]) -> list[ScoredPart]:
    table = Batch.table(next(iter(data.batches())))
    edges = np.linspace(0, table.num_rows, shares + 1).astype(int)
    return [score_part(Batch(table.slice(edges[i], edges[i + 1] - edges[i])), made, i) for i in order]


def planned(metrics: Any, columns: Sequence[str], samples: int | None = None, **options: Any) -> Plan:
    return plan(RunRequest(metrics=metrics, **options), columns, samples=samples)


def one_process(data: list[dict[str, Any]], **options: Any) -> Result:
    return ragauge.evaluate(data, METRICS, by=["language", "topic"], **options)


@pytest.mark.parametrize("cluster", [None, "document"])
@pytest.mark.parametrize("interval", others_long(["percentile", "jackknife"]))
def test_parts_merge_to_the_scores_of_one_process(cluster: str | None, interval: str) -> None:
    whole = one_process(rows(120), cluster=cluster, interval=interval, resamples=40)
    data = read(rows(120))
    options = {"by": ["language", "topic"], "cluster": cluster, "resamples": 40, "interval": interval}
    made = planned(METRICS, data.columns, samples=120, **options)
    for shares, order in ((1, [0]), (5, [3, 1, 0, 2, 4])):
        parts = [ScoredPart.from_bytes(part.to_bytes()) for part in in_parts(data, made, shares, order)]
        half = len(parts) // 2
        tree = merge([merge(parts[half:]), *parts[:half]])
        assert repr(finish(made, tree, data).table) == repr(whole.table)
        assert tree.numbers == ((0, shares - 1),)


def test_sums_by_bucket_from_the_start_or_later_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("evaluation.partial", "engines.part", "evaluation.evaluator"):
        monkeypatch.setattr(f"ragauge.{module}.BUCKETS", 64)
    whole = one_process(rows(300), resamples=20, interval="percentile")
    data = read(rows(300))
    for samples in (None, 300):
        options = {"by": ["language", "topic"], "resamples": 20, "interval": "percentile"}
        made = planned(METRICS, data.columns, samples=samples, **options)
        merged = merge(in_parts(data, made, 9, range(9)))
        assert repr(finish(made, merged, data).table) == repr(whole.table)


def test_only_sums_travel() -> None:
    data = read(rows(50))
    made = planned(METRICS, data.columns)
    [part] = in_parts(data, made, 1, [0])
    table = part.scores()
    assert table.column_names == ["id", *made.evaluator.metrics]
    assert table["id"].to_pylist() == [f"q{i}" for i in range(50)]
    assert {"score", "status", "defaulted", "reason", "statistics"} <= {
        field.name for field in table.schema.field(1).type
    }
    again = copy.deepcopy(part)
    assert again.samples == 50
    assert again.to_bytes() == part.to_bytes()
    with pytest.raises(UsageError, match="stayed with the worker"):
        again.scores()


def test_a_part_that_comes_twice_counts_once() -> None:
    data = read(rows(60))
    made = planned("token-f1", data.columns)
    parts = in_parts(data, made, 3, [0, 1, 2])
    assert merge([*parts, parts[1], ScoredPart.from_bytes(parts[1].to_bytes())]).samples == 60
    with pytest.raises(DataError, match="part 1 is in two of the parts"):
        merge([merge(parts[:2]), parts[1]])


def test_what_does_not_belong_together_is_refused() -> None:
    data = read(rows(20))
    made = planned("token-f1", data.columns, samples=20)
    other = planned("bleu", data.columns)
    [part], [stranger] = in_parts(data, made, 1, [0]), in_parts(data, other, 1, [0])
    for call, words in (
        (lambda: merge([part, stranger]), "different plans"),
        (lambda: merge([]), "no parts"),
        (lambda: finish(made, stranger, data), "another plan"),
        (lambda: finish(made, part, read(rows(21))), "21 samples, the parts 20"),
        (lambda: score_part([], made, 4), "part 4 has no samples"),
        (lambda: ScoredPart.from_bytes(b"PAR1"), "the part is damaged"),
        (lambda: ScoredPart.from_bytes(part.to_bytes()[:-200]), "the part is damaged"),
    ):
        with pytest.raises(DataError, match=words):
            call()


def test_a_part_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = read(rows(20))
    [part] = in_parts(data, planned("token-f1", data.columns), 1, [0])
    content = part.to_bytes()
    monkeypatch.setattr("ragauge.engines.part.VERSION", 0)
    with pytest.raises(DataError, match="and this version reads 0; score it again"):
        ScoredPart.from_bytes(content)


def test_a_plan_refuses_what_needs_one_process() -> None:
    columns = ["id", "question", "answer", "references", "contexts", "language"]
    for options, words in (
        ({"metrics": "judged-faithfulness:judge=chat[url=http://localhost:1/v1,model=m]"}, "asks a judge"),
        ({"metrics": "bleu", "lang": "column"}, "needs all rows first"),
        ({"metrics": "bleu", "samples": -1}, "samples"),
    ):
        with pytest.raises(UsageError, match=words):
            planned(columns=columns, **options)
    with pytest.raises(ColumnError, match="topic"):
        planned("bleu", columns, by="topic")


def test_a_plan_pickles_and_its_identity_depends_on_what_decides_the_sums() -> None:
    columns = ["id", "answer", "references", "topic"]
    one = planned("bleu", columns, by="topic")
    assert any("tokenizer" in note for note in one.notes)
    assert copy.deepcopy(one).identity == one.identity
    assert planned("bleu", columns, by="topic", ci=0.9).identity == one.identity
    assert len({planned("bleu", columns, by=by).identity for by in ((), "topic")}) == 2
