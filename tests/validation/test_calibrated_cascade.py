"""What asking a judge about fewer samples costs, and how well its scores then agree with labels."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.errors import DataError, UsageError
from ragauge.judges import FunctionJudge, Price, Session
from ragauge.validation.calibrated_cascade import calibrate_cascade
from tests.cli.running import here, write_rows

METRIC = "judged-faithfulness"
WORDS = ["opened", "founded", "closed", "painted", "sold", "bought", "moved", "burned", "cleaned", "rented"]


def rows(n: int, *, seed: int = 0) -> list[dict[str, Any]]:
    """Samples of five words, of which passages hold more where the label is good; the judge below is told the label."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(n):
        good = bool(rng.random() < 0.6)
        held = int(
            rng.choice([3, 4, 5], p=[0.25, 0.35, 0.4])
            if good
            else rng.choice([0, 1, 2, 3, 4], p=[0.2, 0.2, 0.2, 0.2, 0.2])
        )
        said = rng.permutation(WORDS)[:5].tolist()
        told = good if rng.random() < 0.97 else not good
        answer = f"They {' '.join(said)} the {'house' if told else 'tent'} in {1900 + number}."
        passage = f"They {' '.join(said[:held])} the house in {1900 + number}, and a tent."
        made.append({"id": f"q{number}", "answer": answer, "contexts": [passage], "good": int(good)})
    return made


def reads(text: str, questions: Any) -> list[float]:
    return [0.9 if "house" in one["instructions"] else 0.1 for one in questions]


JUDGE = FunctionJudge(reads, "reads")


@pytest.mark.costly
def test_more_requests_agree_better_and_are_what_a_run_sends() -> None:
    data = rows(300)
    with Session(price=Price(1.0, 1.0)) as session:
        found = calibrate_cascade(data, METRIC, "good", 0.9, judge=JUDGE, session=session)
    assert [one.chosen for one in found].count(True) == 1
    assert [one.asked for one in found] == sorted(one.asked for one in found)
    by_band = {one.ask: one for one in found}
    none, whole = found[0], by_band["0..1"]
    assert (none.asked, none.requests, whole.asked, whole.requests) == (0.0, 0, 1.0, 300)
    assert none.agreement < 0.9 < whole.agreement
    assert whole.agreement == pytest.approx(0.97, abs=0.025)
    [chosen] = [one for one in found if one.chosen]
    assert chosen.agreement >= 0.9
    assert chosen.requests < 300
    with Session(price=Price(1.0, 1.0)) as session:
        ragauge.evaluate(data, f"{METRIC}:ask={chosen.ask}", judge=JUDGE, session=session, resamples=0)
        assert session.tally.total.calls == chosen.requests == round(chosen.asked * 300)
        assert session.tally.total.cost == pytest.approx(chosen.cost, rel=0.01)


@pytest.mark.costly
def test_the_agreement_is_that_of_samples_that_did_not_choose() -> None:
    """On other samples the chosen band agrees as well as was said."""
    [chosen] = [one for one in calibrate_cascade(rows(400), METRIC, "good", 0.9, judge=JUDGE) if one.chosen]
    fresh = rows(1000, seed=5)
    scores = ragauge.evaluate(fresh, f"{METRIC}:ask={chosen.ask}", judge=JUDGE, resamples=0).scores(
        f"{METRIC}:ask={chosen.ask}"
    )
    good = np.array([row["good"] for row in fresh], dtype=bool)
    middle = np.mean([float(end) for end in chosen.ask.split("..")])
    by_judge = np.isin(scores, (0.1, 0.9))
    said = np.where(by_judge, scores > 0.5, scores >= middle)
    assert float(np.mean(said == good)) == pytest.approx(chosen.agreement, abs=0.04)


def test_what_no_band_can_be_learned_from() -> None:
    data = rows(60)
    with pytest.raises(DataError, match=r"human='good': a band needs 20 samples with a label and both scores.*got 10"):
        calibrate_cascade(data[:10], METRIC, "good", 0.5, judge=JUDGE)
    with pytest.raises(
        UsageError, match=r"groundedness has no metric without an LLM beside it; take judged-faith.*-all"
    ):
        calibrate_cascade(data, "groundedness", "good", 0.5)


def test_where_no_band_agrees_so_well_the_best_is_among_them() -> None:
    found = calibrate_cascade(rows(60), METRIC, "good", 1.0, judge=JUDGE)
    assert not any(one.chosen for one in found)
    assert [one.asked for one in found][:1] == [0.0]
    assert max(one.agreement for one in found) > 0.9


def test_asking_nothing_may_agree_enough() -> None:
    data = rows(120)
    found = calibrate_cascade(data, METRIC, "good", 0.6, judge=JUDGE)
    [chosen] = [one for one in found if one.chosen]
    assert (chosen.asked, chosen.requests) == (0.0, 0)
    assert chosen.options.endswith(",audit=0")
    with Session() as session:
        ragauge.evaluate(data, f"{METRIC}:{chosen.options}", judge=JUDGE, session=session, resamples=0)
        assert session.tally.total.calls == 0


def test_each_language_has_its_agreement() -> None:
    """The judge errs in Chinese alone."""
    chinese = [{**row, "id": f"z{row['id']}", "language": "zh"} for row in rows(60, seed=3)]
    wrong = [{**row, "good": 1 - row["good"]} if place % 3 == 0 else row for place, row in enumerate(chinese)]
    found = calibrate_cascade([*rows(120), *wrong], METRIC, "good", 0.9, judge=JUDGE)
    whole = found[-1]
    assert {name: labels for name, (_, labels) in whole.languages.items()} == {"en": 120, "zh": 60}
    assert whole.languages["en"][0] > 0.85 > whole.languages["zh"][0]
    assert np.average([one for one, _ in whole.languages.values()], weights=[120, 60]) == pytest.approx(whole.agreement)


@pytest.mark.costly
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.py").write_text(
        "def reads(text, questions):\n"
        "    return [0.9 if 'house' in one['instructions'] else 0.1 for one in questions]\n",
        encoding="utf-8",
    )
    write_rows(tmp_path / "data.jsonl", rows(120))
    judge = ("--judge", "app.py:reads", "--judge-cache", "none", "--price-in", "1", "--price-out", "1")
    done = here(
        capsys, "calibrate", "data.jsonl", "-m", METRIC, *judge, "--human", "good", "--agree", "0.9", "-o", "judge.json"
    )
    assert done.code == 0, done.err
    assert [line.split()[0] for line in done.out.splitlines() if line.startswith("0..1")] == ["0..1"]
    assert "agreement" in done.out
    assert "the fewest samples asked about with that agreement: judged-faithfulness:ask=0." in done.err
    chinese = [{**row, "id": f"z{place}", "language": "zh", "good": place % 2} for place, row in enumerate(rows(20))]
    write_rows(tmp_path / "data.jsonl", [*rows(50), *chinese])
    for agree, said in (
        (
            "1",
            [
                "no band agrees with 1 of the labels; nearest is judged-faithfulness:ask=",
                "in zh it agrees with 0.",
                "of 20 labels, less than",
            ],
        ),
        ("0.5", ["of the labels are told right, so no judge is needed: judged-faithfulness:ask=0.", ",audit=0"]),
    ):
        options = ("--human", "good", "--agree", agree, "-o", "judge.json", "--force")
        done = here(capsys, "calibrate", "data.jsonl", "-m", METRIC, *judge, *options)
        assert done.code == 0, done.err
        assert [one for one in said if one not in done.err] == []
        assert "in en it agrees" not in done.err
        assert "0..1" in done.out
        assert (tmp_path / "judge.json").exists()
        if agree == "1":
            lines = [line.split() for line in done.out.splitlines() if ".." in line]
            ask, _, requests, cost, agreement = max(lines, key=lambda line: float(line[-1]))
            assert re.search(rf":ask={ask}, with {agreement}: {requests} requests, cost {cost}\n", done.err)
    # Where no map can be learned, a band can: what it costs is shown, and then why no file was written.
    write_rows(tmp_path / "data.jsonl", [{**row, "good": 1 - row["good"]} for row in rows(120)])
    falling = ("calibrate", "data.jsonl", "-m", METRIC, *judge, "--human", "good", "-o", "none.json")
    done = here(capsys, *falling, "--agree", "0.9")
    assert (done.code, (tmp_path / "none.json").exists()) == (3, False), done.err
    assert [line.split()[0] for line in done.out.splitlines() if line.startswith("0..1")] == ["0..1"]
    assert "no band agrees with 0.9 of the labels; nearest is judged-faithfulness:ask=" in done.err
    assert "\nerror: scores of judged-faithfulness do not rise with the labels, so there is no map" in done.err
    plain = here(capsys, *falling)
    assert (plain.code, plain.out) == (3, "")
    unknown = here(capsys, *falling, "--agree", "nan")
    assert (unknown.code, "--agree must be a number from 0 to 1; got nan" in unknown.err) == (2, True), unknown.err
    alone = here(capsys, "calibrate", "data.jsonl", "--agree", "0.9", "-o", "other.json")
    assert (alone.code, "is missing: a judge is calibrated" in alone.err) == (2, True), alone.err
