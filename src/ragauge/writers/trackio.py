"""``trackio``: a run of Trackio with numbers, a table of the samples and the HTML report, on this machine."""

from __future__ import annotations

import sys
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

from ragauge.core.registry import ingredient
from ragauge.errors import MissingExtraError, UsageError, excerpt
from ragauge.writers.measures import config_of, measures
from ragauge.writers.samples import plain_rows, sample_table
from ragauge.writers.writer import FinishedRun, Written, page_of


@ingredient("writer", "trackio")
@dataclass(frozen=True)
class TrackioWriter:
    """A run of Trackio, in its database on this machine; ``trackio show`` shows it.

    Each mean is a number by the metric's name, with ``/low``, ``/high``, ``/coverage``, ``/failed`` and so on beside
    it. Names stay as they are, ``ndcg@10``. The run's config holds direction, signature and stage of each metric. The
    samples are a table, ``ragauge/samples``, with their scores and statuses, and the HTML report is ``ragauge/report``.

    Trackio sends runs to a server only where its variables ``TRACKIO_SPACE_ID`` or ``TRACKIO_SERVER_URL`` name one. Its
    database is in ``TRACKIO_DIR``, by default in the cache of Hugging Face.

    Args:
        project: its name.
        samples: write the table of the samples, with all their texts, and the report, which holds them too.

    Raises:
        MissingExtraError: trackio is not installed.
        UsageError: trackio refuses the run.
    """

    project: str = "ragauge"
    samples: bool = True

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        try:
            import trackio
        except ImportError:
            raise MissingExtraError.of("writer 'trackio'", "trackio", "trackio") from None
        current = trackio.context_vars.current_run
        before = current.get()
        try:
            # Standard output belongs to the command; what Trackio leaves out it says in warnings.
            with redirect_stdout(sys.stderr), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                config = config_of(run)
                opened = trackio.init(self.project, name=run.name, config=config, embed=False)
                opened.log(measures(run.result, "/"))
                if self.samples:
                    _log_samples(trackio, opened, run)
                opened.finish()
        except (ValueError, RuntimeError, OSError) as error:
            raise UsageError(
                "RG-WRITE-026 trackio refused the run: {reason}; look at project of writer 'trackio'",
                excerpt(str(error), 400),
            ) from error
        finally:
            current.set(before)
        notes = tuple(dict.fromkeys([str(one.message) for one in caught if "trackio" in str(one.message)]))
        return Written(f"run {opened.name} of project {self.project}; look at it with: trackio show", notes)


def _log_samples(trackio: Any, opened: Any, run: FinishedRun) -> None:
    table = sample_table(run.result)
    shown = trackio.Table(columns=table.column_names, data=list(plain_rows(table)), allow_mixed_types=True)
    opened.log({"ragauge/samples": shown, "ragauge/report": trackio.Html(page_of(run), inject=False)})
