"""Thresholds: measured ones, numbers, files that calibration wrote, and files that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ragauge.embedders import get
from ragauge.errors import DataError, UsageError
from ragauge.grounding.support.thresholds import Threshold, require_measured, resolve, write
from tests.approved import pattern
from tests.metrics.rag.given import Placed


def test_a_number_a_measured_value_and_a_file(tmp_path: Path) -> None:
    embedder, file = get(), tmp_path / "thresholds.json"
    assert resolve(1, embedder, "cosine", "support") == Threshold(1.0, "given")
    measured = resolve("measured", embedder, "ngram-recall", "support")
    assert measured.value == require_measured(embedder, "ngram-recall", "support")[embedder.signature]
    assert str(measured) == f"{measured.value:.6g} measured"
    write(file, embedder, "cosine", {"support": {"value": 0.25}, "relevance": {"value": 0.75}})
    assert json.loads(file.read_text("utf-8"))["format"] == 1
    own, other = (resolve(str(file), embedder, "cosine", use) for use in ("support", "relevance"))
    assert (own.value, other.value) == (0.25, 0.75)
    assert own.origin == other.origin
    assert own.origin.startswith("calibrated:")
    file.write_text(file.read_text("utf-8").replace("0.25", "0.375"), encoding="utf-8")
    assert resolve(str(file), embedder, "cosine", "support").origin != own.origin


def test_what_was_not_measured_names_the_ways_out() -> None:
    """The command line cannot make an embedder that is an object of Python."""
    with pytest.raises(UsageError, match=r"give a number.* or learn one .*\n  ragauge calibrate DATA --embedder "):
        resolve("measured", get("blend[parts=lexical:1/use:2]"), "cosine", "support")
    with pytest.raises(
        UsageError, match=r"no threshold was measured for cosine .*give a number, as in threshold=0\.5$"
    ):
        resolve("measured", Placed({}), "cosine", "support")


@pytest.mark.parametrize("value", ["0.5", None, True, 2.0, float("nan"), [0.5]])
def test_a_value_that_is_no_threshold_is_refused(tmp_path: Path, value: object) -> None:
    file = tmp_path / "thresholds.json"
    write(file, get(), "cosine", {"support": {"value": value}})
    with pytest.raises(DataError, match="holds no threshold of support"):
        resolve(str(file), get(), "cosine", "support")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="file not found; give a number, or a file that ragauge calibrate wrote"):
        resolve(str(tmp_path / "none.json"), get(), "cosine", "support")


def test_a_threshold_of_other_features_is_refused(tmp_path: Path) -> None:
    """Other coefficients or word lists give other degrees; n-gram recall too."""
    embedder, file = get(), tmp_path / "thresholds.json"
    write(file, embedder, "features", {"support": {"value": 0.5}})
    assert resolve(str(file), embedder, "features", "support").value == 0.5
    with pytest.raises(DataError, match="not for ngram-recall of"):
        resolve(str(file), embedder, "ngram-recall", "support")
    old = {**json.loads(file.read_text("utf-8")), "similarity": "features[coefficients=0,lexicon=0,revision=0]"}
    file.write_text(json.dumps(old), encoding="utf-8")
    with pytest.raises(DataError, match=r"revision=0.* of lexical.*, not for features.*calibrate again"):
        resolve(str(file), embedder, "features", "support")


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    embedder, file = get(), tmp_path / "thresholds.json"
    write(file, embedder, "ngram-recall", {"support": {"value": 0.5}})
    assert resolve(str(file), embedder, "ngram-recall", "support").value == 0.5
    with pytest.raises(
        DataError, match=pattern("support.thresholds_json_holds_no_threshold_of_relevance", folder=tmp_path)
    ):
        resolve(str(file), embedder, "ngram-recall", "relevance")
    with pytest.raises(DataError, match="holds thresholds for ngram-recall of lexical"):
        resolve(str(file), embedder, "cosine", "support")
    for text in ("[]", "{", '{"embedder": "x"}'):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match="no thresholds can be read from it; give a number"):
            resolve(str(file), embedder, "ngram-recall", "support")


def test_every_shipped_threshold_is_between_0_and_1_and_says_its_origin() -> None:
    from ragauge.grounding.support.thresholds import _shipped

    rows = _shipped()
    assert {row["embedder"] for row in rows} == {get(name).signature for name in ("lexical", "use", "blend")}
    assert all(0 < row["value"] < 1 and len(row["origin"]) > 50 for row in rows)
    assert np.unique([row["embedder"] + row["similarity"] + row["use"] for row in rows]).size == len(rows)
