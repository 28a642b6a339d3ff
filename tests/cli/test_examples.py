"""The examples in the help of each command: they stand first, and are commands that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import rich_click as click
from rich.cells import cell_len

import ragauge
from ragauge.cli.examples import EXAMPLES, RARE
from ragauge.cli.main import LazyGroup, group
from ragauge.cli.score import command as score
from ragauge.core.registry import lookup
from ragauge.core.spec import parse_spec

from .running import here


def test_each_command_has_one() -> None:
    assert list(EXAMPLES) == list(LazyGroup.names)


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_its_options_and_metrics_are_there(line: str) -> None:
    context = click.Context(group, **group.context_settings)
    program, name, *arguments = shlex.split(line)
    command = group.get_command(context, name)
    assert program == "ragauge"
    assert command is not None
    with click.Context(command, info_name=name, parent=context) as own:
        given, left, _ = command.make_parser(own).parse_args(arguments)
    assert left == []
    for metric in given.get("metrics", ()):
        assert lookup("metric", parse_spec(metric).name)
    required = [param.name for param in command.params if param.required and param.name not in given]
    assert required == []


@pytest.mark.parametrize(("language", "title", "usage"), [("en", "Examples:", "Usage:"), ("zh", "示例：", "用法：")])
@pytest.mark.parametrize("name", LazyGroup.names)
def test_it_stands_above_the_usage(
    name: str,
    language: str,
    title: str,
    usage: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    lines = [line.strip() for line in here(capsys, "--lang-ui", language, name, "--help").out.splitlines()]
    place = lines.index(title)
    assert lines[place + 1 : place + 1 + len(EXAMPLES[name])] == [f"$ {line}" for line in EXAMPLES[name]]
    assert place < next(place for place, line in enumerate(lines) if line.startswith(usage))
    assert max(map(cell_len, lines)) <= 100


def _flags(text: str) -> set[str]:
    return set(re.findall(r"(?m)^│ [ *]*(--[a-z-]+)", text))


@pytest.mark.parametrize(
    "name", ["score", "ask", "questions", "compare", "history", "report", "gate", "validate", "calibrate"]
)
def test_rare_options_are_shown_on_request(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    command = group.get_command(click.Context(group, **group.context_settings), name)
    assert command is not None
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    every = {max(option.opts, key=len) for option in options}
    usual = _flags(here(capsys, name, "--help").out)
    assert usual - {"--help"} == (every - RARE if "--help-all" in every else every)
    assert len(usual) <= 16
    whole = here(capsys, name, "--help-all")
    assert (whole.code, _flags(whole.out) - {"--help"}) == (0, every)
    assert _flags(here(capsys, name, "--help").out) == usual, "what was shown once is hidden again"


def test_all_help_of_a_command_without_rare_options_is_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    whole, usual = here(capsys, "gate", "--help-all"), here(capsys, "gate", "--help")
    assert (whole.code, whole.out) == (0, usual.out)
    assert "--help-all" not in usual.out


def test_each_rare_option_is_one_of_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    context = click.Context(group, **group.context_settings)
    commands = [group.get_command(context, name) for name in LazyGroup.names]
    every = {flag for command in commands if command for option in command.params for flag in option.opts}
    assert every >= RARE
    monkeypatch.setenv("RAGAUGE_HELP_ALL", "1")
    with click.Context(score, auto_envvar_prefix="RAGAUGE") as own:
        assert score.parse_args(own, ["answers.jsonl"]) == []


def test_a_report_opens_in_a_browser(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    ragauge.evaluate([{"answer": "茶", "references": ["茶"]}], "exact-match").save(tmp_path / "run")
    page = tmp_path / "页面.html"
    assert here(capsys, "report", tmp_path / "run", "-o", page).code == 0
    assert opened == []
    assert here(capsys, "report", tmp_path / "run", "-o", page, "--force", "--open").code == 0
    assert opened == [page.resolve().as_uri()]
