"""A result is read like a mapping from metrics to scores."""

from __future__ import annotations

from typing import Any

import pytest

import ragauge
from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.judges import FunctionJudge
from ragauge.metrics.retrieval.bpref import Bpref
from ragauge.metrics.retrieval.mrr import Mrr
from ragauge.metrics.retrieval.ndcg import Ndcg
from tests.approved import pattern

ROWS: list[dict[str, Any]] = [
    {"id": "a", "answer": "Tea is hot. Ice is hot.", "contexts": ["Tea is hot.", "Ice is cold."]},
    {"id": "b", "answer": "Ice is cold.", "contexts": ["Ice is cold."]},
]


def test_a_result_goes_over_its_metrics() -> None:
    rows = [{"retrieved": ["x", "y"], "relevance": {"y": 1}}] * 3
    result = ragauge.evaluate(rows, ["mrr", "ndcg@3"], resamples=0)
    assert [*result] == list(result) == list(result.keys()) == ["mrr", "ndcg@3"]
    assert (len(result), result.samples) == (2, 3)
    assert dict(result) == {"mrr": result["mrr"], "ndcg@3": result["ndcg@3"]}
    assert result.metrics["mrr"] == result.metric("mrr") == ragauge.parse("mrr")


def test_evidence_is_kept_while_measuring_where_it_is_wanted() -> None:
    with pytest.raises(UsageError, match=pattern("results.the_run_has_no_evidence_score_a")):
        ragauge.evaluate(ROWS, "groundedness", resamples=0).explain("a")
    result = ragauge.evaluate(ROWS, "groundedness", resamples=0, evidence=True)
    assert result.explain("a")["supported"].to_pylist() == [True, False]
    assert result.explain("b")["text"].to_pylist() == ["Ice is cold."]
    with pytest.raises(UsageError, match=pattern("results.the_run_holds_no_sample_its_ids")):
        result.explain("c")


def test_evidence_is_taken_from_the_batch_that_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    from ragauge.embedders.lexical import Lexical

    encoded: list[int] = []
    encode = Lexical.encode

    def counting(self: Lexical, *arguments: Any, **options: Any) -> Any:
        encoded.append(1)
        return encode(self, *arguments, **options)

    monkeypatch.setattr(Lexical, "encode", counting)
    ragauge.evaluate(ROWS, "groundedness", resamples=0)
    without = len(encoded)
    encoded.clear()
    ragauge.evaluate(ROWS, "groundedness", resamples=0, evidence=True)
    assert len(encoded) == without > 0


def test_a_class_of_a_metric_finds_its_one_metric() -> None:
    row = {"retrieved": ["x", "y"], "relevance": {"y": 1}}
    result = ragauge.evaluate([row], ["mrr@5", "ndcg@1", "ndcg@3"], resamples=0)
    assert result[Mrr] == result["mrr@5"]
    assert Bpref not in result
    with pytest.raises(UsageError, match=r"^Ndcg is the class of ndcg@1, ndcg@3; name one of them$"):
        result[Ndcg]


def test_what_is_no_directory_and_no_id_is_refused() -> None:
    result = ragauge.evaluate(ROWS, "groundedness", resamples=0)
    wrong: Any = 5
    with pytest.raises(OptionError, match="'directory' of save must be a directory; got 5"):
        result.save(wrong)
    with pytest.raises(OptionError, match="'sample' of explain must be the id of one sample; got 5"):
        result.explain(wrong)


def test_a_judged_metric_is_found_without_its_judge() -> None:
    judge = FunctionJudge(lambda _: '{"claims": [{"claim": 1, "passages": [1]}]}', "always")
    name = "judged-faithfulness:repeats=2,language=zh"
    result = ragauge.evaluate(ROWS[1:], name, judge=judge, resamples=0)
    assert result["judged-faithfulness:language=zh,repeats=2"] is result[name]
    for other in ("judged-faithfulness", "judged-rubric", "judged-faithfulness:language=th"):
        with pytest.raises(UnknownNameError, match=r"unknown metric of this run: .*judged-faithfulness:repeats=2"):
            result[other]
    with pytest.raises(
        UnknownNameError, match=r"unknown metric of this run: 'judged-faithfulness'; available: groundedness"
    ):
        ragauge.evaluate(ROWS, "groundedness", resamples=0)["judged-faithfulness"]
