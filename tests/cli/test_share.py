"""Shares on the command line: numbers, and per cent as --max-failed takes it."""

from __future__ import annotations

import click
import pytest

from ragauge.cli.share import SHARE, UP_TO_ONE
from tests.cli.running import here


@pytest.mark.parametrize(("given", "read"), [("71%", 0.71), (" 5 % ", 0.05), (".7", 0.7), (0.95, 0.95), ("100%", 1.0)])
def test_numbers_and_per_cent(given: object, read: float) -> None:
    assert SHARE.convert(given, None, None) == pytest.approx(read, abs=1e-15)


@pytest.mark.parametrize("given", ["71", "x%", "%", "-1%"])
def test_a_range_is_that_of_the_share(given: str) -> None:
    with pytest.raises(click.BadParameter):
        UP_TO_ONE.convert(given, None, None)


def test_commands_take_per_cent(capsys: pytest.CaptureFixture[str]) -> None:
    done = here(
        capsys, "audit", "--n", 100, "--value", "71%", "--claim", "60%", "--ci", "90%", "--output-format", "json"
    )
    assert (done.code, done.json["value"], done.json["level"]) == (0, 0.71, 0.9)
