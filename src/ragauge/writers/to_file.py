"""Files that writers make: whole or not at all, and never in place of another one unless that is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ragauge.core.messages import Message
from ragauge.core.options import check_path
from ragauge.errors import OptionError
from ragauge.results.replacing import check_new_file, replacing


@contextmanager
def new_file(path: str, writer: str, example: str, *, force: bool) -> Iterator[Path]:
    """Yield a path to write; the file gets the name ``path`` once it is whole. Missing folders are made.

    ``writer`` and ``example`` are for messages: the name of the target, and what a path may look like.

    Raises:
        OptionError: ``path`` names no file.
        UsageError: it is a folder, or a file that is there and ``force`` does not replace.
    """
    allowed = Message("the file to write, as in {target}", f"{writer}[path={example}]")
    owner = Message("writer {name!r}", writer)
    if path == "":
        raise OptionError.missing(owner, "path", allowed)
    check_path(owner, "path", allowed, path)
    target = Path(path)

    check_free = partial(check_new_file, target, force=force, made=True, how="force=true")
    check_free()
    with replacing(target, check_free) as new:
        yield new
