"""Commands that are killed leave the old or the new state; ``python -m tests.cli.kills`` kills more of them."""

from __future__ import annotations

import sys

import pytest

from tests.cli.kills import KINDS, run_kills


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_commands_leave_the_old_or_the_new_state() -> None:
    struck = run_kills(4, seed=3)
    assert sum(states.total() for states in struck.values()) == 4
    assert all(struck[kind] for kind in KINDS)
