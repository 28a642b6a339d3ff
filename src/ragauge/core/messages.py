"""Messages: a code, a template and values, worded for Python, for a command line, and in other languages.

A message is the text of its Python wording, so whoever knows nothing of messages shows that. Whoever does can ask for
the wording of another `Face`: no program has to read a sentence. A message that a user may look up has a code,
``RG-DATA-014``; words of tables and parts of sentences have none: a catalogue has them by their English text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from operator import index
from pathlib import Path
from string import Formatter
from typing import Any, Self, TypeAlias

from ragauge.core.lazy import lazy_pattern

Packed: TypeAlias = Any
"""Values of JSON."""
_CODE = lazy_pattern(r"(RG-[A-Z]+-\d{3}) ")
_SHELL = lazy_pattern(r"[\w@%+=:,./-]*[\w@%+=:/-]")  # as a shell takes it, and no sign of a sentence at its end
_JOINTS = {", ": "，", "; ": "；", " or ": " 或 ", ", or ": "，或 ", "; or ": "；或 ", " and ": " 和 "}


@dataclass(frozen=True)
class Face:
    """Where a message is read: its language, and the flags by which a command calls arguments; None: in Python."""

    language: str = "en"
    flags: Mapping[str, str] | None = field(default=None, hash=False)


class Phrase(str):
    """A text of our own: as a ``str`` its Python wording; ``parts``: the arguments that make it again."""

    __slots__ = ("parts",)
    parts: tuple[Any, ...]

    def wording(self, face: Face) -> str:
        """Return the wording of ``face``."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.parts


class Message(Phrase):
    """A sentence: a template whose ``{places}`` are filled with values, in the order in which they first come.

    Args:
        template: the English text, as `str.format` takes it. A message that users may look up begins with its code.
        values: a number, a text of data, or another phrase for each place.

    >>> template = "RG-RUN-001 {path} already exists. Pass {force} to replace it."
    >>> exists = Message(template, "runs/a", Argument("force", value=True))
    >>> exists, exists.code
    ('runs/a already exists. Pass force=True to replace it.', 'RG-RUN-001')
    >>> exists.wording(Face(flags={"force": "--force"}))
    'runs/a already exists. Pass --force to replace it.'
    """

    __slots__ = ("code", "template", "values")
    code: str
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, *values: object) -> Self:  # noqa: D102 - the class says it
        code, text, places, _ = _parsed(template)
        filled = dict(zip(places, map(_plain, values), strict=True))
        message = super().__new__(cls, text.format(**filled))
        message.code, message.template, message.values = code, text, filled
        message.parts = (template, *filled.values())
        return message

    def wording(self, face: Face) -> str:
        """Return the message in the wording of ``face``; in English where its language has none with its places.

        A saved run may hold a message of an older version, with the same code and other places.
        """
        template = catalogue(face.language).get(self.code or self.template)
        if template is None or not self.values.keys() >= {*_parsed(template)[2]}:
            face, template = face if face.language == "en" else replace(face, language="en"), self.template
        return _filled(template, self.values, face)

    def with_values(self, change: Callable[[str], str]) -> Message:
        """Return the message with each text among its values changed."""
        return Message(self.parts[0], *[_changed(value, change) for value in self.values.values()])


def code_and_text(template: str) -> tuple[str, str]:
    """Return the code with which a template begins, or nothing, and its text.

    >>> code_and_text("RG-RUN-001 {path} already exists"), code_and_text("metric")
    (('RG-RUN-001', '{path} already exists'), ('', 'metric'))
    """
    code = _CODE.match(template)
    return (code[1], template[code.end() :]) if code else ("", template)


class Joined(Phrase):
    """Wordings and texts with a joint between them, and another one before the last.

    >>> Joined(["3 failed", "1 missing"]), Joined(["answer", "references"], " and ")
    ('3 failed, 1 missing', 'answer and references')
    """

    __slots__ = ()

    def __new__(cls, items: Iterable[object], joint: str = ", ", last: str | None = None) -> Self:  # noqa: D102 - the class says it
        parts = [_plain(item) for item in items]
        joined = super().__new__(cls, _joined(list(map(str, parts)), joint, joint if last is None else last))
        joined.parts = (parts, joint, last)
        return joined

    def wording(self, face: Face) -> str:
        """Return the wordings in that of ``face``."""
        items, joint, last = self.parts
        texts = [wording_of(item, face) for item in items]
        if face.language == "en":
            return _joined(texts, joint, joint if last is None else last)
        alike = "、" if last else _JOINTS.get(joint, joint)
        return _joined(texts, alike, _JOINTS.get(last, last) if last else alike, tight=True)


class Counted(Phrase):
    """A number with the word for what is counted; languages without plurals write the word in their template.

    >>> Counted(1, "row"), Counted(1200, "row"), Counted(2, "query", "queries")
    ('1 row', '1,200 rows', '2 queries')
    """

    __slots__ = ()

    def __new__(cls, n: int, one: str, several: str = "") -> Self:  # noqa: D102 - the class says it
        count = super().__new__(cls, f"{n:,} {one if n == 1 else several or f'{one}s'}")
        count.parts = (n, one, several)
        return count

    def wording(self, face: Face) -> str:
        """Return the number, in English with its word."""
        return str(self) if face.language == "en" else f"{self.parts[0]:,}"


class Argument(Phrase):
    """An argument of a function with its value, or its flag: ``force=True``, ``map={'answer': 'reply'}``.

    ``command``: how a command line writes the value, where that is not as a shell writes it.
    """

    __slots__ = ()

    def __new__(cls, name: str, value: object, command: str | None = None) -> Self:  # noqa: D102 - the class says it
        plain = value if isinstance(value, dict) else _plain(value)
        argument = super().__new__(cls, f"{name}={plain!r}")
        argument.parts = (name, plain, command)
        return argument

    def wording(self, face: Face) -> str:
        """Return the argument, or the flag of that name."""
        name, value, command = self.parts
        flag = (face.flags or {}).get(name)
        if flag is None:
            return str(self)
        if value is True:
            return flag
        pairs = value.items() if isinstance(value, dict) else ()
        texts = [f"{key}={text}".replace("\n", "\\n") for key, text in pairs] or [command or str(value)]
        return " ".join([f"{flag} {text}" if _SHELL.fullmatch(text) else f'{flag} "{text}"' for text in texts])


class OptionOf(Phrase):
    """An option by its name and its owner: ``option 'limit' of read``, or the flag ``--limit``."""

    __slots__ = ()

    def __new__(cls, name: str, owner: str) -> Self:  # noqa: D102 - the class says it
        option = super().__new__(cls, f"option {name!r} of {owner}")
        option.parts = (name, owner)
        return option

    def wording(self, face: Face) -> str:
        """Return the option, or the flag of that name where its owner is a function that a command calls."""
        name, owner = self.parts
        flag = (face.flags or {}).get(name) if owner in CALLED else None
        return flag or Message("option {name!r} of {owner}", name, owner).wording(face)


class Spelled(Phrase):
    """What Python and a command line write in different ways."""

    __slots__ = ()

    def __new__(cls, python: str, command: str) -> Self:  # noqa: D102 - the class says it
        spelled = super().__new__(cls, python)
        spelled.parts = (python, command)
        return spelled

    def wording(self, face: Face) -> str:
        """Return what ``face`` writes."""
        return str(self.parts[face.flags is not None])


CALLED = frozenset(
    {"evaluate", "compare", "history", "questions", "save", "validate", "read", "calibrate", "the gate", "the report"}
)
"""What commands call: their options are flags. Options of metrics stay as specs write them."""
_KINDS = {kind.__name__: kind for kind in (Message, Joined, Counted, Argument, OptionOf, Spelled)}


def wording_of(value: object, face: Face) -> str:
    """Return a wording as ``face`` words it; anything else is data, and stays."""
    return value.wording(face) if isinstance(value, Phrase) else str(value)


def own_words(text: str, face: Face) -> str:
    """Return a text of our own as ``face`` words it: a phrase, or a whole text that the catalogue has.

    >>> own_words("answer sentence", Face("zh")), own_words("answer.csv", Face("zh"))
    ('回答的句子', 'answer.csv')
    """
    return text.wording(face) if isinstance(text, Phrase) else catalogue(face.language).get(text, text)


def is_of(text: str, template: str) -> bool:
    """Return whether a text is a message of ``template``."""
    return isinstance(text, Message) and text.parts[0] == template


def codes_in(text: str) -> tuple[str, ...]:
    """Return the codes of a message and of those in it, each once; none of a text that is not a message."""
    return tuple(dict.fromkeys(_codes(text)))


def packed(value: object) -> Packed:
    """Return a wording, or what is in one, as values of JSON.

    >>> unpacked(json.loads(json.dumps(packed(Message("RG-X-001 {n} here", Counted(2, "row")))))).wording(Face())
    '2 rows here'
    """
    if isinstance(value, Phrase):
        return {"": type(value).__name__, "parts": packed(value.parts)}
    if isinstance(value, list | tuple):
        return [one if type(one) is str else packed(one) for one in value]  # most are plain, and there are many
    return {name: packed(one) for name, one in value.items()} if isinstance(value, dict) else value


def unpacked(value: Packed) -> Any:
    """Return what `packed` was given."""
    if isinstance(value, list):
        return [one if type(one) is str else unpacked(one) for one in value]
    if not isinstance(value, dict):
        return value
    plain = {name: one if type(one) is str else unpacked(one) for name, one in value.items()}
    return _KINDS[plain[""]](*plain["parts"]) if "" in plain else plain


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return the templates of a language by code, or by English text where a message has none; nothing for English."""
    if language == "en":
        return {}
    text = Path(__file__).with_name(f"messages-{language}.json").read_text(encoding="utf-8")
    table: dict[str, str] = json.loads(text)
    return table


class _Datum(str):
    """A value that is neither text nor number, as it is shown."""

    __slots__ = ("written",)
    written: str

    def __new__(cls, value: object) -> Self:
        shown = super().__new__(cls, value)
        shown.written = repr(value)
        return shown

    def __repr__(self) -> str:
        return self.written


@lru_cache(4096)
def _parsed(template: str) -> tuple[str, str, tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """Return the code of a template, its text, the names of its places, each once, in their order, and its pieces."""
    code, text = code_and_text(template)
    pieces = tuple(Formatter().parse(text))
    return code, text, tuple(dict.fromkeys([name for _, name, _, _ in pieces if name is not None])), pieces


def _plain(value: object) -> Any:
    if isinstance(value, str | int | float | None):
        return value
    return index(value) if hasattr(value, "__index__") else _Datum(value)


def _filled(template: str, values: Mapping[str, Any], face: Face) -> str:
    """Return a template with its values; in Chinese, wordings that begin with Latin letters keep a space before."""
    text, value = "", None
    for literal, name, form, conversion in _parsed(template)[3]:
        # Names in Latin letters have a space before the next Chinese sign; a wording in Chinese needs none.
        drops = isinstance(value, Phrase) and literal[:1] == " " and _is_han(text[-1:]) and _is_han(literal[1:2])
        text += literal[1:] if drops else literal
        if name is None:
            continue
        value = values[name]
        if not isinstance(value, Phrase):
            text += format(repr(value) if conversion == "r" else value, form or "")
            continue
        own = value.wording(face)
        text += f" {own}" if face.language == "zh" and _meets(text, own) else own
    return text


def _meets(before: str, after: str) -> bool:
    """Return whether a Chinese sign is followed by a Latin letter, a digit or a quote."""
    return _is_han(before[-1:]) and after[:1].isascii() and after[:1] not in " ,;:.?!)"


def _is_han(sign: str) -> bool:
    return "\u4e00" <= sign <= "\u9fff"


def _joined(texts: list[str], joint: str, last: str, *, tight: bool = False) -> str:
    *others, end = texts or [""]
    if not others:
        return end
    begin = joint.join(others)
    if tight and last == " 或 ":  # no space beside Chinese signs
        last = f"{'' if begin[-1:] > '⺀' else ' '}或{'' if end[:1] > '⺀' else ' '}"
    return f"{begin}{last}{end}"


def _codes(value: object) -> Iterator[str]:
    if isinstance(value, Message):
        if value.code:
            yield value.code
        for one in value.values.values():
            yield from _codes(one)
    elif isinstance(value, Joined):
        for one in value.parts[0]:
            yield from _codes(one)


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Message):
        return value.with_values(change)
    return change(value) if isinstance(value, str) and not isinstance(value, Phrase) else value
