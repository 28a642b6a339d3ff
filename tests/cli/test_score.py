"""``ragauge score``: its options, what it prints, and where."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from rich.cells import cell_len

import ragauge

from .running import ROWS, TEA_HOUSE, Done, apart, here, write_rows

Captured = pytest.CaptureFixture[str]

SCORE_KEYS = {
    "metric", "value", "low", "high", "parts", "group", "scored", "total", "undefined", "missing", "failed",
    "undefined_scored", "bounds", "average", "stage", "direction", "signature",
}  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "run.jsonl")


def test_json_has_the_keys_of_the_contract(data: Path, capsys: Captured) -> None:
    done = here(
        capsys, "score", data, "-m", "success@2", "-m", "ndcg@1,2", "--by", "language", "--output-format", "json"
    )
    assert done.code == 0
    assert set(done.json) == {"metrics", "data", "options"}
    assert {frozenset(row) for row in done.json["metrics"]} == {frozenset(SCORE_KEYS)}
    first = done.json["metrics"][0]
    assert (first["metric"], first["value"], first["group"]) == ("success@2", 1.0, None)
    assert (first["scored"], first["total"], first["missing"], first["bounds"]) == (2, 3, 1, [1.0, 1.0])
    assert [row["metric"] for row in done.json["metrics"][:3]] == ["success@2", "ndcg@1", "ndcg@2"]
    assert [row["group"] for row in done.json["metrics"][3::3]] == [{"language": "en"}, {"language": "zh"}]
    assert (done.json["data"]["source"], done.json["data"]["samples"]) == (str(data), 3)


def test_nan_is_null(data: Path, capsys: Captured) -> None:
    rows = here(capsys, "score", data, "-m", "mrr", "--by", "id", "--output-format", "json").json["metrics"]
    assert [(row["value"], row["low"]) for row in rows[1:]] == [(0.5, None), (1.0, None), (None, None)]


def test_the_command_line_is_the_call(data: Path, capsys: Captured) -> None:
    options: dict[str, Any] = {"by": "language", "cluster": "topic", "ci": 0.8, "resamples": 50, "seed": 7, "limit": 2}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    done = here(capsys, "score", data, "-m", "mrr", "--map", "topic=source", *words, "--output-format", "json")
    assert done.json == ragauge.evaluate(data, "mrr", map={"topic": "source"}, **options).to_dict()
    assert (
        done.json["options"] | {"by": ["language"], "cluster": "topic", "level": 0.8, "seed": 7} == done.json["options"]
    )


def test_a_file_is_read_in_the_format_that_is_named(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "answers.log"
    path.write_text("reply\tright\ntea\ttea\n")
    options = ("-m", "exact-match", "--map", "answer=reply", "--map", "references=right", "--output-format", "json")
    unknown = here(capsys, "score", path, *options)
    assert unknown.code == 3
    assert "If you know the format, name it, as in --input-format csv" in unknown.err
    assert here(capsys, "score", path, *options, "--input-format", "tsv").json["metrics"][0]["value"] == 1.0
    piped = apart("score", "-", *options, "--input-format", "tsv", stdin=path.read_bytes())
    assert piped.json["metrics"][0]["value"] == 1.0
    misspelt = here(capsys, "score", path, *options, "--input-format", "tvs")
    assert (misspelt.code, misspelt.err) == (2, "error: unknown file format 'tvs'; did you mean tsv? [RG-NAME-001]\n")


def test_csv_reads_back(data: Path, capsys: Captured) -> None:
    done = here(capsys, "score", data, "-m", "mrr", "--by", "language", "--output-format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["by"], row["group"], row["value"]) for row in rows] == [
        ("", "", "0.75"),
        ("language", "en", "1.0"),
        ("language", "zh", "0.5"),
    ]
    assert rows[0]["signature"].startswith("mrr|")


def test_markdown_tables_have_equal_rows(data: Path, capsys: Captured) -> None:
    done = here(
        capsys, "score", data, "-m", "mrr", "-m", "column:name=latency,direction=lower", "--output-format", "markdown"
    )
    tables = [line for line in done.out.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in tables}) == 1
    assert "**retrieval**" in done.out
    assert "**end-to-end**" in done.out


def test_data_go_to_stdout_and_notes_to_stderr(tmp_path: Path, capsys: Captured) -> None:
    rows = [
        {"user_input": "q", "retrieved": ["a"], "relevance": {"a": 1}, "failure": f"down {i}\nat once"} for i in "12"
    ]
    data = write_rows(tmp_path / "run.jsonl", [*rows, {**rows[0], "failure": None}])
    done = here(capsys, "score", data, "-m", "mrr", "-m", "ndcg", "--output-format", "json")
    assert done.json["metrics"][0]["failed"] == 2
    notes = done.err.splitlines()
    assert notes[0] == "2 of 3 samples failed; the scores leave them out"
    assert notes[1:4] == [r"1 failed: down 1\x0aat once", r"1 failed: down 2\x0aat once", f"3 samples from {data}"]
    assert "columns: question <- user_input" in notes
    assert sum("down 1" in note for note in notes) == 1


def test_without_metrics_the_defaults_are_computed_and_the_rest_is_named(capsys: Captured) -> None:
    done = here(capsys, "score", TEA_HOUSE, "--resamples", 0, "--output-format", "json")
    assert done.code == 0
    assert {"ndcg", "bleu", "rouge-l"} <= {row["metric"] for row in done.json["metrics"]}
    done = here(capsys, "score", TEA_HOUSE, "--preset", "retrieval", "--resamples", 0, "--output-format", "json")
    assert {row["stage"] for row in done.json["metrics"]} == {"retrieval"}


def test_of_the_default_metrics_a_table_shows_eight_and_names_the_rest(capsys: Captured) -> None:
    every = [row["metric"] for row in here(capsys, "score", TEA_HOUSE, "--output-format", "json").json["metrics"]]
    assert len(every) > 15

    def named(out: str) -> list[str]:
        table = out.partition(" more metrics are in files")[0]
        first = {line.split()[0].rstrip(",") for line in table.splitlines() if line.strip()}
        return [name for name in every if name in first]

    out = here(capsys, "score", TEA_HOUSE).out
    shown, words = named(out), " ".join(out.split())
    assert len(shown) == 8
    assert {"recall", "groundedness", "answer-correctness", "latency"} <= set(shown)
    assert [name for name in every if name not in shown] == words.partition("--preset all: ")[2].split(", ")
    assert f"{len(every) - 8} more metrics are in files of results, and shown by --preset all" in words
    for way in (("--preset", "all"), ("-v",), ("--output-format", "markdown"), [x for m in every for x in ("-m", m)]):
        out = here(capsys, "score", TEA_HOUSE, *way).out
        assert "more metrics are in files" not in out
        assert way[0] != "--preset" or named(out) == every


def test_a_run_and_its_qrels_need_no_data(tmp_path: Path, capsys: Captured) -> None:
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    run.write_text("q1 Q0 d1 1 0.9 x\nq1 Q0 d2 2 0.8 x\nq9 Q0 d1 1 0.5 x\n")
    qrels.write_text("q1 0 d2 1\nq2 0 d1 1\n")
    done = here(capsys, "score", "--run", run, "--qrels", qrels, "-m", "mrr", "--output-format", "json")
    assert (done.json["metrics"][0]["value"], done.json["metrics"][0]["total"]) == (0.25, 2)
    assert "1 judged query is not in the run" in done.err
    assert "1 run query has no judgements" in done.err


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are not UTF-8")
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_the_file_of_scores_may_have_a_name_that_is_not_utf8(
    data: Path, tmp_path: Path, capsys: Captured, suffix: str
) -> None:
    target = tmp_path / os.fsdecode(b"scores \xff" + suffix.encode())
    assert here(capsys, "score", data, "-m", "mrr", "--per-sample", target).code == 0
    assert b"0.5" in target.read_bytes() or suffix == ".parquet"


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_scores_per_sample(data: Path, tmp_path: Path, capsys: Captured, suffix: str) -> None:
    target = tmp_path / f"scores{suffix}"
    assert here(capsys, "score", data, "-m", "mrr", "--per-sample", target).code == 0
    table = {
        ".jsonl": lambda: pa.Table.from_pylist([json.loads(line) for line in target.read_text().splitlines()]),
        ".csv": lambda: pyarrow.csv.read_csv(target),
        ".parquet": lambda: pq.read_table(target),
    }[suffix]()
    assert table["id"].to_pylist() == ["a", "b", "c"]
    assert table["mrr"].to_pylist() == [0.5, 1.0, None]
    assert table["mrr|status"].to_pylist() == ["ok", "ok", "missing"]
    assert here(capsys, "score", data, "-m", "mrr", "--per-sample", target).code == 2
    assert here(capsys, "score", data, "-m", "mrr", "--per-sample", target, "--force").code == 0


def test_a_run_is_saved_and_replaced_only_by_force(data: Path, tmp_path: Path, capsys: Captured) -> None:
    arguments = ("score", data, "-m", "mrr", "-o", tmp_path / "out")
    done = here(capsys, *arguments)
    assert (done.code, done.err.splitlines()[-1]) == (0, f"saved to {tmp_path / 'out'}")
    assert ragauge.load(tmp_path / "out")["mrr"].value == 0.75
    again = here(capsys, *arguments)
    assert (again.code, again.out) == (2, "")
    assert "already exists. Name another directory, or pass --force to replace it." in again.err
    assert here(capsys, *arguments, "--force").code == 0


def test_here_and_there(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert here(capsys, "score", data, "-m", "mrr", "-o", ".", "--force").code == 0
    assert (tmp_path / "empty" / "manifest.json").exists()


@pytest.mark.parametrize("where", ["import os\nos.chdir('elsewhere')\ndef one(sample):", "import os\ndef one(sample):"])
def test_a_metric_that_changes_the_folder_moves_no_output(
    where: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own: workers of later tests would import the file too."""
    monkeypatch.chdir(tmp_path)
    (elsewhere := tmp_path / "elsewhere").mkdir()
    inside = "" if "'elsewhere'" in where else f" os.chdir({str(elsewhere)!r});"
    Path("moving.py").write_text(f"{where}{inside} return 1.0\n", encoding="utf-8")
    arguments = ("-m", "./moving.py:one", "-o", "out", "--per-sample", "scores.csv")
    assert apart("score", data, *arguments).code == 0
    assert (tmp_path / "out" / "manifest.json").exists()
    assert (tmp_path / "scores.csv").exists()
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_table_fits_its_screen(width: int, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    metrics = ("-m", "hit-rate", "-m", "ndcg@10:gain=exp,ideal=retrieved,ties=docid-asc,undefined=skip", "-m", "bleu")
    done = here(capsys, "score", TEA_HOUSE, *metrics, "--by", "language", "--resamples", 20)
    lines = done.out.splitlines()
    assert max(map(cell_len, lines)) <= max(width, 90)
    assert lines[0] == "retrieval"
    assert "95 % interval" in done.out
    assert "…" not in done.out


def test_a_narrow_screen_loses_no_digit(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    done = here(capsys, "score", TEA_HOUSE, "-m", "ndcg", "--resamples", 0)
    assert "0.6548" in done.out
    assert "18/18" in done.out


def test_brackets_of_specs_and_labels_are_printed_as_they_are(tmp_path: Path, capsys: Captured) -> None:
    rows = [{**row, "language": "[/b]:smile:\x1b[31m"} for row in ROWS]
    data = write_rows(tmp_path / "run.jsonl", rows)
    done = here(capsys, "score", data, "-m", "mrr", "--by", "language")
    assert done.code == 0
    assert r"[/b]:smile:\x1b[31m" in done.out


def test_a_file_gets_no_escape_codes(data: Path) -> None:
    for environment in ({}, {"NO_COLOR": "1"}):
        done = apart("score", data, "-m", "mrr", environment=environment)
        assert done.code == 0
        assert "\x1b" not in done.out + done.err


def test_a_terminal_of_another_encoding_is_served(data: Path) -> None:
    table = apart("score", data, "-m", "column:name=latency,direction=lower", environment={"PYTHONIOENCODING": "ascii"})
    assert (table.code, "v lower is better" in table.out, "\\u" in table.out) == (0, True, False)
    rows = '{"id": "猫🍵", "x": 1}'.encode()
    plain = apart("score", "-", "-m", "column:name=x", "--by", "id", "--output-format", "json", stdin=rows,
                  environment={"PYTHONIOENCODING": "ascii"})  # fmt: skip
    assert plain.json["metrics"][1]["group"] == {"id": "猫🍵"}


def score_of(done: Done) -> float | None:
    value: float | None = done.json["metrics"][0]["value"]
    return value


def test_standard_input_is_data(data: Path) -> None:
    done = apart("score", "-", "-m", "mrr", "--output-format", "json", stdin=data.read_bytes())
    assert (score_of(done), done.json["data"]["source"]) == (0.75, "<stdin>")


def test_a_line_of_ten_megabytes_is_a_line(tmp_path: Path, capsys: Captured) -> None:
    data = write_rows(tmp_path / "long.jsonl", [{**ROWS[0], "answer": "茶" * 3_500_000}, ROWS[1]])
    assert score_of(here(capsys, "score", data, "-m", "mrr", "--output-format", "json")) == 0.75


def test_an_encoding_a_label_and_names_of_other_libraries(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "qa.csv"
    path.write_bytes("問題,回答,參考答案\n誰種茶？,林婉種茶。,林婉種茶。\n".encode("big5"))
    arguments = ("--encoding", "big5", "-m", "rougeL", "-m", "一致=exact-match", "--resamples", "0")
    done = here(capsys, "score", path, *arguments)
    assert done.code == 0
    assert "一致" in done.out
    assert "read as big5 and not as UTF-8" in done.err
    assert "rougeL is rouge-l here" in done.err


def test_a_function_cuts_texts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("def cut(text):\n    return text.split('|')\n")
    (tmp_path / "rows.jsonl").write_text('{"answer": "one two|3", "references": ["one two|4"]}\n')
    monkeypatch.chdir(tmp_path)
    done = here(capsys, "score", "rows.jsonl", "-m", "rouge-1", "--tokenizer", "mine.py:cut", "--output-format", "json")
    assert done.json["metrics"][0]["value"] == 0.5


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_scores_of_samples_without_ids_have_their_rows(tmp_path: Path, capsys: Captured, suffix: str) -> None:
    (tmp_path / "data.csv").write_text("answer,reference\na,a\nb,a\n", encoding="utf-8")
    target = tmp_path / f"scores{suffix}"
    assert here(capsys, "score", tmp_path / "data.csv", "-m", "exact-match", "--per-sample", target).code == 0
    table = {
        ".jsonl": lambda: pa.Table.from_pylist([json.loads(line) for line in target.read_text().splitlines()]),
        ".csv": lambda: pyarrow.csv.read_csv(target),
        ".parquet": lambda: pq.read_table(target),
    }[suffix]()
    assert table.column_names[:2] == ["id", "row"]
    assert (table["row"].to_pylist(), table["exact-match"].to_pylist()) == ([1, 2], [1.0, 0.0])


def test_several_files_are_answered_with_the_pattern_that_reads_them(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        row = {"id": f"q{number}", "answer": "茶", "references": ["茶"]}
        Path(f"part{number}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    files = sorted(str(one.name) for one in tmp_path.iterdir())
    done = here(capsys, "score", *files)
    assert done.code == 2
    assert "got 3 files, and takes one; to read them as one data set: ragauge score 'part*.jsonl'" in done.err
    done = here(capsys, "score", *files[:2])
    assert "move them into a folder and name them by a pattern in quotes: ragauge score 'parts/*.jsonl'" in done.err
    done = here(capsys, "score", "part*.jsonl", "-m", "exact-match")
    assert "exact-match" in done.out
    assert "3/3" in done.out
    done = here(capsys, "score", files[0], "bleu")
    assert done.code == 2
    assert "got unexpected extra argument (bleu)" in done.err
