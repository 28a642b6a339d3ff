"""Reports as a browser gets them today: ``python -m tests.reports.drawn`` writes them to drawn.html anew.

Without scripts, styles and samples, and with one figure of each kind. Open drawn.html in a browser to see the figures.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import ragauge
from tests.reports.runs import make_run, two_runs

FILE = Path(__file__).with_name("drawn.html")
METRICS = ("ndcg@1,3", "token-f1", "column:name=latency,direction=lower")
# What differs from run to run: scripts, styles, samples, folders, times, versions and what they change.
HIDDEN = re.compile(
    r"<script.*?</script>|<style.*?</style>|<meta http-equiv.*?>|\d{4}-\d\d-\d\d \d\d:\d\d UTC|ragauge[= ]\d[.\w+]*|"
    r"data-version=\S*|unicode=[\d.]+| #[0-9a-f]{8}\b|(?<=[\s\"'=])/\S*/(?=today|yesterday|other)",
    re.DOTALL,
)


def drawn(folder: Path) -> str:
    """Return reports on two runs, on one, and on two that are not comparable; figures in the first alone."""
    before, after = two_runs(folder, count=12, metrics=METRICS, by=["language"])
    other = make_run(folder / "other", count=12, seed=3, metrics=["rouge-l"], by=[])
    pages = [_page(runs, folder / "report.html") for runs in ([before, after], [after], [before, other])]
    kinds = [re.split("(?<=</svg>)", part) for part in re.split("(?=<h[23])", pages[0])]
    one_each = "".join(first + _without_figures("".join(others)) for first, *others in kinds)
    return one_each.replace("><", ">\n<") + "".join(map(_without_figures, pages[1:]))


def _page(runs: list[Path], path: Path) -> str:
    return HIDDEN.sub("", ragauge.report(runs, path, force=True).read_text("utf-8"))


def _without_figures(page: str) -> str:
    return re.sub("<svg.*?</svg>", "", page, flags=re.DOTALL)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        FILE.write_text(drawn(Path(folder)), encoding="utf-8")
