"""A gate in words: lines of at most 80 columns, and Markdown."""

from __future__ import annotations

from math import isnan

from rich.cells import cell_len

from ragauge.comparing.wording import number, wrapped
from ragauge.gating.gated import Check, Gate
from ragauge.wording import printable

_DEMAND, _WIDTH = 36, 80


def plain_text(gate: Gate) -> str:
    """Write a gate as lines, failures with their reasons."""
    lines = [heading(gate), *([f"baseline {gate.baseline}"] if gate.baseline else []), ""]
    for check in gate.checks:
        lines += _lines(check)
    return "\n".join([*lines, *(wrapped(f"note: {note}") for note in gate.notes)])


def markdown(gate: Gate) -> str:
    """Write a gate as a Markdown table, for a job summary."""
    rows = [("", "demand", "found", "why"), ("---", "---", "---", "---")]
    rows += [(_mark(check), printable(check.demand), found(check), printable(check.why)) for check in gate.checks]
    table = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    notes = [f"\nnote: {printable(note)}" for note in gate.notes]
    runs = _code(gate.run) + (f" against {_code(gate.baseline)}" if gate.baseline else "")
    return "\n".join([f"**{heading(gate)}**", "", runs, "", *table, *notes])


def _code(text: str) -> str:
    """Write a path as Markdown code, where no character of it means anything."""
    return f"`{printable(text).replace('`', chr(39))}`"


def heading(gate: Gate) -> str:
    """Say how the gate ended.

    >>> heading(Gate("run", None, ()))
    'gate: passed, all 0 demands'
    """
    if gate.passed:
        return f"gate: passed, all {len(gate.checks)} demands"
    return f"gate: FAILED, {len(gate.failures)} of {len(gate.checks)} demands"


def found(check: Check) -> str:
    """Write what was judged, with its interval where that was."""
    if check.unit != "score":
        return f"{100 * check.value:.3g} %" if check.unit == "share" else f"{check.value:.0f}"
    return number(check.value) + ("" if isnan(check.low) else f" [{number(check.low)}, {number(check.high)}]")


def _mark(check: Check) -> str:
    return "ok" if check.passed else "FAIL"


def _lines(check: Check) -> list[str]:
    demand, value = printable(check.demand), found(check)
    first = f"{_mark(check):4}  {demand}"
    together = f"{first}{' ' * max(2, _DEMAND + 2 - cell_len(demand))}{value}"
    lines = [together] if cell_len(together) <= _WIDTH else [first, f"      {value}"]
    return [*lines, *(f"      {line}" for line in wrapped(check.why).splitlines())]
