"""The page of the command line."""

from __future__ import annotations

from inspect import cleandoc

import click

from docs.generator.tables import NOTE, paragraphs, table
from ragauge.cli.examples import EXAMPLES
from ragauge.cli.main import group

_INTRO = (
    "What is asked for goes to standard output, notes and progress to standard error. Exit codes: 0 done, 1 a gate"
    " failed, 2 the request was wrong, 3 the data were wrong, 4 nothing could be scored, 70 a fault in ragauge,"
    " 130 interrupted, 143 terminated."
)


def page() -> str:
    """Write a section for each command."""
    # With the settings of the group, since click keeps the help option that it makes first.
    context = click.Context(group, info_name="ragauge", **group.context_settings)
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
    parts = [part for name, command in commands.items() if command for part in _command(name, command, context)]
    note = NOTE.format(source="the help of the commands")
    return paragraphs([note, "# Command line", _INTRO, *parts])


def _command(name: str, command: click.Command, parent: click.Context) -> list[str]:
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(["ragauge", name, *command.collect_usage_pieces(context)])
    rows = [_option(one) for one in command.params if isinstance(one, click.Option) and not one.hidden]
    options = table(("option", "what it does"), rows) if rows else ""
    lines = "\n".join([usage, "", *EXAMPLES[name]])
    return [f"## ragauge {name}", f"```text\n{lines}\n```", _help(command), options]


def _help(command: click.Command) -> str:
    return cleandoc(command.help or "").replace("``", "`").replace("<", "&lt;")


def _option(option: click.Option) -> tuple[str, str]:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    takes = "" if option.is_flag or option.count else f" {option.metavar or _kind(option)}"
    shown = option.show_default and option.default is not None and not option.is_flag
    default = f" Default: `{option.default}`." if shown else ""
    return f"{names}{takes}", f"{option.help or ''}{default}".replace("<", "&lt;")


def _kind(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return " or ".join(f"`{choice}`" for choice in option.type.choices)
    return option.type.name.upper()
