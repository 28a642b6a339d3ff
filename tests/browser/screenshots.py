"""Make the pictures of the report that the docs show: ``python -m tests.browser.screenshots``.

They are of the report that ``ragauge demo`` writes; Chromium and fonts of all its scripts are needed
(``apt-get install chromium fonts-noto-core fonts-noto-cjk``).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.browser.reader import Reader
from tests.conftest import BROWSER_ARGUMENTS, PROGRAMS

IMAGES = Path(__file__).parents[2] / "docs" / "images"
TALL, WIDE = {"width": 1280, "height": 1100}, {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
MOST_BYTES = 300_000


def main() -> None:
    """Write the demo's report in both languages, and take its pictures."""
    from playwright.sync_api import sync_playwright

    _check_fonts()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        english, chinese = (_report(Path(folder), language) for language in ("en", "zh"))
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER_ARGUMENTS)
        _report_from_the_top(_open(browser, english, "", viewport=TALL), "top")
        _report_from_the_top(_open(browser, chinese, "", viewport=TALL), "top-zh")
        _changes(_open(browser, english, "", viewport=WIDE, color_scheme="dark"))
        _table(_open(browser, english, "", viewport=WIDE))
        _sample(_open(browser, english, "#sample=en-3", viewport=TALL), "sample")
        _sample(_open(browser, english, "#sample=zh-3", viewport=TALL, color_scheme="dark"), "sample-dark")
        _sample(_open(browser, chinese, "#sample=ar-3", viewport=TALL), "sample-zh-ar")
        _report_from_the_top(_open(browser, english, "", viewport=PHONE), "phone")
        _matrix(_open(browser, _three_runs(english.parent), "", viewport=WIDE))
        browser.close()


def _check_fonts() -> None:
    """Exit where a script of the example would show as empty boxes."""
    for tag in ("zh", "ja", "ko", "ar", "hi", "th"):
        command = [shutil.which("fc-list") or "fc-list", f":lang={tag}"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if not listed.strip():
            sys.exit(f"no font for {tag}: apt-get install fonts-noto-core fonts-noto-cjk")


def _report(folder: Path, language: str) -> Path:
    """Run the command as a reader would."""
    _ragauge(folder, "demo", "--language", language, "-o", language)
    return folder / language / "report.html"


def _ragauge(folder: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "ragauge", *arguments], cwd=folder, check=True, capture_output=True)


def _open(browser: Any, path: Path, fragment: str, **options: Any) -> Reader:
    page = browser.new_context(**options).new_page()
    page.goto(path.as_uri() + fragment)
    return Reader(page, path).ready()


def _keep(reader: Reader, name: str) -> None:
    path = IMAGES / f"report-{name}.png"
    reader.page.wait_for_timeout(400)
    reader.page.screenshot(path=path)
    size = path.stat().st_size
    assert size < MOST_BYTES, f"{path.name} has {size:,} bytes"
    sys.stdout.write(f"{path.name}  {size / 1000:.0f} kB\n")


def _three_runs(demo: Path) -> Path:
    """Write a report of the demo's two runs, and of a third whose answers are cut to their first words."""
    rows = [json.loads(line) for line in (demo / "data" / "after.jsonl").read_text(encoding="utf-8").splitlines()]
    cut = [{**row, "answer": row["answer"][:24]} for row in rows]
    path = demo / "short-answers.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in cut), encoding="utf-8")
    names = ("ndcg@5", "token-f1", "groundedness", "latency=column:name=latency,direction=lower")
    metrics = [argument for name in names for argument in ("-m", name)]
    for data, run in (("data/before.jsonl", "before"), ("data/after.jsonl", "re-ranked"), (path.name, "short answers")):
        _ragauge(demo, "score", data, *metrics, "-o", f"three/{run}")
    _ragauge(demo, "report", *(f"three/{run}" for run in ("before", "re-ranked", "short answers")), "-o", "three.html")
    return demo / "three.html"


def _report_from_the_top(reader: Reader, name: str) -> None:
    _keep(reader, name)


def _matrix(reader: Reader) -> None:
    reader.page.evaluate("document.getElementById('runs').scrollIntoView({ behavior: 'instant' })")
    _keep(reader, "runs")


def _changes(reader: Reader) -> None:
    reader.page.evaluate("document.getElementById('changes').scrollIntoView({ behavior: 'instant' })")
    _keep(reader, "changes-dark")


def _table(reader: Reader) -> None:
    reader.page.evaluate("document.getElementById('samples').scrollIntoView({ behavior: 'instant' })")
    reader.sort("Δ change in hit-rate@3")
    reader.page.evaluate("document.activeElement.blur()")
    _keep(reader, "samples")


def _sample(reader: Reader, name: str) -> None:
    """Show a sample with the first sentence of its answer chosen."""
    reader.sample.locator(".sentence").first.click()
    reader.sample.evaluate("element => element.scrollIntoView({ behavior: 'instant' })")
    _keep(reader, name)


if __name__ == "__main__":
    main()
