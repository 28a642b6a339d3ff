"""What all embedders share: the signature."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from ragauge.ingredients import Role, Vectors
from ragauge.options import option_texts


class EmbedderBase(ABC):
    """An embedder: a frozen dataclass whose fields are its options."""

    revision: ClassVar[int] = 1
    """Raised when the vectors change for the same options."""
    kept: ClassVar[bool] = True
    """Whether a vector costs more to make than to keep."""

    @property
    def symmetric(self) -> bool:
        """Whether the role changes nothing."""
        return True

    @property
    def decides(self) -> Mapping[str, str]:
        """What decides a vector: options, digests of files, revisions of models; not where or how fast it is made."""
        return option_texts(self, all_of_them=True)

    @cached_property
    def signature(self) -> str:
        """Name, what decides a vector, and the revision; read once, since it may take reading a model's files."""
        name = str(self).partition("[")[0]
        known = {**self.decides, "revision": str(self.revision)}
        return f"{name}[{','.join(f'{key}={text}' for key, text in known.items())}]"

    @abstractmethod
    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one vector per text."""
