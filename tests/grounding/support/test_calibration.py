"""Thresholds learned from mismatched pairs: what they are, what they are kept in, what they are refused for."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import Batch, Dataset
from ragauge.embedders import get
from ragauge.errors import ColumnError, DataError
from ragauge.grounding.support.calibration import calibrate
from ragauge.grounding.support.features import model
from tests.approved import pattern
from tests.cli.running import here
from tests.embedders.counting import Counting

NAMES = [f"{first}{second}" for first in ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal") for second in "abcdefgh"]
TABLE = pa.table(
    {
        "id": NAMES,
        "question": [f"Who founded the {name} tea house?" for name in NAMES],
        "answer": [f"{name} was founded by {name[::-1]}." for name in NAMES],
        "contexts": [[f"The tea house {name} was founded by {name[::-1]} long ago.", "It rained."] for name in NAMES],
    }
)
DATA = Dataset.of(Batch(TABLE), "made here")


def jsonl(path: Path, table: pa.Table = TABLE) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_a_share_alpha_of_mismatched_pairs_reaches_the_threshold(alpha: float) -> None:
    found = calibrate(DATA, get(), "ngram-recall", alpha=alpha)
    assert sorted(found) == ["relevance", "support"]
    assert found["support"].columns == ("answer", "contexts")
    for one in found.values():
        assert (one.alpha, one.pairs) == (alpha, len(NAMES))
        assert 0 < one.value < 1
    assert found["support"].own == 1.0


def test_more_false_positives_lower_the_threshold() -> None:
    strict, lax = (calibrate(DATA, get(), "cosine", alpha=alpha)["support"].value for alpha in (0.02, 0.5))
    assert strict > lax


def test_the_same_in_every_run_and_whatever_the_batches() -> None:
    halves = Dataset("halves", 64, tuple(TABLE.column_names), lambda: iter([Batch(TABLE[:32]), Batch(TABLE[32:])]))
    assert calibrate(DATA, get(), "ngram-recall") == calibrate(halves, get(), "ngram-recall")


def test_pairs_have_different_questions() -> None:
    """Each question stands there twice: its own passages are no mismatch."""
    twice = pa.concat_tables([TABLE, TABLE])
    found = calibrate(Dataset.of(Batch(twice), "twice"), get(), "ngram-recall", alpha=0.01)
    assert found["support"].value < 1.0


@pytest.mark.parametrize("asked", ["", "Who founded it?"])
def test_samples_of_one_question_are_no_mismatched_pairs(asked: str) -> None:
    """Their own passages, or others to the same question, would be taken for chance."""
    same = TABLE.set_column(1, "question", pa.array([asked] * len(NAMES)))
    with pytest.raises(DataError, match=pattern("support.mismatched_pairs_of_answer_and_contexts_are")):
        calibrate(Dataset.of(Batch(same), "same"), get(), "ngram-recall")


def test_questions_that_are_null_say_nothing_of_pairs() -> None:
    """Support comes first, and has its pairs."""
    null = TABLE.set_column(1, "question", pa.nulls(len(NAMES), pa.string()))
    with pytest.raises(DataError, match=pattern("support.mismatched_pairs_of_question_and_contexts_are")):
        calibrate(Dataset.of(Batch(null), "x"), get(), "ngram-recall")


def test_each_text_is_encoded_once() -> None:
    """Passages stand in mismatched and in own pairs, for support and for relevance."""
    embedder = Counting()
    assert sorted(calibrate(DATA, embedder, "cosine")) == ["relevance", "support"]
    assert set(embedder.encoded.values()) == {1}


def test_claims_without_an_answer_are_left_out_and_a_server_that_is_down_is_named() -> None:
    answers, passages = TABLE["answer"].to_pylist(), [text for texts in TABLE["contexts"].to_pylist() for text in texts]
    one_lost = calibrate(DATA, Counting(failing=answers[:1]), "cosine")
    assert (one_lost["support"].pairs, one_lost["relevance"].pairs) == (63, 64)
    with pytest.raises(DataError, match=pattern("support.mismatched_pairs_of_answer_and_contexts_are_2")):
        calibrate(DATA, Counting(failing=passages), "cosine")
    part_lost = calibrate(DATA, Counting(failing=passages[:1]), "cosine")
    assert part_lost["support"].pairs == 63


def test_data_that_it_does_not_take() -> None:
    with pytest.raises(ColumnError, match=pattern("support.calibrating_needs_contexts_and_a_question_an")):
        calibrate(Dataset.of(Batch(TABLE.select(["id", "question"])), "x"), get(), "ngram-recall")
    with pytest.raises(DataError, match=pattern("support.mismatched_pairs_of_answer_and_contexts_are_3")):
        calibrate(Dataset.of(Batch(TABLE[:10]), "x"), get(), "ngram-recall")
    without = TABLE.set_column(2, "answer", pa.array(["" for _ in NAMES]))
    with pytest.raises(DataError, match="these data have 0"):
        calibrate(Dataset.of(Batch(without), "x"), get(), "ngram-recall")


def test_from_the_command_line_to_a_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, file = jsonl(tmp_path / "data.jsonl"), tmp_path / "thresholds.json"
    ran = here(capsys, "calibrate", data, "-o", file)
    assert ran.code == 0, ran.err
    assert "support: 0." in ran.err
    assert "from 64 mismatched pairs at alpha=0.05" in ran.err
    metric = ragauge.parse(f"groundedness:threshold={file}")
    value = json.loads(file.read_text("utf-8"))["thresholds"]["support"]["value"]
    identity = metric.identity  # type: ignore[attr-defined]
    assert f"threshold={value:.6g} calibrated:" in identity
    assert str(tmp_path) not in identity
    assert ragauge.evaluate(data, [metric], resamples=0).table[0].value == 1.0


def test_a_threshold_of_features_from_the_command_line_to_a_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, file = jsonl(tmp_path / "data.jsonl"), tmp_path / "thresholds.json"
    ran = here(capsys, "calibrate", data, "--support", "features", "-o", file)
    assert ran.code == 0, ran.err
    assert f"use it as in groundedness:support=features,threshold={file}" in ran.err
    content = json.loads(file.read_text("utf-8"))
    assert content["similarity"] == model().signature
    value = content["thresholds"]["support"]["value"]
    metric = ragauge.parse(f"groundedness:support=features,threshold={file}")
    identity = metric.identity  # type: ignore[attr-defined]
    assert f"soft=graded|support={model().signature}|threshold={value:.6g} calibrated:" in identity
    own, other = (
        {"answer": TABLE["answer"][0].as_py(), "contexts": [TABLE["contexts"][place][0].as_py()]} for place in (0, 9)
    )
    found = ragauge.evaluate([own, other], [metric], resamples=0).scores(str(metric))
    assert found[0] == 1.0 > found[1]
    hard = ragauge.parse(f"groundedness:support=features,soft=false,threshold={file}")
    assert ragauge.evaluate([own, other], [hard], resamples=0).scores(str(hard)).tolist() == [1.0, 0.0]


def test_ngram_recall_needs_lexical(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, file = jsonl(tmp_path / "data.jsonl"), tmp_path / "thresholds.json"
    ran = here(capsys, "calibrate", data, "--embedder", "use", "--support", "ngram-recall", "-o", file)
    assert ran.code == 2
    assert "option 'support' of the metric must be features or cosine with embedder=use; got 'ngram-recall'" in ran.err
    assert not file.exists()


def test_what_the_command_line_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, file = jsonl(tmp_path / "data.jsonl"), tmp_path / "there.json"
    file.write_text("", encoding="utf-8")
    for arguments, said in (
        ((), "already exists. Name another file, or pass --force to replace it."),
        (("-o", tmp_path / "none" / "x.json"), "its folder does not exist; name a file in a folder that exists"),
        (("--force", "--alpha", "0"), "--alpha must be a number above 0 and below 1; got 0.0"),
        (("--force", "--embedder", "lexicl"), "unknown embedder 'lexicl'; did you mean lexical?"),
    ):
        ran = here(capsys, "calibrate", data, "-o", file, *arguments)
        assert ran.code == 2
        assert said in ran.err
