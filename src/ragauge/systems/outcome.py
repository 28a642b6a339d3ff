"""Outcome of one call of a system: an answer that can be kept, or the reason why there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import current_thread, main_thread
from typing import Any

from ragauge.errors import excerpt
from ragauge.formats.opening import LONGEST
from ragauge.systems.outputs import BadOutputError
from ragauge.systems.pace import asked_wait, is_temporary

_LONGEST_REASON = 500
"""Characters of a reason that are kept: some servers answer with a page."""


class NotCalledError(Exception):
    """A call was left or not begun. The message is the whole reason."""


class OutOfTimeError(NotCalledError):
    """A call took longer than it may. It is not tried again, because that would hide how slow the system is."""


class BlockedError(NotCalledError):
    """A call was late because another one blocked the event loop that both run on. It may be tried again."""


class HangingError(NotCalledError):
    """Too many calls continue after their time was over."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of one call.

    ``columns``: the answer as columns of JSON types; None where there is none, and then ``failure`` is the reason.
    ``renamed``: known column -> its name in what the system returned, where that is another. ``is_temporary``: the same
    call may succeed a moment later. ``wait``: seconds that a server asked to wait before that, if it did.
    """

    columns: Mapping[str, Any] | None = None
    failure: str | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    is_temporary: bool = False
    wait: float | None = None


def outcome_of(call: Callable[[], Outcome]) -> Outcome:
    """Return what ``call`` returns; whatever it raises is a failure, also SystemExit and cancellation.

    Only the user's Ctrl-C passes, which Python raises in the main thread alone.

    >>> outcome_of(lambda: exit(3)).failure
    'SystemExit: 3'
    """
    try:
        return call()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and current_thread() is main_thread():
            raise
        return _failure(error)


def answer(columns: Mapping[str, Any], renamed: Mapping[str, str]) -> Outcome:
    """Return the outcome of a call that answered: ``columns`` as they are read back from the file that keeps them.

    Raises:
        BadOutputError: they are longer than a row of data may be.
    """
    line = json.dumps(columns, ensure_ascii=False, allow_nan=False)
    if len(line) > LONGEST:
        raise BadOutputError(f"the system returned more than the {LONGEST >> 20} MiB that an answer may have")
    return Outcome(json.loads(line), renamed=renamed)


def _failure(error: BaseException) -> Outcome:
    if isinstance(error, BadOutputError | NotCalledError):
        # It may name the fields of the output, which are texts from outside.
        failure = excerpt(str(error), _LONGEST_REASON)
        return Outcome(failure=failure, is_temporary=isinstance(error, BlockedError))
    temporary, wait = False, None
    # An exception is code of the system too, whose attributes may raise.
    with suppress(BaseException):
        temporary, wait = is_temporary(error), asked_wait(error)
    return Outcome(failure=excerpt(error, _LONGEST_REASON), is_temporary=temporary, wait=wait)
