"""Settings of ``ragauge score``: the command line wins over RAGAUGE_* variables, these over the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import rich_click as click
from click.core import ParameterSource

from ragauge.cli.input_options import KEYS, allowed, fits
from ragauge.core.configuration import Configuration, find
from ragauge.errors import OptionError, UsageError, did_you_mean

_BEFORE = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def settled(context: click.Context, options: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Fill in what neither the command line nor the environment gave.

    Args:
        context: of the command.
        options: its parameters; ``map`` and ``split`` as mappings.

    Returns:
        All parameters, and what to say of the file.

    Raises:
        UsageError: the file has a key or a value that means nothing.
    """
    unknown = _unknown_variables(context.command)
    file = find(Path(), options["config"])
    if file is None:
        return dict(options), unknown
    given = {name for name in options if context.get_parameter_source(name) in _BEFORE}
    found = _score(file)
    if given & {"metrics", "preset"}:
        found = {name: value for name, value in found.items() if name not in ("metrics", "preset")}
    used = {name: value for name, value in found.items() if name not in given}
    tables = {} if options["data"] is None else {name: columns(file, name) for name in ("map", "split")}
    merged = {name: {**table, **options[name]} for name, table in tables.items() if table}
    said = [*(key.name for key in KEYS if key.option in used), *merged]
    return {**options, **used, **merged}, [f"settings of {file.path}: {', '.join(said) or 'none'}", *unknown]


def _unknown_variables(command: click.Command) -> list[str]:
    """Say which RAGAUGE_* variables set nothing."""
    known = [f"RAGAUGE_{param.name}".upper() for param in command.params]
    given = sorted(name for name in os.environ if name.startswith("RAGAUGE_") and name not in known)
    return [f"the variable {name} sets nothing{did_you_mean(name, known, otherwise='')}" for name in given]


def _score(file: Configuration) -> dict[str, Any]:
    """Return the parameters that [score] sets."""
    file.check_keys("score", (key.name for key in KEYS))
    section = file.section("score")
    if "metrics" in section and "preset" in section:
        message = f"{file.where('score', 'preset')}: [score] has metrics and a preset; leave one out"
        raise UsageError(message)
    found: dict[str, Any] = {}
    for key in KEYS:
        if key.name not in section:
            continue
        value = section[key.name]
        if not fits(value, key.kind):
            raise OptionError.value(file.where("score", key.name), key.name, allowed(key.kind), value)
        if key.kind == "texts":
            value = (value,) if isinstance(value, str) else tuple(value)
        found[key.option] = str(file.path.parent / value) if key.kind == "path" else value
    return found


def columns(file: Configuration, name: str) -> dict[str, str]:
    """Return [map] or [split].

    Raises:
        OptionError: a value is no text.
    """
    table = file.section(name)
    for column, value in table.items():
        if not isinstance(value, str):
            raise OptionError.value(file.where(name, column), column, "a text", value)
    return dict(table)


def mapping(given: Mapping[str, str]) -> dict[str, str]:
    """Return [map] of the file in this folder, over which ``given`` wins."""
    file = find(Path())
    return {**(columns(file, "map") if file else {}), **given}
