"""One figure of each kind, as it is drawn today: ``python -m tests.reports.drawn`` writes them to drawn.html anew.

Open that file in a browser to see them; the style sheet of the report is not in it.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import ragauge
from tests.reports.runs import two_runs

FILE = Path(__file__).with_name("drawn.html")
METRICS = ("ndcg@1,3,5", "token-f1", "groundedness", "column:name=latency,direction=lower")


def drawn(folder: Path) -> str:
    """Return the first figure of each heading of a report on two runs, an element a line."""
    page = ragauge.report(two_runs(folder, count=24, metrics=METRICS), folder / "report.html").read_text("utf-8")
    kinds = re.split("<h[23]", re.sub("<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL))
    figures = [found[0] for kind in kinds if (found := re.search("<svg.*?</svg>", kind, re.DOTALL))]
    return "\n".join(figures).replace("><", ">\n<") + "\n"


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        FILE.write_text(drawn(Path(folder)), encoding="utf-8")
