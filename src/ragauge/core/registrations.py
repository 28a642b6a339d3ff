"""What the sources of this package register, read without importing them: so a new file is found without the table."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ragauge.core.names import KINDS, LISTED, Registration, load_plugins

PACKAGE = Path(__file__).parents[1]
_BY = {kind.by: name for name, kind in KINDS.items() if kind.by != "ingredient"}
_DECORATOR = re.compile(rf"^@(?=(?:[\w.]+\.)?(?:ingredient|{'|'.join(_BY)})\()", re.MULTILINE)
_TARGET = re.compile(r"^(?:class|def|async def) +(\w+)", re.MULTILINE)
_NEXT = re.compile(r"^(?:@|class |def |async def )", re.MULTILINE)


class FoundRegistration(NamedTuple):
    """A registration, and where it is written."""

    registration: Registration
    path: Path
    line: int


@cache
def registrations() -> tuple[Registration, ...]:
    """Return all registrations of this package; those of the table where there are no sources."""
    return tuple([one.registration for one in registered_in(PACKAGE, "ragauge")]) or LISTED


def load_new(kind: str, name: str) -> None:
    """Import all modules that register ``name`` by their sources."""
    for module in {one.module: None for one in registrations() if one.kind == kind and name in one.names}:
        import_module(module)


def load_all(kind: str) -> None:
    """Import every module that registers something of ``kind``, also of other packages.

    Raises:
        UnknownNameError: there is no such kind.
        UsageError: another package cannot be loaded.
    """
    load_plugins(kind)
    for module in {one.module: None for one in registrations() if one.kind == kind}:
        import_module(module)


def place_of(target: Any) -> str:
    """Return the file and the line of a class or function, ``path:line``; its name where it has no file."""
    try:
        return f"{inspect.getsourcefile(target)}:{inspect.getsourcelines(target)[1]}"
    except (OSError, TypeError):
        return repr(target)


def registered_in(folder: Path, package: str) -> list[FoundRegistration]:
    """Return the registrations in the modules of ``package``, whose files are below ``folder``, by kind and module.

    A name that is no literal is not found.

    >>> found = [one.registration for one in registered_in(PACKAGE, "ragauge")]
    >>> next(one.names for one in found if one.target == "RougeN")
    ('rouge-n', 'rouge-1', 'rouge-2')
    """
    found: list[FoundRegistration] = []
    for path in folder.rglob("*.py"):
        content = path.read_bytes()
        if b"\n@" in content and (b"register" in content or b"ingredient" in content):
            module = ".".join([package, *path.relative_to(folder).with_suffix("").parts]).removesuffix(".__init__")
            found += _in_text(content.decode("utf-8", "replace").replace("\r\n", "\n"), module, path)
    return sorted(found, key=lambda one: (list(KINDS).index(one.registration.kind), one.registration.module, one.line))


def _in_text(text: str, module: str, path: Path) -> Iterator[FoundRegistration]:
    for decorator in _DECORATOR.finditer(text):
        start = decorator.end()
        target, following = _TARGET.search(text, start), _NEXT.search(text, start)
        if target is None or following is None:
            continue
        try:
            call = ast.parse(text[start : following.start()].strip(), mode="eval").body
        except SyntaxError:
            # Python says so when the file is imported.
            continue
        kind, names = _kind_and_names(call)
        if kind in KINDS and names:
            registration = Registration(kind, module, target[1], names)
            yield FoundRegistration(registration, path, text.count("\n", 0, start) + 1)


def _kind_and_names(call: ast.expr) -> tuple[str, tuple[str, ...]]:
    """Return the kind and the names of a registration, as far as they are literals."""
    if not isinstance(call, ast.Call):
        return "", ()
    by = ast.unparse(call.func).rpartition(".")[2]
    positional = ("kind", "name") if by == "ingredient" else ("name",)
    given = dict(zip(positional, call.args, strict=False)) | {str(one.arg): one.value for one in call.keywords}
    names = [name for key in ("name", "aliases", "variants") if key in given for name in _literals(given[key])]
    return _BY.get(by) or "".join(_literals(given.get("kind", call))), tuple(names)


def _literals(node: ast.expr) -> list[str]:
    """Return the text of a literal, the texts of a tuple or list, or the keys of a dict."""
    inner = {ast.Dict: "keys", ast.Tuple: "elts", ast.List: "elts"}.get(type(node))
    nodes = [node] if inner is None else getattr(node, inner)
    return [one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
