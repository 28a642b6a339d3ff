"""``ragauge view``: saved runs as pages of a local server."""

from __future__ import annotations

import signal
from pathlib import Path
from threading import Thread
from typing import Any

import rich_click as click

from ragauge.cli.terminal import words
from ragauge.core.messages import Message


@click.command("view")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUNS...")
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0: one that is free.")
@click.option("--language", metavar="TAG", help="Of the pages: en or zh; default: as the browser asks.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def command(runs: tuple[Path, ...], port: int, language: str | None, *, open_page: bool) -> None:
    """Show saved RUNS (folders of runs, or a run) in a browser: a list, each run's report, and chosen ones compared.

    New runs appear in the list, and evaluations that are under way with what their folder shows. Only this machine can
    open the pages; only labels of answers are written. Ctrl-C ends it.
    """
    from ragauge.reports.viewer.server import RunServer

    before = {one: signal.signal(one, _interrupt) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        with RunServer(runs, port, language) as server:
            click.echo(words()(Message("{address}  (Ctrl-C ends it)", server.address)))
            if open_page:
                Thread(target=_browse, args=(server.address,), daemon=True).start()
            server.serve_forever()
    except KeyboardInterrupt:
        return
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _browse(address: str) -> None:
    import webbrowser

    webbrowser.open(address)
