"""The shape of the house: rooms, sizes, no circles, one word per idea. docs/design.md gives the reasons."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
PACKAGE = SRC / "ragauge"
LINES_AT_MOST = 350
ROOT_MODULES_AT_MOST = 8

# The folders and files that a checkout has; what tools leave there is in .gitignore.
TOP_LEVEL = {
    ".ci", ".gitignore", "CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "README.zh.md", "benchmarks", "corpora",
    "docs", "examples", "mkdocs.yml", "pyproject.toml", "src", "tests",
}  # fmt: skip


@cache
def sources() -> dict[str, str]:
    """Return the source of each module: dotted name -> text."""
    paths = {path: path.relative_to(SRC).with_suffix("").parts for path in sorted(PACKAGE.rglob("*.py"))}
    return {
        ".".join(parts).removesuffix(".__init__"): path.read_text(encoding="utf-8") for path, parts in paths.items()
    }


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(sources()[module])


def imports(module: str) -> Iterator[str]:
    """Yield the modules that ``module`` imports anywhere: at the top, in functions, under TYPE_CHECKING."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in sources() else str(node.module) for name in full)


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the nodes of one circle in order, the first again at the end; an empty list if there is none."""
    done: set[str] = set()

    def walk(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node not in done:
            for target in sorted(graph.get(node, ())):
                if found := walk(target, [*path, node]):
                    return found
            done.add(node)
        return []

    return next((found for node in sorted(graph) if (found := walk(node, []))), [])


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_the_root_of_the_package_is_small() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= ROOT_MODULES_AT_MOST


def test_no_file_is_long() -> None:
    lengths = {module: text.count("\n") for module, text in sources().items()}
    assert {module: length for module, length in lengths.items() if length > LINES_AT_MOST} == {}


def test_nothing_else_stands_at_the_top_level() -> None:
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()]
    names = [path.name for path in ROOT.iterdir() if not any(path.match(pattern) for pattern in ignored)]
    assert set(names) - TOP_LEVEL - {".git"} == set()
