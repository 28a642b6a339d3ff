"""What is imported on first use: public names, and optional libraries with the line that installs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ragauge.errors import MissingExtraError


def lazy_names(
    package: str,
    homes: Mapping[str, str],
    subpackages: Iterable[str] = (),
    unlisted: Callable[[], Mapping[str, str]] = dict,
) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of ``package``, whose names live in other modules.

    ``homes``: module -> the names that the package takes from it, in one text. ``subpackages`` are imported so, too.
    ``unlisted`` returns more homes, for a name that is in neither.
    """

    def get(name: str) -> Any:
        if name in subpackages:
            return import_module(f"{package}.{name}")
        home = _home_of(name, homes) or (None if name.startswith("_") else _home_of(name, unlisted()))
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(home)
        value = getattr(module, name) if hasattr(module, name) else import_module(f"{home}.{name}")
        setattr(import_module(package), name, value)
        return value

    return get


def _home_of(name: str, homes: Mapping[str, str]) -> str | None:
    return next((module for module, names in homes.items() if name in names.split()), None)


def require(feature: str, extra: str, *modules: str) -> None:
    """Raise MissingExtraError unless all ``modules``, which ``extra`` brings, are installed; none is imported."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingExtraError.of(feature, " and ".join(missing), extra)


def release(distribution: str) -> str:
    """Return the version of an installed distribution."""
    from importlib.metadata import version

    return version(distribution)
