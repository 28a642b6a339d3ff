"""Names and patterns on first use."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from ragauge.core.lazy import lazy_pattern


def test_a_pattern_is_that_of_re() -> None:
    text = r"(?P<word>[a-z]+)(\d)?"
    pattern, theirs = lazy_pattern(text, re.IGNORECASE), re.compile(text, re.IGNORECASE)
    found = pattern.search(" Tea2")
    assert found is not None
    assert (found["word"], found[2]) == ("Tea", "2")
    assert (pattern.pattern, pattern.flags, pattern.groups) == (theirs.pattern, theirs.flags, theirs.groups)
    assert pattern.sub("x", "a1 B") == theirs.sub("x", "a1 B")
    assert lazy_pattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_a_pattern_is_compiled_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_ = re.compile

    def noted(text: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(text)
        return compile_(text, flags)

    monkeypatch.setattr(re, "compile", noted)
    pattern = lazy_pattern("te+a")
    assert compiled == []
    assert [bool(pattern.fullmatch(word)) for word in ("teea", "ta")] == [True, False]
    assert compiled == ["te+a"]


def test_a_wrong_attribute_is_an_error() -> None:
    with pytest.raises(AttributeError):
        lazy_pattern("a").nonsense  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("package", ["formats", "judges", "ranking"])
def test_the_names_of_a_package_are_imported_when_they_are_used(package: str) -> None:
    program = (
        f"import sys, ragauge.{package} as package\n"
        f"before = {{name for name in sys.modules if name.startswith('ragauge.{package}.')}}\n"
        "found = [getattr(package, name) for name in package.__all__]\n"
        "print(sorted(before), None in found)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[] False\n"
