"""The rows that the tests of engines score, and what their processes need."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ragauge
from ragauge.engines.part import score_part
from ragauge.engines.plan import plan
from ragauge.engines.prepare import Prepared
from ragauge.engines.task import task_of
from ragauge.errors import DataError
from ragauge.evaluation.request import RunRequest
from ragauge.formats import read
from ragauge.judges import Session
from tests.cli.running import here, write_rows
from tests.conformance.test_conformance import parse, shared_examples, specs

from .judge_server import KEY, METRIC, judge_server

ROOT = Path(__file__).parents[2]
ARMED = "RAGAUGE_TEST_ARMED"
"""The variable that names a file; while it is there, `tests.engines.ending` removes it and ends its process."""

_TEXTS = [
    ("zh", "茶产于云南。", "茶叶产于云南和福建。"), ("ja", "お茶は雲南で作られます。", "お茶は雲南で作られた。"),
    ("ko", "차는 윈난에서 납니다.", "차는 중국 윈난에서 난다."), ("ru", "Чай растёт в Юньнани.", "Чай растёт на юге."),
    ("ar", "يزرع الشاي في يونان.", "يزرع الشاي في جنوب الصين."), ("hi", "चाय युन्नान में उगती है।", "चाय पहाड़ों में उगती है।"),
    ("th", "ชาปลูกในยูนนาน", "ชาปลูกบนภูเขา"), ("en", "Tea grows in Yunnan.", "Tea grows in the hills."),
]  # fmt: skip
METRICS = ("bleu", "rouge-l", "token-f1", "ndcg@10", "groundedness", "column:name=seconds")
SCHEMA = pa.schema(
    [("id", pa.string()), ("question", pa.string()), ("answer", pa.string()), ("references", pa.list_(pa.string())),
     ("contexts", pa.list_(pa.string())), ("retrieved", pa.list_(pa.string())),
     ("relevance", pa.map_(pa.string(), pa.float64())), ("lang", pa.string()), ("topic", pa.int64()),
     ("document", pa.string()), ("seconds", pa.float64()), ("failure", pa.string()), ("unread", pa.string())]
)  # fmt: skip
OPTIONS: dict[str, Any] = {"by": ["lang", "topic"], "cluster": "document", "interval": "percentile", "resamples": 50}


def table(count: int = 400) -> pa.Table:
    """Return rows in eight languages, with failures, and null where a metric needs a value."""
    made = []
    for i in range(count):
        language, answer, reference = _TEXTS[i % 8]
        made.append(
            {"id": f"q-{i}", "question": f"{reference[:-1]}?", "answer": None if i % 11 == 3 else f"{answer} {i % 5}",
             "references": [reference, f"{answer} {i % 3}"] if i % 13 else [], "contexts": [reference, answer],
             "retrieved": [f"文書{i % 3}", "d7"], "relevance": None if i % 17 == 2 else [(f"文書{i % 4}", 1.0 + i % 2)],
             "lang": language, "topic": None if i % 9 == 0 else i % 4, "document": f"doc{i % 37}",
             "seconds": (i * 37 % 100) / 7, "failure": "超时" if i % 19 == 5 else None, "unread": "x"}
        )  # fmt: skip
    return pa.Table.from_pylist(made, schema=SCHEMA)


@dataclass(frozen=True)
class RowsHere:
    """Rows as a cluster has them, which are a table of this process; ``known_by``: so many are the first rows."""

    table: pa.Table
    known_by: int = 100
    source: str = "the rows"
    asked: list[str] = field(default_factory=list)

    def head(self) -> pa.Table:
        return self.table.slice(0, self.known_by)

    def distinct(self, name: str) -> pa.Table:
        self.asked.append(name)
        return pa.table({name: self.table[name].unique()})

    def place(self) -> tuple[str, int]:
        return "127.0.0.1", 2

    def repeated_ids(self, _: Prepared) -> list[object]:
        return []

    def scored(self, prepared: Prepared) -> tuple[list[dict[str, Any]], None]:
        task = task_of(prepared.task.to_bytes())
        rows = task.rows(self.table.select(list(prepared.columns)).to_batches(), 0)
        return [row for batch in rows for row in batch.to_pylist()], None


def metrics_without_a_judge() -> list[str]:
    """Return every registered metric that asks no judge, in all its forms."""
    return [spec for spec in specs() if not hasattr(parse(spec), "judge")]


def rows_with_all_columns(times: int) -> pa.Table:
    """Return the examples of the conformance tests, which have every column that a metric reads, so many times."""
    table = pa.concat_tables([example.batch.table() for example in shared_examples()] * times)
    return table.set_column(0, "id", pa.array([f"q{number}" for number in range(len(table))]))


def sample_scores(rows: pa.Table) -> list[dict[str, Any]]:
    """Return the scores of each row as one process computes them, by id."""
    data = read(rows)
    return by_id(score_part(data.batches(), plan(RunRequest(metrics=METRICS), data.columns)).scores())


def by_id(scores: pa.Table) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = scores.sort_by("id").to_pylist()
    return listed


def for_workers(patch: Any, armed: Path) -> None:
    """Set the variables by which the processes of an engine find Python, ragauge and this module."""
    patch.setenv("PYSPARK_PYTHON", sys.executable)
    patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
    patch.setenv(ARMED, str(armed))


def the_command_prints_what_one_process_prints(
    engine: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Score a folder of Parquet files by ``engine``, options of the command, and in one process."""
    whole, parts, scores = folder / "whole.parquet", folder / "回答", folder / "scores.parquet"
    parts.mkdir()
    pq.write_table(table(), whole)
    for part in range(2):
        pq.write_table(table().slice(part * 200, 200), parts / f"{part}.parquet")
    options = ["-m", "bleu", "-m", "ndcg@10", "--by", "lang", "--output-format", "csv"]
    alone = here(capsys, "score", whole, *options)
    done = here(capsys, "score", parts, *options, *engine, "--per-sample", scores)
    assert (done.code, alone.code) == (0, 0), done.err
    assert done.out == alone.out
    assert f"400 samples from {parts}" in done.err
    _the_command_takes_lines_and_saves_a_run([*options, *engine], folder, capsys)
    result = ragauge.evaluate(table(), ["bleu", "ndcg@10"])
    wanted = dict(zip(table()["id"].to_pylist(), result.scores("ndcg@10").tolist(), strict=True))
    written = pq.read_table(scores)
    assert len(written) == 400
    for name, cell in zip(written["id"].to_pylist(), written["ndcg@10"].to_pylist(), strict=True):
        assert cell["score"] == wanted[name] or cell["score"] is None


def _the_command_takes_lines_and_saves_a_run(
    arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Score JSON Lines without ids by an engine, and by one process, into runs with equal scores."""
    lines = folder / "답변.jsonl"
    rows = table().drop_columns(["id"]).to_pylist()
    for row in rows:
        row["relevance"] = None if row["relevance"] is None else dict(row["relevance"])
    write_rows(lines, rows)
    apart, alone = folder / "apart", folder / "alone"
    done = here(capsys, "score", lines, *arguments, "-o", apart)
    assert done.code == 0, done.err
    assert f"saved to {apart}" in done.err
    ragauge.evaluate(lines, ["bleu", "ndcg@10"], by="lang").save(alone)
    one, other = ragauge.load(alone), ragauge.load(apart)
    assert repr(other.table) == repr(one.table)
    assert (other.data.source, other.data.columns) == (one.data.source, one.data.columns)
    for name in ("bleu", "ndcg@10"):
        by_name = [
            dict(zip(pa.chunked_array(list(run.ids)).to_pylist(), run.scores(name), strict=True))
            for run in (one, other)
        ]
        assert by_name[0].keys() == by_name[1].keys()
        assert repr(sorted(by_name[0].items())) == repr(sorted(by_name[1].items()))
    assert not [path for path in folder.iterdir() if path.name.startswith(".apart")]


def the_engine_makes_ids_and_knows_languages(score: Callable[..., Any], opened: Callable[[pa.Table], Any]) -> None:
    """Score rows without ids, each by the tokenizer of its language, as one process does; refuse equal rows."""
    rows = table().drop_columns(["id"])
    alone = ragauge.evaluate(rows, ["bleu", "ndcg@10"], lang="column", by="topic")
    result, scores = score(opened(rows), ["bleu", "ndcg@10"], lang="column", by="topic", scores=True)
    assert repr(result.table) == repr(alone.table)
    assert scores is not None
    assert scores.count() == 400
    with pytest.raises(DataError, match="several rows have the same content") as caught:
        score(opened(pa.concat_tables([rows, rows.slice(7, 1)])), "bleu")
    assert "add a column of ids, each its own" in str(caught.value)


def the_engine_asks_a_judge(score: Callable[..., Any], rows: Any, arguments: list[str], folder: Path) -> None:
    """Score rows by a judge through the engine, by its function and as a command, as one process does."""
    with judge_server() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGAUGE_JUDGE_API_KEY", KEY)
        metrics, path = [METRIC, "bleu"], folder / "rows.parquet"
        with Session(folder / "kept.sqlite", max_calls=10_000) as session:
            result, scores = score(rows, metrics, judge=server.judge, session=session, scores=True, by="lang")
            asked = len(server.asked)
            assert session.tally.total.calls == asked == len(set(server.asked)) > 40
            alone = ragauge.evaluate(table(), metrics, judge=server.judge, session=session, by="lang")
        assert len(server.asked) == asked
        assert server.keys == {f"Bearer {KEY}"}
        assert repr(result.table) == repr(alone.table)
        assert result.options["judge"]["calls"] == asked
        assert scores.count() == 400
        with Session(max_calls=9) as session:
            limited, _ = score(rows, METRIC, judge=server.judge, session=session)
        assert len(server.asked) == asked + 9
        assert limited[METRIC].failed > 9
        pq.write_table(table(), path)
        options: list[Any] = [
            "-m",
            METRIC,
            "--judge",
            server.judge,
            "--judge-cache",
            folder / "kept.sqlite",
            *arguments,
        ]
        done = subprocess.run(
            [sys.executable, "-m", "ragauge", "score", path, *options, "-o", folder / "run"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "judge: 0 requests" in done.stderr
        assert len(server.asked) == asked + 9
        assert repr(ragauge.load(folder / "run").scores(METRIC)) == repr(alone.scores(METRIC))
