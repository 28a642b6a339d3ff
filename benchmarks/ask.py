"""How near `ragauge.evaluate(system=...)` comes to the rate that a system allows, and what keeping the answers costs.

    python benchmarks/ask.py [--questions 1000] [--concurrency 8] [--seconds 0.05]

The system does nothing but wait, so that the ideal time is questions x seconds / concurrency. The time that is measured
goes from the first call to the last answer: reading the questions and scoring the answers are not in it.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ragauge


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=0.05)
    options = parser.parse_args()
    ideal = options.questions * options.seconds / options.concurrency
    rows = [{"id": f"q{number}", "question": f"{number} 号茶馆在哪里？"} for number in range(options.questions)]
    passages = ["茶馆在河边，一九九〇年开业。" * 10] * 5

    def answer(question: str) -> dict[str, Any]:
        time.sleep(options.seconds)
        return {"answer": question, "contexts": passages}

    async def answer_async(question: str) -> dict[str, Any]:
        await asyncio.sleep(options.seconds)
        return {"answer": question, "contexts": passages}

    print(
        f"{options.questions} questions, {options.concurrency} at once, {options.seconds} s each: ideal {ideal:.2f} s"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, system, more in (
            ("function", answer, {}),
            ("function, answers kept", answer, {"answers": Path(folder) / "a.jsonl"}),
            ("function, answers kept, timeout", answer, {"answers": Path(folder) / "b.jsonl", "timeout": 60.0}),
            ("coroutine", answer_async, {}),
            ("coroutine, answers kept", answer_async, {"answers": Path(folder) / "c.jsonl"}),
        ):
            seconds = time_of_asking(rows, system, concurrency=options.concurrency, **more)
            print(f"{name:32} {seconds:6.2f} s   {ideal / seconds:6.1%} of the ideal rate")


def time_of_asking(rows: list[dict[str, Any]], system: Callable[[str], Any], **options: Any) -> float:
    """Return the seconds until all questions are answered."""
    times: list[float] = []
    ragauge.evaluate(
        rows,
        "column:name=latency",
        system=system,
        progress=lambda *_: times.append(time.perf_counter()),
        resamples=0,
        **options,
    )
    # Reports come before the first call and after each answer; then those of scoring.
    return times[len(rows)] - times[0]


if __name__ == "__main__":
    main()
