"""Maps from a judge's scores to labels: what they are learned from, files, and what is refused."""

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
    Thresholds,
    written,
)
from ragauge.judges.jury import Jury
from ragauge.metrics.parse import parse
from ragauge.validation.calibrated_judge import calibrate_judge
from ragauge.validation.validate import validate
from tests.cli.running import here, write_rows
from tests.judges.test_calibration import AS_IT_IS, drawn

Floats = Any
METRIC = "judged-faithfulness"


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


@pytest.mark.costly
def test_a_calibrated_metric_says_what_people_would(tmp_path: Path) -> None:
    data = rows(400)
    [found] = calibrate_judge(data, METRIC, "good", judge=JUDGE)
    assert set(found.maps) == {"all", "en", "zh"}
    assert found.maps["all"].labels == 400
    assert found.error_mapped < found.error / 1.5
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


ONE = '{"calibrations 2": [{"metric": "m", "model": "m", "error": 0, "error_mapped": 0, "maps": {"all": MAP}}]}'


@pytest.mark.parametrize(
    "content",
    [
        "", "nonsense", "[]", "{}", '{"calibrations 2": [1]}', "[" * 100_000, '{"calibrations 2": [{"maps": {}}]}',
        ONE.replace("MAP", '{"scores": [0, NaN], "values": [0, 1], "labels": 1}'),
        ONE.replace("MAP", '{"scores": [0, 1], "values": [0, Infinity], "labels": 1}'),
        ONE.replace("MAP", '{"scores": [0, 1], "values": [1, 0], "labels": 1}'),
        ONE.replace("MAP", '{"scores": [1, 0], "values": [0, 1], "labels": 1}'),
        ONE.replace("MAP", '{"scores": [0, 1], "values": [0, "1"], "labels": 1}'),
        ONE.replace("MAP", '{"scores": [0, 1], "values": [0], "labels": 1}'),
        ONE.replace("MAP", '{"scores": [], "values": [], "labels": 1}'),
        ONE.replace("MAP", '{"slope": 1, "offset": 0, "labels": 1}'),
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
    path.write_text(written([Calibration(METRIC, "other", {"all": AS_IT_IS}, 0, 0)]), encoding="utf-8")
    for metric in (METRIC, "judged-context-rating"):
        with pytest.raises(UsageError, match=r"has no calibration of .*; it has judged-faithfulness \(other\)"):
            ragauge.evaluate(rows(2), f"{metric}:calibration={path}", judge=JUDGE)


def rates(messages: Any) -> str:
    """Rate politeness by 1 or 4 as the answer says it; brevity the other way around."""
    text = messages[-1][1]
    polite = 4 if "please" in text else 1
    return json.dumps({"rating": polite if "politeness" in text else 6 - polite})


def test_two_variants_of_a_metric_have_their_own_maps(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    polite = rng.random(60) < 0.5
    data = [
        {
            "id": str(place),
            "answer": f"Wait {place}{', please' if one else ''}.",
            "good": 1.0 + 4 * (rng.random() < share),
        }
        for place, (one, share) in enumerate(zip(polite, np.where(polite, 0.9, 0.2), strict=True))
    ]
    turned = [{**row, "good": 6 - row["good"]} for row in data]
    judge = FunctionJudge(rates, "rates")
    names = [f"judged-rubric:criteria={word},shows=answer" for word in ("politeness", "brevity")]
    [[first], [second]] = [
        calibrate_judge(*each, "good", judge=judge) for each in zip((data, turned), names, strict=True)
    ]
    assert (first.metric, second.metric) == tuple(names)
    path = tmp_path / "judge.json"
    path.write_text(written([first, second]), encoding="utf-8")
    for name, label in zip(names, (data, turned), strict=True):
        [score] = ragauge.evaluate(label, f"{name},calibration={path}", judge=judge, resamples=0).table
        assert score.value == pytest.approx(np.mean([row["good"] for row in label]), abs=0.1)
    with pytest.raises(UsageError, match=r"no calibration of judged-rubric:criteria=wit,.* it has .*politeness"):
        ragauge.evaluate(data, f"judged-rubric:criteria=wit,shows=answer,calibration={path}", judge=judge)


@pytest.mark.costly
def test_a_map_is_of_the_scores_of_the_judge_whatever_becomes_of_them(tmp_path: Path) -> None:
    data = rows(60)
    [plain] = calibrate_judge(data, METRIC, "good", judge=JUDGE)
    path = tmp_path / "judge.json"
    path.write_text(written([plain]), encoding="utf-8")
    for options in ("threshold=0.7", "ask=0.2..0.8,audit=0.1", f"calibration={path}"):
        assert calibrate_judge(data, f"{METRIC}:{options}", "good", judge=JUDGE) == [plain]
    for options in ("ask=0.2..0.8", "threshold=calibrated"):
        assert ragauge.evaluate(data, f"{METRIC}:{options},calibration={path}", judge=JUDGE, resamples=0).table
    # Each repeat is a part of the metric that has the calibration.
    [repeated] = calibrate_judge(data, f"{METRIC}:repeats=2", "good", judge=JUDGE)
    assert repeated.metric == f"{METRIC}:repeats=2"
    path.write_text(written([repeated]), encoding="utf-8")
    for options in ("", ",threshold=calibrated"):
        spec = f"{METRIC}:repeats=2,calibration={path}{options}"
        assert ragauge.evaluate(data, spec, judge=JUDGE, resamples=0, evidence=True).table


def test_a_language_that_is_named_is_that_of_all_maps() -> None:
    """Half of the answers are Chinese, and the prompts English."""
    [found] = calibrate_judge(rows(120), f"{METRIC}:language=en", "good", judge=JUDGE)
    assert set(found.maps) == {"all", "en"}
    assert found.maps["en"].labels == 120


def test_texts_in_files_are_known_by_their_hash(tmp_path: Path) -> None:
    criteria = tmp_path / "criteria.txt"
    keys = []
    for text in ("politeness", "brevity"):
        criteria.write_text(text, encoding="utf-8")
        metric: Any = parse(f"judged-rubric:file={criteria}", {"judge": FunctionJudge(rates, "rates")})
        keys.append(metric.calibrated_as)
    assert keys[0] != keys[1]
    assert str(tmp_path) not in keys[0]


def test_a_file_of_an_earlier_form_says_to_calibrate_again(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    path.write_text(ONE.replace("calibrations 2", "calibrations 1").replace("MAP", "{}"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"of an earlier form.* calibrate again: ragauge calibrate LABELLED\.jsonl -m"):
        ragauge.evaluate(rows(2), f"{METRIC}:calibration={path}", judge=JUDGE)


def test_a_calibrated_threshold_has_to_be_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    path.write_text(written([Calibration(METRIC, "function[name=reads]", {"all": AS_IT_IS}, 0, 0)]), encoding="utf-8")
    with pytest.raises(UsageError, match=rf"no thresholds of {METRIC}; learn them: ragauge calibrate .* -m {METRIC}"):
        ragauge.evaluate(rows(2), f"{METRIC}:calibration={path},threshold=calibrated", judge=JUDGE)
    # Without that option the evidence has the usual one.
    result = ragauge.evaluate(rows(2), f"{METRIC}:calibration={path}", judge=JUDGE, resamples=0, evidence=True)
    assert result.table[0].scored == 2


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


@pytest.mark.costly
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
    maps = {"all": AS_IT_IS}
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
    maps = {"all": AS_IT_IS}
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


def test_a_judge_that_writes_has_no_threshold_to_calibrate(tmp_path: Path) -> None:
    judge = FunctionJudge(lambda messages: '{"claims": [{"claim": 1, "passages": [1]}]}', "writes")
    path = tmp_path / "judge.json"
    path.write_text(written([Calibration(METRIC, "function[name=writes]", {"all": AS_IT_IS}, 0, 0)]), encoding="utf-8")
    data = [{"answer": "It opened.", "contexts": ["It opened."]}]
    spec = f"{METRIC}:calibration={path}"
    with pytest.raises(OptionError, match=r"function\[name=writes\] writes its verdicts itself\. Leave threshold out"):
        ragauge.evaluate(data, f"{spec},threshold=calibrated", judge=judge)
    assert ragauge.evaluate(data, spec, judge=judge, resamples=0).table[0].scored == 1
    # A jury with one that gives probabilities has a threshold for that one.
    mixed, thresholds = Jury((judge, JUDGE)), Thresholds({"all": 0.3}, 0, 0)
    calibration = Calibration(METRIC, str(mixed), {"all": AS_IT_IS}, 0, 0, thresholds)
    path.write_text(written([calibration]), encoding="utf-8")
    data = [{"answer": "It opened 0.2900 ago.", "contexts": ["It opened."]}]
    [score] = ragauge.evaluate(data, f"{spec},threshold=calibrated", judge=mixed, resamples=0).table
    assert (score.value, score.scored) == (0.5, 1)


def test_a_jury_is_calibrated_as_a_whole(tmp_path: Path) -> None:
    jury = Jury((JUDGE, FunctionJudge(reads, "again")))
    [found] = calibrate_judge(skewed(60), METRIC, "good", judge=jury)
    path = tmp_path / "judge.json"
    path.write_text(written([found]), encoding="utf-8")
    for options in ("", ",threshold=calibrated"):
        result = ragauge.evaluate(skewed(20), f"{METRIC}:calibration={path}{options}", judge=jury, resamples=0)
        assert result.table[0].scored == 20
