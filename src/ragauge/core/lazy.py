"""Names that are imported, and patterns that are compiled, on first use. This module imports next to nothing."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, AnyStr


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


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` does, compiled when it is first used: a command uses few of all patterns.

    >>> lazy_pattern("[a-z]+").findall("tea, 2 cups")
    ['tea', 'cups']
    """
    lazy: Any = _LazyPattern(pattern, flags)
    compiled: re.Pattern[AnyStr] = lazy
    return compiled


class _LazyPattern:
    """Methods and attributes of a compiled pattern, each of them kept once it was asked for."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._arguments = pattern, flags

    def __getattr__(self, name: str) -> Any:
        import re

        value = getattr(re.compile(*self._arguments), name)
        setattr(self, name, value)
        return value
