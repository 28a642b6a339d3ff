"""Reports as a browser gets them today: ``python -m tests.reports.drawn`` writes them to drawn.html anew.

Without scripts and styles, and with one figure of each kind; of some, the samples as the script reads them.
Open drawn.html in a browser to see the figures.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import ragauge
from tests.reports.kinds import kinds
from tests.reports.reading import payload, read
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
    """Return reports on two runs, on one, on two that are not comparable, and of other kinds, with some figures."""
    before, after = two_runs(folder, count=12, metrics=METRICS, by=["language"])
    other = make_run(folder / "other", count=12, seed=3, metrics=["rouge-l"], by=[])
    pages = [_page(runs, folder / "report.html") for runs in ([before, after], [after], [before, other])]
    others = [_one_figure_each(_first_rows(_shown(path))) + _samples(path) for path in kinds(folder)]
    return "".join([_one_figure_each(pages[0]), *map(_without_figures, pages[1:]), *others])


def _page(runs: list[Path], path: Path) -> str:
    return _shown(ragauge.report(runs, path, force=True))


def _shown(path: Path) -> str:
    return HIDDEN.sub("", path.read_text("utf-8"))


def _samples(path: Path) -> str:
    """Return the samples that the page's script reads, each part on a line of its own."""
    held = payload(read(path))
    parts = [*held.items(), *(item for run in held.pop("by_run") for item in run.items())]
    return "".join(f"{json.dumps(part, ensure_ascii=False)}\n" for part in parts)


def _first_rows(page: str) -> str:
    """Return a page with the first eight rows of each table."""
    return re.sub(r"(<tbody>\s*(?:<tr.*?</tr>\s*){8}).*?(?=</tbody>)", r"\1", page, flags=re.DOTALL)


def _one_figure_each(page: str) -> str:
    """Return a page with the first figure below each heading."""
    parts = [re.split("(?<=</svg>)", part) for part in re.split("(?=<h[23])", page)]
    return "".join(first + _without_figures("".join(others)) for first, *others in parts).replace("><", ">\n<")


def _without_figures(page: str) -> str:
    return re.sub("<svg.*?</svg>", "", page, flags=re.DOTALL)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        FILE.write_text(drawn(Path(folder)), encoding="utf-8")
