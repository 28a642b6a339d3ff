"""A real Chromium makes the picture of a card and the pages of paper."""

from __future__ import annotations

import re
import shutil
import struct
import sys
from pathlib import Path

import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.reports.chromium import BROWSERS, drawn
from tests.cli.running import here

ROWS = [{"id": f"q{row}", "answer": "茶", "references": ["茶" if row else "酒"]} for row in range(12)]
needs_chromium = pytest.mark.skipif(
    not any(map(shutil.which, BROWSERS)), reason="no Chromium: apt-get install chromium"
)


@needs_chromium
def test_the_command_line_writes_a_picture_and_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ragauge.evaluate(ROWS, "exact-match").save(tmp_path / "run")
    card, pdf = tmp_path / "card.png", tmp_path / "paper.pdf"
    command = ("report", tmp_path / "run", "-o", tmp_path / "page.html", "--card", card, "--pdf", pdf)
    done = here(capsys, *command)
    assert done.code == 0, done.err
    picture = card.read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (1200, 630)
    assert len(picture) > 5_000
    paper = pdf.read_bytes()
    assert paper.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page[^s]", paper)) == 2
    assert {one.name for one in tmp_path.iterdir()} >= {"card.png", "paper.pdf", "page.html"}
    again = here(capsys, *command)
    assert (again.code, picture) == (2, card.read_bytes())


def test_without_a_browser_an_error_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ragauge.evaluate(ROWS, "exact-match").save(tmp_path / "run")
    monkeypatch.setenv("PATH", str(tmp_path))
    command = ("report", tmp_path / "run", "-o", tmp_path / "page.html", "--force")
    for option, file, advice in (("--pdf", "a.pdf", "print the page from a browser"), ("--card", "a.png", ".svg file")):
        done = here(capsys, *command, option, tmp_path / file)
        assert done.code == 2
        assert "needs Chromium or Chrome on the path (chromium-headless-shell, chromium," in done.err
        assert advice in done.err
        assert not (tmp_path / file).exists()
    assert here(capsys, *command, "--card", tmp_path / "a.svg").code == 0
    assert (tmp_path / "page.html").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no scripts of sh")
def test_a_browser_that_writes_nothing_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\necho 'no display' >&2\nexit 1\n")
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr("ragauge.reports.chromium.BROWSERS", ("chromium",))
    with pytest.raises(UsageError, match=r"wrote no \.png file: no display; do that"):
        drawn("<svg/>", ".svg", ".png", "--screenshot", otherwise="do that")
