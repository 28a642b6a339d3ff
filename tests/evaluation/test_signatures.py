"""Which kept scores are those of a metric, and the signature of kept and new ones together."""

from __future__ import annotations

from dataclasses import replace

import pytest

import ragauge
from ragauge.evaluation.signatures import has_scores_of, joined_signature
from ragauge.results.result import Result

ROWS = [{"id": "问1", "answer": "茶", "references": ["茶"]}]
JUDGED = "judged-rubric|judge=chat[model=m,{}seed=0,url=http://localhost/v1]|revision=1|ragauge={}|unicode=15 #1234"


def with_signature(result: Result, signature: str) -> Result:
    return replace(result, table=tuple(replace(score, signature=signature) for score in result.table))


@pytest.mark.parametrize(
    ("kept", "now", "same"),
    [
        ("token-f1", "token-f1", True),
        ("token-f1", "token-f1:tokenizer=auto", True),
        ("token-f1", "token-f1:tokenizer=char", False),
        ("ndcg@5", "ndcg@10", False),
    ],
)
def test_other_options_are_another_metric(kept: str, now: str, same: bool) -> None:
    rows = [{**ROWS[0], "retrieved": ["a"], "relevance": {"a": 1}}]
    result = ragauge.evaluate(rows, kept, resamples=0)
    assert has_scores_of(result, kept, ragauge.parse(now)) is same


def test_another_version_is_the_same_metric_and_another_revision_is_not() -> None:
    result = ragauge.evaluate(ROWS, "token-f1", resamples=0)
    signature, metric = result["token-f1"].signature, ragauge.parse("token-f1")
    assert has_scores_of(with_signature(result, signature.replace("|ragauge=", "|ragauge=9.9-")), "token-f1", metric)
    assert not has_scores_of(with_signature(result, signature.replace("revision=", "revision=9")), "token-f1", metric)


@pytest.mark.parametrize(
    ("kept", "new", "joined"),
    [
        ("output=json_schema,", "output=auto,", "output=json_schema,"),
        ("output=json_schema,", "output=parsed,", "output=parsed,"),
        ("output=parsed,", "output=json_object,", "output=parsed,"),
        ("output=parsed,refused=seed,", "output=parsed,", "output=parsed,refused=seed,"),
        ("", "", ""),
    ],
)
def test_the_weaker_form_of_replies_and_the_newer_versions_are_in_it(kept: str, new: str, joined: str) -> None:
    signature = joined_signature(JUDGED.format(kept, "1.0"), JUDGED.format(new, "1.1"))
    assert signature.rpartition(" #")[0] == JUDGED.format(joined, "1.1").rpartition(" #")[0]
