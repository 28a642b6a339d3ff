"""COMET as a metric: of several references the highest, what has no score, and which models read references."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.statistics import Status
from ragauge.errors import ColumnError, OptionError
from ragauge.metrics.text.comet import Comet
from tests.embedders.comet_models import models
from tests.metrics.rag.given import cells

pytestmark = pytest.mark.filterwarnings("default")


class Lengths:
    """A model that rates a sample by the lengths of its texts."""

    signature = "lengths@1"
    reads = (True, True)

    def __init__(self, *_: Any) -> None: ...

    def scores(self, samples: list[dict[str, str]]) -> Any:
        return np.array([len(one["mt"]) - abs(len(one["mt"]) - len(one.get("ref", one["src"]))) for one in samples])


def test_the_best_reference_counts_and_what_has_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.metrics.text.comet.CometModel", Lengths)
    found = cells(
        Comet(model="m"),
        {"question": "猫", "answer": "cats", "references": ["a", "", "dogs", "c"]},
        {"question": "猫", "answer": "", "references": ["cat"]},
        {"question": " ", "answer": "cat", "references": ["cat"]},
        {"question": "猫", "answer": "cat", "references": ["", " "]},
        {"question": None, "answer": "cat", "references": ["cat"]},
    )
    ok, undefined, missing = Status.OK, Status.UNDEFINED, Status.MISSING
    assert found.sums.status.tolist() == [ok, ok, undefined, undefined, missing]
    assert found.scores[:2].tolist() == [4.0, -3.0]
    without = cells(Comet(model="m", references=False), {"question": "猫咪", "answer": "cat"})
    assert without.scores.tolist() == [2.0]


@pytest.mark.parametrize(
    ("reads", "references", "wanted"),
    [((False, True), False, "true: .* needs"), ((True, False), True, "false: .* none")],
)
def test_references_are_what_the_model_reads(
    monkeypatch: pytest.MonkeyPatch, reads: tuple[bool, bool], references: bool, wanted: str
) -> None:
    monkeypatch.setattr("ragauge.metrics.text.comet.CometModel", Lengths)
    monkeypatch.setattr(Lengths, "reads", reads)
    with pytest.raises(OptionError, match=f"'references' of comet must be {wanted}"):
        cells(Comet(model="m", references=references), {"question": "q", "answer": "a", "references": ["a"]})


def test_its_spec_and_what_it_needs() -> None:
    assert str(ragauge.parse("comet:model=m,references=false")) == "comet:model=m,references=false"
    assert ragauge.parse("comet:model=m").needs == (("question", "answer", "references"),)
    with pytest.raises(OptionError, match="'model' of comet must be the folder of a model"):
        ragauge.parse("comet")
    with pytest.raises(ColumnError, match="references"):
        ragauge.evaluate([{"question": "猫", "answer": "cat"}], "comet:model=m")


def test_a_model_in_a_folder(tmp_path: Path) -> None:
    folder = models(tmp_path / "made")
    rows = [
        {"src": "猫 坐", "mt": "the cat sat", "ref": "a cat sat"},
        {"src": "狗", "mt": "a dog", "ref": "the dog ran"},
    ]
    result = ragauge.evaluate(rows, [f"comet:model={folder / 'regression'},device=cpu"], resamples=0)
    [name] = result.metrics
    assert result[name].scored == 2
    assert "model=regression@" in result[name].signature
    alone = ragauge.evaluate(rows[1:], [f"comet:model={folder / 'regression'},device=cpu,batch=1"], resamples=0)
    assert alone.scores(next(iter(alone.metrics))) == pytest.approx(result.scores(name)[1:], abs=1e-6)
    bare = [{"question": one["src"], "answer": one["mt"]} for one in rows]
    free = ragauge.evaluate(bare, f"comet:model={folder / 'kiwi'},device=cpu,references=false", resamples=0)
    assert next(iter(free.table)).scored == 2
