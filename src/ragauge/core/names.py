"""Which module registers each name: of this package by a table, of others by entry points.

A spec of one metric so imports that metric only. A file that is newer than the table is found by its source, which is
read without importing it.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ragauge.core.lazy import lazy_pattern
from ragauge.core.loading import broken
from ragauge.errors import RagaugeError, UnknownNameError, UsageError, excerpt


class NamedKind(NamedTuple):
    """A kind of things that have names, and how one registers."""

    group: str
    """Of entry points, ``ragauge.metrics``."""
    protocol: str | None = None
    """In `ragauge.core.ingredients`, for those that options of metrics hold."""
    by: str = "ingredient"
    """The decorator that registers one."""


KINDS: Mapping[str, NamedKind] = MappingProxyType(
    {
        "metric": NamedKind("metrics", by="register"),
        "tokenizer": NamedKind("tokenizers", "Tokenizer"),
        "matcher": NamedKind("matchers", "Matcher"),
        "embedder": NamedKind("embedders", "Embedder"),
        "support": NamedKind("support", "SupportModel"),
        "relevance": NamedKind("relevance", "RelevanceModel"),
        "judge": NamedKind("judges", "Judge"),
        "format": NamedKind("formats", by="register_format"),
        "writer": NamedKind("writers"),
    }
)

WORDS: Mapping[str, tuple[str, ...]] = {
    "support": ("auto", "cosine", "features", "ngram-recall"),
    "relevance": ("auto", "none"),
}
"""Kind -> what an option of that kind takes beside ingredients."""

TABLE = Path(__file__).with_name("names.tsv")
"""Kind, module, class or function, and names of each registration; ``python -m tests.new`` writes it."""


class Registration(NamedTuple):
    """What a module registers: one class or function, under one name or several."""

    kind: str
    module: str
    target: str
    names: tuple[str, ...]


def _listed() -> Iterator[Registration]:
    lines = TABLE.read_text(encoding="utf-8").splitlines() if TABLE.exists() else []
    for fields in [line.split("\t") for line in lines if line.count("\t") == 3]:
        kind, module, target, names = fields
        yield Registration(kind, module, target, tuple(names.split()))


LISTED = tuple(_listed())
HOMES: Mapping[tuple[str, str], str] = MappingProxyType(
    {(one.kind, name): one.module for one in LISTED for name in one.names}
)
"""(kind, name) -> the module that registers it."""


def lazy_classes(kind: str, of: Iterable[Registration]) -> dict[str, str]:
    """Return where the classes of a kind are, as `ragauge.core.loading.lazy_names` takes it.

    >>> lazy_classes("metric", LISTED)["ragauge.metrics.retrieval.ndcg"]
    'Ndcg'
    """
    homes: dict[str, str] = {}
    for one in of:
        if one.kind == kind:
            homes[one.module] = f"{homes.get(one.module, '')} {one.target}".strip()
    return homes


def load_listed(kind: str, name: str) -> None:
    """Import the module that registers ``name`` by the table; nothing where it is not there, or has moved since."""
    module = HOMES.get((kind, name))
    try:
        if module is not None:
            _imported(module)
    except ModuleNotFoundError:
        # The module has moved since.
        pass


def _imported(module: str) -> None:
    """Import a module of this package; UsageError with the file and line of what is wrong in it."""
    try:
        import_module(module)
    except RagaugeError:
        raise
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise
        raise broken(module, error) from error


@cache
def load_plugins(kind: str) -> None:
    """Import what other packages provide of ``kind``, a metric, an ingredient or a file ``format``, once."""
    from importlib.metadata import entry_points

    if kind not in KINDS:
        raise UnknownNameError.of("kind of ingredient", kind, KINDS)
    for point in entry_points(group=f"ragauge.{KINDS[kind].group}"):
        try:
            point.load()
        except Exception as error:
            why = error if isinstance(error, RagaugeError) else excerpt(error)
            raise UsageError(
                "RG-CORE-017 the package that provides {value!r} ({group}) cannot be loaded: {why}",
                point.value,
                point.group,
                why,
            ) from error


PACKAGE = Path(__file__).parents[1]
_BY = {kind.by: name for name, kind in KINDS.items() if kind.by != "ingredient"}
_DECORATOR = lazy_pattern(rf"^@(?=(?:[\w.]+\.)?(?:ingredient|{'|'.join(_BY)})\()", re.MULTILINE)
_TARGET = lazy_pattern(r"^(?:class|def|async def) +(\w+)", re.MULTILINE)
_NEXT = lazy_pattern(r"^(?:@|class |def |async def )", re.MULTILINE)


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
        _imported(module)


def load_all(kind: str) -> None:
    """Import every module that registers something of ``kind``, also of other packages.

    Raises:
        UnknownNameError: there is no such kind.
        UsageError: another package cannot be loaded.
    """
    load_plugins(kind)
    for module in {one.module: None for one in registrations() if one.kind == kind}:
        _imported(module)


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
