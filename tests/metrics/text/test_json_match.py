"""JSON match: fields of equal value at the same path."""

from __future__ import annotations

import pytest

from ragauge import evaluate, score
from ragauge.errors import DataError


@pytest.mark.parametrize(("answer", "reference", "value"), [
    ('{"city": "Oslo", "days": 2}', '{"days": 3, "city": "Oslo"}', 1 / 2),
    ('{"a": {"b": [1, 2]}}', '{"a": {"b": [2, 1]}}', 0.0),
    ('{"a": 1.0}', '{"a": 1}', 1.0),
    ('{"a": "1"}', '{"a": 1}', 0.0),
    ('{"a": true}', '{"a": 1}', 0.0),
    ('{"a": null}', "{}", 0.0),
    ("{}", "{}", 1.0),
    ("[]", "{}", 0.0),
    ("```json\n[1, 2]\n```", "[1, 2]", 1.0),
    ("以下：\n```json\n[1, 2]\n```\nDone.", "[1, 2]", 1.0),
    ("```\n1\n```\nor\n```\n2\n```", "1", 0.0),
    ('\ufeff{"a": "```"}', '{"a": "```"}', 1.0),
    ("not JSON", "[1]", 0.0),
    ("Oslo", '"Oslo"', 1.0),
    ("[NaN]", "[1]", 0.0),
    ("[" * 100_000, "[1]", 0.0),
    ('{"店名": "茶馆", "几点": [9, 18]}', '{"几点": [9, 17], "店名": "茶馆"}', 2 / 3),
    ('{"なまえ": "林", "city": "서울"}', '{"city": "서울", "なまえ": "林"}', 1.0),
    ('{"शहर": "दिल्ली", "مدينة": "القاهرة", "город": "Рим", "เมือง": "ตาก"}', '{"शहर": "दिल्ली", "مدينة": "x"}', 1 / 3),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, reference: str, value: float) -> None:
    assert score("json-match", answer=answer, references=[reference]) == pytest.approx(value, abs=1e-15)


def test_precision_recall_and_the_best_reference() -> None:
    rows = [{"answer": '{"a": 1, "b": 2}', "references": ['{"a": 0}', '{"a": 1, "b": 2, "c": 3}', "no JSON"]}]
    found = evaluate(rows, "json-match", resamples=0)["json-match"]
    assert (found.value, found.parts) == (0.8, {"precision": 1.0, "recall": 2 / 3})


@pytest.mark.parametrize("reference", ["{'都市': '大阪'}", '{"a": 1', "[1, NaN]", " {город: Рим}"])
def test_a_reference_that_is_broken_json_is_an_error(reference: str) -> None:
    rows = [
        {"id": "a", "answer": "[1]", "references": ["[1]"]},
        {"id": "ب", "answer": "[1]", "references": [reference]},
    ]
    with pytest.raises(DataError, match=r"references are not valid JSON in ب \(.*json.dumps"):
        evaluate(rows, "json-match", resamples=0)
    assert score("json-match", answer=reference, references=["[1]"]) == 0.0


def test_without_a_reference_it_is_undefined() -> None:
    rows = [{"answer": "[1]", "references": []}, {"answer": "[1]", "references": ["[1]"]}]
    found = evaluate(rows, "json-match", resamples=0)["json-match"]
    assert (found.value, found.undefined) == (1.0, 1)


def test_answers_that_are_no_json_are_counted() -> None:
    """Beside an object or a list, also an empty one; beside a value a plain text is an answer."""
    pairs = [
        ('{"a": 1', '{"a": 1}'),
        ("好的：1", "[]"),
        ("Oslo", '"Oslo"'),
        ("[]", "{}"),
        ('"x"', "{}"),
        ("", '{"a": 1}'),
    ]
    rows = [{"answer": answer, "references": [reference]} for answer, reference in pairs]
    found = evaluate(rows, "json-match", resamples=0)["json-match"]
    assert found.noted == {"answers without valid JSON": 3}
