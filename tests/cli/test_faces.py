"""The help of a command in Chinese."""

from __future__ import annotations

import click

from ragauge.cli import score
from ragauge.cli.faces import helps, speaking


def test_the_help_of_a_command_is_that_of_the_catalogue() -> None:
    command: click.Command = score.command
    english = " ".join((command.help or "").partition("\n\n")[0].split())
    assert (speaking(command).help or "").partition("\n\n")[0] == helps()[english]
