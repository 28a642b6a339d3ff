"""What was evaluated: source, samples, languages, what failed and why, when, by which version, and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from ragauge._version import __version__
from ragauge.core.batch import Dataset
from ragauge.core.measure import FAILURE
from ragauge.core.signature import OUTPUT, TASK, fingerprint
from ragauge.reports.run import Run
from ragauge.reports.samples import Chosen
from ragauge.reports.texts import Said, Subject, count, say

_LABELS = (
    "source",
    "samples",
    "languages",
    "failed",
    "mapping",
    "scored",
    "version",
    "intervals",
    "groups",
    "clusters",
)
_REASONS = 3
_LANGUAGES = 12


@dataclass(frozen=True)
class Fact:
    """A row of the table: ``cells`` holds the lines that each run says."""

    label: Said
    cells: tuple[tuple[Said | str, ...], ...]


@dataclass(frozen=True)
class Overview:
    """``notes`` are what was said when the data were read, by run; ``alignment`` what the runs do not share."""

    facts: tuple[Fact, ...]
    notes: tuple[tuple[str, tuple[str, ...]], ...]
    alignment: tuple[Said, ...]


def overview(subject: Subject) -> Overview:
    """Say what each run was scored on."""
    told = [_told(run) for run in subject.runs]
    labels = [label for label in _LABELS if any(label in run for run in told)]
    facts = [Fact(say(f"page.fact.{label}"), tuple(run.get(label, ()) for run in told)) for label in labels]
    notes = [(run.name, run.result.data.notes) for run in subject.runs if run.result.data.notes]
    return Overview(tuple(facts), tuple(notes), tuple(_alignment(subject)))


def _told(run: Run) -> dict[str, tuple[Said | str, ...]]:
    data, options = run.result.data, run.result.options
    languages, failures = _counted(run)
    facts: dict[str, tuple[Said | str, ...]] = {"source": (data.source,), "samples": (f"{data.rows:,}",)}
    if languages:
        facts["languages"] = (_languages(languages),)
    facts["failed"] = tuple(_failed(run, failures))
    if data.mapping:
        facts["mapping"] = (", ".join(f"{known} ← {given}" for known, given in data.mapping.items()),)
    facts["scored"] = (_date(run.created) if run.created else say("page.not-saved"),)
    facts["version"] = (f"ragauge {run.version or __version__}",)
    facts["intervals"] = (_intervals(options),)
    if options["by"]:
        facts["groups"] = (", ".join(options["by"]),)
    if options["cluster"]:
        facts["clusters"] = (options["cluster"],)
    return facts


def _intervals(options: Any) -> Said:
    if not options["resamples"]:
        return say("page.no-intervals")
    return say(
        "page.intervals", level=f"{100 * options['level']:g}", resamples=options["resamples"], seed=options["seed"]
    )


def _date(created: str) -> str:
    """Write a time of a manifest as people do.

    >>> _date("2026-11-21T11:49:53+00:00")
    '2026-11-21 11:49 UTC'
    """
    day, _, time = created.partition("T")
    return f"{day} {time[:5]} UTC" if created.endswith("+00:00") else created


def _counted(run: Run) -> tuple[Counter[str], Counter[str]]:
    """Count the languages of a run and the reasons for which the system failed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for batch in run.result.data.batches():
        for name, counter in zip(("language", FAILURE), counts, strict=True):
            if name in batch.names:
                for item in pc.value_counts(batch.column(name).cast(pa.string())).to_pylist():
                    counter[item["values"] or ""] += item["counts"]
    counts[1].pop("", None)
    counts[1].pop("false", None)
    return counts


def _languages(counts: Counter[str]) -> str:
    said = [f"{name or '–'} {samples:,}" for name, samples in counts.most_common(_LANGUAGES)]
    return " · ".join([*said, *(["…"] if len(counts) > _LANGUAGES else [])])


def _failed(run: Run, failures: Counter[str]) -> Iterator[Said | str]:
    """Yield how many samples failed, of the system and of metrics, and the most frequent reasons."""
    total = failures.total()
    reasons = {name: Counter(column.reasons.values()) - failures for name, column in run.result.columns.items()}
    if not total and not any(reasons.values()):
        yield say("page.none-failed")
        return
    if total:
        yield say("page.system-failed", n=total, total=run.result.data.rows)
        for reason, times in failures.most_common(_REASONS):
            yield f"{times} × {reason}"
    for name, found in reasons.items():
        if found:
            yield count("page.metric-failed", found.total(), metric=name)
        for reason, times in found.most_common(_REASONS):
            yield f"{times} × {reason}"


def _alignment(subject: Subject) -> Iterator[Said]:
    """Yield what the runs do not have in common."""
    if len(subject.runs) < 2:
        return
    if any(subject.found.left_out):
        yield count("page.aligned", len(subject.found))
        for run, lacking in zip(subject.runs, subject.found.left_out, strict=True):
            if lacking:
                yield count("page.left-out", lacking, run=run.name)
    lone: dict[str, list[str]] = {}
    for one in subject.asked:
        there = [run.name for run, name in zip(subject.runs, one.names, strict=True) if name is not None]
        lone.setdefault(", ".join(there), []).extend([] if one.everywhere else [one.title])
    for names, titles in lone.items():
        if titles:
            yield say("page.only-in", metrics=", ".join(titles), runs=names)


def choice(chosen: Chosen, total: int) -> Said:
    """Say which samples the page holds."""
    if chosen.everything:
        return count("page.all-samples", total)
    shown = f"{chosen.worst + chosen.drawn:,}"
    worst, drawn = f"{chosen.worst:,}", f"{chosen.drawn:,}"
    return say("page.some-samples", n=shown, total=f"{total:,}", worst=worst, drawn=drawn, metric=chosen.by)


@dataclass(frozen=True)
class Recipe:
    """What it takes to score a run again."""

    run: str
    command: str
    call: str
    task: str
    output: str
    signatures: tuple[tuple[str, str], ...]


def recipes(subject: Subject) -> tuple[Recipe, ...]:
    """Say it of each run."""
    return tuple(_recipe(run) for run in subject.runs)


def _recipe(run: Run) -> Recipe:
    data = run.result.data
    recorded = run.manifest.get("data", {})
    return Recipe(
        run.name,
        command(run),
        call(run),
        recorded.get("task") or fingerprint(data, TASK),
        recorded.get("output") or fingerprint(data, OUTPUT),
        tuple((name, run.result[name].signature) for name in run.result.metrics),
    )


def command(run: Run) -> str:
    """Write the command line; what is not as by default only."""
    data, options = run.result.data, run.result.options
    parts = ["ragauge score", *_given(data)]
    parts += [f"-m {quote(spec)}" for spec in run.result.metrics.values()]
    parts += [f"--map {quote(f'{known}={given}')}" for known, given in data.mapping.items()]
    parts += [f"--by {quote(column)}" for column in options["by"]]
    if options["cluster"]:
        parts.append(f"--cluster {quote(options['cluster'])}")
    parts += [f"{flag} {options[name]}" for name, flag, usual in _NUMBERS if options[name] != usual]
    return " \\\n    ".join(parts)


_NUMBERS: tuple[tuple[str, str, Any], ...] = (
    ("level", "--ci", 0.95),
    ("resamples", "--resamples", 1000),
    ("seed", "--seed", 0),
)


def _given(data: Dataset) -> list[str]:
    """Write where the data come from as arguments; what was no file has to be one to be scored again."""
    sources = _sources(data)
    named = [quote(source) if _is_file(source) else kind.upper() for kind, source in sources]
    return named if len(named) == 1 else [f"--{kind} {name}" for (kind, _), name in zip(sources, named, strict=True)]


def _source(data: Dataset) -> str:
    """Write where the data come from as arguments in Python."""
    sources = _sources(data)
    named = [repr(source) if _is_file(source) else kind for kind, source in sources]
    if len(named) == 1:
        return named[0]
    return ",\n    ".join(f"{kind}={name}" for (kind, _), name in zip(sources, named, strict=True))


def _sources(data: Dataset) -> list[tuple[str, str]]:
    """Return what was given, and as what: data, or a run and its qrels."""
    if "in_run" not in data.columns:
        return [("data", data.source)]
    ranking, _, judged = data.source.partition(" and ")
    return [("run", ranking), ("qrels", judged)]


def _is_file(source: str) -> bool:
    return bool(Path(source).suffix) or Path(source).exists()


def call(run: Run) -> str:
    """Write the call in Python."""
    data, options = run.result.data, run.result.options
    source = _source(data)
    specs = "".join(f"        {spec!r},\n" for spec in run.result.metrics.values())
    further = [("map", dict(data.mapping)), ("by", list(options["by"])), ("cluster", options["cluster"])]
    given = [f"    {name}={value!r},\n" for name, value in further if value]
    named = {"level": "ci", "resamples": "resamples", "seed": "seed"}
    given += [f"    {named[name]}={options[name]!r},\n" for name, _, usual in _NUMBERS if options[name] != usual]
    lines = [
        "import ragauge\n\n",
        "result = ragauge.evaluate(\n",
        f"    {source},\n",
        f"    metrics=[\n{specs}    ],\n",
    ]
    return "".join([*lines, *given, ")"])
