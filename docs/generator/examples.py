"""Examples of docstrings and pages that run alone: with the statements and imports that they take from elsewhere."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator
from doctest import DocTestParser, Example
from inspect import ismodule
from typing import Any

import ragauge


def standing_alone(example: str, other: str) -> str:
    """Return code to put in front of ``example``: those statements of another whose names it takes from it."""
    return "".join(_prompted(lines) for lines in _needed(_examples(example), _examples(other)))


def with_imports(example: str, of: Any) -> str:
    """Return an example of the docstring of ``of`` with imports of what it takes from the module around it."""
    examples = _examples(example)
    around = vars(sys.modules[of.__module__])
    missing = sorted(_read(examples) - _bound(examples) - vars(builtins).keys())
    lines = [_import(name, around[name]) for name in missing if name in around]
    return "".join(f">>> {line}\n" for line in dict.fromkeys(lines)) + example


def _import(name: str, value: object) -> str:
    if ismodule(value):
        module = value.__name__
        return f"import {module}" if module == name else f"import {module} as {name}"
    home = "ragauge" if name in ragauge.__all__ else getattr(value, "__module__", "ragauge")
    return f"from {home} import {name}"


def _needed(ours: list[Example], theirs: list[Example]) -> Iterator[Iterable[str]]:
    """Yield the lines of each statement of ``theirs`` that binds a name that ``ours`` reads and does not bind."""
    missing = _read(ours) - _bound(ours)
    taken: list[Example] = []
    for example in reversed(theirs):
        if _bound([example]) & missing:
            taken.append(example)
            missing = (missing - _bound([example])) | _read([example])
    for example in reversed(taken):
        yield example.source.splitlines()


def _prompted(lines: Iterable[str]) -> str:
    return "".join(f"{'...' if place else '>>>'} {line}\n" for place, line in enumerate(lines))


def _examples(text: str) -> list[Example]:
    return DocTestParser().get_examples(text)


def _names(examples: list[Example], context: type[ast.expr_context]) -> set[str]:
    nodes = [node for example in examples for node in ast.walk(ast.parse(example.source))]
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, context)}


def _read(examples: list[Example]) -> set[str]:
    return _names(examples, ast.Load)


def _bound(examples: list[Example]) -> set[str]:
    top = [node for example in examples for node in ast.parse(example.source).body]
    imports = [node for node in top if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}
    defined = {node.name for node in top if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return imported | defined | _names(examples, ast.Store)
