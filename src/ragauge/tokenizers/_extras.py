"""Optional libraries: one place that knows which extra brings which."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from ragauge.errors import MissingExtraError


def library(module: str, feature: str, extra: str) -> Any:
    """Import ``module`` for ``feature``.

    Raises:
        MissingExtraError: it is not installed; ``extra`` brings it.
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError.of(feature, module, extra) from None


def installed(*modules: str) -> bool:
    """Say whether all ``modules`` can be imported, without importing them."""
    return all(find_spec(module) is not None for module in modules)


def release(distribution: str) -> str:
    """Return the version of an installed distribution."""
    return version(distribution)
