"""What is imported on first use: public names, and optional libraries with the line that installs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ragauge.errors import MissingExtraError


def lazy_names(package: str, homes: Mapping[str, str], subpackages: Iterable[str] = ()) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of ``package``, whose names live in other modules.

    ``homes``: module -> the names that the package takes from it, in one text. ``subpackages`` are imported so, too.
    A package defines it where type checkers do not look, and imports the same names where only they look: they then
    refuse a name that does not exist.
    """
    home_of = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name in subpackages:
            return import_module(f"{package}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(home_of[name])
        value = getattr(home, name) if hasattr(home, name) else import_module(f"{home.__name__}.{name}")
        setattr(import_module(package), name, value)
        return value

    return get


def require(feature: str, extra: str, *modules: str) -> None:
    """Raise MissingExtraError unless all ``modules``, which ``extra`` brings, are installed; none is imported."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingExtraError.of(feature, " and ".join(missing), extra)


def release(distribution: str) -> str:
    """Return the version of an installed distribution."""
    from importlib.metadata import version

    return version(distribution)
