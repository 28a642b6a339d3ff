"""``--workers`` and ``--resume`` of ``ragauge score``: the folder of finished parts beside the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragauge.cli.output import say
from ragauge.core.messages import Counted, Message, is_of
from ragauge.engines.part_files import UNFINISHED, PartFiles, remove
from ragauge.errors import NothingScoredError, UsageError


def folder_of(options: Mapping[str, Any], directory: Path | None, *, force: bool) -> Path | None:
    """Return where finished parts are kept: beside the run in ``directory``, ``runs/today.parts``; None without one.

    Raises:
        UsageError: ``--resume`` without ``--workers`` and ``-o``, or parts that cannot be replaced by ``--force``.
    """
    if options["resume"] and options["run"] is not None:
        raise UsageError(
            "RG-CLI-042 --resume continues from finished parts, and a run with its qrels has none. Leave it out."
        )
    if options["resume"] and (options["workers"] is None or directory is None):
        raise UsageError(
            "RG-CLI-043 --resume goes on with the parts of --workers N -o DIR. Give the command of the first run."
        )
    if directory is None or options["run"] is not None:
        return None
    folder = directory.with_name(f"{directory.name}.parts")
    if force and not options["resume"]:
        remove(folder)
    return folder


@contextmanager
def keeping(folder: Path | None) -> Iterator[None]:
    """Remove the finished parts once all is done; say where they are if it is not."""
    try:
        yield
    except NothingScoredError:
        _removed(folder)
        raise
    except (KeyboardInterrupt, Exception) as error:
        # The message of unfinished parts says itself what is there and what to do.
        if folder is not None and not is_of(getattr(error, "message", ""), UNFINISHED):
            _say_kept(folder, interrupted=isinstance(error, KeyboardInterrupt))
        raise
    _removed(folder)


def _say_kept(folder: Path, *, interrupted: bool) -> None:
    kept = _kept(folder)
    if kept:
        # Where another process has saved a run under the name meanwhile, parts alone do not suffice.
        flags = "--resume --force" if folder.with_suffix("").exists() else "--resume"
        template = "{parts} saved in {folder}; to resume, give the command that began them with {flags}"
        say(Message(template, kept, folder, flags))
    elif interrupted:
        say("no part was finished, so nothing was saved: give the same command again")


def tell_of_parts(folder: Path, *, force: bool) -> None:
    """Say, once a run is saved by one process, that ``folder`` has parts of another run; remove them by ``force``."""
    if force:
        _removed(folder)
        return
    kept = _kept(folder)
    if kept:
        template = (
            "{parts} of an earlier run with --workers in {folder}, not used here; remove the folder if nothing needs it"
        )
        say(Message(template, kept, folder))


def _kept(folder: Path) -> Counted | None:
    """Return how many finished parts are in ``folder``; None for none."""
    count = len(PartFiles(folder).finished())
    return Counted(count, "finished part") if count else None


def _removed(folder: Path | None) -> None:
    if folder is not None:
        try:
            remove(folder)
        except UsageError as error:
            # The run itself is saved.
            say(Message("{folder} is left: {why}", folder, error.message))
