"""``ragauge doctor``: what is there, what is not, and what does not work."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

import ragauge
from ragauge.cli.doctor import DEVELOPMENT, Library
from ragauge.core.native import INSTALL

from .running import here

Captured = pytest.CaptureFixture[str]
EXTRAS = set(metadata("ragauge").get_all("Provides-Extra") or ()) - set(DEVELOPMENT)


def test_every_extra_is_looked_at(capsys: Captured) -> None:
    done = here(capsys, "doctor", "--output-format", "json")
    assert done.code == 0, done.out
    found = {part["name"]: part for part in done.json["parts"]}
    assert set(found) == EXTRAS | {"needed", "kernel"}
    assert found["needed"]["state"] == "ok"
    assert (done.json["ragauge"], done.json["python"]) == (ragauge.__version__, platform.python_version())
    for name, part in found.items():
        absent = [one["name"] for one in part["libraries"] if one["version"] is None]
        assert (part["state"] == "absent") == bool(absent), part
        line = (
            f"with a compiler of C++20, in the repository of ragauge: {INSTALL}"
            if name == "kernel"
            else f"pip install 'ragauge[{name}]'"
        )
        assert (part["install"] == line) == (part["state"] != "ok"), part


def test_the_text_says_how_to_install_what_is_absent(capsys: Captured) -> None:
    parts = here(capsys, "doctor", "--output-format", "json").json["parts"]
    text = here(capsys, "doctor").out
    for part in parts:
        for library in part["libraries"]:
            if library["version"] is not None:
                assert f"{library['name']} {library['version']}" in text
        assert part["install"] in text
    assert "no ragauge.toml here" in text


@pytest.mark.skipif(find_spec("sentencex") is None or "sent" not in EXTRAS, reason="pip install 'ragauge[sent]'")
def test_what_is_installed_and_broken_exits_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (tmp_path / "sentencex.py").write_text("raise ImportError('libsentences.so: cannot open\\nshared object')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentencex", raising=False)
    done = here(capsys, "doctor", "--output-format", "json")
    [part] = [part for part in done.json["parts"] if part["name"] == "sent"]
    assert (done.code, part["state"]) == (1, "broken")
    assert part["why"] == "ImportError: libsentences.so: cannot open shared object"
    assert "BROKEN  sent" in here(capsys, "doctor").out


@pytest.mark.parametrize(
    ("version", "wanted", "supported"),
    [
        ("0.42.1", "==0.42.1", True),
        ("0.43", "==0.42.1", False),
        ("3.2.0", ">=3.2,<4", True),
        ("4.0.0", "<4,>=3.2", False),
        ("2024.5.15", ">=2024.5.15", True),
        ("1.10.0+cpu", ">=1.9", True),
        (None, ">=1.9", True),
    ],
)
def test_versions_that_are_not_supported(version: str | None, wanted: str, supported: bool) -> None:
    assert Library("x", version, wanted).supported == supported


def test_settings_that_cannot_be_read_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ragauge.toml").write_text("[score\n")
    monkeypatch.setenv("RAGAUGE_LANG", "zh")
    done = here(capsys, "doctor")
    assert "settings: not readable: ragauge.toml is not valid TOML" in done.out
    assert "variables: RAGAUGE_LANG" in done.out
    assert done.code == 0
