"""Measure how fast the samples of a report open, sort and are searched, in a real Chromium.

    python benchmarks/report_samples.py [--sizes 10000,20000,100000] [--repeats 3]
    python benchmarks/report_samples.py --samples FILE [FILE ...] [--metrics METRIC ...] [--repeats 3]

Samples are made up, and repeat each other, so that a page of them is smaller than one of real samples. `--samples`
takes files of your own, one for each run, and scores them with evidence by `--metrics`.

Needs Playwright (pip) and Chromium (apt). Each page is opened `--repeats` times; of each time the least is given: until
the list is shown, until all is read, of sorting the slowest column, of searching the slowest. Printed as a Markdown
table, with the size of the page and how many of its passages are shown in part.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import ragauge

PASSAGE = (
    "The lantern of house {i} hangs above the door. ",
    "第{i}号房子的灯笼挂在门上。",
    "يُعلَّق فانوس البيت {i} فوق الباب. ",
)
RETRIEVAL = ("ndcg@5", "recall@5", "mrr", "precision@5", "hit-rate@1")
TEXT = ("token-f1", "rouge-l", "exact-match")
MEASURED = (
    """name => performance.getEntriesByName(name).map(({ startTime, duration }) => [startTime + duration, duration])"""
)
Numbers = dict[str, list[float]]


def samples(size: int) -> list[dict[str, Any]]:
    """Return samples with five passages of some 400 characters each."""
    return [
        {
            "id": f"sample-{i}",
            "question": f"Where is the lantern of house {i}?",
            "answer": f"It hangs above the door of house {i + i % 3}.",
            "references": [f"It hangs above the door of house {i}."],
            "contexts": [PASSAGE[(i + place) % 3].format(i=i + place) * 12 for place in range(5)],
            "retrieved": [f"d{i + place}" for place in range(5)],
            "relevance": {f"d{i + i % 5}": 1},
            "language": ("en", "zh", "ar")[i % 3],
        }
        for i in range(size)
    ]


def measure(page: Any, url: str, times: Numbers) -> str:
    """Open, sort by every column, and search; return the note that says how many passages are shown in part, or -."""
    page.goto(url)
    page.get_by_role("row").nth(3).wait_for()
    while not page.evaluate(MEASURED, "samples-read"):
        page.wait_for_timeout(50)
    for name in ("open", "read"):
        ((end, _),) = page.evaluate(MEASURED, f"samples-{name}")
        times[name].append(end)
    for head in page.locator("[role=columnheader] button").all():
        head.evaluate("head => head.click()")
    times["sort"].append(max(took for _, took in page.evaluate(MEASURED, "samples-sort")))
    page.evaluate("performance.clearMeasures('samples-filter')")
    for place, text in enumerate(("lantern", "第7号", "فانوس", "no such text")):
        page.get_by_role("searchbox").fill(text)
        while len(page.evaluate(MEASURED, "samples-filter")) <= place:
            page.wait_for_timeout(50)
    times["search"].append(max(took for _, took in page.evaluate(MEASURED, "samples-filter")))
    return str(page.evaluate("document.querySelector('[data-text=\"samples.some-cut\"]')?.textContent ?? '-'"))


def main() -> None:
    """Print a row for each page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,20000,100000")
    parser.add_argument("--samples", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--metrics", nargs="+", default=["groundedness", *TEXT], metavar="METRIC")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    print("| samples | runs | page, MB | passages | shown after, s | all read after, s | sort, ms | search, ms |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        path = Path(folder) / "report.html"
        for runs in runs_of(asked):
            ragauge.report(runs, path, limit=runs[0].data.rows, force=True)
            times: Numbers = {name: [] for name in ("open", "read", "sort", "search")}
            cut = ""
            for _ in range(asked.repeats):
                page = browser.new_page()
                cut = measure(page, path.as_uri(), times)
                page.close()
            opened, read, *rest = (min(found) for found in times.values())
            sizes = [f"{runs[0].data.rows:,}", f"{len(runs)}", f"{path.stat().st_size / 1e6:.1f}", cut]
            seconds = [f"{took / 1000:.2f}" for took in (opened, read)]
            print("| " + " | ".join([*sizes, *seconds, *(f"{took:.0f}" for took in rest)]) + " |", flush=True)
        browser.close()


def runs_of(asked: argparse.Namespace) -> Iterator[list[ragauge.Result]]:
    """Yield the runs of each page."""
    if asked.samples:
        yield [ragauge.evaluate(path, asked.metrics, resamples=20, evidence=True) for path in asked.samples]
        return
    for size in map(int, asked.sizes.split(",")):
        yield [ragauge.evaluate(samples(size), [*RETRIEVAL, *TEXT], resamples=20)]


if __name__ == "__main__":
    main()
