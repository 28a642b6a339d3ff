"""Optional libraries: whether they are there, and which version."""

from __future__ import annotations

from importlib.util import find_spec

from ragauge.errors import MissingExtraError


def require(feature: str, extra: str, *modules: str) -> None:
    """Raise MissingExtraError unless all ``modules``, which ``extra`` brings, are installed; none is imported."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingExtraError.of(feature, " and ".join(missing), extra)


def release(distribution: str) -> str:
    """Return the version of an installed distribution."""
    from importlib.metadata import version

    return version(distribution)
