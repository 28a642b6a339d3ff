"""``wandb``: a run of Weights & Biases with numbers, a table of the samples and the HTML report; offline by default."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal

from ragauge.core.registry import ingredient
from ragauge.errors import MissingExtraError, UsageError, excerpt
from ragauge.writers.measures import config_of, measures
from ragauge.writers.samples import plain_rows, sample_table
from ragauge.writers.writer import FinishedRun, Written, page_of


@ingredient("writer", "wandb")
@dataclass(frozen=True)
class WandbWriter:
    """A run of Weights & Biases.

    Each mean is a number by the metric's name, with ``/low``, ``/high``, ``/coverage``, ``/failed`` and so on beside
    it. Names stay as they are, ``ndcg@10``. The run's config holds direction, signature and stage of each metric. The
    samples are a table, ``ragauge/samples``, with their scores and statuses, and the HTML report is ``ragauge/report``.
    There are several tables where there are more than 200,000 samples, because wandb cuts longer ones.

    The run is kept in a folder, and nothing is sent: ``wandb sync FOLDER`` sends it. ``mode=online`` or ``WANDB_MODE``
    sends it at once, with the key that ``wandb login`` or ``WANDB_API_KEY`` gives. Where the process has a run open,
    that one gets all of it.

    Args:
        project: its name.
        entity: the team or user.
        folder: where ``wandb`` keeps runs; by default the current folder, or ``WANDB_DIR``.
        mode: ``offline`` or ``online``; by default as ``WANDB_MODE`` says, else offline.
        samples: write the table of the samples, with all their texts, and the report, which holds them too.

    Raises:
        MissingExtraError: wandb is not installed.
        UsageError: wandb refuses the run, as without a key when it is online.
    """

    project: str = "ragauge"
    entity: str = ""
    folder: str = ""
    mode: Literal["auto", "offline", "online"] = "auto"
    samples: bool = True

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        try:
            import wandb
        except ImportError:
            raise MissingExtraError.of("writer 'wandb'", "wandb", "wandb") from None
        current = wandb.run
        try:
            opened = current or self._opened(wandb, run)
            folder, offline = opened.settings.sync_dir, opened.offline
            where = f"{folder}; send it with: wandb sync {folder}" if offline else opened.url
            opened.config.update(config_of(run), allow_val_change=True)
            opened.log(measures(run.result, "/"))
            if self.samples:
                _log_samples(wandb, opened, run)
            if current is None:
                opened.finish()
        except (wandb.errors.Error, OSError) as error:
            raise UsageError(
                "RG-WRITE-027 wandb refused the run: {reason}; look at project, entity and mode of writer 'wandb'",
                excerpt(str(error), 400),
            ) from error
        return Written(where)

    def _opened(self, wandb: Any, run: FinishedRun) -> Any:
        """Return a new run."""
        mode = os.environ.get("WANDB_MODE", "offline") if self.mode == "auto" else self.mode
        return wandb.init(
            project=self.project,
            entity=self.entity or None,
            name=run.name,
            dir=self.folder or None,
            mode=mode,
            # Standard output belongs to the command.
            settings=wandb.Settings(console="off", silent=True),
        )


def _log_samples(wandb: Any, opened: Any, run: FinishedRun) -> None:
    table = sample_table(run.result)
    rows = list(plain_rows(table))
    # wandb cuts longer tables without an error.
    most = wandb.Table.MAX_ARTIFACT_ROWS
    for first in range(0, max(len(rows), 1), most):
        title = f"ragauge/samples from {first + 1}" if first else "ragauge/samples"
        part = rows[first : first + most]
        opened.log({title: wandb.Table(columns=table.column_names, data=part, allow_mixed_types=True)})
    opened.log({"ragauge/report": wandb.Html(page_of(run), inject=False)})
