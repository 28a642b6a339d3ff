"""Thresholds from labels of answers, in many languages, and through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.embedders import get
from ragauge.errors import ColumnError, DataError
from ragauge.formats import read
from ragauge.validation.labelled_threshold import calibrate_with_labels
from tests.cli.running import here

TEA = {
    "en": ("Lin Wan opened the tea house in 1990.", "A ship left the harbour at dawn."),
    "zh": ("林婉在1990年开了这家茶馆。", "一艘船在黎明离开了港口。"),
    "ja": ("リン・ワンは1990年に茶館を開いた。", "船は夜明けに港を出た。"),
    "ko": ("린완은 1990년에 찻집을 열었다.", "배는 새벽에 항구를 떠났다."),
    "ru": ("Линь Вань открыла чайную в 1990 году.", "Корабль вышел из гавани на рассвете."),
    "ar": ("افتتحت لين وان بيت الشاي عام 1990.", "غادرت السفينة الميناء عند الفجر."),
    "hi": ("लिन वान ने 1990 में चायघर खोला।", "जहाज़ भोर में बंदरगाह से निकला।"),
    "th": ("หลินหวานเปิดร้านน้ำชาในปี 1990", "เรือออกจากท่าตอนรุ่งสาง"),
}


def rows(language: str, n: int = 12) -> list[dict[str, Any]]:
    """Return answers that repeat the passage, or say something else."""
    right, wrong = TEA[language]
    return [
        {"id": f"q{i}", "question": "?", "answer": (right, wrong)[i % 2], "contexts": [right], "good": i % 2 == 0}
        for i in range(n)
    ]


@pytest.mark.parametrize("language", TEA)
@pytest.mark.parametrize("similarity", ["ngram-recall", "features", "cosine"])
def test_right_answers_are_told_from_wrong_ones(language: str, similarity: Any) -> None:
    found = calibrate_with_labels(read(rows(language)), "good", get(), similarity)
    assert 0 < found.value < 1
    assert (found.accuracy, found.ones, found.zeros) == (1.0, 6, 6)


def test_a_sample_is_as_good_as_its_worst_sentence() -> None:
    right, wrong = TEA["en"]
    mixed = [{**row, "answer": right if row["good"] else f"{right} {wrong}"} for row in rows("en")]
    assert calibrate_with_labels(read(mixed), "good", get(), "ngram-recall").accuracy == 1.0


def test_grades_and_missing_labels() -> None:
    graded = [{**row, "good": 4 if row["good"] else 2} for row in rows("en", 20)]
    for row in graded[::5]:
        row["good"] = None
    with pytest.raises(DataError, match="labels must be 0 and 1"):
        calibrate_with_labels(read(graded), "good", get(), "ngram-recall")
    found = calibrate_with_labels(read(graded), "good", get(), "ngram-recall", positive=3)
    assert found.ones + found.zeros == 16


def test_what_is_wrong_with_the_data() -> None:
    with pytest.raises(ColumnError, match="no such column"):
        calibrate_with_labels(read(rows("en")), "label", get(), "ngram-recall")
    with pytest.raises(ColumnError, match="calibrating support needs contexts and answer or references"):
        calibrate_with_labels(read([{"question": "?", "good": 1}]), "good", get(), "ngram-recall")
    with pytest.raises(DataError, match="needs 10 labels"):
        calibrate_with_labels(read(rows("en", 8)), "good", get(), "ngram-recall")
    with pytest.raises(DataError, match="labels must be numbers"):
        calibrate_with_labels(read([{**row, "good": "perhaps"} for row in rows("en")]), "good", get(), "ngram-recall")


@pytest.mark.parametrize("support", ["ngram-recall", "features"])
def test_the_command_and_the_file_that_it_writes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, support: str
) -> None:
    data, file = tmp_path / "labelled.jsonl", tmp_path / "t.json"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows("zh")), encoding="utf-8")
    done = here(capsys, "calibrate", data, "--human", "good", "--support", support, "-o", file)
    assert done.code == 0, done.err
    assert "from 6 labels of 1 and 6 of 0; balanced accuracy on samples left out 100%" in done.err
    spec = f"groundedness:support={support},threshold={file},soft=false"
    result = ragauge.evaluate(rows("zh"), [spec], resamples=0)
    assert list(result.scores(spec)) == [1.0, 0.0] * 6
