"""Bad input: the right exit code and one clear message each, never a traceback."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.approved import approved

from .running import ROWS, Done, apart, here, write_rows

Captured = pytest.CaptureFixture[str]

ROW = {"retrieved": ["x", "y"], "relevance": {"y": 1}}


def run(capsys: Captured, data: object, *arguments: object) -> Done:
    done = here(capsys, "score", data, *(arguments or ("-m", "mrr")))
    assert done.out == ""
    assert "Traceback" not in done.err
    return done


def lines_of(tmp_path: Path, changed: dict[int, str]) -> Path:
    lines = [json.dumps({"id": f"q{number}", **ROW}) for number in range(1, 101)]
    for number, line in changed.items():
        lines[number - 1] = line
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(lines))
    return path


def text(content: str | bytes, name: str = "run.jsonl") -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return made


def rows(*found: dict[str, Any]) -> Callable[[Path], Path]:
    return lambda folder: write_rows(folder / "run.jsonl", found)


BAD_DATA: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "missing file": (lambda folder: folder / "none.jsonl", ("none.jsonl: file not found",)),
    "a name that is nearly there": (
        lambda folder: write_rows(folder / "run.jsonl").with_name("rum.jsonl"),
        ("rum.jsonl: file not found; did you mean run.jsonl?",),
    ),
    "empty file": (text(""), ("run.jsonl: is empty",)),
    "only blank lines": (text("\n\n"), ("run.jsonl: is empty",)),
    "a directory": (lambda folder: folder, ("is a folder; name the file in it",)),
    "broken JSON": (
        lambda folder: lines_of(folder, {7: '{"id": ', 90: "{]"}),
        ("run.jsonl: 2 problems", "line 7: not JSON", "line 90: not JSON"),
    ),
    "wrong type": (
        rows({**ROW, "id": "a"}, {"id": "b", "retrieved": 7, "relevance": {"x": 1}}),
        ("run.jsonl: line 2: retrieved must be",),
    ),
    "duplicate ids": (
        rows({**ROW, "id": "a"}, {**ROW, "id": "a", "note": "b"}),
        ("line 2: id 'a' is already that of line 1",),
    ),
    "non-UTF-8": (
        text(b'{"id": "a", "question": "caf\xe9"}\n', "latin.jsonl"),
        ("latin.jsonl: line 1:", "UTF-8"),
    ),
    "duplicate documents": (
        rows({"id": "q", "retrieved": ["x", "x"], "relevance": {"x": 1}}),
        ("'q'", "'x' is retrieved 2 times"),
    ),
    "NaN score": (
        text('{"id": "q", "retrieved": ["x"], "retrieved_scores": [NaN], "relevance": {"x": 1}}\n'),
        ("retrieved_scores", "NaN"),
    ),
    "a cut archive": (text(gzip.compress(b'{"id": "a"}\n' * 999, mtime=0)[:40], "run.jsonl.gz"), ("ends too early",)),
    "no archive": (text('{"id": "a"}', "run.jsonl.gz"), ("the content is not gzip",)),
}


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data_exit_with_3(case: str, tmp_path: Path, capsys: Captured) -> None:
    make, says = BAD_DATA[case]
    done = run(capsys, make(tmp_path))
    assert done.code == 3, done.err
    for words in says:
        assert words in done.err


BAD_CALLS: dict[str, tuple[tuple[object, ...], tuple[str, ...]]] = {
    "unknown metric": (("-m", "ndgc@10"), ("unknown metric 'ndgc'; did you mean ndcg?",)),
    "a label of two metrics": (("-m", "n=ndcg@1,3"), ("'n=ndcg@1,3' stands for 2 metrics; give one label to one",)),
    "a metric in no file": (
        ("-m", "no.py:f"),
        ("name what is in a file as in -m checks.py:function",),
    ),
    "a metric by another name": (("-m", "hallucination"), ("did you mean groundedness?",)),
    "a tokenizer by its library": (("-m", "bleu:tokenizer=jieba"), ("unknown tokenizer 'jieba'; did you mean zh?",)),
    "metrics in a list": (("-m", "mrr,bleu"), ("is not one metric; pass each on its own: 'mrr', 'bleu'",)),
    "a page for a directory": (("-o", "report.html"), ("-o must be a directory", "ragauge report runs/today")),
    "a split of a text": (
        ("--split", "question=;"),
        ('--split "question=;": name one of references, contexts',),
    ),
    "a split without a separator": (("--split", "contexts"), ("--split must be COLUMN=SEPARATOR, as in --split",)),
    "unknown option of a metric": (("-m", "ndcg:gian=exp"), ("ndcg has no option 'gian'; did you mean gain?",)),
    "k=0": (("-m", "ndcg@0"), ("option 'k' of ndcg must be a whole number from 1 to 1000000 or none; got 0",)),
    "an absent column": (
        ("-m", "bleu"),
        ("bleu needs the columns answer and references", "answer, references not found among: id, "),
    ),
    "an absent grouping column": (("-m", "mrr", "--by", "lang"), ("no column 'lang'; did you mean language?",)),
    "an absent cluster column": (("-m", "mrr", "--cluster", "doc"), ("--cluster doc: the data have no column 'doc'",)),
    "a broken map": (("-m", "mrr", "--map", "question"), ("--map must be KNOWN=YOURS", "got 'question'")),
    "a map to nowhere": (("-m", "mrr", "--map", "question=frage"), ("the data have no column 'frage'",)),
    "unknown option": (("-m", "mrr", "--mertic", "x"), ("no such option", "--mertic")),
    "unknown format": (("-m", "mrr", "--output-format", "xml"), ("'xml' is not one of", "'json'")),
    "a level of 95": (("-m", "mrr", "--ci", "95"), ("must be a number between 0 and 1, as in 0.95; got 95.0",)),
    "negative resamples": (("-m", "mrr", "--resamples", "-1"), ("must be a whole number from 0",)),
    "a seed too large": (("-m", "mrr", "--seed", str(2**70)), ("must be a whole number of at most 63 bits",)),
    "no limit": (("-m", "mrr", "--limit", "0"), ("0 is not in the range",)),
    "metric and preset": (("-m", "mrr", "--preset", "rag"), ("give metrics or a preset, not both",)),
    "unknown preset": (("--preset", "retreival"), ("unknown preset 'retreival'; did you mean retrieval?",)),
    "a run alone": (("--run", "run.txt"), ("error: --run needs --qrels: a ranking is scored against judgements",)),
    "a suffix nobody writes": (
        ("-m", "mrr", "--per-sample", "x.xlsx"),
        ("--per-sample must end with .jsonl, .csv, .parquet",),
    ),
    "a folder that is not there": (("-m", "mrr", "--per-sample", "no/x.csv"), ("its folder does not exist",)),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls_exit_with_2(case: str, tmp_path: Path, capsys: Captured) -> None:
    arguments, says = BAD_CALLS[case]
    done = run(capsys, write_rows(tmp_path / "run.jsonl"), *arguments)
    assert done.code == 2, done.err
    for words in says:
        assert words in done.err


def test_context_alone_is_ambiguous_and_both_lines_are_shown(tmp_path: Path, capsys: Captured) -> None:
    data = write_rows(tmp_path / "run.jsonl", [{"question": "q", "context": ["p"], "answer": "a"}])
    done = run(capsys, data, "--strict")
    assert done.code == 2
    assert "column context is ambiguous" in done.err
    assert "--map contexts=context" in done.err
    assert "--map reference_contexts=context" in done.err


def test_nothing_to_score_shows_what_to_give(capsys: Captured) -> None:
    done = here(capsys, "score", "-m", "mrr")
    assert (done.code, done.err) == (
        2,
        approved("cli.nothing_to_score"),
    )


def test_an_unknown_command_is_a_usage_error(capsys: Captured) -> None:
    done = here(capsys, "scroe")
    assert done.code == 2
    assert "unknown command 'scroe'; did you mean score?" in done.err


def test_a_file_in_place_of_a_command_is_what_score_takes(tmp_path: Path, capsys: Captured) -> None:
    data = write_rows(tmp_path / "run.jsonl")
    done = here(capsys, data)
    assert (done.code, f"to score that file: ragauge score {data}" in done.err) == (2, True)
    done = here(capsys, tmp_path)
    assert (done.code, f"ragauge report {tmp_path}" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"failure": "down"}, "nothing could be scored: every sample failed: down"),
        ({"retrieved": None}, "nothing could be scored: no sample has what the metrics need"),
    ],
)
def test_nothing_scored_exits_with_4_after_saying_what_there_is(
    change: dict[str, Any], says: str, tmp_path: Path, capsys: Captured
) -> None:
    data = write_rows(tmp_path / "run.jsonl", [{**row, **change} for row in ROWS])
    done = here(capsys, "score", data, "-m", "mrr", "--output-format", "json")
    assert (done.code, done.json["metrics"][0]["value"]) == (4, None)
    assert done.err.splitlines()[-1] == f"error: {says} [RG-CLI-035]"


def test_nothing_scored_says_where_a_metric_tells_when_it_is_undefined(tmp_path: Path, capsys: Captured) -> None:
    data = write_rows(tmp_path / "run.jsonl", [{"question": "Duka hufunguliwa saa ngapi?", "answer": "Saa tatu."}])
    done = here(capsys, "score", data, "-m", "answer-language")
    why = "no sample has a value; ragauge metrics answer-language says when one is undefined"
    assert (done.code, done.err.splitlines()[-1]) == (4, f"error: nothing could be scored: {why}")


def test_existing_outputs_are_refused_before_anything_is_read(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    for force in ((), ("--force",)):
        done = run(capsys, tmp_path / "no-such-file.jsonl", "-m", "mrr", "-o", tmp_path / "out", *force)
        assert done.code == 2
        assert "force" in done.err
    (tmp_path / "file").write_text("mine")
    done = run(capsys, tmp_path / "no-such-file.jsonl", "-m", "mrr", "-o", tmp_path / "file" / "run")
    assert (done.code, "is not a folder that can be written to" in done.err) == (2, True)


def test_a_process_of_its_own_says_the_same(tmp_path: Path) -> None:
    done = apart("score", tmp_path / "none.jsonl", "-m", "mrr")
    assert (done.code, done.out) == (3, "")
    assert done.err == approved("cli.file_not_found", path=tmp_path / "none.jsonl")


@pytest.mark.parametrize(("flag", "wrong"), [("--ci", "2"), ("--seed", str(2**64)), ("--resamples", "-1")])
def test_a_wrong_value_of_an_option_names_its_flag(tmp_path: Path, capsys: Captured, flag: str, wrong: str) -> None:
    done = run(capsys, lines_of(tmp_path, {}), flag, wrong)
    assert (done.code, done.err.startswith(f"error: {flag} must be ")) == (2, True)


EXITS = """
from dataclasses import dataclass
@dataclass(frozen=True)
class Own:
    needs = (("answer",),)
    range, direction, stage, average, revision = (0, 1), "higher", "generation", "samples", 1
    def measure(self, batch): raise ERROR
    def score(self, totals): return totals["value"]
"""


@pytest.mark.parametrize("error", ["SystemExit(0)", "SystemExit(1)", "GeneratorExit"])
def test_code_of_the_user_that_exits_ends_neither_in_success_nor_as_a_failed_gate(
    tmp_path: Path, capsys: Captured, error: str
) -> None:
    (tmp_path / "own.py").write_text(EXITS.replace("ERROR", error), encoding="utf-8")
    data = write_rows(tmp_path / "data.jsonl", [{"id": "a", "answer": "x"}])
    done = here(capsys, "score", data, "-m", f"{tmp_path}/own.py:Own")
    assert (done.code, done.out) == (70, "")
    assert f"{error.partition('(')[0]} in {tmp_path}/own.py:7: " in done.err
