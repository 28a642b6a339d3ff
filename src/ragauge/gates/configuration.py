"""``ragauge.toml``, or ``[tool.ragauge]`` of ``pyproject.toml``: read, checked, and quoted by line."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Argument, Message
from ragauge.errors import OptionError, UsageError, did_you_mean, excerpt, reason_of

OWN, SHARED = "ragauge.toml", "pyproject.toml"
TABLES = ("score", "map", "split", "gate", "report")
"""The tables that a file may have."""

_HEADER = lazy_pattern(r"\s*+\[([^\[\]]++)\]")
_DEEP = lazy_pattern(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""", re.ASCII)
"""A hundred names with dots between them, as one key: Python's reader takes quadratic time for those."""
_KEY = lazy_pattern(r"""\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*[=.]""")


@dataclass(frozen=True)
class Configuration:
    """The settings of one file.

    ``table``: what it has, by table; ``text``: as it is written, for line numbers.
    """

    path: Path
    table: Mapping[str, Any]
    text: str

    def where(self, *keys: str) -> str:
        """Name the line that sets ``keys``, as in ``ragauge.toml line 7``; the file alone where it is not found."""
        prefix = ("tool", "ragauge") if self.path.name == SHARED else ()
        line = _line(self.text, (*prefix, *keys))
        return Message("{path} line {line}", self.path, line) if line else str(self.path)

    def section(self, name: str) -> Mapping[str, Any]:
        """Return the table called ``name``, empty where there is none; OptionError where it is not a table."""
        section = self.table.get(name, {})
        if not isinstance(section, dict):
            raise OptionError.value(self.where(name), name, Message("a table: [{name}]", name), section)
        return section

    def check_keys(self, name: str, allowed: Iterable[str]) -> None:
        """Raise UsageError for a key of table ``name`` that is not ``allowed``."""
        allowed = tuple(allowed)
        for key in self.section(name):
            if key not in allowed:
                raise UsageError(
                    "RG-CORE-003 {place}: [{name}] has no {key!r}{hint}",
                    self.where(name, key),
                    name,
                    key,
                    did_you_mean(key, allowed),
                )


def read(path: Path) -> Configuration:
    """Read one file; UsageError where it is not there, is not valid TOML, or has a table that means nothing."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        table = _parsed(text)
    except OSError as error:
        raise UsageError(
            "RG-CORE-015 {path} cannot be read: {reason}; name another file, as in {config}",
            path,
            reason_of(error),
            Argument("config", "ragauge.toml"),
        ) from None
    except RecursionError:
        raise UsageError(
            "RG-CORE-001 {path} is nested too deeply; settings have tables of at most two levels", path
        ) from None
    except ValueError as error:
        # Beside errors of the grammar: bytes that are not UTF-8, and numbers of more digits than Python reads.
        raise UsageError("RG-CORE-002 {path} is not valid TOML: {reason}", path, excerpt(str(error))) from None
    for key in ("tool", "ragauge") if path.name == SHARED else ():
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise OptionError.value(str(path), key, "a table", table)
    configuration = Configuration(path, table, text)
    for name in table:
        if name not in TABLES:
            hint = did_you_mean(name, TABLES)
            place = configuration.where(name)
            raise UsageError("RG-CORE-016 {place}: there is no table or key {name!r}{hint}", place, name, hint)
    return configuration


def with_table(name: str, folder: Path, file: Path | None = None) -> Configuration | None:
    """Read ``file``, or else the first of ragauge.toml and pyproject.toml of ``folder`` that has a table ``name``."""
    for path in (file,) if file is not None else (folder / OWN, folder / SHARED):
        if file is not None or path.is_file():
            settings = read(path)
            if name in settings.table:
                return settings
    return None


def primary_setting(folder: Path, file: Path | None = None, among: Container[str] | None = None) -> tuple[str, ...]:
    """Return ``primary`` of [report], the metrics that verdicts rest on; files are those of `with_table`.

    Where many runs are shown, those that these do not have are left out: ``among`` holds the names.

    Raises:
        UsageError: [report] has another key, or its ``primary`` is no list of texts.
    """
    settings = _report_settings(folder, file)
    primary = settings.section("report").get("primary", ()) if settings else ()
    listed = (primary,) if isinstance(primary, str) else primary
    if settings and not (isinstance(listed, list | tuple) and all(isinstance(one, str) for one in listed)):
        raise OptionError.value(settings.where("report", "primary"), "primary", "a text or a list of texts", primary)
    return tuple(one for one in listed if among is None or one in among)


def project_setting(folder: Path) -> str:
    """Return ``project`` of [report], the name that reports begin with; empty where there is none.

    Raises:
        UsageError: [report] has another key, or its ``project`` is no text.
    """
    settings = _report_settings(folder, None)
    project = settings.section("report").get("project", "") if settings else ""
    if settings and not isinstance(project, str):
        raise OptionError.value(settings.where("report", "project"), "project", "a text", project)
    return str(project)


def _report_settings(folder: Path, file: Path | None) -> Configuration | None:
    settings = with_table("report", folder, file)
    if settings is not None:
        settings.check_keys("report", ("primary", "project"))
    return settings


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    if _DEEP.search(text):
        raise RecursionError("a key has a hundred parts")
    return tomllib.loads(text)


def _line(text: str, keys: tuple[str, ...]) -> int:
    r"""Return the number of the line that sets ``keys``, or heads the table of that name; 0 where none does.

    >>> _line('[score]\nlang = "zh"\n[gate.min]\n"ndcg@10" = 1', ("score", "lang"))
    2
    >>> _line('[score]\nlang = "zh"\n[gate.min]\n"ndcg@10" = 1', ("gate", "min", "ndcg@10"))
    4
    """
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        key = _KEY.match(line)
        if header:
            table = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            here = table
        elif key:
            here = (*table, key[1].strip("\"'"))
        else:
            continue
        if here[: len(keys)] == keys:
            return number
    return 0
