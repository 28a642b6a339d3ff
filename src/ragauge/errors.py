"""Everything that can go wrong, and how it is said.

RagaugeError
├── UsageError              the call or the command line is wrong          exit code 2
│   ├── UnknownNameError    no metric, tokenizer, matcher ... of that name
│   ├── OptionError         an option is unknown or has a bad value
│   ├── ColumnError         a metric needs a column that the data do not have
│   └── MissingExtraError   an optional library is not installed
├── DataError               the data are wrong, with file and line         exit code 3
└── NothingScoredError      no sample could be scored                      exit code 4

A message says what was given, what is allowed, and what to do next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import ClassVar

# Secrets in an address: what stands before "@" (a password may hold any sign, also "/"), and what follows "?".
_LOGIN = re.compile(r"(?<=://)(?:[^\s/@]+|[^\s/@]*:[^\s@]*)@")
_QUERY = re.compile(r"(?<=://)([^\s?]+)\?[^\s,;'\"\])]+")


class RagaugeError(Exception):
    """Base of every error that ragauge raises on purpose."""

    exit_code: ClassVar[int] = 2


class UsageError(RagaugeError):
    """The call or the command line is wrong. Passwords and queries of addresses are masked in the message.

    >>> print(UsageError("cannot use http://me:secret@example.org/v1?key=secret"))
    cannot use http://***@example.org/v1?***
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(masked(message))


class UnknownNameError(UsageError):
    """No metric, tokenizer, matcher or other thing has the given name."""

    @classmethod
    def of(cls, kind: str, name: str, allowed: Iterable[str]) -> UnknownNameError:
        """Return the error of an unknown ``kind``: ``name``, and what is near it among ``allowed``."""
        return cls(f"unknown {kind} {name!r}{did_you_mean(name, allowed)}")


class OptionError(UsageError):
    """An option is unknown, or its value is not allowed."""

    @classmethod
    def value(cls, owner: str, option: str, allowed: str, value: object) -> OptionError:
        """Return the error of a wrong value: what ``option`` of ``owner`` takes, and what it got."""
        return cls(f"option {option!r} of {owner} must be {allowed}; got {value!r}")

    @classmethod
    def missing(cls, owner: str, option: str, allowed: str) -> OptionError:
        """Return the error of a required ``option`` that was not given, and what it takes."""
        return cls(f"option {option!r} of {owner} must be {allowed}; it was not given")

    @classmethod
    def unknown(cls, owner: str, option: str, allowed: Sequence[str]) -> OptionError:
        """Return the error of an ``option`` that ``owner`` does not have."""
        takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
        return cls(f"{owner} has no option {option!r}{did_you_mean(option, allowed, otherwise='')}; {takes}")


class ColumnError(UsageError):
    """A metric needs a column that the data do not have."""


class MissingExtraError(UsageError):
    """An optional library is not installed."""

    @classmethod
    def of(cls, feature: str, library: str, extra: str) -> MissingExtraError:
        """Name the ``library`` that ``feature`` needs and the line that installs it."""
        return cls(f"{feature} needs {library}, not installed here; run: pip install 'ragauge[{extra}]'")


class DataError(RagaugeError):
    """The data are wrong. ``problems`` lists every bad row that was found.

    >>> print(DataError.of("run.jsonl", ["line 7: no closing brace", "line 90: no closing brace"]))
    run.jsonl: 2 problems
      line 7: no closing brace
      line 90: no closing brace
    """

    exit_code: ClassVar[int] = 3
    shown: ClassVar[int] = 20

    def __init__(self, message: str, problems: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)

    @classmethod
    def of(cls, source: str, problems: Sequence[str], *, advice: str = "") -> DataError:
        """Report all ``problems`` of ``source`` in one message, the first twenty in words."""
        lines = [f"  {problem}" for problem in problems[: cls.shown]]
        if len(problems) > cls.shown:
            lines.append(f"  ... and {len(problems) - cls.shown} more")
        if advice:
            lines.append(advice)
        head = f"{source}: {problems[0]}" if len(problems) == 1 else f"{source}: {len(problems)} problems"
        return cls("\n".join([head, *lines[1:]] if len(problems) == 1 else [head, *lines]), problems)


class NothingScoredError(RagaugeError):
    """No sample could be scored, or no question proposed: the judge, the embedder or the system answered none."""

    exit_code: ClassVar[int] = 4


def masked(message: str) -> str:
    """Return a message without the passwords and queries of the addresses in it.

    >>> masked("POST http://me:secret@example.org/v1?key=secret failed")
    'POST http://***@example.org/v1?*** failed'
    """
    return _QUERY.sub(r"\1?***", _LOGIN.sub("***@", message))


def alternatives(names: Iterable[str]) -> str:
    """Return names as alternatives in words.

    >>> alternatives(["date"]), alternatives(["date", "tag"]), alternatives(["date", "tag", "commit"])
    ('date', 'date or tag', 'date, tag or commit')
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def column_title(name: str) -> str:
    """Return the name of a column as messages give it: that of a column without a name is said.

    >>> column_title("answer"), column_title("")
    ('answer', "'' (a column without a name)")
    """
    return name if name.strip() else f"{name!r} (a column without a name)"


def did_you_mean(name: str, allowed: Iterable[str], *, otherwise: str = "list") -> str:
    """Return a hint that names what is spelled like ``name``, else all that is ``allowed``.

    >>> did_you_mean("ndgc", ["ndcg", "map"])
    '; did you mean ndcg?'
    >>> did_you_mean("BLEU", ["bleu", "map"])
    '; did you mean bleu?'
    >>> did_you_mean("zzz", ["ndcg", "map"])
    '; there are map, ndcg'
    """
    names = sorted(set(allowed))
    near = _near(name, names)
    if near:
        return f"; did you mean {alternatives(near)}?"
    return f"; there are {', '.join(names)}" if otherwise and names else ""


def _near(name: str, names: Sequence[str]) -> list[str]:
    """Return the names that are spelled like ``name``; that which differs in case and hyphens only, alone."""
    folded = {_folded(name): name for name in names}
    if _folded(name) in folded:
        return [folded[_folded(name)]]
    return [folded[near] for near in get_close_matches(_folded(name), folded, n=3, cutoff=0.6)]


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")
