"""Values by keys, as the results of runs, comparisons and validations hold them."""

from __future__ import annotations

from collections.abc import Iterator, KeysView
from contextlib import suppress
from typing import Any, Generic, TypeVar

from ragauge.errors import RagaugeError

Key = TypeVar("Key")


class Keyed(Generic[Key]):
    """Values by keys: a class with `keys` and ``[key]`` gets ``in``, `iter` and `len` of a dict."""

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    def keys(self) -> KeysView[Key]:
        """Return the keys."""
        raise NotImplementedError

    def __contains__(self, key: object) -> bool:
        with suppress(RagaugeError):
            self[key]
            return True
        return False

    def __iter__(self) -> Iterator[Key]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())
