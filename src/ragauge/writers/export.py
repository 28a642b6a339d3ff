"""The call that writes a finished run to a target."""

from __future__ import annotations

from typing import Any, cast

from ragauge.core.registry import lookup, make_ingredient
from ragauge.errors import OptionError
from ragauge.gates.gate import Gate
from ragauge.reports.runs import RunLike
from ragauge.writers.writer import Writer, Written, finished


def export(
    run: RunLike,
    to: str | Writer,
    /,
    *,
    name: str = "",
    baseline: RunLike | None = None,
    gate: Gate | None = None,
    **options: Any,
) -> Written:
    """Write a finished run to where a team looks: an experiment tracker, traces, a file.

    Nothing is scored again. Each mean goes with its interval, its coverage and its direction; samples that failed, are
    missing or undefined are written as such.

    Args:
        run: a result or the directory of a saved run.
        to: a target, ``mlflow`` or ``mlflow[experiment=rag]``, or a writer of your own.
        name: of the run at the target; by default that of its directory.
        baseline: the run that it is compared with, for targets that show a difference.
        gate: what `ragauge.gate` returned, for targets that show whether the run passed.
        options: those of the target, where ``to`` is its name alone.

    Returns:
        Where it stands, and notes on what was left out.

    Raises:
        UnknownNameError: there is no such target.
        OptionError: the target has no such option, or it does not take the value.
        MissingExtraError: the target needs a library that is not installed.
        UsageError: the target cannot be written.
        DataError: a directory is no saved run.

    >>> from dataclasses import dataclass
    >>> import ragauge
    >>> @dataclass(frozen=True)
    ... class Printer:
    ...     def write(self, run):
    ...         score = run.result["exact-match"]
    ...         return Written(f"{run.name}: {score.value}, {score.scored} of {score.total}")
    >>> result = ragauge.evaluate([{"answer": "林婉", "references": ["林婉"]}], "exact-match")
    >>> print(export(result, Printer(), name="茶"))
    茶: 1.0, 1 of 1
    """
    return writer(to, **options).write(finished(run, name, baseline, gate))


def writer(to: str | Writer, **options: Any) -> Writer:
    """Return the writer that ``to`` names, with ``options``; errors as of `export`."""
    if not isinstance(to, str):
        if not isinstance(to, Writer) or isinstance(to, type):
            raise OptionError.value("export", "to", "a target such as 'mlflow', or an object with write(run)", to)
        if options:
            raise OptionError.unknown("export", next(iter(options)), ("name", "baseline", "gate"))
        return to
    if not options:
        return cast("Writer", make_ingredient("writer", to))
    if "[" in to:
        raise OptionError.value("export", "to", "the name of a target alone where options are given", to)
    return cast("Writer", lookup("writer", to.strip()).cls(**options))
