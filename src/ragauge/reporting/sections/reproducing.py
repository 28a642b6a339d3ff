"""How to get the same numbers again: signatures, fingerprints, and the call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from ragauge.batch import Dataset
from ragauge.fingerprint import OUTPUT, TASK, fingerprint
from ragauge.reporting.run import Run
from ragauge.reporting.subject import Subject


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
