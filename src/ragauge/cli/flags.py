"""The command line's words for arguments: messages are written for Python callers, and read here with flags."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Mapping
from typing import Any

import rich_click as click

_TEXT = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_NUMBER = r"-?\d+(?:\.\d+)?(?!\w)"
_PAIR = rf"\{{(?:{_TEXT}): (?:{_TEXT}|{_NUMBER})\}}"
_PLAIN = re.compile(r"[\w@%+=:,./-]+")
"""Texts that a shell takes as they are."""
_ARGUMENT = re.compile(rf"(?<![\w:,.@/-])(?P<name>[a-z_]+)=(?P<value>True|{_TEXT}|{_PAIR}|{_NUMBER})")


def with_flags(message: str, command: click.Command | None) -> str:
    """Return ``message`` with each argument of ``command`` as its flag: ``force=True`` becomes ``--force``.

    Messages name arguments as Python writes them (``map={'answer': 'reply'}``, ``lang='zh'``, ``seed=1``); names that
    the command has no option for stay as they are, and so do options of metrics, which follow a colon or comma.

    >>> options = [click.Option(["--map"], multiple=True), click.Option(["--force"], is_flag=True)]
    >>> with_flags("pass map={'answer': 'my reply'} or force=True", click.Command("score", params=options))
    'pass --map "answer=my reply" or --force'
    """
    flags = _flags(command)
    return _ARGUMENT.sub(lambda found: _flag(found, flags), message) if flags else message


def _flags(command: click.Command | None) -> dict[str, str]:
    options = command.params if command is not None else []
    return {option.name: option.opts[-1] for option in options if isinstance(option, click.Option) and option.name}


def _flag(found: re.Match[str], flags: Mapping[str, str]) -> str:
    if found["name"] not in flags:
        return found[0]
    flag, value = flags[found["name"]], literal_eval(found["value"])
    return flag if value is True else f"{flag} {_quoted(_written(value))}"


def _written(value: Any) -> str:
    if isinstance(value, dict):
        [(key, text)] = value.items()
        return f"{key}={text}".replace("\n", "\\n")
    return str(value)


def _quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else f'"{text}"'
