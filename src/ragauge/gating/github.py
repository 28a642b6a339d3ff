"""A gate on GitHub: error lines in the log, and a table in the job's summary."""

from __future__ import annotations

from pathlib import Path

from ragauge.gating.gated import Gate
from ragauge.gating.wording import found, markdown

LIMIT = 1024 * 1024
"""Bytes of all summaries of a step; GitHub drops a larger file. Source: its page "Workflow commands"."""

_CUT = "\n\n(cut: a job summary holds no more)\n"


def error_lines(gate: Gate) -> list[str]:
    """Write one ``::error`` line per demand that is not met.

    Source: GitHub's page "Workflow commands for GitHub Actions", which escapes %, line ends, and in properties : and ,.
    """
    return [
        f"::error title={_escaped(f'ragauge gate: {check.metric}', properties=True)}::"
        + _escaped(f"{check.demand}: {found(check)}, {check.why}")
        for check in gate.failures
    ]


def add_summary(gate: Gate, path: Path) -> None:
    """Append the gate to the job's summary at ``path``, cut to what fits beside what is there."""
    there = path.stat().st_size if path.exists() else 0
    text = (markdown(gate) + "\n\n").encode()
    room = LIMIT - there
    if len(text) > room:
        kept = text[: max(0, room - len(_CUT))].rpartition(b"\n")[0]
        text = kept + _CUT.encode() if kept else b""
    with path.open("ab") as file:
        file.write(text)


def _escaped(text: str, *, properties: bool = False) -> str:
    for char, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(char, code)
    return text.replace(":", "%3A").replace(",", "%2C") if properties else text
