"""What a browser shows of samples while a reader goes through them: ``python -m tests.browser.shown`` writes it anew.

After each step stand the lines of the page's samples that were not there before, how many are there no more, the order
of the rows, what is chosen, and what has the focus.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ragauge
from tests.browser.reader import Reader
from tests.conftest import BROWSER_ARGUMENTS, PROGRAMS, SCREEN
from tests.reports.kinds import three_runs
from tests.reports.runs import FACTS, make_result, rows

FILE = Path(__file__).with_name("shown.txt")
METRICS = ("ndcg@1", "mrr", "token-f1", "groundedness", "answer-correctness", "column:name=latency,direction=lower")
# What sizes of letters decide, which differ from system to system.
STYLE = re.compile(r' style="(?:--share: ([\d.]+);)?[^"]*"')
STATE = """() => JSON.stringify({
  address: location.hash,
  rows: [...document.querySelectorAll("#samples [data-index] .cell:first-child")]
    .filter((one) => one.ariaColIndex === "1").map((one) => one.textContent).join(" "),
  focus: (document.activeElement.getAttribute("data-index") ?? document.activeElement.textContent).trim().slice(0, 40),
  chosen: [...document.querySelectorAll("#samples select, #samples input")].map((one) => one.value),
  theme: document.documentElement.dataset.theme ?? "",
  language: document.documentElement.lang,
})"""
Step = tuple[str, Callable[[Reader], Any]]


def pressed(*keys: str) -> Step:
    return f"press {' '.join(keys)}", lambda reader: reader.press(*keys)


def chosen(label: str, option: str) -> Step:
    return f"choose {label}: {option}", lambda reader: reader.choose(label, option)


def clicked(word: str) -> Step:
    find = f"#samples button:is([data-text='samples.{word}'], [data-text-label='samples.{word}'])"
    return f"click {word}", lambda reader: reader.page.locator(find).first.click()


def opened(name: str) -> Step:
    return f"open {name}", lambda reader: reader.open(name)


def searched(text: str) -> Step:
    return f"search {text}", lambda reader: reader.search(text)


def marked(place: int) -> Step:
    return f"click sentence {place}", lambda reader: reader.sample.locator(".sentence").nth(place).click()


ONE: tuple[Step, ...] = (
    opened("q3"), marked(0), marked(1), pressed("j"), pressed("k", "k"), pressed("Escape"),
    pressed("ArrowDown", "Enter"), clicked("next"), clicked("previous"), clicked("close"), pressed("End"),
    pressed("Home", "ArrowUp", "ArrowRight"),
    searched("钢琴"), searched("no sample has this"), clicked("reset"), chosen("Status", "something failed"),
    opened("q7"), chosen("Status", "any"), chosen("topic", "music"), clicked("reset"), pressed("Escape"),
    ("sort mrr", lambda reader: reader.sort("mrr")), ("again", lambda reader: reader.sort("mrr")),
    ("a third time", lambda reader: reader.sort("mrr")),
    ("in Chinese", lambda reader: reader.page.locator("#interface-language").select_option("zh")),
    ("dark or light", lambda reader: reader.page.locator("#theme").click()),
)  # fmt: skip
THREE: tuple[Step, ...] = (
    opened("q5"), opened("q7"), chosen("Compared with the first run", "second"), chosen("Metric", "token-f1"),
    chosen("comparison", "got worse"), chosen("comparison", "got better"), chosen("comparison", "at least"),
    ("a threshold", lambda reader: reader.page.get_by_label("threshold").fill("0.5")), opened("q2"),
    clicked("reset"),
)  # fmt: skip


def reports(folder: Path) -> Iterator[tuple[Path, tuple[Step, ...]]]:
    """Yield a report of one run and one of three, each with what a reader does there."""
    one = make_result(rows(16, tuple(FACTS), skill=0.4), METRICS, by=["topic"])
    yield ragauge.report(one, folder / "one.html"), ONE
    yield ragauge.report(three_runs(), folder / "three.html", names=["first", "second", "third"]), THREE


def shown(visit: Callable[[Path], Reader], folder: Path) -> str:
    """Return what each step changes."""
    lines: list[str] = []
    for path, steps in reports(folder):
        reader = visit(path)
        before = _state(reader)
        lines += [f"== {path.name}", *before]
        for name, step in steps:
            step(reader)
            after = _state(reader)
            new, old = Counter(after) - Counter(before), Counter(before) - Counter(after)
            lines += [
                f"== {name}: {old.total()} lines are there no more",
                *dict.fromkeys(one for one in after if one in new),
            ]
            before = after
    return "\n".join(lines) + "\n"


def _state(reader: Reader) -> list[str]:
    reader.page.wait_for_timeout(250)  # A threshold is looked at after a pause.
    html = reader.page.evaluate("() => document.getElementById('samples').outerHTML")
    styled = STYLE.sub(lambda found: f' share="{found[1]}"' if found[1] else "", html)
    elements = re.sub(r"(?=<(?:div|section|tr|li|p|h\d|option|header|label|details)\b)", "\n", styled).splitlines()
    return [*elements, reader.page.evaluate(STATE)]


def _written() -> None:
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, PROGRAMS)))
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER_ARGUMENTS)
        page = browser.new_context(locale="en-GB").new_page()

        def visit(path: Path) -> Reader:
            page.set_viewport_size({"width": SCREEN["width"], "height": SCREEN["height"]})
            page.goto(f"{path.as_uri()}#sort=data")
            return Reader(page, path).ready()

        FILE.write_text(shown(visit, Path(folder)), encoding="utf-8")
        browser.close()


if __name__ == "__main__":
    _written()
