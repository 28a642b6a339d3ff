"""``ragauge report``: saved runs as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge.cli.output import interface, output_format, say, write_json
from ragauge.core.messages import Message

if TYPE_CHECKING:
    from ragauge.reports.report import WrittenPage

_LARGE = 30  # megabytes; browsers open larger pages slowly


@click.command("report")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True,
              metavar="FILE", help="The page to write.")  # fmt: skip
@click.option("--language", metavar="TAG", help="Of the page when it opens: en or zh; default: as --lang-ui.")
@click.option("--name", "names", multiple=True, metavar="NAME", help="The name of a run; once for each RUN.")
@click.option("--limit", type=click.IntRange(min=1), default=20_000, show_default=True, metavar="N",
              help="List at most N samples: the worst, and a random part of the rest.")  # fmt: skip
@click.option("-m", "--metric", metavar="METRIC", help="By which samples are the worst; default: chosen.")
@click.option(
    "--primary",
    multiple=True,
    metavar="METRIC",
    help="The verdict rests on this metric; at most five. Default: those of [report], or chosen.",
)
@click.option("--on", default="id", show_default=True, metavar="COLUMN", help="The column that pairs samples.")
@click.option("--history", multiple=True, metavar="FOLDER", help="Also show each metric over its runs; repeatable.")
@click.option("--card", type=click.Path(path_type=Path), metavar="FILE",
              help="Also a card of 1200 x 630 to send on: .svg, or .png where Chromium is installed.")  # fmt: skip
@click.option("--pdf", type=click.Path(path_type=Path), metavar="FILE",
              help="Also the card, scores and the ten worst samples as a PDF; needs Chromium.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace the file.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@output_format("text", "json")
def command(
    runs: tuple[str, ...],
    output: Path,
    limit: int,
    history: tuple[str, ...],
    language: str | None,
    output_format: str,
    *,
    open_page: bool,
    **options: Any,
) -> None:
    """Write one self-contained HTML page of saved RUNs: directories that ragauge score -o wrote.

    The first run is the baseline of the others. The page needs no network; one file holds all of it.
    """
    from ragauge.cli.terminal import Meter, progress
    from ragauge.gates.configuration import primary_setting, project_setting
    from ragauge.gates.rules import gate_settings
    from ragauge.reports.report import written

    options |= {"rules": gate_settings(Path()), "primary": options["primary"] or primary_setting(Path())}
    options["project"] = project_setting(Path())
    language = language or interface()
    meter = Meter(work="runs")
    with progress(meter=meter):
        options |= {"history": history or None, "language": language, "step": meter.step}
        page = written(runs, output, limit=limit, **options)
    size = page.path.stat().st_size / 1e6
    if output_format == "json":
        write_json({"report": str(page.path), "bytes": page.path.stat().st_size})
    else:
        say(Message("report: {file} ({size:.1f} MB)", page.path, size))
    for note in notes_on(page, limit):
        say(note)
    if open_page:
        import webbrowser

        webbrowser.open(page.path.resolve().as_uri())


def notes_on(page: WrittenPage, limit: int) -> list[str]:
    """Return a note where runs were not compared, and one where a page of at most ``limit`` samples is large."""
    said: list[str] = (
        [] if page.not_compared is None else [Message("the runs were not compared: {why}", page.not_compared)]
    )
    if page.samples_with_room is not None:
        template = (
            "long answers or references make this page larger than 3 MB for each run of 5,000 samples; make it smaller "
            "with --limit {n}"
        )
        return [*said, Message(template, page.samples_with_room)]
    if page.path.stat().st_size / 1e6 > _LARGE:
        template = "a browser takes seconds to open a page of this size; make it smaller with --limit {n}"
        return [*said, Message(template, max(1, limit // 4))]
    return said
