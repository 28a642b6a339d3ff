"""The pages of the viewer: the list of runs, a report of chosen ones, and what cannot be shown."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from hashlib import sha256
from pathlib import Path
from threading import Lock, Semaphore
from typing import Any, TypeAlias
from urllib.parse import urlencode

from ragauge._version import __version__
from ragauge.core.registry import lookup
from ragauge.errors import UnknownNameError
from ragauge.gates.configuration import primary_setting, project_setting
from ragauge.gates.rules import gate_settings
from ragauge.reports.charts.front import are_known, front, on_front
from ragauge.reports.charts.over_runs import strokes
from ragauge.reports.html import joined, rendered
from ragauge.reports.report import page_of
from ragauge.reports.texts import PageText, Texts, meanings, message, plural
from ragauge.reports.viewer.folders import Version, ViewedRun, check_inside
from ragauge.reports.viewer.outcomes import RunOutcome, bases
from ragauge.reports.viewer.under_way import UnderWay
from ragauge.results.score import Score, shown_name

FILES = ("texts-page.json", "texts-viewer.json")
_MOST_SCORES = 4
"""Metrics that the list has columns of."""
_KEPT = 4
"""Reports that are kept: going back and forth between two runs makes none anew."""
_AT_ONCE = 2
"""Reports that are made at the same time; each holds its runs in memory."""
_POLICY = "connect-src 'self'; form-action 'self'"
"""What the list may do beside what a report may: ask how far runs are, and open those that are chosen."""

_Contents: TypeAlias = tuple[tuple[tuple[str, Version], ...], str]


def version_of(runs: Sequence[ViewedRun]) -> str:
    """Return 16 hexadecimal digits of what the list shows of ``runs``."""
    return sha256(repr([(run.key, run.version, run.problem) for run in runs]).encode()).hexdigest()[:16]


def list_page(language: str, runs: Sequence[ViewedRun], outcomes: Mapping[str, RunOutcome], pinned: str = "") -> str:
    """Return the list of runs; its script asks for what changes. ``pinned``: the key of the run that is the base."""
    base = next((run for run in runs if run.key == pinned and not run.problem), None)
    before, metrics = bases(runs, base), _columns(runs)
    shown = [
        {
            "run": run,
            "address": _address("/report", language, run),
            "compared": _address("/report", language, run, before.get(run.key)) if run.key in before else "",
            "pin": f"/?{urlencode({'base': run.key, 'language': language})}",
            "scores": [(shown_name(name), run.scores.get(name)) for name in metrics],
            "outcome": outcomes.get(run.key),
        }
        for run in runs
    ]
    texts = Texts(language, FILES)
    task = next((run.task for run in runs if not run.problem), "")
    over = [run for run in reversed(runs) if run.task == task and not run.problem]
    heads = [
        (shown_name(name), _meanings(drawn), strokes(texts, name, drawn) if len(drawn) > 1 else "")
        for name in metrics
        if (drawn := [(run.name, run.scores[name]) for run in over if name in run.scores]) or True
    ]
    count, figure = plural("view.count", len(runs)), _front(texts, over, metrics)
    more = {"heads": heads, "base": base, "front": figure}
    return _page(language, problem=None, runs=shown, count=count, state=version_of(runs), **more)


def _meanings(scores: Sequence[tuple[str, Score]]) -> tuple[str, str]:
    """Return what the metric of scores is, in each language of the page; nothing for one that is not known here."""
    try:
        return meanings(lookup("metric", scores[-1][1].signature.partition("|")[0]).cls) if scores else ("", "")
    except UnknownNameError:
        return "", ""


def _front(texts: Texts, runs: Sequence[ViewedRun], metrics: Sequence[str]) -> dict[str, Any] | None:
    """Return the figure of quality by cost and the names on its front; None without a cost, or for fewer than two runs.

    Quality is the first of ``metrics`` of which higher is better; cost the first column of which lower is, as latency.
    """
    scores = {name: score for run in runs for name, score in run.scores.items()}
    quality = next((name for name in metrics if scores[name].direction == "higher"), "") if scores else ""
    costs = (name for name, one in scores.items() if one.direction == "lower" and one.signature.startswith("column|"))
    cost = next(costs, "")
    both = [run for run in runs if {quality, cost} <= run.scores.keys()]
    shown = [run for run in both if are_known(run.scores[cost], run.scores[quality])]
    if len(shown) < 2:
        return None
    names, by_cost = [run.name for run in shown], [run.scores[cost] for run in shown]
    by_quality = [run.scores[quality] for run in shown]
    best = on_front([(one.value, other.value) for one, other in zip(by_cost, by_quality, strict=True)])
    drawn = front(texts, names, by_cost, by_quality)
    titles = {"quality": shown_name(quality), "cost": shown_name(cost)}
    return {"figure": drawn, "best": [names[place] for place in best], "title": message("view.front", **titles)}


def _columns(runs: Sequence[ViewedRun]) -> list[str]:
    """Return the metrics that the list shows: those of the settings, else those that most runs have."""
    counts = Counter(name for run in runs for name in run.scores)
    named = primary_setting(Path(), among=counts)
    return [*(named or [name for name, _ in counts.most_common()])][:_MOST_SCORES]


def _address(path: str, language: str, run: ViewedRun, base: ViewedRun | None = None) -> str:
    """Return the address of the report of a run, beside a base where there is one."""
    own = [("run", run.key), ("language", language)]
    return f"{path}?{urlencode(own if base is None else [('run', base.key), *own, ('base', base.key)])}"


def problem_page(language: str, problem: PageText | str) -> str:
    """Return a page that says why something cannot be shown."""
    return _page(language, problem=problem, runs=[], heads=[], base=None, front=None, count=None, state="")


def _page(language: str, **values: Any) -> str:
    script = joined("explorer/address.js", "explorer/dom.js", "explorer/language.js", "viewer/runs.js")
    style = joined("page.css", "viewer/viewer.css")
    texts = Texts(language, FILES)
    return rendered("viewer/viewer.html.j2", texts, style, script, _POLICY, version=__version__, **values)


def state(
    runs: Sequence[ViewedRun], outcomes: Mapping[str, RunOutcome], under_way: Sequence[UnderWay]
) -> dict[str, Any]:
    """Return what changes while the list is open, as JSON types."""
    plain = {key: {**_text(one.text), "kind": one.kind, "decision": one.decision} for key, one in outcomes.items()}
    return {"version": version_of(runs), "outcomes": plain, "under_way": [_under_way(one) for one in under_way]}


def _under_way(one: UnderWay) -> dict[str, Any]:
    return {
        "key": one.key,
        # JSON cannot hold names of files that are not UTF-8.
        "name": one.name.encode("utf-8", "backslashreplace").decode(),
        "lines": list(map(_text, _lines(one))),
        "done": one.done,
        "total": one.total,
    }


def _lines(one: UnderWay) -> list[PageText]:
    if one.kind == "saving":
        return [message("view.saving")]
    if one.total is None:
        lines = [message(f"view.{one.kind}", n=f"{one.done:,}")]
    else:
        lines = [message(f"view.{one.kind}.of", n=f"{one.done:,}", total=f"{one.total:,}")]
    if one.failed:
        lines.append(message("view.answers.failed", failed=f"{one.failed:,}"))
    lines += one.estimates
    if one.silent:
        return [*lines, message("view.silent", minutes=f"{one.age / 60:.0f}")]
    return [*lines, message("view.age", seconds=f"{one.age:.0f}")]


def _text(one: PageText) -> dict[str, Any]:
    values = {name: value.encode("utf-8", "backslashreplace").decode() for name, value in one.values.items()}
    return {"text": one.key, "values": values}


class Reports:
    """Reports of chosen runs. Each is made once, whoever asks meanwhile waits for it, and the last few are kept."""

    def __init__(self) -> None:
        self._made: OrderedDict[_Contents, Future[bytes]] = OrderedDict()
        self._lock = Lock()
        self._room = Semaphore(_AT_ONCE)

    def page(self, runs: Sequence[ViewedRun], language: str, base: str = "") -> bytes:
        """Return the report of ``runs``, against that with the key ``base``, else the oldest; errors as of `report`."""
        ordered = sorted(runs, key=lambda run: (run.key != base, run.created, run.name))
        contents = tuple((run.key, run.version) for run in ordered), language
        with self._lock:
            future = self._made.get(contents)
            mine = future is None
            if future is None:
                future = self._made[contents] = Future()
            self._made.move_to_end(contents)
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
        if mine:
            self._make(future, contents, ordered)
        return future.result()

    def _make(self, future: Future[bytes], contents: _Contents, runs: Sequence[ViewedRun]) -> None:
        try:
            with self._room:
                future.set_result(_report(runs, contents[1]))
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it too
            with self._lock:
                self._made.pop(contents, None)
            future.set_exception(error)


def _report(runs: Sequence[ViewedRun], language: str) -> bytes:
    for run in runs:
        check_inside(run.path)
    home = f"/?{urlencode({'language': language})}"
    paths, names = zip(*[(run.path, run.name) for run in runs], strict=True)
    shared = set.intersection(*(set(run.scores) for run in runs))
    primary = primary_setting(Path(), among=shared)
    keys = [run.key for run in runs]
    settings: dict[str, Any] = {"primary": primary, "rules": gate_settings(Path()), "project": project_setting(Path())}
    page = page_of(paths, names, language, home=home, keys=keys, **settings)
    return page.html.encode("utf-8", "backslashreplace")
