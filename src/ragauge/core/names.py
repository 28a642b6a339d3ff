"""Which module registers each name: of this package by a table, of others by entry points.

A spec of one metric so imports that metric only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ragauge.errors import RagaugeError, UnknownNameError, UsageError


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
    """Return where the classes of a kind are, as `ragauge.core.lazy.lazy_names` takes it.

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
            import_module(module)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise


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
            why = error if isinstance(error, RagaugeError) else repr(error)
            raise UsageError(
                "RG-CORE-017 the package that provides {value!r} ({group}) cannot be loaded: {why}",
                point.value,
                point.group,
                why,
            ) from error
