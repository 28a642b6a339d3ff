"""Messages, help and errors of the command line in Chinese."""

from __future__ import annotations

import json
import re
from copy import copy
from functools import cache
from importlib.resources import files
from typing import Any, cast

import rich_click as click
from click import exceptions

from ragauge.display.numbers import printable_lines

_HELP: Any = getattr(exceptions, "NoArgsIsHelpError", ())
"""The help that stands for an error where there are no arguments; click 8.1 has no such error."""


def in_chinese(message: str) -> str:
    """Return a message or a sentence of help in Chinese; what has no Chinese words stays as it is."""
    from ragauge.reports.phrases import phrases

    return helps().get(message) or phrases("zh")(message)


def choices_in_chinese(choices: str) -> str:
    """Return in Chinese which values an option takes; values that are typed stay."""
    from ragauge.reports.phrases import phrases

    return phrases("zh").alternatives(choices)


def error_in_chinese(message: str) -> str:
    """Return the message of an error in Chinese, line by line; what has no Chinese words stays as it is."""
    lines = "\n".join(map(_line, message.split("\n")))
    return lines.replace(" (a column without a name)", "（没有名称的列）")


_PLACE = re.compile(r"(?:(?P<file>.+?):? )?(?P<place>(?:line|row) [0-9,]+): (?P<rest>.+)")
_HINT = re.compile(r"(?P<text>.+?); (?P<hint>did you mean [^;]+\?|there are .+)")
_COLUMNS = re.compile(r"(?P<before>\S.*? {2,})(?P<rest>\S.*)")


def _line(line: str) -> str:
    """Return a line in Chinese: after its place, as in ``line 2: ...``, with a hint, or in two columns."""
    text = line.lstrip()
    before = line[: len(line) - len(text)]
    if place := _PLACE.fullmatch(text):
        file = f"{place['file']}：" if place["file"] else ""
        return f"{before}{file}{in_chinese(place['place'])}：{_line(place['rest'])}"
    if hint := _HINT.fullmatch(text):
        return f"{before}{_line(hint['text'])}；{in_chinese(hint['hint'])}"
    chinese = in_chinese(text)
    if chinese != text or not text:
        return before + chinese
    for mark in re.finditer(": ", text):
        place_of_file, rest = text[: mark.start()], text[mark.end() :]
        if (known := _line(rest)) != rest:
            return f"{before}{in_chinese(place_of_file)}：{known}"
    columns = _COLUMNS.fullmatch(text)
    return f"{before}{columns['before']}{in_chinese(columns['rest'])}" if columns else line


def write_error(error: click.ClickException) -> None:
    """Write an error of click to standard error, with the usage of its command."""
    context = getattr(error, "ctx", None)
    if isinstance(error, _HELP):
        error.show()
        return
    if context is not None:
        click.echo(f"{context.get_usage()}\n用 {context.command_path} --help 查看说明。\n", err=True)
    # click writes the choices of an option in lines of their own.
    message = " ".join(error.format_message().split())
    click.echo(printable_lines(f"{in_chinese('error: ')}{error_in_chinese(message)}"), err=True)


@cache
def helps() -> dict[str, str]:
    """Return the paragraphs of help, summaries of metrics and comments of settings: English, in one line -> Chinese.

    Tests hold the table complete.
    """
    table: dict[str, str] = json.loads(files(__package__).joinpath("help-zh.json").read_text(encoding="utf-8"))
    return table


_KINDS = {"text": "文本", "integer": "整数", "integer range": "整数", "float": "小数"}
"""Types of values that have no name of their own."""
_BREAK = "\x1f"
"""A separator that is white space for rich and takes no column: Chinese has no spaces, and lines break here."""
_BETWEEN = re.compile(r"(?<=[\u3001-\u9fff\uff00-\uffef])(?<![（“])(?![\s、。，；：）”])")
_WORDS: dict[str, Any] = {
    "default_string": "[默认：{}]",
    "required_long_string": "[必填]",
    "options_panel_title": "选项",
    "commands_panel_title": "命令",
}


class _Formatter(click.RichHelpFormatter):
    """Help in Chinese: its lines break between characters."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:  # noqa: ARG002 - click's
        super().write_usage(prog, args, "用法：")

    def rich_text(self, text: Any, style: Any = "") -> Any:
        return super().rich_text(_BETWEEN.sub(_BREAK, text) if isinstance(text, str) else text, style)

    def getvalue(self) -> str:
        return super().getvalue().replace(_BREAK, "")


class _Context(click.RichContext):
    formatter_class = _Formatter


def speaking(command: Any) -> click.Command:
    """Return a command that is like ``command``, with its help in Chinese."""
    spoken = copy(command)
    spoken.context_class = _Context
    spoken.context_settings = {**command.context_settings, "rich_help_config": _WORDS}
    spoken.help = "\n\n".join([_help(text) for text in (command.help or "").split("\n\n")])
    spoken.options_metavar = "[选项]"
    if isinstance(command, click.Group):
        spoken.subcommand_metavar = "命令 [参数]..."
    spoken.panels = [copy(panel) for panel in command.panels]
    for panel in spoken.panels:
        panel.name = _help(panel.name)
    spoken.params = [_parameter(parameter) for parameter in command.params]
    spoken = click.help_option("-h", "--help", help=_help("Show this message and exit."))(spoken)
    return cast("click.Command", spoken)


def _parameter(parameter: click.Parameter) -> click.Parameter:
    if not isinstance(parameter, click.Option):
        return parameter
    spoken = copy(parameter)
    spoken.help = _help(parameter.help or "")
    if not parameter.is_flag and parameter.metavar is None:
        spoken.metavar = _KINDS.get(parameter.type.name)
    return spoken


def _help(english: str) -> str:
    line = " ".join(english.split())
    return helps().get(line, line)
