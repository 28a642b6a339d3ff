"""The generated lists: which module registers each name, and what type checkers see of the two packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import wrap

import ragauge
from ragauge.core.names import PACKAGE, FoundRegistration, Registration, lazy_classes, registered_in
from ragauge.errors import UsageError


def lists(package: Path = PACKAGE) -> dict[str, str]:
    """Return each generated list of ``package``: path below it -> text.

    Raises:
        UsageError: two files register one name.
    """
    found = registered_in(package, "ragauge")
    refuse_twins(found)
    registered = [one.registration for one in found]
    metrics = {**lazy_classes("metric", registered), "ragauge.metrics.function": "FunctionMetric"}
    public = {**vars(ragauge)["_HOMES"], "ragauge._version": "__version__"}
    return {
        "core/names.tsv": "".join(_row(one) for one in registered),
        "metrics/__init__.pyi": _stub(metrics),
        "__init__.pyi": _stub(public, vars(ragauge)["_SUBPACKAGES"]),
    }


def refuse_twins(found: Iterable[FoundRegistration]) -> None:
    """Raise UsageError where two files register one name; it names both."""
    places: dict[tuple[str, str], str] = {}
    for one in found:
        place = f"{one.path}:{one.line}"
        for name in one.registration.names:
            kind = one.registration.kind
            other = places.setdefault((kind, name), place)
            if other != place:
                raise UsageError(f"two {kind}s are named {name!r}: {other} and {place}. Rename one of them.")


def write_lists(package: Path = PACKAGE) -> Iterator[Path]:
    """Write the lists that differ from what is there; yield their paths."""
    for name, text in lists(package).items():
        path = package / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            yield path


def _row(one: Registration) -> str:
    return "\t".join([one.kind, one.module, one.target, " ".join(one.names)]) + "\n"


def _stub(homes: Mapping[str, str], packages: Iterable[str] = ()) -> str:
    """Return a stub that takes each name from its home, and the ``packages`` below ragauge."""
    taken = [*({"ragauge": " ".join(packages)} if packages else {}).items(), *sorted(homes.items())]
    imports = [_import(module, sorted(names.split())) for module, names in taken]
    names = {name for _, names in taken for name in names.split()}
    # Ruff's order: constants, classes, others.
    ordered = sorted(names, key=lambda name: (not name.isupper(), not name[:1].isupper(), name))
    listed = wrap(", ".join([f'"{name}"' for name in ordered]) + ",", 116)
    public = ["__all__ = [", *[f"    {line}" for line in listed], "]  # fmt: skip", ""]
    return "\n".join(["# Written by `python -m tests.new`.", *imports, "", *public])


def _import(module: str, names: Iterable[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    return line if len(line) <= 120 else "\n".join([f"from {module} import (", *[f"    {one}," for one in names], ")"])
