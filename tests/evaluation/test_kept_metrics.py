"""The arguments that name the code of a saved run."""

from __future__ import annotations

from ragauge.evaluation.kept_metrics import code_in


def test_the_code_of_a_metric_is_in_its_name_or_its_spec() -> None:
    assert code_in("bleu", "bleu") == []
    assert code_in("a", "bleu:tokenizer=function[name=app.py:cut@b92828f5]") == ["app.py:cut"]
