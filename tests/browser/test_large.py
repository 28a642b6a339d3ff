"""Ten thousand samples.

The times asserted leave room for a busy machine, and are passed by work that grows with the square of the samples;
``benchmarks/report_samples.py`` measures.
"""

from __future__ import annotations

from pathlib import Path

from tests.browser.conftest import Open

MEASURED = """() => performance.getEntriesByType("measure").map(
  ({ name, startTime, duration }) => [name, startTime + duration, duration])"""


def measured(reader, name: str) -> tuple[float, float]:
    """When what is called ``name`` was last done, and how long it took, in seconds."""
    found = [(end / 1000, took / 1000) for title, end, took in reader.page.evaluate(MEASURED) if title == name]
    return found[-1]


def test_ten_thousand_open_soon(visit: Open, large: Path):
    times = []
    for _ in range(3):
        reader = visit(large)
        assert reader.count == "10,000 of 10,000 samples"
        times.append(measured(reader, "samples-open"))
    shown, _ = min(times)
    assert shown < 10


def test_only_rows_in_sight_exist(visit: Open, large: Path):
    reader = visit(large)
    assert len(reader.ids) < 60
    reader.grid.evaluate("grid => { grid.scrollTop = grid.scrollHeight }")
    reader.until("document.querySelector('.body').lastChild.ariaRowIndex === '10001'")
    assert reader.ids[-1] == "q9999"
    assert len(reader.ids) < 60


def test_sorting_and_searching_answer_at_once(visit: Open, large: Path):
    reader = visit(large)
    for name in ("token-f1", "Id", "Question", "Language"):
        reader.sort(name)
        _, took = measured(reader, "samples-sort")
        assert took < 5
    for text in ("lantern", "钢琴", "الفانوس"):
        reader.search(text)
        _, took = measured(reader, "samples-filter")
        assert took < 5
    assert reader.count.endswith(" of 10,000 samples")


def test_typing_searches_once(visit: Open, large: Path):
    reader = visit(large)
    reader.page.evaluate("performance.clearMeasures()")
    reader.page.get_by_role("searchbox").press_sequentially("lantern", delay=20)
    reader.until("performance.getEntriesByName('samples-filter').length > 0")
    reader.page.wait_for_timeout(400)
    assert reader.page.evaluate("performance.getEntriesByName('samples-filter').length") <= 2
