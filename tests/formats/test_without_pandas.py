"""Reading leaves pandas alone, which costs a quarter of a second to load."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

READ = """
import sys
from ragauge.formats import peek, read, read_retrieval
for path in sys.argv[1:]:
    for batch in read(path).batches():
        batch.table().to_pylist()
    peek(path)
    assert "pandas" not in sys.modules, path
run = {"q1": {"d1": 0.5}, "q2": {"d2": 0.5}}
qrels = {"q2": {"d1": 1}, "q1": {"d1": 1}}
for one in (run, {"q1": ["d1"], "q2": ["d2"]}, "run.trec"):
    for judged in (qrels, "qrels.txt"):
        for batch in read_retrieval(one, judged).batches():
            batch.table().to_pylist()
        assert "pandas" not in sys.modules, (one, judged)
"""
ROWS = [
    {"id": i, "question": "a", "answer": None, "references": ["x"], "contexts": [{"text": "p", "id": "c"}],
     "retrieved": [1, 2], "relevance": {"1": 1}, "score": 1.5, "topic": "t", "deep": {"b": 1, "a": [True]}}
    for i in range(3)
]  # fmt: skip


def test_pandas_is_not_loaded(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    (tmp_path / "rows.json").write_text(json.dumps(ROWS), encoding="utf-8")
    (tmp_path / "bare.jsonl").write_text('{"answer": "a", "references": "b"}\n' * 2, encoding="utf-8")
    (tmp_path / "rows.csv").write_text(
        'question,contexts,retrieved,retrieved_scores,topic,n\na,one,"[""d1""]",[0.5],x,1\nb,two,"[""d1""]",[1],,2\n',
        encoding="utf-8",
    )
    plain = pa.table({"id": pa.array(["a", "b"]).dictionary_encode(), "references": ["x", "y"], "n": [1, 2]})
    pq.write_table(plain, tmp_path / "rows.parquet")
    (tmp_path / "run.trec").write_text("q1 Q0 d1 1 2.5 x\nq2 Q0 d2 1 2.5 x\nq1 Q0 d3 2 1.5 x\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q2 0 d2 1\nq1 0 d1 1\nq2 0 d3 1\n", encoding="utf-8")
    names = ["rows.jsonl", "rows.json", "bare.jsonl", "rows.csv", "rows.parquet"]
    command = [sys.executable, "-c", READ, *names]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
