"""The order of rows, of judgements, of columns and the sign of zero change no comparison and no gate."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import ragauge
from ragauge.cli import main
from ragauge.results.result import Result
from tests.repeats import drawn

METRICS = ["ndcg@3", "recall@2:undefined=skip", "exact-match", "column:name=n,direction=lower"]
GRADES = st.dictionaries(st.sampled_from("abcd"), st.sampled_from([0, 1, 2]), max_size=4)
RANKING = st.none() | st.permutations("abcd").map(lambda order: order[:3])
ROWS = st.lists(
    st.fixed_dictionaries({"relevance": GRADES, "old": RANKING, "new": RANKING, "topic": st.sampled_from("xy")}),
    min_size=2,
    max_size=12,
)


def run_of(rows: list[dict[str, Any]], system: str, order: list[int]) -> Result:
    """Score the rows in ``order``: judgements and columns are turned round, and zeros lose their sign, with it."""
    backwards = order != sorted(order)
    samples = []
    for i in order:
        row = rows[i]
        grades = [(name, -0.0 if backwards and not grade else grade) for name, grade in row["relevance"].items()]
        sample = {
            "id": f"q{i}",
            "question": f"Who is {i}?",
            "references": ["yes"],
            "answer": "yes" if row[system] == row["new"] else "no",
            "relevance": dict(reversed(grades) if backwards else grades),
            "retrieved": row[system],
            "topic": row["topic"],
            "n": i * len(system),
            "serial": 2**53 + i,
        }
        samples.append(dict(reversed(sample.items())) if backwards else sample)
    return ragauge.evaluate(samples, METRICS, by="topic", resamples=8)


def told(base: Result, candidate: Result) -> list[str]:
    """Return the comparison and the gate as JSON."""
    compared = ragauge.compare(base, candidate, by="topic", trials=20, resamples=8).to_dict()
    rules: dict[str, Any] = {"min": {"ndcg@3": 0.3}, "max_failed": 0.1, "min_scored": 2, "min_coverage": 0.8}
    drops = {"exact-match": 0.1, "ndcg@3": 0.0, METRICS[-1]: 1.0}
    gates = [
        ragauge.gate(candidate, base, **rules, max_drop=drops, confident=confident).to_dict()
        for confident in (False, True)
    ]
    return [json.dumps(one, sort_keys=True) for one in (compared, *gates)]


@drawn(ROWS, st.randoms(use_true_random=False), examples=(2, 6))
@pytest.mark.costly
def test_shuffled_runs_compare_and_pass_alike(rows: list[dict[str, Any]], source: random.Random) -> None:
    inside = list(range(len(rows)))
    shuffled = source.sample(inside, len(inside))
    base, candidate = run_of(rows, "old", inside), run_of(rows, "new", inside)
    expected = told(base, candidate)
    assert told(base, run_of(rows, "new", shuffled)) == expected
    assert told(run_of(rows, "old", shuffled), run_of(rows, "new", inside[::-1])) == expected


QRELS = ["q1 0 a 1", "q1 0 b 0", "q1 0 c 2", "q2 0 a 1", "q2 0 d 0", "q3 0 x 1"]


@pytest.mark.parametrize(
    "lines", [QRELS[::-1], [line.removesuffix(" 0") + " -0.0" if line.endswith(" 0") else line for line in QRELS]]
)
def test_files_of_judgements_in_another_order_are_the_same_task(
    lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.txt").write_text("q1 Q0 a 1 9 t\nq1 Q0 b 2 8 t\nq2 Q0 d 1 3 t\nq3 Q0 x 1 1 t\n", encoding="utf-8")
    for name, judged in (("one", QRELS), ("two", lines)):
        Path(name).write_text("\n".join(judged) + "\n", encoding="utf-8")
        with pytest.raises(SystemExit) as ended:
            main(["score", "--run", "run.txt", "--qrels", name, "-m", "ndcg", "-o", f"run-{name}"])
        assert ended.value.code == 0
    tasks = [json.loads(Path(f"run-{name}", "manifest.json").read_text())["data"]["task"] for name in ("one", "two")]
    assert tasks[0] == tasks[1]
    with pytest.raises(SystemExit) as ended:
        main(["compare", "run-one", "run-two"])
    assert (ended.value.code, "0.000" in capsys.readouterr().out) == (0, True)
