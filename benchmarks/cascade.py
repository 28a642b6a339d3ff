"""What it costs to ask a judge about fewer answers, and how well people then agree: the table of docs/judge.md.

    python benchmarks/cascade.py [--errs 0] [--agree 0.8] [--audit 0.2]

The answers are those of ragtruth in shared/data (or $RAGAUGE_SHARED_DATA). What people said of an answer is the judge:
of one with a span that they found unsupported no claim is supported, of any other each. ``--errs 0.1`` turns a tenth of
what it says around, drawn by a hash of the answer's id. Thresholds and bands are chosen on one half of the answers
and tried on the other.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from ablation import rows_of

from ragauge.core.hashing import hash_strings
from ragauge.judges import FunctionJudge, Price, Session
from ragauge.validation.calibrated_cascade import calibrate_cascade

MARK = "answer "


def judge_of(rows: Sequence[dict[str, Any]], errs: float) -> FunctionJudge:
    """Return the judge that says what people said, but for a share of answers; it knows one by its question."""
    ids = [row["id"] for row in rows]
    wrong = (hash_strings(ids) >> np.uint64(11)).astype(np.float64) < errs * 2.0**53
    says = {name: float(row["supported"] != bad) for name, row, bad in zip(ids, rows, wrong.tolist(), strict=True)}

    def probabilities(text: str, questions: Sequence[Any]) -> list[float]:
        name = text[text.index(MARK) + len(MARK) :].split(":", 1)[0]
        return [says[name]] * len(questions)

    return FunctionJudge(probabilities, name=f"people, wrong in {errs:g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--errs", type=float, default=0.0)
    parser.add_argument("--agree", type=float, default=0.8)
    parser.add_argument("--audit", type=float, default=0.2)
    options = parser.parse_args()
    rows = [{**row, "good": int(row["supported"])} for row in rows_of("ragtruth")]
    asked = [{**row, "question": f"{MARK}{row['id']}: {row['question']}"} for row in rows]
    metric = f"judged-faithfulness:audit={options.audit:g}"
    with Session(price=Price(0.1, 0.0)) as session:
        judge = judge_of(rows, options.errs)
        costs = calibrate_cascade(asked, metric, "good", options.agree, judge=judge, session=session)
    print(f"{len(rows)} answers, .10 for a million tokens sent\n")
    print("| band | asked about | requests | cost | agreement |\n| --- | --: | --: | --: | --: |")
    for row in costs:
        cells = (row.ask, f"{row.asked:.0%}", str(row.requests), f"{row.cost:.4f}", f"{row.agreement:.3f}")
        print(f"| {' | '.join(cells)} |{' chosen' if row.chosen else ''}")


if __name__ == "__main__":
    main()
