"""A judge that is asked only where a metric without an LLM is unsure: what it is asked, scores, and the mean of all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import Batch, Dataset
from ragauge.core.options import default_of, option_fields
from ragauge.core.protocol import Needs, Stage, signature_of
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import entries, lookup
from ragauge.core.statistics import Rows, Status
from ragauge.errors import ColumnError, OptionError
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.partial import corpus_score, measure_cells
from ragauge.evaluation.summarize import Inference
from ragauge.judges import FunctionJudge, Price, Session, get
from ragauge.judges.typed import options_of
from ragauge.metrics import JudgedFaithfulness
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.judged.cascade import AUDITED_ONCE, BEYOND, NOT_ASKED, UNAUDITED, UNCORRECTED, Cascade, drawn
from ragauge.metrics.parse import parse
from tests.repeats import others_long

from .toys import ScriptedJudge, any_reply

NAMES = ["Lin Wan", "Ada", "王伟", "Олег"]
ROWS: list[dict[str, Any]] = [
    {
        "id": f"s{place}",
        "question": ["Who opened the tea house?", "Has it a garden?", "谁开了茶馆？"][place % 3],
        "answer": f"{NAMES[place % 4]} opened it in {1990 + place % 7}." + " It has a garden." * (place % 3),
        "contexts": ["The tea house was opened by Lin Wan in 1990.", "It has a garden."][: 2 - place % 2][
            :: 1 - 2 * (place % 3 // 2)
        ],
        "references": [f"{NAMES[place % 3]} opened the tea house in 1990.", "It has a garden."][: 1 + place % 2],
        "nuggets": [
            {"text": f"{NAMES[place % 3]} opened it in {1990 + place % 5}.", "importance": "vital"},
            {"text": "It has a garden.", "importance": "okay"},
        ],
    }
    for place in range(60)
]
ROWS[7]["answer"] = ""
ROWS[8]["contexts"] = []
ROWS[9]["references"] = []
ROWS[10]["nuggets"] = []
ROWS[11]["question"] = ""


def probabilities(text: str, questions: Any) -> list[Any]:
    shares = [(len(text) * 7 + place * 31) % 101 / 100 for place in range(len(questions))]
    counts = [len(options_of(one)) for one in questions]
    return [[share, 1 - share, *[0.0] * (n - 2)] if n else share for share, n in zip(shares, counts, strict=True)]


JUDGES = {
    "writes": lambda: ScriptedJudge(any_reply),
    "function of probabilities": lambda: FunctionJudge(probabilities, name="p"),
}


CASCADES: dict[str, Any] = {
    name: entry.cls for name, entry in entries("metric").items()
    if hasattr(entry.cls, "stand_in") and not entry.alias_of and not entry.fixed
}  # fmt: skip
every_cascade = pytest.mark.parametrize("name", CASCADES)


def judged(judge: Any, name: str = "judged-faithfulness", **options: Any) -> ragauge.Result:
    return ragauge.evaluate(ROWS, {"m": CASCADES[name](judge=judge, **options)})


def numbers(result: ragauge.Result) -> Any:
    score = result["m"]
    bits = (score.value, score.low, score.high, score.bounds, score.scored, score.undefined, score.average)
    return bits, result.scores("m").tobytes(), result.columns["m"].status.tolist()


@every_cascade
@pytest.mark.parametrize("kind", JUDGES)
@pytest.mark.parametrize("options", others_long([{"ask": "0.4..0.6", "audit": 1.0}, {"ask": "0..1"}]))
def test_all_asked_is_the_judge_alone(name: str, kind: str, options: Any) -> None:
    judge = JUDGES[kind]()
    assert numbers(judged(judge, name, **options)) == numbers(judged(judge, name))


@every_cascade
def test_none_asked_is_the_other_metric_alone(name: str) -> None:
    judge = ScriptedJudge(any_reply)
    none = judged(judge, name, ask="0.5..0.5", audit=0.0)
    assert judge.asked_for == []
    assert numbers(none) == numbers(ragauge.evaluate(ROWS, {"m": CASCADES[name].stand_in}))


@every_cascade
def test_the_other_metric_takes_each_option_that_both_have(name: str) -> None:
    """An option of the same name and default means the same in both, but for that of how samples are averaged."""
    classes = (CASCADES[name], lookup("metric", CASCADES[name].stand_in).cls)
    own, other = ({field.name: default_of(field) for field in option_fields(cls)} for cls in classes)
    assert set(CASCADES[name].same_options) == {one for one in own.keys() & other.keys() if own[one] == other[one]}


def test_the_other_metric_has_the_options_of_the_judged_one() -> None:
    judged_metric: Any = parse("judged-context-precision@1:ask=0.2..0.8", {"judge": FunctionJudge(str, name="f")})
    assert judged_metric.other == parse("context-precision@1")


def test_what_no_other_metric_can_stand_in_for_says_which_it_can() -> None:
    assert set(Cascade.of_others["ask"].replace(" and ", ", ").split(", ")) == set(CASCADES)
    for option in ("ask=0.2..0.8", "audit=0.1"):
        with pytest.raises(OptionError, match=r"judged-rubric has no option '(ask|audit)': no metric.*nugget-all"):
            parse(f"judged-rubric:{option}", {"judge": FunctionJudge(str, name="f")})


@every_cascade
@pytest.mark.parametrize("kind", JUDGES)
def test_scores_are_those_of_the_judge_where_it_was_asked_and_the_mean_is_corrected(name: str, kind: str) -> None:
    judge = JUDGES[kind]()
    own = ragauge.evaluate(ROWS, {"m": CASCADES[name].stand_in}).scores("m")
    distinct = np.unique(own[~np.isnan(own)])
    middle = distinct[len(distinct) // 2]
    low, high = max(middle - 0.01, 0), min(middle + 0.01, 1)
    result, whole = judged(judge, name, ask=f"{low:.17f}..{high:.17f}", audit=0.3), judged(judge, name).scores("m")
    unsure = np.isnan(own) | ((own >= low) & (own <= high))
    random = drawn([row["id"] for row in ROWS], 0.3) & ~unsure
    assert 0 < unsure.sum() < 60
    assert 3 < random.sum() < (~unsure).sum()
    scores = result.scores("m")
    np.testing.assert_array_equal(scores, np.where(unsure | random, whole, own))
    there = ~np.isnan(scores)
    differences = (whole - own)[random & there]
    left = ~unsure & ~random
    expected = (scores[there].sum() + left.sum() * differences.mean()) / there.sum()
    assert result["m"].value == pytest.approx(expected, abs=1e-12)
    assert result["m"].parts[UNCORRECTED] == pytest.approx(scores[there].mean(), abs=1e-12)
    assert result["m"].noted[NOT_ASKED] == left.sum()
    assert result["m"].average == "pooled"


def test_nuggets_that_the_judge_would_propose_have_no_other_metric() -> None:
    rows = [{name: value for name, value in row.items() if name != "nuggets"} for row in ROWS]
    metric = CASCADES["judged-nugget-all"](judge=ScriptedJudge(any_reply), ask="0.2..0.8")
    with pytest.raises(ColumnError, match=r"needs the columns answer and nuggets; nuggets not found"):
        ragauge.evaluate(rows, metric)


@every_cascade
def test_a_dry_run_says_what_is_asked_and_what_it_costs(name: str) -> None:
    """Also where more samples are drawn: in each of three shares of those that the other metric is sure of."""
    each = []
    for audit in (0.0, 0.2, 0.6):
        asked = []
        for dry_run in (True, False):
            with Session(dry_run=dry_run, price=Price(1.0, 1.0)) as session:
                metric = CASCADES[name](judge=FunctionJudge(probabilities, name="p"), ask="0.3..0.7", audit=audit)
                ragauge.evaluate(ROWS, metric, session=session, resamples=0)
                asked.append((session.tally.total.calls, session.tally.total.cost))
        (planned, cost), (sent, paid) = asked
        assert planned == sent < 120
        assert cost == pytest.approx(paid, rel=0.01)
        each.append(sent)
    assert each == sorted(each)
    assert each[0] < each[2]
    assert each[1] > 0


def test_order_batches_and_workers_change_no_bit() -> None:
    metric = JudgedFaithfulness(judge=FunctionJudge(probabilities, name="p"), ask="0.3..0.7")
    whole = ragauge.evaluate(ROWS, {"m": metric})
    shuffled = ragauge.evaluate(ROWS[::-1], {"m": metric})
    assert repr(shuffled["m"]) == repr(whole["m"])
    assert shuffled.scores("m")[::-1].tobytes() == whole.scores("m").tobytes()
    tables = [pa.Table.from_pylist(part) for part in (ROWS[:20], ROWS[20:])]
    parts = Dataset("rows", 60, tuple(ROWS[0]), lambda: map(Batch, tables))
    assert repr(Evaluator({"m": metric})(parts)["m"]) == repr(whole["m"])
    assert repr(ragauge.evaluate(ROWS, {"m": metric}, workers=2)["m"]) == repr(whole["m"])


def test_evidence_says_who_decided() -> None:
    metric = JudgedFaithfulness(judge=ScriptedJudge(any_reply), ask="0.3..0.7", audit=0.3)
    batch = Batch(pa.Table.from_pylist(ROWS))
    by = {row["id"]: row["what"] for row in metric.explain(batch).to_pylist()}
    asked = {f"s{place}" for place in np.flatnonzero(metric.open(batch))}
    assert {name for name, what in by.items() if what == "answer claim"} <= asked
    assert {name for name, what in by.items() if what == "answer sentence"}.isdisjoint(asked)
    assert set(by.values()) == {"answer claim", "answer sentence"}


def test_a_judge_that_fails_fails_only_what_it_was_asked() -> None:
    cells = measure_cells(
        JudgedFaithfulness(judge=ScriptedJudge(lambda *_: "refused: no"), ask="0.3..0.7", audit=0.3),
        Batch(pa.Table.from_pylist(ROWS)),
    )
    failed = cells.sums.status == Status.FAILED
    assert 0 < failed.sum() < 60
    assert set(cells.sums.reasons) == set(np.flatnonzero(failed).tolist())
    assert set(cells.sums.reasons.values()) == {"refused: no"}
    assert cells.sums["audited"].sum() == 0
    metric = JudgedFaithfulness(judge=ScriptedJudge(any_reply), ask="0.3..0.7")
    assert float(corpus_score(metric, cells.sums.totals())) == pytest.approx(np.nanmean(cells.scores))


def test_repeats_show_their_variance_where_the_judge_was_asked() -> None:
    result = judged(FunctionJudge(probabilities, name="p"), ask="0.3..0.7", repeats=3)
    assert result["m"].parts["judge variance"] == 0.0


def test_two_runs_are_compared_by_their_corrected_means() -> None:
    other = [{**row, "contexts": ["It has a garden."]} for row in ROWS]
    metric = {"m": JudgedFaithfulness(judge=FunctionJudge(probabilities, name="p"), ask="0.3..0.7", audit=0.3)}
    before, after = (ragauge.evaluate(rows, metric) for rows in (ROWS, other))
    found = ragauge.compare(before, after)["m"]
    assert (found.base, found.candidate) == pytest.approx((before["m"].value, after["m"].value), abs=1e-12)
    assert found.low <= found.candidate - found.base <= found.high


@pytest.mark.parametrize("ask", ["0.8..0.2", "0.2-0.8", "0.2..1.2", "..", "", 0.5, "0.2..0.8..1"])
def test_a_band_is_two_numbers(ask: Any) -> None:
    with pytest.raises(OptionError, match=r"option 'ask' .*must be two numbers from 0 to 1, as in 0\.2\.\.0\.8"):
        JudgedFaithfulness(judge=ScriptedJudge(any_reply), ask=ask)


def test_a_share_goes_with_a_band() -> None:
    with pytest.raises(OptionError, match=r"option 'audit' .*must be 0\.2 where there is no ask=LOW\.\.HIGH; got 0\.5"):
        JudgedFaithfulness(judge=ScriptedJudge(any_reply), audit=0.5)


def test_the_signature_names_band_share_and_other_metric() -> None:
    judge = ScriptedJudge(any_reply)
    plain, some = JudgedFaithfulness(judge=judge), JudgedFaithfulness(judge=judge, ask=".25 .. .75", audit=0.1)
    assert "|average=samples|" in plain.identity
    assert "ask" not in plain.identity
    assert "audit" not in plain.identity
    assert f"|ask=0.25..0.75 of groundedness #{signature_of(parse('groundedness')).short}|" in some.identity
    assert "|audit=0.1|average=pooled|" in some.identity
    assert signature_of(JudgedFaithfulness(judge=judge, ask="0.25..0.75", audit=0.1)) == signature_of(some)


@ragauge.register("toy-cascade")
@dataclass(frozen=True, kw_only=True)
class Toy(Cascade):
    """A cascade whose judge's and other metric's scores are columns."""

    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("judged", "own"),)
    prompts_used: ClassVar[tuple[str, ...]] = ("support",)
    stand_in: ClassVar[str] = "column"

    @property
    def other(self) -> Any:
        return parse("column:name=own")

    def measured(self, batch: Batch) -> Rows:
        values = batch.column("judged").to_numpy(zero_copy_only=False)
        return rows_of(np.where(self.open(batch), values, 0.0), np.zeros(len(batch), dtype=bool), {})


def simulated(rng: np.random.Generator, n: int) -> pa.Table:
    """Return samples of which a judge errs on 10 % of good and 20 % of bad ones, and the other metric is too kind."""
    good = rng.random(n) < 0.7
    said = np.where(rng.random(n) < np.where(good, 0.1, 0.2), ~good, good)
    own = np.where(good, rng.beta(8, 1, n), rng.beta(3, 2, n))
    ids = [f"q{number}" for number in rng.integers(1 << 60, size=n)]
    return pa.table({"id": ids, "judged": said.astype(float), "own": own})


def draws(metric: Toy, table: pa.Table, ids: list[str]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the corrected mean, the plain mean and the size of the random share of ``table`` under each of many ids.

    100 draws are measured at once: a sample scores alone as among others.
    """
    size, found = len(table), []
    each = np.repeat(np.eye(100), size, axis=1)
    for first in range(0, len(ids), 100 * size):
        several = pa.concat_tables([table] * 100).set_column(0, "id", pa.array(ids[first : first + 100 * size]))
        cells = measure_cells(metric, Batch(several))
        totals = cells.sums.totals(each)
        found.append((corpus_score(metric, totals), cells.scores.reshape(100, size).mean(axis=1), totals["audited"]))
    corrected, plain, audited = (np.concatenate(one) for one in zip(*found, strict=True))
    return corrected, plain, audited


def test_the_mean_over_draws_is_that_of_the_judge() -> None:
    rng = np.random.default_rng(0)
    table = simulated(rng, 200)
    metric = Toy(judge=FunctionJudge(str, name="f"), ask="0.4..0.7")
    ids = [f"{place}-{row}" for place in range(400) for row in range(200)]
    corrected, plain, _ = draws(metric, table, ids)
    truth = np.mean(table["judged"].to_numpy())
    error = corrected.std() / 20
    assert abs(corrected.mean() - truth) < 3 * error < 0.01
    assert abs(plain.mean() - truth) > 0.03


def few(audited: int, own: float, judged: float, *, left: int = 4) -> list[dict[str, Any]]:
    """Return samples that the other metric is sure of, so many of them in the random share."""
    ids = [f"q{number}" for number in range(200)]
    share = drawn(ids, 0.2)
    chosen = [*[one for one, some in zip(ids, share, strict=True) if some][:audited],
              *[one for one, some in zip(ids, share, strict=True) if not some][:left]]  # fmt: skip
    return [{"id": one, "judged": judged, "own": own} for one in chosen]


@pytest.mark.parametrize("interval", ["jackknife", "percentile"])
@pytest.mark.parametrize(
    ("audited", "own", "judged", "value", "notes"),
    [
        (0, 0.9, 0.5, 0.9, (UNAUDITED,)),
        (1, 0.9, 0.5, 0.5, (AUDITED_ONCE,)),
        (2, 0.9, 0.5, 0.5, ()),
        (3, 0.9, 0.5, 0.5, ()),
    ],
)
def test_a_mean_of_few_audited_samples_says_so(
    interval: Any, audited: int, own: float, judged: float, value: float, notes: Any
) -> None:
    metric = {"m": Toy(judge=FunctionJudge(str, name="f"), ask="0.4..0.7")}
    data = few(audited, own, judged)
    for group, row in zip("ab" * len(data), data, strict=False):
        row["team"] = group
    evaluator = Evaluator(metric, inference=Inference(interval=interval), by=("team",))
    result = evaluator(Dataset.of(Batch(pa.Table.from_pylist(data)), "rows"))
    whole = result["m"]
    assert whole.value == pytest.approx(value)
    assert whole.notes[: len(notes)] == notes
    assert np.isnan(whole.low) == bool(notes)
    # Also each group says how it is.
    groups = [score for score in result.table if score.group]
    assert len(groups) == 2
    of_group = [sum(drawn([row["id"] for row in data if row["team"] == team], 0.2)) for team in "ab"]
    expected = [(UNAUDITED,) if not n else (AUDITED_ONCE,) if n == 1 else () for n in of_group]
    assert [tuple(note for note in score.notes if note in Toy.doubts) for score in groups] == expected
    said = {note.split(": ")[1] for note in result.data.notes if note.startswith("m: ")}
    assert {name.split(": ")[0] for name in [*notes, *sum(expected, ())]} <= said


def test_runs_that_are_compared_repeat_the_doubts_of_their_means(tmp_path: Path) -> None:
    metric = {"m": Toy(judge=get("chat[url=http://localhost/v1,model=m]"), ask="0.4..0.7")}
    sure, once, none = ([{**row, "team": "ab"[place % 2]} for place, row in enumerate(few(n, 0.9, 0.5, left=20))]
                        for n in (12, 1, 0))  # fmt: skip
    known = few(12, 0.9, 0.5, left=0)
    grouped = [*sure, *[{**row, "id": f"x{place}", "team": "c"} for place, row in enumerate(none)]]
    left = [row for row in grouped if row["team"] != "c" or not drawn([row["id"]], 0.2)[0]]
    data = {"sure": sure, "once": once, "none": none, "known": known, "left": left}
    runs = {
        name: ragauge.evaluate(rows, metric, by="team" if "team" in rows[0] else None) for name, rows in data.items()
    }
    said = "; the interval of the difference does not show how far that is off"
    for name, doubts in (("sure", []), ("known", []), ("once", [AUDITED_ONCE]), ("none", [UNAUDITED])):
        notes = ragauge.compare(runs[name], runs[name]).notes
        assert [note for note in notes if said in note] == [
            f"{run}: m: {doubt}{said}" for run in ("base", "candidate") for doubt in doubts
        ]
    # The doubts are those of the samples that both have, and of a group where all samples together have none.
    assert f"base: m: {AUDITED_ONCE}{said}" in ragauge.compare(runs["sure"], runs["once"]).notes
    notes = ragauge.compare(runs["left"], runs["left"], by="team").notes
    assert [note for note in notes if note.startswith("base: m")] == [f"base: m (c): {UNAUDITED}{said}"]
    page = tmp_path / "report.html"
    ragauge.report([runs["sure"], runs["once"]], page)
    written = page.read_text(encoding="utf-8")
    assert f"m: {AUDITED_ONCE}{said}" in written
    assert "m：只用一个抽查的样本修正；差值的区间看不出因此偏了多少" in written


def test_a_corrected_mean_beyond_the_range_stays_and_says_so() -> None:
    """Cut to the range, the mean over many draws would not be the judge's."""
    metric = Toy(judge=FunctionJudge(str, name="f"), ask="0.4..0.7")
    data = [*few(2, 0.2, 1.0), *[{**row, "own": 0.9, "judged": 0.9} for row in few(8, 0, 0, left=40)[2:8]]]
    low = [*few(2, 0.1, 1.0, left=0), *[{**row, "own": 0.9, "judged": 0.9} for row in few(0, 0, 0, left=20)]]
    score = Evaluator({"m": metric})(Dataset.of(Batch(pa.Table.from_pylist(low)), "rows"))["m"]
    assert score.value == pytest.approx((2 + 20 * 0.9 + 20 * 0.9) / 22)
    assert score.value > 1
    assert score.notes[0] == BEYOND
    assert np.isnan(score.low)
    inside = Evaluator({"m": metric})(Dataset.of(Batch(pa.Table.from_pylist(data)), "rows"))["m"]
    assert inside.value <= 1
    assert BEYOND not in inside.notes
    rng = np.random.default_rng(5)
    table = pa.table({"id": [""] * 12, "judged": [1.0, 0.9] * 6, "own": [0.1, 0.9] * 6})
    ids = [f"{place}-{row}-{rng.integers(1 << 40)}" for place in range(1500) for row in range(12)]
    corrected, _, audited = draws(metric, table, ids)
    means = corrected[audited > 0]
    error = means.std() / len(means) ** 0.5
    assert (means > 1).mean() > 0.1
    assert abs(means.mean() - 0.95) < 3 * error
    assert means.clip(0, 1).mean() < 0.95 - 6 * error


@pytest.mark.long
@pytest.mark.parametrize("interval", ["jackknife", "percentile"])
def test_the_interval_holds_what_the_judge_would_say_of_all(interval: Any) -> None:
    """1,000 runs: 95 % of their intervals, within three standard errors of that share."""
    rng = np.random.default_rng(1)
    evaluator = Evaluator(
        {"m": Toy(judge=FunctionJudge(str, name="f"), ask="0.4..0.7")},
        inference=Inference(interval=interval, resamples=400),
    )
    truth = 0.7 * 0.9 + 0.3 * 0.2
    held, errors = 0, []
    for _ in range(1000):
        score = evaluator(Dataset.of(Batch(simulated(rng, 300)), "rows"))["m"]
        held += score.low <= truth <= score.high
        errors.append((score.value - truth, score.parts[UNCORRECTED] - truth))
    bias, uncorrected = np.mean(errors, axis=0)
    print(f"{interval}: {held / 10:.1f} % hold the mean; it is off by {bias:.4f}, uncorrected by {uncorrected:.4f}")  # noqa: T201 - figures of the documentation
    assert abs(held / 1000 - 0.95) < 3 * (0.95 * 0.05 / 1000) ** 0.5
    assert abs(bias) < 3 * np.std(errors, axis=0)[0] / 1000**0.5 < 0.005
    assert uncorrected > 0.03
