"""``ragauge validate``: how well metrics agree with human labels."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge.cli.judging import NAMES, judge_options, judging, refuse_dry_run
from ragauge.cli.output import output_format, verbose, write_blocks, write_json
from ragauge.cli.settings import column_map, pairs
from ragauge.cli.share import SHARE
from ragauge.errors import UsageError

if TYPE_CHECKING:
    from ragauge.comparison.risk_coverage import RiskCoverages
    from ragauge.validation.validation import Validation


@click.command("validate")
@click.argument("data")
@click.option(
    "--human", multiple=True, metavar="COLUMN", help="Labels, higher is better; one option for each annotator."
)
@click.option("--confidence", metavar="COLUMN", help="How sure the system was: what do its surest answers score?")
@click.option("--labels", metavar="COLUMN", help="Labels of a random few samples: estimate the mean of all.")
@click.option(
    "-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="A metric; repeatable; default: all metrics."
)
@click.option(
    "--positive", type=float, metavar="X", help="Labels of at least X are good; default: labels of 0 and 1 only."
)
@click.option("--group", metavar="COLUMN", help="Also agreement within each group, averaged.")
@click.option("--system", metavar="COLUMN", help="Also agreement of the means of systems.")
@click.option("--cluster", metavar="COLUMN", help="Samples with the same value belong together; default: --group.")
@click.option("--map", "mapping", multiple=True, metavar="A=B", help="Column A is called B in the data; repeatable.")
@click.option("--lang", metavar="TAG", help="Use this language's tokenizer, as in zh; column: that of each row.")
@judge_options
@click.option("--ci", type=SHARE, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--resamples", type=int, default=1000, show_default=True, help="Bootstrap replicates.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the replicates.")
@output_format("table", "json", "markdown")
@verbose("Also the interval of each measure, and the differences of all pairs of metrics.")
def command(
    data: str,
    metrics: tuple[str, ...],
    mapping: tuple[str, ...],
    output_format: str,
    ci: float,
    *,
    verbose: bool,
    confidence: str | None,
    **options: Any,
) -> None:
    """Compare metrics with human labels on DATA, a file or a saved run.

    With --labels, a metric on all samples and labels of a few estimate the mean that labels of all would have. With
    --confidence, the risk of the answers that stay where those of which the system was least sure are left out.
    Without these, the labels of a saved run are those that its readers gave in ragauge view.
    """
    from ragauge.comparison.risk_coverage import risk_coverages
    from ragauge.validation.validate import result_of, validate

    if confidence is not None and (options["human"] or options["labels"]):
        raise UsageError(
            "RG-CLI-073 --confidence compares a column with scores, without labels. Leave out --human and --labels."
        )
    columns = pairs(mapping) if Path(data).is_dir() else column_map(mapping)
    reading: dict[str, Any] = {"map": columns} if columns else {}
    if options["lang"] is None:
        del options["lang"]
    judge = {name: options.pop(name) for name in ("judge", *NAMES)}
    refuse_dry_run(judge)
    asks = any(value is not None and value is not False for value in judge.values())
    with ExitStack() as stack:
        if asks or [metric for metric in metrics if "judge=" in metric]:
            stack.enter_context(judging(judge))
            reading |= judge
        if confidence is not None:
            if "lang" in options:
                reading["lang"] = options["lang"]
            shown: RiskCoverages | Validation = risk_coverages(
                result_of(data, list(metrics) or None, reading), confidence
            )
        else:
            shown = validate(data, list(metrics) or None, level=ci, **options, **reading)
    if output_format == "json":
        write_json(shown.to_dict())
    else:
        write_blocks(shown.blocks(verbose=verbose), output_format)
