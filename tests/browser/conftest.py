"""A real Chromium that opens real reports; without Playwright or Chromium these tests are skipped.

Fixtures that write reports ask for the browser too, so that nothing is scored where nothing can be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import ragauge
from tests.browser.reader import Reader
from tests.conftest import SCREEN
from tests.reports.runs import FACTS, make_result, rows, two_runs

Open = Callable[..., Reader]


@pytest.fixture
def visit(page: Any) -> Iterator[Open]:
    """Open reports one after another; afterwards none may have complained or asked for anything."""
    readers: list[Reader] = []

    def opened(
        path: Path, fragment: str = "", *, screen: Any = SCREEN, on: Any = page, in_order: bool = True
    ) -> Reader:
        """Open a report; samples are easiest to name ``in_order``: that of the data, which is not the page's own."""
        if in_order and "sort=" not in fragment:
            fragment = f"{fragment}&sort=data" if fragment else "#sort=data"
        for reader in readers:
            reader.leave()
        on.set_viewport_size(screen)
        on.goto("about:blank")
        readers.append(Reader(on, path))
        on.goto(path.as_uri() + fragment)
        return readers[-1].ready()

    yield opened
    for reader in readers:
        reader.leave()
        assert reader.complaints == []
        assert reader.requests == [reader.path.as_uri()] * len(reader.requests)


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("no axe-core: pip install axe-playwright-python")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def one_run(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of one run of 48 samples in eight languages."""
    return written(tmp_path_factory, make_result(rows(48, tuple(FACTS)), by=["topic"]))


@pytest.fixture(scope="session")
def chinese(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same report with its interface in Chinese."""
    return written(tmp_path_factory, make_result(rows(48, tuple(FACTS)), by=["topic"]), language="zh")


@pytest.fixture(scope="session")
def compared(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two runs of the same 48 samples."""
    runs = two_runs(tmp_path_factory.mktemp("runs"), count=48, languages=tuple(FACTS), by=["topic"])
    return written(tmp_path_factory, list(runs))


# Enough for every section of a page and every state of a row, where each element is looked at.
FEW = 16
FEW_SCORED: dict[str, Any] = {
    "metrics": ("ndcg@1,3", "mrr", "token-f1", "groundedness", "column:name=latency,direction=lower"),
    "by": ["topic"],
}


@pytest.fixture(scope="session")
def few(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two samples in each of the eight languages, of which two failed."""
    return written(tmp_path_factory, make_result(rows(FEW, tuple(FACTS)), **FEW_SCORED))


@pytest.fixture(scope="session")
def few_chinese(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same report with its interface in Chinese."""
    return written(tmp_path_factory, make_result(rows(FEW, tuple(FACTS)), **FEW_SCORED), language="zh")


@pytest.fixture(scope="session")
def few_compared(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two runs of the same samples, two in each of the eight languages."""
    folder = tmp_path_factory.mktemp("runs")
    return written(tmp_path_factory, list(two_runs(folder, count=FEW, languages=tuple(FACTS), **FEW_SCORED)))


@pytest.fixture(scope="session")
def large(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of 10,000 samples."""
    result = make_result(rows(10_000, tuple(FACTS)), ("ndcg@5", "recall@5", "mrr", "token-f1", "rouge-l"), resamples=20)
    return written(tmp_path_factory, result)


def written(folder: pytest.TempPathFactory, runs: Any, **options: Any) -> Path:
    """Write a report and return where it is."""
    return ragauge.report(runs, folder.mktemp("report") / "report.html", **options)
