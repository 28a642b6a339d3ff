"""The face of a command: the flags by which it calls arguments, and the language of its user."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import rich_click as click

from ragauge.core.messages import Face

_OTHER_NAMES = {"level": "ci", "format": "input_format"}
"""Arguments whose options are called otherwise."""


def flags_of(command: click.Command | None) -> dict[str, str]:
    """Return argument -> flag of the options of ``command``.

    >>> flags_of(click.Command("score", params=[click.Option(["--ci", "level"]), click.Option(["--force"])]))
    {'level': '--ci', 'force': '--force', 'ci': '--ci'}
    """
    options = [option for option in (command.params if command else []) if isinstance(option, click.Option)]
    by_parameter = {option.name: option.opts[-1] for option in options if option.name}
    # The own name of a flag wins over the parameter of another.
    flags = by_parameter | {flag.lstrip("-").replace("-", "_"): flag for flag in by_parameter.values()}
    return flags | {name: flags[other] for name, other in _OTHER_NAMES.items() if other in flags}


def with_codes(command: click.Command) -> click.Command:
    """Add -v to ``command`` where it has no such option of its own: `wants_codes` looks for it."""
    if not any("-v" in param.opts for param in command.params):
        flag = click.Option(["-v", "--verbose"], is_flag=True, expose_value=False, help="Show the codes of messages.")
        command.params.append(flag)
    return command


def face() -> Face:
    """Return the face of the command that runs."""
    context = click.get_current_context(silent=True)
    if context is None:
        return Face()
    return Face(str((context.obj or {}).get("language", "en")), flags_of(context.command))


def wants_codes(typed: Sequence[str]) -> bool:
    """Return whether a command line asks for the codes of messages: by -v, or by JSON as its output.

    >>> wants_codes(["score", "-v"]), wants_codes(["score", "--output-format=json"]), wants_codes(["score"])
    (True, True, False)
    """
    as_json = "--output-format=json" in typed or ("--output-format", "json") in pairwise(typed)
    return as_json or "-v" in typed or "--verbose" in typed
