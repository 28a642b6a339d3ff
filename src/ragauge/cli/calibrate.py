"""``ragauge calibrate``: learn from the user's own data from which similarity on a text counts as support."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import rich_click as click

from ragauge.cli.judging import embedder_at, judge_options, judging, refuse_dry_run
from ragauge.cli.output import check_output, say
from ragauge.cli.settings import column_map
from ragauge.cli.share import SHARE, UP_TO_ONE
from ragauge.core.messages import Counted, Message
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.results.replacing import replacing

if TYPE_CHECKING:
    from ragauge.judges.calibration import Calibration
    from ragauge.validation.calibrated_cascade import CascadeCost

METHODS = ("auto", "ngram-recall", "features", "cosine")


@click.command("calibrate")
@click.argument("data")
@click.option("--embedder", default="lexical", show_default=True, metavar="EMBEDDER", help="As in st[model=...].")
@click.option("--support", type=click.Choice(METHODS), default="auto", show_default=True,
              help="How a claim is compared with a passage.")  # fmt: skip
@click.option("--alpha", type=SHARE, default=0.05, show_default=True, help="The false-positive rate.")
@click.option("--human", metavar="COLUMN", help="Labels of samples, 0 or 1: learn from them instead.")
@click.option("--use", type=click.Choice(("support", "relevance")), default="support", help="What the labels judge.")
@click.option("--positive", type=float, metavar="X", help="Labels of at least X are good.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The thresholds.")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC",
              help="A metric that asks a judge: learn from --human what its scores mean; repeatable.")  # fmt: skip
@click.option("--agree", type=UP_TO_ONE, metavar="X",
              help="Also: which samples to ask it about, so that a share X of labels is told right.")  # fmt: skip
@judge_options
@click.option("--map", "mapping", multiple=True, metavar="A=B", help="Column A is called B in the data; repeatable.")
@click.option("--force", is_flag=True, help="Replace FILE.")
def command(  # noqa: PLR0913 - the options of the command line
    data: str,
    embedder: str,
    support: str,
    alpha: float,
    human: str | None,
    use: Literal["relevance", "support"],
    positive: float | None,
    *,
    output: Path,
    mapping: tuple[str, ...],
    force: bool,
    metrics: tuple[str, ...],
    agree: float | None,
    **judge: Any,
) -> None:
    """Calibrate the thresholds of an embedder to a false-positive rate of ALPHA, or to labels, on DATA.

    DATA needs contexts, and questions, answers or references. Claims are compared with the passages of other samples:
    a share ALPHA of these pairs reaches the threshold. A few hundred samples on different topics are enough. With
    --human the threshold is the one that agrees best with labels of at least 10 samples: 1 where the passages support
    the whole answer (or are relevant to the question), else 0. Use the file as in groundedness:threshold=FILE.

    With -m and --judge, learn from labels of at least 20 samples what the scores of a judge mean: a map for each
    metric, and for each language with 50 labels, and of a decision model the threshold of its probabilities. Use it as
    in judged-faithfulness:calibration=FILE. --agree 0.9 also shows what asking about fewer samples costs, and about
    which, as in judged-faithfulness:ask=0.2..0.8.
    """
    if metrics or judge["judge"] or agree is not None:
        _calibrate_judge(data, metrics, human, output, column_map(mapping), judge, agree=agree, force=force)
        return
    from ragauge.embedders import get
    from ragauge.formats import read
    from ragauge.grounding.support.calibration import calibrate
    from ragauge.grounding.support.scorer import similarity_of
    from ragauge.grounding.support.thresholds import write
    from ragauge.validation.labelled_threshold import calibrate_with_labels

    if not 0 < alpha < 1:
        raise OptionError.value("calibrate", "alpha", "a number above 0 and below 1", alpha)
    check_output(output, force=force)
    embedder = embedder_at(embedder) or "lexical"
    model = get(embedder)
    compared_by = similarity_of(support, model)
    dataset = read(data, mapping=column_map(mapping))
    if human is not None:
        threshold = calibrate_with_labels(dataset, human, model, compared_by, use=use, positive=positive)
        learned: dict[str, dict[str, Any]] = {use: threshold.to_dict()}
        lines = [f"{use}: {threshold}"]
    else:
        thresholds = calibrate(dataset, model, compared_by, alpha=alpha)
        learned = {name: one.to_dict() for name, one in thresholds.items()}
        lines = [f"{name}: {one}" for name, one in thresholds.items()]
    with replacing(output) as new:
        write(new, model, compared_by, learned)
    for line in lines:
        say(line)
    options = ["support=features"] if compared_by == "features" else []
    options += [f"embedder={embedder}"] if embedder != "lexical" or not options else []
    use_as = f"groundedness:{','.join(options)},threshold={output}"
    say(Message("saved to {file}; use it as in {metric}", output, use_as))


def _calibrate_judge(
    data: str, metrics: tuple[str, ...], human: str | None, output: Path, mapping: Any, judge: dict[str, Any], *,
    agree: float | None, force: bool,
) -> None:  # fmt: skip
    """Write what the scores of metrics that ask a judge mean."""
    from ragauge.validation.calibrated_cascade import calibrate_cascade
    from ragauge.validation.calibrated_judge import calibrate_judge

    if not metrics or human is None:
        what = "-m METRIC" if human is not None else "--human COLUMN"
        raise UsageError(
            "RG-VALID-013 {what} is missing: a judge is calibrated with the metrics that ask it, by labels", what
        )
    if agree is not None and not 0 <= agree <= 1:
        raise OptionError.value("calibrate", "agree", Message("a number from {low} to {high}", 0, 1), agree)
    refuse_dry_run(judge)
    check_output(output, force=force)
    without_map: DataError | None = None
    with judging(judge):
        try:
            calibrations = calibrate_judge(data, metrics, human, map=mapping, **judge)
        except DataError as error:
            # The cost of a band does not depend on a map.
            if agree is None or error.codes != ("RG-VALID-012",):
                raise
            without_map = error
        some = () if agree is None else metrics
        costs = [calibrate_cascade(data, one, human, agree or 0.0, map=mapping, **judge) for one in some]
    if without_map is None:
        _write_maps(calibrations, output)
        use_as = _with_options(metrics[0], f"calibration={output}")
        say(Message("saved to {file}; use it as in {metric}", output, use_as))
    for name, rows in zip(metrics, costs, strict=False):
        _write_costs(name, rows, agree or 0.0)
    if without_map is not None:
        raise without_map


def _write_maps(calibrations: Sequence[Calibration], output: Path) -> None:
    """Write what the scores of metrics mean to a file, and how far they are off."""
    from ragauge.judges.calibration import written

    with replacing(output) as new:
        new.write_text(written(calibrations), encoding="utf-8")
    for one in calibrations:
        template = "{metric}: calibration error {before:.3f}, by the map {after:.3f}, from {labels}"
        labels = Counted(one.maps["all"].labels, "label")
        say(Message(template, one.metric, one.error, one.error_mapped, labels))
        if one.thresholds:
            template = (
                "{metric}: threshold {value:g}, distance of verdicts from labels {after:.3f}, at 0.5 {before:.3f}"
            )
            found = one.thresholds
            say(Message(template, one.metric, found.values["all"], found.distance_calibrated, found.distance))


def _with_options(metric: str, options: str) -> str:
    """Return the spec of a metric with other options of those names, and without a threshold."""
    from ragauge.core.spec import parse_spec

    spec, new = parse_spec(metric), [one.partition("=")[0] for one in options.split(",")]
    kept = [f"{name}={text}" for name, text in spec.options.items() if name not in (*new, "threshold")]
    at = f"@{','.join(spec.at)}" if spec.at else ""
    return f"{spec.name}{at}:{','.join([*kept, options])}"


def _write_costs(metric: str, rows: Sequence[CascadeCost], agree: float) -> None:
    """Write what it costs to ask about so many samples, which band to take, and in which languages it agrees less."""
    from ragauge.cli.output import write_blocks
    from ragauge.display.table import Table, TableColumn, TableRow

    numbers = [TableColumn(name, "number") for name in ("asked", "requests", "cost", "agreement")]
    cells = [
        (row.ask, f"{row.asked:.0%}", str(row.requests), "" if row.cost is None else f"{row.cost:.4g}",
         f"{row.agreement:.3f}")
        for row in rows
    ]  # fmt: skip
    write_blocks([Table(metric, (TableColumn("ask", "name"), *numbers), tuple(map(TableRow, cells)))], "table")
    best = max(rows, key=lambda row: (row.chosen, row.agreement))
    use_as = _with_options(metric, best.options)
    if not best.chosen:
        template = "no band agrees with {agree:g} of the labels; nearest is {metric}, with {most:.3f}: {requests}{cost}"
        cost = "" if best.cost is None else Message(", cost {cost:.4g}", best.cost)
        say(Message(template, agree, use_as, best.agreement, Counted(best.requests, "request"), cost))
    elif best.asked:
        say(Message("the fewest samples asked about with that agreement: {metric}", use_as))
    else:
        template = "without any question {most:.3f} of the labels are told right, so no judge is needed: {metric}"
        say(Message(template, best.agreement, use_as))
    for language, (agreement, labels) in best.languages.items():
        if agreement < min(agree, best.agreement):
            template = "in {language} it agrees with {agreement:.3f} of {labels}, less than in all languages together"
            say(Message(template, language, agreement, Counted(labels, "label")))
