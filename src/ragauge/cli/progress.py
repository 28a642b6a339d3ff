"""A progress bar on standard error: in a terminal, and only for work that takes a while."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

_PATIENCE = 1.0


@contextmanager
def progress() -> Iterator[Callable[[int], None]]:
    """Yield a function that hears how many samples are done; the bar appears after a second."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.completed} samples"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("scoring", total=None)
    start = monotonic()

    def advance(samples: int) -> None:
        bar.advance(task, samples)
        if monotonic() - start > _PATIENCE and not bar.live.is_started:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()
