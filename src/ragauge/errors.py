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

from collections.abc import Callable, Iterable, Sequence
from threading import current_thread, main_thread
from typing import ClassVar, cast

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Joined, Message, OptionOf, Phrase, code_and_text, codes_in

# Secrets in an address are its login, before "@" (a password may hold any sign, also "/"), and all behind "?" and "#".
# Each pattern reads one word from its beginning, so that a long text takes linear time.
_WORD = lazy_pattern(r"\S+")
_LOGIN = lazy_pattern(r"://(?:[^/:]*:.*|[^/:]+\Z)")
_BEHIND = lazy_pattern(r"([?#])(?:[^,;'\"\])]|;(?=.))+")
_CITED = 200
_MASKED = 1 << 20
"""Characters of a text from outside, without blanks, of which secrets are masked; fewer are shown."""


class RagaugeError(Exception):
    """Base of every error that ragauge raises on purpose: a `Message` with a code, or a text.

    >>> error = RagaugeError("RG-RUN-001 {path} already exists", "runs/today")
    >>> print(error, error.codes)
    runs/today already exists ('RG-RUN-001',)
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str = "", /, *values: object) -> None:
        """Take a text, or the template of a `Message` with its values."""
        has_code = values or code_and_text(message)[0]
        super().__init__(Message(message, *values) if has_code else message)

    @property
    def message(self) -> str:
        """The text, which is a `Message` where it has a code."""
        return cast("str", self.args[0])

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the message, by which the documentation explains it."""
        return codes_in(self.message)


class UsageError(RagaugeError):
    """The call or the command line is wrong. Passwords and queries of addresses are masked in the message.

    >>> print(UsageError("cannot use http://me:secret@example.org/v1?key=secret"))
    cannot use http://***@example.org/v1?***
    """

    def __init__(self, message: str = "", /, *values: object) -> None:
        super().__init__(message, *values)
        self.args = (masked(self.message),)


class UnknownNameError(UsageError):
    """No metric, tokenizer, matcher or other thing has the given name."""

    @classmethod
    def of(cls, kind: str, name: str, allowed: Iterable[str], place: str = "") -> UnknownNameError:
        """Return the error of an unknown ``kind``: ``name``, and what is near it among those ``allowed``."""
        hint = did_you_mean(name, allowed)
        if not place:
            return cls("RG-NAME-001 unknown {kind} {name!r}{hint}", worded(kind), name, hint)
        kind, place = worded(kind), worded(place)
        return cls("RG-NAME-002 unknown {kind} {place}: {name!r}{hint}", kind, place, name, hint)


class OptionError(UsageError):
    """An option is unknown, or its value is not allowed."""

    @classmethod
    def value(cls, owner: str, option: str, allowed: str, value: object) -> OptionError:
        """Return the error of a wrong value: what ``option`` of ``owner`` takes, and what it got."""
        named = OptionOf(option, owner)
        return cls("RG-OPT-001 {option} must be {allowed}; got {value!r}", named, worded(allowed), value)

    @classmethod
    def missing(cls, owner: str, option: str, allowed: str) -> OptionError:
        """Return the error of a required ``option`` that was not given, and what it takes."""
        text = worded(allowed)
        return cls("RG-OPT-002 option {option!r} of {owner} must be {allowed}; it was not given", option, owner, text)

    @classmethod
    def unknown(cls, owner: str, option: str, allowed: Sequence[str]) -> OptionError:
        """Return the error of an ``option`` that ``owner`` does not have."""
        hint = did_you_mean(option, allowed, otherwise="")
        names = ", ".join(allowed)
        if hint:
            takes = Message("{hint}; it takes {names}", hint, names)
        else:
            takes = Message("; it takes {names}", names) if names else Message("; it takes none")
        return cls("RG-OPT-003 {owner} has no option {option!r}{takes}", owner, option, takes)


class ColumnError(UsageError):
    """A metric needs a column that the data do not have."""


class MissingExtraError(UsageError):
    """An optional library is not installed."""

    @classmethod
    def of(cls, feature: str, library: str, extra: str) -> MissingExtraError:
        """Name the ``library`` that ``feature`` needs and the line that installs it."""
        run = f"pip install 'ragauge[{extra}]'"
        return cls("RG-LIB-001 {feature} needs {library}, not installed here; run: {run}", feature, library, run)


class DataError(RagaugeError):
    """The data are wrong. ``problems`` lists every bad row that was found.

    >>> print(DataError.of("run.jsonl", ["line 7: no closing brace", "line 90: no closing brace"]))
    run.jsonl: 2 problems
      line 7: no closing brace
      line 90: no closing brace
    """

    exit_code: ClassVar[int] = 3
    shown: ClassVar[int] = 20
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: str, problems: Sequence[str], *, advice: str = "") -> DataError:
        """Report all ``problems`` of ``source`` in one message, the first twenty in words."""
        if len(problems) == 1:
            lines: list[str] = [Message("{source}: {problem}", source, problems[0])]
        else:
            lines = [Message("{source}: {n} problems", source, len(problems))]
            lines += [Message("  {problem}", problem) for problem in problems[: cls.shown]]
        if len(problems) > cls.shown:
            lines.append(Message("  ... and {n} more", len(problems) - cls.shown))
        error = cls(Joined([*lines, *([worded(advice)] if advice else [])], "\n"))
        error.problems = tuple(problems)
        return error


class NothingScoredError(RagaugeError):
    """No sample could be scored, or no question proposed: the judge, the embedder or the system answered none."""

    exit_code: ClassVar[int] = 4


def masked(message: str) -> str:
    """Return a message without the passwords, queries and fragments of the addresses in it, in linear time.

    >>> masked("POST http://me:secret@example.org/v1?key=secret failed")
    'POST http://***@example.org/v1?*** failed'
    >>> masked("url: /v1/models?key=secret (404)")
    'url: /v1/models?*** (404)'
    """
    if "/" not in message:
        return message
    plain = _WORD.sub(lambda word: _masked_word(word[0]), message)
    if plain == message or not isinstance(message, Message):
        return message if plain == message else plain
    own = message.with_values(masked)
    return own if own == plain else plain


def _masked_word(word: str) -> str:
    """Return a text without white space and without the secrets of an address in it."""
    *logins, rest = word.split("@")
    word = "@".join([*[_LOGIN.sub("://***", login, count=1) for login in logins], rest])
    scheme, mark, rest = word.partition("://")
    if not mark:
        # Clients for HTTP write the path of an address alone.
        path, _, query = word.partition("?")
        if "/" not in path or "=" not in query:
            return word
        scheme, rest = "", word
    return scheme + mark + _BEHIND.sub(r"\1***", rest)


def excerpt(outside: str | BaseException, longest: int = _CITED, *, hide: Callable[[str], str] | None = None) -> str:
    r"""Return the beginning of a text from outside in one line, without the secrets of the addresses in it.

    Whatever a server, a judge, a system or an exception wrote enters messages and reasons only through this function,
    because it may be millions of characters long, repeat a secret, or hold characters that no file can.

    Args:
        outside: the text, or an exception, which is shown behind the name of its class.
        longest: the most characters that are shown; three dots follow where there are more.
        hide: returns a text without further secrets; it gets the whole text, because half a secret is not recognised.

    >>> excerpt("no model\n at http://me:secret@host/v1"), excerpt(ValueError("x" * 300), 15)
    ('no model at http://***@host/v1', 'ValueError: xxx...')
    """
    # By its type: the attributes of an exception are code from outside, too.
    is_text = issubclass(type(outside), str)
    text = cast("str", outside) if is_text else _text_of(cast("BaseException", outside))
    text = " ".join((hide(text) if hide else text).split())[:_MASKED]
    text = masked(text).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= longest else f"{text[:longest]}..."


def _text_of(error: BaseException) -> str:
    """Return class and message of an error; the class alone where the message is empty."""
    name = _name_of(type(error))
    try:
        # An own class of texts would run its code where the text is masked.
        message = str.__str__(str(error))
    except BaseException as inner:  # noqa: BLE001 - a message that cannot be read must not end the run
        message = f"its message cannot be read ({_name_of(type(inner))})"
    return f"{name}: {message}" if message.strip() else name


_name_of: Callable[[type], str] = type.__dict__["__name__"].__get__
"""Returns the name of a class, whatever its own class says."""


def is_interrupt(error: BaseException) -> bool:
    """Return whether an error is the user's Ctrl-C, which Python raises in the main thread alone.

    Whatever else the user's code raises, ``sys.exit()`` and cancellation too, is the failure of that call.

    >>> is_interrupt(KeyboardInterrupt()), is_interrupt(SystemExit(0))
    (True, False)
    """
    return issubclass(type(error), KeyboardInterrupt) and current_thread() is main_thread()


def worded(text: str) -> str:
    """Return a fixed text of our own as words, so that it has wordings in other languages."""
    return text if isinstance(text, Phrase) else Message(text.replace("{", "{{").replace("}", "}}"))


def reason_of(error: OSError) -> str:
    """Return in words why a file cannot be read or written.

    >>> reason_of(OSError(13, "Permission denied"))
    'Permission denied'
    """
    return worded(error.strerror or str(error))


def at(unit: str, place: int, what: str) -> Message:
    """Return what is wrong with a row or a line of a source, behind its number.

    >>> at("line", 7, "no closing brace")
    'line 7: no closing brace'
    """
    return Message(unit + " {place}: {what}", place, what)


def alternatives(names: Iterable[str]) -> Joined:
    """Return names as alternatives in words.

    >>> alternatives(["date"]), alternatives(["date", "tag"]), alternatives(["date", "tag", "commit"])
    ('date', 'date or tag', 'date, tag or commit')
    """
    return Joined(names, ", ", " or ")


def column_title(name: str) -> str:
    """Return the name of a column as messages give it: that of a column without a name is explained.

    >>> column_title("answer"), column_title("")
    ('answer', "'' (a column without a name)")
    """
    return name if name.strip() else Message("{name!r} (a column without a name)", name)


def did_you_mean(name: str, allowed: Iterable[str], *, otherwise: str = "list") -> str:
    """Return a hint that names what is spelled like ``name``, else all that is ``allowed``.

    >>> did_you_mean("ndgc", ["ndcg", "map"])
    '; did you mean ndcg?'
    >>> did_you_mean("BLEU", ["bleu", "map"])
    '; did you mean bleu?'
    >>> did_you_mean("zzz", ["ndcg", "map"])
    '; available: map, ndcg'
    """
    names = sorted(set(allowed))
    near = _near(name, names)
    if near:
        return Message("; did you mean {names}?", alternatives(near))
    return Message("; available: {names}", ", ".join(names)) if otherwise and names else ""


def _near(name: str, names: Sequence[str]) -> list[str]:
    """Return the names that are spelled like ``name``; that which differs in case and hyphens only, alone."""
    folded = {_folded(name): name for name in names}
    if _folded(name) in folded:
        return [folded[_folded(name)]]
    from difflib import get_close_matches

    return [folded[near] for near in get_close_matches(_folded(name), folded, n=3, cutoff=0.6)]


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")
