"""What is wrong with a text that is not JSON, and what to write in its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.errors import excerpt

_WORD = lazy_pattern(r"[^\W\d]\w*")
_OF_PYTHON = frozenset({"True", "False", "None"})
_AS_PYTHON = Message(
    "write rows with json.dumps(row) and not with str(row); those that are there: json.dumps(ast.literal_eval(text))"
)
_CURLY = "“”„‟«»‘’"
_VALUE, _KEY = "Expecting value", "Expecting property name"


class Fault(NamedTuple):
    """What is wrong, as the subject of a clause, and what to do."""

    what: Message
    advice: Message


def fault_of(error: json.JSONDecodeError) -> Fault | None:
    """Return what is wrong with a text that JSON's decoder refused; None where only its own words say it.

    >>> fault_of(json.JSONDecodeError("Expecting value", '{"answer": }', 11))
    Fault(what='no value', advice='write null where there is none')
    """
    here = error.doc[error.pos :].lstrip()
    before = error.doc[: error.pos].rstrip()
    for expected, recognise in _FAULTS:
        if error.msg.startswith(expected):
            found = recognise(here, before)
            if found is not None:
                return found
    return None


def _of_python(here: str, _before: str) -> Fault | None:
    word = _WORD.match(here)
    if here.startswith("'"):
        return Fault(Message("single quotes around a text, as Python writes them,"), _AS_PYTHON)
    if word and word[0] in _OF_PYTHON:
        return Fault(Message("{word}, as Python writes it,", word[0]), _AS_PYTHON)
    return None


def _of_comma(here: str, before: str) -> Fault | None:
    # From Python 3.13 on the place is that of the comma.
    behind = here.lstrip(", \t\r\n")[:1]
    # Behind a colon it is a value that is missing.
    if behind in ("}", "]") and (before.endswith(",") or (here[0] == "," and not before.endswith(":"))):
        return Fault(Message("a comma before {sign}", behind), Message("remove it"))
    return None


def _of_comment(here: str, _before: str) -> Fault | None:
    is_comment = here.startswith(("//", "/*", "#"))
    return Fault(Message("a comment"), Message("remove it")) if is_comment else None


def _of_quotes(here: str, _before: str) -> Fault | None:
    if here[:1] and here[0] in _CURLY:
        return Fault(Message("a typographic quote"), Message('write " in its place'))
    return None


def _of_value(here: str, before: str) -> Fault | None:
    word = _WORD.match(here)
    if not here:
        return Fault(Message("the end of the text"), Message("check that the file is whole")) if before else None
    if here[0] in ",}]":
        return Fault(Message("no value"), Message("write null where there is none"))
    if word:
        advice = Message("write null, or a text in double quotes")
        return Fault(Message("{word}, which is not a value of JSON,", excerpt(word[0])), advice)
    return None


def _of_key(here: str, _before: str) -> Fault | None:
    word = _WORD.match(here)
    return Fault(Message("a key without quotes"), Message('write "{key}"', excerpt(word[0]))) if word else None


def _of_delimiter(here: str, before: str) -> Fault | None:
    if not before.endswith('"') or here[:1] in ("", '"', "{", "[", "}", "]"):
        return None
    return Fault(Message("a quote within a text"), Message('write \\" in its place, as json.dumps does'))


def _of_control(_here: str, _before: str) -> Fault | None:
    return Fault(
        Message("a line break or a tab within a text"), Message("write \\n or \\t in its place, as json.dumps does")
    )


def _of_escape(_here: str, _before: str) -> Fault | None:
    return Fault(Message("a single backslash within a text"), Message("write it twice, as json.dumps does"))


def _of_end(_here: str, _before: str) -> Fault | None:
    return Fault(Message("a text without its closing quote"), Message("check that the file is whole"))


_FAULTS: tuple[tuple[str, Callable[[str, str], Fault | None]], ...] = (
    (_VALUE, _of_python),
    (_KEY, _of_python),
    (_VALUE, _of_comma),
    (_KEY, _of_comma),
    ("Illegal trailing comma", _of_comma),
    (_VALUE, _of_comment),
    (_KEY, _of_comment),
    (_VALUE, _of_quotes),
    (_KEY, _of_quotes),
    (_VALUE, _of_value),
    (_KEY, _of_key),
    ("Expecting ',' delimiter", _of_delimiter),
    ("Invalid control character", _of_control),
    ("Invalid \\escape", _of_escape),
    ("Unterminated string", _of_end),
)
"""The beginning of the decoder's message -> how the place of the error is looked at, in this order."""
