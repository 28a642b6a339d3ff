"""What a browser shows while a reader goes through reports: ``python -m tests.browser.shown`` writes it anew.

After each step of a scene stand the lines of the page's samples that were not there before, how many are there no more,
and what else changed: the address, the order of the rows, what is chosen, open or scrolled, and what has the focus.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.browser.reader import Reader
from tests.browser.scenes import SCENES, Scene
from tests.conftest import BROWSER_ARGUMENTS, PROGRAMS

FOLDER = Path(__file__).with_name("shown")
# What sizes of letters decide, which differ from system to system.
STYLE = re.compile(r' style="(?:--share: ([\d.]+);)?[^"]*"')
# Steps after which a page waits for more, or for its new width.
SLOW = ("threshold", "search", "type", "width", "click nav", "address #groups", "address #samples")
# Two frames: a table draws in the first one what a new width asks for.
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
STATE = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const [[grid], [article], focus] = [all(".grid"), all("article"), document.activeElement];
  const near = (element) => Math.abs(element.getBoundingClientRect().top) < 3;
  const label = (one) => one.closest("section")?.id + " " + (one.querySelector("summary")?.textContent ?? "");
  const measures = performance.getEntriesByType("measure").map(({ name }) => name);
  return Object.entries({
    address: location.hash,
    rows: all("#samples [data-index] .cell:first-child").filter((one) => one.ariaColIndex === "1")
      .map((one) => one.textContent).join(" "),
    focus: [focus.tagName, focus.id, focus.ariaLabel, focus.dataset.index ?? focus.textContent.trim().slice(0, 40)],
    chosen: all("select, input").map((one) => (one.type === "checkbox" ? Number(one.checked) : one.value)).join("|"),
    theme: document.documentElement.dataset.theme ?? "",
    language: document.documentElement.lang,
    open: all("details[open]").map(label).sort(),
    // Where a narrow page stands depends on the fonts that are there.
    scrolled: innerWidth > 600 &&
      [Math.round(grid.scrollTop / 72), article.scrollTop > 0, near(document.getElementById("samples"))],
    over: document.querySelector("dialog").matches(":modal"),
    measured: [...new Set(measures)].sort().map((name) => `${name} ${measures.filter((one) => one === name).length}`),
  }).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}"""
HTML = """() => ["header .controls", "nav", "#runs", "#samples"]
  .map((one) => document.querySelector(one)?.outerHTML ?? "").join("")"""


def shown(scene: Scene, visit: Callable[..., Reader], folder: Path) -> str:
    """Return what each step of a scene changes."""
    reader = visit(scene.report(folder), scene.fragment, screen=scene.screen, in_order=False)
    before = _state(reader)
    lines = list(before)
    for name, step in scene.steps:
        told = step(reader)
        reader.page.wait_for_timeout(300 if name.startswith(SLOW) else 1)
        after = _state(reader)
        new, old = Counter(after) - Counter(before), Counter(before) - Counter(after)
        lines += [
            f"== {name}: {old.total()} lines are there no more",
            *(told.splitlines() if isinstance(told, str) else []),
            *dict.fromkeys(one for one in after if one in new),
        ]
        before = after
    return "\n".join(lines) + "\n"


def _state(reader: Reader) -> list[str]:
    reader.page.evaluate(SETTLED)
    html = reader.page.evaluate(HTML)
    styled = STYLE.sub(lambda found: f' share="{found[1]}"' if found[1] else "", html)
    elements = re.sub(r"(?=<(?:div|section|tr|td|li|p|h\d|option|header|label|details)\b)", "\n", styled).splitlines()
    return [*elements, *reader.page.evaluate(STATE)]


def _written(names: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, PROGRAMS)))
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER_ARGUMENTS)
        page = browser.new_context(locale="en-GB").new_page()
        page.set_default_timeout(5000)

        def visit(path: Path, fragment: str, *, screen: Any, in_order: bool) -> Reader:
            page.set_viewport_size(screen)
            page.emulate_media(media="screen", color_scheme="light")
            page.goto("about:blank")
            page.goto(f"{path.as_uri()}{fragment}")
            return Reader(page, path).ready()

        for name in names:
            path = FOLDER / f"{name}.txt"
            path.write_text(shown(SCENES[name], visit, Path(folder)), encoding="utf-8")
        browser.close()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    _written(sys.argv[1:] or list(SCENES))
