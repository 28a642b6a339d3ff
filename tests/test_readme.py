"""The README prints what the program prints. Its two commands themselves are run by .ci/run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from ragauge.core.registry import entries
from tests.docs.blocks import ROOT, site_pages

README = (ROOT / "README.md").read_text(encoding="utf-8")


def command(name: str) -> str:
    found = re.search(rf"<!-- command: {name} -->\n```sh\n(.+?)\n```", README, re.DOTALL)
    assert found
    return found[1]


def test_the_output_shown_is_the_output(tmp_path: Path) -> None:
    shown = re.search(r"```text\n(.+?)\n\.\.\.\n```", README, re.DOTALL)
    assert shown
    arguments = command("use").split("&& ragauge ")[1].split()
    environment = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    ran = subprocess.run(
        [sys.executable, "-m", "ragauge", *arguments],
        cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert ran.stdout.lstrip().startswith(shown[1])
    assert (tmp_path / "ragauge-demo" / "report.html").stat().st_size > 10_000


def test_there_are_exactly_two_commands() -> None:
    assert re.findall(r"<!-- command: (\w+) -->", README) == ["use", "test"]
    assert command("test") == "pip install -e '.[test]' && python -m pytest -n 2"


def test_it_is_short() -> None:
    assert len(README.split()) <= 700


def test_it_has_the_number_of_metrics_that_ask_a_judge() -> None:
    """A class is one metric, also where it has several names, as in `ragauge metrics`."""
    classes = {one.cls for one in entries("metric").values()}
    assert sum(one.__module__.startswith("ragauge.metrics.judged.") for one in classes) == 18
    assert "**RAG, with a judge**: eighteen," in README
    assert "十八个" in (ROOT / "README.zh.md").read_text(encoding="utf-8")
    assert "eighteen metrics that ask a judge" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_links_lead_somewhere() -> None:
    pages = [*ROOT.glob("README*.md"), *site_pages()]
    for page in pages:
        prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\((?!http)([^)#]+)", prose):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_chinese_readme_has_every_block() -> None:
    """The same commands; comments, and what the first command prints, are in Chinese (tests/docs holds that)."""
    chinese = (ROOT / "README.zh.md").read_text(encoding="utf-8")
    printed = next(block for block in fenced(README) if block.startswith("retrieval\n"))
    assert set(fenced(README)) - set(fenced(chinese)) == {printed}
    assert "](README.zh.md)" in README


def fenced(text: str) -> list[str]:
    blocks = re.findall(r"^```\w+\n(.+?)^```", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r" +#.*", "", block) for block in blocks]
