"""``ragauge export``: write a saved run to where a team looks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shlex import quote

import rich_click as click

from ragauge.cli.output import output_format, say, write_json
from ragauge.core.messages import Argument, Message
from ragauge.core.names import HOMES
from ragauge.display.numbers import printable_lines
from ragauge.errors import UsageError, worded

_TARGETS = ", ".join(sorted(name for kind, name in HOMES if kind == "writer"))

_OF_SUFFIX = {".xml": "junit", ".md": "markdown", ".tex": "latex"}


@click.command("export")
@click.argument("run")
@click.option("--to", "targets", multiple=True, metavar="TARGET",
              help=f"As in xlsx[path=run.xlsx] or mlflow; required, repeatable. Available: {_TARGETS}.")  # fmt: skip
@click.option("-o", "--output", "path", hidden=True, help="Not taken: --to names the file.")
@click.option("--name", default="", metavar="NAME", help="Of the run at the target; default: that of its directory.")
@click.option("--baseline", metavar="RUN", help="The run that it is compared with.")
@click.option("--gate", "with_gate", is_flag=True, help="Check the rules of [gate], and write their outcome too.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="The TOML file with [gate].")
@output_format("text", "json")
def command(
    run: str,
    targets: tuple[str, ...],
    name: str,
    baseline: str | None,
    output_format: str,
    path: str | None,
    *,
    with_gate: bool,
    config: Path | None,
) -> None:
    """Write RUN, a directory that ragauge score -o wrote, to one TARGET or several.

    A target takes its options in brackets. Keys of services are read from environment variables, never from the command
    line. Nothing is scored again.
    """
    from ragauge.gates.configuration import primary_setting
    from ragauge.writers.writer import finished, writer

    if path is not None or not targets:
        path = path or "run.xlsx"
        target = f"{_OF_SUFFIX.get(Path(path).suffix, 'xlsx')}[path={path}]"
        raise UsageError("RG-CLI-063 name the target and its file: {target}; available: {names}",
                         Argument("to", target), _TARGETS)  # fmt: skip
    # All targets are known before the first is written.
    writers = {target: writer(target) for target in targets}
    primary, outcome = primary_setting(Path(), config), None
    of_gate = next((one for target, one in writers.items() if target.partition("[")[0] == "junit"), None)
    if with_gate or config is not None or of_gate is not None:
        from ragauge.gates.check import gate
        from ragauge.gates.rules import gate_settings
        from ragauge.gates.verdicts import with_verdict

        rules = gate_settings(Path(), config)
        if not set(rules) & {"min", "max", "max_drop", "max_failed", "min_scored"}:
            raise _no_rules(run, getattr(of_gate, "path", "") or "gate.xml")
        if "max_drop" in rules and baseline is None and "baseline" not in rules:
            raise UsageError(
                "RG-CLI-018 [gate.max-drop] needs a run to compare with: pass --baseline, or name it in [gate]"
            )
        rules |= {} if baseline is None else {"baseline": baseline}
        pairs = {name: rules[name] for name in ("baseline", "on") if name in rules}
        outcome = with_verdict(gate(run, **rules), run, **pairs, primary=primary)
    done = replace(finished(run, name, baseline, outcome), primary=primary)
    written = []
    for target, one in writers.items():
        name, now = target.partition("[")[0], one.write(done)
        written.append({"target": name, "where": now.where, "notes": list(now.notes)})
        if output_format == "text":
            click.echo(printable_lines(f"{name}: {now.where}"))
        for note in now.notes:
            say(Message("{target}: {note}", name, worded(note)))
    if output_format == "json":
        write_json({"written": written})


def _no_rules(run: str, path: str) -> UsageError:
    """Return the error of a gate without rules, with a whole command for the first metric of ``run``."""
    from ragauge.results.result import load

    score = load(Path(run)).table[0]
    side, limit = ("min", 0.8) if score.direction == "higher" else ("max", 0.2)
    rule = f"--{side} {quote(f'{score.metric}={limit}')}"
    template = (
        "RG-CLI-017 there are no rules for a gate to check. Give one: {command}; or write some in ragauge.toml, "
        "as in the two lines [gate.{side}] and {line}, or name another file by --config"
    )
    command = f"ragauge gate {quote(run)} {rule} --junit {quote(path)}"
    return UsageError(template, command, side, f'"{score.metric}" = {limit}')
