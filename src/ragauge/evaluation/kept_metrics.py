"""The metrics of a saved run, built again: with another judge, or with code that is in a file of the user."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ragauge.core.lazy import lazy_pattern
from ragauge.core.loading import checking_code_of_runs, is_in_code
from ragauge.core.messages import Argument, Message
from ragauge.core.protocol import Metric
from ragauge.core.spec import parse_spec, write
from ragauge.core.statistics import Status
from ragauge.errors import UnknownNameError, UsageError
from ragauge.metrics.parse import parse
from ragauge.results.result import Result
from ragauge.results.storage import UnknownMetric

_OF_CODE = lazy_pattern(r"function\[name=([^@\],]+)@")
_JUDGE = lazy_pattern(r"judge=function\[name=([^@\],]+)@")


def metrics_of_run(run: Result, judge: object | None, *, resume: bool) -> dict[str, Metric]:
    """Return the metrics of a run by their names, with ``judge`` in place of their own where one is given.

    Raises:
        UsageError: the run is resumed, and its own judge judged some samples; or its code has changed.
        UnknownNameError: a metric cannot be built here, or its code is not run.
    """
    return {name: _metric(run, name, judge, resume=resume) for name in run.metrics}


def _metric(run: Result, name: str, judge: object | None, *, resume: bool) -> Metric:
    own = run.metrics[name]
    spec = str(own)
    if judge is not None and "judge=" in spec:
        return _with_judge(run, name, judge, resume=resume)
    if not isinstance(own, UnknownMetric):
        return own
    text = name if is_in_code(name) else spec
    places = code_in(name, spec)
    if not places:
        return run.metric(name)
    gone = [place for place in places if place.rpartition(":")[0].endswith(".py") and not file_of(place).is_file()]
    if gone:
        raise _absent(name, Message("{file}: file not found", file_of(gone[0])), gone[0], spec)
    with checking_code_of_runs():
        try:
            metric = parse(text)
        except UnknownNameError as error:
            raise _absent(name, error, places[0], spec) from None
    if resume and str(metric) != spec:
        template = "RG-EVAL-035 the code of {place} has changed since the run; name it: {argument}"
        raise UsageError(template, places[0], _named(places[0], spec))
    return metric


def _with_judge(run: Result, name: str, judge: object, *, resume: bool) -> Metric:
    spec = str(run.metrics[name])
    parsed = parse_spec(spec)
    others = ",".join(f"{key}={value}" for key, value in parsed.options.items() if key != "judge")
    at = f"@{','.join(parsed.at)}" if parsed.at else ""
    with checking_code_of_runs():
        metric = parse(f"{parsed.name}{at}{':' if others else ''}{others}", {"judge": judge})
    judged = int(np.count_nonzero(run.columns[name].status == Status.OK))
    if resume and judged and str(metric) != spec:
        kept = parsed.options["judge"]
        raise UsageError(
            "RG-EVAL-036 {metric}: {kept} judged {n} of the samples, and one mean of two judges says nothing; leave "
            "out {judge} to go on with it, or {resume} to judge all samples by the new one",
            name,
            kept,
            judged,
            Argument("judge", write(judge)),
            Argument("resume", value=True),
        )
    return metric


def _absent(name: str, why: object, place: str, spec: str) -> UnknownNameError:
    template = "RG-EVAL-034 {metric} of the run cannot be built again: {why}; name its code: {argument}"
    return UnknownNameError(template, name, why, _named(place, spec))


def file_of(place: str) -> Path:
    """Return the file of ``file.py:name``."""
    return Path(place.rpartition(":")[0])


def code_in(name: str, spec: str) -> list[str]:
    """Return the places of code that a metric of a run names, by its name and its spec.

    >>> code_in("checks.py:polite", "polite"), code_in("a", "a:judge=function[name=app.py:ask@b92828f5]")
    (['checks.py:polite'], ['app.py:ask'])
    """
    return [name] if is_in_code(name) else [place for place in _OF_CODE.findall(spec) if is_in_code(place)]


def _named(place: str, spec: str) -> Argument:
    """Return the argument by which the user names the code of a run."""
    if place in _JUDGE.findall(spec):
        return Argument("judge", place)
    return Argument("metrics", place if not _OF_CODE.search(spec) else spec)


def arguments_of_code(run: Result) -> list[tuple[str, str]]:
    """Return what names the code of a run to whoever resumes it, pairs of ``judge`` or ``metrics`` and a value.

    Nothing where it has none. One judge of all its judged metrics is enough; else all metrics are named.
    """
    specs = {name: str(metric) for name, metric in run.metrics.items()}
    if not any(code_in(name, spec) for name, spec in specs.items()):
        return []
    judged = [spec for spec in specs.values() if "judge=" in spec]
    judges = {place for spec in judged for place in _JUDGE.findall(spec) or [""]}
    others = [name for name, spec in specs.items() if code_in(name, _JUDGE.sub("", spec))]
    if len(judges) == 1 and "" not in judges and not others:
        return [("judge", judges.pop())]
    return [("metrics", name if name == spec or is_in_code(name) else f"{name}={spec}") for name, spec in specs.items()]
