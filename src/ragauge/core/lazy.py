"""Public names that are imported on first use. This module imports next to nothing: ``import ragauge`` is quick."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any


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
