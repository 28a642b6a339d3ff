"""The face of a command: the flags by which it calls arguments, and the language of its user; help in Chinese."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import rich_click as click

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Face, catalogue

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


@contextmanager
def click_in_chinese() -> Iterator[None]:
    """Let click look up the templates of its messages in our catalogue: its modules ask gettext for them."""
    words = catalogue("zh")
    ours = {
        "_": lambda text: words.get(text, text),
        "ngettext": lambda one, several, n: words.get(text := one if n == 1 else several, text),
    }
    modules = [import_module(f"click.{name}") for name in ("core", "exceptions", "parser", "types")]
    before = [(module, name, getattr(module, name)) for module in modules for name in ours if hasattr(module, name)]
    for module, name, _ in before:
        setattr(module, name, ours[name])
    try:
        yield
    finally:
        for module, name, theirs in before:
            setattr(module, name, theirs)


@cache
def helps() -> dict[str, str]:
    """Return the paragraphs of help, summaries of metrics and comments of settings: English, in one line -> Chinese.

    Tests hold the table complete.
    """
    table: dict[str, str] = json.loads(Path(__file__).with_name("help-zh.json").read_text(encoding="utf-8"))
    return table


def without_names(english: str) -> tuple[str, list[str]]:
    """Return a paragraph of help without the names that it ends in, and these: a new name needs no new Chinese.

    >>> without_names("Repeatable. Available: junit, xlsx.")
    ('Repeatable. Available: {names}.', ['junit', 'xlsx'])
    """
    found = _AVAILABLE.search(english)
    return (f"{english[: found.start(1)]}{{names}}.", found[1].split(", ")) if found else (english, [])


_AVAILABLE = lazy_pattern(r"\bAvailable: ([a-z0-9-]+(?:, [a-z0-9-]+)+)\.$")
_KINDS = {"text": "文本", "integer": "整数", "integer range": "整数", "float": "小数"}
"""Types of values that have no name of their own."""
_BREAK = "\x1f"
"""A separator that is white space for rich and takes no column: Chinese has no spaces, and lines break here."""
_BETWEEN = lazy_pattern(r"(?<=[\u3001-\u9fff\uff00-\uffef])(?<![（“])(?![\s、。，；：）”])")
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
    key, names = without_names(line)
    return helps().get(key, line).replace("{names}", "、".join(names))
