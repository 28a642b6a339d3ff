"""Saved runs or results as one HTML page."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from ragauge._version import __version__
from ragauge.comparison.compare import listed
from ragauge.core.messages import Face, Message, own_words
from ragauge.errors import UsageError
from ragauge.reports.card import SIZE, Forwarded
from ragauge.reports.charts.canvas import legend, mark
from ragauge.reports.chromium import drawn
from ragauge.reports.html import joined, rendered
from ragauge.reports.payload import payload
from ragauge.reports.room import encoded, fitting, room
from ragauge.reports.runs import Page, RunLike, Selection, load_runs, select
from ragauge.reports.sections.apart import apart_groups
from ragauge.reports.sections.changes import Changes, changes
from ragauge.reports.sections.conclusion import conclusion, ranked_first, run_lines
from ragauge.reports.sections.confidence import confidence
from ragauge.reports.sections.distributions import distributions, relations
from ragauge.reports.sections.flow import flow
from ragauge.reports.sections.history import OverTime, PastRuns, over_time
from ragauge.reports.sections.matrix import matrix
from ragauge.reports.sections.overview import alignment, facts, failed, failing_metrics, head, listed_samples, recipe
from ragauge.reports.sections.scores import cutoffs, groupings, limits, scorecard
from ragauge.reports.sections.summary import cards, fallen, paired, shown_once
from ragauge.reports.sections.weakest import weakest
from ragauge.reports.texts import ASSETS, PageText, Texts
from ragauge.results.replacing import check_new_file, replacing

LIMIT = 20_000


def report(  # noqa: PLR0913 - the options of the command line
    runs: RunLike | Iterable[RunLike],
    path: str | PathLike[str],
    *,
    names: Sequence[str] = (),
    language: str = "en",
    limit: int = LIMIT,
    metric: str | None = None,
    history: PastRuns | None = None,
    on: str = "id",
    primary: str | Iterable[str] = (),
    project: str = "",
    card: str | PathLike[str] | None = None,
    pdf: str | PathLike[str] | None = None,
    force: bool = False,
) -> Path:
    """Write one self-contained HTML page of ``runs``: it needs no network and opens from disk.

    Args:
        runs: results or directories of saved runs; the first is the baseline of the others.
        path: the file to write.
        names: of the runs; by default those of their directories.
        language: of the page when it opens, ``en`` or ``zh``; readers can change it.
        limit: the page holds at most so many samples: one half the worst, one half drawn at random from the rest.
        metric: by which samples are the worst; by default the primary one that tells best whether an answer is right.
        history: past runs to show each metric over, with the change that each run brought: directories of saved runs,
            folders that hold some, or what `ragauge.history` returns.
        on: the column to pair samples of several runs by, where their ids differ.
        primary: the metrics that verdicts rest on, at most five; by default those that
            `ragauge.comparison.primary.primary_metrics` takes.
        project: the name that the page and the card begin with.
        card: also write a card of 1200 x 630 pixels to this file, .svg or .png: verdict, four numbers, date and tag.
        pdf: also write the card, the scores and the ten worst samples to this PDF. It and a .png need a Chromium.
        force: replace existing files.

    Returns:
        The path of the page.

    Raises:
        UsageError: the file exists or cannot be written, or an argument has a wrong value.
        DataError: a directory is no saved run.

    >>> import ragauge, tempfile
    >>> result = ragauge.evaluate([{"answer": "Anna", "references": ["Anna", "A."]}], "exact-match")
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     page = report(result, Path(directory) / "report.html").read_text(encoding="utf-8")
    >>> page.count("<script"), "http://" in page
    (3, False)
    """
    options: dict[str, Any] = {"language": language, "limit": limit, "metric": metric, "history": history, "on": on}
    options |= {"names": names, "primary": primary, "project": project, "card": card, "pdf": pdf}
    return written(runs, path, force=force, **options).path


_ON_PAPER = Message("or print the page from a browser: its print style has the same and more")
_AS_SVG = Message("or write an .svg file, which needs no browser")


def _check_card(card: Path) -> None:
    if card.suffix.lower() not in (".svg", ".png"):
        raise UsageError("RG-REPORT-013 a card is an .svg or a .png file; got {file!r}", str(card))


def _forwarded(short: Forwarded, card: Path | None, pdf: Path | None, *, force: bool) -> None:
    """Write the card and the pages of paper that are wanted."""
    for file in filter(None, (card, pdf)):
        if file == pdf:
            made = drawn(short.paper(), ".html", ".pdf", "--print-to-pdf", otherwise=_ON_PAPER)
        elif file.suffix.lower() == ".svg":
            made = short.card().encode("utf-8", "backslashreplace")
        else:
            size = ",".join(map(str, SIZE))
            made = drawn(short.card(), ".svg", ".png", "--screenshot", otherwise=_AS_SVG, size=size)
        with replacing(file, partial(check_new_file, file, force=force)) as new:
            new.write_bytes(made)


class WrittenPage(NamedTuple):
    """A page that was written; where its samples are too large for it, how many of them have room.

    ``not_compared``: why the runs were not, if so.
    """

    path: Path
    samples_with_room: int | None
    not_compared: str | None = None


def written(
    runs: RunLike | Iterable[RunLike],
    path: str | PathLike[str],
    *,
    card: str | PathLike[str] | None = None,
    pdf: str | PathLike[str] | None = None,
    force: bool = False,
    **options: Any,
) -> WrittenPage:
    """Write the page as `report` does; ``options`` are those of `page_of`."""
    target = Path(path)
    own_card, own_pdf = (None if one is None else Path(one) for one in (card, pdf))
    if own_card is not None:
        _check_card(own_card)
    for file in (target, own_card, own_pdf):
        if file is not None:
            check_new_file(file, force=force)
    html, most, short, not_compared = page_of(runs, **options)
    with replacing(target, partial(check_new_file, target, force=force)) as new:
        # Names of files that are not UTF-8 are shown as escapes.
        new.write_text(html, encoding="utf-8", errors="backslashreplace", newline="\n")
    _forwarded(short, own_card, own_pdf, force=force)
    return WrittenPage(target, most, not_compared)


class MadePage(NamedTuple):
    """The HTML of a page, how many samples have room (None where all of them do), and what is sent on of it.

    ``not_compared``: why the runs were not, if so.
    """

    html: str
    samples_with_room: int | None
    short: Forwarded
    not_compared: str | None


@contextmanager
def _without_search_for_cycles() -> Iterator[None]:
    """A page is made of millions of lists, none of them in a cycle: to search for such takes a sixth of the time."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()


@_without_search_for_cycles()
def page_of(  # noqa: PLR0913 - the options of `report`, and who shows the page
    runs: RunLike | Iterable[RunLike],
    names: Sequence[str] = (),
    language: str = "en",
    limit: int = LIMIT,
    metric: str | None = None,
    history: PastRuns | None = None,
    on: str = "id",
    primary: str | Iterable[str] = (),
    *,
    project: str = "",
    home: str = "",
    keys: Sequence[str] = (),
    rules: Mapping[str, Any] | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> MadePage:
    """Return what `report` writes.

    ``home``: the address of a list of runs, which the page links to; ``keys``: those of the runs there, which get
    thumbs; ``rules``: arguments of `ragauge.gate`, which decide the verdicts; ``step`` takes what is done now: ``runs``
    (reading them), ``comparing`` or ``page``.
    """
    step("runs")
    wanted = listed("the report", "primary", primary)
    loaded = load_runs(runs, names)
    step("comparing")
    page = Page.of(loaded, Texts(language), on, rules=rules or {}, primary=wanted, project=project)
    changed = changes(page)
    page = replace(page, shown=ranked_first(page, changed))
    selection = select(page, limit, metric)
    over = over_time(page.texts, history)
    sections = {**_sections(page, selection, over, changed), "home": home, "keys": keys}
    causes = changed.candidates[page.shown - 1].causes if changed is not None and changed.candidates else ()
    states = sections["flow"].codes(selection.rows) if sections["flow"] else ()
    step("page")
    html, held = _render(page.texts, sections), payload(page, selection, causes, states)
    frame = len(html.encode("utf-8", "replace"))
    samples = encoded(held, room(len(page.runs), held["shown"]) - frame)
    most = fitting(len(page.runs), held["shown"], frame, len(samples))
    not_compared = None if changed is None else changed.problem
    return MadePage(_with_samples(html, samples), most, _short(page, sections), not_compared)


def _short(page: Page, sections: dict[str, Any]) -> Forwarded:
    changed = sections["changes"]
    first = next((one.text for one in sections["conclusion"]), "")
    said = page.texts.text(first) if isinstance(first, PageText) else own_words(first, Face(page.texts.language))
    compared = changed is not None and bool(changed.candidates)
    verdict = changed.candidates[page.shown - 1].verdict if compared else None
    return Forwarded(page, sections["cards"], page.shown, said, verdict, changed.comparison if compared else None)


def _sections(page: Page, selection: Selection, past: OverTime | None, changed: Changes | None) -> dict[str, Any]:
    weak = weakest(page, selection)
    shown_cards, equations = shown_once(page, cards(page, changed))
    apart = apart_groups(page)
    scored = any(card.score.scored for card in shown_cards)
    return {
        "cards": shown_cards,
        "equations": equations,
        "conclusion": conclusion(page, changed, apart.groups),
        "flow": flow(page, changed),
        "run_lines": run_lines(page, changed),
        "paired": paired(shown_cards),
        "shown_run": page.names[page.shown],
        "ranked": changed is not None and bool(changed.order),
        "fallen": fallen(page, selection, shown_cards),
        "failed": failed(page),
        "failing_metrics": failing_metrics(page),
        "apart": apart,
        "intervals": bool(page.runs[page.shown].result.options["resamples"]),
        "grouped": scored and bool(page.runs[page.shown].result.options["by"]),
        "worst": next((one for one in weak if one.samples and one.metric.title == selection.by), None),
        "names": page.names,
        "version": __version__,
        "marks": [mark(page.texts, run) for run in range(len(page.runs))],
        "legend": legend(page.texts, page.names),
        "project": page.project,
        "head": head(page),
        "facts": facts(page),
        "alignment": list(alignment(page)),
        "data_notes": {run.name: run.result.data.notes for run in page.runs if run.result.data.notes},
        "aligned": any(page.samples.left_out),
        "listed_samples": listed_samples(page, selection),
        "scorecard": scorecard(page),
        "limits": limits(page),
        "weakest": weak,
        "changes": changed,
        "matrix": matrix(page, changed),
        "history": past,
        "distributions": distributions(page),
        "relations": relations(page),
        "cutoffs": cutoffs(page),
        "confidence": confidence(page),
        "groupings": groupings(page),
        "recipes": [recipe(run) for run in page.runs],
    }


def _render(texts: Texts, sections: dict[str, Any]) -> str:
    scripts = sorted(file.name for file in ASSETS.joinpath("explorer").iterdir() if file.name.endswith(".js"))
    style = joined("page.css", "matrix.css", "explorer.css")
    script = joined(*[f"explorer/{name}" for name in scripts])
    # A page of a server asks it alone.
    more = "form-action 'none'; connect-src 'self'" if sections["keys"] else ""
    return rendered("page.html.j2", texts, style, script, more, **sections)


def _with_samples(html: str, samples: str) -> str:
    """Put the samples into their element; texts from the data cannot look like it, as their quotes are escaped."""
    before, element, after = html.partition(' id="payload">')
    return f"{before}{element}{samples}{after}"
