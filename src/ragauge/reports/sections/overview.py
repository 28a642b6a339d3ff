"""The data, options and failures of the runs, and the commands that score them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias

import pyarrow as pa

from ragauge._version import __version__
from ragauge.comparison.verdict import MOST_LOST
from ragauge.core import compute as pc
from ragauge.core.batch import Dataset
from ragauge.core.messages import Counted, Message
from ragauge.reports.runs import Page, Run, Selection
from ragauge.reports.texts import PageText, message, plural
from ragauge.results.fingerprint import OUTPUT, TASK, fingerprint
from ragauge.results.score import shown_name

Lines: TypeAlias = list[PageText | str]

_MOST_REASONS = 3
_MOST_LANGUAGES = 12


def facts(page: Page) -> list[tuple[PageText, list[Lines]]]:
    """Return the data, options and failures of the runs: the name of each fact, and its lines for each run."""
    by_run = [_facts(run) for run in page.runs]
    rows = [(message(f"page.fact.{name}"), [lines[name] for lines in by_run]) for name in by_run[0]]
    return [(name, lines_of_runs) for name, lines_of_runs in rows if any(lines_of_runs)]


def head(page: Page) -> Lines:
    """Return what the head says behind the name of the page: the number of samples, days and tags of the runs."""
    recorded = [run.manifest.get("run", {}) for run in page.runs]
    days = sorted({str(one["created"])[:10] for one in recorded if "created" in one})
    tags = list(dict.fromkeys(str(one["tag"]) for one in recorded if one.get("tag")))
    samples = Counted(len(page.samples), "paired sample" if len(page.runs) > 1 else "sample")
    tagged = [message("page.tags", tags=" → ".join(tags))] if tags else []
    return [Message("{samples}", samples), *filter(None, [" – ".join(dict.fromkeys(days[:1] + days[-1:]))]), *tagged]


def _facts(run: Run) -> dict[str, Lines]:
    """Return the lines of each fact; none where there is nothing to say."""
    data, options = run.result.data, run.result.options
    recorded = run.manifest.get("run", {})
    languages = _languages(run)
    shown = [f"{name or '–'} {samples:,}" for name, samples in languages.most_common(_MOST_LANGUAGES)]
    lines: dict[str, Lines] = {
        "source": [data.source],
        "samples": [f"{data.rows:,}"],
        "languages": [" · ".join([*shown, *(["…"] if len(languages) > _MOST_LANGUAGES else [])])],
        "failed": list(_failures(run)),
        "mapping": [", ".join(f"{known} ← {name}" for known, name in data.mapping.items())],
        "scored": [_date(recorded["created"]) if "created" in recorded else message("page.not-saved")],
        "version": [f"ragauge {recorded.get('ragauge', __version__)}"],
        "intervals": [_intervals(options)],
        "groups": [", ".join(options["by"])],
        "clusters": [options["cluster"] or ""],
    }
    return {name: list(filter(None, some)) for name, some in lines.items()}


def _intervals(options: Any) -> PageText:
    if not options["resamples"]:
        return message("page.no-intervals")
    level = f"{100 * options['level']:g}"
    if options["interval"] == "jackknife":
        return message("page.intervals.jackknife", level=level)
    return message("page.intervals", level=level, resamples=options["resamples"], seed=str(options["seed"]))


def _date(created: str) -> str:
    """Return the time of a manifest in a form for readers.

    >>> _date("2026-11-21T11:49:53+00:00")
    '2026-11-21 11:49 UTC'
    """
    day, _, time = created.partition("T")
    return f"{day} {time[:5]} UTC" if created.endswith("+00:00") else created


def _languages(run: Run) -> Counter[str]:
    """Return how many samples have each language."""
    languages: Counter[str] = Counter()
    if "language" in run.result.data.columns:
        for item in pc.value_counts(run.result.column("language").cast(pa.string())).to_pylist():
            languages[item["values"] or ""] += item["counts"]
    return languages


def failed(page: Page) -> dict[str, Lines]:
    """Return how many samples failed and why, by the names of the runs where any did."""
    lines = {run.name: list(_failures(run)) for run in page.runs}
    return {name: some for name, some in lines.items() if some != [message("page.none-failed")]}


def failing_metrics(page: Page) -> set[str]:
    """Return the names of the runs in which a metric alone failed on more than 5 % of the samples."""
    return {
        run.name
        for run in page.runs
        if any(
            (Counter(column.reasons.values()) - run.reasons).total() > MOST_LOST * run.result.data.rows
            for column in run.result.columns.values()
        )
    }


def _failures(run: Run) -> Iterator[PageText | str]:
    """Yield how many samples failed, of the system and of metrics, and the most frequent reasons."""
    total = run.failed
    by_metric = {name: Counter(column.reasons.values()) - run.reasons for name, column in run.result.columns.items()}
    if not total and not any(by_metric.values()):
        yield message("page.none-failed")
        return
    if total:
        yield message("page.system-failed", n=total, total=run.result.data.rows)
        yield from (f"{count:,} × {reason}" for reason, count in run.reasons.most_common(_MOST_REASONS))
    for name, reasons in by_metric.items():
        if reasons:
            yield plural("page.metric-failed", reasons.total(), metric=shown_name(name))
        yield from (f"{count:,} × {reason}" for reason, count in reasons.most_common(_MOST_REASONS))


def alignment(page: Page) -> Iterator[PageText]:
    """Yield the samples and metrics that the runs do not share."""
    if len(page.runs) < 2:
        return
    if any(page.samples.left_out):
        yield plural("page.aligned", len(page.samples))
        for run, left_out in zip(page.runs, page.samples.left_out, strict=True):
            if left_out:
                yield plural("page.left-out", left_out, run=run.name)
    titles: dict[str, list[str]] = {}
    for metric in page.metrics:
        if not metric.everywhere:
            runs = ", ".join(run.name for run, name in zip(page.runs, metric.names, strict=True) if name is not None)
            titles.setdefault(runs, []).append(metric.title)
    for runs, metrics in titles.items():
        yield message("page.only-in", metrics=", ".join(metrics), runs=runs)


def listed_samples(page: Page, selection: Selection) -> PageText:
    """Return which samples the page holds."""
    total = len(page.samples)
    if selection.everything:
        return plural("page.all-samples", total)
    shown = f"{selection.worst + selection.drawn:,}"
    worst, drawn, run = f"{selection.worst:,}", f"{selection.drawn:,}", page.names[page.shown]
    return message(
        "page.some-samples", n=shown, total=f"{total:,}", worst=worst, drawn=drawn, metric=selection.by, run=run
    )


def recipe(run: Run) -> dict[str, Any]:
    """Return how to score a run again, with the fingerprints of its data and the signatures of its scores."""
    data, recorded = run.result.data, run.manifest.get("data", {})
    return {
        "run": run.name,
        "command": command(run),
        "call": call(run),
        "task": recorded.get("task") or fingerprint(data, TASK),
        "output": recorded.get("output") or fingerprint(data, OUTPUT),
        "signatures": {name: run.result[name].signature for name in run.result.metrics},
    }


_NUMBERS: tuple[tuple[str, str, Any], ...] = (
    ("level", "ci", 0.95),
    ("interval", "interval", "jackknife"),
    ("resamples", "resamples", 1000),
    ("seed", "seed", 0),
)
"""Options with a default: their names in a result and as arguments, and the default."""


def command(run: Run) -> str:
    """Return the command line, without options that have their default."""
    data, options = run.result.data, run.result.options
    sources = [(kind, quote(source) if _is_file(source) else kind.upper()) for kind, source in _sources(data)]
    parts = ["ragauge score", *(name if len(sources) == 1 else f"--{kind} {name}" for kind, name in sources)]
    parts += [f"-m {quote(spec)}" for spec in map(str, run.result.metrics.values())]
    parts += [f"--map {quote(f'{known}={name}')}" for known, name in data.mapping.items()]
    parts += [f"--by {quote(column)}" for column in options["by"]]
    if options["cluster"]:
        parts.append(f"--cluster {quote(options['cluster'])}")
    parts += [f"--{flag} {options[name]}" for name, flag, default in _NUMBERS if options[name] != default]
    return " \\\n    ".join(parts)


def call(run: Run) -> str:
    """Return the call in Python, without arguments that have their default."""
    data, options = run.result.data, run.result.options
    sources = [(kind, repr(source) if _is_file(source) else kind) for kind, source in _sources(data)]
    arguments = [name if len(sources) == 1 else f"{kind}={name}" for kind, name in sources]
    specs = "".join(f"        {spec!r},\n" for spec in map(str, run.result.metrics.values()))
    arguments.append(f"metrics=[\n{specs}    ]")
    optional = [("map", dict(data.mapping)), ("by", list(options["by"])), ("cluster", options["cluster"])]
    arguments += [f"{name}={value!r}" for name, value in optional if value]
    arguments += [f"{argument}={options[name]!r}" for name, argument, default in _NUMBERS if options[name] != default]
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return f"import ragauge\n\nresult = ragauge.evaluate(\n{lines})"


def _sources(data: Dataset) -> list[tuple[str, str]]:
    """Return the arguments that name the data: data, or run and qrels."""
    if "in_run" not in data.columns:
        return [("data", data.source)]
    ranking, _, judgements = data.source.partition(" and ")
    return [("run", ranking), ("qrels", judgements)]


def _is_file(source: str) -> bool:
    """Return whether ``source`` names a file; other data must be saved as one before they are scored again."""
    return bool(Path(source).suffix) or Path(source).exists()
