"""The files of the package: which room may import which, that each has a test, and the words of the glossary."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.architecture import (
    Sources,
    as_lines,
    circle,
    circle_of_files,
    circle_of_rooms,
    long_files,
    private,
    twin_classes,
    upward,
    without_a_test,
)

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
PACKAGE = SRC / "ragauge"
ROOT_MODULES_AT_MOST = 8

FLOORS = (
    {"core", "languages", "display"},
    {"endpoints", "tokenizers", "sentences", "embedders", "ranking", "formats"},
    {"grounding", "judges"},
    {"metrics", "inference"},
    {"results"},
    {"evaluation", "engines", "systems", "compat", "testsets"},
    {"comparison", "gates", "validation"},
    {"reports", "writers", "demo"},
    {"cli", "pytest_plugin"},
)
"""Rooms from the ground up: each imports from its own floor and from those below."""

TESTED_ROOMS = ("metrics", "grounding", "formats", "testsets", "inference", "evaluation", "systems")

# The folders and files that a checkout has; what tools leave there is in .gitignore.
TOP_LEVEL = {
    ".ci", ".gitignore", "CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "README.zh.md", "benchmarks", "corpora",
    "docs", "examples", "mkdocs.yml", "native", "pyproject.toml", "src", "tests",
}  # fmt: skip

# Word that must not come back -> word of the glossary in docs/design.md.
WORDS = {
    r"crossed": "support",
    r"gainful": "has a positive gain",
    r"evened out": "normalised",
    r"thinned out": "filtered",
    r"mend(s|ed)?": "fix",
    r"demands?": "threshold or rule of a gate",
    r"(with a|with) pencil|on paper": "worked example",
    r"is no (TOML|JSON|CSV)": "is not valid TOML",
    r"there is no such file": "file not found",
}


@cache
def tree() -> Sources:
    return Sources(SRC)


def test_no_files_import_each_other_in_a_circle() -> None:
    assert as_lines(circle_of_files(tree())) == "", "within the package import from ragauge.core..., not from ragauge"


def test_no_rooms_import_each_other_in_a_circle() -> None:
    assert as_lines(circle_of_rooms(tree(), {})) == ""


def test_imports_go_down() -> None:
    assert upward(tree(), FLOORS) == set(), "is a room on no floor, or imports from a floor above its own"


def test_private_modules_are_imported_in_their_own_folder() -> None:
    assert private(tree()) == set(), "imports a private module of another folder: make what it needs public there"


def test_each_public_module_has_a_test_file_of_its_name() -> None:
    found = without_a_test(tree(), ROOT / "tests", TESTED_ROOMS)
    assert sorted(found) == [], (
        "has no tests/ROOM/test_NAME.py; python -m tests.new metric NAME writes that of a metric"
    )


def test_the_root_of_the_package_is_small() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= ROOT_MODULES_AT_MOST


def test_no_file_is_long() -> None:
    assert long_files(tree()) == set()


def test_no_two_classes_have_the_same_name() -> None:
    assert twin_classes(tree()) == {}


@pytest.mark.parametrize("word", WORDS)
def test_one_word_per_idea(word: str) -> None:
    pattern = re.compile(rf"(?<![A-Za-z]){word}(?![A-Za-z])", re.IGNORECASE)
    assert [line for line in lines() if pattern.search(line)] == [], f"say: {WORDS[word]}"


def test_no_comment_begins_with_a_free_what() -> None:
    assert [line for line in lines() if "# What " in line] == []


def test_nothing_else_stands_at_the_top_level() -> None:
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()]
    names = [path.name for path in ROOT.iterdir() if not any(path.match(pattern) for pattern in ignored)]
    assert set(names) - TOP_LEVEL - {".git"} == set()


@cache
def lines() -> list[str]:
    """Return each line of the package's Python, templates and texts, behind its place."""
    kinds = (".py", ".html", ".json", ".js", ".css", ".toml", ".md")
    return [
        f"{path.relative_to(SRC)}:{number}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*"))
        if path.suffix in kinds
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


DOWN = ({"core"}, {"metrics"}, {"cli"})
BROKEN: Mapping[str, tuple[Mapping[str, str], Callable[[Sources], Any], Any]] = {
    "circle in a function": (
        {"core/a.py": "def f(): from ragauge.core.b import x", "core/b.py": "import ragauge.core.a"},
        circle_of_files,
        ["ragauge.core.a", "ragauge.core.b", "ragauge.core.a"],
    ),
    "circle in a string": (
        {"core/a.py": 'HOME = "ragauge.metrics.b"\nimport_module(HOME)', "metrics/b.py": "from ragauge.core import a"},
        circle_of_files,
        ["ragauge.core.a", "ragauge.metrics.b", "ragauge.core.a"],
    ),
    "circle through a stub": (
        {
            "metrics/__init__.py": "",
            "metrics/__init__.pyi": "from ragauge.metrics.b import B",
            "metrics/b.py": "from ragauge.metrics import B",
        },
        circle_of_files,
        ["ragauge.metrics", "ragauge.metrics.b", "ragauge.metrics"],
    ),
    "circle for types": (
        {"core/a.py": "if TYPE_CHECKING:\n  import ragauge.core.b", "core/b.py": "import ragauge.core.a"},
        circle_of_files,
        ["ragauge.core.a", "ragauge.core.b", "ragauge.core.a"],
    ),
    "circle of rooms": (
        {"core/a.py": "import ragauge.cli.b", "cli/b.py": "", "cli/c.py": "import ragauge.core.d", "core/d.py": ""},
        lambda sources: circle_of_rooms(sources, {}),
        ["cli", "core", "cli"],
    ),
    "upward": (
        {"core/a.py": "import ragauge.cli.b", "cli/b.py": ""},
        lambda sources: upward(sources, DOWN),
        {"core -> cli"},
    ),
    "a room on no floor": (
        {"attic/a.py": "import ragauge.core.b", "core/b.py": ""},
        lambda sources: upward(sources, DOWN),
        {"attic"},
    ),
    "private": (
        {"metrics/text/_a.py": "", "metrics/rag/b.py": "import ragauge.metrics.text._a", "metrics/text/c.py":
         "import ragauge.metrics.text._a"},
        private,
        {"ragauge.metrics.rag -> ragauge.metrics.text._a"},
    ),
    "without a test": (
        {"metrics/text/a.py": "", "metrics/text/b.py": "", "metrics/text/_c.py": ""},
        lambda sources: without_a_test(sources, sources.folder / "tests", ["metrics"]),
        {"ragauge.metrics.text.a"},
    ),
    "long": ({"core/a.py": "pass\n" * 351, "core/b.py": "pass\n" * 350}, long_files, {"ragauge.core.a"}),
    "twins": (
        {"core/a.py": "class Row: ...", "core/b.py": "class Row: ..."},
        twin_classes,
        {"Row": ["ragauge.core.a", "ragauge.core.b"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "rule", "broken"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_rule_is_seen(
    tmp_path: Path, files: Mapping[str, str], rule: Callable[[Sources], Any], broken: Any
) -> None:
    for name, text in {"__init__.py": "", "../tests/metrics/test_b.py": "", **files}.items():
        path = tmp_path / "ragauge" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert rule(Sources(tmp_path)) == broken
