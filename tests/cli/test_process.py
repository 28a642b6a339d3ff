"""The command as a process: versions, signals, pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ragauge
from tests.repeats import others_long

from .running import here, write_rows

Captured = pytest.CaptureFixture[str]

RUN = [sys.executable, "-m", "ragauge"]


def test_the_version_is_printed(capsys: Captured) -> None:
    done = here(capsys, "--version")
    assert (done.code, done.out) == (0, f"ragauge {ragauge.__version__}\n")


def test_a_caller_in_the_same_process_keeps_its_handler_of_sigterm(capsys: Captured) -> None:
    before = signal.getsignal(signal.SIGTERM)
    for arguments in (["--version"], ["score", "no such file", "-m", "mrr"]):
        here(capsys, *arguments)
        assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("arguments", [("--help",), ("score", "--help"), ("metrics", "-h")])
def test_help_is_printed(arguments: tuple[str, ...], capsys: Captured) -> None:
    done = here(capsys, *arguments)
    assert done.code == 0
    assert "Usage" in done.out


def test_every_option_of_score_is_explained(capsys: Captured) -> None:
    done = here(capsys, "score", "--help-all")
    for option in (
        "--run", "--qrels", "--metric", "--preset", "--map", "--by", "--cluster", "--ci", "--resamples", "--seed",
        "--limit", "--input-format", "--output-format", "--output", "--force", "--per-sample",
    ):  # fmt: skip
        assert option in done.out


def test_an_interrupt_exits_with_130() -> None:
    reading = subprocess.Popen(
        [*RUN, "score", "-", "-m", "mrr"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert reading.stdin is not None
    line = json.dumps({"retrieved": ["a"], "relevance": {"a": 1}, "answer": "x" * 1000}).encode() + b"\n"
    # More than pipes hold: once all is written, the command is reading, and waits for more.
    reading.stdin.write(line * 4000)
    reading.stdin.flush()
    reading.send_signal(signal.SIGINT)
    out, err = reading.communicate()
    assert (reading.returncode, out) == (130, b"")
    assert err.decode().strip().splitlines()[-1] == "interrupted"
    assert b"Traceback" not in err


@pytest.mark.parametrize(
    "arguments", others_long([("score",), (), ("--help",), ("metrics",), ("score", "--output-format", "csv")], 2)
)
def test_a_reader_that_goes_away_is_no_error(arguments: tuple[str, ...], tmp_path: Path) -> None:
    data = write_rows(tmp_path / "run.jsonl")
    extra = [str(data), "-m", "mrr"] if "score" in arguments else []
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*RUN, *arguments, *extra], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode == (0 if arguments else 2)
    assert b"rror" not in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk_is_said(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "run.jsonl")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*RUN, "score", str(data), "-m", "mrr"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("score", "run.jsonl", "-m", "mrr", "-o", "another"), 0),
        (("gate", "run", "--github", "--min", "mrr=0.9", "--min-coverage", "0.5", "--values"), 1),
        pytest.param(
            ("gate", "run", "--github", "--min", "mrr=0.1", "--min-coverage", "0.5", "--values"),
            0,
            marks=pytest.mark.long,
        ),
        pytest.param(("score",), 2, marks=pytest.mark.long),
        pytest.param(("score", "absent.jsonl"), 3, marks=pytest.mark.long),
    ],
)
def test_a_full_standard_error_does_not_change_the_exit_code(
    arguments: tuple[str, ...], code: int, tmp_path: Path, capsys: Captured
) -> None:
    data = write_rows(tmp_path / "run.jsonl")
    assert here(capsys, "score", data, "-m", "mrr", "-o", tmp_path / "run").code == 0
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*RUN, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=full, check=False)
    assert done.returncode == code


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_standard_output_is_an_error_where_nobody_reads_of_it() -> None:
    with Path("/dev/full").open("wb") as full:
        assert subprocess.run([*RUN, "metrics"], stdout=full, stderr=full, check=False).returncode == 2


def test_compressed_files_are_data(tmp_path: Path, capsys: Captured) -> None:
    import gzip

    import pyarrow as pa

    rows = write_rows(tmp_path / "run.jsonl").read_bytes()
    (tmp_path / "run.jsonl.gz").write_bytes(gzip.compress(rows))
    (tmp_path / "run.jsonl.zst").write_bytes(pa.compress(rows, codec="zstd", asbytes=True))
    for name in ("run.jsonl.gz", "run.jsonl.zst"):
        done = here(capsys, "score", tmp_path / name, "-m", "mrr", "--output-format", "json")
        assert done.json["metrics"][0]["value"] == 0.75, name


def test_help_loads_nothing_that_only_work_needs() -> None:
    program = (
        "import sys\n"
        "from ragauge.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print({'numpy', 'pyarrow', 'rapidfuzz', 'jinja2'} & set(sys.modules) or 'none', file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "none"


def test_scoring_never_loads_pandas(tmp_path: Path) -> None:
    """With pandas installed, pyarrow's own conversions import it: that took longer than scoring."""
    pytest.importorskip("pandas")
    texts: dict[str, object] = {"answer": "a cat", "reference": "the cat"}
    rows: dict[str, dict[str, object]] = {
        "rouge-l": texts,
        "ndcg@10": {"retrieved": ["a", "b"], "relevance": {"b": 1}},
        "exact-match": texts,
        "edit-similarity": texts,
        "rouge-lsum": {"answer": "a cat\na dog", "reference": "the cat\nthe dog"},
        "groundedness": {"answer": "A cat sat.", "contexts": ["The cat sat.", "A dog."]},
    }
    program = """
import sys
from ragauge.cli import main
for name in sys.argv[1:]:
    metric = name.partition(".")[0]
    try:
        main(["score", name, "-m", metric, "-o", f"{name}.run", *(["--by", "share"] if metric == "rouge-l" else [])])
    except SystemExit as end:
        print("ended:", name, end.code, "pandas" in sys.modules)
"""
    for metric, row in rows.items():
        write_rows(tmp_path / f"{metric}.jsonl", [{**row, "share": 0.5}] * 3)
    (tmp_path / "rouge-l.csv").write_text('answer,reference,share\na cat,the cat,.5\n"",a dog,.5\n', encoding="utf-8")
    names = ["rouge-l.csv", *(f"{metric}.jsonl" for metric in rows)]
    done = subprocess.run(
        [sys.executable, "-c", program, *names], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    found = [line for line in done.stdout.splitlines() if line.startswith("ended: ")]
    assert found == [f"ended: {name} 0 False" for name in names], done.stderr


def test_what_is_registered_for_the_end_runs(tmp_path: Path) -> None:
    """A command ends its process without freeing objects, but what was registered runs, and all is written."""
    program = (
        "import atexit, sys\n"
        "from ragauge.cli import main\n"
        "atexit.register(lambda: print('the end'))\n"
        "sys.argv = ['ragauge', 'nonsense']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "the end\n")
    assert "unknown command 'nonsense'" in done.stderr


def test_scoring_a_few_rows_leaves_aside_what_it_does_not_need(tmp_path: Path) -> None:
    """Each of these takes milliseconds to import, which are a large part of a short command."""
    aside = (
        "pyarrow.compute",
        "numpy.ma",
        "sqlite3",
        "tempfile",
        "zipfile",
        "importlib.metadata",
        "ragauge.judges.base",
    )
    program = (
        "import sys\n"
        "from ragauge.cli import main\n"
        "try:\n    main(['score', sys.argv[1], '-m', sys.argv[2]])\nexcept SystemExit:\n    pass\n"
        "print('loaded:', *{*sys.argv[3:]} & set(sys.modules))\n"
    )
    (tmp_path / "texts.csv").write_text("answer,reference\na cat,the cat\n", encoding="utf-8")
    write_rows(tmp_path / "rankings.jsonl", [{"retrieved": ["a", "b"], "relevance": {"b": 1}}])
    for name, metric in (("texts.csv", "rouge-l"), ("rankings.jsonl", "ndcg@10")):
        command = [sys.executable, "-c", program, name, metric, *aside]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "loaded:", (metric, done.stdout)
