"""Maps from a judge's scores to labels: judges with a known confusion, files, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.judges import FunctionJudge
from ragauge.judges.calibration import (
    Calibration,
    ScoreMap,
    Thresholds,
    calibration_error,
    expected_error,
    fitted,
    written,
)
from ragauge.judges.jury import Jury
from ragauge.validation.calibrated_judge import calibrate_judge
from ragauge.validation.validate import validate
from tests.cli.running import here, write_rows

Floats = Any
METRIC = "judged-faithfulness"


def drawn(kind: str, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return scores and labels of a judge that errs in a known way."""
    labels = (rng.random(n) < 0.6) * 1.0
    if kind == "verdicts":
        return np.where(labels == 1, rng.random(n) < 0.9, rng.random(n) < 0.2) * 1.0, labels
    if kind == "too sure":
        noise = np.where(labels == 1, 0.9, -0.9) + rng.normal(size=n)
        return 1 / (1 + np.exp(-2.5 * noise - 1)), labels
    scores = rng.beta(2, 1, size=n)
    return scores, (rng.random(n) < scores**3) * 1.0


BOUNDS = {"verdicts": (0.13, 0.03, 0.023), "too sure": (0.055, 0.032, 0.025), "too high": (0.26, 0.034, 0.03)}
"""By judge: what its calibration error is at least as it is, and at most with a map of 200 and of 400 labels."""


@pytest.mark.parametrize("kind", BOUNDS)
def test_labels_take_most_of_the_error_away(kind: str) -> None:
    before, *bounds = BOUNDS[kind]
    errors = []
    for labels in (200, 400):
        rng = np.random.default_rng(1)
        plain, mapped = [], []
        for _ in range(100):
            found = fitted(*drawn(kind, labels, rng))
            scores, label = drawn(kind, 10_000, rng)
            assert found.slope > 0
            plain.append(calibration_error(scores, label))
            mapped.append(calibration_error(found(scores), label))
        assert np.mean(plain) > before
        errors.append(np.mean(mapped))
        print(f"{kind}: {np.mean(plain):.3f}, of {labels} labels {np.mean(mapped):.4f}")  # noqa: T201 - the figures of docs/judge.md
    # The share of good samples alone is known from 200 labels to about .028.
    assert errors[0] < bounds[0]
    assert errors[1] < bounds[1]


def test_a_map_is_monotone_and_stays_between_0_and_1() -> None:
    rng = np.random.default_rng(2)
    grid = np.linspace(0, 1, 101)
    for _ in range(50):
        scores = rng.random(30)
        labels = np.clip(scores + rng.normal(size=30) * 0.3, 0, 1)
        mapped = fitted(scores, labels)(grid)
        assert np.all(np.diff(mapped) >= 0)
        assert mapped.min() >= 0
        assert mapped.max() <= 1
    separated = fitted(np.array([0.0] * 10 + [1.0] * 10), np.array([0.0] * 10 + [1.0] * 10))(np.array([0.0, 1.0]))
    assert 0 < separated[0] < 0.15
    assert 0.85 < separated[1] < 1
    assert np.isnan(ScoreMap(1.0, 0.0, 1)(np.array([np.nan]))[0])


def test_exact_probabilities_have_the_error_of_chance() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random(300)
    errors = [calibration_error(scores, np.asarray(rng.random(300) < scores, dtype=np.float64)) for _ in range(200)]
    assert expected_error(scores, seed=0) == pytest.approx(np.mean(errors), rel=0.1)


def rows(n: int, *, seed: int = 0) -> list[dict[str, Any]]:
    """Samples whose answers hold what the judge below says, in English and Chinese, and labels."""
    rng = np.random.default_rng(seed)
    scores, labels = drawn("too sure", n, rng)
    made = []
    for number, (score, label) in enumerate(zip(scores.clip(0, 0.9999).tolist(), labels.tolist(), strict=True)):
        said = f"茶馆开了 {score:.4f}。" if number % 2 else f"It opened {score:.4f} ago."
        made.append({"id": str(number), "answer": said, "contexts": ["Tea."], "good": label})
    return made


def reads(text: str, questions: Any) -> list[float]:
    return [float(one["instructions"].split("0.")[1][:4].join(["0.", ""])) for one in questions]


JUDGE = FunctionJudge(reads, "reads")


def test_a_calibrated_metric_says_what_people_would(tmp_path: Path) -> None:
    data = rows(400)
    [found] = calibrate_judge(data, METRIC, "good", judge=JUDGE)
    assert set(found.maps) == {"all", "en", "zh"}
    assert found.maps["all"].labels == 400
    assert found.error_mapped < found.error / 2
    path = tmp_path / "judge.json"
    path.write_text(written([found]), encoding="utf-8")
    fresh = rows(2000, seed=7)
    label = np.mean([row["good"] for row in fresh])
    names = [METRIC, f"{METRIC}:calibration={path}"]
    plain, mapped = (ragauge.evaluate(fresh, name, judge=JUDGE, resamples=0) for name in names)
    assert abs(mapped.table[0].value - label) < 0.03 < abs(plain.table[0].value - label)
    assert "calibration=" not in plain.table[0].signature
    assert f"calibration={json.dumps(None)}" not in mapped.table[0].signature
    assert "calibration=" in mapped.table[0].signature
    assert str(tmp_path) not in mapped.table[0].signature
    # Each sample by the map of its language.
    shares, own = plain.scores(METRIC), mapped.scores(mapped.table[0].metric)
    assert own[:2] == pytest.approx([found.maps[name](shares[[row]])[0] for row, name in enumerate(("en", "zh"))])


def test_validate_shows_the_error_of_judges() -> None:
    data = rows(300)
    validation = validate(data, METRIC, human="good", judge=JUDGE, resamples=10)
    [one] = validation.calibration
    assert one.metric == METRIC
    assert one.error > one.by_chance > 0
    assert "calibration of judges" in str(validation)
    assert validation.to_dict()["calibration"][0]["error"] == one.error
    assert not validate([{**row, "references": ["It opened."]} for row in data], "rouge-1", human="good").calibration


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda data: data[:15], "needs 20 samples with a label and a score"),
        (lambda data: [{**row, "good": 1} for row in data], "whose labels are not all equal"),
        (lambda data: [{**row, "good": 5 * row["good"]} for row in data], "must be from 0 to 1"),
        (lambda data: [{**row, "good": 1 - row["good"]} for row in data], "do not rise with the labels"),
    ],
)
def test_labels_that_give_no_map_are_an_error(change: Any, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        calibrate_judge(change(rows(100)), METRIC, "good", judge=JUDGE)


def test_a_metric_without_a_judge_has_no_map() -> None:
    data = [{**row, "references": ["It opened."]} for row in rows(30)]
    with pytest.raises(UsageError, match="asks no judge"):
        calibrate_judge(data, ["rouge-1"], "good")


ONE = '{"calibrations 1": [{"metric": "m", "model": "m", "error": 0, "error_mapped": 0, "maps": {"all": MAP}}]}'


@pytest.mark.parametrize(
    "content",
    [
        "", "nonsense", "[]", "{}", '{"calibrations 1": [1]}', "[" * 100_000, '{"calibrations 1": [{"maps": {}}]}',
        ONE.replace("MAP", '{"slope": NaN, "offset": 0, "labels": 1}'),
        ONE.replace("MAP", '{"slope": -1, "offset": 0, "labels": 1}'),
        ONE.replace("MAP", '{"slope": 1, "offset": "0", "labels": 1}'),
        ONE.replace("MAP", "[]"),
    ],
)  # fmt: skip
def test_a_file_of_another_form_is_an_error_at_once(tmp_path: Path, content: str) -> None:
    path = tmp_path / "judge.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="must be a file that ragauge calibrate --judge wrote"):
        ragauge.evaluate(rows(2), f"{METRIC}:calibration={path}", judge=JUDGE)


def test_a_calibration_of_another_judge_or_metric_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    path.write_text(written([Calibration(METRIC, "other", {"all": ScoreMap(1.0, 0.0, 20)}, 0, 0)]), encoding="utf-8")
    for metric in (METRIC, "judged-context-rating"):
        with pytest.raises(UsageError, match=r"has no calibration of .*; it has judged-faithfulness \(other\)"):
            ragauge.evaluate(rows(2), f"{metric}:calibration={path}", judge=JUDGE)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.py").write_text(
        "def reads(text, questions):\n"
        "    return [float('0.' + one['instructions'].split('0.')[1][:4]) for one in questions]\n",
        encoding="utf-8",
    )
    write_rows(tmp_path / "data.jsonl", rows(120))
    judge = ("--judge", "app.py:reads", "--judge-cache", "none")
    done = here(capsys, "calibrate", "data.jsonl", "-m", METRIC, *judge, "--human", "good", "-o", "judge.json")
    assert done.code == 0, done.err
    assert "judged-faithfulness: calibration error 0." in done.err
    assert "from 120 labels" in done.err
    assert "use it as in judged-faithfulness:calibration=judge.json" in done.err
    with_options = ("-m", f"{METRIC}:claims=sentences", *judge, "--human", "good", "-o", "other.json")
    said = here(capsys, "calibrate", "data.jsonl", *with_options).err
    assert "use it as in judged-faithfulness:claims=sentences,calibration=other.json" in said
    used = here(
        capsys, "score", "data.jsonl", "-m", f"{METRIC}:calibration=judge.json", *judge, "--output-format", "json"
    )
    assert used.code == 0, used.err
    label = np.mean([row["good"] for row in rows(120)])
    assert used.json["metrics"][0]["value"] == pytest.approx(label, abs=0.02)
    refused = here(
        capsys, "calibrate", "data.jsonl", "-m", METRIC, *judge, "--human", "good", "--dry-run", "-o", "other.json"
    )
    assert (refused.code, "--dry-run belongs to ragauge score" in refused.err) == (2, True)
    for lacking in (("-m", METRIC, *judge), (*judge, "--human", "good")):
        done = here(capsys, "calibrate", "data.jsonl", *lacking, "-o", "other.json")
        assert (done.code, "is missing: a judge is calibrated" in done.err) == (2, True), done.err


def skewed(n: int, *, seed: int = 0) -> list[dict[str, Any]]:
    """Samples of 1 to 3 claims; the judge says .4 of good ones and .15 of others, in Chinese .4 more."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(n):
        good = rng.random(rng.integers(1, 4)) < 0.6
        said = np.where(good, 0.4, 0.15) + rng.normal(size=len(good)) * 0.06 + 0.4 * (number % 2)
        texts = [
            f"茶馆开了 {one:.4f}。" if number % 2 else f"It opened {one:.4f} ago. " for one in said.clip(0.01, 0.99)
        ]
        made.append({"id": str(number), "answer": "".join(texts), "contexts": ["Tea."], "good": float(good.mean())})
    return made


def test_the_threshold_of_a_decision_model_is_learned_for_each_language(tmp_path: Path) -> None:
    asked: list[str] = []

    def counted(text: str, questions: Any) -> list[float]:
        asked.append(text)
        return reads(text, questions)

    judge = FunctionJudge(counted, "reads")
    [found] = calibrate_judge(skewed(200), METRIC, "good", judge=judge)
    assert len(asked) == 200
    thresholds = found.thresholds
    assert thresholds
    assert 0.2 <= thresholds.values["en"] <= 0.35
    assert 0.6 <= thresholds.values["zh"] <= 0.75
    assert thresholds.distance_calibrated < 0.05
    assert thresholds.distance > 0.3
    path = tmp_path / "judge.json"
    path.write_text(written([found]), encoding="utf-8")
    fresh = skewed(400, seed=5)
    name = f"{METRIC}:calibration={path},threshold=calibrated"
    result = ragauge.evaluate(fresh, name, judge=JUDGE, resamples=0)
    scores = result.scores(result.table[0].metric)
    assert np.abs(scores - [row["good"] for row in fresh]).mean() < 0.05
    assert "threshold=calibrated" in result.table[0].signature
    # The file's hash is in the signature, so another threshold is another score.
    path.write_text(path.read_text(encoding="utf-8").replace("0.", "0.0", 1), encoding="utf-8")
    other = ragauge.evaluate(fresh[:2], name, judge=JUDGE, resamples=0)
    assert other.table[0].signature != result.table[0].signature


def test_evidence_shows_verdicts_by_the_calibrated_threshold(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    maps = {"all": ScoreMap(1.0, 0.0, 20)}
    thresholds = Thresholds({"all": 0.3, "zh": 0.7}, 0, 0)
    path.write_text(written([Calibration(METRIC, "function[name=reads]", maps, 0, 0, thresholds)]), encoding="utf-8")
    data = [
        {"id": "en", "answer": "It opened 0.4000 ago. It opened 0.2000 ago.", "contexts": ["Tea."]},
        {"id": "zh", "answer": "茶馆开了 0.6000。", "contexts": ["Tea."]},
    ]
    for options, supported in (
        ("", [False, False, True]),
        (f":calibration={path}", [True, False, False]),
        (f":calibration={path},threshold=calibrated", [True, False, False]),
        (":threshold=0.1", [True, True, True]),
    ):
        result = ragauge.evaluate(data, METRIC + options, judge=JUDGE, resamples=0, evidence=True)
        shown = [flag for one in ("en", "zh") for flag in result.explain(one)["supported"].to_pylist()]
        assert shown == supported, options
        if "threshold" in options:
            assert result.scores(result.table[0].metric).tolist() == [np.mean(supported[:2]), supported[2]]


@pytest.mark.parametrize(
    "options", ["threshold=calibrated", "threshold=0.5,calibration=FILE", "threshold=0", "threshold=2"]
)
def test_a_threshold_that_means_nothing_is_an_error(tmp_path: Path, options: str) -> None:
    path = tmp_path / "judge.json"
    maps = {"all": ScoreMap(1.0, 0.0, 20)}
    path.write_text(written([Calibration(METRIC, "function[name=reads]", maps, 0, 0)]), encoding="utf-8")
    with pytest.raises(OptionError, match="threshold"):
        ragauge.evaluate(skewed(2), f"{METRIC}:{options.replace('FILE', str(path))}", judge=JUDGE)


def test_a_threshold_changes_nothing_of_a_judge_that_writes() -> None:
    judge = FunctionJudge(lambda messages: '{"claims": [{"claim": 1, "passages": [1]}]}', "writes")
    data = [{"answer": "It opened.", "contexts": ["It opened."]}]
    plain, own = (
        ragauge.evaluate(data, METRIC + options, judge=judge, resamples=0).table[0] for options in ("", ":threshold=1")
    )
    assert (plain.value, plain.signature) == (own.value, own.signature)


def test_a_jury_is_calibrated_as_a_whole(tmp_path: Path) -> None:
    jury = Jury((JUDGE, FunctionJudge(reads, "again")))
    [found] = calibrate_judge(skewed(60), METRIC, "good", judge=jury)
    path = tmp_path / "judge.json"
    path.write_text(written([found]), encoding="utf-8")
    for options in ("", ",threshold=calibrated"):
        result = ragauge.evaluate(skewed(20), f"{METRIC}:calibration={path}{options}", judge=jury, resamples=0)
        assert result.table[0].scored == 20
